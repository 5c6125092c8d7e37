//! The interfaces over HTTP: the OpenAI-compatible one, the program's own, and the Model Context Protocol.

mod api;
mod chat;
mod connections;
mod guard;
mod metrics;
mod page;
mod report;
mod responses;
mod routes;
mod stream;
mod tls;
mod tokens;
mod wire;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub use connections::serve;
pub use tls::{Tls, TlsError};
pub use tokens::{TokenError, Tokens};

use super::{Desk, Library};
use guard::Guarded;
use metrics::Metrics;

/// How the server is reached, and what it offers.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The listener's address, with the port that the system may have chosen.
    pub listen: SocketAddr,
    /// The URL at which browsers reach it, as in `https://search.example.org`; the base of links.
    pub public_url: Option<url::Url>,
    /// Further names in the `Host` header that it accepts.
    pub hosts: Vec<String>,
    /// Web origins whose pages may use it, as in `https://chat.example.org`.
    pub origins: Vec<String>,
    /// The folder from which clients may load.
    pub load_from: Option<PathBuf>,
    /// The certificate; `None`: the server uses plain HTTP.
    pub tls: Option<Tls>,
}

impl HttpOptions {
    /// The server's address as a URL, without a trailing slash.
    pub fn address(&self) -> String {
        format!("{}://{}", self.scheme(), self.listen)
    }

    /// The prefix of its links: like [`Self::address`], in a form that a browser can open.
    fn base(&self) -> String {
        match &self.public_url {
            Some(url) => url.as_str().trim_end_matches('/').to_owned(),
            None if self.listen.ip().is_unspecified() => {
                format!("{}://localhost:{}", self.scheme(), self.listen.port())
            }
            None => self.address(),
        }
    }

    fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }
}

/// The state shared by all handlers.
#[derive(Clone)]
struct Server(Arc<Parts>);

struct Parts {
    library: Library,
    desk: Arc<Desk>,
    guarded: Guarded,
    metrics: Metrics,
    /// The prefix of every link into the page.
    base: String,
    /// Cancelled when the server stops.
    stop: CancellationToken,
}
