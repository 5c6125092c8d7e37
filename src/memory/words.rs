//! Similarity by words, for events that have no vector of the embedder in use.

use std::collections::BTreeSet;

use crate::base::ContentHash;
use crate::base::text::{analysis, detect_language};

/// Returns the distinct terms of a text, each as a number.
pub(super) fn words_of(text: &str) -> BTreeSet<i64> {
    let mut words = BTreeSet::new();
    analysis::for_each_term(text, detect_language(text), |term, _, _| {
        let hash = ContentHash::of(term.as_bytes());
        let first = hash.as_bytes().first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        words.insert(first);
    });
    words
}

/// Returns the similarity of two texts that share `shared` of their `a` and `b` distinct terms: the cosine of the angle
/// between them, from 0 to 1.
pub(super) fn likeness(shared: usize, a: usize, b: usize) -> f64 {
    if a == 0 || b == 0 { 0.0 } else { shared as f64 / ((a * b) as f64).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_alike_by_their_words() {
        let check = |a: &str, b: &str, expected: f64| {
            let (a, b) = (words_of(a), words_of(b));
            let found = likeness(a.intersection(&b).count(), a.len(), b.len());
            assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
        };
        check("The crowds at the station", "Was the station crowded?", 1.0);
        check("The crowds at the station", "Bread dough rests overnight", 0.0);
        check("The crowds at the station", "", 0.0);
    }
}
