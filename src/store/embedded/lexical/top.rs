//! Collects the best chunks by tantivy's score, with a filter that is applied to each chunk.
//!
//! Tantivy skips blocks of postings that cannot reach the best scores so far, but only for a union of terms that is the
//! whole query: a filter as a clause of the query would make it score every chunk that holds any term. So the filter is
//! applied here, to the few chunks whose scores are high enough. For the same reason each segment starts with the
//! threshold that the previous ones have reached.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Mutex;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::query::Weight;
use tantivy::{DocAddress, DocId, Score, SegmentReader, TantivyError};

use super::search::Filter;
use crate::base::locked;
use crate::domain::ChunkId;

/// A chunk with its score and its address in the index.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedChunk {
    pub(super) score: Score,
    pub(super) chunk: ChunkId,
    pub(super) address: DocAddress,
}

impl PartialEq for RankedChunk {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for RankedChunk {}

/// Greater means better: a higher score, then a smaller id.
impl Ord for RankedChunk {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for RankedChunk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Collects the `limit` best chunks that the filter admits. Among those tied with the last score, any may be chosen.
pub(super) struct TopCollector<'f> {
    pub(super) limit: usize,
    pub(super) filter: &'f Filter<'f>,
    best: Mutex<BinaryHeap<Reverse<RankedChunk>>>,
}

impl<'f> TopCollector<'f> {
    pub(super) fn new(limit: usize, filter: &'f Filter<'f>) -> Self {
        TopCollector { limit: limit.max(1), filter, best: Mutex::default() }
    }
}

/// Returns the column with the ids of a segment's chunks.
pub(super) fn chunk_ids(reader: &SegmentReader) -> Result<Column<u64>, TantivyError> {
    reader.fast_fields().u64("chunk")
}

/// Returns the id in a row of [`chunk_ids`].
pub(super) fn chunk_id(ids: &Column<u64>, row: DocId) -> Result<ChunkId, TantivyError> {
    let packed = ids.first(row);
    packed.map(ChunkId::unpack).ok_or_else(|| TantivyError::InternalError("a chunk of the index has no id".to_owned()))
}

impl Collector for TopCollector<'_> {
    type Fruit = Vec<RankedChunk>;
    type Child = UnusedCollector;

    fn for_segment(&self, _: u32, _: &SegmentReader) -> tantivy::Result<UnusedCollector> {
        Ok(UnusedCollector)
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn collect_segment(&self, weight: &dyn Weight, segment_ord: u32, reader: &SegmentReader) -> tantivy::Result<()> {
        let ids = chunk_ids(reader)?;
        let alive = reader.alive_bitset();
        // The segments are searched one after another.
        let mut best = locked(&self.best);
        let full = |best: &BinaryHeap<Reverse<RankedChunk>>| best.len() >= self.limit;
        let mut threshold = match best.peek() {
            Some(Reverse(worst)) if full(&best) => worst.score,
            _ => Score::MIN,
        };
        let mut failed = None;
        weight.for_each_pruning(threshold, reader, &mut |row, score| {
            if alive.is_some_and(|alive| alive.is_deleted(row)) {
                return threshold;
            }
            let chunk = match chunk_id(&ids, row) {
                Ok(chunk) => chunk,
                Err(error) => {
                    failed.get_or_insert(error);
                    return threshold;
                }
            };
            if self.filter.keeps(chunk.document.0) {
                let found = RankedChunk { score, chunk, address: DocAddress::new(segment_ord, row) };
                if !full(&best) {
                    best.push(Reverse(found));
                } else if let Some(mut worst) = best.peek_mut() {
                    *worst = Reverse(found);
                }
                if full(&best)
                    && let Some(Reverse(worst)) = best.peek()
                {
                    threshold = worst.score;
                }
            }
            threshold
        })?;
        failed.map_or(Ok(()), Err)
    }

    fn merge_fruits(&self, _: Vec<()>) -> tantivy::Result<Vec<RankedChunk>> {
        let mut best = locked(&self.best);
        Ok(std::mem::take(&mut *best).into_iter().map(|Reverse(found)| found).collect())
    }
}

/// A placeholder: collecting chunk by chunk would score all of them, so [`TopCollector::collect_segment`] is used instead.
pub(super) struct UnusedCollector;

impl SegmentCollector for UnusedCollector {
    type Fruit = ();

    fn collect(&mut self, _: DocId, _: Score) {}

    fn harvest(self) {}
}
