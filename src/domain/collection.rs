use serde::{Deserialize, Serialize};

use crate::base::text::Spoken;

/// The encoder that made a collection's vectors. Vectors of different encoders cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderIdentity {
    /// The name in the config: `minilm`, `fastembed:bge-small-en-v1.5`, `openai:text-embedding-3-small`.
    pub name: String,
    /// Length of a vector.
    pub dimension: usize,
    /// The text put before every passage when it is embedded; often empty.
    pub passage_prefix: String,
    /// The compressed form of the token states; empty if there are none.
    pub states: String,
}

/// The properties of a collection to be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionSpec {
    /// Unique name.
    pub name: String,
    /// What it holds, in a sentence or two; the planner chooses collections by it.
    pub description: String,
    /// `None`: lexical search only.
    pub embedder: Option<EmbedderIdentity>,
}

/// A stored collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collection {
    /// Unique name.
    pub name: String,
    /// What it holds.
    pub description: String,
    /// Whether a user wrote the description; a derived one is refreshed by the next load.
    pub described_by_user: bool,
    /// `None`: lexical search only.
    pub embedder: Option<EmbedderIdentity>,
    /// Number of documents.
    pub documents: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Bytes of extracted text.
    pub text_bytes: u64,
    /// The languages of its chunks, as of the last flush.
    #[serde(skip_serializing_if = "Spoken::is_empty")]
    pub languages: Spoken,
}
