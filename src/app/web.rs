//! Loads web pages.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::load::{Progress, warn};
use super::{App, AppError, options};
use crate::embed::Embedder;
use crate::ingest::register::{KnownSource, Source};
use crate::ingest::{self, LoadCause, LoadError, LoadSummary, WebRequest};
use crate::net::web::WebClient;
use crate::sources::web::{CrawlOptions, Links};

/// The file in the data folder that keeps servers' answers.
pub(super) const STATE_FILE: &str = "crawls.db";

/// Web pages to be loaded.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    pub(super) urls: Vec<String>,
    pub(super) depth: u32,
    pub(super) max_pages: u64,
    pub(super) links: Links,
    pub(super) collection: Option<String>,
    pub(super) description: Option<String>,
}

impl App {
    /// Loads web pages, and remembers them as a source.
    pub(super) async fn load_pages(
        &self,
        pages: Pages,
        embedder: Option<Arc<dyn Embedder>>,
        progress: Progress<'_>,
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        self.require_online(&pages.urls.join(", "))?;
        let (config, clock) = (self.config(), self.clock()?);
        let client = WebClient::new(options::web_options(config)?, clock)
            .map_err(|source| LoadError::from(LoadCause::Crawl(source.into())))?;
        let asked = WebRequest {
            urls: pages.urls.clone(),
            collection: pages.collection.clone(),
            description: pages.description.clone(),
            options: self.ingest_request().options,
            crawl: CrawlOptions {
                depth: pages.depth,
                max_pages: pages.max_pages,
                links: pages.links.clone(),
                ..options::crawl_options(&config.crawl)
            },
            max_time: options::crawl_time(&config.crawl),
            client,
            clock,
            state: self.data_dir()?.join(STATE_FILE),
        };
        let store = self.store().await?;
        let known = match self.sources().await {
            Ok(known) => known,
            Err(error) => {
                warn(progress, &error);
                Vec::new()
            }
        };
        let source = |collections: Vec<String>| {
            let now = clock.now();
            let Pages { urls, depth, max_pages, links, collection, .. } = pages.clone();
            vec![KnownSource {
                source: Source::Web { urls, depth, max_pages, links },
                collection,
                collection_per_dir: false,
                collections,
                first_loaded: now,
                last_loaded: now,
            }]
        };
        let begun = |collections| self.record_pending_sources(Ok(source(collections)), &known, progress);
        let loaded = ingest::load_web(store, embedder, &asked, progress, interrupt, begun).await;
        self.remember(loaded, &known, |summary| Ok(source(summary.collections.clone())), progress).await
    }
}
