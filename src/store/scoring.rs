//! Scores passages for a keyword query: BM25 over body, title and headings with its own constants, and bonuses for
//! words that stand together. Each store finds candidates in its own way and scores them here, so that all stores rank
//! alike.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Scored;
use super::window::densest;
use crate::base::text::Language;
use crate::base::text::analysis::{self, Term, TermKind};
use crate::base::text::formula::{FORMULA_WEIGHT, formula, is_within};

/// The most terms of a query. The most frequent beyond it are left out: they cost the most and say the least.
const MOST_TERMS: usize = 128;

/// The fewest candidates that are found fast and then scored with care.
pub(in crate::store) const CANDIDATES: usize = 300;

/// The number of steps into which a unit of score is divided for rounding.
const SCORE_STEPS: f32 = 1024.0;

/// Each word of the query makes a pair with this many of the words after it. Stop words do not count as words here.
const NEIGHBOURS: usize = 2;

/// Words farther off than this from their distance in the query do not count as near.
const FARTHEST: i64 = 8;

/// The options of keyword scoring: each field's BM25 is multiplied by its weight, and the products are added. The body
/// has weight 1. `docs/experiments/retrieval.md` has the measurements behind the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalOptions {
    /// Saturation: the smaller it is, the sooner further occurrences of a word stop counting.
    pub k1: f32,
    /// The same for scripts written without spaces: there a word is several pairs of characters, so a passage that
    /// repeats it would gain several times.
    pub k1_of_characters: f32,
    /// The penalty for longer texts, from 0 to 1.
    pub b: f32,
    /// Weight of the document's title.
    pub title_weight: f32,
    /// The number of occurrences in the body that one in the title counts for, beside the title's own score.
    pub title_in_body: f32,
    /// Weight of the headings above the chunk.
    pub heading_weight: f32,
    /// Weight of words that are neighbours both in the query and in the passage.
    pub proximity_weight: f32,
    /// Weight of the largest part of the query that stands in one place of the passage.
    pub window_weight: f32,
}

impl Default for LexicalOptions {
    fn default() -> Self {
        LexicalOptions {
            k1: 0.8,
            k1_of_characters: 0.5,
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
    /// The saturation `k1` for terms of this kind.
    pub(in crate::store) fn k1_of(&self, kind: TermKind) -> f32 {
        if kind == TermKind::Word { self.k1 } else { self.k1_of_characters }
    }

    /// Whether word positions affect the score.
    pub(in crate::store) fn is_positional(&self) -> bool {
        self.proximity_weight > 0.0 || self.window_weight > 0.0
    }
}

/// A distinct term of a word of a query. A word has one term for each way in which the languages analyse it. A
/// passage's words are analysed in its own language, so it contains at most one of them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) struct QueryTerm {
    pub(in crate::store) text: String,
    /// The number of the word that it belongs to.
    pub(in crate::store) word: usize,
    /// Its occurrences in the query, times the weight of its kind.
    pub(in crate::store) weight: f32,
    /// Its word positions in the query; none for a term whose neighbours say nothing.
    pub(in crate::store) positions: Vec<usize>,
    /// The weight of its nearness to other terms.
    pub(in crate::store) nearness: f32,
    /// The number of chunks that contain it in their body, their title and their headings.
    pub(in crate::store) holding: [u64; 3],
}

/// Collection sizes that all scores depend on.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Statistics {
    pub(in crate::store) chunks: f32,
    /// Mean lengths of bodies, titles and headings, in terms.
    pub(in crate::store) lengths: [f32; 3],
}

impl Statistics {
    /// From the number of chunks and the total number of terms in their bodies, titles and headings.
    pub(in crate::store) fn new(chunks: f32, totals: [f32; 3]) -> Self {
        let chunks = chunks.max(1.0);
        Statistics { chunks, lengths: totals.map(|total| (total / chunks).max(f32::MIN_POSITIVE)) }
    }

    /// The weight of a term that `holding` chunks contain: larger for rarer terms, always positive.
    pub(in crate::store) fn rarity(&self, holding: u64) -> f32 {
        let holding = (holding as f32).min(self.chunks);
        (1.0 + (self.chunks - holding + 0.5) / (holding + 0.5)).ln()
    }
}

/// Where a term of a query comes from: its word position, and its start and end in bytes.
type Place = (usize, usize, usize);

/// The distinct terms of a query, with the counts of chunks still 0. The query is analysed in the `language` that it
/// seems to be in and in each language in `spoken` (those of the passages), since a passage's words are analysed in its
/// own language. Words that the query's own language drops as stop words are dropped, unless nothing would be left.
pub(in crate::store) fn query_terms(text: &str, language: Language, spoken: &[Language]) -> Vec<QueryTerm> {
    let mut readings: Vec<Language> = Vec::new();
    let judged = (language != Language::UNKNOWN || spoken.is_empty()).then_some(language);
    for &reading in judged.iter().chain(spoken) {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    let mut words: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    let mut of_own: BTreeSet<Place> = BTreeSet::new();
    let mut distinct: BTreeSet<String> = BTreeSet::new();
    for (nth, reading) in readings.into_iter().enumerate() {
        if nth > 0 && distinct.len() >= MOST_TERMS {
            break;
        }
        for Term { text, range: Range { start, end }, position } in analysis::terms(text, reading) {
            let place = (position, start, end);
            let forms = words.entry(place).or_default();
            if nth == 0 {
                of_own.insert(place);
            }
            if !forms.contains(&text) {
                distinct.insert(text.clone());
                forms.push(text);
            }
        }
    }
    if judged.is_some() && !of_own.is_empty() {
        words.retain(|place, _| of_own.contains(place));
    }
    let formula = formula(text, language);
    // However long the formula is, the subject of the question counts more.
    let weight_of = |asks: bool| -> f32 {
        let of_kind = words.iter().filter(|((_, start, end), _)| is_within(&(*start..*end), &formula) == asks);
        of_kind.map(|(_, forms)| analysis::kind(&forms[0]).weight()).sum()
    };
    let asking = FORMULA_WEIGHT * (weight_of(false) / weight_of(true).max(f32::EPSILON)).min(1.0);
    let mut merged: BTreeMap<Vec<String>, (f32, Vec<usize>)> = BTreeMap::new();
    for ((position, start, end), forms) in words {
        let share = if is_within(&(start..end), &formula) { asking } else { 1.0 };
        let kind = analysis::kind(&forms[0]);
        // A single character is part of the pair at its position.
        let in_order = kind == TermKind::Word || forms[0].chars().nth(1).is_some();
        let (weight, positions) = merged.entry(forms).or_default();
        *weight += share * kind.weight();
        if in_order {
            positions.push(position);
        }
    }
    let mut terms = Vec::new();
    for ((forms, (weight, positions)), word) in merged.into_iter().zip(0..) {
        // Neighbouring pairs of characters overlap, which already accounts for most of their nearness.
        let nearness = if analysis::kind(&forms[0]) == TermKind::Word { 1.0 } else { 0.15 };
        let new = |text| QueryTerm { text, word, weight, positions: positions.clone(), nearness, holding: [0; 3] };
        terms.extend(forms.into_iter().map(new));
    }
    terms
}

/// Sorts the rarest terms first, and drops the most frequent beyond `MOST_TERMS`. A term that no body contains may
/// still stand in titles; it counts as rare.
pub(in crate::store) fn keep_rarest(terms: &mut Vec<QueryTerm>) {
    terms.sort_by(|a, b| a.holding[0].cmp(&b.holding[0]).then_with(|| a.text.cmp(&b.text)));
    terms.truncate(MOST_TERMS);
}

/// The occurrences of one query term in a passage.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Occurrences<'a> {
    /// Occurrences in its body, its title and its headings.
    pub(in crate::store) counts: [f32; 3],
    /// Its word positions in the body, ascending; empty if they are not needed.
    pub(in crate::store) positions: &'a [u32],
}

/// A word of the query, prepared for scoring.
struct Word {
    /// The indices of its terms.
    terms: Vec<usize>,
    /// The saturation `k1` of its kind.
    k1: f32,
    /// Its rarity among bodies, titles and headings.
    rarities: [f32; 3],
}

/// The scoring of passages for one query.
pub(in crate::store) struct Scoring<'a> {
    options: &'a LexicalOptions,
    statistics: Statistics,
    terms: &'a [QueryTerm],
    /// In the order of their first terms.
    words: Vec<Word>,
    pairs: Vec<Pair>,
}

impl<'a> Scoring<'a> {
    pub(in crate::store) fn new(options: &'a LexicalOptions, statistics: Statistics, terms: &'a [QueryTerm]) -> Self {
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let mut words: Vec<(Vec<usize>, [u64; 3])> = Vec::new();
        for (nth, term) in terms.iter().enumerate() {
            let place = *places.entry(term.word).or_insert(words.len());
            if place == words.len() {
                words.push((Vec::new(), [0; 3]));
            }
            let (of_word, holding) = &mut words[place];
            of_word.push(nth);
            holding.iter_mut().zip(term.holding).for_each(|(sum, more)| *sum += more);
        }
        let words: Vec<Word> = words
            .into_iter()
            .map(|(of_word, [body, title, headings])| {
                // A word in a title counts as in the bodies of its chunks too.
                let rarities = [body.max(title), title, headings].map(|holding| statistics.rarity(holding));
                let k1 = options.k1_of(analysis::kind(&terms[of_word[0]].text));
                Word { terms: of_word, k1, rarities }
            })
            .collect();
        let pairs = if options.is_positional() {
            neighbours(words.iter().map(|word| terms[word.terms[0]].positions.as_slice()))
        } else {
            Vec::new()
        };
        Scoring { options, statistics, terms, words, pairs }
    }

    /// The score of a passage from the `lengths` of its body, title and headings, and its occurrences of each term.
    pub(in crate::store) fn score<'p>(&self, lengths: [u32; 3], of: impl Fn(usize) -> Occurrences<'p>) -> f32 {
        let options = self.options;
        let mut norms = [0.0; 3];
        for ((norm, length), mean) in norms.iter_mut().zip(lengths).zip(self.statistics.lengths) {
            // The factor by which BM25 multiplies its k1.
            *norm = 1.0 - options.b + options.b * length as f32 / mean;
        }
        let mut score = 0.0;
        let mut positions: Vec<Cow<'p, [u32]>> = Vec::with_capacity(self.words.len());
        for Word { terms, k1, rarities: [in_body, in_title, in_headings] } in &self.words {
            let [body_norm, title_norm, heading_norm] = norms.map(|norm| k1 * norm);
            let ([body, title, headings], at) = occurrences(terms, &of);
            positions.push(at);
            let count = body + options.title_in_body * title;
            let share = in_body * saturated(count, body_norm)
                + options.title_weight * in_title * saturated(title, title_norm)
                + options.heading_weight * in_headings * saturated(headings, heading_norm);
            score += self.first(terms).weight * (k1 + 1.0) * share;
        }
        if options.is_positional() {
            let at = |nth: usize| positions[nth].as_ref();
            let weighted = self.words.iter().zip(&positions);
            let weighted = weighted.map(|(word, at)| (self.first(&word.terms).weight * word.rarities[0], at.as_ref()));
            let rarity = |nth: usize| self.first(&self.words[nth].terms).nearness * self.words[nth].rarities[0];
            score += options.proximity_weight * nearness(&self.pairs, at, rarity)
                + options.window_weight * densest(weighted);
        }
        score
    }

    /// The word's first term. It stands for the word, as the weight, nearness and positions are the same in all its
    /// terms.
    fn first(&self, terms: &[usize]) -> &QueryTerm {
        &self.terms[terms[0]]
    }
}

/// The occurrences of a word in a passage, summed over its terms.
fn occurrences<'p>(terms: &[usize], of: &impl Fn(usize) -> Occurrences<'p>) -> ([f32; 3], Cow<'p, [u32]>) {
    let mut counts = [0.0; 3];
    let mut positions: Cow<'p, [u32]> = Cow::Borrowed(&[]);
    for &term in terms {
        let found = of(term);
        counts.iter_mut().zip(found.counts).for_each(|(sum, more)| *sum += more);
        if positions.is_empty() {
            positions = Cow::Borrowed(found.positions);
        } else if !found.positions.is_empty() {
            let all = positions.to_mut();
            all.extend_from_slice(found.positions);
            all.sort_unstable();
        }
    }
    (counts, positions)
}

/// Rounds a score, so that sums of the same parts in another order, which differ in the last bits, do not decide the
/// ranking.
pub(in crate::store) fn rounded(score: f32) -> f32 {
    (score * SCORE_STEPS).round() / SCORE_STEPS
}

/// Sorts the best first; ties go to the smaller id.
pub(in crate::store) fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
}

/// The share that is reached of the most that a term can contribute. `norm` is the number of occurrences that reach
/// half.
fn saturated(count: f32, norm: f32) -> f32 {
    if count > 0.0 { count / (count + norm) } else { 0.0 }
}

/// Two terms that stand near each other in the query, and by how many words the second follows the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    first: usize,
    second: usize,
    distance: i64,
    /// Identifies pairs of the same two words; only the best of them counts.
    group: (usize, usize),
}

/// Pairs the terms of each word of the query with those of the next two words, from the positions of each term.
fn neighbours<'a>(terms: impl Iterator<Item = &'a [usize]>) -> Vec<Pair> {
    let mut words: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, positions) in terms.enumerate() {
        for &position in positions {
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

/// The sum over the pairs of their nearness in a passage, each weighted by the rarity of its commoner term: the full
/// weight if the words stand as in the query, half of it if they are one word off, and so on.
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

    /// Checks the nearness of terms with their positions in the query and in a passage, all of rarity 2.
    fn check(terms: &[(&str, &[usize], &[u32])], expected: f32) {
        let found = nearness(&neighbours(terms.iter().map(|(_, asked, _)| *asked)), |nth| terms[nth].2, |_| 2.0);
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

    /// Checks the terms of each word of a query.
    fn check_terms(query: &str, language: &str, spoken: &[&str], expected: &[&[&str]]) {
        let spoken: Vec<Language> = spoken.iter().map(|code| Language::from_code(code)).collect();
        let mut words: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for term in query_terms(query, Language::from_code(language), &spoken) {
            words.entry(term.word).or_default().push(term.text);
        }
        assert_eq!(words.into_values().collect::<Vec<_>>(), expected, "{query} in {language} over {spoken:?}");
    }

    #[test]
    fn a_word_has_a_term_for_each_way_to_analyse_it() {
        check_terms("Lady Gaga", "und", &["spa"], &[&["gag"], &["lady"]]);
        check_terms("Lady Gaga", "und", &["spa", "eng"], &[&["gag", "gaga"], &["lady", "ladi"]]);
        check_terms("running", "eng", &["eng"], &[&["run"]]);
        check_terms("run running", "eng", &["eng"], &[&["run"]]);
        check_terms("run running", "eng", &["deu"], &[&["run"], &["run", "running"]]);
    }

    #[test]
    fn stop_words_of_the_query_are_dropped_in_every_reading() {
        check_terms("the running", "eng", &["deu"], &[&["run", "running"]]);
        check_terms("the running", "und", &["deu"], &[&["running"], &["the"]]);
        // A name that consists only of stop words is not lost.
        check_terms("The Who", "eng", &["deu"], &[&["the"], &["who"]]);
    }

    #[test]
    fn the_formula_of_a_question_counts_little() {
        let weight = |query: &str, code: &str, wanted: &str| {
            let terms = query_terms(query, Language::from_code(code), &[]);
            terms.into_iter().find(|term| term.text == wanted).map(|term| term.weight)
        };
        assert_eq!(weight("¿Qué significa la palabra?", "spa", "signif"), Some(FORMULA_WEIGHT));
        assert_eq!(weight("¿Qué significa la palabra?", "spa", "palabr"), Some(1.0));
        // A long formula is worth no more than a short one.
        let asked = "登録はどうしたら良いでしょうか";
        let mut terms = query_terms(asked, Language::from_code("jpn"), &[]);
        terms.dedup_by_key(|term| term.word);
        let (content, asking): (Vec<_>, Vec<_>) = terms.iter().partition(|term| term.text.contains(['登', '録']));
        let sum = |terms: Vec<&QueryTerm>| terms.iter().map(|term| term.weight).sum::<f32>();
        let (content, asking) = (sum(content), sum(asking));
        assert!((asking - FORMULA_WEIGHT * content).abs() < 1e-4, "{asking} {content} {terms:?}");
        assert_eq!(weight("登録はどうしたら良いでしょうか", "jpn", "登録"), Some(1.0));
    }

    #[test]
    fn the_terms_of_a_word_count_as_one() {
        let terms = |holding: [u64; 2]| {
            let new = |text: &str, held| QueryTerm {
                text: text.to_owned(),
                word: 0,
                weight: 1.0,
                positions: vec![0],
                nearness: 1.0,
                holding: [held, 0, 0],
            };
            vec![new("hous", holding[0]), new("haus", holding[1])]
        };
        let options = LexicalOptions::default();
        let statistics = Statistics::new(100.0, [1000.0, 100.0, 100.0]);
        let score = |terms: &[QueryTerm], which: usize| {
            let found = |term| Occurrences { counts: [f32::from(u8::from(term == which)), 0.0, 0.0], positions: &[3] };
            Scoring::new(&options, statistics, terms).score([10, 1, 1], found)
        };
        assert_eq!(score(&terms([5, 0]), 0), score(&terms([3, 2]), 1), "as rare as all its terms together");
        assert!(score(&terms([5, 0]), 0) > score(&terms([5, 5]), 0));
    }

    #[test]
    fn a_repeated_word_gains_more_than_repeated_characters() {
        let options = LexicalOptions { proximity_weight: 0.0, window_weight: 0.0, ..LexicalOptions::default() };
        let statistics = Statistics::new(100.0, [1000.0, 100.0, 100.0]);
        let gain = |query: &str, code: &str| {
            let terms = query_terms(query, Language::from_code(code), &[]);
            let scoring = Scoring::new(&options, statistics, &terms);
            let score = |count| {
                scoring.score([10, 1, 1], |_| Occurrences { counts: [count, 0.0, 0.0], ..Occurrences::default() })
            };
            score(3.0) / score(1.0)
        };
        assert_eq!(gain("fox", "eng"), gain("лисица", "rus"));
        assert!(gain("fox", "eng") > gain("首都", "jpn"));
    }

    #[test]
    fn further_occurrences_count_less_and_less() {
        let gains: Vec<f32> = (0..4).map(|count| saturated(count as f32, 0.5)).collect();
        assert_eq!(gains[0], 0.0);
        assert!(gains[1] - gains[0] > gains[2] - gains[1] && gains[2] - gains[1] > gains[3] - gains[2]);
        assert!(gains[3] < 1.0);
    }
}
