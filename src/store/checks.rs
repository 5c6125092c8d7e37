//! What every store requires of a document, and how every store encodes an embedder.

use super::{NewDocument, StoreError};
use crate::domain::{Collection, EmbedderIdentity};

/// Refuses a document that a store could not hold. `chunks` is the smallest number of chunks that is too many.
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
        Some(other) => Err(dimension_mismatch(collection, other.embedding.len())),
    }
}

/// Encodes an embedder as stores write it.
pub(super) fn encode_embedder(embedder: Option<&EmbedderIdentity>) -> Result<Option<String>, StoreError> {
    embedder.map(serde_json::to_string).transpose().map_err(|error| StoreError::Engine {
        engine: "JSON",
        action: "writing the embedder",
        reason: error.to_string(),
    })
}

/// Returns the error for vectors whose length differs from that of the collection's vectors.
pub(super) fn dimension_mismatch(collection: &Collection, dimension: usize) -> StoreError {
    StoreError::OtherEmbedder {
        collection: collection.name.clone(),
        has: collection.embedder.as_ref().map_or_else(
            || "no embedder".to_owned(),
            |embedder| format!("{} ({} dimensions)", embedder.name, embedder.dimension),
        ),
        asked: format!("one of {dimension} dimensions"),
    }
}
