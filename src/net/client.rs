//! Requests to endpoints that the user names. Pages that anybody may have written are fetched by `web`.

use std::sync::Once;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::shown_url;
use super::{Awaited, EventStream, NetError, Secret, parse_retry_after};
use crate::base::causes;
use crate::base::text::excerpt;

/// The name with which this program identifies itself.
pub(super) const USER_AGENT: &str = concat!("deepsearch/", env!("CARGO_PKG_VERSION"));

/// How long to wait, and how much to accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait from a request to the head of its reply.
    pub first_byte_timeout: Duration,
    /// Longest wait between two pieces of a reply.
    pub idle_timeout: Duration,
    /// Longest reply that is accepted, in bytes, after decompression.
    pub max_body_bytes: usize,
    /// Whether every request, even to this machine's own addresses, is refused before a connection is opened.
    pub offline: bool,
}

impl Default for HttpOptions {
    fn default() -> Self {
        HttpOptions {
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(120),
            idle_timeout: Duration::from_secs(60),
            max_body_bytes: 64 * 1024 * 1024,
            offline: false,
        }
    }
}

/// How a request sends its key.
#[derive(Clone, Debug)]
pub enum Auth {
    /// Without a key.
    None,
    /// `Authorization: Bearer …`.
    Bearer(Secret),
    /// A header of its own, for example `api-key`.
    Header(&'static str, Secret),
}

impl Auth {
    fn secret(&self) -> Option<&Secret> {
        match self {
            Auth::None => None,
            Auth::Bearer(secret) | Auth::Header(_, secret) => Some(secret),
        }
    }

    /// Returns `said`, which a server said, with every occurrence of the key blanked out: servers quote what they were
    /// sent. Whatever a server says passes through here, whole, before it becomes the text of an error.
    pub fn blank(&self, said: &str) -> String {
        self.secret().map_or_else(|| said.to_owned(), |secret| secret.blank(said))
    }
}

/// A request that sends JSON.
#[derive(Clone, Copy, Debug)]
pub struct JsonPost<'a, B> {
    /// The URL that it is sent to.
    pub url: &'a str,
    /// The key.
    pub auth: &'a Auth,
    /// The type of reply asked for, as in the `Accept` header.
    pub accept: &'a str,
    /// The value that is sent as JSON.
    pub body: &'a B,
}

/// Sends requests. Cheap to clone; clones share their connections.
///
/// Redirects are not followed: a key must not travel to another host, and a crawler must check each address first.
/// Proxies are taken from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
#[derive(Clone, Debug)]
pub struct HttpClient {
    client: reqwest::Client,
    options: HttpOptions,
}

impl HttpClient {
    /// Creates a client without connections; they are opened on demand and kept.
    pub fn new(options: HttpOptions) -> Result<Self, NetError> {
        install_tls();
        let client = reqwest::Client::builder()
            .connect_timeout(options.connect_timeout)
            .user_agent(USER_AGENT)
            .redirect(reqwest::redirect::Policy::none())
            // The library's own retries would escape the attempts that the callers count and charge.
            .retry(reqwest::retry::never())
            .build()
            .map_err(|error| NetError::Setup { reason: with_sources(&error) })?;
        Ok(HttpClient { client, options })
    }

    /// Sends JSON; returns the reply once its head has come with a status of success.
    pub async fn post_json<B: Serialize + Sync>(&self, post: JsonPost<'_, B>) -> Result<Response, NetError> {
        let request = self.client.post(post.url).header("accept", post.accept).json(post.body);
        self.send(post.url, post.auth, request).await
    }

    /// Requests a page or a resource.
    pub async fn get(&self, url: &str, auth: &Auth) -> Result<Response, NetError> {
        self.send(url, auth, self.client.get(url)).await
    }

    /// Like [`Self::get`], with parameters, encoded as in forms.
    pub async fn get_with(&self, url: &str, parameters: &[(&str, &str)], auth: &Auth) -> Result<Response, NetError> {
        let with = reqwest::Url::parse_with_params(url, parameters)
            .map_err(|error| NetError::Request { url: shown_url(url), reason: error.to_string() })?;
        self.send(url, auth, self.client.get(with).header("accept", "application/json")).await
    }

    async fn send(&self, url: &str, auth: &Auth, request: reqwest::RequestBuilder) -> Result<Response, NetError> {
        let shown = shown_url(url);
        if self.options.offline {
            return Err(NetError::Offline { url: shown });
        }
        let request = match auth {
            Auth::None => request,
            Auth::Bearer(secret) => request.bearer_auth(secret.expose()),
            Auth::Header(name, secret) => {
                let mut value = reqwest::header::HeaderValue::from_str(secret.expose()).map_err(|_| {
                    NetError::Request { url: shown.clone(), reason: "the key cannot stand in a header".to_owned() }
                })?;
                value.set_sensitive(true);
                request.header(*name, value)
            }
        };
        let sent = within(&shown, Awaited::FirstByte, self.options.first_byte_timeout, request.send()).await?;
        let sent = sent.map_err(|error| sending_failed(&shown, error))?;
        let response = Response {
            status: sent.status().as_u16(),
            content_type: header(&sent, "content-type").unwrap_or_default().to_ascii_lowercase(),
            idle_timeout: self.options.idle_timeout,
            limit: self.options.max_body_bytes,
            url: shown,
            auth: auth.clone(),
            taken: 0,
            inner: sent,
        };
        match response.status {
            200..=299 => Ok(response),
            _ => Err(response.into_status_error().await),
        }
    }
}

/// A reply whose head has come. Its body is read within the client's limits.
#[derive(Debug)]
pub struct Response {
    url: String,
    status: u16,
    content_type: String,
    idle_timeout: Duration,
    limit: usize,
    taken: usize,
    /// The key that was sent, which no error may show.
    auth: Auth,
    inner: reqwest::Response,
}

impl Response {
    /// Returns the HTTP status, 200 to 299.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the `Content-Type` header in lower case, with its parameters; empty if there is none.
    pub fn content_type(&self) -> &str {
        &self.content_type
    }

    /// Returns the whole body.
    pub async fn bytes(mut self) -> Result<Vec<u8>, NetError> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece().await? {
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// Returns the whole body as a JSON value.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, NetError> {
        let (url, auth) = (self.url.clone(), self.auth.clone());
        let body = self.bytes().await?;
        serde_json::from_slice(&body)
            .map_err(|error| NetError::Malformed { url, reason: misread(&error, &body, &auth) })
    }

    /// Returns the body as server-sent events.
    pub fn events(self) -> EventStream {
        EventStream::new(self)
    }

    /// Returns the URL as messages show it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the next piece of the body; `None` at its end.
    pub(super) async fn piece(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        let Some(piece) = next_piece(&self.url, &mut self.inner, self.idle_timeout).await? else { return Ok(None) };
        self.taken = self.taken.saturating_add(piece.len());
        if self.taken > self.limit {
            return Err(NetError::TooLarge { url: self.url.clone(), limit: self.limit });
        }
        Ok(Some(piece))
    }

    async fn into_status_error(mut self) -> NetError {
        const MOST_BYTES: usize = 64 * 1024;
        const SHOWN_CHARS: usize = 2000;
        let retry_after =
            header(&self.inner, "retry-after").and_then(|value| parse_retry_after(value, SystemTime::now()));
        let location = header(&self.inner, "location").map(shown_url);
        let mut body = Vec::new();
        // The status is what matters; a body that breaks off or is too long is shown as far as it came.
        while let Ok(Some(piece)) = self.piece().await {
            body.extend_from_slice(&piece);
            if body.len() >= MOST_BYTES {
                break;
            }
        }
        let text = String::from_utf8_lossy(&body);
        let blanked = self.auth.blank(&text);
        let mut shown = excerpt(blanked.trim(), SHOWN_CHARS).into_owned();
        if let Some(location) = location {
            shown = format!("redirect to {location} not followed. {shown}");
        }
        if shown.is_empty() {
            shown.push_str("(no further words)");
        }
        NetError::Status { url: self.url, status: self.status, retry_after, body: shown }
    }
}

/// Says why `said`, which a server said, cannot be read, and shows its beginning.
pub fn misread(error: &serde_json::Error, said: &[u8], auth: &Auth) -> String {
    let shown = auth.blank(&String::from_utf8_lossy(said));
    // The error may quote a string of what was said.
    format!("{} in {}", auth.blank(&error.to_string()), excerpt(&shown, 200))
}

/// Returns the result of `waited`, unless it takes longer than `after`.
pub(super) async fn within<T>(
    url: &str,
    awaited: Awaited,
    after: Duration,
    waited: impl Future<Output = T>,
) -> Result<T, NetError> {
    let elapsed = |_| NetError::Timeout { url: url.to_owned(), awaited, after };
    tokio::time::timeout(after, waited).await.map_err(elapsed)
}

/// Returns the next piece of a body, decompressed; `None` at its end.
pub(super) async fn next_piece(
    url: &str,
    reply: &mut reqwest::Response,
    idle: Duration,
) -> Result<Option<Vec<u8>>, NetError> {
    let interrupted =
        |error: reqwest::Error| NetError::Interrupted { url: url.to_owned(), reason: with_sources(&error) };
    let piece = within(url, Awaited::FurtherByte, idle, reply.chunk()).await?.map_err(interrupted)?;
    Ok(piece.map(Into::into))
}

pub(super) fn header<'a>(response: &'a reqwest::Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

pub(super) fn sending_failed(url: &str, error: reqwest::Error) -> NetError {
    let url = url.to_owned();
    let is_builder = error.is_builder();
    let is_connect = error.is_connect();
    let reason = with_sources(&error.without_url());
    if is_builder {
        NetError::Request { url, reason }
    } else if is_connect {
        NetError::Connect { url, reason }
    } else {
        NetError::Interrupted { url, reason }
    }
}

/// Joins an error with its sources, which hold the system's message. The URL is left out, since it may hold a key.
pub(super) fn with_sources(error: &reqwest::Error) -> String {
    let mut text = String::new();
    for cause in causes(error) {
        let words = cause.to_string();
        if !text.ends_with(&words) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&words);
        }
    }
    if text.is_empty() { "the request failed".to_owned() } else { text }
}

/// Selects ring as the TLS provider, once per process. A provider that was installed before stays.
pub(super) fn install_tls() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider().install_default().is_err() {
            tracing::debug!("a TLS provider was installed before");
        }
    });
}

#[cfg(test)]
mod tests;
