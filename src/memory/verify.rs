use super::Basis;
use crate::base::ContentHash;
use crate::domain::{ChunkId, DocumentRecord, StoredChunk};
use crate::store::{Store, StoreError};

/// Whether the evidence of a finding is still there.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingState {
    /// The bytes are unchanged and in their place. The chunk is the one that holds most of them.
    Stands(Box<StoredChunk>),
    /// The document now has other bytes there.
    Changed,
    /// The document is gone.
    Gone,
}

/// Checks whether the bytes of `basis` still stand in their document, in whichever version the store has.
pub async fn verify(store: &dyn Store, basis: &Basis) -> Result<FindingState, StoreError> {
    let documents = store.find_documents(&basis.path).await?;
    let same = |document: &&DocumentRecord| document.collection == basis.collection && document.path == basis.path;
    let Some(document) = documents.iter().find(same) else { return Ok(FindingState::Gone) };
    let [start, end] = basis.bytes;
    let text = store.text(document.id, start..end).await?;
    if start >= end || ContentHash::of(text.as_bytes()) != basis.hash {
        return Ok(FindingState::Changed);
    }
    let chunk = holding(store, document, basis.bytes).await?;
    Ok(chunk.map_or(FindingState::Changed, |chunk| FindingState::Stands(Box::new(chunk))))
}

/// Returns the chunk that holds most of these bytes.
async fn holding(
    store: &dyn Store,
    document: &DocumentRecord,
    [start, end]: [usize; 2],
) -> Result<Option<StoredChunk>, StoreError> {
    let id = |ordinal| ChunkId { document: document.id, ordinal };
    // The number of chunks that begin at or before the bytes.
    let (mut low, mut high) = (0, document.chunks);
    while low < high {
        let middle = low + (high - low) / 2;
        let chunk = store.chunks(&[id(middle)]).await?;
        if chunk.first().is_some_and(|chunk| chunk.range.start <= start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let near: Vec<ChunkId> = (low.saturating_sub(2)..(low + 1).min(document.chunks)).map(id).collect();
    let held = |chunk: &StoredChunk| chunk.range.end.min(end).saturating_sub(chunk.range.start.max(start));
    let chunks = store.chunks(&near).await?;
    Ok(chunks.into_iter().filter(|chunk| held(chunk) > 0).max_by(|a, b| held(a).cmp(&held(b)).then(b.id.cmp(&a.id))))
}
