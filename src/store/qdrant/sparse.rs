//! BM25 as a sparse vector: one entry for each term of each field, whose value says how much of the most that the term
//! can bring the passage has. The server multiplies it with the term's rarity.
//!
//! A value depends on how long texts are on average. That is not known before all are loaded, so here it is fixed; the
//! scores that come back are made anew from the candidates' texts, with the collection's own averages.

use std::collections::BTreeMap;

use qdrant_client::qdrant::{SparseVector, Vector, vector};
use tantivy::fieldnorm::FieldNormReader;

use crate::base::ContentHash;
use crate::base::text::{Language, analysis};
use crate::store::scoring::{LexicalOptions, QueryTerm};

/// Terms that a body, a title and the headings above a chunk usually have.
const USUAL_LENGTHS: [f32; 3] = [90.0, 4.0, 6.0];

/// Terms of a query whose rarity is asked for.
pub(super) const MOST_ASKED: usize = 512;

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
fn entry(field: usize, term: &str) -> u32 {
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
pub(super) fn of_chunk(options: &LexicalOptions, counts: [&Counts; 3]) -> Option<Vector> {
    let mut entries: BTreeMap<u32, f32> = BTreeMap::new();
    let norm = |field: usize| {
        let length = kept_length(counts[field].length) as f32 / USUAL_LENGTHS[field];
        options.k1 * (1.0 - options.b + options.b * length)
    };
    let norms = [norm(0), norm(1), norm(2)];
    let [body, title, headings] = counts;
    let mut add = |field: usize, term: &str, count: f32| {
        if count > 0.0 {
            let norm = norms.get(field).copied().unwrap_or(norms[0]);
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
    Some(Vector::from(SparseVector { indices, values }))
}

/// A query for candidates.
pub(super) fn of_query(options: &LexicalOptions, terms: &[QueryTerm]) -> SparseVector {
    let weights = [1.0, options.title_weight, options.heading_weight, 1.0];
    let mut entries: BTreeMap<u32, f32> = BTreeMap::new();
    for term in terms {
        for (field, weight) in weights.into_iter().enumerate() {
            // What no chunk holds need not be looked for.
            let holding = term.holding[if field == TITLE_IN_BODY { 1 } else { field }];
            if weight > 0.0 && holding > 0 {
                *entries.entry(entry(field, &term.text)).or_default() += weight * term.weight;
            }
        }
    }
    let (indices, values) = entries.into_iter().unzip();
    SparseVector { indices, values }
}

/// A query for one term in one field: its best passage tells how rare it is.
pub(super) fn of_term(field: usize, term: &str) -> SparseVector {
    SparseVector { indices: vec![entry(field, term)], values: vec![1.0] }
}

/// How many of `chunks` chunks hold a term, from the score of the best and its value for it: their quotient is the
/// rarity that the server computed.
pub(super) fn holding(chunks: u64, score: f32, value: f32) -> u64 {
    let rarity = f64::from(score) / f64::from(value);
    let odds = rarity.exp() - 1.0;
    if !odds.is_finite() || odds <= 0.0 {
        return chunks;
    }
    // Solved for the number: odds = (chunks - n + 0.5) / (n + 0.5).
    let number = (chunks as f64 + 0.5 - 0.5 * odds) / (1.0 + odds);
    (number.round().max(1.0) as u64).min(chunks.max(1))
}

/// The value of a term's entry in a point's vector.
pub(super) fn value_of(
    vector: &qdrant_client::qdrant::VectorsOutput,
    name: &str,
    field: usize,
    term: &str,
) -> Option<f32> {
    use qdrant_client::qdrant::vector_output::Vector as Output;
    let wanted = entry(field, term);
    match vector.get_vector_by_name(name)? {
        Output::Sparse(sparse) => {
            let at = sparse.indices.iter().position(|&index| index == wanted)?;
            sparse.values.get(at).copied().filter(|value| *value > 0.0)
        }
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
    fn the_number_of_chunks_comes_back_from_the_rarity() {
        fn check(chunks: u64, number: u64) {
            let rarity = (1.0 + (chunks as f64 - number as f64 + 0.5) / (number as f64 + 0.5)).ln() as f32;
            for value in [0.3, 1.7] {
                let found = holding(chunks, rarity * value, value);
                assert!(found.abs_diff(number) <= number / 1_000, "{found} instead of {number} of {chunks}");
            }
        }
        check(3, 1);
        check(3, 2);
        check(3, 3);
        check(1_000_000, 1);
        check(1_000_000, 999);
        check(1_000_000, 500_000);
    }

    #[test]
    fn a_term_of_the_title_counts_in_the_body_apart() {
        let counts = |text: &str| Counts::of(text, Language::ENGLISH);
        let (body, title, none) = (counts("quagga zebra zebra"), counts("horse"), Counts::default());
        let vector = of_chunk(&LexicalOptions::default(), [&body, &title, &none]).expect("it has terms");
        let Some(vector::Vector::Sparse(vector)) = vector.vector else { panic!("another kind of vector") };
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
