//! A whole document with everything that a store has of it, as it was put there.

use super::{NewDocument, Store, StoreError};
use crate::domain::{Chunk, ChunkId, ChunkVectors, Document, DocumentRecord, StoredChunk};

/// Builds the document of a record from its text and its chunks.
pub(super) fn document(
    record: &DocumentRecord,
    text: String,
    chunks: impl IntoIterator<Item = StoredChunk>,
) -> Document {
    let chunk = |chunk: StoredChunk| Chunk {
        range: chunk.range,
        page: chunk.page,
        page_turns: chunk.page_turns,
        headings: chunk.headings,
        language: chunk.language,
    };
    Document {
        path: record.path.clone(),
        title: record.title.clone(),
        format: record.format,
        language: record.language,
        date: record.date,
        authorship: record.authorship.clone(),
        hash: record.hash,
        bytes: record.bytes,
        modified_ns: record.modified_ns,
        cut: record.cut,
        text,
        chunks: chunks.into_iter().map(chunk).collect(),
    }
}

/// Reads a whole document from its parts in a store.
pub(super) async fn read<S: Store + ?Sized>(store: &S, record: &DocumentRecord) -> Result<NewDocument, StoreError> {
    let ids: Vec<ChunkId> = (0..record.chunks).map(|ordinal| ChunkId { document: record.id, ordinal }).collect();
    let text = store.text(record.id, 0..usize::MAX).await?;
    let chunks = store.chunks(&ids).await?;
    let mut vectors = Vec::new();
    if store.collection(&record.collection).await?.embedder.is_some() {
        vectors.resize(ids.len(), None);
        let states = store.states(&ids).await?;
        for (ordinal, embedding) in store.document_embeddings(record.id).await? {
            let states = states.get(ordinal as usize).cloned().unwrap_or_default();
            if let Some(place) = vectors.get_mut(ordinal as usize) {
                *place = Some(ChunkVectors { embedding, states });
            }
        }
    }
    Ok(NewDocument { document: document(record, text, chunks), vectors })
}
