use std::collections::BTreeSet;

use futures::future::join_all;

use super::ledger::sample;
use super::material;
use super::run::Run;
use super::web_round::{Routed, ToolSearch};
use super::{AgentError, Engine};
use crate::base::text::{estimate_tokens, excerpt, one_line};
use crate::domain::{
    ChunkId, Collection, Event, Hit, RoundSummary, SearchMode, StopReason, StoredChunk, Strategy, SubQuery, Usage, WEB,
};
use crate::embed::EmbedError;
use crate::llm::purpose::{CollectionCard, EvidenceCard, PlannedQuery};
use crate::retrieval::{RetrievalError, SearchRequest};

/// Passages that the question itself asks of each collection, where there are several.
const PROBE_HITS: usize = 5;
/// Passages that are looked through for samples, so that they are of as many documents as have something to say.
const LOOKED_THROUGH: usize = 40;
/// Samples that the planner sees, over all collections; of each it sees two at least.
const SAMPLES: usize = 16;
/// Telling words of a collection that the planner sees.
const VOCABULARY: usize = 20;
/// What the collections may take of a prompt that shows evidence, in tokens.
const BESIDE_EVIDENCE: u64 = 2_000;
/// A longer text is no search; the question itself may be longer.
const MAX_QUERY_CHARS: usize = 1_000;

/// The answers to some searches, in their order.
struct Found {
    answers: Vec<Result<Vec<Hit>, RetrievalError>>,
    /// Set where keywords alone answered in the end.
    embedder_failed: Option<EmbedError>,
}

/// Every search of a run goes through here. Where the embedder fails, as an endpoint that is down does, the keyword half
/// answers: a report from fewer passages is worth more than none.
async fn search_all(engine: &Engine, requests: &[SearchRequest]) -> Found {
    let answers = engine.corpus.search(requests).await;
    let failed = answers.iter().find_map(|answer| match answer {
        Err(RetrievalError::Embed(error)) => Some(error.clone()),
        _ => None,
    });
    if failed.is_none() {
        return Found { answers, embedder_failed: None };
    }
    let requests: Vec<SearchRequest> =
        requests.iter().map(|request| SearchRequest { mode: SearchMode::Keyword, ..request.clone() }).collect();
    Found { answers: engine.corpus.search(&requests).await, embedder_failed: failed }
}

/// A chunk with the neighbours asked for, and how many chunks its document has.
pub(super) struct Passages {
    pub chunks: Vec<StoredChunk>,
    pub of: u32,
}

/// What tools asked for, in the order asked: searches and passages at once.
pub(super) struct Looked {
    pub searches: Vec<Result<Vec<Hit>, RetrievalError>>,
    pub passages: Vec<Result<Passages, RetrievalError>>,
}

/// As [`search_all`]; hits by meaning show the sentences closest in meaning, not those that share words.
async fn search_for_tools(engine: &Engine, requests: &[SearchRequest]) -> Found {
    let mut found = search_all(engine, requests).await;
    for (request, answer) in requests.iter().zip(&mut found.answers) {
        if let (SearchMode::Semantic, Ok(hits), None) = (request.mode, answer, &found.embedder_failed)
            && let Err(error) = engine.corpus.mark_closest(&request.query, hits).await
        {
            // The sentences that share words are shown instead.
            tracing::warn!(%error, "the closest sentences could not be found");
        }
    }
    found
}

/// Reads a chunk of a document.
async fn read(engine: &Engine, chunk: ChunkId, neighbours: u32) -> Result<Passages, RetrievalError> {
    let chunks = engine.corpus.read(chunk, neighbours).await?;
    let path = chunks.first().map(|chunk| chunk.path.clone()).unwrap_or_default();
    let of = engine.corpus.length(chunk.document, &path).await?;
    Ok(Passages { of, chunks })
}

/// What a round of searches brought.
pub(super) struct Searched {
    /// Its sub-queries, as indices in the list of all.
    pub queries: Vec<usize>,
    /// Passages that no earlier search had found.
    pub new: usize,
}

impl Run<'_> {
    /// Searches the question itself in every collection, once a run, and makes the cards that models route by.
    pub async fn probe(&mut self) -> Result<(), AgentError> {
        if !self.cards.is_empty() {
            return Ok(());
        }
        let names = self.local_names();
        let wanted = self.engine.options.hits_per_query;
        let k = if names.len() == 1 { wanted } else { wanted.min(PROBE_HITS) };
        let query = one_line(&excerpt(self.question, MAX_QUERY_CHARS));
        let most = (SAMPLES / names.len().max(1)).max(2);
        let looked = (LOOKED_THROUGH / names.len().max(1)).max(k);
        let age = self.engine.options.age;
        let requests: Vec<SearchRequest> = names
            .iter()
            .map(|name| self.search_request((query.clone(), vec![name.clone()]), age.asked(looked)))
            .collect();
        let corpus = &self.engine.corpus;
        let words = join_all(names.iter().map(|name| corpus.vocabulary(name, VOCABULARY)));
        let (found, words) = futures::join!(search_all(self.engine, &requests), words);
        let found = self.settled(found);

        let working_dir = self.engine.options.working_dir.clone();
        let local: Vec<Collection> =
            self.candidates.iter().filter(|candidate| names.contains(&candidate.name)).cloned().collect();
        for (collection, (hits, words)) in local.into_iter().zip(found.into_iter().zip(words)) {
            let hits = hits.unwrap_or_else(|error| self.search_failed(&query, error));
            let mut hits = self.by_age(hits, looked);
            let samples = one_of_each_document(&hits).into_iter().take(most);
            let samples = samples.map(|hit| EvidenceCard {
                score: hit.score,
                ..sample(&hit.chunk, &hit.snippet(), working_dir.as_deref())
            });
            let samples = samples.collect();
            hits.truncate(k);
            let vocabulary = words.unwrap_or_else(|error| {
                self.warn(format!("the vocabulary of `{}` is not known to the planner: {error}", collection.name));
                Vec::new()
            });
            self.cards.push(CollectionCard {
                name: collection.name,
                description: collection.description,
                documents: collection.documents,
                vocabulary,
                samples,
            });
            self.probed.push(hits);
        }
        // A backend that only quotes goes by what collections hold, and nothing is known of the web.
        if self.has_web() && self.engine.model.reasons() {
            self.cards.push(web_card());
        }
        Ok(())
    }

    /// Takes what the question itself found into the ledger.
    pub fn admit_probe(&mut self) {
        for hits in std::mem::take(&mut self.probed) {
            self.admit(hits, 0);
        }
    }

    /// Takes the hits of one search into the ledger; gives how many passages are new there.
    fn admit(&mut self, hits: Vec<Hit>, query: usize) -> usize {
        let before = self.ledger.len();
        let new = self.ledger.add(hits, query);
        let texts = self.ledger.texts().skip(before);
        self.retrieved_tokens += texts.map(estimate_tokens).sum::<u64>();
        new
    }

    /// One round: all sub-queries at once. An error says why none was made.
    pub async fn search(&mut self, planned: Vec<PlannedQuery>) -> Result<Searched, StopReason> {
        let admitted = self.asked.admit(planned, &self.names(), self.engine.options.max_sub_queries);
        for warning in admitted.warnings {
            self.warn(warning);
        }
        if admitted.queries.is_empty() {
            return Err(StopReason::NoNewEvidence);
        }
        if self.rounds.is_empty() && self.strategy == Strategy::Deep {
            self.tell_plan(&admitted.queries);
        }
        let queries = admitted.queries.iter().map(|(index, _)| *index).collect();
        let mut routed = self.routed(admitted.queries);
        let mut summary = RoundSummary { sub_queries: Vec::new(), hits: 0, new: 0, reason: self.reason.clone() };
        if let Err(reason) = self.pass(&mut routed, &mut summary).await {
            self.skipped = routed.into_iter().map(|routed| routed.query).collect();
            return Err(reason);
        }
        self.reason.clear();
        let stopped = if self.ledger.is_empty() { self.turn_to_the_web(routed, &mut summary).await } else { None };
        let new = summary.new;
        self.rounds.push(summary);
        match stopped {
            Some(reason) => Err(reason),
            None => Ok(Searched { queries, new }),
        }
    }

    /// Searches for some sub-queries at once, each in the collections and on the web as far as it goes there. An error says
    /// why it was not done.
    pub(super) async fn pass(&mut self, routed: &mut [Routed], summary: &mut RoundSummary) -> Result<(), StopReason> {
        let round = self.rounds.len() + 1;
        let k = self.engine.options.hits_per_query;
        let asked = self.engine.options.age.asked(k);
        self.gather_for(routed).await?;
        let requests: Vec<SearchRequest> =
            routed.iter().flat_map(|routed| routed.requests(|names| self.search_request(names, asked))).collect();
        let found = self.unless_stopped(search_all(self.engine, &requests), Usage::default).await;
        let mut found = self.settled(found.map_err(|dropped| dropped.reason)?).into_iter();

        self.ledger.begin_round(round);
        for Routed { index, query, local, web } in routed.iter() {
            let (mut hits, mut new) = (0, 0);
            // Scores of collections and of the web do not compare: they are two searches of one question.
            for answer in found.by_ref().take(usize::from(*local) + usize::from(*web)) {
                let answer = answer.unwrap_or_else(|error| self.search_failed(&query.text, error));
                let answer = self.by_age(answer, k);
                hits += answer.len();
                new += self.admit(answer, *index);
            }
            self.tell_search(round, query, hits, new);
            summary.sub_queries.push(query.clone());
            summary.hits += hits;
            summary.new += new;
        }
        Ok(())
    }

    /// Makes searches and reads passages, all at once, for tools. An error says why it was not done.
    pub async fn look(&mut self, searches: &[ToolSearch], reads: &[(ChunkId, u32)]) -> Result<Looked, StopReason> {
        let searches = self.gather_for_tools(searches).await?;
        let requests: Vec<SearchRequest> = searches
            .iter()
            .map(|ToolSearch { mode, query, k, web }| {
                let query = one_line(&excerpt(query, MAX_QUERY_CHARS));
                let collections = if *web { vec![WEB.to_owned()] } else { Vec::new() };
                SearchRequest { mode: *mode, ..self.search_request((query, collections), *k) }
            })
            .collect();
        let passages = reads.iter().map(|(chunk, neighbours)| read(self.engine, *chunk, *neighbours));
        let both = async { futures::join!(search_for_tools(self.engine, &requests), join_all(passages)) };
        let both = self.unless_stopped(both, Usage::default).await;
        let (found, passages) = both.map_err(|dropped| dropped.reason)?;
        Ok(Looked { searches: self.settled(found), passages })
    }

    /// Whether searches by meaning can be made, as far as is known.
    pub fn searches_by_meaning(&self) -> bool {
        self.mode != SearchMode::Keyword && self.engine.corpus.search_by_meaning()
    }

    /// The cards of the collections, with fewer samples and words where they do not fit.
    pub(super) fn cards_within(&self, max_tokens: u64) -> Vec<CollectionCard> {
        fitted(self.cards.clone(), max_tokens)
    }

    /// The cards of the collections for a model that sees evidence, which shows better than samples what can be found;
    /// with fewer words where they do not fit.
    pub(super) fn cards_without_samples(&self, max_tokens: u64) -> Vec<CollectionCard> {
        let max_tokens = max_tokens.min(BESIDE_EVIDENCE);
        let bare = |card: &CollectionCard| CollectionCard { samples: Vec::new(), ..card.clone() };
        // A collection is left out by what its samples were worth.
        let cards = fitted(self.cards.iter().map(bare).collect(), max_tokens);
        if cards.len() == self.cards.len() {
            return cards;
        }
        fitted(self.cards.clone(), max_tokens).iter().map(bare).collect()
    }

    /// The answers; where the embedder failed, the run is told and does without it from now on.
    fn settled(&mut self, found: Found) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        if let Some(error) = found.embedder_failed {
            self.mode = SearchMode::Keyword;
            self.warn(format!("{error}; searching by keywords alone"));
        }
        found.answers
    }

    fn search_request(&self, (query, collections): (String, Vec<String>), k: usize) -> SearchRequest {
        // All means all that the user allows; the web has requests of its own.
        let collections = if collections.is_empty() && self.restricted { self.local_names() } else { collections };
        SearchRequest { query, collections, mode: self.mode, k }
    }

    /// The hits as their documents' ages have it.
    fn by_age(&mut self, hits: Vec<Hit>, k: usize) -> Vec<Hit> {
        let (hits, too_new) = self.engine.options.age.weighed(hits, k, self.date());
        self.too_new += too_new;
        hits
    }

    pub(super) fn search_failed(&mut self, query: &str, error: RetrievalError) -> Vec<Hit> {
        let message = format!("the search for `{}` failed: {error}", excerpt(query, 100));
        let told: BTreeSet<&String> = self.warnings.iter().collect();
        if !told.contains(&message) {
            self.warn(message);
        }
        self.failed_search.get_or_insert(error);
        Vec::new()
    }

    fn tell_search(&self, round: usize, sub_query: &SubQuery, hits: usize, new: usize) {
        self.emit(&Event::Searched { round, sub_query: sub_query.clone(), hits, new });
    }
}

/// What a model is told of the web.
fn web_card() -> CollectionCard {
    let Collection { name, description, documents, .. } = super::web::collection();
    CollectionCard { name, description, documents, vocabulary: Vec::new(), samples: Vec::new() }
}

/// Cards within a limit of tokens: with fewer samples and words, then with less of a description, then only of the
/// collections in which the question found most.
fn fitted(mut cards: Vec<CollectionCard>, max_tokens: u64) -> Vec<CollectionCard> {
    let fits = |cards: &[CollectionCard]| estimate_tokens(&material::collections(cards)) <= max_tokens;
    let shorter = [
        (4, VOCABULARY, usize::MAX),
        (2, VOCABULARY, usize::MAX),
        (1, VOCABULARY, usize::MAX),
        (1, 8, usize::MAX),
        (0, 8, usize::MAX),
        (0, 0, usize::MAX),
        (0, 0, 100),
        (0, 0, 0),
    ];
    let best = |card: &CollectionCard| card.samples.iter().map(|sample| sample.score).fold(f32::MIN, f32::max);
    let worth: Vec<f32> = cards.iter().map(best).collect();
    for (samples, words, chars) in shorter {
        if fits(&cards) {
            return cards;
        }
        for card in &mut cards {
            card.samples.truncate(samples);
            card.vocabulary.truncate(words);
            card.description = if chars == 0 { String::new() } else { excerpt(&card.description, chars).into_owned() };
        }
    }
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
    let mut left = max_tokens;
    let mut kept = Vec::new();
    for index in order {
        let tokens = estimate_tokens(&material::collections(&cards[index..=index])) + 1;
        if tokens > left && !kept.is_empty() {
            break;
        }
        left = left.saturating_sub(tokens);
        kept.push(index);
    }
    kept.sort_unstable();
    kept.into_iter().map(|index| cards[index].clone()).collect()
}

/// The hits, the best of every document before the second of any.
fn one_of_each_document(hits: &[Hit]) -> Vec<&Hit> {
    let mut seen = BTreeSet::new();
    let (mut first, more): (Vec<&Hit>, Vec<&Hit>) =
        hits.iter().partition(|hit| seen.insert((hit.chunk.collection.as_str(), hit.chunk.path.as_str())));
    first.extend(more);
    first
}
