use std::io::{self, Read};

use super::limits::{Exceeded, Meter};

/// What the reader of a format finds in an archive, under the names that the archive gives.
pub(super) enum ArchiveEntry<'f> {
    /// A file.
    Member {
        name: &'f str,
        /// Its length in bytes.
        size: u64,
        /// Its modification time, if the archive gives one.
        modified_ns: Option<i64>,
        content: &'f mut dyn Read,
    },
    /// A member that cannot be loaded, and why.
    Refused { name: &'f str, reason: String },
    /// A member that is left out.
    Skipped { name: &'f str },
}

/// The function that receives each finding.
pub(super) type Show<'s> = &'s mut dyn FnMut(ArchiveEntry<'_>) -> Result<Flow, Problem>;

/// Whether the visitor wants to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Yes.
    On,
    /// No.
    Stop,
}

/// Why an archive is not read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    #[error("broken {format} archive: {reason}")]
    Broken { format: &'static str, reason: String },
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    #[error("its name says that it is an archive, and its content is none that can be read")]
    Unknown,
}

impl Problem {
    /// The limit that stopped the reading; if there is none, damage.
    pub(super) fn of(meter: &Meter, format: &'static str, error: &dyn std::error::Error) -> Problem {
        match meter.exceeded() {
            Some(exceeded) => Problem::Exceeded(exceeded),
            None => Problem::Broken { format, reason: error.to_string() },
        }
    }
}
