use serde::{Deserialize, Serialize};

use crate::base::text::Spoken;

/// Which encoder made a collection's vectors. Vectors of different encoders cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderIdentity {
    /// As in the config: `minilm`, `fastembed:bge-small-en-v1.5`, `openai:text-embedding-3-small`.
    pub name: String,
    /// Length of a vector.
    pub dimension: usize,
    /// What stands before every passage when it is embedded; often empty.
    pub passage_prefix: String,
    /// Which compressed form the token states have; empty where there are none.
    pub states: String,
}

/// What is needed to make a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionSpec {
    /// Unique name.
    pub name: String,
    /// What it holds, in a sentence or two: the planner routes by it.
    pub description: String,
    /// `None`: lexical search only.
    pub embedder: Option<EmbedderIdentity>,
}

/// A collection as it stands.
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
    /// The languages of its chunks, as far as the last flush knows them.
    #[serde(skip_serializing_if = "Spoken::is_empty")]
    pub languages: Spoken,
}
