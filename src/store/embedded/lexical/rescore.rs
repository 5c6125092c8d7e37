//! The final keyword scores. tantivy's own BM25, whose constants are fixed, skips quickly through the postings and finds
//! a few hundred candidates; what a passage is worth is computed here, for the candidates alone.

use std::collections::BTreeMap;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TantivyError, Term};

use super::window::densest;
use super::{Fields, LexicalOptions};

/// With how many words after it each word of the query makes a pair. Stop words are no terms and no words here.
const NEIGHBOURS: usize = 2;

/// Words farther than this from their distance in the query do not count as near.
const FARTHEST: i64 = 8;

/// A distinct term of a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueryTerm {
    pub(super) text: String,
    /// How often the query holds it, times what its kind is worth.
    pub(super) weight: f32,
    /// Its word positions in the query; none for a term whose neighbours tell nothing.
    pub(super) positions: Vec<usize>,
    /// What it is worth that it stands near another.
    pub(super) nearness: f32,
    /// How many chunks hold it in their body, their title and their headings.
    pub(super) holding: [u64; 3],
}

/// Sizes that all scores depend on.
struct Statistics {
    chunks: f32,
    body_length: f32,
    title_length: f32,
    heading_length: f32,
}

impl Statistics {
    fn of(searcher: &Searcher, fields: Fields) -> Result<Self, TantivyError> {
        let mut chunks = 0f32;
        let mut totals = [0f32; 3];
        for segment in searcher.segment_readers() {
            chunks += segment.max_doc() as f32;
            for (total, field) in totals.iter_mut().zip([fields.body, fields.title, fields.headings]) {
                *total += segment.inverted_index(field)?.total_num_tokens() as f32;
            }
        }
        let chunks = chunks.max(1.0);
        let [body_length, title_length, heading_length] = totals.map(|total| (total / chunks).max(f32::MIN_POSITIVE));
        Ok(Statistics { chunks, body_length, title_length, heading_length })
    }

    /// How telling a term is that `holding` chunks hold; always positive.
    fn rarity(&self, holding: u64) -> f32 {
        let holding = (holding as f32).min(self.chunks);
        (1.0 + (self.chunks - holding + 0.5) / (holding + 0.5)).ln()
    }
}

/// The scores of the candidates, in their order.
pub(super) fn rescore(
    searcher: &Searcher,
    fields: Fields,
    options: &LexicalOptions,
    terms: &[QueryTerm],
    candidates: &[DocAddress],
) -> Result<Vec<f32>, TantivyError> {
    let statistics = Statistics::of(searcher, fields)?;
    let rarities = |term: &QueryTerm| -> Rarities {
        let [body, title, headings] = term.holding;
        // Where a title holds it, its chunks do: the body counts it too.
        [body.max(title), title, headings].map(|holding| statistics.rarity(holding))
    };
    let rarities: Vec<Rarities> = terms.iter().map(rarities).collect();
    let mut by_segment: BTreeMap<u32, Vec<(DocId, usize)>> = BTreeMap::new();
    for (place, address) in candidates.iter().enumerate() {
        by_segment.entry(address.segment_ord).or_default().push((address.doc_id, place));
    }
    let mut scores = vec![0.0; candidates.len()];
    for (segment, mut documents) in by_segment {
        documents.sort_unstable();
        let ids: Vec<DocId> = documents.iter().map(|&(id, _)| id).collect();
        let segment = Segment { reader: searcher.segment_reader(segment), fields, options, statistics: &statistics };
        let found = segment.scores(terms, &rarities, &ids)?;
        for ((_, place), score) in documents.into_iter().zip(found) {
            scores[place] = score;
        }
    }
    Ok(scores)
}

/// How rare a term is among the bodies, the titles and the headings.
type Rarities = [f32; 3];

struct Segment<'a> {
    reader: &'a SegmentReader,
    fields: Fields,
    options: &'a LexicalOptions,
    statistics: &'a Statistics,
}

impl Segment<'_> {
    /// The scores of `documents`, which rise.
    fn scores(
        &self,
        terms: &[QueryTerm],
        rarities: &[Rarities],
        documents: &[DocId],
    ) -> Result<Vec<f32>, TantivyError> {
        let [body, title, headings] = [self.fields.body, self.fields.title, self.fields.headings];
        let body_lengths = self.reader.get_fieldnorms_reader(body)?;
        let title_lengths = self.reader.get_fieldnorms_reader(title)?;
        let heading_lengths = self.reader.get_fieldnorms_reader(headings)?;
        let body_norm = |document| self.norm(body_lengths.fieldnorm(document), self.statistics.body_length);
        let title_norm = |document| self.norm(title_lengths.fieldnorm(document), self.statistics.title_length);
        let heading_norm = |document| self.norm(heading_lengths.fieldnorm(document), self.statistics.heading_length);

        let positional = self.options.proximity_weight > 0.0 || self.options.window_weight > 0.0;
        let mut scores = vec![0.0; documents.len()];
        let mut places: Vec<Vec<Vec<u32>>> = Vec::with_capacity(terms.len());
        for (term, [in_body, in_title, in_headings]) in terms.iter().zip(rarities) {
            let near = positional && !term.positions.is_empty();
            let [in_bodies, in_titles, in_heads] = term.holding.map(|holding| holding > 0);
            let (body_counts, positions) = self.occurrences(in_bodies.then_some(body), term, documents, near)?;
            let (title_counts, _) = self.occurrences(in_titles.then_some(title), term, documents, false)?;
            let (heading_counts, _) = self.occurrences(in_heads.then_some(headings), term, documents, false)?;
            for (nth, (score, &document)) in scores.iter_mut().zip(documents).enumerate() {
                let count = body_counts[nth] + self.options.title_in_body * title_counts[nth];
                let share = in_body * saturated(count, body_norm(document))
                    + self.options.title_weight * in_title * saturated(title_counts[nth], title_norm(document))
                    + self.options.heading_weight
                        * in_headings
                        * saturated(heading_counts[nth], heading_norm(document));
                *score += term.weight * (self.options.k1 + 1.0) * share;
            }
            places.push(positions);
        }
        if positional {
            let pairs = neighbours(terms);
            for (nth, score) in scores.iter_mut().enumerate() {
                let at = |term: usize| places[term].get(nth).map_or(&[][..], Vec::as_slice);
                let weighted = (0..terms.len()).map(|term| (terms[term].weight * rarities[term][0], at(term)));
                *score += self.options.proximity_weight
                    * nearness(&pairs, at, |term| terms[term].nearness * rarities[term][0])
                    + self.options.window_weight * densest(weighted);
            }
        }
        Ok(scores)
    }

    /// BM25's k1 with the length of the text in it.
    fn norm(&self, length: u32, mean: f32) -> f32 {
        self.options.k1 * (1.0 - self.options.b + self.options.b * length as f32 / mean)
    }

    /// How often each of `documents` holds the term in `field`, and where, if that is asked; never without a field.
    fn occurrences(
        &self,
        field: Option<Field>,
        term: &QueryTerm,
        documents: &[DocId],
        with_positions: bool,
    ) -> Result<(Vec<f32>, Vec<Vec<u32>>), TantivyError> {
        let mut counts = vec![0.0; documents.len()];
        let mut positions = vec![Vec::new(); if with_positions { documents.len() } else { 0 }];
        let Some(field) = field else { return Ok((counts, positions)) };
        let record =
            if with_positions { IndexRecordOption::WithFreqsAndPositions } else { IndexRecordOption::WithFreqs };
        let postings =
            self.reader.inverted_index(field)?.read_postings(&Term::from_field_text(field, &term.text), record)?;
        let Some(mut postings) = postings else { return Ok((counts, positions)) };
        for (nth, &document) in documents.iter().enumerate() {
            if postings.doc() < document {
                postings.seek(document);
            }
            if postings.doc() == document {
                counts[nth] = postings.term_freq() as f32;
                if let Some(positions) = positions.get_mut(nth) {
                    postings.positions(positions);
                }
            }
        }
        Ok((counts, positions))
    }
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
