//! Reads data that is not found by a search: records, chunks, text, states.

use std::collections::HashMap;
use std::ops::Range;

use futures::future::try_join_all;
use qdrant_client::qdrant::{Condition, RetrievedPoint};

use super::Server;
use super::client::number;
use super::error::damaged;
use super::layout::{
    self, CHUNK_FIELDS, DOCUMENT, KIND, MEANING, NAME_FIELDS, PATH_SUFFIXES, PIECE, STATES, VERSION, is_text,
};
use super::put::point_in;
use super::state::{CollectionState, CollectionStates};
use super::view::{CachedChunk, Depth};
use crate::domain::{ChunkId, DocumentId, DocumentRecord, Language, StoredChunk};
use crate::store::{ChunkName, StoreError};

/// The pieces of text that are read at once.
const PIECES_AT_ONCE: u64 = 64;

/// The part of chunks that is read.
#[derive(Clone, Copy)]
enum ChunkFields {
    /// The title and language.
    Names,
    /// Everything that is shown.
    Fields,
    /// Token states.
    TokenStates,
    /// Embeddings.
    Embeddings,
}

impl ChunkFields {
    /// Returns how much of a chunk a search must have kept for this.
    fn depth(self) -> Depth {
        match self {
            ChunkFields::Names => Depth::Named,
            ChunkFields::Fields => Depth::Shown,
            ChunkFields::TokenStates | ChunkFields::Embeddings => Depth::Whole,
        }
    }

    fn is_of_embedder(self) -> bool {
        matches!(self, ChunkFields::TokenStates | ChunkFields::Embeddings)
    }
}

impl Server {
    pub(super) async fn documents(&self, name: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        let state = self.states().await?.find(name)?;
        let mut records = self.records(&state, Vec::new()).await?;
        records.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(records)
    }

    pub(super) async fn find_documents(&self, path: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        let states = self.states().await?;
        let found = states.all.iter().map(|state| self.records(state, vec![is_text(PATH_SUFFIXES, path)]));
        let mut records: Vec<DocumentRecord> = try_join_all(found).await?.into_iter().flatten().collect();
        records.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.collection.cmp(&b.collection)));
        Ok(records)
    }

    /// Returns the visible records of a collection, in any order.
    async fn records(
        &self,
        state: &CollectionState,
        mut must: Vec<Condition>,
    ) -> Result<Vec<DocumentRecord>, StoreError> {
        must.push(is_text(KIND, DOCUMENT));
        let points = self.client.scroll(&state.texts(&self.options.prefix), state.visible(must), &[]).await?;
        let read = |point: &RetrievedPoint| {
            let record = layout::record(point, state.number, &state.collection.name);
            record.ok_or_else(|| damaged(self.client.url(), "a document's record"))
        };
        points.unwrap_or_default().iter().map(read).collect()
    }

    /// Returns the ids and the numbers of chunks of the visible documents, by version.
    pub(super) async fn sizes(&self, state: &CollectionState) -> Result<Vec<(DocumentId, u64)>, StoreError> {
        let must = vec![is_text(KIND, DOCUMENT)];
        let texts = state.texts(&self.options.prefix);
        let points = self.client.scroll(&texts, state.visible(must), &[VERSION, "chunks"]).await?;
        let size = |point: RetrievedPoint| {
            let version = layout::unsigned(&point.payload, VERSION)?;
            Some((layout::document_id(state.number, version), layout::unsigned(&point.payload, "chunks")?))
        };
        let mut sizes: Vec<_> = points.unwrap_or_default().into_iter().filter_map(size).collect();
        sizes.sort_unstable_by_key(|(id, _)| *id);
        Ok(sizes)
    }

    /// Returns the requested part of those chunks whose versions are visible.
    async fn of_chunks(
        &self,
        states: &CollectionStates,
        ids: &[ChunkId],
        wanted_of: ChunkFields,
    ) -> Result<HashMap<ChunkId, CachedChunk>, StoreError> {
        let prefix = &self.options.prefix;
        let mut found: HashMap<ChunkId, CachedChunk> = HashMap::new();
        if let Some(view) = &self.view {
            found.extend(ids.iter().filter_map(|&id| Some((id, view.known(id, wanted_of.depth())?))));
        }
        let found_before = &found;
        let reads = states.all.iter().map(|state| async move {
            let shown = ids
                .iter()
                .filter(|id| state.is_visible(layout::parts(id.document).1) && !found_before.contains_key(id));
            let mut wanted: Vec<u64> = shown.filter_map(|&id| point_in(state.number, id)).collect();
            wanted.sort_unstable();
            wanted.dedup();
            if wanted.is_empty() || (wanted_of.is_of_embedder() && state.collection.embedder.is_none()) {
                return Ok(Vec::new());
            }
            let (fields, vectors): (&'static [&'static str], &'static [&'static str]) = match wanted_of {
                ChunkFields::Names => (NAME_FIELDS, &[]),
                ChunkFields::Fields => (CHUNK_FIELDS, &[]),
                ChunkFields::TokenStates => (&[STATES], &[]),
                ChunkFields::Embeddings => (&[VERSION], &[MEANING]),
            };
            let points = self.client.get(&state.chunks(prefix, state.slot), &wanted, fields, vectors).await?;
            let named = points.into_iter().filter_map(|point| {
                let (version, ordinal) = layout::version_and_ordinal(number(point.id.as_ref())?);
                let id = ChunkId { document: layout::document_id(state.number, version), ordinal };
                Some((id, CachedChunk::read(point)))
            });
            Ok::<_, StoreError>(named.collect())
        });
        let read: Vec<Vec<(ChunkId, CachedChunk)>> = try_join_all(reads).await?;
        found.extend(read.into_iter().flatten());
        Ok(found)
    }

    pub(super) async fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        let states = self.states().await?;
        let known = self.of_chunks(&states, ids, ChunkFields::Fields).await?;
        let by_number = states.by_number();
        let mut chunks = Vec::with_capacity(ids.len());
        for &id in ids {
            if let (Some(known), Some(state)) = (known.get(&id), by_number.get(&layout::parts(id.document).0)) {
                let chunk = layout::chunk(id, &known.fields, &state.collection.name);
                chunks.push(chunk.ok_or_else(|| damaged(self.client.url(), "a chunk"))?);
            }
        }
        Ok(chunks)
    }

    pub(super) async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError> {
        let states = self.states().await?;
        let known = self.of_chunks(&states, ids, ChunkFields::Names).await?;
        let name = |id| {
            let fields = &known.get(id)?.fields;
            let language = Language::from_code(layout::text(fields, "chunk_language")?);
            Some(ChunkName { title: layout::text(fields, "title").unwrap_or_default().into(), language })
        };
        Ok(ids.iter().map(name).collect())
    }

    pub(super) async fn token_states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError> {
        let states = self.states().await?;
        let known = self.of_chunks(&states, ids, ChunkFields::TokenStates).await?;
        let read = |id| match known.get(id) {
            None => Ok(Vec::new()),
            Some(known) => {
                layout::states(&known.fields).ok_or_else(|| damaged(self.client.url(), "the token states of a chunk"))
            }
        };
        ids.iter().map(read).collect()
    }

    /// Returns the embeddings of chunks, in the order requested.
    pub(super) async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        let states = self.states().await?;
        let known = self.of_chunks(&states, ids, ChunkFields::Embeddings).await?;
        Ok(ids.iter().map(|id| known.get(id)?.embedding.clone()).collect())
    }

    /// Returns the embeddings of a document's chunks, with their ordinals.
    pub(super) async fn document_embeddings(&self, id: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError> {
        let states = self.states().await?;
        let Some(record) = self.record(&states, id).await? else { return Ok(Vec::new()) };
        let ids: Vec<ChunkId> = (0..record.chunks).map(|ordinal| ChunkId { document: id, ordinal }).collect();
        let found = self.embeddings(&ids).await?;
        Ok((0..).zip(found).filter_map(|(ordinal, embedding)| Some((ordinal, embedding?))).collect())
    }

    /// Returns the record of a version if it is visible.
    pub(super) async fn record(
        &self,
        states: &CollectionStates,
        id: DocumentId,
    ) -> Result<Option<DocumentRecord>, StoreError> {
        let (collection, version) = layout::parts(id);
        let Some(state) = states.all.iter().find(|state| state.number == collection && state.is_visible(version))
        else {
            return Ok(None);
        };
        let texts = state.texts(&self.options.prefix);
        let points = self.client.get(&texts, &[layout::record_point(version)], &[], &[]).await?;
        let read = |point| {
            layout::record(point, state.number, &state.collection.name)
                .ok_or_else(|| damaged(self.client.url(), "a document's record"))
        };
        points.first().map(read).transpose()
    }

    /// Empty for a document that is no longer there.
    pub(super) async fn text(&self, id: DocumentId, range: Range<usize>) -> Result<String, StoreError> {
        let states = self.states().await?;
        let Some(record) = self.record(&states, id).await? else { return Ok(String::new()) };
        let length = usize::try_from(record.text_bytes).unwrap_or(usize::MAX);
        let (start, end) = (range.start.min(length), range.end.min(length));
        if start >= end {
            return Ok(String::new());
        }
        let (collection, version) = layout::parts(id);
        let Some(state) = states.by_number().get(&collection).copied() else { return Ok(String::new()) };
        // A piece may begin a few bytes early, so that it begins at a character border.
        let (first, last) = ((start / PIECE) as u64, ((end + 3).min(length - 1) / PIECE) as u64);
        let mut text = String::new();
        let mut begin = None;
        let pieces: Vec<u64> = (first..=last).map(|piece| layout::piece_point(version, piece)).collect();
        for some in pieces.chunks(PIECES_AT_ONCE as usize) {
            let mut points = self.client.get(&state.texts(&self.options.prefix), some, &["start", "text"], &[]).await?;
            points.sort_by_key(|point| number(point.id.as_ref()));
            for point in &points {
                let piece = layout::text(&point.payload, "text").zip(layout::unsigned(&point.payload, "start"));
                let (piece, at) = piece.ok_or_else(|| damaged(self.client.url(), "a piece of text"))?;
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                let begin = *begin.get_or_insert(at);
                if begin + text.len() != at {
                    return Err(damaged(self.client.url(), "a document's text, of which a piece is missing,"));
                }
                text.push_str(piece);
            }
        }
        let Some(begin) = begin else { return Ok(text) };
        if begin > start || begin + text.len() < end {
            return Err(damaged(self.client.url(), "a document's text, of which a piece is missing,"));
        }
        let (from, until) = (text.floor_char_boundary(start - begin), text.ceil_char_boundary(end - begin));
        Ok(text.get(from..until).unwrap_or_default().to_owned())
    }
}
