use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures::future::join_all;

use super::answer::{AnswerModel, AnswerModels, Question, rank};
use super::fuse::{Candidate, fuse};
use super::highlight::highlights;
use super::late::{cover, inverse_document_frequency, query_words, rerank, token_weights, weighted_mean};
use super::{RetrievalError, scope};
use crate::base::ContentHash;
use crate::base::text::analysis::terms;
use crate::base::text::{Language, detect_language, one_line};
use crate::domain::{ChunkId, Collection, Hit, SearchMode, StoredChunk};
use crate::embed::{EmbedError, Embedder, QueryVectors};
use crate::store::{KeywordQuery, Store, VectorQuery};

/// How the fused list is put in its final order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rerank {
    /// As fused.
    None,
    /// Late interaction over token states.
    Late,
    /// The answer score, in collections with an answer model.
    Answer,
    /// Both.
    LateAnswer,
}

impl Rerank {
    fn late(self) -> bool {
        matches!(self, Rerank::Late | Rerank::LateAnswer)
    }

    fn answer(self) -> bool {
        matches!(self, Rerank::Answer | Rerank::LateAnswer)
    }
}

/// How searches are done; the same for all searches of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// How many candidates each half gives to the fusion.
    pub candidates: usize,
    /// Weight of the normalized semantic score; the lexical one has 1.
    pub semantic_weight: f32,
    /// The re-ranker.
    pub rerank: Rerank,
    /// How many of the fused list it sees.
    pub rerank_top: usize,
    /// Weight of the mean max-sim against the fused score.
    pub rerank_weight: f32,
    /// Weight of what a passage adds to those above it, see [`cover`].
    pub coverage_weight: f32,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            candidates: 200,
            semantic_weight: 1.0,
            rerank: Rerank::LateAnswer,
            rerank_top: 50,
            rerank_weight: 40.0,
            coverage_weight: 80.0,
        }
    }
}

/// One search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequest {
    /// The words.
    pub query: String,
    /// Names of collections; empty means all.
    pub collections: Vec<String>,
    /// Which halves answer.
    pub mode: SearchMode,
    /// How many hits.
    pub k: usize,
}

/// One handle on everything that can be searched: what the agent, the commands and the servers hold. Cheap to clone.
#[derive(Clone)]
pub struct Corpus {
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    options: SearchOptions,
    answers: AnswerModels,
}

/// Which halves answer one request, decided before anything is searched.
struct Route {
    language: Language,
    keyword: bool,
    /// Collections whose vectors can be compared with the query's; empty means no semantic half.
    semantic: Vec<String>,
}

impl Corpus {
    /// Searches `store`; without an embedder, by keywords only.
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, options: SearchOptions) -> Self {
        Corpus { store, embedder, options, answers: AnswerModels::new() }
    }

    /// With answer models, each for the collection of its name; those of another encoder than the corpus's stay unused.
    pub fn with_answers(self, models: BTreeMap<String, AnswerModel>) -> Self {
        let encoder = self.embedder.as_ref().map(|embedder| embedder.identity().clone());
        let fitting = models.into_iter().filter(|(_, model)| Some(&model.encoder) == encoder.as_ref());
        Corpus { answers: fitting.map(|(name, model)| (name, Arc::new(model))).collect(), ..self }
    }

    /// Whether any collection has an answer model.
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// With other settings.
    pub fn with_options(self, options: SearchOptions) -> Self {
        Corpus { options, ..self }
    }

    /// The settings of its searches.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// The store behind it.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What makes the vectors; `None` for keyword search only.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// All collections, by name.
    pub async fn collections(&self) -> Result<Vec<Collection>, RetrievalError> {
        Ok(self.store.collections().await?)
    }

    /// A chunk with up to `neighbours` chunks before and after it in its document, in their order. Neighbours overlap as
    /// the chunks of the document do.
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let first = chunk.ordinal.saturating_sub(neighbours);
        let last = chunk.ordinal.saturating_add(neighbours).min((1 << ChunkId::ORDINAL_BITS) - 1);
        let ids: Vec<ChunkId> = (first..=last).map(|ordinal| ChunkId { ordinal, ..chunk }).collect();
        let chunks = self.store.chunks(&ids).await?;
        if chunks.iter().any(|found| found.id == chunk) { Ok(chunks) } else { Err(RetrievalError::NoChunk { chunk }) }
    }

    /// Runs searches at once; the answers come in the order of the requests, each a list of hits by falling score.
    ///
    /// The semantic half is left out where there is no embedder, where the embedder does not know the query's language,
    /// and in keyword mode. In semantic mode the keyword half answers for a language that the embedder does not know, and
    /// a missing embedder is an error. Collections that were loaded without an embedder answer by keywords only; one
    /// that was loaded with another embedder is refused. Of passages with the same text only the best is kept.
    pub async fn search(&self, requests: &[SearchRequest]) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        let routes = join_all(requests.iter().map(|request| self.route(request))).await;
        let asking = |route: &Result<Route, RetrievalError>| matches!(route, Ok(route) if !route.semantic.is_empty());
        let texts: Vec<String> = requests
            .iter()
            .zip(&routes)
            .filter(|(_, route)| asking(route))
            .map(|(request, _)| request.query.clone())
            .collect();
        let mut vectors = match self.encode(texts).await {
            Ok(vectors) => Ok(vectors.into_iter()),
            Err(error) => Err(error),
        };
        let searches = requests.iter().zip(routes).map(|(request, route)| {
            let query = match (&mut vectors, asking(&route)) {
                (_, false) => Ok(None),
                (Ok(vectors), true) => Ok(vectors.next()),
                (Err(error), true) => Err(RetrievalError::Embed(error.clone())),
            };
            async move { self.search_one(request, route?, query?).await }
        });
        join_all(searches).await
    }

    async fn encode(&self, texts: Vec<String>) -> Result<Vec<QueryVectors>, EmbedError> {
        match &self.embedder {
            Some(embedder) if !texts.is_empty() => {
                let asked = texts.len();
                let vectors = embedder.queries(texts).await?;
                if vectors.len() == asked {
                    return Ok(vectors);
                }
                let model = embedder.identity().name.clone();
                Err(EmbedError::Run { model, reason: format!("{} vectors for {asked} queries", vectors.len()) })
            }
            _ => Ok(Vec::new()),
        }
    }

    async fn route(&self, request: &SearchRequest) -> Result<Route, RetrievalError> {
        let language = detect_language(&request.query);
        let embedder = match (&self.embedder, request.mode) {
            (_, SearchMode::Keyword) => None,
            (None, SearchMode::Semantic) => return Err(RetrievalError::NoEmbedder),
            (embedder, _) => embedder.as_ref(),
        };
        let Some(embedder) = embedder.filter(|embedder| scope::knows(embedder.as_ref(), &request.query, language))
        else {
            return Ok(Route { language, keyword: true, semantic: Vec::new() });
        };
        let collections = if request.collections.is_empty() {
            self.store.collections().await?
        } else {
            let named = request.collections.iter().map(|name| self.store.collection(name));
            join_all(named).await.into_iter().collect::<Result<_, _>>()?
        };
        let semantic = scope::comparable(&collections, embedder.identity())?;
        let keyword = request.mode != SearchMode::Semantic;
        Ok(Route { language, keyword, semantic })
    }

    async fn search_one(
        &self,
        request: &SearchRequest,
        route: Route,
        vectors: Option<QueryVectors>,
    ) -> Result<Vec<Hit>, RetrievalError> {
        if request.k == 0 {
            return Ok(Vec::new());
        }
        let k = self.options.candidates.max(request.k);
        let keyword = async {
            if !route.keyword {
                return Ok(Vec::new());
            }
            let (collections, text) = (request.collections.clone(), request.query.clone());
            self.store.keyword(&KeywordQuery { collections, text, language: route.language, k }).await
        };
        let semantic = async {
            let Some(vectors) = &vectors else { return Ok(Vec::new()) };
            let (collections, vector) = (route.semantic.clone(), vectors.embedding.clone());
            self.store.semantic(&VectorQuery { collections, vector, k, exact: false }).await
        };
        let (keyword, semantic) = futures::try_join!(keyword, semantic)?;
        let mut candidates = fuse(&keyword, &semantic, k, self.options.semantic_weight);

        // Twice as many as asked for: some may be copies of others, and some may have gone since the index was read.
        candidates.truncate(self.options.rerank_top.max(request.k.saturating_mul(2)));
        let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.id).collect();
        let chunks: HashMap<ChunkId, StoredChunk> =
            self.store.chunks(&ids).await?.into_iter().map(|chunk| (chunk.id, chunk)).collect();
        candidates.retain(|candidate| chunks.contains_key(&candidate.id));

        let weights = self.term_weights(request, route.language, chunks.values()).await?;
        let lookers = rank::lookers(&self.answers, &chunks);
        let mut question = None;
        if let Some(vectors) =
            vectors.filter(|vectors| self.options.rerank != Rerank::None && !vectors.states.is_empty())
        {
            let language = scope::reading_language(route.language, chunks.values());
            question = Question::of(&vectors).filter(|_| self.options.rerank.answer() && !lookers.is_empty());
            let answer = question.clone().map(|question| (question, lookers));
            self.rerank(&mut candidates, vectors, language, &weights, answer).await?;
        }
        let mut hits = hits(request, candidates, chunks, &weights);
        if let (Some(question), Some(embedder)) = (&question, &self.embedder) {
            rank::mark(&mut hits, question, &self.answers, embedder.as_ref(), self.store.as_ref()).await?;
        }
        Ok(hits)
    }

    /// Inverse document frequencies of the query's terms, analysed in its own language and in each that was found.
    async fn term_weights(
        &self,
        request: &SearchRequest,
        language: Language,
        chunks: impl Iterator<Item = &StoredChunk>,
    ) -> Result<BTreeMap<String, f32>, RetrievalError> {
        let mut languages: Vec<Language> = chunks.map(|chunk| chunk.language).chain([language]).collect();
        languages.sort_by_key(|language| language.code());
        languages.dedup();
        let words: BTreeSet<String> =
            languages.into_iter().flat_map(|language| terms(&request.query, language)).map(|term| term.text).collect();
        let words: Vec<String> = words.into_iter().collect();
        if words.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (frequencies, total) = self.store.document_frequencies(&request.collections, &words).await?;
        let weights = frequencies.into_iter().map(|holding| inverse_document_frequency(holding, total));
        Ok(words.into_iter().zip(weights).collect())
    }

    async fn rerank(
        &self,
        candidates: &mut Vec<Candidate>,
        query: QueryVectors,
        language: Language,
        weights: &BTreeMap<String, f32>,
        answer: Option<(Question, rank::Lookers)>,
    ) -> Result<(), RetrievalError> {
        let Some(embedder) = self.embedder.clone() else { return Ok(()) };
        let ids: Vec<ChunkId> = candidates.iter().take(self.options.rerank_top).map(|candidate| candidate.id).collect();
        let states = self.store.states(&ids).await?;
        let weights = token_weights(&query_words(&query.states), query.states.len(), language, weights);
        let late = self.options.rerank.late();
        let looked_at = ids.clone();
        let (max_sims, said) = tokio::task::spawn_blocking(move || {
            let max_sims: Vec<Vec<f32>> = states.iter().map(|states| embedder.max_sim(&query, states)).collect();
            let said = answer.map_or_else(Vec::new, |(question, lookers)| {
                rank::scores(&question, &lookers, &looked_at, &states, embedder.as_ref(), late)
            });
            (max_sims, said)
        })
        .await
        .map_err(RetrievalError::Stopped)?;
        if late {
            let scores: Vec<Option<f32>> = max_sims.iter().map(|sims| weighted_mean(sims, &weights)).collect();
            rerank(candidates, &scores, self.options.rerank_weight);
        }
        rank::raise(candidates, &said);
        let known = ids.into_iter().zip(max_sims).filter(|(_, sims)| !sims.is_empty()).collect();
        cover(candidates, &known, &weights, self.options.coverage_weight);
        Ok(())
    }
}

/// The first `k` candidates whose texts differ, with their sentences marked.
fn hits(
    request: &SearchRequest,
    candidates: Vec<Candidate>,
    mut chunks: HashMap<ChunkId, StoredChunk>,
    weights: &BTreeMap<String, f32>,
) -> Vec<Hit> {
    let mut seen = HashSet::new();
    let mut hits = Vec::new();
    for candidate in candidates {
        if hits.len() == request.k {
            break;
        }
        let Some(chunk) = chunks.remove(&candidate.id) else { continue };
        if !seen.insert(ContentHash::of(one_line(&chunk.text).as_bytes())) {
            continue;
        }
        let highlights = highlights(&request.query, &chunk.text, chunk.language, weights);
        hits.push(Hit { chunk, score: candidate.score, parts: candidate.parts, highlights, answer: None });
    }
    hits
}
