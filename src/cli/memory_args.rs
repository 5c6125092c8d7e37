//! Arguments of `memory`, and how dates are written.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::memory::EventKind;

#[derive(Debug, Args)]
pub(super) struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum MemoryCommand {
    /// Write a note into the memory
    Add {
        /// What to remember
        text: String,
        /// When it was, as in 2023-10-28 or 2023-10-28T15:00:00Z [default: now]
        #[arg(long, value_name = "DATE", value_parser = instant)]
        at: Option<Timestamp>,
        /// Bring it to mind only where this collection is asked (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
    },
    /// List events in the order of their time
    List {
        /// Only this kind
        #[arg(long, value_enum, value_name = "KIND")]
        kind: Option<KindArg>,
        /// Only findings whose sources do not say so any more
        #[arg(long)]
        stale: bool,
        /// Only the newest so many
        #[arg(short, value_name = "N")]
        n: Option<usize>,
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what would come to mind for a question, and why; changes nothing
    #[command(after_help = "\
Columns: p is the weight, r the relevance, t the time since the event was last needed (in memory.unit), g how well it \
is consolidated. An event comes to mind where p is at least memory.k.")]
    Search {
        /// The question
        question: String,
        /// As it would be at this time [default: now]
        #[arg(long, value_name = "DATE", value_parser = instant)]
        at: Option<Timestamp>,
        /// As if only this collection were asked (repeatable)
        #[arg(short, long, value_name = "NAME")]
        collection: Vec<String>,
        /// How many events
        #[arg(short, value_name = "N", default_value_t = 10)]
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
        /// Their numbers, as `memory list` shows them
        #[arg(value_name = "ID", required_unless_present = "before", conflicts_with = "before")]
        ids: Vec<u64>,
        /// All that were made before this
        #[arg(long, value_name = "DATE", value_parser = instant)]
        before: Option<Timestamp>,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Write all events as JSON lines to standard output, or to a file
    Export {
        /// Where to
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Add the events of an export that are not there yet
    Import {
        /// The export, or `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KindArg {
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

/// A day.
pub(super) fn date(text: &str) -> Result<Date, String> {
    text.parse().map_err(|_| "expected a date such as 2023-10-28".to_owned())
}

/// A day's beginning in UTC, or an instant.
fn instant(text: &str) -> Result<Timestamp, String> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant);
    }
    let day: Option<Date> = text.parse().ok().filter(|_| text.len() == 10);
    day.and_then(|day| day.to_zoned(TimeZone::UTC).ok())
        .map(|zoned| zoned.timestamp())
        .ok_or_else(|| "expected a date such as 2023-10-28, or a time such as 2023-10-28T15:00:00Z".to_owned())
}

/// A day's end in UTC, or an instant.
fn end(text: &str) -> Result<Timestamp, String> {
    let begin = instant(text)?;
    let whole_day = text.len() == 10;
    Ok(if whole_day { begin.checked_add(24.hours()).unwrap_or(Timestamp::MAX) } else { begin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_a_day_or_an_instant() {
        fn check(parse: fn(&str) -> Result<Timestamp, String>, text: &str, expected: Option<&str>) {
            assert_eq!(parse(text).ok().map(|at| at.to_string()).as_deref(), expected, "{text}");
        }
        check(instant, "2023-10-28", Some("2023-10-28T00:00:00Z"));
        check(instant, "2023-10-28T15:00:00+02:00", Some("2023-10-28T13:00:00Z"));
        check(instant, "28.10.2023", None);
        check(instant, "2023-10", None);
        check(instant, "2023-13-01", None);
        check(end, "2023-10-28", Some("2023-10-29T00:00:00Z"));
        check(end, "2023-10-28T15:00:00Z", Some("2023-10-28T15:00:00Z"));
    }
}
