//! Late interaction: matches each token of the query with the most similar one of a passage; rare words count more.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::fuse::{Candidate, sort};
use crate::base::text::Language;
use crate::base::text::analysis::terms;
use crate::bundled::is_glossed;
use crate::domain::ChunkId;
use crate::embed::TokenState;

/// The weight of a token of a stop word, which the analysis drops. It still carries information, since word order and
/// role influence its state. A tenth of this weight ranks worse.
const STOP_WORD_WEIGHT: f32 = 1.0;

/// How far down coverage looks for the next passage, and the number of places that it fills.
const COVERED_PLACES: usize = 20;

/// A word of the query and its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryWord {
    /// The word as written.
    pub text: String,
    /// The letters of its tokens: of the word itself without accents, or of its gloss.
    pub letters: String,
    /// The indices of its states.
    pub tokens: Range<usize>,
}

/// The words of a query, each with the states of its word pieces or of those of its gloss.
pub fn query_words(query: &str, states: &[TokenState]) -> Vec<QueryWord> {
    let mut tokens = 0;
    let words = states.chunk_by(|a, b| a.word == b.word).map(|pieces| {
        let first = tokens;
        tokens += pieces.len();
        let text = pieces.first().and_then(|piece| query.get(piece.word.clone())).unwrap_or_default();
        let mut letters = String::new();
        for piece in pieces {
            match piece.token.strip_prefix("##") {
                Some(rest) => letters.push_str(rest),
                None => letters.extend([" ", &piece.token]),
            }
        }
        QueryWord { text: text.to_owned(), letters, tokens: first..tokens }
    });
    words.collect()
}

/// The weight of a term that `holding` of `chunks` chunks hold; always positive.
pub fn inverse_document_frequency(holding: u64, chunks: u64) -> f32 {
    // An index that lags behind the number of chunks must not make the weight negative.
    let (holding, chunks) = (holding as f64, chunks.max(holding) as f64);
    (1.0 + (chunks - holding + 0.5) / (holding + 0.5)).ln() as f32
}

/// A weight for each of `tokens` states: the weight of the rarest term of its word in `language`, reduced for a word of
/// several pieces, so that a rare name does not count once per piece. A word without terms is a stop word; a term
/// without a known weight counts 1.
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
            .map_or(STOP_WORD_WEIGHT, |weight| {
                weight.min(weight_of_gloss(word, language, weights)) / (word.tokens.len().max(1) as f32).sqrt()
            });
        for slot in by_token.iter_mut().take(word.tokens.end).skip(word.tokens.start) {
            *slot = weight;
        }
    }
    by_token
}

/// The weight of the gloss of a word. In documents in other languages, no passage holds the word itself; its gloss,
/// which is searched for as well, tells how rare it is.
fn weight_of_gloss(word: &QueryWord, language: Language, weights: &BTreeMap<String, f32>) -> f32 {
    if !is_glossed(language) {
        return f32::INFINITY;
    }
    let known = terms(&word.letters, Language::ENGLISH).into_iter().filter_map(|term| weights.get(&term.text).copied());
    known.fold(f32::INFINITY, f32::min)
}

/// The weighted mean of a passage's max-sims; `None` if the passage has no states.
pub fn weighted_mean(max_sims: &[f32], weights: &[f32]) -> Option<f32> {
    let total: f32 = max_sims.iter().zip(weights).map(|(_, weight)| weight).sum();
    let sum: f32 = max_sims.iter().zip(weights).map(|(sim, weight)| sim * weight).sum();
    (total > 0.0).then(|| sum / total)
}

/// Reorders the first candidates, one for each entry of `scores`, by fused score plus `weight` times the re-ranker's
/// score. A candidate without a re-ranker's score keeps its place, and the others are distributed over the remaining
/// places: the re-ranker says nothing about it, so it is neither raised nor lowered by chance. It takes the score of
/// the place above it (at the first place, the highest score), so scores still fall along the list. Later candidates
/// stay behind.
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

/// Moves up passages that cover what those above them lack: after the first, each place goes to the candidate with the
/// highest sum of its score and `weight` times its gain, the increase in the weighted mean of the best max-sims so far.
/// A question with two parts thus gets passages on both, whereas by score alone, copies of one would fill the list.
///
/// Only the candidates at the front that are in `max_sims` change places. So that scores still fall along the list, a
/// passage that was passed over takes no higher score than the one before it.
pub fn rerank_for_coverage(
    candidates: &mut Vec<Candidate>,
    max_sims: &HashMap<ChunkId, Vec<f32>>,
    weights: &[f32],
    weight: f32,
) {
    let total: f32 = weights.iter().sum();
    if weight <= 0.0 || total <= 0.0 {
        return;
    }
    let mut covered = vec![0f32; weights.len()];
    let known = candidates.iter().take_while(|candidate| max_sims.contains_key(&candidate.id)).count();
    for place in 0..known.min(COVERED_PLACES) {
        let gain = |id: &ChunkId| -> f32 {
            let sims = max_sims.get(id).map_or(&[][..], Vec::as_slice);
            let gains = sims.iter().zip(&covered).zip(weights);
            gains.map(|((sim, covered), weight)| (sim - covered).max(0.0) * weight).sum::<f32>() / total
        };
        let value = |candidate: &Candidate| candidate.score + weight * gain(&candidate.id);
        let rest = candidates.iter().enumerate().take(known).skip(place);
        // Of equals, the first, which is the better by score alone.
        let best = rest.map(|(at, candidate)| (at, value(candidate))).reduce(|a, b| if b.1 > a.1 { b } else { a });
        let best = best.map_or(place, |(at, _)| if place == 0 { 0 } else { at });
        candidates[place..=best].rotate_right(1);
        if let Some(sims) = max_sims.get(&candidates[place].id) {
            covered.iter_mut().zip(sims).for_each(|(covered, sim)| *covered = covered.max(*sim));
        }
    }
    // Scores fall along the list: a candidate that was passed over takes no more than the place above it.
    let mut above = candidates.iter().map(|candidate| candidate.score).fold(f32::NEG_INFINITY, f32::max);
    for candidate in candidates {
        candidate.score = candidate.score.min(above);
        above = candidate.score;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DocumentId, ScoreParts};

    /// The states of word pieces, each with its word in the query.
    fn states(query: &str, tokens: &[(&str, &str)]) -> Vec<TokenState> {
        let state = |&(token, word): &(&str, &str)| {
            let start = query.find(word).expect("a word of the query");
            TokenState { token: token.to_owned(), word: start..start + word.len(), state: Vec::new() }
        };
        tokens.iter().map(state).collect()
    }

    fn check_words(query: &str, tokens: &[(&str, &str)], expected: &[(&str, Range<usize>)]) {
        let found: Vec<(String, Range<usize>)> =
            query_words(query, &states(query, tokens)).into_iter().map(|word| (word.text, word.tokens)).collect();
        let expected: Vec<_> = expected.iter().map(|(text, range)| ((*text).to_owned(), range.clone())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pieces_make_words() {
        check_words("", &[], &[]);
        let pieces =
            [("where", "Where"), ("una", "unaffable"), ("##ffa", "unaffable"), ("##ble", "unaffable"), ("is", "is")];
        check_words("Where unaffable is", &pieces, &[("Where", 0..1), ("unaffable", 1..4), ("is", 4..5)]);
        let glosses = [("when", "Wann"), ("notice", "Kündigungsfrist"), ("period", "Kündigungsfrist")];
        check_words("Wann Kündigungsfrist", &glosses, &[("Wann", 0..1), ("Kündigungsfrist", 1..3)]);
    }

    #[test]
    fn pieces_weigh_what_their_word_weighs() {
        let query = "Quagga river";
        let states = states(query, &[("quag", "Quagga"), ("##ga", "Quagga"), ("river", "river")]);
        let weights = BTreeMap::from([("quagga".to_owned(), 7.0), ("river".to_owned(), 2.0)]);
        let found = token_weights(&query_words(query, &states), 3, Language::ENGLISH, &weights);
        let of_two = 7.0 / 2f32.sqrt();
        assert_eq!(found, [of_two, of_two, 2.0]);
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

    /// Candidates 1, 2, … with these scores and the max-sims of two tokens of the same weight.
    fn check_cover(candidates: &[(f32, Option<[f32; 2]>)], weight: f32, expected: &[(u64, f32)]) {
        let id = |nth: usize| ChunkId { document: DocumentId(nth as u64 + 1), ordinal: 0 };
        let mut list: Vec<Candidate> = (0..candidates.len())
            .map(|nth| Candidate { id: id(nth), score: candidates[nth].0, parts: ScoreParts::default() })
            .collect();
        let sims = candidates.iter().enumerate().filter_map(|(nth, (_, sims))| Some((id(nth), (*sims)?.to_vec())));
        rerank_for_coverage(&mut list, &sims.collect(), &[1.0, 1.0], weight);
        let found: Vec<(u64, f32)> = list.iter().map(|hit| (hit.id.document.0, hit.score)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_the_first_lacks_comes_second() {
        let three = [(3.0, Some([1.0, 0.0])), (2.0, Some([1.0, 0.0])), (1.5, Some([0.0, 1.0]))];
        check_cover(&three, 10.0, &[(1, 3.0), (3, 1.5), (2, 1.5)]);
        check_cover(&three, 0.5, &[(1, 3.0), (2, 2.0), (3, 1.5)]);
        check_cover(&three, 0.0, &[(1, 3.0), (2, 2.0), (3, 1.5)]);
    }

    #[test]
    fn the_first_stays_first_and_the_unknown_stay_behind() {
        let three = [(3.0, Some([0.1, 0.0])), (2.0, None), (1.0, Some([1.0, 1.0]))];
        check_cover(&three, 100.0, &[(1, 3.0), (2, 2.0), (3, 1.0)]);
        check_cover(&[], 100.0, &[]);
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
