//! The arguments of `memory`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::values::{end, instant, number};
use crate::memory::EventKind;

#[derive(Debug, Args)]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Write a note into the memory
    Add {
        /// What to remember
        text: String,
        /// When it was, as in 2023-10-28 or 2023-10-28T15:00:00Z [default: now]
        #[arg(long, value_name = "DATE", value_parser = instant)]
        at: Option<Timestamp>,
        /// Recall it only where this collection is searched (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
    },
    /// List events in chronological order
    List {
        /// Only this kind
        #[arg(long, value_enum, value_name = "KIND")]
        kind: Option<KindArg>,
        /// Only findings that their sources no longer support
        #[arg(long)]
        stale: bool,
        /// Only this many, the newest
        #[arg(short, value_name = "N", value_parser = number::<usize>)]
        n: Option<usize>,
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a question would recall, and why; changes nothing
    #[command(after_help = "\
Columns: p is the weight, r the relevance, t the time since the event was last needed (in memory.unit), g how well it \
is consolidated. An event comes to mind where p is at least memory.k.")]
    Search {
        /// The question
        question: String,
        /// Recall as at this time [default: now]
        #[arg(long, value_name = "DATE", value_parser = instant)]
        at: Option<Timestamp>,
        /// Recall as if only this collection were searched (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
        /// How many events to show
        #[arg(short, value_name = "N", default_value_t = 10, value_parser = number::<usize>)]
        n: usize,
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Draw the timeline: in the terminal, or into a file
    Timeline {
        /// Begin here
        #[arg(long, value_name = "DATE", value_parser = instant)]
        from: Option<Timestamp>,
        /// End here; a day is shown to its end
        #[arg(long, value_name = "DATE", value_parser = end)]
        to: Option<Timestamp>,
        /// Write a picture
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Write a page with the picture and all events
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// Remove events for good
    Forget {
        /// The numbers of the events, as `memory list` shows them
        #[arg(value_name = "ID", required_unless_present = "before", conflicts_with = "before", value_parser = number::<u64>)]
        ids: Vec<u64>,
        /// All events that were recorded before this time
        #[arg(long, value_name = "DATE", value_parser = instant)]
        before: Option<Timestamp>,
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
    /// Write all events as JSON lines to standard output, or to a file
    Export {
        /// The file to write
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Add the events of an export that the memory lacks
    Import {
        /// The export, or `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    Question,
    Finding,
    Note,
    DocumentArrived,
    DocumentChanged,
}

impl From<KindArg> for EventKind {
    fn from(kind: KindArg) -> Self {
        match kind {
            KindArg::Question => EventKind::Question,
            KindArg::Finding => EventKind::Finding,
            KindArg::Note => EventKind::Note,
            KindArg::DocumentArrived => EventKind::DocumentArrived,
            KindArg::DocumentChanged => EventKind::DocumentChanged,
        }
    }
}
