//! The interfaces over HTTP: the one that OpenAI clients speak, the program's own, and the Model Context Protocol.

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
    /// Where browsers reach it, as in `https://search.example.org`; links lead there.
    pub public_url: Option<url::Url>,
    /// Further names in the `Host` header that it answers to.
    pub hosts: Vec<String>,
    /// Web origins whose pages may use it, as in `https://chat.example.org`.
    pub origins: Vec<String>,
    /// Folder from which clients may load.
    pub load_from: Option<PathBuf>,
    /// The certificate; `None`: it speaks plain HTTP.
    pub tls: Option<Tls>,
}

impl HttpOptions {
    /// Its address as a URL, without a slash at the end.
    pub fn address(&self) -> String {
        format!("{}://{}", self.scheme(), self.listen)
    }

    /// What its links begin with: as [`Self::address`], in a form that a browser can open.
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

/// What every handler has.
#[derive(Clone)]
struct Server(Arc<Parts>);

struct Parts {
    library: Library,
    desk: Arc<Desk>,
    guarded: Guarded,
    metrics: Metrics,
    /// Begins every link into the page.
    base: String,
    /// Cancelled when the server stops.
    stop: CancellationToken,
}
