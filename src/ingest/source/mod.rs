//! Where documents come from: files, archives of files, and the web.

pub mod archive;
pub mod files;
mod glob;
mod media;
mod missing;
pub mod search_engine;
pub mod web;

use std::path::PathBuf;

/// What is wrong with the places that a load was asked to read. Nothing has been stored when it comes.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path is not there.
    #[error("there is no file or folder `{path}`{}", missing::hint(.path, .folder, .nearest))]
    Missing {
        /// As asked.
        path: PathBuf,
        /// The innermost folder of it that exists.
        folder: PathBuf,
        /// Names in that folder that are like the one asked for, nearest first.
        nearest: Vec<String>,
    },
    /// The folders hold no files, or the pattern matches none.
    #[error(
        "nothing to load in {path}: no files in it (hidden files, media files and what `.gitignore` or \
         `.deepsearchignore` name are left out)"
    )]
    Empty {
        /// All that was asked for.
        path: String,
    },
    /// A pattern that cannot be read.
    #[error("bad pattern `{pattern}`: {source}")]
    Pattern {
        /// As asked.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// The path is there and cannot be looked at.
    #[error("cannot open `{path}`: {source}")]
    Unreadable {
        /// As asked.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The same standard input cannot be two documents, and without content it is none.
    #[error("`-` stands for one document on standard input, and none was given")]
    NoStdin,
}
