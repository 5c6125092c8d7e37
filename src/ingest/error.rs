//! The errors that end a load early, with what was done until then.

use super::summary::LoadSummary;
use crate::embed::EmbedError;
use crate::sources::SourceError;
use crate::sources::web::CrawlError;
use crate::store::StoreError;

/// Why a load ended early. Everything that its summary counts was committed and is kept.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Something is wrong with the requested sources. Nothing was stored.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A collection cannot have the requested name. Nothing was stored.
    #[error(transparent)]
    BadName(StoreError),
    /// One description was given for several collections. Nothing was stored.
    #[error(
        "one description cannot describe {} collections ({}): load into one with `--collection NAME`, or describe \
         each afterwards",
        .collections.len(),
        .collections.join(", ")
    )]
    ManyDescribed {
        /// The collections that the paths are loaded into.
        collections: Vec<String>,
    },
    /// The collection's vectors come from another model. Nothing was stored.
    #[error(
        "the collection `{collection}` was embedded with `{has}`, not with `{asked}`: load with `--embedder {has}`, \
         or choose another collection with `--collection NAME`"
    )]
    OtherEmbedder {
        /// The collection.
        collection: String,
        /// The embedder that made its vectors.
        has: String,
        /// The embedder in use.
        asked: String,
    },
    /// The load could not go on.
    #[error("{source}; {}", kept(.summary))]
    Failed {
        /// The cause.
        source: LoadCause,
        /// What was done until then.
        summary: Box<LoadSummary>,
    },
}

/// Why a load could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LoadCause {
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(EmbedError),
    /// The crawl failed.
    #[error(transparent)]
    Crawl(CrawlError),
    /// A thread of the load ended without a result.
    #[error("a worker of the load failed while {action}: {source}")]
    Worker {
        /// What the worker was doing.
        action: &'static str,
        /// The runtime's error.
        source: tokio::task::JoinError,
    },
}

/// Makes the error of a load that has done nothing yet.
impl From<LoadCause> for LoadError {
    fn from(source: LoadCause) -> Self {
        LoadError::Failed { source, summary: Box::default() }
    }
}

impl From<StoreError> for LoadError {
    fn from(error: StoreError) -> Self {
        LoadCause::Store(error).into()
    }
}

impl LoadError {
    /// The summary of what was done until the failure.
    pub fn summary(&self) -> Option<&LoadSummary> {
        match self {
            LoadError::Failed { summary, .. } => Some(summary),
            _ => None,
        }
    }
}

/// The result of a load, with its summary also in the error.
pub(super) fn ended(result: Result<(), LoadError>, summary: LoadSummary) -> Result<LoadSummary, LoadError> {
    match result {
        Ok(()) => Ok(summary),
        Err(LoadError::Failed { source, .. }) => Err(LoadError::Failed { source, summary: Box::new(summary) }),
        Err(refused) => Err(refused),
    }
}

/// The part of a message that says what is kept.
fn kept(summary: &LoadSummary) -> String {
    match summary.stored() {
        0 => "nothing was stored".to_owned(),
        1 => "1 document was stored before and is kept; run the same command again to go on".to_owned(),
        many => format!("{many} documents were stored before and are kept; run the same command again to go on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_stored_is_told() {
        let check = |summary: LoadSummary, expected: &str| assert_eq!(kept(&summary), expected);
        check(LoadSummary { unchanged: 3, removed: 1, ..LoadSummary::default() }, "nothing was stored");
        let one = LoadSummary { reloaded: 1, ..LoadSummary::default() };
        check(one, "1 document was stored before and is kept; run the same command again to go on");
        let four = LoadSummary { new: 1, changed: 1, reloaded: 1, moved: 1, ..LoadSummary::default() };
        check(four, "4 documents were stored before and are kept; run the same command again to go on");
    }
}
