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
        /// The file to write [default: the user's file, see `config path`]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Show every setting, its value, and where the value came from
    Show {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
        /// Leave out settings that have their default value
        #[arg(long)]
        changed: bool,
    },
    /// Show which settings files are read
    Path,
    /// Show what ./deepsearch.toml sets, and trust all of it until it changes
    #[command(after_help = "\
A settings file in the working folder may set how documents are searched and cut, lower limits, and name models of the \
service that you have chosen. Programs, addresses, keys, folders, prompts and higher limits need your trust in that \
file, which is kept for its path and its content. What it names, such as a program, can change without being asked \
about.")]
    Trust {
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
        /// List the files that are trusted
        #[arg(long, conflicts_with = "yes")]
        list: bool,
    },
    /// Stop trusting a folder's settings file
    Untrust {
        /// The folder, even if it no longer exists
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
}
