//! Reads whole documents, many in a few calls.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant::RetrievedPoint;

use super::Server;
use super::client::number;
use super::error::damaged;
use super::layout::{self, MEANING, PIECE};
use super::put::point_in;
use super::state::CollectionState;
use super::view::CachedChunk;
use crate::domain::{ChunkId, ChunkVectors, DocumentId, DocumentRecord, StoredChunk};
use crate::store::{NewDocument, StoreError, whole};

/// Points per answer: pieces of text of 32 KB, or chunks with their token states.
const POINTS_AT_ONCE: usize = 256;

impl Server {
    pub(super) async fn whole(&self, records: &[DocumentRecord]) -> Result<Vec<NewDocument>, StoreError> {
        let states = self.states().await?;
        let mut found: HashMap<DocumentId, NewDocument> = HashMap::new();
        for state in &states.all {
            let of_state = |record: &&DocumentRecord| {
                let (collection, version) = layout::parts(record.id);
                collection == state.number && state.is_visible(version)
            };
            let records: Vec<&DocumentRecord> = records.iter().filter(of_state).collect();
            if !records.is_empty() {
                found.extend(self.documents_in(state, &records).await?);
            }
        }
        let gone = |record: &DocumentRecord| damaged(self.client.url(), &format!("{} has gone meanwhile", record.path));
        records.iter().map(|record| found.remove(&record.id).ok_or_else(|| gone(record))).collect()
    }

    async fn documents_in(
        &self,
        state: &CollectionState,
        records: &[&DocumentRecord],
    ) -> Result<HashMap<DocumentId, NewDocument>, StoreError> {
        let prefix = &self.options.prefix;
        let chunks = records.iter().flat_map(|record| {
            let document = record.id;
            (0..record.chunks).filter_map(move |ordinal| point_in(state.number, ChunkId { document, ordinal }))
        });
        let pieces = records.iter().flat_map(|record| {
            let (version, bytes) = (layout::parts(record.id).1, record.text_bytes);
            (0..bytes.div_ceil(PIECE as u64)).map(move |piece| layout::piece_point(version, piece))
        });
        let (chunks, pieces): (Vec<u64>, Vec<u64>) = (chunks.collect(), pieces.collect());
        let slot = state.chunks(prefix, state.slot);
        let texts = state.texts(prefix);
        // Asking for a vector that the collection does not have is an error.
        let vectors: &[&str] = if state.collection.embedder.is_some() { &[MEANING] } else { &[] };
        let (chunks, pieces) = futures::try_join!(
            self.points(&slot, &chunks, &[], vectors),
            self.points(&texts, &pieces, &["start", "text"], &[]),
        )?;
        let mut whole = HashMap::with_capacity(records.len());
        for &record in records {
            let version = layout::parts(record.id).1;
            let text = self.joined(pieces.range(layout::piece_point(version, 0)..layout::record_point(version)))?;
            let has_embedder = state.collection.embedder.is_some();
            let mut vectors = vec![None; if has_embedder { record.chunks as usize } else { 0 }];
            let mut stored: Vec<StoredChunk> = Vec::with_capacity(record.chunks as usize);
            for (&point, found) in chunks.range(layout::chunk_point(version, 0)..layout::piece_point(version, 0)) {
                let id = ChunkId { document: record.id, ordinal: layout::version_and_ordinal(point).1 };
                let known = CachedChunk::read(found.clone());
                let states = layout::states(&known.fields)
                    .ok_or_else(|| damaged(self.client.url(), "the token states of a chunk"))?;
                if let (Some(embedding), Some(place)) = (known.embedding, vectors.get_mut(id.ordinal as usize)) {
                    *place = Some(ChunkVectors { embedding, states });
                }
                let chunk = layout::chunk(id, &known.fields, &state.collection.name);
                stored.push(chunk.ok_or_else(|| damaged(self.client.url(), "a chunk"))?);
            }
            whole.insert(record.id, NewDocument { document: whole::document(record, text, stored), vectors });
        }
        Ok(whole)
    }

    /// Reads points by number, `POINTS_AT_ONCE` per call.
    async fn points(
        &self,
        collection: &str,
        ids: &[u64],
        fields: &'static [&'static str],
        vectors: &'static [&'static str],
    ) -> Result<BTreeMap<u64, RetrievedPoint>, StoreError> {
        let mut points = BTreeMap::new();
        for ids in ids.chunks(POINTS_AT_ONCE) {
            let found = self.client.get(collection, ids, fields, vectors).await?;
            points.extend(found.into_iter().filter_map(|point| Some((number(point.id.as_ref())?, point))));
        }
        Ok(points)
    }

    /// Joins consecutive pieces of a text.
    fn joined<'p>(&self, pieces: impl Iterator<Item = (&'p u64, &'p RetrievedPoint)>) -> Result<String, StoreError> {
        let mut text = String::new();
        for (_, point) in pieces {
            let piece = layout::text(&point.payload, "text").zip(layout::unsigned(&point.payload, "start"));
            match piece {
                Some((piece, start)) if start == text.len() as u64 => text.push_str(piece),
                _ => return Err(damaged(self.client.url(), "a document's text, of which a piece is missing,")),
            }
        }
        Ok(text)
    }
}
