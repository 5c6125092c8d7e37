//! Ranks a set's corpus for each of its queries, and scores the rankings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::dataset::{Dataset, Passage, Query};
use super::measure::QueryScores;
use super::outcome::Latency;
use crate::base::ContentHash;
use crate::base::text::{Language, Spoken};
use crate::bundled::language_of;
use crate::documents::chunk::{ChunkOptions, chunk, main_language};
use crate::documents::parse::Parsed;
use crate::domain::{Document, Format, Hit, SearchMode};
use crate::embed::{EmbedError, Embedder};
use crate::ingest::with_vectors;
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::store::{Store, StoreError};

/// The depth down to which rankings are scored. A relevant passage below it would add less than 1/100 to an average
/// precision.
pub const DEPTH: usize = 100;

/// Passages embedded and committed together.
const BATCH: usize = 256;

/// Why an evaluation fails.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] RetrievalError),
}

/// The ranks of a query's relevant passages, for finding out what went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct QueryRanks {
    /// The query's id.
    pub id: String,
    /// Its words.
    pub query: String,
    /// Relevant passage id → its rank from 1; `None` if it is below [`DEPTH`].
    pub ranks: BTreeMap<String, Option<usize>>,
    /// The first five passages of the ranking.
    pub top: Vec<String>,
    /// Average precision.
    pub ap: f64,
    /// The code of the language that the query is taken to be in.
    pub query_language: &'static str,
    /// The code of the language of most of its relevant passages.
    pub document_language: &'static str,
}

/// Chunks, embeds and stores a set's passages as documents of `collection`, with the passages' ids as paths. Returns
/// the seconds that it took.
pub async fn load_set(
    store: &Arc<dyn Store>,
    embedder: Option<&Arc<dyn Embedder>>,
    collection: &str,
    set: &Dataset,
    options: &ChunkOptions,
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<f64, EvalError> {
    let start = Instant::now();
    for (index, batch) in set.passages.chunks(BATCH).enumerate() {
        let documents: Vec<Document> = batch.iter().map(|passage| document(passage, options)).collect();
        store.put(collection, with_vectors(documents, embedder.map(AsRef::as_ref)).await?).await?;
        progress((index * BATCH + batch.len()).min(set.passages.len()));
    }
    store.flush().await?;
    Ok(start.elapsed().as_secs_f64())
}

fn document(passage: &Passage, options: &ChunkOptions) -> Document {
    let parsed = Parsed { text: passage.text.clone(), ..Parsed::default() };
    let chunks = chunk(&parsed, options);
    Document {
        path: passage.id.clone(),
        title: passage.title.clone(),
        format: Format::Text,
        language: main_language(&parsed.text, &chunks),
        date: None,
        authorship: crate::domain::Authorship::default(),
        hash: ContentHash::of(passage.text.as_bytes()),
        bytes: passage.text.len() as u64,
        modified_ns: 0,
        cut: None,
        chunks,
        text: parsed.text,
    }
}

/// Searches for each query of the set in turn, and returns the scores and ranks of each, and the latency of a search.
pub async fn measure(
    corpus: &Corpus,
    collection: &str,
    set: &Dataset,
    mode: SearchMode,
    progress: &(dyn Fn(usize) + Send + Sync),
) -> Result<(Vec<(String, QueryScores)>, Vec<QueryRanks>, Latency), EvalError> {
    let mut scores = Vec::with_capacity(set.queries.len());
    let mut ranks = Vec::with_capacity(set.queries.len());
    let mut milliseconds = Vec::with_capacity(set.queries.len());
    let languages = Languages::of(corpus.store().as_ref(), collection).await?;
    for (index, query) in set.queries.iter().enumerate() {
        // A passage may have several chunks, so more chunks than passages are requested.
        let request =
            SearchRequest { query: query.text.clone(), collections: vec![collection.to_owned()], mode, k: DEPTH * 2 };
        let start = Instant::now();
        let hits = corpus.search_and_read(&request, Arc::new(|| true)).await?;
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        let ranking = passages_of(&hits);
        let score = QueryScores::of(&ranking, &query.judgements);
        ranks.push(QueryRanks {
            id: query.id.clone(),
            query: query.text.clone(),
            ranks: query
                .relevant()
                .map(|id| (id.clone(), ranking.iter().position(|found| found == id).map(|at| at + 1)))
                .collect(),
            top: ranking.iter().take(5).cloned().collect(),
            ap: score.ap,
            query_language: language_of(&query.text, &languages.spoken).code(),
            document_language: languages.of_relevant(query).code(),
        });
        scores.push((query.id.clone(), score));
        progress(index + 1);
    }
    Ok((scores, ranks, Latency::of(milliseconds)))
}

/// The languages of a set's passages, as stored.
struct Languages {
    spoken: Spoken,
    by_passage: BTreeMap<String, Language>,
}

impl Languages {
    async fn of(store: &dyn Store, collection: &str) -> Result<Self, StoreError> {
        let documents = store.documents(collection).await?;
        let by_passage = documents.into_iter().map(|record| (record.path, record.language)).collect();
        Ok(Languages { spoken: store.collection(collection).await?.languages, by_passage })
    }

    /// The language of most of a query's relevant passages.
    fn of_relevant(&self, query: &Query) -> Language {
        let known = query.relevant().filter_map(|id| Some((*self.by_passage.get(id)?, 1)));
        Spoken::of(known).counts().next().map_or(Language::UNKNOWN, |(language, _)| language)
    }
}

/// The passages of ranked chunks, each at the rank of its best chunk, cut to [`DEPTH`].
fn passages_of(hits: &[Hit]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    hits.iter().map(|hit| &hit.chunk.path).filter(|path| seen.insert(path.as_str())).take(DEPTH).cloned().collect()
}
