//! Text to vectors. The bundled model, any model of `fastembed`'s catalogue, any OpenAI-compatible endpoint.

pub mod minilm;

use async_trait::async_trait;

use crate::domain::{ChunkVectors, EmbedderIdentity, Language};

/// What goes wrong when text becomes vectors.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    /// The name in the config is none that is known.
    #[error("unknown embedder `{name}`; known are `minilm`, `none`, `fastembed:MODEL` and `openai:MODEL`")]
    Unknown {
        /// As configured.
        name: String,
    },
    /// The model could not be loaded.
    #[error("cannot load the embedding model {model}: {reason}")]
    Load {
        /// Its name.
        model: String,
        /// What the library said, and what to do.
        reason: String,
    },
    /// The model ran and failed.
    #[error("the embedding model {model} failed: {reason}")]
    Run {
        /// Its name.
        model: String,
        /// What the library or the endpoint said.
        reason: String,
    },
    /// The model gave vectors of another length than it said.
    #[error("the embedding model {model} gave vectors of {found} dimensions where {expected} were expected")]
    Dimension {
        /// Its name.
        model: String,
        /// As the collection has it.
        expected: usize,
        /// As it came.
        found: usize,
    },
}

/// The encoded form of a query.
#[derive(Clone, Debug)]
pub struct QueryVectors {
    /// Of length 1.
    pub embedding: Vec<f32>,
    /// One state of length 1 for each token that counts in late interaction, with the token's text; empty where the
    /// encoder gives none.
    pub states: Vec<TokenState>,
}

/// The last layer's state of one query token.
#[derive(Clone, Debug)]
pub struct TokenState {
    /// The token as the tokenizer writes it.
    pub token: String,
    /// Of length 1.
    pub state: Vec<f32>,
}

/// Turns passages and queries into vectors. Calls are CPU- or network-bound and long: an implementation does CPU work
/// off the async threads and uses all cores for one batch, so callers gain nothing from concurrent calls.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What a collection remembers of this embedder.
    fn identity(&self) -> &EmbedderIdentity;

    /// Whether vectors of `language` mean something. Where they do not, search is lexical only.
    fn knows(&self, language: Language) -> bool;

    /// Vectors of passages, in their order. Longer passages than the model takes are cut by the model.
    async fn passages(&self, texts: Vec<String>) -> Result<Vec<ChunkVectors>, EmbedError>;

    /// Vectors of queries, in their order.
    async fn queries(&self, texts: Vec<String>) -> Result<Vec<QueryVectors>, EmbedError>;

    /// Late interaction of a query with the compressed states of one passage: for each query state the largest inner
    /// product with a passage state (max-sim), in the order of the query's states. Empty where there are no states.
    fn max_sim(&self, query: &QueryVectors, states: &[u8]) -> Vec<f32>;
}
