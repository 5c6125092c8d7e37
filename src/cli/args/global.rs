//! Flags that every command takes, and `--set`, which gives any setting.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::values::{assignment, flag};
use crate::config::Flag;

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// Folder that holds the collections [default: DEEPSEARCH_DATA_DIR, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data_dir: Option<PathBuf>,
    /// Settings file to use in place of ./deepsearch.toml and the user's file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// What `--set` gave, in the order given; see [`with_settings`].
    #[arg(skip)]
    pub set: Vec<(String, String)>,
    /// Use no network: no page, web search, endpoint or model (same as --set net.offline=true)
    #[arg(long, global = true, help_heading = "Global options")]
    pub offline: bool,
    /// Print nothing but errors to standard error
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        overrides_with = "quiet",
        help_heading = "Global options"
    )]
    pub quiet: bool,
    /// Print more to standard error: every model call, and the details of errors
    #[arg(short, long, global = true, overrides_with = "verbose", help_heading = "Global options")]
    pub verbose: bool,
    /// When to use colours: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    pub color: ColorWhen,
}

/// When to use colours.
// Its values have no help texts of their own, which would double the length of every command's help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

impl GlobalArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = self
            .set
            .iter()
            .map(|(key, value)| Flag { flag: format!("--set {key}"), key: key.clone(), value: value.clone() })
            .collect();
        if let Some(folder) = &self.data_dir {
            flags.push(flag("--data-dir", "store.data_dir", folder.to_string_lossy()));
        }
        flags.extend(self.offline.then(|| flag("--offline", "net.offline", "true")));
        flags
    }
}

/// The name of the flag that sets any setting.
const SET: &str = "set";

/// Gives a command and all below it the flag `--set`. A global flag of clap's would forget what stands before a
/// subcommand where it stands behind it too.
pub fn with_settings(command: clap::Command) -> clap::Command {
    let set = clap::Arg::new(SET)
        .long(SET)
        .value_name("KEY=VALUE")
        .value_parser(assignment)
        .action(clap::ArgAction::Append)
        .help("Set any setting, as in `--set llm.provider=ollama` (repeatable)")
        .help_heading("Global options")
        .display_order(100);
    command.arg(set).mut_subcommands(with_settings)
}

/// What `--set` gave on every level, outermost first.
pub fn settings(matches: &clap::ArgMatches) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut level = Some(matches);
    while let Some(matches) = level {
        found.extend(matches.get_many(SET).into_iter().flatten().cloned());
        level = matches.subcommand().map(|(_, below)| below);
    }
    found
}
