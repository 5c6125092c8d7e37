//! Finding: keyword and semantic search fused by score, re-ranked, with the matching sentences marked.

mod corpus;

pub use corpus::{Corpus, Rerank, SearchOptions, SearchRequest};

use crate::embed::EmbedError;
use crate::store::StoreError;

/// What goes wrong in a search.
#[derive(Debug, thiserror::Error)]
pub enum RetrievalError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}
