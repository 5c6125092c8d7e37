use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::RetrievalError;
use super::late::{query_words, token_weights, weighted_mean};
use crate::base::text::Language;
use crate::domain::ChunkId;
use crate::embed::{Embedder, QueryVectors};

/// The late interaction of one query with the passages compared so far.
pub(super) struct Interaction {
    embedder: Arc<dyn Embedder>,
    query: Arc<QueryVectors>,
    /// Of each of the query's tokens.
    pub(super) weights: Vec<f32>,
    /// Of each passage that has states.
    pub(super) max_sims: HashMap<ChunkId, Vec<f32>>,
}

impl Interaction {
    /// `None` for a query without states. `weights` are those of its terms, `language` that of its words.
    pub(super) fn new(
        embedder: Arc<dyn Embedder>,
        query: QueryVectors,
        language: Language,
        weights: &BTreeMap<String, f32>,
    ) -> Option<Self> {
        if query.states.is_empty() {
            return None;
        }
        let weights = token_weights(&query_words(&query.states), query.states.len(), language, weights);
        Some(Interaction { embedder, query: Arc::new(query), weights, max_sims: HashMap::new() })
    }

    /// Compares more passages, whose states these are.
    pub(super) async fn compare(&mut self, ids: &[ChunkId], states: Vec<Vec<u8>>) -> Result<(), RetrievalError> {
        let (embedder, query) = (Arc::clone(&self.embedder), Arc::clone(&self.query));
        let max_sims = tokio::task::spawn_blocking(move || -> Vec<Vec<f32>> {
            states.par_iter().map(|states| embedder.max_sim(&query, states)).collect()
        })
        .await
        .map_err(RetrievalError::Stopped)?;
        self.max_sims.extend(ids.iter().copied().zip(max_sims).filter(|(_, sims)| !sims.is_empty()));
        Ok(())
    }

    /// The score of a passage that was compared and has states.
    pub(super) fn score(&self, id: &ChunkId) -> Option<f32> {
        self.max_sims.get(id).and_then(|sims| weighted_mean(sims, &self.weights))
    }
}
