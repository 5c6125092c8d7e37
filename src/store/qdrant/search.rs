//! Searches collections. For the keyword half, the server returns candidates with their texts, which are scored here as
//! in every store; the semantic half is left to the server. One call per collection requests both, along with the data
//! that a search needs of the best results. A search of one collection makes two calls; the other one reads the state
//! of the collections.

use std::collections::{HashMap, HashSet};
use std::future::Future;

use futures::future::try_join_all;
use qdrant_client::qdrant::{
    Condition, DenseVector, Filter, QuantizationSearchParams, Query, QueryPoints, Range, ScoredPoint, SearchParams,
    SparseVector, VectorInput, query, vector_input,
};
use tokio::task::spawn_blocking;

use super::Server;
use super::client::{number, payload_of, vectors_of};
use super::error::ENGINE;
use super::layout::{
    self, CHUNK_FIELDS, DAY, DOCUMENT, KIND, LANGUAGE, MEANING, NAME_FIELDS, PATH, VERSION, WORDS, is_text,
};
use super::sparse;
use super::state::{CollectionState, CollectionStates, match_versions};
use super::view::Depth;
use crate::base::locked;
use crate::base::text::{Language, Spoken, analysis};
use crate::domain::{ChunkId, DocumentFilter};
use crate::store::checks::dimension_mismatch;
use crate::store::scoring::{
    CANDIDATES, LexicalOptions, Occurrences, QueryTerm, Scoring, Statistics, keep_rarest, query_terms, rounded, sort,
};
use crate::store::{KeywordQuery, Scored, StoreError, VectorQuery};

/// The number of cached sets of documents. A run uses the same set again and again.
const KEPT: usize = 8;

/// How many of the best chunks of each half are sent with all their data: re-ranking uses fewer, which are mostly among
/// these.
const WHOLE: usize = 100;

/// How many candidates per requested chunk are found by 8-bit values and compared again in full. Twice as many make up
/// for the order that the rounding changes.
const OVERSAMPLING: f64 = 2.0;

/// The most terms of a query whose rarity is looked up.
const MOST_TERMS: usize = 512;

/// Selects all fields, for chunks of which more than the name is needed.
const EVERYTHING: &[&str] = &[];

/// The key of a set of documents: the collection, its state and the filter.
pub(super) type Asked = (u64, u64, DocumentFilter);

fn nearest(input: vector_input::Variant) -> Option<Query> {
    let input = VectorInput { variant: Some(input) };
    Some(Query { variant: Some(query::Variant::Nearest(input)) })
}

/// Returns a query for the best chunks by a sparse vector.
pub(super) fn sparse_query(words: SparseVector, filter: Filter) -> QueryPoints {
    QueryPoints {
        query: nearest(vector_input::Variant::Sparse(words)),
        using: Some(WORDS.to_owned()),
        filter: Some(filter),
        ..QueryPoints::default()
    }
}

/// Returns a query for the chunks nearest to a vector.
pub(super) fn dense_query(vector: Vec<f32>, exact: bool, filter: Filter) -> QueryPoints {
    // Without this setting, results found by quantized vectors would not be compared again in full.
    let quantization =
        QuantizationSearchParams { ignore: Some(false), rescore: Some(true), oversampling: Some(OVERSAMPLING) };
    let params = match exact {
        true => SearchParams { exact: Some(true), ..SearchParams::default() },
        false => SearchParams { quantization: Some(quantization), ..SearchParams::default() },
    };
    QueryPoints {
        query: nearest(vector_input::Variant::Dense(DenseVector { data: vector })),
        using: Some(MEANING.to_owned()),
        filter: Some(filter),
        params: Some(params),
        ..QueryPoints::default()
    }
}

/// The parts of the keyword half that are known before the search is sent.
struct Keywords {
    terms: Vec<QueryTerm>,
    words: SparseVector,
    statistics: Statistics,
}

/// The half of the search to which a list of results belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Half {
    Words,
    Meaning,
}

/// A candidate's texts, with the languages needed to analyse them.
struct Candidate {
    id: ChunkId,
    body: String,
    title: String,
    headings: String,
    language: Language,
    title_language: Language,
}

impl Server {
    /// Returns the server's filter for the visible documents of a collection that `filter` admits.
    async fn admitted(&self, state: &CollectionState, filter: &DocumentFilter) -> Result<Filter, StoreError> {
        let mut must = conditions(filter);
        if filter.names_paths() {
            must = vec![match_versions(&self.versions(state, filter).await?)];
        }
        Ok(state.visible(must))
    }

    /// Returns the versions that a filter admits. They are determined here, because the server does not know patterns
    /// of paths.
    async fn versions(&self, state: &CollectionState, filter: &DocumentFilter) -> Result<Vec<u64>, StoreError> {
        let asked = (state.number, state.turn, filter.clone());
        if let Some(known) = self.known_versions(&asked) {
            return Ok(known);
        }
        let mut must = conditions(filter);
        must.push(is_text(KIND, DOCUMENT));
        let points =
            self.client.scroll(&state.texts(&self.options.prefix), state.visible(must), &[VERSION, PATH]).await?;
        let by_path =
            DocumentFilter { path: filter.path.clone(), except: filter.except.clone(), ..DocumentFilter::default() };
        let admitted = points.unwrap_or_default().into_iter().filter_map(|point| {
            let path = layout::text(&point.payload, PATH)?;
            by_path.admits(path, Language::UNKNOWN, None).then(|| layout::unsigned(&point.payload, VERSION)).flatten()
        });
        let mut versions: Vec<u64> = admitted.collect();
        versions.sort_unstable();
        let mut kept = locked(&self.admitted);
        kept.insert(0, (asked, versions.clone()));
        kept.truncate(KEPT);
        Ok(versions)
    }

    fn known_versions(&self, asked: &Asked) -> Option<Vec<u64>> {
        let kept = locked(&self.admitted);
        kept.iter().find(|(known, _)| known == asked).map(|(_, versions)| versions.clone())
    }

    pub(super) async fn count_documents(&self, names: &[String], filter: &DocumentFilter) -> Result<u64, StoreError> {
        let states = self.states().await?.named(names)?;
        let counts = states.iter().map(|state| async move {
            if filter.admits_all() {
                return Ok(state.collection.documents);
            }
            if filter.names_paths() {
                return Ok(self.versions(state, filter).await?.len() as u64);
            }
            let mut must = conditions(filter);
            must.push(is_text(KIND, DOCUMENT));
            self.client.count(&state.texts(&self.options.prefix), state.visible(must)).await
        });
        Ok(try_join_all(counts).await?.into_iter().sum())
    }

    pub(super) async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        Ok(self.halves(Some(query), std::future::ready(None)).await?.0)
    }

    pub(super) async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        Ok(self.halves(None, std::future::ready(Some(query.clone()))).await?.1)
    }

    /// Prepares the keyword half of a query; it is `None` if no chunk holds any of the terms. Rarities and mean lengths
    /// are computed over all collections, as in the embedded store.
    async fn keywords(&self, query: &KeywordQuery) -> Result<(CollectionStates, Option<Keywords>), StoreError> {
        let (states, counts) = self.counted(&[]).await?;
        let spoken = languages_in(&states.clone().named(&query.collections)?);
        let spoken: Vec<Language> = spoken.counts().map(|(language, _)| language).collect();
        let mut terms = query_terms(&query.text, query.language, &spoken);
        terms.truncate(MOST_TERMS);
        let options = &self.options.lexical;
        let weights = [1.0, options.title_weight, options.heading_weight];
        for term in &mut terms {
            for (field, weight) in weights.into_iter().enumerate() {
                if weight > 0.0 {
                    term.holding[field] = counts.holding(field, &term.text);
                }
            }
        }
        keep_rarest(&mut terms);
        let chunks: u64 = states.all.iter().map(|state| state.collection.chunks).sum();
        let totals = [0, 1, 2].map(|field| states.all.iter().map(|state| state.words[field]).sum::<u64>() as f32);
        let statistics = Statistics::new(chunks as f32, totals);
        let words = sparse::of_query(options, &terms, |holding| statistics.rarity(holding));
        let keywords = (!words.indices.is_empty()).then_some(Keywords { terms, words, statistics });
        Ok((states, keywords))
    }

    /// Runs both halves of a search; a half that is not requested is empty.
    pub(super) async fn halves(
        &self,
        keyword: Option<&KeywordQuery>,
        semantic: impl Future<Output = Option<VectorQuery>>,
    ) -> Result<(Vec<Scored>, Vec<Scored>), StoreError> {
        let keyword = keyword.filter(|query| query.k > 0);
        let known = async {
            match keyword {
                Some(query) => self.keywords(query).await,
                None => Ok((self.states().await?, None)),
            }
        };
        let (known, semantic) = futures::join!(known, semantic);
        let ((states, keywords), semantic) = (known?, semantic.filter(|query| query.k > 0));
        let by_words = match keyword {
            Some(query) => states.clone().named(&query.collections)?,
            None => Vec::new(),
        };
        let by_meaning = match &semantic {
            Some(query) => with_vectors(states.clone(), query)?,
            None => Vec::new(),
        };
        let keywords_of = |state: &CollectionState| {
            let asked = by_words.iter().any(|one| one.number == state.number);
            keyword.zip(keywords.as_ref()).filter(|_| asked)
        };
        let meaning_of = |state: &CollectionState| {
            let asked = by_meaning.iter().any(|one| one.number == state.number);
            semantic.as_ref().filter(|_| asked)
        };
        let filled = states.all.iter().filter(|state| state.collection.chunks > 0);
        let found = filled.map(|state| self.ask_both(state, keywords_of(state), meaning_of(state)));
        let (mut candidates, mut nearest) = (Vec::new(), Vec::new());
        for (some, more) in try_join_all(found).await? {
            candidates.extend(some);
            nearest.extend(more);
        }
        sort(&mut nearest);
        nearest.truncate(semantic.map_or(0, |query| query.k));
        let (Some(query), Some(keywords)) = (keyword, keywords) else { return Ok((Vec::new(), nearest)) };
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
        candidates.truncate(query.k.max(CANDIDATES));
        let candidates = candidates.into_iter().map(|(_, candidate)| candidate).collect();
        let (options, k) = (self.options.lexical, query.k);
        let work = move || rescored(&options, keywords.statistics, &keywords.terms, candidates, k);
        let scored = spawn_blocking(work).await.map_err(|error| StoreError::Engine {
            engine: ENGINE,
            action: "scoring passages",
            reason: error.to_string(),
        })?;
        Ok((scored, nearest))
    }

    /// Returns the results of one collection for each half: candidates with the server's scores, and the nearest
    /// chunks.
    async fn ask_both(
        &self,
        state: &CollectionState,
        keyword: Option<(&KeywordQuery, &Keywords)>,
        semantic: Option<&VectorQuery>,
    ) -> Result<(Vec<(f32, Candidate)>, Vec<Scored>), StoreError> {
        let mut lists: Vec<(Half, Depth)> = Vec::new();
        let mut queries: Vec<QueryPoints> = Vec::new();
        // The server reads a whole point for any of its fields, so no point is requested twice.
        let is_whole = self.view.is_some() && semantic.is_some();
        let mut ask = |half: Half, limit: usize, beyond: &[&str], query: QueryPoints| {
            let first = if is_whole { limit.min(WHOLE) } else { 0 };
            if first > 0 {
                lists.push((half, Depth::Whole));
                let (with_payload, with_vectors) = (payload_of(EVERYTHING), vectors_of(&[MEANING]));
                queries.push(QueryPoints { limit: Some(first as u64), with_payload, with_vectors, ..query.clone() });
            }
            if limit > first {
                lists.push((half, Depth::Named));
                let (offset, limit) = (Some(first as u64), Some((limit - first) as u64));
                queries.push(QueryPoints { offset, limit, with_payload: payload_of(beyond), ..query });
            }
        };
        if let Some((query, keywords)) = keyword {
            let filter = self.admitted(state, &query.filter).await?;
            ask(Half::Words, query.k.max(CANDIDATES), CHUNK_FIELDS, sparse_query(keywords.words.clone(), filter));
        }
        if let Some(query) = semantic {
            let filter = self.admitted(state, &query.filter).await?;
            let fields = if is_whole { NAME_FIELDS } else { &[VERSION][..] };
            ask(Half::Meaning, query.k, fields, dense_query(query.vector.clone(), query.exact, filter));
        }
        if queries.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let answers = self.client.query(&state.chunks(&self.options.prefix, state.slot), queries).await?;
        let (mut candidates, mut nearest) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for ((half, depth), points) in lists.into_iter().zip(answers) {
            for point in points {
                let Some(id) = chunk_id(state.number, &point) else { continue };
                // With equal scores, a chunk may appear on both sides of the border between two lists.
                if seen.insert((half, id)) {
                    match half {
                        Half::Words => {
                            candidates.extend(candidate(id, &point).map(|candidate| (point.score, candidate)));
                        }
                        Half::Meaning => nearest.push(Scored { id, score: point.score }),
                    }
                }
                if let Some(view) = &self.view {
                    view.keep(id, point, depth);
                }
            }
        }
        Ok((candidates, nearest))
    }

    pub(super) async fn document_frequencies(
        &self,
        names: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        let (states, counts) = self.counted(names).await?;
        let chunks = states.named(names)?.iter().map(|state| state.collection.chunks).sum();
        Ok((terms.iter().map(|term| counts.holding(0, term).min(chunks)).collect(), chunks))
    }
}

/// Returns the collections whose vectors can be compared with a query.
fn with_vectors(states: CollectionStates, query: &VectorQuery) -> Result<Vec<CollectionState>, StoreError> {
    let asked = query.vector.len();
    let mut states = states.named(&query.collections)?;
    let other = |state: &&CollectionState| state.collection.embedder.as_ref().is_some_and(|has| has.dimension != asked);
    if !query.collections.is_empty()
        && let Some(state) = states.iter().find(other)
    {
        return Err(dimension_mismatch(&state.collection, asked));
    }
    states.retain(|state| state.collection.embedder.as_ref().is_some_and(|embedder| embedder.dimension == asked));
    Ok(states)
}

fn chunk_id(number_of_collection: u64, point: &ScoredPoint) -> Option<ChunkId> {
    let (version, ordinal) = layout::version_and_ordinal(number(point.id.as_ref())?);
    Some(ChunkId { document: layout::document_id(number_of_collection, version), ordinal })
}

/// Returns the languages of some collections.
fn languages_in(states: &[CollectionState]) -> Spoken {
    Spoken::of(states.iter().flat_map(|state| state.collection.languages.counts()))
}

/// Returns the conditions of a filter except those on the path.
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

fn candidate(id: ChunkId, point: &ScoredPoint) -> Option<Candidate> {
    let found = &point.payload;
    Some(Candidate {
        id,
        body: layout::text(found, "text")?.to_owned(),
        title: layout::text(found, "title")?.to_owned(),
        headings: layout::texts(found, "headings").join("\n"),
        language: Language::from_code(layout::text(found, "chunk_language")?),
        title_language: Language::from_code(layout::text(found, LANGUAGE)?),
    })
}

/// The occurrences of a query's terms in one text.
#[derive(Default)]
struct TermHits {
    length: u64,
    counts: Vec<f32>,
    positions: Vec<Vec<u32>>,
}

impl TermHits {
    fn of(text: &str, language: Language, terms: &HashMap<&str, usize>) -> Self {
        let mut seen = TermHits { length: 0, counts: vec![0.0; terms.len()], positions: vec![Vec::new(); terms.len()] };
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

/// Returns the best `k` candidates by their final scores.
fn rescored(
    options: &LexicalOptions,
    statistics: Statistics,
    terms: &[QueryTerm],
    candidates: Vec<Candidate>,
    k: usize,
) -> Vec<Scored> {
    let scoring = Scoring::new(options, statistics, terms);
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(terms.len());
    // Two words of the query may share a term, which is counted only once.
    let same: Vec<usize> = terms
        .iter()
        .map(|term| {
            let next = places.len();
            *places.entry(term.text.as_str()).or_insert(next)
        })
        .collect();
    let score = |candidate: Candidate| {
        let body = TermHits::of(&candidate.body, candidate.language, &places);
        let title = TermHits::of(&candidate.title, candidate.title_language, &places);
        let headings = TermHits::of(&candidate.headings, candidate.language, &places);
        let lengths = [body.length, title.length, headings.length].map(sparse::kept_length);
        let score = scoring.score(lengths, |nth| Occurrences {
            counts: [body.counts[same[nth]], title.counts[same[nth]], headings.counts[same[nth]]],
            positions: if terms[nth].positions.is_empty() { &[] } else { &body.positions[same[nth]] },
        });
        Scored { id: candidate.id, score: rounded(score) }
    };
    let mut scored: Vec<Scored> = candidates.into_iter().map(score).collect();
    sort(&mut scored);
    scored.truncate(k);
    scored
}
