//! The arguments of `sources`.

use clap::{Args, Subcommand};

use super::values::number;

#[derive(Debug, Args)]
#[command(after_help = "\
Every file, folder and glob that was loaded is a source; `deepsearch load` without arguments loads all of them again.")]
#[command(args_conflicts_with_subcommands = true)]
pub struct SourcesArgs {
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Option<SourcesCommand>,
}

#[derive(Debug, Subcommand)]
pub enum SourcesCommand {
    /// List what was loaded, into which collections, and when
    List {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Forget a source and remove its documents
    Rm {
        /// The file, folder or glob, as it was loaded
        #[arg(value_name = "SOURCE")]
        source: String,
        /// Keep its documents; they are no longer refreshed
        #[arg(long)]
        keep_documents: bool,
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
        /// Write what was forgotten and removed as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show when documents were first seen, changed, moved or removed
    History {
        /// A document's path, or the end of it [default: the latest events of all documents]
        #[arg(value_name = "PATH")]
        path: Option<String>,
        /// Only this many, the latest
        #[arg(short, value_name = "N", default_value_t = 100, value_parser = number::<usize>)]
        n: usize,
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
}
