//! Finds the part of a document that says nearly what a quote says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::base::text::{Token, common_tokens, sentences, tokens};

/// The smallest share of a quote's words, in their order, that an edited version has.
pub(super) const LEAST_COMMON: f64 = 0.5;
/// The least number of words that a quote shares with its edited version; any two texts share a few.
const LEAST_WORDS: usize = 3;

/// A document's words, kept for several searches.
pub(super) struct Words<'t> {
    text: &'t str,
    tokens: Vec<Token>,
}

/// The part of a document nearest to a quote.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    /// Its bytes in the document.
    pub bytes: Range<usize>,
    /// The share of the quote's words that stand there in order.
    pub share: f64,
}

impl<'t> Words<'t> {
    pub fn of(text: &'t str) -> Self {
        Words { text, tokens: tokens(text) }
    }

    /// The part of the document that is most like a quote, within a range of bytes.
    pub fn nearest(&self, quote: &str, within: Range<usize>) -> Option<Nearest> {
        let wanted = tokens(quote);
        let first = self.tokens.partition_point(|token| token.range.start < within.start);
        let last = self.tokens.partition_point(|token| token.range.end <= within.end);
        let all = self.tokens.get(first..last)?;
        let windows = best_windows(&wanted, all)?.into_iter().map(|window| &all[window]);
        let pairs_in = |part| (common_tokens(&wanted, part), part);
        // Of equal ones the first.
        let best = windows.map(pairs_in).reduce(|best, next| if next.0.len() > best.0.len() { next } else { best });
        let (pairs, part) = best?;
        let pairs = tightened(pairs, part);
        let share = pairs.len() as f64 / wanted.len().max(1) as f64;
        if share < LEAST_COMMON || pairs.len() < LEAST_WORDS.min(wanted.len()) {
            return None;
        }
        // A word far from the others is there by chance.
        let (from, to) = trim_outlying_pairs(&pairs, wanted.len());
        let (start, end) = (part[pairs[from].1].range.start, part[pairs[to].1].range.end);
        let bytes = self.whole_sentences(start..end);
        Some(Nearest { bytes, share })
    }

    /// Widens a range to the sentences that it touches, by at most 600 bytes on each side.
    fn whole_sentences(&self, bytes: Range<usize>) -> Range<usize> {
        let from = self.text.floor_char_boundary(bytes.start.saturating_sub(600));
        let to = self.text.ceil_char_boundary(bytes.end + 600);
        let touched = sentences(&self.text[from..to])
            .map(|range| from + range.start..from + range.end)
            .filter(|range| range.start < bytes.end && bytes.start < range.end);
        touched.fold(bytes.clone(), |wide, range| wide.start.min(range.start)..wide.end.max(range.end))
    }
}

/// The pairs with each word of the part as near to its neighbours as it occurs in their order: the beginning of the row
/// above may match as well as that of the row itself.
fn tightened(mut pairs: Vec<(usize, usize)>, part: &[Token]) -> Vec<(usize, usize)> {
    let same = |at: usize, other: &usize| part[at].text == part[*other].text;
    for index in (0..pairs.len().saturating_sub(1)).rev() {
        let (at, next) = (pairs[index].1, pairs[index + 1].1);
        pairs[index].1 = (at..next).rev().find(|other| same(at, other)).unwrap_or(at);
    }
    for index in 1..pairs.len() {
        let (at, before) = (pairs[index].1, pairs[index - 1].1);
        pairs[index].1 = (before + 1..=at).find(|other| same(at, other)).unwrap_or(at);
    }
    pairs
}

/// The first and last pair, leaving out pairs at the edges that stand far from the others.
fn trim_outlying_pairs(pairs: &[(usize, usize)], wanted: usize) -> (usize, usize) {
    let (mut from, mut to) = (0, pairs.len() - 1);
    let far = |a: (usize, usize), b: (usize, usize)| (b.1 - a.1) > (b.0 - a.0) + wanted.max(8) / 2;
    while from < to && far(pairs[from], pairs[from + 1]) {
        from += 1;
    }
    while from < to && far(pairs[to - 1], pairs[to]) {
        to -= 1;
    }
    (from, to)
}

/// The worth of a word that stands once in the text; one that stands more often is worth a share of it.
const ONCE: u32 = 64;

/// The runs of tokens with most of the quote's pairs of neighbours, somewhat longer than the quote: the first and the
/// last one. Words that are rare in the text count most: the rows of a table are alike but for them.
fn best_windows(wanted: &[Token], all: &[Token]) -> Option<[Range<usize>; 2]> {
    if wanted.is_empty() || all.is_empty() {
        return None;
    }
    let neighbours: BTreeSet<(&str, &str)> =
        wanted.windows(2).map(|pair| (pair[0].text.as_str(), pair[1].text.as_str())).collect();
    let mut worth: BTreeMap<&str, u32> = wanted.iter().map(|token| (token.text.as_str(), 0)).collect();
    for token in all {
        worth.entry(token.text.as_str()).and_modify(|count| *count += 1);
    }
    worth.values_mut().for_each(|count| *count = ONCE.div_ceil((*count).max(1)));
    // A pair of neighbours says much more than a single word.
    let weight = |at: usize| {
        let one = worth.get(all[at].text.as_str()).copied().unwrap_or_default();
        let next = all.get(at + 1).filter(|next| neighbours.contains(&(all[at].text.as_str(), next.text.as_str())));
        one + next.map_or(0, |next| 4 * (one + worth[next.text.as_str()]))
    };
    let length = wanted.len() + (wanted.len() / 2).max(8);
    // A repeated pair counts once in a window.
    let mut seen: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let key = |at: usize| (all[at].text.as_str(), all.get(at + 1).map_or("", |next| next.text.as_str()));
    // The best score, and the ends of the first and the last window of the first run of windows that have it.
    let (mut score, mut best) = (0u32, (0u32, 0usize, 0usize));
    for end in 0..all.len() {
        let count = seen.entry(key(end)).or_default();
        *count += 1;
        if *count == 1 {
            score += weight(end);
        }
        if end >= length {
            let gone = end - length;
            if let Some(count) = seen.get_mut(&key(gone)) {
                *count -= 1;
                if *count == 0 {
                    score -= weight(gone);
                }
            }
        }
        if score > best.0 {
            best = (score, end, end);
        } else if score == best.0 && best.2 + 1 == end {
            best.2 = end;
        }
    }
    if best.0 == 0 {
        return None;
    }
    // The words after the last one that counted may belong to it, such as an added clause.
    let window = |end: usize| (end + 1).saturating_sub(length)..(end + 1 + length / 4).min(all.len());
    Some([window(best.1), window(best.2)])
}
