//! Gives a collection the vectors of another embedder: its chunks are written into the next slot with their unchanged
//! words and the new vectors, along with a mark for each document, and a change of the state activates the slot.
//! Without an embedder, the old vectors stay where they are and are ignored.

use std::collections::{HashMap, HashSet};

use qdrant_client::qdrant::Filter;

use super::Server;
use super::client::number;
use super::error::ENGINE;
use super::layout::{self, KIND, MARK, STATES, VERSION, WORDS, is_text};
use super::put::{chunk_point, mark};
use super::sparse;
use super::state::CollectionState;
use crate::domain::{ChunkVectors, DocumentId, EmbedderIdentity};
use crate::store::{DocumentVectors, StoreError};

/// The number of documents whose chunks are read at once.
const DOCUMENTS_AT_ONCE: usize = 64;

impl Server {
    pub(super) async fn start_reembedding(
        &self,
        name: &str,
        embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let before = self.settled(name).await?;
        let unchanged = before.collection.embedder == embedder;
        let wanted = (!unchanged).then(|| embedder.clone());
        let slot = before.chunks(&self.options.prefix, before.slot + 1);
        if before.next != wanted {
            let mut after = before.clone();
            after.next = wanted;
            self.compare_and_swap_or_fail(&before, &mut after).await?;
            self.drop_points(&slot).await?;
        }
        let Some(embedder) = embedder.filter(|_| !unchanged) else { return Ok(Vec::new()) };
        self.make_chunks(&before, before.slot + 1, Some(embedder.dimension)).await?;
        self.pending(&before).await
    }

    /// Returns the documents without a mark in the next slot, ascending.
    async fn pending(&self, state: &CollectionState) -> Result<Vec<DocumentId>, StoreError> {
        let slot = state.chunks(&self.options.prefix, state.slot + 1);
        let filter = Filter::must([is_text(KIND, MARK)]);
        let marks = self.client.scroll(&slot, filter, &[VERSION]).await?.unwrap_or_default();
        let done: HashSet<u64> = marks.iter().filter_map(|mark| layout::unsigned(&mark.payload, VERSION)).collect();
        let mut sizes = self.sizes(state).await?;
        sizes.retain(|(id, _)| !done.contains(&layout::parts(*id).1));
        Ok(sizes.into_iter().map(|(id, _)| id).collect())
    }

    pub(super) async fn put_vectors(&self, name: &str, documents: Vec<DocumentVectors>) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let state = self.states().await?.find(name)?;
        let refuse = |reason: String| Err(StoreError::Engine { engine: ENGINE, action: "putting new vectors", reason });
        let Some(next) = state.next.clone().flatten() else {
            return refuse(format!("no re-embedding of `{name}` is under way"));
        };
        let mut vectors = documents.iter().flat_map(|(_, vectors)| vectors.iter().flatten());
        if let Some(other) = vectors.find(|vector| vector.embedding.len() != next.dimension) {
            return refuse(format!("{} dimensions in place of {}", other.embedding.len(), next.dimension));
        }
        let prefix = &self.options.prefix;
        let (chunks, slot) = (state.chunks(prefix, state.slot), state.chunks(prefix, state.slot + 1));
        for documents in documents.chunks(DOCUMENTS_AT_ONCE) {
            let known = documents.iter().filter(|(id, _)| {
                let (number, version) = layout::parts(*id);
                number == state.number && state.is_visible(version)
            });
            let known: Vec<&DocumentVectors> = known.collect();
            let records: Vec<u64> = known.iter().map(|(id, _)| layout::record_point(layout::parts(*id).1)).collect();
            let records = self.client.get(&state.texts(prefix), &records, &[VERSION, "chunks"], &[]).await?;
            let sizes: HashMap<u64, u64> = records
                .iter()
                .filter_map(|record| {
                    let number = |name| layout::unsigned(&record.payload, name);
                    Some((number(VERSION)?, number("chunks")?))
                })
                .collect();
            let mut new: HashMap<u64, Option<&ChunkVectors>> = HashMap::new();
            let mut marks = Vec::new();
            for (id, vectors) in known {
                let version = layout::parts(*id).1;
                // A document that no longer exists is skipped.
                if sizes.get(&version) == Some(&(vectors.len() as u64)) {
                    let points = vectors.iter().zip(0..);
                    new.extend(points.map(|(one, ordinal)| (layout::chunk_point(version, ordinal), one.as_ref())));
                    marks.push(mark(version));
                }
            }
            let mut ids: Vec<u64> = new.keys().copied().collect();
            ids.sort_unstable();
            let mut points = Vec::with_capacity(ids.len());
            for point in self.client.get(&chunks, &ids, &[], &[WORDS]).await? {
                let Some(id) = number(point.id.as_ref()) else { continue };
                let Some(vectors) = new.get(&id) else { continue };
                let mut payload = point.payload;
                payload.remove(STATES);
                payload.extend(layout::states_field(vectors.map_or(&[][..], |vectors| &vectors.states)));
                let words = point.vectors.as_ref().and_then(sparse::of_point);
                points.push(chunk_point(id, payload, words, vectors.map(|vectors| vectors.embedding.clone())));
            }
            // Marks are written last, because they say that the chunks are there.
            self.write_chunks(&slot, points).await?;
            self.write_chunks(&slot, marks).await?;
        }
        Ok(())
    }

    pub(super) async fn finish_reembedding(&self, name: &str) -> Result<bool, StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let before = self.settled(name).await?;
        let Some(next) = before.next.clone() else { return Ok(false) };
        if next.is_some() && !self.pending(&before).await?.is_empty() {
            return Ok(false);
        }
        let mut after = before.clone();
        after.next = None;
        after.slot = if next.is_some() { before.slot + 1 } else { before.slot };
        after.collection.embedder = next;
        self.compare_and_swap_or_fail(&before, &mut after).await?;
        if after.slot != before.slot {
            self.drop_points(&before.chunks(&self.options.prefix, before.slot)).await?;
        }
        Ok(true)
    }

    async fn compare_and_swap_or_fail(
        &self,
        before: &CollectionState,
        after: &mut CollectionState,
    ) -> Result<(), StoreError> {
        if self.compare_and_swap(before, after).await? {
            return Ok(());
        }
        Err(StoreError::Locked { path: self.place(), holder: "it changed the collection meanwhile".to_owned() })
    }
}
