//! What a path, a URL or the name of a search engine stands for: files in folders, pages of the web.
//!
//! A source finds and fetches; it stores no documents. What the bytes say is for [`crate::documents`], what is kept for
//! `ingest`.

pub mod files;
mod glob;
mod missing;
pub mod search_engine;
pub mod web;
mod web_search;

use std::path::PathBuf;

use serde::Serialize;

pub use web_search::{Earlier, Gathered, WebSearch, WebSearchOptions};

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
        "nothing to load in {path}: no files in it that are read (left out are hidden files, pictures, sound, films, \
         programs, archives other than zip, tar, gz and zst, and what `.gitignore` or `.deepsearchignore` name)"
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

/// A file that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Its path.
    pub path: String,
    /// Why, and what to do where something can be done.
    pub reason: String,
}
