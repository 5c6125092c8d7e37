//! Why a load ends, and how that is told.

use tokio::task::JoinError;

use crate::embed::EmbedError;
use crate::ingest::{LoadError, LoadSummary};
use crate::sources::web::CrawlError;
use crate::store::StoreError;

/// The result of a load, with what was stored until it ended.
pub(super) fn ended(result: Result<(), LoadFailure>, summary: LoadSummary) -> Result<LoadSummary, LoadError> {
    match result {
        Ok(()) => Ok(summary),
        Err(LoadFailure::Refused(error)) => Err(error),
        Err(LoadFailure::Store(source)) => Err(LoadError::Store { source, summary: Box::new(summary) }),
        Err(LoadFailure::Embed(source)) => Err(LoadError::Embed { source, summary: Box::new(summary) }),
        Err(LoadFailure::Crawl(source)) => Err(LoadError::Crawl { source, summary: Box::new(summary) }),
        Err(LoadFailure::Worker { action, source }) => {
            Err(LoadError::Worker { action, source, summary: Box::new(summary) })
        }
    }
}

/// Why a load ends, before the summary is put to it.
pub(super) enum LoadFailure {
    Refused(LoadError),
    Store(StoreError),
    Embed(EmbedError),
    Crawl(CrawlError),
    Worker { action: &'static str, source: JoinError },
}

impl From<StoreError> for LoadFailure {
    fn from(error: StoreError) -> Self {
        LoadFailure::Store(error)
    }
}
