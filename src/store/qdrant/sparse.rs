//! BM25 as a sparse vector: one entry for each term of each field, whose value says how much of the most that the term
//! can bring the passage has. A query's values say what the term is worth, its rarity among all chunks included, so that
//! scores of several shards can be set beside each other.
//!
//! A value depends on how long texts are on average. That is not known before all are loaded, so here it is fixed; the
//! scores that come back are made anew from the candidates' texts, with the collection's own averages.

use std::collections::BTreeMap;

use qdrant_client::qdrant::{SparseVector, Vector, VectorsOutput, vector, vector_output};
use tantivy::fieldnorm::FieldNormReader;

use super::layout::WORDS;
use crate::base::ContentHash;
use crate::base::text::{Language, analysis};
use crate::store::scoring::{LexicalOptions, QueryTerm};

/// Terms that a body, a title and the headings above a chunk usually have.
const USUAL_LENGTHS: [f32; 3] = [90.0, 4.0, 6.0];

/// The fields of a passage, in the order of [`USUAL_LENGTHS`], and one more: what only the title has and counts as if the
/// body had it, apart so that the number of bodies with a term is exact.
const FIELDS: [&str; 4] = ["body", "title", "headings", "title in body"];
const TITLE_IN_BODY: usize = 3;

/// How often a text holds each of its terms, and how many it has in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) terms: BTreeMap<String, u32>,
    pub(super) length: u64,
}

impl Counts {
    pub(super) fn of(text: &str, language: Language) -> Self {
        let mut counts = Counts::default();
        analysis::for_each_term(text, language, |term, _, _| {
            counts.length += 1;
            match counts.terms.get_mut(term) {
                Some(count) => *count += 1,
                None => drop(counts.terms.insert(term.to_owned(), 1)),
            }
        });
        counts
    }
}

/// The entry of a term in a field. Two terms in the same entry count as one, which of four billion entries few do.
pub(super) fn entry(field: usize, term: &str) -> u32 {
    let hash = ContentHash::of(format!("{}\u{1f}{term}", FIELDS[field]).as_bytes());
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&hash.as_bytes()[..4]);
    u32::from_le_bytes(bytes)
}

/// A length as the index on one machine keeps it: exact up to 40, then coarser.
pub(super) fn kept_length(length: u64) -> u32 {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

/// What a chunk with this body, title and headings has of each term; `None` where it has no terms.
pub(super) fn of_chunk(options: &LexicalOptions, counts: [&Counts; 3]) -> Option<SparseVector> {
    let mut entries: BTreeMap<u32, f32> = BTreeMap::new();
    let norm = |field: usize| {
        let length = kept_length(counts[field].length) as f32 / USUAL_LENGTHS[field];
        1.0 - options.b + options.b * length
    };
    let norms = [norm(0), norm(1), norm(2)];
    let [body, title, headings] = counts;
    let mut add = |field: usize, term: &str, count: f32| {
        if count > 0.0 {
            let norm = options.k1_of(analysis::kind(term)) * norms.get(field).copied().unwrap_or(norms[0]);
            *entries.entry(entry(field, term)).or_default() += count / (count + norm);
        }
    };
    for (term, &count) in &body.terms {
        let in_title = title.terms.get(term).copied().unwrap_or(0);
        add(0, term, count as f32 + options.title_in_body * in_title as f32);
    }
    for (term, &count) in &title.terms {
        if !body.terms.contains_key(term) {
            add(TITLE_IN_BODY, term, options.title_in_body * count as f32);
        }
        add(1, term, count as f32);
    }
    for (term, &count) in &headings.terms {
        add(2, term, count as f32);
    }
    if entries.is_empty() {
        return None;
    }
    let (indices, values) = entries.into_iter().unzip();
    Some(SparseVector { indices, values })
}

/// A query for candidates: `rarity` says how telling a term is that so many chunks hold.
pub(super) fn of_query(options: &LexicalOptions, terms: &[QueryTerm], rarity: impl Fn(u64) -> f32) -> SparseVector {
    let weights = [1.0, options.title_weight, options.heading_weight, 1.0];
    let mut entries: BTreeMap<u32, f32> = BTreeMap::new();
    for term in terms {
        let [body, title, headings] = term.holding;
        // As the scores have it: where a title holds a term, its chunks do, and what no chunk holds need not be looked for.
        let holding = [body.max(title), title, headings, body.max(title)];
        let sought = [body, title, headings, title];
        for (field, weight) in weights.into_iter().enumerate() {
            if weight > 0.0 && sought[field] > 0 {
                *entries.entry(entry(field, &term.text)).or_default() += weight * term.weight * rarity(holding[field]);
            }
        }
    }
    let (indices, values) = entries.into_iter().unzip();
    SparseVector { indices, values }
}

/// The words of a chunk as a point takes them.
pub(super) fn words(words: SparseVector) -> Vector {
    Vector { vector: Some(vector::Vector::Sparse(words)), ..Vector::default() }
}

/// The words of a point that was read.
pub(super) fn of_point(vectors: &VectorsOutput) -> Option<SparseVector> {
    match vectors.get_vector_by_name(WORDS)? {
        vector_output::Vector::Sparse(words) => Some(words),
        _ => None,
    }
}

/// A dense vector as a point takes it.
pub(super) fn dense(values: Vec<f32>) -> Vector {
    let dense = qdrant_client::qdrant::DenseVector { data: values };
    Vector { vector: Some(vector::Vector::Dense(dense)), ..Vector::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_of_the_title_counts_in_the_body_apart() {
        let counts = |text: &str| Counts::of(text, Language::ENGLISH);
        let (body, title, none) = (counts("quagga zebra zebra"), counts("horse"), Counts::default());
        let vector = of_chunk(&LexicalOptions::default(), [&body, &title, &none]).expect("it has terms");
        assert_eq!(vector.indices.len(), 4);
        let value = |field, term: &str| {
            let wanted = entry(field, &analysis::terms(term, Language::ENGLISH)[0].text);
            vector.indices.iter().position(|&index| index == wanted).map(|at| vector.values[at])
        };
        assert!(value(0, "zebra") > value(0, "quagga") && value(3, "horse").is_some() && value(1, "horse").is_some());
        assert_eq!((value(1, "zebra"), value(0, "horse")), (None, None));
        assert!(of_chunk(&LexicalOptions::default(), [&none, &none, &none]).is_none());
    }
}
