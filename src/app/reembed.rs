//! The job of re-embedding, as the commands ask for it.

use tokio_util::sync::CancellationToken;

use super::{App, AppError};
use crate::ingest::{self, ReembedEvent, ReembedSummary};

impl App {
    /// Gives a collection the vectors of the configured embedder. Cancelling `interrupt` ends it after the documents at
    /// hand; the next call continues.
    pub async fn reembed(
        &self,
        collection: &str,
        progress: &(dyn Fn(ReembedEvent) + Send + Sync),
        interrupt: &CancellationToken,
    ) -> Result<ReembedSummary, AppError> {
        let store = self.store_with(collection).await?;
        let embedder = self.configured_embedder().await?;
        Ok(ingest::reembed(store.as_ref(), embedder.as_deref(), collection, progress, interrupt).await?)
    }
}
