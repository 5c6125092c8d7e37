//! A view: what one search has read, namely the states of collections and its candidates. A search so reads each once,
//! and all its steps see the same.

use std::collections::HashMap;
use std::sync::Mutex;

use qdrant_client::qdrant::{RetrievedPoint, ScoredPoint, VectorsOutput, vector_output};

use super::Server;
use super::layout::{Fields, MEANING};
use super::state::CollectionStates;
use crate::base::locked;
use crate::domain::ChunkId;

/// How much of a chunk was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Its title and its language.
    Named,
    /// Everything that is shown of it.
    Shown,
    /// Also its token states and its vector.
    Whole,
}

/// A chunk as far as it was read.
#[derive(Clone, Debug, Default)]
pub(super) struct CachedChunk {
    pub(super) fields: Fields,
    pub(super) embedding: Option<Vec<f32>>,
    shown: bool,
    whole: bool,
}

impl CachedChunk {
    /// From a point that was read.
    pub(super) fn read(point: RetrievedPoint) -> Self {
        CachedChunk { embedding: point.vectors.and_then(embedding), fields: point.payload, ..CachedChunk::default() }
    }

    pub(super) fn reaches(&self, depth: Depth) -> bool {
        match depth {
            Depth::Named => true,
            Depth::Shown => self.shown,
            Depth::Whole => self.whole,
        }
    }
}

fn embedding(vectors: VectorsOutput) -> Option<Vec<f32>> {
    match vectors.get_vector_by_name(MEANING)? {
        vector_output::Vector::Dense(dense) => Some(dense.data),
        _ => None,
    }
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct View {
    pub(super) states: tokio::sync::Mutex<Option<CollectionStates>>,
    chunks: Mutex<HashMap<ChunkId, CachedChunk>>,
}

impl View {
    /// Adds what the server sent of a chunk to what is known of it.
    pub(super) fn keep(&self, id: ChunkId, point: ScoredPoint, depth: Depth) {
        let mut chunks = locked(&self.chunks);
        let known = chunks.entry(id).or_default();
        known.fields.extend(point.payload);
        if depth == Depth::Whole {
            known.embedding = point.vectors.and_then(embedding);
        }
        known.shown |= known.fields.contains_key("text");
        known.whole |= depth == Depth::Whole;
    }

    /// What is known of a chunk, if it reaches this depth.
    pub(super) fn known(&self, id: ChunkId, depth: Depth) -> Option<CachedChunk> {
        let chunks = locked(&self.chunks);
        chunks.get(&id).filter(|known| known.reaches(depth)).cloned()
    }
}

impl Server {
    /// Forgets a view's collection states, so that they are read again.
    pub(super) async fn look_again(&self) {
        if let Some(view) = &self.view {
            *view.states.lock().await = None;
        }
    }
}
