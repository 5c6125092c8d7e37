use std::path::PathBuf;

use crate::net::shown_url;
use crate::net::web::WebError;

/// An error that ends a crawl, or prevents it from starting. Failures of single pages are in its report.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The start is not a valid URL.
    #[error("cannot crawl `{}`: {reason}", shown_url(.url))]
    BadUrl {
        /// The URL as requested.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The pattern is invalid.
    #[error("bad pattern `{pattern}`: {source}")]
    Pattern {
        /// The pattern as requested.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// The client cannot be created, or network access is not allowed.
    #[error(transparent)]
    Web(#[from] WebError),
    /// The stored state of a crawl cannot be read or written.
    #[error("cannot keep the state of the crawl in {}: {source}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        source: rusqlite::Error,
    },
    /// The state was written by a newer version of the program.
    #[error("{} has format {found}, and this program knows {known}: use a newer deepsearch, or remove the file", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest known version.
        known: u32,
    },
    /// A thread ended without a result.
    #[error("a worker of the crawl failed while {action}: {source}")]
    Worker {
        /// What the thread was doing.
        action: &'static str,
        /// The error of the runtime.
        source: tokio::task::JoinError,
    },
}
