//! Retrieval by answers alone: ranks all passages of the set by the best token that the matrix finds in each, without a
//! search before it or other evidence beside it.

use rayon::prelude::*;

use super::examples::TrainingSet;
use crate::embed::Embedder;
use crate::retrieval::answer::direction;

/// The number of questions whose products with a passage are computed at once: its states are unpacked once for all of
/// them.
const AT_ONCE: usize = 32;

/// For each question, one over the rank of the first document with an answer. A document's score is that of its best
/// token; ties go to the document that comes first in the set.
pub(super) fn reciprocal_ranks(
    set: &TrainingSet,
    embedder: &dyn Embedder,
    questions: &[usize],
    matrix: &[f32],
) -> Vec<f64> {
    let rank = |questions: &[usize]| -> Vec<f64> {
        let directions: Vec<Vec<f32>> =
            questions.iter().map(|&at| direction(matrix, &set.examples[at].question.vector)).collect();
        let vectors: Vec<&[f32]> = directions.iter().map(Vec::as_slice).collect();
        let mut scores = vec![vec![f32::NEG_INFINITY; set.passages.len()]; questions.len()];
        for (states, &document) in set.passages.iter().zip(&set.documents) {
            let products = embedder.inner_products(&vectors, states);
            // A passage may have no states.
            let tokens = (products.len() / vectors.len().max(1)).max(1);
            for (scores, products) in scores.iter_mut().zip(products.chunks(tokens)) {
                scores[document] = products.iter().copied().fold(scores[document], f32::max);
            }
        }
        questions.iter().zip(&scores).map(|(&at, scores)| first_answer(set, at, scores)).collect()
    };
    questions.par_chunks(AT_ONCE).flat_map_iter(rank).collect()
}

fn first_answer(set: &TrainingSet, question: usize, scores: &[f32]) -> f64 {
    let answers = set.examples[question].answers.iter().map(|answer| set.documents[answer.passage]);
    let before = |a: usize, b: usize| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)).is_lt();
    let Some(first) = answers.reduce(|a, b| if before(b, a) { b } else { a }) else { return 0.0 };
    let ahead = (0..scores.len()).filter(|&other| scores[other].is_finite() && before(other, first)).count();
    1.0 / (ahead + 1) as f64
}
