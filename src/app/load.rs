//! The job of loading, as the commands ask for it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::memory::Arrivals;
use super::{App, AppError};
use crate::ingest::{self, LoadEvent, LoadOptions, LoadSummary};

/// What to load, and where to.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, globs, or `-`.
    pub paths: Vec<String>,
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
    /// Loads files into collections. A cancelled `interrupt` ends the load after the batch under way; what was stored
    /// stays stored.
    pub async fn load(
        &self,
        request: &LoadRequest,
        progress: &(dyn Fn(LoadEvent) + Send + Sync),
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let config = self.config();
        let asked = ingest::LoadRequest {
            paths: request.paths.iter().map(PathBuf::from).collect(),
            cwd: self.cwd().to_owned(),
            stdin: request.stdin.clone(),
            stdin_name: None,
            collection: request.collection.clone(),
            collection_per_dir: request.collection_per_dir,
            description: request.description.clone(),
            prune: request.prune,
            options: LoadOptions {
                chunk: self.chunk_options(),
                max_file_bytes: config.load.max_file_mb << 20,
                in_flight_bytes: config.load.in_flight_mb << 20,
                ..LoadOptions::default()
            },
        };
        let (store, embedder) = (self.store().await?, self.configured_embedder().await?);
        if !self.remembers() {
            return Ok(ingest::load(store, embedder, &asked, progress, interrupt).await?);
        }
        let seen = Mutex::new(Arrivals::default());
        let heard = |event: LoadEvent| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).hear(&event);
            progress(event);
        };
        let summary = ingest::load(store, embedder, &asked, &heard, interrupt).await?;
        let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.remember_load(&seen, &summary).await {
            progress(LoadEvent::Warning { message: format!("the load is not remembered: {error}") });
        }
        Ok(summary)
    }
}
