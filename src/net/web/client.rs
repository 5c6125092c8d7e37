//! Fetches pages from untrusted URLs: every address is checked before it is connected to.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use reqwest::StatusCode;
use url::{Host, Url};

use super::super::client::{USER_AGENT, header, install_tls, next_piece, with_sources, within};
use super::super::{Awaited, NetError, Retry, parse_retry_after, shown_url};
use super::render::Renderer;
use super::resolver::{GuardedResolver, RefusedAddress};
use super::{AllowedAddresses, WebError};
use crate::base::{Clock, ContentHash, causes};

/// The accepted content types, most wanted first.
const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5";
/// The longest URL that is requested; servers refuse longer ones.
const LONGEST_URL: usize = 4096;

/// How pages are fetched, and within which limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebOptions {
    /// The name by which this program identifies itself.
    pub user_agent: String,
    /// Destinations that may be reached although they are not on the public Internet.
    pub allowed: AllowedAddresses,
    /// The largest accepted page, in bytes, after decompression.
    pub max_body_bytes: usize,
    /// The most redirects followed from one URL.
    pub max_redirects: usize,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait for the head of the reply, and between two pieces of it.
    pub idle_timeout: Duration,
    /// Longest time for one attempt at one page, without redirects.
    pub total_timeout: Duration,
    /// When to try again.
    pub retry: Retry,
    /// Whether fetching is disabled.
    pub offline: bool,
    /// A program that runs the scripts of a page, and its arguments, one of which holds `{url}`; empty for none.
    pub render: Vec<String>,
    /// Longest time that this program may take for one page.
    pub render_timeout: Duration,
    /// Environment variables that hold keys, which are withheld from this program.
    pub secret_variables: Vec<String>,
}

impl Default for WebOptions {
    fn default() -> Self {
        WebOptions {
            user_agent: USER_AGENT.to_owned(),
            allowed: AllowedAddresses::default(),
            max_body_bytes: 32 << 20,
            max_redirects: 5,
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(60),
            retry: Retry { attempts: 3, ..Retry::default() },
            offline: false,
            render: Vec::new(),
            render_timeout: Duration::from_secs(60),
            secret_variables: Vec::new(),
        }
    }
}

/// The validators that a server sent with a page, so that it need not send an unchanged page again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The page's `ETag`.
    pub etag: Option<String>,
    /// The page's `Last-Modified`.
    pub last_modified: Option<String>,
}

/// A page as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The URL it came from, after redirects.
    pub url: Url,
    /// The status: 200 to 299, or 304.
    pub status: u16,
    /// The `Content-Type` header in lower case, parameters included; empty where there is none.
    pub content_type: String,
    /// The validators to send when the page is requested again.
    pub validators: Conditions,
    /// The `X-Robots-Tag` headers.
    pub robots: Vec<String>,
    /// The decompressed body; empty if the page is unchanged.
    pub body: Vec<u8>,
    /// When the page was received.
    pub at: Timestamp,
}

impl Fetched {
    /// Returns a copy without the body, which may be long.
    pub fn clone_head(&self) -> Self {
        let Fetched { url, status, content_type, validators, robots, at, body: _ } = self;
        Fetched {
            url: url.clone(),
            status: *status,
            content_type: content_type.clone(),
            validators: validators.clone(),
            robots: robots.clone(),
            body: Vec::new(),
            at: *at,
        }
    }

    /// Whether the server says that the page is unchanged.
    pub fn is_unchanged(&self) -> bool {
        self.status == StatusCode::NOT_MODIFIED.as_u16()
    }
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hop {
    /// The page.
    Fetched(Fetched),
    /// The page is at this URL. The caller decides whether to follow; the URL will be checked like any other.
    Redirect(Url),
}

/// Fetches pages. Cheap to clone; clones share their connections.
#[derive(Clone, Debug)]
pub struct WebClient {
    client: reqwest::Client,
    renderer: Option<Renderer>,
    options: Arc<WebOptions>,
    clock: Clock,
}

impl WebClient {
    /// Creates a client without connections. `clock` tells when a page was received.
    pub fn new(options: WebOptions, clock: Clock) -> Result<Self, WebError> {
        install_tls();
        let resolver = GuardedResolver { allowed: options.allowed.clone() };
        let client = reqwest::Client::builder()
            .no_proxy()
            .dns_resolver(Arc::new(resolver))
            .connect_timeout(options.connect_timeout)
            .user_agent(options.user_agent.clone())
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .build()
            .map_err(|error| NetError::Setup { reason: with_sources(&error) })?;
        let renderer = Renderer::new(&options.render, &options.secret_variables, options.render_timeout);
        Ok(WebClient { client, renderer, options: Arc::new(options), clock })
    }

    /// The settings in force.
    pub fn options(&self) -> &WebOptions {
        &self.options
    }

    /// Fetches a page, following redirects; each address is checked before it is requested.
    pub async fn get(&self, url: &str, conditions: &Conditions) -> Result<Fetched, WebError> {
        let mut at = parse(url)?;
        for _ in 0..=self.options.max_redirects {
            match self.hop(&at, conditions).await? {
                Hop::Fetched(page) => return Ok(page),
                Hop::Redirect(to) => at = to,
            }
        }
        Err(WebError::TooManyRedirects { url: shown_url(url), limit: self.options.max_redirects })
    }

    /// Returns a page that was fetched, and its address checked, before, as it is once its scripts have run: HTML in
    /// UTF-8, unless it is of another kind. `None` if no program is configured that runs them; see [`Renderer`] for
    /// what is not checked.
    pub async fn rendered(&self, page: &Fetched) -> Result<Option<Fetched>, WebError> {
        self.check(&page.url)?;
        let Some(renderer) = &self.renderer else { return Ok(None) };
        let body = renderer.render(&page.url, self.options.max_body_bytes).await?;
        let mut rendered = Fetched { body, ..page.clone_head() };
        if rendered.content_type.contains("html") {
            rendered.content_type = "text/html; charset=utf-8".to_owned();
        }
        Ok(Some(rendered))
    }

    /// Requests one URL, with retries where they may help, and follows no redirect.
    pub async fn hop(&self, url: &Url, conditions: &Conditions) -> Result<Hop, WebError> {
        self.check(url)?;
        let hash = ContentHash::of(url.as_str().as_bytes());
        let salt = hash.as_bytes().iter().fold(0_u64, |salt, &byte| (salt << 7) ^ u64::from(byte) ^ (salt >> 57));
        let mut backoff = self.options.retry.backoff(salt);
        loop {
            let error = match self.attempt(url, conditions).await {
                Err(WebError::Net(error)) => error,
                other => return other,
            };
            // If a server asks for a longer wait than our limit, it is not asked again: an earlier retry would be
            // against its wish.
            let waits_too_long = error.retry_after().is_some_and(|wait| wait > self.options.retry.max_retry_after);
            match backoff.next_wait(&error).filter(|_| !waits_too_long) {
                Some(wait) => {
                    tracing::debug!(%error, ?wait, attempt = backoff.attempts(), "fetching again");
                    tokio::time::sleep(wait).await;
                }
                None => return Err(error.into()),
            }
        }
    }

    /// Checks whether a URL may be requested, as far as that can be told without resolving its host name.
    pub fn check(&self, url: &Url) -> Result<(), WebError> {
        let shown = || shown_url(url.as_str());
        let bad = |reason: &str| WebError::BadUrl { url: shown(), reason: reason.to_owned() };
        if self.options.offline {
            return Err(WebError::Offline { url: shown() });
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("only http and https are fetched"));
        }
        if url.as_str().len() > LONGEST_URL {
            return Err(bad("it is longer than servers take"));
        }
        // The connector uses an address in the URL as it is and asks no resolver.
        let address = match url.host() {
            None => return Err(bad("it names no host")),
            Some(Host::Domain(_)) => return Ok(()),
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
        };
        match self.options.allowed.refusal(address) {
            Some(kind) => Err(WebError::Refused { url: shown(), address: address.to_string(), kind }),
            None => Ok(()),
        }
    }

    async fn attempt(&self, url: &Url, conditions: &Conditions) -> Result<Hop, WebError> {
        let after = self.options.total_timeout;
        match tokio::time::timeout(after, self.request(url, conditions)).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(WebError::TooSlow { url: shown_url(url.as_str()), after }),
        }
    }

    async fn request(&self, url: &Url, conditions: &Conditions) -> Result<Hop, WebError> {
        let shown = shown_url(url.as_str());
        let mut request = self.client.get(without_user(url)).header("accept", ACCEPT);
        for (name, value) in [("if-none-match", &conditions.etag), ("if-modified-since", &conditions.last_modified)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let idle = self.options.idle_timeout;
        let sent = within(&shown, Awaited::FirstByte, idle, request.send()).await?;
        let sent = sent.map_err(|error| sending_failed(&shown, error))?;
        let status = sent.status();
        if status.is_redirection()
            && let Some(location) = header(&sent, "location")
        {
            let target = url.join(location.trim()).map_err(|error| WebError::BadUrl {
                url: shown_url(location),
                reason: format!("{shown} redirects to it, and {error}"),
            })?;
            return Ok(Hop::Redirect(target));
        }
        let asked_whether_changed = conditions != &Conditions::default();
        let is_answer = status.is_success() || (status == StatusCode::NOT_MODIFIED && asked_whether_changed);
        if !is_answer {
            let retry_after =
                header(&sent, "retry-after").and_then(|value| parse_retry_after(value, SystemTime::now()));
            let body = status.canonical_reason().unwrap_or("a status of its own").to_owned();
            return Err(NetError::Status { url: shown, status: status.as_u16(), retry_after, body }.into());
        }
        let owned = |name| header(&sent, name).map(str::to_owned);
        let robots = sent.headers().get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok());
        let page = Fetched {
            url: without_user(url),
            status: status.as_u16(),
            content_type: header(&sent, "content-type").unwrap_or_default().to_ascii_lowercase(),
            validators: Conditions { etag: owned("etag"), last_modified: owned("last-modified") },
            robots: robots.map(str::to_owned).collect(),
            body: Vec::new(),
            at: self.clock.now(),
        };
        let body = self.body(&shown, sent).await?;
        Ok(Hop::Fetched(Fetched { body, ..page }))
    }

    async fn body(&self, shown: &str, mut sent: reqwest::Response) -> Result<Vec<u8>, WebError> {
        let (limit, idle) = (self.options.max_body_bytes, self.options.idle_timeout);
        let too_large = || NetError::TooLarge { url: shown.to_owned(), limit };
        if sent.content_length().is_some_and(|length| length > limit as u64) {
            return Err(too_large().into());
        }
        let mut body = Vec::new();
        while let Some(piece) = next_piece(shown, &mut sent, idle).await? {
            // The pieces are already decompressed, so a small reply cannot unpack into a large one.
            if body.len().saturating_add(piece.len()) > limit {
                return Err(too_large().into());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

fn parse(url: &str) -> Result<Url, WebError> {
    Url::parse(url).map_err(|error| WebError::BadUrl { url: shown_url(url), reason: error.to_string() })
}

/// Removes user and password from a URL: a page that links to another one with credentials must not have them sent.
fn without_user(url: &Url) -> Url {
    let mut url = url.clone();
    // Both calls fail only for URLs without a host, which were refused before.
    let taken = url.set_username("").and_then(|()| url.set_password(None));
    debug_assert!(taken.is_ok(), "{url}");
    url
}

/// Distinguishes a refused address from a failed connection.
fn sending_failed(url: &str, error: reqwest::Error) -> WebError {
    if let Some(RefusedAddress { address, kind }) = causes(&error).find_map(|cause| cause.downcast_ref()) {
        return WebError::Refused { url: url.to_owned(), address: address.to_string(), kind };
    }
    super::super::client::sending_failed(url, error).into()
}

#[cfg(test)]
mod tests;
