//! What can go wrong with a request, and whether it is worth another try. No error holds a header or a key.

use std::time::Duration;

/// What a server that has received a request has yet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The beginning of a reply.
    FirstByte,
    /// More of a reply that has begun.
    FurtherByte,
    /// The whole reply.
    WholeReply,
}

impl std::fmt::Display for Awaited {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Awaited::FirstByte => "first byte",
            Awaited::FurtherByte => "further byte",
            Awaited::WholeReply => "whole reply",
        })
    }
}

/// What can go wrong with a request. No variant holds a header or a key, and URLs are shown without query and user.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The client itself cannot be built.
    #[error("cannot set up the HTTP client: {reason}")]
    Setup {
        /// What is wrong with the TLS or proxy settings.
        reason: String,
    },
    /// The request cannot be formed.
    #[error("cannot form a request to {url}: {reason}; check the URL and the key in the config")]
    Request {
        /// The URL as configured.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The program is offline, so no request is made over a network.
    #[error("{url} was not asked, since the program is offline (net.offline or --offline)")]
    Offline {
        /// The endpoint.
        url: String,
    },
    /// No connection could be made.
    #[error("cannot connect to {url}: {reason}")]
    Connect {
        /// The endpoint.
        url: String,
        /// The system's error.
        reason: String,
    },
    /// A wait took too long.
    #[error("{url} gave no {awaited} for {} s", after.as_secs_f64())]
    Timeout {
        /// The endpoint.
        url: String,
        /// The part of the reply that was awaited.
        awaited: Awaited,
        /// How long it was awaited.
        after: Duration,
    },
    /// The connection broke before the reply was complete.
    #[error("the reply of {url} broke off: {reason}")]
    Interrupted {
        /// The endpoint.
        url: String,
        /// How it broke.
        reason: String,
    },
    /// The reply is longer than the limit.
    #[error("the reply of {url} is longer than the limit of {limit} bytes")]
    TooLarge {
        /// The endpoint.
        url: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The server answered with a status that does not mean success.
    #[error("{url} answered with status {status}: {body}")]
    Status {
        /// The endpoint.
        url: String,
        /// HTTP status.
        status: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// The beginning of the body, with keys blanked out.
        body: String,
    },
    /// The reply is not what its type promises.
    #[error("cannot read the reply of {url}: {reason}")]
    Malformed {
        /// The endpoint.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl NetError {
    /// Whether the same request may succeed later: connection faults, timeouts, and status 408, 409, 429 and 5xx except
    /// 501, which says that the server cannot serve such a request at all.
    pub fn is_transient(&self) -> bool {
        match self {
            NetError::Connect { .. } | NetError::Timeout { .. } | NetError::Interrupted { .. } => true,
            NetError::Status { status, .. } => matches!(status, 408 | 409 | 429 | 500 | 502..=599),
            NetError::Setup { .. }
            | NetError::Request { .. }
            | NetError::Offline { .. }
            | NetError::TooLarge { .. }
            | NetError::Malformed { .. } => false,
        }
    }

    /// Returns what the server had yet to send when the wait timed out.
    pub fn awaited(&self) -> Option<Awaited> {
        match self {
            NetError::Timeout { awaited, .. } => Some(*awaited),
            _ => None,
        }
    }

    /// Returns how long the server asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            NetError::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// Returns a URL as messages show it: without user, password, query and fragment, any of which may hold a key.
pub fn shown_url(url: &str) -> String {
    let bare = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let Some((scheme, rest)) = bare.split_once("://") else { return bare.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_url_holds_nothing_that_may_be_a_key() {
        let check = |url: &str, expected: &str| assert_eq!(shown_url(url), expected);
        check("https://api.example/v1/chat", "https://api.example/v1/chat");
        check("https://user:pass@api.example/v1?key=abc#x", "https://api.example/v1");
        check("https://api.example?key=a/b@c", "https://api.example");
        check("https://api.example/a@b", "https://api.example/a@b");
        check("no url@all?x", "no url@all");
        check("https://p:q@r@host", "https://host");
    }
}
