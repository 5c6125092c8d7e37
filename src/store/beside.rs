//! Finds a passage together with its neighbours, as one range of its document.

use std::ops::Range;

use super::{Store, StoreError};
use crate::domain::{ChunkId, DocumentRecord};

/// Returns the byte range of a document from `neighbours` passages before `passage` to as many after it, or fewer at
/// its ends. Returns `None` if the document has been replaced.
pub async fn with_neighbours(
    store: &dyn Store,
    record: &DocumentRecord,
    passage: u32,
    neighbours: u32,
) -> Result<Option<Range<usize>>, StoreError> {
    let last = passage.saturating_add(neighbours).min(record.chunks.saturating_sub(1));
    let ids: Vec<ChunkId> =
        (passage.saturating_sub(neighbours)..=last).map(|ordinal| ChunkId { document: record.id, ordinal }).collect();
    let chunks = store.chunks(&ids).await?;
    let start = chunks.iter().map(|chunk| chunk.range.start).min();
    let end = chunks.iter().map(|chunk| chunk.range.end).max();
    Ok(start.zip(end).map(|(start, end)| start..end))
}
