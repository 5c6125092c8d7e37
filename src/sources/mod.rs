//! Resolves paths, URLs and search engine names to files in folders and pages of the web.
//!
//! A source finds and fetches documents. [`crate::documents`] interprets the bytes, and `ingest` decides what is kept.

pub mod files;
mod glob;
mod missing;
pub mod search_engine;
pub mod web;
mod web_search;

use std::path::PathBuf;

use serde::Serialize;

pub use web_search::{KnownPages, WebRound, WebSearch, WebSearchOptions};

/// A problem with the places that a load was asked to read. Nothing has been stored when it occurs.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path does not exist.
    #[error("there is no file or folder `{path}`{}", missing::hint(.path, .folder, .nearest))]
    Missing {
        /// The path as requested.
        path: PathBuf,
        /// The innermost existing folder of the path.
        folder: PathBuf,
        /// Names in that folder that are similar to the requested one, nearest first.
        nearest: Vec<String>,
    },
    /// The folders hold no files, or the pattern matches none.
    #[error(
        "nothing to load in {path}: no files in it that are read (left out are hidden files, pictures, sound, films, \
         programs, archives other than zip, tar, gz and zst, and what `.gitignore` or `.deepsearchignore` name)"
    )]
    Empty {
        /// All requested places.
        path: String,
    },
    /// The pattern is invalid.
    #[error("bad pattern `{pattern}`: {source}")]
    Pattern {
        /// The pattern as requested.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// The path exists but cannot be opened.
    #[error("cannot open `{path}`: {source}")]
    Unreadable {
        /// The path as requested.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// Standard input (`-`) was named, but none was given.
    #[error("`-` stands for one document on standard input, and none was given")]
    NoStdin,
}

/// A file that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Its path.
    pub path: String,
    /// Why it could not be loaded, and what can be done about it, if anything.
    pub reason: String,
}
