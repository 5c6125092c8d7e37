use std::path::{Path, PathBuf};

use crate::base::SqliteFault;
use crate::embed::EmbedError;
use crate::store::StoreError;

/// What can go wrong in the memory.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The memory was written by a newer version of this program.
    #[error("{path} has format {found}, and this version reads formats up to {known}")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest format that this program reads.
        known: u32,
    },
    /// The file does not hold what it should.
    #[error("{path} is damaged: {reason}; restore it from a backup, or delete it and begin a new memory")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The disk is full.
    #[error("no space left while writing to {path}")]
    NoSpace {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write to {path}")]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The engine's error.
        source: rusqlite::Error,
    },
    /// Any other failure of the database engine.
    #[error("the memory {path} failed while {action}: {source}")]
    Engine {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// The engine's error.
        source: rusqlite::Error,
    },
    /// The folder cannot be created.
    #[error("cannot make the folder of the memory {path}: {source}")]
    Folder {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The system cannot tell whether the memory exists.
    #[error("cannot read the memory {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// No event has this number.
    #[error("there is no event {id} in the memory")]
    NoEvent {
        /// The number asked for.
        id: u64,
    },
    /// A line of an import is not an event.
    #[error("line {line} of the import is no event: {reason}")]
    Import {
        /// The line's number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A source could not be read for the check.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The thread of the memory ended without a result.
    #[error("the memory stopped: {0}")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Turns an error of SQLite on the memory `path` into a `MemoryError`.
pub(super) fn sqlite_error(path: &Path, action: &'static str, source: rusqlite::Error) -> MemoryError {
    let path = path.to_owned();
    match SqliteFault::of(&source) {
        SqliteFault::Full => MemoryError::NoSpace { path },
        SqliteFault::ReadOnly | SqliteFault::CannotOpen => MemoryError::NotWritable { path, source },
        SqliteFault::Damaged => MemoryError::Damaged { path, reason: source.to_string() },
        SqliteFault::Other => MemoryError::Engine { path, action, source },
    }
}
