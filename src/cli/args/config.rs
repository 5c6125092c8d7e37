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
    /// Show what ./deepsearch.toml sets, and obey all of it until it changes
    #[command(after_help = "\
A settings file in the working folder may set how documents are searched and cut, lower limits, and name models of the \
service that you have chosen. Programs, addresses, keys, folders, prompts and higher limits need your trust in that \
file, which is kept for its path and its content. What it names, such as a program, can change without being asked \
about.")]
    Trust {
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
        /// List the files that are trusted
        #[arg(long, conflicts_with = "yes")]
        list: bool,
    },
    /// Obey no more of a folder's settings file than of any other
    Untrust {
        /// The folder, which need not be there any more
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
}
