//! What a passage is worth to a keyword query: BM25 over body, title and headings with constants of our own, and bonuses
//! for words that stand together. A store finds candidates in its own way and scores them here, so that all stores rank
//! alike.

use std::collections::BTreeMap;

use super::window::densest;
use crate::base::text::Language;
use crate::base::text::analysis::{self, Term, TermKind};

/// A query's terms beyond this, the most frequent first, are left out: they cost the most and say the least.
const MOST_TERMS: usize = 128;

/// The least candidates that are found fast and then scored with care.
pub(in crate::store) const CANDIDATES: usize = 300;

/// Steps into which a unit of score is divided.
const SCORE_STEPS: f32 = 1024.0;

/// With how many words after it each word of the query makes a pair. Stop words are no terms and no words here.
const NEIGHBOURS: usize = 2;

/// Words farther than this from their distance in the query do not count as near.
const FARTHEST: i64 = 8;

/// How the keyword half scores: each field's BM25 is multiplied by its weight and added. The body has weight 1.
/// `docs/retrieval.md` has the measurements behind the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalOptions {
    /// How soon further occurrences of a term stop counting.
    pub k1: f32,
    /// How much longer texts are held against them, from 0 to 1.
    pub b: f32,
    /// Weight of the document's title.
    pub title_weight: f32,
    /// How many occurrences in the body one in the title is worth, beside the title's own score.
    pub title_in_body: f32,
    /// Weight of the headings above the chunk.
    pub heading_weight: f32,
    /// Weight of neighbours in the query that are neighbours in the passage.
    pub proximity_weight: f32,
    /// Weight of the most of the query that stands in one place of the passage.
    pub window_weight: f32,
}

impl Default for LexicalOptions {
    fn default() -> Self {
        LexicalOptions {
            k1: 0.5,
            b: 0.75,
            title_weight: 0.7,
            title_in_body: 1.0,
            heading_weight: 0.3,
            proximity_weight: 1.2,
            window_weight: 0.35,
        }
    }
}

impl LexicalOptions {
    /// Whether it counts where words stand.
    pub(in crate::store) fn is_positional(&self) -> bool {
        self.proximity_weight > 0.0 || self.window_weight > 0.0
    }
}

/// A distinct term of a query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct QueryTerm {
    pub(in crate::store) text: String,
    /// How often the query holds it, times what its kind is worth.
    pub(in crate::store) weight: f32,
    /// Its word positions in the query; none for a term whose neighbours tell nothing.
    pub(in crate::store) positions: Vec<usize>,
    /// What it is worth that it stands near another.
    pub(in crate::store) nearness: f32,
    /// How many chunks hold it in their body, their title and their headings.
    pub(in crate::store) holding: [u64; 3],
}

/// Sizes that all scores depend on.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Statistics {
    pub(in crate::store) chunks: f32,
    /// Mean lengths of bodies, titles and headings, in terms.
    pub(in crate::store) lengths: [f32; 3],
}

impl Statistics {
    /// From the number of chunks and how many terms their bodies, titles and headings have in all.
    pub(in crate::store) fn new(chunks: f32, totals: [f32; 3]) -> Self {
        let chunks = chunks.max(1.0);
        Statistics { chunks, lengths: totals.map(|total| (total / chunks).max(f32::MIN_POSITIVE)) }
    }

    /// How telling a term is that `holding` chunks hold; always positive.
    pub(in crate::store) fn rarity(&self, holding: u64) -> f32 {
        let holding = (holding as f32).min(self.chunks);
        (1.0 + (self.chunks - holding + 0.5) / (holding + 0.5)).ln()
    }
}

/// The distinct terms of a query, without how many chunks hold them.
pub(in crate::store) fn query_terms(text: &str, language: Language) -> Vec<QueryTerm> {
    let mut distinct: BTreeMap<String, QueryTerm> = BTreeMap::new();
    for Term { text, position, .. } in analysis::terms(text, language) {
        let kind = analysis::kind(&text);
        // A single character is a part of the pair that stands at its position.
        let in_order = kind == TermKind::Word || text.chars().nth(1).is_some();
        // Neighbouring pairs of characters overlap, which says most of it.
        let nearness = if kind == TermKind::Word { 1.0 } else { 0.15 };
        let new = || QueryTerm { text: text.clone(), weight: 0.0, positions: Vec::new(), nearness, holding: [0; 3] };
        let term = distinct.entry(text.clone()).or_insert_with(new);
        term.weight += kind.weight();
        if in_order {
            term.positions.push(position);
        }
    }
    distinct.into_values().collect()
}

/// Puts the rarest terms first, and leaves out the most frequent where there are too many. A term that no body holds
/// may still stand in titles; it counts as rare.
pub(in crate::store) fn keep_rarest(terms: &mut Vec<QueryTerm>) {
    terms.sort_by(|a, b| a.holding[0].cmp(&b.holding[0]).then_with(|| a.text.cmp(&b.text)));
    terms.truncate(MOST_TERMS);
}

/// What a passage has of one term of the query.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Occurrences<'a> {
    /// How often its body, its title and its headings hold it.
    pub(in crate::store) counts: [f32; 3],
    /// Its word positions in the body, rising; none where they are not asked for.
    pub(in crate::store) positions: &'a [u32],
}

/// How passages are scored for one query.
pub(in crate::store) struct Scoring<'a> {
    options: &'a LexicalOptions,
    statistics: Statistics,
    terms: &'a [QueryTerm],
    /// How rare each term is among the bodies, the titles and the headings.
    rarities: Vec<[f32; 3]>,
    pairs: Vec<Pair>,
}

impl<'a> Scoring<'a> {
    pub(in crate::store) fn new(options: &'a LexicalOptions, statistics: Statistics, terms: &'a [QueryTerm]) -> Self {
        let rarities = |term: &QueryTerm| {
            let [body, title, headings] = term.holding;
            // Where a title holds it, its chunks do: the body counts it too.
            [body.max(title), title, headings].map(|holding| statistics.rarity(holding))
        };
        let rarities = terms.iter().map(rarities).collect();
        let pairs = if options.is_positional() { neighbours(terms) } else { Vec::new() };
        Scoring { options, statistics, terms, rarities, pairs }
    }

    /// What a passage is worth: `lengths` of its body, its title and its headings, and what it has of each term.
    pub(in crate::store) fn score<'p>(&self, lengths: [u32; 3], of: impl Fn(usize) -> Occurrences<'p>) -> f32 {
        let options = self.options;
        let mut norms = [0.0; 3];
        for ((norm, length), mean) in norms.iter_mut().zip(lengths).zip(self.statistics.lengths) {
            // BM25's k1 with the length of the text in it.
            *norm = options.k1 * (1.0 - options.b + options.b * length as f32 / mean);
        }
        let [body_norm, title_norm, heading_norm] = norms;
        let mut score = 0.0;
        for (nth, (term, [in_body, in_title, in_headings])) in self.terms.iter().zip(&self.rarities).enumerate() {
            let [body, title, headings] = of(nth).counts;
            let count = body + options.title_in_body * title;
            let share = in_body * saturated(count, body_norm)
                + options.title_weight * in_title * saturated(title, title_norm)
                + options.heading_weight * in_headings * saturated(headings, heading_norm);
            score += term.weight * (options.k1 + 1.0) * share;
        }
        if options.is_positional() {
            let at = |nth: usize| of(nth).positions;
            let weighted = (0..self.terms.len()).map(|nth| (self.terms[nth].weight * self.rarities[nth][0], at(nth)));
            score += options.proximity_weight
                * nearness(&self.pairs, at, |nth| self.terms[nth].nearness * self.rarities[nth][0])
                + options.window_weight * densest(weighted);
        }
        score
    }
}

/// Rounded, so that sums of the same parts in another order, which differ in the last bits, do not order chunks.
pub(in crate::store) fn rounded(score: f32) -> f32 {
    (score * SCORE_STEPS).round() / SCORE_STEPS
}

/// The share of the most that a term can bring; `norm` says how many occurrences bring half.
fn saturated(count: f32, norm: f32) -> f32 {
    if count > 0.0 { count / (count + norm) } else { 0.0 }
}

/// Two terms that stand near each other in the query, and how many words the second is behind the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    first: usize,
    second: usize,
    distance: i64,
    /// Pairs of the same two words, of which only the best counts.
    group: (usize, usize),
}

/// The terms of each word of the query with those of the next and of the one after it.
fn neighbours(terms: &[QueryTerm]) -> Vec<Pair> {
    let mut words: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, term) in terms.iter().enumerate() {
        for &position in &term.positions {
            words.entry(position).or_default().push(index);
        }
    }
    let words: Vec<(usize, Vec<usize>)> = words.into_iter().collect();
    let mut pairs = Vec::new();
    for (nth, (position, firsts)) in words.iter().enumerate() {
        for (later, seconds) in words.iter().skip(nth + 1).take(NEIGHBOURS) {
            let both = firsts.iter().flat_map(|&first| seconds.iter().map(move |&second| (first, second)));
            pairs.extend(both.filter(|(first, second)| first != second).map(|(first, second)| Pair {
                first,
                second,
                distance: (later - position) as i64,
                group: (*position, *later),
            }));
        }
    }
    pairs
}

/// How near the pairs stand in a passage, each as telling as the commoner of its terms: the full weight where the words
/// stand as in the query, half of it one word off, and so on.
fn nearness<'a>(pairs: &[Pair], at: impl Fn(usize) -> &'a [u32], rarity: impl Fn(usize) -> f32) -> f32 {
    let mut sum = 0.0;
    let mut group = None;
    let mut best = 0f32;
    for pair in pairs {
        if group != Some(pair.group) {
            sum += best;
            (group, best) = (Some(pair.group), 0.0);
        }
        let (first, second) = (at(pair.first), at(pair.second));
        let off = first
            .iter()
            .flat_map(|&a| second.iter().map(move |&b| (i64::from(b) - i64::from(a) - pair.distance).abs()))
            .min();
        if let Some(off) = off.filter(|&off| off <= FARTHEST) {
            best = best.max(rarity(pair.first).min(rarity(pair.second)) / (1.0 + off as f32));
        }
    }
    sum + best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str, positions: &[usize]) -> QueryTerm {
        QueryTerm { text: text.to_owned(), weight: 1.0, positions: positions.to_vec(), nearness: 1.0, holding: [0; 3] }
    }

    /// Terms with their positions in the query and in a passage, all of rarity 2.
    fn check(terms: &[(&str, &[usize], &[u32])], expected: f32) {
        let query: Vec<QueryTerm> = terms.iter().map(|(text, asked, _)| term(text, asked)).collect();
        let found = nearness(&neighbours(&query), |nth| terms[nth].2, |_| 2.0);
        assert!((found - expected).abs() < 1e-6, "{found} instead of {expected} for {terms:?}");
    }

    #[test]
    fn words_in_the_order_of_the_query_are_near() {
        check(&[("red", &[0], &[7]), ("fox", &[1], &[8])], 2.0);
        check(&[("red", &[0], &[8]), ("fox", &[1], &[7])], 2.0 / 3.0);
        check(&[("red", &[0], &[7]), ("fox", &[1], &[9, 40])], 1.0);
        check(&[("red", &[0], &[7]), ("fox", &[1], &[40])], 0.0);
        check(&[("red", &[0], &[7]), ("fox", &[1], &[])], 0.0);
        check(&[("red", &[0], &[7])], 0.0);
    }

    #[test]
    fn a_dropped_stop_word_keeps_its_place() {
        check(&[("house", &[0], &[3]), ("commons", &[2], &[5])], 2.0);
        check(&[("house", &[0], &[3]), ("commons", &[2], &[4])], 1.0);
    }

    #[test]
    fn each_word_pairs_with_the_next_two() {
        let four: [(&str, &[usize], &[u32]); 4] =
            [("a", &[0], &[10]), ("b", &[1], &[11]), ("c", &[2], &[12]), ("d", &[3], &[13])];
        check(&four, 5.0 * 2.0);
    }

    #[test]
    fn of_the_parts_of_one_word_only_the_best_counts() {
        check(&[("state-of", &[0], &[3]), ("state", &[0], &[3]), ("art", &[1], &[4])], 2.0);
    }

    #[test]
    fn further_occurrences_count_less_and_less() {
        let gains: Vec<f32> = (0..4).map(|count| saturated(count as f32, 0.5)).collect();
        assert_eq!(gains[0], 0.0);
        assert!(gains[1] - gains[0] > gains[2] - gains[1] && gains[2] - gains[1] > gains[3] - gains[2]);
        assert!(gains[3] < 1.0);
    }
}
