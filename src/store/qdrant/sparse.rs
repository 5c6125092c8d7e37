//! BM25 as a sparse vector: one entry for each term of each field. A chunk's value is the share it reaches of the most
//! that the term can contribute. A query's value is the weight of the term, including its rarity among all chunks, so
//! that scores from several shards are comparable.
//!
//! A value depends on the average length of texts, which is unknown until all are loaded; so a fixed length is used
//! here. The scores of the returned candidates are computed anew from their texts, with the collection's own averages.

use std::collections::BTreeMap;

use qdrant_client::qdrant::{SparseVector, Vector, VectorsOutput, vector, vector_output};
use tantivy::fieldnorm::FieldNormReader;

use super::layout::WORDS;
use crate::base::ContentHash;
use crate::base::text::{Language, analysis};
use crate::store::scoring::{LexicalOptions, QueryTerm};

/// The usual number of terms in a body, a title and the headings above a chunk.
const USUAL_LENGTHS: [f32; 3] = [90.0, 4.0, 6.0];

/// The fields of a passage, in the order of [`USUAL_LENGTHS`], and one more: terms that only the title has but that
/// count as if the body had them. They are kept apart so that the number of bodies with a term is exact.
const FIELDS: [&str; 4] = ["body", "title", "headings", "title in body"];
const TITLE_IN_BODY: usize = 3;

/// The number of occurrences of each term in a text, and of all terms.
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

/// The entry of a term in a field. Two terms with the same entry count as one; with four billion entries this is rare.
pub(super) fn entry(field: usize, term: &str) -> u32 {
    let hash = ContentHash::of(format!("{}\u{1f}{term}", FIELDS[field]).as_bytes());
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&hash.as_bytes()[..4]);
    u32::from_le_bytes(bytes)
}

/// A length as the index on one machine stores it: exact up to 40, then coarser.
pub(super) fn kept_length(length: u64) -> u32 {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length))
}

/// The sparse vector of a chunk with this body, title and headings; `None` if it has no terms.
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

/// A query for candidates. `rarity` gives the weight of a term from the number of chunks that contain it.
pub(super) fn of_query(options: &LexicalOptions, terms: &[QueryTerm], rarity: impl Fn(u64) -> f32) -> SparseVector {
    let weights = [1.0, options.title_weight, options.heading_weight, 1.0];
    let mut entries: BTreeMap<u32, f32> = BTreeMap::new();
    for term in terms {
        let [body, title, headings] = term.holding;
        // As in the scores: chunks whose title has a term count as having it. Terms that no chunk has are not searched
        // for.
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

/// The sparse vector of a chunk, in the form that a point takes.
pub(super) fn words(words: SparseVector) -> Vector {
    Vector { vector: Some(vector::Vector::Sparse(words)), ..Vector::default() }
}

/// The sparse vector of a point that was read.
pub(super) fn of_point(vectors: &VectorsOutput) -> Option<SparseVector> {
    match vectors.get_vector_by_name(WORDS)? {
        vector_output::Vector::Sparse(words) => Some(words),
        _ => None,
    }
}

/// A dense vector, in the form that a point takes.
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
