//! The job of loading, as the commands ask for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::memory::Arrivals;
use super::web::{WebScope, is_url};
use super::{App, AppError};
use crate::embed::Embedder;
use crate::ingest::{self, LoadEvent, LoadOptions, LoadSummary};
use crate::store::Store;

/// What to load, and where to.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, globs, URLs, or `-`.
    pub paths: Vec<String>,
    /// Which links of the pages at those URLs are followed.
    pub web: WebScope,
    /// What `-` stands for.
    pub stdin: Option<Vec<u8>>,
    /// The collection's name; from the folder's where it is absent.
    pub collection: Option<String>,
    /// One collection for each folder directly below each path.
    pub collection_per_dir: bool,
    /// What the collection holds; derived from the contents where it is absent.
    pub description: Option<String>,
    /// Whether documents whose files vanished are removed.
    pub prune: bool,
}

impl App {
    /// Loads files and web pages into collections. A cancelled `interrupt` ends the load after the batch under way; what was stored
    /// stays stored.
    pub async fn load(
        &self,
        request: &LoadRequest,
        progress: &(dyn Fn(LoadEvent) + Send + Sync),
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        if !self.remembers() {
            return self.load_all(request, progress, interrupt).await;
        }
        let seen = Mutex::new(Arrivals::default());
        let heard = |event: LoadEvent| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).hear(&event);
            progress(event);
        };
        let summary = self.load_all(request, &heard, interrupt).await?;
        let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.remember_load(&seen, &summary).await {
            progress(LoadEvent::Warning { message: format!("the load is not remembered: {error}") });
        }
        Ok(summary)
    }

    /// First the files, then the web pages.
    async fn load_all(
        &self,
        request: &LoadRequest,
        progress: &(dyn Fn(LoadEvent) + Send + Sync),
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let config = self.config();
        let (urls, paths): (Vec<String>, Vec<String>) = request.paths.iter().cloned().partition(|path| is_url(path));
        let options = LoadOptions {
            chunk: self.chunk_options(),
            max_file_bytes: config.load.max_file_mb << 20,
            in_flight_bytes: config.load.in_flight_mb << 20,
            ..LoadOptions::default()
        };
        let parts = (self.store().await?, self.configured_embedder().await?);
        let mut summary = LoadSummary::default();
        if !paths.is_empty() || urls.is_empty() {
            summary = self.load_files(request, paths, options, parts.clone(), progress, interrupt.clone()).await?;
        }
        if !urls.is_empty() {
            summary.add(self.load_pages(request, urls, options, parts, progress, interrupt).await?);
        }
        Ok(summary)
    }

    async fn load_files(
        &self,
        request: &LoadRequest,
        paths: Vec<String>,
        options: LoadOptions,
        parts: (Arc<dyn Store>, Option<Arc<dyn Embedder>>),
        progress: &(dyn Fn(LoadEvent) + Send + Sync),
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let asked = ingest::LoadRequest {
            paths: paths.into_iter().map(PathBuf::from).collect(),
            cwd: self.cwd().to_owned(),
            stdin: request.stdin.clone(),
            stdin_name: None,
            collection: request.collection.clone(),
            collection_per_dir: request.collection_per_dir,
            description: request.description.clone(),
            prune: request.prune,
            archives: Vec::new(),
            options,
        };
        let (store, embedder) = parts;
        Ok(ingest::load(store, embedder, &asked, progress, interrupt).await?)
    }
}
