//! The job of loading, as the commands ask for it.

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{App, AppError};

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

/// What happens during a load, as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadEvent {
    /// So many files will be looked at.
    Found {
        /// Files.
        files: u64,
    },
    /// A file was looked at, and loaded where it was new or changed.
    Done {
        /// Its path.
        path: String,
        /// Chunks that were stored for it.
        chunks: u64,
    },
}

/// A file that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedFile {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadSummary {
    /// The collections that were loaded into, by name.
    pub collections: Vec<String>,
    /// Files looked at.
    pub files: u64,
    /// Of those, not stored before.
    pub new: u64,
    /// Stored in an older version.
    pub changed: u64,
    /// Stored as they are.
    pub unchanged: u64,
    /// Documents removed because their files vanished.
    pub removed: u64,
    /// Files that could not be read.
    pub failed: Vec<FailedFile>,
    /// Chunks stored.
    pub chunks: u64,
    /// Bytes of the files that were stored.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
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
        let store = self.store().await?;
        let embedder = self.configured_embedder().await?;
        let chunk = super::parts::chunk_options(&self.config().chunk);
        let _ = (request, progress, interrupt, store, embedder, chunk);
        Err(AppError::NotWired { what: "the load pipeline" })
    }
}
