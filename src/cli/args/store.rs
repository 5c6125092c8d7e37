//! The arguments of `store`.

use clap::{Args, Subcommand, ValueEnum};

use crate::config::StoreBackend;

#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    pub command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Copy collections from one kind of store to the other, and compare the copies
    #[command(after_help = "\
What is there already is left alone: a copy that was interrupted goes on. The server is the one of store.url.

Examples:
  deepsearch store copy --from embedded --to qdrant
  deepsearch store copy --from qdrant --to embedded --collection papers")]
    Copy {
        /// Where the collections are
        #[arg(long, value_enum, value_name = "STORE")]
        from: Backend,
        /// Where to copy them
        #[arg(long, value_enum, value_name = "STORE")]
        to: Backend,
        /// Only this collection (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
        /// Write the summary as JSON
        #[arg(long)]
        json: bool,
    },
    /// Read everything that is stored, and report what is damaged or disagrees
    Check {
        /// Only this collection (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
        /// Write the findings as JSON
        #[arg(long)]
        json: bool,
    },
}

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Files in the data folder
    Embedded,
    /// A Qdrant server or cluster
    Qdrant,
}

impl From<Backend> for StoreBackend {
    fn from(backend: Backend) -> Self {
        match backend {
            Backend::Embedded => StoreBackend::Embedded,
            Backend::Qdrant => StoreBackend::Qdrant,
        }
    }
}
