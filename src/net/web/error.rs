use std::time::Duration;

use super::super::NetError;
use crate::base::CommandError;

/// Why a page was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The network must not be used.
    #[error("{url} is not fetched: the program is told to stay offline")]
    Offline {
        /// The page.
        url: String,
    },
    /// Not the URL of a web page.
    #[error("cannot fetch `{url}`: {reason}")]
    BadUrl {
        /// The URL as given.
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
        /// The address of the host.
        address: String,
        /// The kind of address.
        kind: &'static str,
    },
    /// The page has too many redirects.
    #[error("{url} is redirected more than {limit} times")]
    TooManyRedirects {
        /// The first URL.
        url: String,
        /// The limit.
        limit: usize,
    },
    /// The page takes too long, even if it keeps arriving.
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
        /// The failure of the program.
        source: CommandError,
    },
    /// The thread that waited for the program that renders pages stopped.
    #[error("{url} was not rendered: {reason}")]
    RenderStopped {
        /// The page.
        url: String,
        /// Why it stopped.
        reason: String,
    },
    /// An error that any request may have.
    #[error(transparent)]
    Net(#[from] NetError),
}

impl WebError {
    /// Returns the status that the server gave, if any.
    pub fn status(&self) -> Option<u16> {
        match self {
            WebError::Net(NetError::Status { status, .. }) => Some(*status),
            _ => None,
        }
    }

    /// Returns how long the server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            WebError::Net(error) => error.retry_after(),
            _ => None,
        }
    }
}
