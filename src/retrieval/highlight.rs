//! Finds the sentences of a chunk that match the words of the query.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::text::analysis::{for_each_term, term_set};
use crate::base::text::{Language, sentences};

/// The maximum number of sentences that are marked.
const MOST: usize = 3;

/// A sentence with less than this share of the best one's weight is not worth showing beside it.
const SHARE_OF_BEST: f32 = 0.4;

/// A term of the query.
struct HighlightTerm {
    term: String,
    weight: f32,
    /// The start of the last sentence that holds the term.
    sentence: Option<usize>,
}

/// The sentences of `text` that hold the most of the query's terms, each distinct term counted once with its weight: at
/// most three, in text order, as byte ranges. Query and text are both analysed in the language of the text. A term
/// without a weight counts 1. Returns an empty list if no term matches.
pub fn highlights(query: &str, text: &str, language: Language, weights: &BTreeMap<String, f32>) -> Vec<Range<usize>> {
    let mut wanted: Vec<HighlightTerm> = term_set(query, language)
        .into_iter()
        .map(|term| HighlightTerm { weight: weights.get(&term).copied().unwrap_or(1.0), term, sentence: None })
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f32, Range<usize>)> = Vec::new();
    for range in sentences(text) {
        for_each_term(&text[range.clone()], language, |term, _, _| {
            if let Ok(place) = wanted.binary_search_by(|wanted| wanted.term.as_str().cmp(term)) {
                wanted[place].sentence = Some(range.start);
            }
        });
        let here = wanted.iter().filter(|wanted| wanted.sentence == Some(range.start));
        let score: f32 = here.map(|wanted| wanted.weight).sum();
        if score > 0.0 {
            scored.push((score, range));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.start.cmp(&b.1.start)));
    let least = scored.first().map_or(0.0, |(best, _)| best * SHARE_OF_BEST);
    let mut best: Vec<Range<usize>> =
        scored.into_iter().take(MOST).filter(|(score, _)| *score >= least).map(|(_, range)| range).collect();
    best.sort_by_key(|range| range.start);
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, text: &str, weights: &[(&str, f32)], expected: &[&str]) {
        let weights = weights.iter().map(|&(term, weight)| (term.to_owned(), weight)).collect();
        let found: Vec<&str> =
            highlights(query, text, Language::ENGLISH, &weights).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_match_marks_nothing() {
        check("zebra", "A lion sleeps. A lion roars.", &[], &[]);
        check("", "A lion sleeps.", &[], &[]);
        check("lion", "", &[], &[]);
    }

    #[test]
    fn rare_words_win_over_common_ones() {
        let text = "The lion sleeps by the river. A quagga was seen. The river is wide.";
        check("quagga river lion", text, &[("quagga", 9.0), ("river", 0.5), ("lion", 0.5)], &["A quagga was seen."]);
    }

    #[test]
    fn marked_sentences_stand_in_place_order() {
        let text = "Bears swim. Nothing here. Bears catch salmon. Salmon swim upstream.";
        check("bears salmon", text, &[], &["Bears swim.", "Bears catch salmon.", "Salmon swim upstream."]);
    }

    #[test]
    fn no_more_than_three_and_the_first_of_equals() {
        check("fox", "Fox one. Fox two. Fox three. Fox four.", &[], &["Fox one.", "Fox two.", "Fox three."]);
    }

    #[test]
    fn a_repeated_word_counts_once() {
        let text = "Fox fox fox fox. A fox and a hen.";
        check("fox hen", text, &[("fox", 1.0), ("hen", 3.0)], &["A fox and a hen."]);
    }

    #[test]
    fn borders_hold_in_wide_scripts() {
        let text = "東京は首都です。大阪は商業の街です。";
        let found = highlights("大阪", text, Language::from_code("jpn"), &BTreeMap::new());
        assert!(found.iter().all(|range| text.get(range.clone()).is_some()));
        assert_eq!(found.len(), 1);
        assert!(text[found[0].clone()].contains("大阪"));
    }
}
