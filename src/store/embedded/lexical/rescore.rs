//! Computes the final keyword scores. Tantivy's own BM25, whose constants are fixed, skips quickly through the postings
//! and finds a few hundred candidates; only these are scored here, from their postings.

use std::collections::BTreeMap;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TantivyError, Term};

use super::{Fields, LexicalOptions};
use crate::store::scoring::{Occurrences, QueryTerm, Scoring, Statistics};

fn statistics(searcher: &Searcher, fields: Fields) -> Result<Statistics, TantivyError> {
    let mut chunks = 0f32;
    let mut totals = [0f32; 3];
    for segment in searcher.segment_readers() {
        chunks += segment.max_doc() as f32;
        for (total, field) in totals.iter_mut().zip(fields.text_fields()) {
            *total += segment.inverted_index(field)?.total_num_tokens() as f32;
        }
    }
    Ok(Statistics::new(chunks, totals))
}

/// Returns the scores of the candidates, in their order.
pub(super) fn rescore(
    searcher: &Searcher,
    fields: Fields,
    options: &LexicalOptions,
    terms: &[QueryTerm],
    candidates: &[DocAddress],
) -> Result<Vec<f32>, TantivyError> {
    let scoring = Scoring::new(options, statistics(searcher, fields)?, terms);
    let mut by_segment: BTreeMap<u32, Vec<(DocId, usize)>> = BTreeMap::new();
    for (place, address) in candidates.iter().enumerate() {
        by_segment.entry(address.segment_ord).or_default().push((address.doc_id, place));
    }
    let mut scores = vec![0.0; candidates.len()];
    for (segment, mut documents) in by_segment {
        documents.sort_unstable();
        let ids: Vec<DocId> = documents.iter().map(|&(id, _)| id).collect();
        let segment = Segment { reader: searcher.segment_reader(segment), fields };
        let found = segment.scores(&scoring, options.is_positional(), terms, &ids)?;
        for ((_, place), score) in documents.into_iter().zip(found) {
            scores[place] = score;
        }
    }
    Ok(scores)
}

struct Segment<'a> {
    reader: &'a SegmentReader,
    fields: Fields,
}

/// How often each document contains a term in its fields, and at which positions in its body.
struct InDocuments {
    counts: [Vec<f32>; 3],
    positions: Vec<Vec<u32>>,
}

impl Segment<'_> {
    /// Returns the scores of `documents`, which must be ascending.
    fn scores(
        &self,
        scoring: &Scoring<'_>,
        positional: bool,
        terms: &[QueryTerm],
        documents: &[DocId],
    ) -> Result<Vec<f32>, TantivyError> {
        let [body, title, headings] = self.fields.text_fields();
        let body_lengths = self.reader.get_fieldnorms_reader(body)?;
        let title_lengths = self.reader.get_fieldnorms_reader(title)?;
        let heading_lengths = self.reader.get_fieldnorms_reader(headings)?;
        let mut found: Vec<InDocuments> = Vec::with_capacity(terms.len());
        for term in terms {
            let near = positional && !term.positions.is_empty();
            let [in_bodies, in_titles, in_heads] = term.holding.map(|holding| holding > 0);
            let (body_counts, positions) = self.occurrences(in_bodies.then_some(body), term, documents, near)?;
            let (title_counts, _) = self.occurrences(in_titles.then_some(title), term, documents, false)?;
            let (heading_counts, _) = self.occurrences(in_heads.then_some(headings), term, documents, false)?;
            found.push(InDocuments { counts: [body_counts, title_counts, heading_counts], positions });
        }
        let scores = documents.iter().enumerate().map(|(nth, &document)| {
            let lengths = [
                body_lengths.fieldnorm(document),
                title_lengths.fieldnorm(document),
                heading_lengths.fieldnorm(document),
            ];
            scoring.score(lengths, |term| {
                let InDocuments { counts: [body, title, headings], positions } = &found[term];
                let positions = positions.get(nth).map_or(&[][..], Vec::as_slice);
                Occurrences { counts: [body[nth], title[nth], headings[nth]], positions }
            })
        });
        Ok(scores.collect())
    }

    /// Returns how often each of `documents` contains the term in `field` and, if requested, at which positions.
    /// Without a field all counts are zero.
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
