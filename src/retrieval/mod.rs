//! Search: keyword and semantic search fused by score and re-ranked, with the matching sentences marked.

pub mod answer;
mod closest;
mod compounds;
mod corpus;
mod exact;
mod fuse;
mod highlight;
mod interaction;
mod late;
mod links;
mod place;
mod reading;
mod scope;
mod smooth;

pub use corpus::{Corpus, Rerank, SearchOptions, SearchRequest};

pub use fuse::{Candidate, fuse};
pub use highlight::highlights;
pub use interaction::PassageMatch;
pub use late::{
    QueryWord, inverse_document_frequency, query_words, rerank, rerank_for_coverage, token_weights, weighted_mean,
};
pub use links::{Link, raise};
pub use place::best_place;
pub use smooth::smooth;

use crate::domain::ChunkId;
use crate::embed::EmbedError;
use crate::store::StoreError;

/// An error in a search.
#[derive(Debug, thiserror::Error)]
pub enum RetrievalError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A semantic search without an embedder.
    #[error("semantic search needs an embedder, and none is configured; use keyword search or set one, as in `minilm`")]
    NoEmbedder,
    /// The chunk is not, or no longer, in the store.
    #[error("there is no chunk {} of document {}; it may have been loaded anew: search again", chunk.ordinal, chunk.document)]
    NoChunk {
        /// The requested chunk.
        chunk: ChunkId,
    },
    /// A failure recorded in the journal of a run, given again on replay.
    #[error("{message}")]
    Recorded {
        /// The message recorded then.
        message: String,
    },
    /// The re-ranking thread ended without a result.
    #[error("the re-ranking stopped: {0}")]
    Stopped(#[source] tokio::task::JoinError),
}

#[cfg(test)]
mod tests;
