use std::time::Duration;

use super::super::NetError;
use crate::base::CommandError;

/// Why a page was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The network is not to be used.
    #[error("{url} is not fetched: the program is told to stay offline")]
    Offline {
        /// The page.
        url: String,
    },
    /// No URL of a web page.
    #[error("cannot fetch `{url}`: {reason}")]
    BadUrl {
        /// As it came.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The host is not on the public Internet.
    #[error(
        "{url} is refused: {address} is a {kind} address; name it in `crawl.allow_addresses` if it is one of your own"
    )]
    Refused {
        /// The page.
        url: String,
        /// Where it is.
        address: String,
        /// What kind of address that is.
        kind: &'static str,
    },
    /// The page is elsewhere, and elsewhere, and elsewhere.
    #[error("{url} is redirected more than {limit} times")]
    TooManyRedirects {
        /// Where it began.
        url: String,
        /// The limit.
        limit: usize,
    },
    /// The page takes too long, however steadily it drips.
    #[error("{url} was not there whole within {} s", after.as_secs_f64())]
    TooSlow {
        /// The page.
        url: String,
        /// The limit.
        after: Duration,
    },
    /// The program that renders pages failed on it.
    #[error("{url} was not rendered: {source}")]
    Render {
        /// The page.
        url: String,
        /// How.
        source: CommandError,
    },
    /// The thread stopped that waited for the program that renders pages.
    #[error("{url} was not rendered: {reason}")]
    RenderStopped {
        /// The page.
        url: String,
        /// How.
        reason: String,
    },
    /// As with every other request.
    #[error(transparent)]
    Net(#[from] NetError),
}

impl WebError {
    /// The status that the server gave, where it gave one.
    pub fn status(&self) -> Option<u16> {
        match self {
            WebError::Net(NetError::Status { status, .. }) => Some(*status),
            _ => None,
        }
    }

    /// How long the server asks to wait, where it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            WebError::Net(error) => error.retry_after(),
            _ => None,
        }
    }
}
