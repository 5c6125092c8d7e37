//! A search from its query to its hits: which halves (keyword, semantic) run, how their results are fused, and the
//! order of the later steps. The arithmetic of each step has its own file; `reading.rs` applies the reader afterwards.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures::FutureExt;
use futures::future::join_all;
use serde::Serialize;

use super::RetrievalError;
use super::answer::{AnswerModel, AnswerModels, Question, rank};
use super::compounds;
use super::exact::raise_exact;
use super::fuse::{Candidate, fuse_by};
use super::highlight::highlights;
use super::interaction::Interaction;
use super::late::{inverse_document_frequency, rerank, rerank_for_coverage};
use super::links::{READ_HITS, links, raise};
use super::scope::{self, Writing};
use super::smooth::smooth;
use crate::base::ContentHash;
use crate::base::text::analysis::terms;
use crate::base::text::formula::{FORMULA_WEIGHT, formula, is_within};
use crate::base::text::{Language, Spoken, language_for_question, one_line};
use crate::bundled::language_of;
use crate::domain::{ChunkId, Collection, DocumentFilter, DocumentId, EmbedderIdentity, Hit, SearchMode, StoredChunk};
use crate::embed::{EmbedError, Embedder, QueryVectors, Text, check_vectors};
use crate::store::{ChunkName, KeywordQuery, Scored, SmallWords, Store, VectorQuery};

/// How the fused list is brought into its final order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rerank {
    /// Keeps the fused order.
    None,
    /// Late interaction over token states.
    Late,
    /// The answer score, in collections with an answer model.
    Answer,
    /// Late interaction and the answer score.
    LateAnswer,
}

impl Rerank {
    /// Whether late interaction is used.
    fn late(self) -> bool {
        matches!(self, Rerank::Late | Rerank::LateAnswer)
    }

    /// Whether the answer score is used.
    fn answer(self) -> bool {
        matches!(self, Rerank::Answer | Rerank::LateAnswer)
    }
}

/// The settings of searches; the same for all searches of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// The number of candidates that each half gives to the fusion.
    pub candidates: usize,
    /// The weight of the normalized semantic score; the lexical one has weight 1.
    pub semantic_weight: f32,
    /// The re-ranker.
    pub rerank: Rerank,
    /// The number of candidates, from the top of the fused list, that the re-ranker sees.
    pub rerank_top: usize,
    /// The weight of the re-ranker's score against the fused score.
    pub rerank_weight: f32,
    /// The share of the re-ranker's score that comes from the best place of the passage, from 0 to 1; see
    /// [`PassageMatch`](super::PassageMatch).
    pub rerank_local: f32,
    /// The share of a passage's score that comes from the candidates most like it, from 0 to 1; see [`smooth`].
    pub neighbour_weight: f32,
    /// The weight of what a passage adds to those above it; see [`rerank_for_coverage`].
    pub coverage_weight: f32,
    /// How far a passage whose title a good hit names is moved up towards that hit, from 0 to 1; see [`raise`].
    pub link_weight: f32,
    /// Whether [`Corpus::search_and_read`] reads the first hits.
    pub reader: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            candidates: 200,
            semantic_weight: 1.0,
            rerank: Rerank::LateAnswer,
            rerank_top: 50,
            rerank_weight: 40.0,
            rerank_local: 0.5,
            neighbour_weight: 0.35,
            coverage_weight: 80.0,
            link_weight: 0.5,
            reader: true,
        }
    }
}

/// One search. Its JSON form is the key of its answer in the journals of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchRequest {
    /// The query text.
    pub query: String,
    /// The names of the collections; empty means all.
    pub collections: Vec<String>,
    /// Which halves run.
    pub mode: SearchMode,
    /// The number of hits.
    pub k: usize,
}

/// A handle on everything that can be searched, used by the agent, the commands and the servers. Cheap to clone.
#[derive(Clone)]
pub struct Corpus {
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    options: SearchOptions,
    filter: DocumentFilter,
    answers: AnswerModels,
}

/// The halves that run for a request, decided before the search.
struct Route {
    language: Language,
    /// The languages of the collections.
    spoken: Spoken,
    keyword: bool,
    /// The collections whose vectors are comparable with the query's; empty means no semantic half.
    semantic: Vec<String>,
}

/// Candidates in order of their scores so far, and the data that the last steps need.
struct Ranked {
    candidates: Vec<Candidate>,
    /// The weights of the query's terms by their rarity.
    weights: BTreeMap<String, f32>,
    question: Option<Question>,
    late: Option<Interaction>,
}

impl Corpus {
    /// Searches `store`, by keywords only if there is no embedder.
    pub fn new(store: Arc<dyn Store>, embedder: Option<Arc<dyn Embedder>>, options: SearchOptions) -> Self {
        Corpus { store, embedder, options, filter: DocumentFilter::default(), answers: AnswerModels::new() }
    }

    /// Adds answer models, each for the collection of its name. Models of another encoder are dropped.
    pub fn with_answers(self, models: BTreeMap<String, AnswerModel>) -> Self {
        let fits = |encoder: &EmbedderIdentity| {
            self.embedder.as_ref().is_some_and(|own| own.identity() == encoder || own.earlier(encoder).is_some())
        };
        let fitting = models.into_iter().filter(|(_, model)| fits(&model.encoder));
        Corpus { answers: fitting.map(|(name, model)| (name, Arc::new(model))).collect(), ..self }
    }

    /// Whether any collection has an answer model.
    pub fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Replaces the settings.
    pub fn with_options(self, options: SearchOptions) -> Self {
        Corpus { options, ..self }
    }

    /// The settings of searches.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Restricts all searches to the documents that `filter` admits. The filter is set here and not in each request, so
    /// that no search of a run can forget it.
    pub fn within(self, filter: DocumentFilter) -> Self {
        Corpus { filter, ..self }
    }

    /// The filter on documents.
    pub fn filter(&self) -> &DocumentFilter {
        &self.filter
    }

    /// The store that is searched.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The embedder; `None` for keyword search only.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// All collections, by name.
    pub async fn collections(&self) -> Result<Vec<Collection>, RetrievalError> {
        Ok(self.store.collections().await?)
    }

    /// Reads a chunk with up to `neighbours` chunks before and after it in its document, in document order.
    /// Neighbouring chunks overlap as in the document.
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let first = chunk.ordinal.saturating_sub(neighbours);
        let last = chunk.ordinal.saturating_add(neighbours).min((1 << ChunkId::ORDINAL_BITS) - 1);
        let ids: Vec<ChunkId> = (first..=last).map(|ordinal| ChunkId { ordinal, ..chunk }).collect();
        let chunks = self.store.chunks(&ids).await?;
        if chunks.iter().any(|found| found.id == chunk) { Ok(chunks) } else { Err(RetrievalError::NoChunk { chunk }) }
    }

    /// Runs searches in parallel. Returns a list of hits by falling score for each request, in their order.
    ///
    /// The semantic half is left out in keyword mode, if there is no embedder, and if the embedder does not know the
    /// query's language. In semantic mode, the keyword half answers for a language that the embedder does not know, and
    /// a missing embedder is an error. Collections that were loaded without an embedder answer by keywords only; one
    /// that was loaded with another embedder is refused. Of passages with the same text, only the best is kept.
    pub async fn search(&self, requests: &[SearchRequest]) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        match self.store.view() {
            Some(store) => Corpus { store, ..self.clone() }.search_all(requests).await,
            None => self.search_all(requests).await,
        }
    }

    async fn search_all(&self, requests: &[SearchRequest]) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        let routes = join_all(requests.iter().map(|request| self.route(request))).await;
        let asking = |route: &Result<Route, RetrievalError>| matches!(route, Ok(route) if !route.semantic.is_empty());
        let texts = requests.iter().zip(&routes).filter(|(_, route)| asking(route)).filter_map(|(request, route)| {
            Some(Text { text: request.query.clone(), language: route.as_ref().ok()?.language })
        });
        let texts: Vec<Text> = texts.collect();
        // All queries are encoded in one call; the keyword halves do not wait for it.
        let encoded = self.encode(texts).map(|encoded| encoded.map(Arc::new)).shared();
        let mut asking_so_far = 0;
        let searches = requests.iter().zip(routes).map(|(request, route)| {
            let place = asking(&route).then_some(asking_so_far);
            asking_so_far += usize::from(place.is_some());
            let encoded = encoded.clone();
            let vectors = async move {
                let Some(place) = place else { return Ok(None) };
                Ok(encoded.await?.get(place).cloned())
            };
            async move { self.search_one(request, route?, vectors).await }
        });
        join_all(searches).await
    }

    async fn encode(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        match &self.embedder {
            Some(embedder) if !texts.is_empty() => {
                let asked = texts.len();
                let vectors = embedder.queries(texts).await?;
                check_vectors(embedder.identity(), asked, vectors.iter().map(|one| &one.embedding))?;
                Ok(vectors)
            }
            _ => Ok(Vec::new()),
        }
    }

    async fn route(&self, request: &SearchRequest) -> Result<Route, RetrievalError> {
        let all = self.store.collections().await?;
        let asked =
            |collection: &&Collection| request.collections.is_empty() || request.collections.contains(&collection.name);
        let spoken = Spoken::of(all.iter().filter(asked).flat_map(|collection| collection.languages.counts()));
        let language = language_of(&request.query, &spoken);
        let embedder = match (&self.embedder, request.mode) {
            (_, SearchMode::Keyword) => None,
            (None, SearchMode::Semantic) => return Err(RetrievalError::NoEmbedder),
            (embedder, _) => embedder.as_ref(),
        };
        let Some(embedder) = embedder.filter(|embedder| scope::knows(embedder.as_ref(), &request.query, language))
        else {
            return Ok(Route { language, spoken, keyword: true, semantic: Vec::new() });
        };
        let collections = if request.collections.is_empty() {
            all
        } else {
            let named = request.collections.iter().map(|name| self.store.collection(name));
            join_all(named).await.into_iter().collect::<Result<_, _>>()?
        };
        let semantic = scope::comparable(&collections, embedder.as_ref(), &request.query, language)?;
        let keyword = request.mode != SearchMode::Semantic;
        Ok(Route { language, spoken, keyword, semantic })
    }

    async fn search_one(
        &self,
        request: &SearchRequest,
        route: Route,
        vectors: impl Future<Output = Result<Option<QueryVectors>, EmbedError>> + Send,
    ) -> Result<Vec<Hit>, RetrievalError> {
        if request.k == 0 {
            return Ok(Vec::new());
        }
        let store = self.store.as_ref();
        let of = (route.language, &route.spoken);
        let held = compounds::expand_unknown_words(&request.query, of, &request.collections, store).await?;
        let held = held.map(|query| SearchRequest { query, ..request.clone() });
        let request = held.as_ref().unwrap_or(request);
        let k = self.options.candidates.max(request.k);
        let keyword = route.keyword.then(|| KeywordQuery {
            collections: request.collections.clone(),
            text: request.query.clone(),
            language: route.language,
            k,
            filter: self.filter.clone(),
        });
        let vectors = vectors.boxed().shared();
        let semantic = vectors.clone().map(|vectors| {
            let vector = vectors.ok()??.embedding;
            let (collections, filter) = (route.semantic.clone(), self.filter.clone());
            Some(VectorQuery { collections, vector, k, exact: false, filter })
        });
        let (keyword, semantic) = self.store.halves(keyword.as_ref(), semantic.boxed()).await?;
        let vectors = vectors.await?;
        let found: BTreeSet<ChunkId> = keyword.iter().chain(&semantic).map(|hit| hit.id).collect();
        let found: Vec<ChunkId> = found.into_iter().collect();
        let names = self.store.names(&found).await?;
        let (mut languages, mut titles) = (HashMap::with_capacity(found.len()), BTreeMap::new());
        for (id, name) in found.into_iter().zip(names) {
            if let Some(ChunkName { title, language }) = name {
                languages.insert(id, language);
                titles.insert(id.document, title);
            }
        }
        let keyword = match &vectors {
            // Token states also cover the stop words.
            Some(_) => keyword,
            None => self.add_stop_word_scores(request, route.language, keyword, &languages).await?,
        };
        let writing = Writing::of(&request.query, route.language);
        let fused = fuse_by(&keyword, &semantic, k, |id| {
            let language = languages.get(&id).copied().unwrap_or(Language::UNKNOWN);
            writing.halves(language, self.options.semantic_weight)
        });
        let ranked = self.ranked(request, route.language, &fused, vectors, &languages).await?;
        let Ranked { mut candidates, weights, question, mut late } = ranked;
        let read = if self.options.link_weight > 0.0 {
            self.raise_named(&fused, titles, &mut candidates, late.as_mut()).await?
        } else {
            Vec::new()
        };
        raise_exact(&request.query, self.store.as_ref(), &mut candidates).await?;
        if let Some(late) = &late {
            rerank_for_coverage(&mut candidates, &late.max_sims, &late.weights, self.options.coverage_weight);
        }
        let mut hits = self.hits(request, route.language, &candidates, &weights, read).await?;
        if let (Some(question), Some(embedder)) = (&question, &self.embedder) {
            rank::mark(&mut hits, question, &self.answers, embedder.as_ref(), self.store.as_ref()).await?;
        }
        Ok(hits)
    }

    /// Returns the keyword hits, with scores for the query's stop words added if it has hardly any other words.
    async fn add_stop_word_scores(
        &self,
        request: &SearchRequest,
        language: Language,
        found: Vec<Scored>,
        languages: &HashMap<ChunkId, Language>,
    ) -> Result<Vec<Scored>, RetrievalError> {
        let language = scope::reading_language(language, languages.values().copied());
        let Some(words) = SmallWords::of(&request.query, language) else { return Ok(found) };
        let ids: Vec<ChunkId> = found.iter().map(|hit| hit.id).collect();
        Ok(words.add_to(&found, &self.store.chunks(&ids).await?))
    }

    /// Returns the top of the fused list, reordered by the re-rankers and the candidates' mutual similarity.
    async fn ranked(
        &self,
        request: &SearchRequest,
        language: Language,
        fused: &[Candidate],
        vectors: Option<QueryVectors>,
        languages: &HashMap<ChunkId, Language>,
    ) -> Result<Ranked, RetrievalError> {
        // Twice as many as requested: some may be copies, and some may have been deleted since the index was read.
        let many = self.options.rerank_top.max(request.k.saturating_mul(2));
        let mut candidates: Vec<Candidate> = fused.iter().take(many).copied().collect();
        let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.id).collect();
        // If the query has no vector, the vectors of the passages are of no use either.
        let smoothed =
            if vectors.is_some() && self.options.neighbour_weight > 0.0 { self.options.rerank_top } else { 0 };
        let vectors = vectors.filter(|vectors| self.options.rerank != Rerank::None && !vectors.states.is_empty());
        let read: Vec<Language> = ids.iter().filter_map(|id| languages.get(id).copied()).collect();
        let weights = self.term_weights(request, language, read.iter().copied());
        let states = async {
            let reranked = if vectors.is_some() { ids.len().min(self.options.rerank_top) } else { 0 };
            self.store.states(&ids[..reranked]).await.map_err(RetrievalError::from)
        };
        let embeddings = async {
            let smoothed = &ids[..ids.len().min(smoothed)];
            Ok(smoothed.iter().copied().zip(self.store.embeddings(smoothed).await?).collect::<HashMap<_, _>>())
        };
        let (weights, states, mut embeddings) = futures::try_join!(weights, states, embeddings)?;
        let still_there = |id: &ChunkId| languages.contains_key(id);
        candidates.retain(|candidate| still_there(&candidate.id));
        let language = scope::reading_language(language, read.into_iter());
        let question = vectors.as_ref().filter(|_| self.options.rerank.answer()).and_then(Question::of);
        let mut late = vectors.and_then(|query| {
            Interaction::new(
                self.embedder.clone()?,
                &request.query,
                query,
                language,
                &weights,
                self.options.rerank_local,
            )
        });
        if let Some(late) = &mut late {
            let (top, states): (Vec<ChunkId>, Vec<Vec<u8>>) =
                ids.iter().copied().zip(states).filter(|(id, _)| still_there(id)).unzip();
            let said = self.said(request, question.as_ref(), &top, &states).await?;
            if self.options.rerank.late() {
                late.compare(&top, states).await?;
                let scores: Vec<Option<f32>> = top.iter().map(|id| late.score(id)).collect();
                rerank(&mut candidates, &scores, self.options.rerank_weight);
            }
            rank::raise(&mut candidates, &said);
        }
        let first = candidates.iter().take(embeddings.len());
        let embeddings: Vec<Option<Vec<f32>>> = first.map(|one| embeddings.remove(&one.id).flatten()).collect();
        smooth(&mut candidates, &embeddings, self.options.neighbour_weight);
        let late = late.filter(|_| self.options.rerank.late());
        Ok(Ranked { candidates, weights, question, late })
    }

    /// The answer scores of some passages.
    async fn said(
        &self,
        request: &SearchRequest,
        question: Option<&Question>,
        ids: &[ChunkId],
        states: &[Vec<u8>],
    ) -> Result<Vec<rank::ModelScore>, RetrievalError> {
        let (Some(question), Some(embedder)) = (question, self.embedder.clone()) else { return Ok(Vec::new()) };
        let lookers = rank::lookers(&self.answers, &request.collections, self.store.as_ref(), ids).await?;
        if lookers.is_empty() {
            return Ok(Vec::new());
        }
        let (question, ids, states, late) =
            (question.clone(), ids.to_vec(), states.to_vec(), self.options.rerank.late());
        let score = move || rank::scores(&question, &lookers, &ids, &states, embedder.as_ref(), late);
        tokio::task::spawn_blocking(score).await.map_err(RetrievalError::Stopped)
    }

    /// The first `k` candidates with distinct texts, with their sentences marked. Reads only as many chunks as needed,
    /// and none of those that were already `read`.
    async fn hits(
        &self,
        request: &SearchRequest,
        asked_in: Language,
        mut candidates: &[Candidate],
        weights: &BTreeMap<String, f32>,
        read: Vec<StoredChunk>,
    ) -> Result<Vec<Hit>, RetrievalError> {
        let mut chunks: HashMap<ChunkId, StoredChunk> = read.into_iter().map(|chunk| (chunk.id, chunk)).collect();
        let mut seen = HashSet::new();
        let mut hits = Vec::new();
        while hits.len() < request.k && !candidates.is_empty() {
            let (next, rest) = candidates.split_at(candidates.len().min(request.k - hits.len()));
            candidates = rest;
            let unread = next.iter().map(|candidate| candidate.id).filter(|id| !chunks.contains_key(id));
            let unread: Vec<ChunkId> = unread.collect();
            if !unread.is_empty() {
                chunks.extend(self.store.chunks(&unread).await?.into_iter().map(|chunk| (chunk.id, chunk)));
            }
            for candidate in next {
                let Some(mut chunk) = chunks.remove(&candidate.id) else { continue };
                if !seen.insert(ContentHash::of(one_line(&chunk.text).as_bytes())) {
                    continue;
                }
                chunk.language = language_for_question(&chunk.text, chunk.language, asked_in);
                let highlights = highlights(&request.query, &chunk.text, chunk.language, weights);
                hits.push(Hit { chunk, score: candidate.score, parts: candidate.parts, highlights, answer: None });
            }
        }
        Ok(hits)
    }

    /// Moves up the passages whose titles the best hits name, wherever they are in the fused list. Returns these hits.
    async fn raise_named(
        &self,
        fused: &[Candidate],
        titles: BTreeMap<DocumentId, Arc<str>>,
        candidates: &mut Vec<Candidate>,
        late: Option<&mut Interaction>,
    ) -> Result<Vec<StoredChunk>, RetrievalError> {
        let best: HashMap<ChunkId, f32> =
            candidates.iter().take(READ_HITS).map(|candidate| (candidate.id, candidate.score)).collect();
        let ids: Vec<ChunkId> = candidates.iter().take(READ_HITS).map(|candidate| candidate.id).collect();
        let read = self.store.chunks(&ids).await?;
        let hits: Vec<(&StoredChunk, f32)> =
            read.iter().filter_map(|chunk| Some((chunk, *best.get(&chunk.id)?))).collect();
        let mut named = links(self.store.as_ref(), fused, titles, &hits).await?;
        if named.is_empty() {
            return Ok(read);
        }
        let ranked: HashMap<ChunkId, Candidate> = candidates.iter().map(|found| (found.id, *found)).collect();
        let lowest = candidates.last().map_or(0.0, |candidate| candidate.score);
        if let Some(late) = late {
            // Passages that were too far down to be compared before are compared now.
            let ids = named.iter().map(|link| link.candidate.id);
            let rest: Vec<ChunkId> = ids.filter(|id| !late.max_sims.contains_key(id)).collect();
            late.compare(&rest, self.store.states(&rest).await?).await?;
            for found in named.iter_mut().map(|link| &mut link.candidate) {
                match (ranked.get(&found.id), late.score(&found.id)) {
                    (Some(ranked), _) if ranked.parts.rerank.is_some() => *found = *ranked,
                    (_, Some(score)) => {
                        found.score += self.options.rerank_weight * score;
                        found.parts.rerank = Some(score);
                    }
                    (Some(ranked), None) => *found = *ranked,
                    (None, None) => found.score = lowest,
                }
            }
        }
        raise(candidates, &named, self.options.link_weight);
        Ok(read)
    }

    /// The inverse document frequencies of the query's terms, analysed in its own language and in those of the hits.
    async fn term_weights(
        &self,
        request: &SearchRequest,
        language: Language,
        found: impl Iterator<Item = Language>,
    ) -> Result<BTreeMap<String, f32>, RetrievalError> {
        let mut languages: Vec<Language> = found.chain([language]).collect();
        languages.sort_by_key(|language| language.code());
        languages.dedup();
        let formula = formula(&request.query, language);
        // The factor of a term besides its rarity: small if the term occurs only in the question's formula.
        let mut shares: BTreeMap<String, f32> = BTreeMap::new();
        for term in languages.into_iter().flat_map(|language| terms(&request.query, language)) {
            let here = if is_within(&term.range, &formula) { FORMULA_WEIGHT } else { 1.0 };
            let share = shares.entry(term.text).or_default();
            *share = share.max(here);
        }
        let (words, shares): (Vec<String>, Vec<f32>) = shares.into_iter().unzip();
        if words.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (frequencies, total) = self.store.document_frequencies(&request.collections, &words).await?;
        let weights = frequencies.into_iter().zip(shares);
        let weights = weights.map(|(holding, share)| share * inverse_document_frequency(holding, total));
        Ok(words.into_iter().zip(weights).collect())
    }
}
