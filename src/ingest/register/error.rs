use std::path::{Path, PathBuf};

use crate::base::SqliteFault;

/// What can go wrong with the file that lists the sources.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The file was written by a newer version of this program.
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
    #[error("{path} is damaged: {reason}; delete it and load your folders by name once more")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The folder of the file cannot be created.
    #[error("cannot make the folder {path} for the list of sources: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The system cannot tell whether the file exists.
    #[error("cannot read the list of sources {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The database engine failed.
    #[error("the list of sources {path} failed while {action}: {source}")]
    Engine {
        /// The file.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// The engine's error.
        source: rusqlite::Error,
    },
    /// The thread that worked on the file ended without a result.
    #[error("the work on the list of sources stopped: {0}")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Turns an error of SQLite on the file `path` into a `RegisterError`.
pub(super) fn sqlite_error(path: &Path, action: &'static str, source: rusqlite::Error) -> RegisterError {
    let path = path.to_owned();
    match SqliteFault::of(&source) {
        SqliteFault::Damaged => RegisterError::Damaged { path, reason: source.to_string() },
        _ => RegisterError::Engine { path, action, source },
    }
}
