use std::path::PathBuf;

use crate::net::shown_url;
use crate::net::web::WebError;

/// What ends a crawl, or keeps it from beginning. What goes wrong with single pages is in its summary.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// What is asked for is no URL.
    #[error("cannot crawl `{}`: {reason}", shown_url(.url))]
    BadUrl {
        /// As asked.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern that cannot be read.
    #[error("bad pattern `{pattern}`: {source}")]
    Pattern {
        /// As asked.
        pattern: String,
        /// What is wrong with it.
        source: globset::Error,
    },
    /// The client cannot be made, or the network is not to be used.
    #[error(transparent)]
    Web(#[from] WebError),
    /// What is kept of a crawl cannot be read or written.
    #[error("cannot keep the state of the crawl in {}: {source}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What the database said.
        source: rusqlite::Error,
    },
    /// The state was written by a newer program.
    #[error("{} has format {found}, and this program knows {known}: use a newer deepsearch, or remove the file", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// A thread ended without a result.
    #[error("a worker of the crawl failed while {action}: {source}")]
    Worker {
        /// What it did.
        action: &'static str,
        /// What the runtime said.
        source: tokio::task::JoinError,
    },
}
