//! Searching. The keyword half asks the server for candidates, with what they say, and scores them here as every store
//! does; the semantic half is the server's alone.

use std::collections::HashMap;
use std::sync::PoisonError;

use futures::future::try_join_all;
use qdrant_client::qdrant::{
    Condition, DenseVector, Filter, Query, QueryPoints, Range, ScoredPoint, SearchParams, SparseVector, VectorInput,
    WithVectorsSelector, query, vector_input,
};
use tokio::task::spawn_blocking;

use super::Server;
use super::client::{Fields as Sent, number};
use super::error::ENGINE;
use super::layout::{self, DAY, DOCUMENT, KIND, LANGUAGE, PATH, VERSION, WORDS, is_text};
use super::sparse;
use super::state::{State, of_versions};
use crate::base::text::{Language, analysis};
use crate::domain::{ChunkId, DocumentFilter};
use crate::store::checks::other_embedder;
use crate::store::scoring::{
    CANDIDATES, LexicalOptions, Occurrences, QueryTerm, Scoring, Statistics, keep_rarest, query_terms, rounded,
};
use crate::store::{KeywordQuery, Scored, StoreError, VectorQuery};

/// Sets of documents that are kept. A run asks for the same one again and again.
const KEPT: usize = 8;

/// What the keyword half needs of a candidate.
const CANDIDATE_FIELDS: &[&str] = &["text", "title", "headings", "chunk_language", LANGUAGE];

/// Of which state of which collection a set of documents is, and what admits them.
pub(super) type Asked = (u64, u64, DocumentFilter);

fn nearest(input: vector_input::Variant) -> Option<Query> {
    let input = VectorInput { variant: Some(input) };
    Some(Query { variant: Some(query::Variant::Nearest(input)) })
}

fn of_words(words: SparseVector, filter: Filter, limit: u64, sent: Sent) -> QueryPoints {
    QueryPoints {
        query: nearest(vector_input::Variant::Sparse(words)),
        using: Some(WORDS.to_owned()),
        filter: Some(filter),
        limit: Some(limit),
        with_payload: Some(sent.into()),
        ..QueryPoints::default()
    }
}

/// A candidate's texts, with what is needed to analyse them.
struct Candidate {
    id: ChunkId,
    body: String,
    title: String,
    headings: String,
    language: Language,
    title_language: Language,
}

impl Server {
    /// What a filter says to the server, of the documents of a collection that are seen.
    async fn admitted(&self, state: &State, filter: &DocumentFilter) -> Result<Filter, StoreError> {
        let mut must = conditions(filter);
        if filter.path.is_some() {
            must = vec![of_versions(&self.versions(state, filter).await?)];
        }
        Ok(state.visible(must))
    }

    /// The versions that a filter admits: patterns of paths are not the server's.
    async fn versions(&self, state: &State, filter: &DocumentFilter) -> Result<Vec<u64>, StoreError> {
        let asked = (state.number, state.turn, filter.clone());
        if let Some(known) = self.known_versions(&asked) {
            return Ok(known);
        }
        let mut must = conditions(filter);
        must.push(is_text(KIND, DOCUMENT));
        let points =
            self.client.scroll(&state.texts(&self.options.prefix), state.visible(must), &[VERSION, PATH]).await?;
        let by_path = DocumentFilter { path: filter.path.clone(), ..DocumentFilter::default() };
        let admitted = points.unwrap_or_default().into_iter().filter_map(|point| {
            let path = layout::text(&point.payload, PATH)?;
            by_path.admits(path, Language::UNKNOWN, None).then(|| layout::unsigned(&point.payload, VERSION)).flatten()
        });
        let mut versions: Vec<u64> = admitted.collect();
        versions.sort_unstable();
        let mut kept = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(0, (asked, versions.clone()));
        kept.truncate(KEPT);
        Ok(versions)
    }

    fn known_versions(&self, asked: &Asked) -> Option<Vec<u64>> {
        let kept = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == asked).map(|(_, versions)| versions.clone())
    }

    pub(super) async fn count_documents(&self, names: &[String], filter: &DocumentFilter) -> Result<u64, StoreError> {
        let states = self.states().await?.named(names)?;
        let counts = states.iter().map(|state| async move {
            if filter.admits_all() {
                return Ok(state.collection.documents);
            }
            if filter.path.is_some() {
                return Ok(self.versions(state, filter).await?.len() as u64);
            }
            let mut must = conditions(filter);
            must.push(is_text(KIND, DOCUMENT));
            self.client.count(&state.texts(&self.options.prefix), state.visible(must)).await
        });
        Ok(try_join_all(counts).await?.into_iter().sum())
    }

    pub(super) async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        let states = self.states().await?.named(&query.collections)?;
        let mut terms = query_terms(&query.text, query.language);
        if terms.is_empty() || query.k == 0 {
            return Ok(Vec::new());
        }
        // A query of a page would ask for thousands of terms; the rarest of them cannot be told before.
        terms.truncate(sparse::MOST_ASKED);
        self.fill_holding(&states, &mut terms).await?;
        keep_rarest(&mut terms);
        let words = sparse::of_query(&self.options.lexical, &terms);
        if words.indices.is_empty() {
            return Ok(Vec::new());
        }
        let limit = query.k.max(CANDIDATES) as u64;
        let found = states.iter().map(|state| {
            let words = words.clone();
            async move {
                let filter = self.admitted(state, &query.filter).await?;
                let ask = of_words(words, filter, limit, Sent::Only(CANDIDATE_FIELDS));
                let mut lists = self.client.query(&state.texts(&self.options.prefix), vec![ask]).await?;
                Ok::<_, StoreError>((state.number, lists.pop().unwrap_or_default()))
            }
        });
        let mut found: Vec<(u64, ScoredPoint)> = try_join_all(found)
            .await?
            .into_iter()
            .flat_map(|(number, points)| points.into_iter().map(move |point| (number, point)))
            .collect();
        found.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
        found.truncate(limit as usize);
        let candidates = found.into_iter().filter_map(|(number, point)| candidate(number, point)).collect();
        let chunks: u64 = states.iter().map(|state| state.collection.chunks).sum();
        let totals = [0, 1, 2].map(|field| states.iter().map(|state| state.words[field]).sum::<u64>() as f32);
        let statistics = Statistics::new(chunks as f32, totals);
        let (options, k) = (self.options.lexical, query.k);
        let work = move || rescored(&options, statistics, &terms, candidates, k);
        spawn_blocking(work).await.map_err(|error| StoreError::Engine {
            engine: ENGINE,
            action: "scoring passages",
            reason: error.to_string(),
        })
    }

    /// How many chunks of the collections hold each term in each field, in one call for each collection.
    async fn fill_holding(&self, states: &[State], terms: &mut [QueryTerm]) -> Result<(), StoreError> {
        let texts: Vec<String> = terms.iter().map(|term| term.text.clone()).collect();
        for (field, weight) in
            [1.0, self.options.lexical.title_weight, self.options.lexical.heading_weight].into_iter().enumerate()
        {
            if weight > 0.0 {
                let counts = self.holding(states, field, &texts).await?;
                terms.iter_mut().zip(counts).for_each(|(term, count)| term.holding[field] = count);
            }
        }
        Ok(())
    }

    /// How many chunks of the collections hold each of `terms` in a field.
    async fn holding(&self, states: &[State], field: usize, terms: &[String]) -> Result<Vec<u64>, StoreError> {
        let asked = states.iter().filter(|state| state.collection.chunks > 0).map(|state| async move {
            let ask = |term: &String| QueryPoints {
                with_vectors: Some(WithVectorsSelector::from(true)),
                ..of_words(sparse::of_term(field, term), state.visible(Vec::new()), 1, Sent::None)
            };
            let queries = terms.iter().map(ask).collect();
            let lists = self.client.query(&state.texts(&self.options.prefix), queries).await?;
            let count = |(list, term): (Vec<ScoredPoint>, &String)| {
                let Some(best) = list.first() else { return 0 };
                let value = best.vectors.as_ref().and_then(|vectors| sparse::value_of(vectors, WORDS, field, term));
                value.map_or(0, |value| sparse::holding(state.collection.chunks, best.score, value))
            };
            Ok::<_, StoreError>(lists.into_iter().zip(terms).map(count).collect::<Vec<u64>>())
        });
        let mut sums = vec![0; terms.len()];
        for counts in try_join_all(asked).await? {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        Ok(sums)
    }

    pub(super) async fn document_frequencies(
        &self,
        names: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        let states = self.states().await?.named(names)?;
        let chunks = states.iter().map(|state| state.collection.chunks).sum();
        Ok((self.holding(&states, 0, terms).await?, chunks))
    }

    pub(super) async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        let asked = query.vector.len();
        let mut states = self.states().await?.named(&query.collections)?;
        let other = |state: &&State| state.collection.embedder.as_ref().is_some_and(|has| has.dimension != asked);
        if !query.collections.is_empty()
            && let Some(state) = states.iter().find(other)
        {
            return Err(other_embedder(&state.collection, asked));
        }
        states.retain(|state| state.collection.embedder.as_ref().is_some_and(|embedder| embedder.dimension == asked));
        if query.k == 0 {
            return Ok(Vec::new());
        }
        let found = states.iter().map(|state| async move {
            let ask = QueryPoints {
                query: nearest(vector_input::Variant::Dense(DenseVector { data: query.vector.clone() })),
                filter: Some(self.admitted(state, &query.filter).await?),
                params: query.exact.then(|| SearchParams { exact: Some(true), ..SearchParams::default() }),
                limit: Some(query.k as u64),
                with_payload: Some(Sent::None.into()),
                ..QueryPoints::default()
            };
            let collection = state.vectors(&self.options.prefix, state.slot);
            let mut lists = self.client.query(&collection, vec![ask]).await?;
            let scored = lists.pop().unwrap_or_default().into_iter().filter_map(|point| {
                let (version, ordinal) = layout::version_and_ordinal(number(point.id.as_ref())?);
                let id = ChunkId { document: layout::document_id(state.number, version), ordinal };
                Some(Scored { id, score: point.score })
            });
            Ok::<_, StoreError>(scored.collect::<Vec<_>>())
        });
        let mut scored: Vec<Scored> = try_join_all(found).await?.into_iter().flatten().collect();
        sort(&mut scored);
        scored.truncate(query.k);
        Ok(scored)
    }
}

fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
}

/// What a filter says beside the path.
fn conditions(filter: &DocumentFilter) -> Vec<Condition> {
    let mut must = Vec::new();
    if let Some(language) = filter.language {
        must.push(is_text(LANGUAGE, language.code()));
    }
    if filter.since.is_some() || filter.until.is_some() {
        let day = |date| layout::day(date) as f64;
        must.push(Condition::range(
            DAY,
            Range { gte: filter.since.map(day), lte: filter.until.map(day), ..Range::default() },
        ));
    }
    must
}

fn candidate(number_of_collection: u64, point: ScoredPoint) -> Option<Candidate> {
    let (version, ordinal) = layout::version_and_ordinal(number(point.id.as_ref())?);
    let found = &point.payload;
    Some(Candidate {
        id: ChunkId { document: layout::document_id(number_of_collection, version), ordinal },
        body: layout::text(found, "text")?.to_owned(),
        title: layout::text(found, "title")?.to_owned(),
        headings: layout::texts(found, "headings").join("\n"),
        language: Language::from_code(layout::text(found, "chunk_language")?),
        title_language: Language::from_code(layout::text(found, LANGUAGE)?),
    })
}

/// What one text has of the terms of a query.
#[derive(Default)]
struct Seen {
    length: u64,
    counts: Vec<f32>,
    positions: Vec<Vec<u32>>,
}

impl Seen {
    fn of(text: &str, language: Language, terms: &HashMap<&str, usize>) -> Self {
        let mut seen = Seen { length: 0, counts: vec![0.0; terms.len()], positions: vec![Vec::new(); terms.len()] };
        analysis::for_each_term(text, language, |term, _, position| {
            seen.length += 1;
            if let Some(&nth) = terms.get(term) {
                seen.counts[nth] += 1.0;
                seen.positions[nth].push(u32::try_from(position).unwrap_or(u32::MAX));
            }
        });
        seen
    }
}

/// The best `k` candidates by their final scores.
fn rescored(
    options: &LexicalOptions,
    statistics: Statistics,
    terms: &[QueryTerm],
    candidates: Vec<Candidate>,
    k: usize,
) -> Vec<Scored> {
    let scoring = Scoring::new(options, statistics, terms);
    let places: HashMap<&str, usize> = terms.iter().zip(0..).map(|(term, nth)| (term.text.as_str(), nth)).collect();
    let score = |candidate: Candidate| {
        let body = Seen::of(&candidate.body, candidate.language, &places);
        let title = Seen::of(&candidate.title, candidate.title_language, &places);
        let headings = Seen::of(&candidate.headings, candidate.language, &places);
        let lengths = [body.length, title.length, headings.length].map(sparse::kept_length);
        let score = scoring.score(lengths, |nth| Occurrences {
            counts: [body.counts[nth], title.counts[nth], headings.counts[nth]],
            positions: if terms[nth].positions.is_empty() { &[] } else { &body.positions[nth] },
        });
        Scored { id: candidate.id, score: rounded(score) }
    };
    let mut scored: Vec<Scored> = candidates.into_iter().map(score).collect();
    sort(&mut scored);
    scored.truncate(k);
    scored
}
