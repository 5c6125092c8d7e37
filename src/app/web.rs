//! The job of loading web pages.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, LoadRequest, parts};
use crate::embed::Embedder;
use crate::ingest::source::web::{Breadth, CrawlError, CrawlOptions};
use crate::ingest::{self, LoadError, LoadEvent, LoadOptions, LoadSummary, WebRequest};
use crate::net::web::WebClient;
use crate::store::Store;

/// The file of the data folder in which servers' answers are kept.
const STATE_FILE: &str = "crawls.db";

/// Which links of web pages are followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebScope {
    /// Which hosts they may lead to.
    pub breadth: Breadth,
    /// Patterns of which a link must match one; none: all do.
    pub include: Vec<String>,
    /// Patterns of which a link must match none.
    pub exclude: Vec<String>,
    /// Whether the hosts' sitemaps are read.
    pub sitemaps: bool,
}

/// Whether something to load is a web page rather than a path.
pub fn is_url(place: &str) -> bool {
    let scheme = place.split("://").next().unwrap_or_default();
    scheme.len() < place.len() && (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

impl App {
    /// Loads the web pages of a request.
    pub(super) async fn load_pages(
        &self,
        request: &LoadRequest,
        urls: Vec<String>,
        options: LoadOptions,
        parts: (Arc<dyn Store>, Option<Arc<dyn Embedder>>),
        progress: &(dyn Fn(LoadEvent) + Send + Sync),
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let (config, clock) = (&self.config().crawl, self.clock()?);
        let client = WebClient::new(parts::web_options(config)?, clock).map_err(|source| {
            LoadError::Crawl { source: CrawlError::Web(source), summary: Box::default() }
        })?;
        let WebScope { breadth, include, exclude, sitemaps } = request.web.clone();
        let asked = WebRequest {
            urls,
            collection: request.collection.clone(),
            description: request.description.clone(),
            options,
            crawl: CrawlOptions {
                depth: config.depth,
                max_pages: config.max_pages,
                max_alike: config.max_alike,
                breadth,
                include,
                exclude,
                sitemaps,
                delay: Duration::from_millis(config.delay_ms),
                per_host: config.per_host,
            },
            client,
            clock,
            state: self.data_dir()?.join(STATE_FILE),
        };
        let (store, embedder) = parts;
        Ok(ingest::load_web(store, embedder, &asked, progress, interrupt).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_paths() {
        for (place, expected) in [
            ("https://example.org", true),
            ("HTTP://example.org/x", true),
            ("./http", false),
            ("http", false),
            ("https:/x", false),
            ("ftp://example.org", false),
            ("docs/https://x", false),
        ] {
            assert_eq!(is_url(place), expected, "{place}");
        }
    }
}
