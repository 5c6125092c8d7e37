//! What a document must be for any store to hold it, and how every store writes an embedder.

use super::{NewDocument, StoreError};
use crate::domain::{Collection, EmbedderIdentity};

/// Refuses what a store could not hold, of which `chunks` is one more than a document may have.
pub(super) fn check_document(
    collection: &Collection,
    engine: &'static str,
    chunks: usize,
    new: &NewDocument,
) -> Result<(), StoreError> {
    let document = &new.document;
    let refuse = |reason: String| {
        let reason = format!("{}: {reason}", document.path);
        Err(StoreError::Engine { engine, action: "putting documents", reason })
    };
    if document.chunks.len() >= chunks {
        return refuse(format!("{} chunks are more than a document may have; split the file", document.chunks.len()));
    }
    if let Some(chunk) = document.chunks.iter().find(|chunk| document.text.get(chunk.range.clone()).is_none()) {
        return refuse(format!("the chunk {:?} does not lie on character borders of the text", chunk.range));
    }
    if !new.vectors.is_empty() && new.vectors.len() != document.chunks.len() {
        return refuse(format!("{} vectors for {} chunks", new.vectors.len(), document.chunks.len()));
    }
    let embedder = collection.embedder.as_ref();
    let dimension = embedder.map(|embedder| embedder.dimension);
    match new.vectors.iter().flatten().find(|vector| Some(vector.embedding.len()) != dimension) {
        None => Ok(()),
        Some(other) => Err(other_embedder(collection, other.embedding.len())),
    }
}

/// An embedder as stores write it.
pub(super) fn encode_embedder(embedder: Option<&EmbedderIdentity>) -> Result<Option<String>, StoreError> {
    embedder.map(serde_json::to_string).transpose().map_err(|error| StoreError::Engine {
        engine: "JSON",
        action: "writing the embedder",
        reason: error.to_string(),
    })
}

/// The error for vectors of another length than the collection's.
pub(super) fn other_embedder(collection: &Collection, dimension: usize) -> StoreError {
    StoreError::OtherEmbedder {
        collection: collection.name.clone(),
        has: collection.embedder.as_ref().map_or_else(
            || "no embedder".to_owned(),
            |embedder| format!("{} ({} dimensions)", embedder.name, embedder.dimension),
        ),
        asked: format!("one of {dimension} dimensions"),
    }
}
