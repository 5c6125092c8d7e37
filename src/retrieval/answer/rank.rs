//! The answer score in a search: raises candidates of collections with a model, and marks the answer in the hits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::model::{AnswerModel, Question, direction};
use crate::domain::{ChunkId, Hit};
use crate::embed::{Embedder, Text};
use crate::retrieval::RetrievalError;
use crate::retrieval::fuse::{Candidate, sort};
use crate::store::Store;

/// The models by the name of their collection.
pub type AnswerModels = BTreeMap<String, Arc<AnswerModel>>;

/// The model of each candidate that has one.
pub(in crate::retrieval) type Lookers = HashMap<ChunkId, Arc<AnswerModel>>;

/// Finds the model for each candidate. If only one collection is searched, the chunks are not read from the store.
pub(in crate::retrieval) async fn lookers(
    models: &AnswerModels,
    collections: &[String],
    store: &dyn Store,
    candidates: &[ChunkId],
) -> Result<Lookers, RetrievalError> {
    if models.is_empty() {
        return Ok(Lookers::new());
    }
    if let [only] = collections {
        let model = models.get(only);
        return Ok(candidates.iter().filter_map(|id| Some((*id, Arc::clone(model?)))).collect());
    }
    let chunks = store.chunks(candidates).await?;
    Ok(chunks.iter().filter_map(|chunk| Some((chunk.id, Arc::clone(models.get(&chunk.collection)?)))).collect())
}

/// The answer score that a model gives a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::retrieval) struct ModelScore {
    id: ChunkId,
    score: f32,
    /// The factor of the score.
    weight: f32,
}

/// Scores the candidates that have a model and states.
pub(in crate::retrieval) fn scores(
    question: &Question,
    lookers: &Lookers,
    candidates: &[ChunkId],
    states: &[Vec<u8>],
    embedder: &dyn Embedder,
    with_late: bool,
) -> Vec<ModelScore> {
    let mut directions: BTreeMap<*const AnswerModel, Vec<f32>> = BTreeMap::new();
    let mut said = Vec::new();
    for (id, states) in candidates.iter().zip(states) {
        let Some(model) = lookers.get(id) else { continue };
        let known = directions.entry(Arc::as_ptr(model));
        let direction = known.or_insert_with(|| direction(&model.matrix, &question.vector));
        if let Some(score) = model.score(question, direction, embedder, states) {
            let weight = if with_late { model.weights.with_late } else { model.weights.alone };
            said.push(ModelScore { id: *id, score, weight });
        }
    }
    said
}

/// Adds to each candidate's score the difference between its weighted answer score and the mean of all. Within one
/// collection, this has the same effect as adding the score; next to a collection without a model, it favours neither.
pub(in crate::retrieval) fn raise(candidates: &mut [Candidate], said: &[ModelScore]) {
    if said.is_empty() {
        return;
    }
    let mean = said.iter().map(|one| one.weight * one.score).sum::<f32>() / said.len() as f32;
    let by_id: HashMap<ChunkId, &ModelScore> = said.iter().map(|one| (one.id, one)).collect();
    for candidate in candidates.iter_mut() {
        if let Some(one) = by_id.get(&candidate.id) {
            candidate.score += one.weight * one.score - mean;
            candidate.parts.answer = Some(one.score);
        }
    }
    // Candidates that are further down and so were not scored by a model stay further down.
    let looked = candidates.iter().rposition(|candidate| by_id.contains_key(&candidate.id)).map_or(0, |last| last + 1);
    let (front, rest) = candidates.split_at_mut(looked);
    sort(front);
    let lowest = front.last().map_or(f32::INFINITY, |candidate| candidate.score);
    rest.iter_mut().for_each(|candidate| candidate.score = candidate.score.min(lowest));
}

/// Marks the word that begins the answer in each hit that a model scored.
pub(in crate::retrieval) async fn mark(
    hits: &mut [Hit],
    question: &Question,
    models: &AnswerModels,
    embedder: &dyn Embedder,
    store: &dyn Store,
) -> Result<(), RetrievalError> {
    let looked: Vec<&mut Hit> = hits.iter_mut().filter(|hit| hit.parts.answer.is_some()).collect();
    let ids: Vec<ChunkId> = looked.iter().map(|hit| hit.chunk.id).collect();
    let states = store.states(&ids).await?;
    for (hit, states) in looked.into_iter().zip(states) {
        let Some(model) = models.get(&hit.chunk.collection) else { continue };
        let text = Text::of_chunk(&hit.chunk);
        let before = text.text.len() - hit.chunk.text.len();
        let found = model.locate(question, embedder, &states, &embedder.state_ranges(&text), before..text.text.len());
        hit.answer = found.map(|range| range.start - before..range.end - before);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DocumentId, ScoreParts};

    fn id(number: u64) -> ChunkId {
        ChunkId { document: DocumentId(number), ordinal: 0 }
    }

    fn check(scores: &[f32], said: &[(u64, f32)], expected: &[(u64, f32)]) {
        let candidate =
            |(at, &score): (usize, &f32)| Candidate { id: id(at as u64), score, parts: ScoreParts::default() };
        let mut candidates: Vec<Candidate> = scores.iter().enumerate().map(candidate).collect();
        let said: Vec<ModelScore> =
            said.iter().map(|&(at, score)| ModelScore { id: id(at), score, weight: 10.0 }).collect();
        raise(&mut candidates, &said);
        let found: Vec<(u64, f32)> = candidates.iter().map(|one| (one.id.document.0, one.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn candidates_rise_and_fall_by_their_distance_from_the_mean() {
        check(&[3.0, 2.0], &[(0, 0.25), (1, 0.75)], &[(1, 4.5), (0, 0.5)]);
        check(&[3.0, 2.0], &[], &[(0, 3.0), (1, 2.0)]);
    }

    #[test]
    fn a_candidate_without_a_model_keeps_its_score() {
        check(&[3.0, 2.9, 2.0], &[(0, 0.25), (2, 0.75)], &[(2, 4.5), (1, 2.9), (0, 0.5)]);
    }

    #[test]
    fn what_was_not_looked_at_stays_behind() {
        check(&[3.0, 2.0, 1.0], &[(0, 0.0), (1, 0.5)], &[(1, 4.5), (0, 0.5), (2, 0.5)]);
    }
}
