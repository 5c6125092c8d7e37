//! The arguments of `config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Write a commented settings file to start from
    Init {
        /// Where to [default: the user's file, see `config path`]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Show every setting, its value, and where the value came from
    Show {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
        /// Leave out what has its default
        #[arg(long)]
        changed: bool,
    },
    /// Show which settings files are read
    Path,
}
