use std::path::{Path, PathBuf};

use crate::base::SqliteFault;

/// What goes wrong with the file of the sources.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// It was written by a newer version of this program.
    #[error("{path} has format {found}, and this version reads formats up to {known}")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that this program reads.
        known: u32,
    },
    /// It does not hold what it should.
    #[error("{path} is damaged: {reason}; delete it and load your folders by name once more")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The folder of the file cannot be made.
    #[error("cannot make the folder {path} for the list of sources: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Whether there is a list cannot be seen.
    #[error("cannot read the list of sources {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The engine failed.
    #[error("the list of sources {path} failed while {action}: {source}")]
    Engine {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the engine said.
        source: rusqlite::Error,
    },
    /// The thread that worked on it ended without a result.
    #[error("the work on the list of sources stopped: {0}")]
    Stopped(#[source] tokio::task::JoinError),
}

/// An error of SQLite, on the file `path`.
pub(super) fn sqlite_error(path: &Path, action: &'static str, source: rusqlite::Error) -> RegisterError {
    let path = path.to_owned();
    match SqliteFault::of(&source) {
        SqliteFault::Damaged => RegisterError::Damaged { path, reason: source.to_string() },
        _ => RegisterError::Engine { path, action, source },
    }
}
