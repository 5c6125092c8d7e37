//! Giving a collection the vectors of another embedder: they are written into the next slot, with a mark for each
//! document, and put in force by the state.

use std::collections::HashSet;

use qdrant_client::qdrant::Filter;

use super::Server;
use super::error::ENGINE;
use super::layout::{self, DAY, KIND, LANGUAGE, MARK, VERSION, is_text};
use super::put::{mark, vector_point};
use super::state::State;
use crate::domain::{DocumentId, EmbedderIdentity};
use crate::store::{DocumentVectors, StoreError};

/// Records read at once.
const RECORDS_AT_ONCE: usize = 500;

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
        let slot = before.vectors(&self.options.prefix, before.slot + 1);
        if before.next != wanted {
            let mut after = before.clone();
            after.next = wanted;
            self.exchange_or_fail(&before, &mut after).await?;
            self.drop_points(&slot).await?;
        }
        let Some(embedder) = embedder.filter(|_| !unchanged) else { return Ok(Vec::new()) };
        self.make_vectors(&before, before.slot + 1, embedder.dimension).await?;
        self.pending(&before).await
    }

    /// Documents without a mark in the next slot, rising.
    async fn pending(&self, state: &State) -> Result<Vec<DocumentId>, StoreError> {
        let slot = state.vectors(&self.options.prefix, state.slot + 1);
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
        let slot = state.vectors(prefix, state.slot + 1);
        for documents in documents.chunks(RECORDS_AT_ONCE) {
            let records: Vec<u64> = documents
                .iter()
                .map(|(id, _)| layout::parts(*id))
                .filter(|&(number, version)| number == state.number && state.shows(version))
                .map(|(_, version)| layout::record_point(version))
                .collect();
            let fields = &[VERSION, LANGUAGE, DAY, "chunks"];
            let records = self.client.get(&state.texts(prefix), &records, fields, false).await?;
            let mut points = Vec::new();
            let mut marks = Vec::new();
            for (id, vectors) in documents {
                let version = layout::parts(*id).1;
                let record = records.iter().find(|record| layout::unsigned(&record.payload, VERSION) == Some(version));
                // A document that has gone is passed over.
                let Some(record) = record else { continue };
                if layout::unsigned(&record.payload, "chunks") != Some(vectors.len() as u64) {
                    continue;
                }
                for (vector, ordinal) in vectors.iter().zip(0..) {
                    let Some(vector) = vector else { continue };
                    let mut payload = layout::states_field(&vector.states);
                    let filtered = [VERSION, LANGUAGE, DAY].into_iter();
                    payload
                        .extend(filtered.filter_map(|name| Some((name.to_owned(), record.payload.get(name)?.clone()))));
                    points.push(vector_point(layout::chunk_point(version, ordinal), payload, vector.embedding.clone()));
                }
                marks.push(mark(version));
            }
            // The marks say that the others are there.
            self.write_vectors(&slot, points).await?;
            self.write_vectors(&slot, marks).await?;
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
        after.slot = before.slot + 1;
        after.collection.embedder = next;
        after.next = None;
        self.exchange_or_fail(&before, &mut after).await?;
        self.drop_points(&before.vectors(&self.options.prefix, before.slot)).await?;
        Ok(true)
    }

    async fn exchange_or_fail(&self, before: &State, after: &mut State) -> Result<(), StoreError> {
        if self.exchange(before, after).await? {
            return Ok(());
        }
        Err(StoreError::Locked { path: self.place(), holder: "it changed the collection meanwhile".to_owned() })
    }
}
