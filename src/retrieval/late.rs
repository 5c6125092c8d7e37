//! Late interaction: every token of the query looks for its best match among the tokens of a passage, and rare words
//! count for more.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fuse::{Candidate, sort};
use crate::base::text::Language;
use crate::base::text::analysis::terms;
use crate::embed::TokenState;

/// A token of a word that the analysis drops (a stop word) still tells a little: word order and role reach its state.
const STOP_WORD_WEIGHT: f32 = 0.1;

/// A word of the query and the tokens that it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// The pieces put together.
    pub text: String,
    /// Indices of its states.
    pub tokens: Range<usize>,
}

/// Puts word pieces together: a piece that begins with `##` continues the word before it.
pub fn query_words(states: &[TokenState]) -> Vec<QueryWord> {
    let mut words: Vec<QueryWord> = Vec::new();
    for (index, state) in states.iter().enumerate() {
        match (state.token.strip_prefix("##"), words.last_mut()) {
            (Some(rest), Some(word)) if !rest.is_empty() => {
                word.text.push_str(rest);
                word.tokens.end = index + 1;
            }
            _ => words.push(QueryWord { text: state.token.clone(), tokens: index..index + 1 }),
        }
    }
    words
}

/// How telling a term is that `holding` of `chunks` chunks hold; always positive.
pub fn inverse_document_frequency(holding: u64, chunks: u64) -> f32 {
    // An index that lags behind the count of chunks must not make this negative.
    let (holding, chunks) = (holding as f64, chunks.max(holding) as f64);
    (1.0 + (chunks - holding + 0.5) / (holding + 0.5)).ln() as f32
}

/// A weight for each of `tokens` states: the weight of its word's rarest term in `language`. A word that has no terms
/// is a stop word; a term without a known weight counts 1.
pub fn token_weights(
    words: &[QueryWord],
    tokens: usize,
    language: Language,
    weights: &BTreeMap<String, f32>,
) -> Vec<f32> {
    let mut by_token = vec![STOP_WORD_WEIGHT; tokens];
    for word in words {
        let weight = terms(&word.text, language)
            .iter()
            .map(|term| weights.get(&term.text).copied().unwrap_or(1.0))
            .max_by(f32::total_cmp)
            .unwrap_or(STOP_WORD_WEIGHT);
        for slot in by_token.iter_mut().take(word.tokens.end).skip(word.tokens.start) {
            *slot = weight;
        }
    }
    by_token
}

/// The weighted mean of a passage's max-sims; `None` where the passage has no states.
pub fn weighted_mean(max_sims: &[f32], weights: &[f32]) -> Option<f32> {
    let total: f32 = max_sims.iter().zip(weights).map(|(_, weight)| weight).sum();
    let sum: f32 = max_sims.iter().zip(weights).map(|(sim, weight)| sim * weight).sum();
    (total > 0.0).then(|| sum / total)
}

/// Puts the first candidates, one for each entry of `scores`, in a new order: by fused score plus `weight` times the
/// re-ranker's score. A candidate without a re-ranker's score keeps its place, and the others change among the places
/// that are left: the re-ranker says nothing about it, so it is neither raised nor lowered by chance. It takes the
/// score of the place above it (the first of all, of the place below it), so scores still fall along the list.
/// Candidates after those stay behind.
pub fn rerank(candidates: &mut [Candidate], scores: &[Option<f32>], weight: f32) {
    let count = scores.len().min(candidates.len());
    let (head, tail) = candidates.split_at_mut(count);
    let mut ranked: Vec<Candidate> = Vec::with_capacity(count);
    for (candidate, score) in head.iter().zip(scores) {
        if let Some(score) = *score {
            let mut candidate = *candidate;
            candidate.score += weight * score;
            candidate.parts.rerank = Some(score);
            ranked.push(candidate);
        }
    }
    let Some(highest) = ranked.iter().map(|candidate| candidate.score).max_by(f32::total_cmp) else {
        return;
    };
    sort(&mut ranked);
    let mut ranked = ranked.into_iter();
    let mut above = highest;
    for (place, score) in head.iter_mut().zip(scores) {
        if score.is_some() {
            if let Some(next) = ranked.next() {
                *place = next;
            }
        } else {
            place.score = above;
        }
        above = place.score;
    }
    for candidate in tail {
        candidate.score = candidate.score.min(above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ChunkId, DocumentId, ScoreParts};

    fn states(tokens: &[&str]) -> Vec<TokenState> {
        tokens.iter().map(|&token| TokenState { token: token.to_owned(), state: Vec::new() }).collect()
    }

    fn check_words(tokens: &[&str], expected: &[(&str, Range<usize>)]) {
        let found: Vec<(String, Range<usize>)> =
            query_words(&states(tokens)).into_iter().map(|word| (word.text, word.tokens)).collect();
        let expected: Vec<_> = expected.iter().map(|(text, range)| ((*text).to_owned(), range.clone())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_make_words() {
        check_words(&[], &[]);
        check_words(&["where", "una", "##ffa", "##ble", "is"], &[("where", 0..1), ("unaffable", 1..4), ("is", 4..5)]);
        check_words(&["##ing"], &[("##ing", 0..1)]);
    }

    #[test]
    fn pieces_weigh_what_their_word_weighs() {
        let states = states(&["quag", "##ga", "river"]);
        let weights = BTreeMap::from([("quagga".to_owned(), 7.0), ("river".to_owned(), 2.0)]);
        let found = token_weights(&query_words(&states), 3, Language::ENGLISH, &weights);
        assert_eq!(found, [7.0, 7.0, 2.0]);
    }

    #[test]
    fn rarer_terms_weigh_more_and_never_less_than_nothing() {
        let weight = inverse_document_frequency;
        assert!(weight(0, 100) > weight(1, 100) && weight(1, 100) > weight(99, 100));
        assert!(weight(100, 100) > 0.0 && weight(100, 10) > 0.0 && weight(0, 0) > 0.0);
    }

    #[test]
    fn the_mean_is_weighted() {
        assert_eq!(weighted_mean(&[1.0, 0.0], &[3.0, 1.0]), Some(0.75));
        assert_eq!(weighted_mean(&[], &[3.0, 1.0]), None);
    }

    fn check_rerank(fused: &[(u64, f32)], scores: &[Option<f32>], weight: f32, expected: &[(u64, f32)]) {
        let id = |document| ChunkId { document: DocumentId(document), ordinal: 0 };
        let mut candidates: Vec<Candidate> = fused
            .iter()
            .map(|&(document, score)| Candidate { id: id(document), score, parts: ScoreParts::default() })
            .collect();
        rerank(&mut candidates, scores, weight);
        let found: Vec<(u64, f32)> = candidates.iter().map(|hit| (hit.id.document.0, hit.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_re_ranker_decides_and_the_fused_score_breaks_near_ties() {
        check_rerank(&[(1, 2.0), (2, 1.0)], &[Some(0.25), Some(0.5)], 100.0, &[(2, 51.0), (1, 27.0)]);
        check_rerank(&[(1, 2.0), (2, 1.0)], &[Some(0.5), Some(0.5)], 100.0, &[(1, 52.0), (2, 51.0)]);
    }

    #[test]
    fn candidates_without_states_keep_their_place() {
        let fused = [(1, 3.0), (2, 2.0), (3, 1.0)];
        check_rerank(&fused, &[Some(0.0), None, Some(0.5)], 100.0, &[(3, 51.0), (2, 51.0), (1, 3.0)]);
        check_rerank(&fused, &[None, Some(0.0), Some(0.5)], 100.0, &[(1, 51.0), (3, 51.0), (2, 2.0)]);
        check_rerank(&fused, &[None, None, None], 100.0, &fused);
        check_rerank(&fused, &[], 100.0, &fused);
    }

    #[test]
    fn the_rest_stays_behind() {
        check_rerank(
            &[(1, 3.0), (2, 2.0), (3, 1.0)],
            &[Some(-0.5), Some(0.0)],
            100.0,
            &[(2, 2.0), (1, -47.0), (3, -47.0)],
        );
    }
}
