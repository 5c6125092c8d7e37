//! The web as a source of runs, built from the settings.

use std::sync::Arc;
use std::time::Duration;

use super::application::temporary_folder;
use super::{App, AppError, backends, model, options};
use crate::agent::{OpenPageIndex, PageIndex, WebSource};
use crate::config::{Config, WebSearchProvider};
use crate::domain::{DocumentFilter, WEB};
use crate::net::web::{WebClient, WebOptions};
use crate::net::{HttpOptions, Retry};
use crate::retrieval::{Corpus, RetrievalError};
use crate::sources::WebSearch;
use crate::sources::search_engine::{Provider, SearchEngine, SearchEngineOptions};

/// How requests to an engine are retried; a free plan often allows one search per second.
const ENGINE_RETRY: Retry = Retry {
    attempts: 3,
    base: Duration::from_millis(1500),
    max_wait: Duration::from_secs(5),
    max_retry_after: Duration::from_secs(10),
    seed: 0,
};

/// Where the answer to a question is searched for.
pub(super) struct Scope {
    /// Names of the user's own collections; empty means all, unless the web alone was named.
    pub own: Vec<String>,
    /// Whether only the web was named.
    pub only_web: bool,
    /// The web search, if it may be used.
    pub web: Option<WebSearch>,
    /// Why it may not be used although it is switched on.
    pub warning: Option<String>,
}

impl App {
    /// Builds the web search; `None` if it is switched off. Nothing is asked.
    pub fn web_search(&self) -> Result<Option<WebSearch>, AppError> {
        let web = &self.config().sources.web;
        if !web.enabled {
            return Ok(None);
        }
        self.require_online("the web")?;
        let provider = provider(web.provider);
        let base_url = Config::set_text(&web.base_url);
        let address = base_url.or(provider.base_url()).ok_or_else(|| AppError::MissingSetting {
            provider: provider.name().to_owned(),
            key: "sources.web.base_url",
        })?;
        // As with models, a service's usual key goes to the service's own address alone.
        let usual = provider.key_variable().filter(|_| model::is_own_address(base_url, provider.base_url(), &[]));
        let key = model::key(&web.api_key_env, &web.api_key_file, usual, self.around())?;
        if key.is_none() && (usual.is_some() || Config::set_text(&web.api_key_env).is_some()) {
            let looked_at = Config::set_text(&web.api_key_env).or(usual).unwrap_or_default().to_owned();
            return Err(AppError::NoWebKey { provider: provider.name(), looked_at });
        }
        let engine = SearchEngineOptions {
            provider,
            base_url: address.to_owned(),
            key: key.map(|(key, _source)| key),
            http: HttpOptions {
                first_byte_timeout: Duration::from_secs(web.timeout_s),
                max_body_bytes: 8 << 20,
                ..options::http_options(self.config())
            },
            retry: ENGINE_RETRY,
        };
        let engine = SearchEngine::new(engine).map_err(crate::net::web::WebError::from)?;
        let crawl = options::web_options(self.config())?;
        let max_body_bytes = usize::try_from(web.max_page_mb << 20).unwrap_or(usize::MAX);
        let client = WebClient::new(WebOptions { max_body_bytes, ..crawl }, self.clock()?)?;
        Ok(Some(WebSearch::new(engine, client, options::web_search_options(self.config()))))
    }

    /// Separates the web from the collections of a request. If web search is switched on but cannot be used, that is an
    /// error only if the web was named; otherwise it becomes a warning.
    pub(super) async fn scope(&self, collections: &[String]) -> Result<Scope, AppError> {
        let named = collections.iter().any(|name| name == WEB);
        let has_collection = self.collections().await?.iter().any(|collection| collection.name == WEB);
        let enabled = self.config().sources.web.enabled;
        let (web, warning) = match self.web_search() {
            Ok(Some(_)) if has_collection => return Err(AppError::WebIsCollection),
            Ok(None) if named && !has_collection => return Err(AppError::WebOff),
            Ok(web) => (web, None),
            Err(error) if named => return Err(error),
            Err(error) => (None, Some(format!("the web is not searched: {error}"))),
        };
        let is_own = |name: &&String| !enabled || *name != WEB;
        let own: Vec<String> = collections.iter().filter(is_own).cloned().collect();
        Ok(Scope { only_web: own.is_empty() && named && web.is_some(), own, web, warning })
    }

    /// The web source for runs; its pages are found by the same filter and options as documents.
    pub(super) fn web_source(&self, search: WebSearch, filter: DocumentFilter) -> WebSource {
        let options = options::search_options(&self.config().search);
        let open: OpenPageIndex = Arc::new(move |embedder| {
            let folder = temporary_folder()?;
            let store = backends::open_embedded(folder.path())?;
            let corpus = Corpus::new(store, embedder, options.clone()).within(filter.clone());
            Ok::<_, RetrievalError>(PageIndex { corpus, kept: Box::new(folder) })
        });
        WebSource { search, open }
    }

    /// A corpus for a run without collections of its own, with the embedder for new ones.
    pub(super) async fn corpus_without_collections(&self, warnings: &mut Vec<String>) -> Result<Corpus, AppError> {
        let embedder = match self.configured_embedder().await {
            Ok(embedder) => embedder,
            Err(error) => {
                warnings.push(format!("{error}; searching by keywords alone"));
                None
            }
        };
        Ok(Corpus::new(self.store().await?, embedder, options::search_options(&self.config().search)))
    }
}

fn provider(configured: WebSearchProvider) -> Provider {
    match configured {
        WebSearchProvider::Searxng => Provider::Searxng,
        WebSearchProvider::Brave => Provider::Brave,
        WebSearchProvider::Tavily => Provider::Tavily,
        WebSearchProvider::Serper => Provider::Serper,
    }
}
