//! Searches the index: chooses the state to read, finds candidates, and counts the chunks that hold a term. The scores
//! of candidates are computed in `rescore.rs`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery, TermSetQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{
    DocAddress, DocSet, Index, IndexReader, ReloadPolicy, Searcher, SegmentReader, TERMINATED, TantivyError,
};

use super::check::{CHECKED_AT_ONCE, check};
use super::rescore::rescore;
use super::top::{RankedChunk, TopCollector, chunk_id, chunk_ids};
use super::writer::is_damage;
use super::{Fields, LexicalOptions, folder_in, open_checked, parse_payload, parse_spoken};
use crate::base::text::{Language, Spoken, beginning_of_forms, may_be_inflections};
use crate::base::{if_there, locked};
use crate::store::embedded::admitted::Admitted;
use crate::store::embedded::checked::Checks;
use crate::store::embedded::error::{io_error, tantivy_error};
use crate::store::scoring::{CANDIDATES, QueryTerm, keep_rarest, query_terms, rounded, sort};
use crate::store::{Scored, StoreError, TermRelation};

/// The number of extra candidates fetched, so that ties at the border are broken by id and not by place in the index.
const MARGIN: usize = 64;

/// The documents that a search leaves out or is limited to.
#[derive(Clone, Copy, Debug)]
pub(in crate::store::embedded) enum Filter<'a> {
    /// All except these documents, in ascending order, and these collections, which the index has but the catalog does
    /// not.
    Without { documents: &'a [u64], collections: &'a [u64] },
    /// Only these documents.
    Only(&'a Admitted),
}

impl Filter<'_> {
    /// Whether a document's chunks may be found. Collections that no longer exist are excluded by the query.
    pub(super) fn keeps(&self, document: u64) -> bool {
        match self {
            Filter::Without { documents, .. } => documents.binary_search(&document).is_err(),
            Filter::Only(admitted) => admitted.contains(document),
        }
    }
}

/// The reading side of the index. It follows commits, whichever process makes them.
pub(in crate::store::embedded) struct LexicalSearcher {
    folder: PathBuf,
    options: LexicalOptions,
    opened: Mutex<Option<Opened>>,
    checks: Arc<Checks>,
}

#[derive(Clone)]
struct Opened {
    index: Index,
    fields: Fields,
    reader: IndexReader,
    /// The content of the file that lists the segments which `reader` shows: other content means another commit.
    meta: Vec<u8>,
    seq: Option<u64>,
    spoken: Arc<SpokenOnce>,
}

/// The number of chunks in each language by collection, counted when a search first needs it.
type SpokenOnce = OnceLock<BTreeMap<u64, Spoken>>;

/// One state of the index.
pub(in crate::store::embedded) struct Snapshot {
    folder: PathBuf,
    options: LexicalOptions,
    fields: Fields,
    searcher: Searcher,
    /// The last change that this state is certain to contain; `None` for an index of another version.
    pub(in crate::store::embedded) seq: Option<u64>,
    spoken: Arc<SpokenOnce>,
}

impl LexicalSearcher {
    pub(in crate::store::embedded) fn new(data: &Path, options: LexicalOptions) -> Self {
        LexicalSearcher { folder: folder_in(data), options, opened: Mutex::new(None), checks: Arc::default() }
    }

    /// Returns the current index; `None` if there is none or it cannot be used.
    pub(in crate::store::embedded) fn snapshot(&self) -> Result<Option<Snapshot>, StoreError> {
        let mut opened = locked(&self.opened);
        let mut last = None;
        // A writer may delete a segment after the list of segments is read and before their files are opened.
        for _ in 0..4 {
            let Some(meta) = self.read_meta()? else {
                *opened = None;
                return Ok(None);
            };
            if last.as_ref() == Some(&meta) {
                break;
            }
            match self.refresh(&mut opened, &meta) {
                Ok(()) if !self.found_damage() => break,
                Ok(()) => tracing::warn!(folder = %self.folder.display(), "the index is damaged and not used"),
                // An index of another version, which the next search rebuilds.
                Err(TantivyError::SchemaError(_)) => {}
                Err(error) if is_damage(&error) => {
                    tracing::warn!(folder = %self.folder.display(), %error, "the index is damaged and not used");
                }
                Err(error) => return Err(tantivy_error(&self.folder, "opening it", error)),
            }
            *opened = None;
            last = Some(meta);
        }
        Ok(opened.as_ref().map(|opened| Snapshot {
            folder: self.folder.clone(),
            options: self.options,
            fields: opened.fields,
            searcher: opened.reader.searcher(),
            seq: opened.seq,
            spoken: Arc::clone(&opened.spoken),
        }))
    }

    /// Whether a file that still exists is known to be damaged.
    pub(in crate::store::embedded) fn found_damage(&self) -> bool {
        self.checks.found_damage(&self.folder)
    }

    fn read_meta(&self) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.folder.join("meta.json");
        if_there(std::fs::read(&path)).map_err(|error| io_error(&self.folder, "cannot read", &path, error))
    }

    fn refresh(&self, opened: &mut Option<Opened>, meta: &[u8]) -> Result<(), TantivyError> {
        if opened.as_ref().is_some_and(|opened| opened.meta == meta) {
            return Ok(());
        }
        // The number is read before the segments, so they contain at least the changes up to it.
        if let Some(known) = opened.take() {
            let seq = parse_payload(known.index.load_metas()?.payload.as_deref());
            // If the folder was cleared and filled again, it has another index.
            if known.reader.reload().is_ok() {
                check(&self.checks, &known.index, &self.folder, CHECKED_AT_ONCE)?;
                let spoken = Arc::default();
                *opened = Some(Opened { meta: meta.to_owned(), seq, spoken, ..known });
                return Ok(());
            }
        }
        if let Some((index, fields)) = open_checked(&self.folder, &self.checks)? {
            let seq = parse_payload(index.load_metas()?.payload.as_deref());
            let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
            let (meta, spoken) = (meta.to_owned(), Arc::default());
            *opened = Some(Opened { index, fields, reader, meta, seq, spoken });
        }
        Ok(())
    }
}

impl Snapshot {
    fn fail(&self, error: TantivyError) -> StoreError {
        tantivy_error(&self.folder, "searching", error)
    }

    /// Returns the number of chunks in each language by collection.
    pub(in crate::store::embedded) fn spoken(&self) -> Result<&BTreeMap<u64, Spoken>, StoreError> {
        if let Some(counted) = self.spoken.get() {
            return Ok(counted);
        }
        let counted = self.count_spoken().map_err(|error| self.fail(error))?;
        Ok(self.spoken.get_or_init(|| counted))
    }

    fn count_spoken(&self) -> Result<BTreeMap<u64, Spoken>, TantivyError> {
        let mut counts: BTreeMap<u64, Vec<(Language, u64)>> = BTreeMap::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.spoken)?;
            let mut terms = index.terms().stream()?;
            while terms.advance() {
                let Some((collection, language)) = parse_spoken(terms.key()) else { continue };
                let count = match segment.alive_bitset() {
                    None => u64::from(terms.value().doc_freq),
                    Some(alive) => {
                        let mut rows = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                        let mut count = 0;
                        while rows.doc() != TERMINATED {
                            count += u64::from(alive.is_alive(rows.doc()));
                            rows.advance();
                        }
                        count
                    }
                };
                counts.entry(collection).or_default().push((language, count));
            }
        }
        Ok(counts.into_iter().map(|(collection, counts)| (collection, Spoken::of(counts))).collect())
    }

    /// Returns the best `k` chunks for a text in the given presumed language, by descending score, then by ascending
    /// id. `spoken` holds the languages of the collections.
    pub(in crate::store::embedded) fn search(
        &self,
        (text, language): (&str, Language),
        spoken: &Spoken,
        k: usize,
        filter: &Filter<'_>,
    ) -> Result<Vec<Scored>, StoreError> {
        let terms = self.weighted_terms(text, language, spoken).map_err(|error| self.fail(error))?;
        if terms.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let Some(query) = self.any_of(&terms) else { return Ok(Vec::new()) };
        let query = self.living(query, filter);
        let found = self.top(&*query, filter, k.max(CANDIDATES));
        let found = found.and_then(|candidates| self.rescored(&terms, &candidates, k));
        found.map_err(|error| self.fail(error))
    }

    fn rescored(&self, terms: &[QueryTerm], candidates: &[RankedChunk], k: usize) -> Result<Vec<Scored>, TantivyError> {
        let addresses: Vec<DocAddress> = candidates.iter().map(|found| found.address).collect();
        let scores = rescore(&self.searcher, self.fields, &self.options, terms, &addresses)?;
        let with_score = |(found, score): (&RankedChunk, f32)| Scored { id: found.chunk, score: rounded(score) };
        let mut scored: Vec<Scored> = candidates.iter().zip(scores).map(with_score).collect();
        sort(&mut scored);
        scored.truncate(k);
        Ok(scored)
    }

    /// Returns the distinct terms of a query; if there are too many, the rarest.
    fn weighted_terms(&self, text: &str, language: Language, spoken: &Spoken) -> Result<Vec<QueryTerm>, TantivyError> {
        let spoken: Vec<Language> = spoken.counts().map(|(language, _)| language).collect();
        let mut terms = query_terms(text, language, &spoken);
        for term in &mut terms {
            for (holding, field) in term.holding.iter_mut().zip(self.fields.text_fields()) {
                *holding = self.searcher.doc_freq(&tantivy::Term::from_field_text(field, &term.text))?;
            }
        }
        keep_rarest(&mut terms);
        Ok(terms)
    }

    /// Returns the query for chunks that hold any of the terms; `None` if no chunk holds one.
    fn any_of(&self, terms: &[QueryTerm]) -> Option<Box<dyn Query>> {
        let weights = [1.0, self.options.title_weight, self.options.heading_weight];
        let mut clauses: Vec<Box<dyn Query>> = Vec::with_capacity(terms.len() * weights.len());
        for term in terms {
            for ((field, weight), holding) in self.fields.text_fields().into_iter().zip(weights).zip(term.holding) {
                // A term that no chunk holds would be looked up in every segment in vain.
                if weight > 0.0 && holding > 0 {
                    let in_field = tantivy::Term::from_field_text(field, &term.text);
                    let query = Box::new(TermQuery::new(in_field, IndexRecordOption::WithFreqs));
                    clauses.push(Box::new(BoostQuery::new(query, weight * term.weight)));
                }
            }
        }
        if clauses.is_empty() { None } else { Some(Box::new(BooleanQuery::union(clauses))) }
    }

    /// Excludes from the query the collections that no longer exist, if there are any.
    fn living(&self, query: Box<dyn Query>, filter: &Filter<'_>) -> Box<dyn Query> {
        match filter {
            Filter::Without { collections, .. } if !collections.is_empty() => {
                let term = |&id: &u64| tantivy::Term::from_field_u64(self.fields.collection, id);
                let gone = TermSetQuery::new(collections.iter().map(term));
                Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::MustNot, Box::new(gone))]))
            }
            _ => query,
        }
    }

    /// Returns the best `k` by tantivy's score, descending, then by ascending id.
    fn top(&self, query: &dyn Query, filter: &Filter<'_>, k: usize) -> Result<Vec<RankedChunk>, TantivyError> {
        let most = self.searcher.num_docs() as usize;
        let mut limit = k.saturating_add(MARGIN);
        loop {
            let fetched = limit.min(most.max(1));
            let mut found = self.searcher.search(query, &TopCollector::new(fetched, filter))?;
            for found in &mut found {
                found.score = rounded(found.score);
            }
            found.sort_by(|a, b| b.cmp(a));
            let tied_at_the_border = found.len() == fetched
                && fetched < most
                && found.get(k - 1).zip(found.last()).is_some_and(|(border, last)| border.score == last.score);
            if !tied_at_the_border {
                found.truncate(k);
                return Ok(found);
            }
            limit = limit.saturating_mul(4);
        }
    }

    /// Returns terms that are like `term`, in the order of [`crate::store::Store::like_terms`]. For parts of words the
    /// whole dictionary is scanned, because it is not sorted by the ends of terms.
    pub(in crate::store::embedded) fn like_terms(
        &self,
        term: &str,
        like: TermRelation,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let beginning = if like == TermRelation::Form { beginning_of_forms(term) } else { term };
        let is_like = |other: &[u8]| match like {
            TermRelation::Form => {
                std::str::from_utf8(other).is_ok_and(|other| other != term && may_be_inflections(term, other))
            }
            _ => other.len() > term.len(),
        };
        let mut held: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut look = |segment: &SegmentReader| -> Result<(), TantivyError> {
            let index = segment.inverted_index(self.fields.body)?;
            let terms = index.terms();
            let mut terms = match like {
                TermRelation::Part => terms.stream()?,
                _ => terms.range().ge(beginning.as_bytes()).into_stream()?,
            };
            while terms.advance() {
                let begins = terms.key().starts_with(beginning.as_bytes());
                if like != TermRelation::Part && !begins {
                    break;
                }
                if (begins || terms.key().ends_with(term.as_bytes())) && is_like(terms.key()) {
                    *held.entry(terms.key().to_vec()).or_default() += u64::from(terms.value().doc_freq);
                }
            }
            Ok(())
        };
        self.searcher.segment_readers().iter().try_for_each(&mut look).map_err(|error| self.fail(error))?;
        let mut found: Vec<(Vec<u8>, u64)> = held.into_iter().collect();
        // The last part of a compound determines its meaning, so terms that end in `term` come first.
        let is_first = |other: &[u8]| like == TermRelation::Part && other.ends_with(term.as_bytes());
        found.sort_by_key(|(other, holding)| (!is_first(other), Reverse(*holding)));
        found.truncate(limit);
        Ok(found.into_iter().filter_map(|(term, _)| String::from_utf8(term).ok()).collect())
    }

    /// Returns in how many chunks each term occurs. For all documents the numbers come from the dictionary, which still
    /// counts chunks deleted since the last merge; for a set of documents they are exact.
    pub(in crate::store::embedded) fn document_frequencies(
        &self,
        terms: &[String],
        admitted: Option<&Admitted>,
    ) -> Result<Vec<u64>, StoreError> {
        let count = |term: &String| {
            let term = tantivy::Term::from_field_text(self.fields.body, term);
            match admitted {
                None => self.searcher.doc_freq(&term),
                Some(admitted) => self.occurrences_in(&term, admitted),
            }
        };
        terms.iter().map(|term| count(term).map_err(|error| self.fail(error))).collect()
    }

    fn occurrences_in(&self, term: &tantivy::Term, admitted: &Admitted) -> Result<u64, TantivyError> {
        let mut count = 0;
        for segment in self.searcher.segment_readers() {
            let postings = segment.inverted_index(self.fields.body)?.read_postings(term, IndexRecordOption::Basic)?;
            let Some(mut postings) = postings else { continue };
            let (ids, alive) = (chunk_ids(segment)?, segment.alive_bitset());
            while postings.doc() != TERMINATED {
                let row = postings.doc();
                let is_alive = alive.is_none_or(|alive| alive.is_alive(row));
                count += u64::from(is_alive && admitted.contains(chunk_id(&ids, row)?.document.0));
                postings.advance();
            }
        }
        Ok(count)
    }
}
