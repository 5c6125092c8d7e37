//! The web search engines, and how each is queried.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::WebResult;
use super::replies::{Brave, Named, Results, Serper, taken};
use crate::base::text::short_line;
use crate::net::{Auth, HttpClient, HttpOptions, JsonPost, NetError, Response, Retry, Secret, shown_url, with_retry};

/// A web search engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A SearXNG instance; free, on one's own machine.
    Searxng,
    /// Brave's own index.
    Brave,
    /// Tavily, made for use by programs.
    Tavily,
    /// Google's results through Serper.
    Serper,
}

impl Provider {
    /// All engines, in the order of the settings.
    pub const ALL: [Provider; 4] = [Provider::Searxng, Provider::Brave, Provider::Tavily, Provider::Serper];

    /// The name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Provider::Searxng => "searxng",
            Provider::Brave => "brave",
            Provider::Tavily => "tavily",
            Provider::Serper => "serper",
        }
    }

    /// The base URL of its API; `None` for one that users host themselves.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Provider::Searxng => None,
            Provider::Brave => Some("https://api.search.brave.com"),
            Provider::Tavily => Some("https://api.tavily.com"),
            Provider::Serper => Some("https://google.serper.dev"),
        }
    }

    /// The environment variable that usually holds its key; `None` if it needs none.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Provider::Searxng => None,
            Provider::Brave => Some("BRAVE_API_KEY"),
            Provider::Tavily => Some("TAVILY_API_KEY"),
            Provider::Serper => Some("SERPER_API_KEY"),
        }
    }

    fn path(self) -> &'static str {
        match self {
            Provider::Brave => "/res/v1/web/search",
            Provider::Searxng | Provider::Tavily | Provider::Serper => "/search",
        }
    }
}

/// The settings for reaching an engine.
#[derive(Clone, Debug)]
pub struct SearchEngineOptions {
    /// The engine.
    pub provider: Provider,
    /// The base URL, without the path of the API.
    pub base_url: String,
    /// The key, if the engine needs one.
    pub key: Option<Secret>,
    /// The time and size limits.
    pub http: HttpOptions,
    /// How often a request is repeated.
    pub retry: Retry,
}

/// Why an engine returned no pages.
#[derive(Debug, thiserror::Error)]
pub enum SearchEngineError {
    /// The key is wrong, or has no right to search.
    #[error("{provider} refused its key (status {status}): {reason}; check sources.web.api_key_env{hint}")]
    Key {
        /// The engine.
        provider: &'static str,
        /// HTTP status.
        status: u16,
        /// The engine's error message.
        reason: String,
        /// A further hint, with its leading punctuation.
        hint: &'static str,
    },
    /// Too many searches, or the quota of the plan is used up.
    #[error("{provider} allows no more searches now (status {status}): {reason}")]
    Limited {
        /// The engine.
        provider: &'static str,
        /// HTTP status.
        status: u16,
        /// The engine's error message.
        reason: String,
    },
    /// The reply was not a list of pages.
    #[error("{provider} at {url} gave a reply that cannot be read: {reason}; check sources.web.base_url{hint}")]
    Malformed {
        /// The engine.
        provider: &'static str,
        /// The engine's address.
        url: String,
        /// What is wrong.
        reason: String,
        /// A further hint, with its leading punctuation.
        hint: &'static str,
    },
    /// The engine cannot be reached, or failed.
    #[error("{provider} did not answer: {source}")]
    Net {
        /// The engine.
        provider: &'static str,
        /// The network error.
        source: NetError,
    },
}

/// What SearXNG needs beyond its default settings.
const SEARXNG_JSON: &str =
    ", and that `json` is among `search.formats` in the instance's settings.yml: it often is not";
/// The maximum length of a query; engines refuse longer ones.
const MAX_QUERY_CHARS: usize = 380;
/// The maximum number of results; engines return no more at once.
const MAX_RESULTS: usize = 20;

/// A search engine, ready for queries. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SearchEngine {
    client: HttpClient,
    provider: Provider,
    url: String,
    auth: Auth,
    retry: Retry,
}

impl SearchEngine {
    /// Creates the client; makes no request.
    pub fn new(options: SearchEngineOptions) -> Result<Self, NetError> {
        let SearchEngineOptions { provider, base_url, key, http, retry } = options;
        let auth = match (key, provider) {
            (None, _) => Auth::None,
            (Some(key), Provider::Brave) => Auth::Header("x-subscription-token", key),
            (Some(key), Provider::Serper) => Auth::Header("x-api-key", key),
            (Some(key), Provider::Searxng | Provider::Tavily) => Auth::Bearer(key),
        };
        let url = format!("{}{}", base_url.trim_end_matches('/'), provider.path());
        Ok(SearchEngine { client: HttpClient::new(http)?, provider, url, auth, retry })
    }

    /// The engine.
    pub fn provider(&self) -> Provider {
        self.provider
    }

    /// The URL of its API, as shown in messages.
    pub fn shown_url(&self) -> String {
        shown_url(&self.url)
    }

    /// Returns the best pages for a query, at most `most`; none if the engine finds none.
    pub async fn search(&self, query: &str, most: usize) -> Result<Vec<WebResult>, SearchEngineError> {
        let query = short_line(query, MAX_QUERY_CHARS);
        let most = most.clamp(1, MAX_RESULTS);
        let count = most.to_string();
        match self.provider {
            Provider::Searxng => self.get::<Results>(&[("q", &query), ("format", "json")], most).await,
            Provider::Brave => {
                // Its other kinds of results, such as videos, are not pages to read.
                self.get::<Brave>(&[("q", &query), ("count", &count), ("result_filter", "web")], most).await
            }
            Provider::Tavily => {
                let body = TavilyQuery { query: &query, max_results: most, search_depth: "basic" };
                self.post::<Results>(&body, most).await
            }
            Provider::Serper => self.post::<Serper>(&SerperQuery { q: &query, num: most }, most).await,
        }
    }

    async fn get<R: Named + DeserializeOwned>(
        &self,
        parameters: &[(&str, &str)],
        most: usize,
    ) -> Result<Vec<WebResult>, SearchEngineError> {
        self.pages::<R, _>(most, || self.client.get_with(&self.url, parameters, &self.auth)).await
    }

    async fn post<R: Named + DeserializeOwned>(
        &self,
        body: &(impl Serialize + Sync),
        most: usize,
    ) -> Result<Vec<WebResult>, SearchEngineError> {
        let post = || JsonPost { url: &self.url, auth: &self.auth, accept: "application/json", body };
        self.pages::<R, _>(most, || self.client.post_json(post())).await
    }

    async fn pages<R: Named + DeserializeOwned, F: Future<Output = Result<Response, NetError>>>(
        &self,
        most: usize,
        send: impl Fn() -> F,
    ) -> Result<Vec<WebResult>, SearchEngineError> {
        let once = || async { send().await?.json::<R>().await };
        let reply = with_retry(self.retry.backoff(0), once).await;
        let pages = reply.map_err(|(error, _)| self.failed(error))?.pages();
        Ok(taken(pages.map_err(|reason| self.malformed(reason))?, most))
    }

    fn failed(&self, error: NetError) -> SearchEngineError {
        let provider = self.provider.name();
        let hint = self.hint();
        match error {
            NetError::Status { status: status @ (401 | 403), body, .. } => {
                SearchEngineError::Key { provider, status, reason: first_words(&body), hint }
            }
            // Brave's reply to an unknown key.
            NetError::Status { status: 422, body, .. } if body.contains("SUBSCRIPTION_TOKEN_INVALID") => {
                SearchEngineError::Key { provider, status: 422, reason: first_words(&body), hint }
            }
            // Tavily's 432 and 433: the limits of the plan and of paid use beyond it.
            NetError::Status { status: status @ (402 | 429 | 432 | 433), body, .. } => {
                SearchEngineError::Limited { provider, status, reason: first_words(&body) }
            }
            NetError::Malformed { reason, .. } => self.malformed(reason),
            source => SearchEngineError::Net { provider, source },
        }
    }

    fn malformed(&self, reason: String) -> SearchEngineError {
        let reason = first_words(&reason);
        SearchEngineError::Malformed {
            provider: self.provider.name(),
            url: self.shown_url(),
            reason,
            hint: self.hint(),
        }
    }

    fn hint(&self) -> &'static str {
        if self.provider == Provider::Searxng { SEARXNG_JSON } else { "" }
    }
}

#[derive(Serialize)]
struct TavilyQuery<'q> {
    query: &'q str,
    max_results: usize,
    search_depth: &'static str,
}

#[derive(Serialize)]
struct SerperQuery<'q> {
    q: &'q str,
    num: usize,
}

fn first_words(text: &str) -> String {
    short_line(text, 200)
}
