//! Ranks a set's corpus for each of its queries, and scores the rankings.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;

use super::dataset::{Dataset, Passage};
use super::measure::QueryScores;
use super::outcome::Latency;
use crate::base::ContentHash;
use crate::base::text::detect_language;
use crate::documents::chunk::{ChunkOptions, chunk};
use crate::documents::parse::Parsed;
use crate::domain::{Document, Format, Hit, SearchMode};
use crate::embed::{EmbedError, Embedder};
use crate::ingest::with_vectors;
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::store::{Store, StoreError};

/// How deep rankings are scored. Deeper relevant passages would add less than 1/100 to an average precision.
pub const DEPTH: usize = 100;

/// Passages that are embedded and committed together.
const BATCH: usize = 256;

/// What goes wrong in an evaluation.
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

/// The ranks of a query's relevant passages, for a look at what goes wrong.
#[derive(Clone, Debug, Serialize)]
pub struct QueryRanks {
    /// The query's id.
    pub id: String,
    /// Its words.
    pub query: String,
    /// Relevant passage id → its rank from 1; absent where it is deeper than [`DEPTH`].
    pub ranks: std::collections::BTreeMap<String, Option<usize>>,
    /// The first five passages of the ranking.
    pub top: Vec<String>,
    /// Average precision.
    pub ap: f64,
}

/// Chunks, embeds and stores a set's passages as documents of `collection`, whose paths are the passages' ids. Returns
/// the seconds it took.
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
    Document {
        path: passage.id.clone(),
        title: passage.title.clone(),
        format: Format::Text,
        language: detect_language(&parsed.text),
        date: None,
        hash: ContentHash::of(passage.text.as_bytes()),
        bytes: passage.text.len() as u64,
        modified_ns: 0,
        cut: None,
        chunks: chunk(&parsed, options),
        text: parsed.text,
    }
}

/// Searches for every query of the set, one after another, and scores each ranking; with the time of a search.
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
    for (index, query) in set.queries.iter().enumerate() {
        // A passage may be several chunks, so more chunks than passages are asked for.
        let request =
            SearchRequest { query: query.text.clone(), collections: vec![collection.to_owned()], mode, k: DEPTH * 2 };
        let start = Instant::now();
        let mut hits = Vec::new();
        for found in corpus.search(std::slice::from_ref(&request)).await {
            hits.extend(found?);
        }
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        let ranking = passages_of(&hits);
        let score = QueryScores::of(&ranking, &query.judgements);
        let relevant = query.judgements.iter().filter(|(_, grade)| **grade > 0);
        ranks.push(QueryRanks {
            id: query.id.clone(),
            query: query.text.clone(),
            ranks: relevant
                .map(|(id, _)| (id.clone(), ranking.iter().position(|found| found == id).map(|at| at + 1)))
                .collect(),
            top: ranking.iter().take(5).cloned().collect(),
            ap: score.ap,
        });
        scores.push((query.id.clone(), score));
        progress(index + 1);
    }
    Ok((scores, ranks, Latency::of(milliseconds)))
}

/// The passages of ranked chunks, each at the place of its best chunk, cut to [`DEPTH`].
fn passages_of(hits: &[Hit]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    hits.iter().map(|hit| &hit.chunk.path).filter(|path| seen.insert(path.as_str())).take(DEPTH).cloned().collect()
}
