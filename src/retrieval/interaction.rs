use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::RetrievalError;
use super::late::{query_words, token_weights, weighted_mean};
use super::place::{best_place, max_sims, reach};
use crate::base::text::Language;
use crate::domain::ChunkId;
use crate::embed::{Embedder, QueryVectors};

/// The number of passages per parallel batch: the query is prepared again for each batch.
const COMPARED_AT_ONCE: usize = 13;

/// Up to this many bytes of states are compared by one thread: it takes about a millisecond, and the other threads of a
/// server have searches of their own.
const COMPARED_ALONE: usize = 512 << 10;

/// The late interaction of one query with the passages compared so far.
pub(super) struct Interaction {
    embedder: Arc<dyn Embedder>,
    query: Arc<QueryVectors>,
    /// One weight for each token of the query.
    pub(super) weights: Vec<f32>,
    local_share: f32,
    /// The best similarities of each passage that has states.
    pub(super) max_sims: HashMap<ChunkId, Vec<f32>>,
    scores: HashMap<ChunkId, f32>,
}

/// How a passage matches a query.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageMatch {
    /// For each token of the query, its best similarity among the tokens of the passage.
    pub max_sims: Vec<f32>,
    /// The weighted mean of `max_sims`, mixed with that of the matches in the place where it is highest.
    pub score: f32,
}

impl PassageMatch {
    /// Computes the match from the similarities of the query's tokens, as given by an embedder. `weights` are those of
    /// the tokens; the best place has `local_share` of the score. `None` for a passage without states.
    pub fn of(similarities: &[f32], weights: &[f32], local_share: f32) -> Option<Self> {
        let max_sims = max_sims(similarities, weights.len());
        let anywhere = weighted_mean(&max_sims, weights)?;
        let score = if local_share > 0.0 {
            let in_place = best_place(similarities, weights, reach(weights.len()))?;
            (1.0 - local_share) * anywhere + local_share * in_place
        } else {
            anywhere
        };
        Some(PassageMatch { max_sims, score })
    }
}

impl Interaction {
    /// For a query with this `text`; `None` if it has no states. `weights` are the weights of its terms, and `language`
    /// is the language of its words; the best place of a passage has `local_share` of its score.
    pub(super) fn new(
        embedder: Arc<dyn Embedder>,
        text: &str,
        query: QueryVectors,
        language: Language,
        weights: &BTreeMap<String, f32>,
        local_share: f32,
    ) -> Option<Self> {
        if query.states.is_empty() {
            return None;
        }
        let weights = token_weights(&query_words(text, &query.states), query.states.len(), language, weights);
        let (max_sims, scores) = Default::default();
        Some(Interaction { embedder, query: Arc::new(query), weights, local_share, max_sims, scores })
    }

    /// Compares more passages, given their states.
    pub(super) async fn compare(&mut self, ids: &[ChunkId], states: Vec<Vec<u8>>) -> Result<(), RetrievalError> {
        let (embedder, query) = (Arc::clone(&self.embedder), Arc::clone(&self.query));
        let (weights, local_share) = (self.weights.clone(), self.local_share);
        let matches = tokio::task::spawn_blocking(move || -> Vec<Option<PassageMatch>> {
            let compare = |some: &[Vec<u8>]| -> Vec<Option<PassageMatch>> {
                let similarities = embedder.similarities(&query, some);
                similarities.iter().map(|of_one| PassageMatch::of(of_one, &weights, local_share)).collect()
            };
            if states.iter().map(Vec::len).sum::<usize>() <= COMPARED_ALONE {
                return compare(&states);
            }
            states.par_chunks(COMPARED_AT_ONCE).flat_map_iter(compare).collect()
        })
        .await
        .map_err(RetrievalError::Stopped)?;
        for (&id, found) in ids.iter().zip(matches) {
            if let Some(found) = found {
                self.scores.insert(id, found.score);
                self.max_sims.insert(id, found.max_sims);
            }
        }
        Ok(())
    }

    /// The score of a passage, if it was compared and has states.
    pub(super) fn score(&self, id: &ChunkId) -> Option<f32> {
        self.scores.get(id).copied()
    }
}
