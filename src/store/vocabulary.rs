//! The telling words of a collection, from a sample of its chunks.
//!
//! A word is telling for a collection if many of its chunks contain it, few other chunks do, and the chunks that
//! contain it do so often. Names, recognised by their capitals, count double, since questions are mostly about them.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::text::{Language, analysis};
use crate::domain::{ChunkId, DocumentId, StoredChunk};

/// The size of the sample in chunks: enough to rank words, few enough to read at once.
pub(super) const SAMPLE: u64 = 240;

/// The number of candidates whose frequency outside the collection is looked up.
const CANDIDATES: usize = 400;

/// Shortest word in characters; scripts whose words are one or two characters long are exempt.
const SHORTEST: usize = 3;

/// The occurrences of a term in the sample.
#[derive(Default)]
struct TermCounts {
    chunks: u64,
    occurrences: u64,
    capitalized: u64,
    /// The words it came from.
    words: BTreeMap<String, u64>,
}

/// The words of a sample that may be telling, on the way to [`Candidates::words`].
pub(super) struct Candidates {
    found: Vec<(f64, String, TermCounts)>,
    sampled: f64,
}

impl Candidates {
    /// From a sample of a collection's chunks, for `limit` words.
    pub(super) fn of(chunks: &[StoredChunk], limit: usize) -> Self {
        let mut found: Vec<(f64, String, TermCounts)> = count(chunks)
            .into_iter()
            .map(|(term, seen)| (weight(&seen, chunks.len() as f64), term, seen))
            .filter(|(weight, ..)| *weight > 0.0)
            .collect();
        sort(&mut found);
        found.truncate(CANDIDATES.max(limit * 2));
        Candidates { found, sampled: chunks.len() as f64 }
    }

    /// The terms whose frequencies [`Self::words`] takes.
    pub(super) fn terms(&self) -> Vec<String> {
        self.found.iter().map(|(_, term, _)| term.clone()).collect()
    }

    /// The most telling words. `frequencies` gives the number of chunks that contain each term, out of `all` chunks of
    /// all collections; this collection has `chunks` of them.
    pub(super) fn words(mut self, frequencies: &[u64], all: u64, chunks: u64, limit: usize) -> Vec<String> {
        let outside = all.saturating_sub(chunks) as f64;
        for ((weight, _, seen), &everywhere) in self.found.iter_mut().zip(frequencies) {
            let share = seen.chunks as f64 / self.sampled;
            let inside = share * chunks as f64;
            let share_outside = ((everywhere as f64 - inside).max(0.0) + 1.0) / (outside + 10.0);
            if outside > 0.0 {
                *weight *= (1.0 + share / share_outside).ln();
            }
        }
        sort(&mut self.found);
        let mut taken = HashSet::new();
        let words = self.found.iter().filter_map(|(_, _, seen)| common_word(seen));
        words.filter(|word| taken.insert(word.to_lowercase())).take(limit).collect()
    }
}

fn sort(candidates: &mut [(f64, String, TermCounts)]) {
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
}

/// Up to `most` chunks, evenly spread over all chunks of the documents.
pub(super) fn sample(sizes: &[(DocumentId, u64)], most: u64) -> Vec<ChunkId> {
    let all: u64 = sizes.iter().map(|(_, chunks)| chunks).sum();
    let wanted = most.min(all);
    let mut ids = Vec::with_capacity(wanted as usize);
    let (mut before, mut next) = (0, 0);
    for &(document, chunks) in sizes {
        // The positions wanted are `next * all / wanted`; several may fall into one document.
        while next < wanted && next * all / wanted < before + chunks {
            ids.push(ChunkId { document, ordinal: (next * all / wanted - before) as u32 });
            next += 1;
        }
        before += chunks;
    }
    ids
}

fn count(chunks: &[StoredChunk]) -> HashMap<String, TermCounts> {
    let mut terms: HashMap<String, TermCounts> = HashMap::new();
    for chunk in chunks {
        let mut here = HashSet::new();
        for term in analysis::terms(&chunk.text, chunk.language) {
            let Some(word) = chunk.text.get(term.range).filter(|word| is_telling(word, chunk.language)) else {
                continue;
            };
            let first = here.insert(term.text.clone());
            let seen = terms.entry(term.text).or_default();
            seen.chunks += u64::from(first);
            seen.occurrences += 1;
            seen.capitalized += u64::from(word.starts_with(char::is_uppercase));
            *seen.words.entry(word.to_owned()).or_default() += 1;
        }
    }
    terms
}

/// Whether a word could describe a collection.
fn is_telling(word: &str, language: Language) -> bool {
    let has_short_words = word.chars().any(|character| u32::from(character) >= 0x2e80);
    let length = word.chars().count();
    let shortest = if has_short_words { 2 } else { SHORTEST };
    length >= shortest
        && word.chars().any(char::is_alphabetic)
        && !word.chars().any(char::is_control)
        // German writes every noun with a capital and has long ones; elsewhere a very long word is an identifier.
        && length <= if language.code() == "deu" { 60 } else { 30 }
}

/// The weight of a term regardless of other collections: highest for terms that occur often, in a middling share of the
/// chunks.
fn weight(seen: &TermCounts, chunks: f64) -> f64 {
    let share = seen.chunks as f64 / chunks;
    let burst = (seen.occurrences as f64 / seen.chunks as f64).sqrt();
    let names = 1.0 + seen.capitalized as f64 / seen.occurrences as f64;
    // A word of one chunk in many is an accident of the sample.
    let support = if chunks >= 20.0 && seen.chunks < 2 { 0.25 } else { 1.0 };
    share * (1.0 + (1.0 / share).ln()) * burst * names * support
}

/// The word that a term most often came from.
fn common_word(seen: &TermCounts) -> Option<String> {
    seen.words.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))).map(|(word, _)| word.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_all_documents() {
        fn check(sizes: &[u64], most: u64, expected: &[(u64, u32)]) {
            let sizes: Vec<_> = sizes.iter().zip(1..).map(|(&chunks, id)| (DocumentId(id), chunks)).collect();
            let found: Vec<_> = sample(&sizes, most).iter().map(|id| (id.document.0, id.ordinal)).collect();
            assert_eq!(found, expected);
        }
        check(&[], 3, &[]);
        check(&[0, 0], 3, &[]);
        check(&[1, 2], 10, &[(1, 0), (2, 0), (2, 1)]);
        check(&[1, 0, 9], 5, &[(1, 0), (3, 1), (3, 3), (3, 5), (3, 7)]);
        check(&[100], 2, &[(1, 0), (1, 50)]);
    }
}
