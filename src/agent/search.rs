use std::collections::BTreeSet;

use futures::future::join_all;

use super::ledger::sample;
use super::material;
use super::run::{Run, out_of_time};
use super::{AgentError, Engine};
use crate::base::text::{estimate_tokens, excerpt, one_line};
use crate::domain::{Event, Hit, RoundSummary, SearchMode, StopReason, SubQuery};
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

impl Run<'_> {
    /// Searches the question itself in every collection, and makes the cards that the planner routes by.
    pub async fn probe(&mut self) -> Result<(), AgentError> {
        let names = self.names();
        let wanted = self.engine.options.hits_per_query;
        let k = if names.len() == 1 { wanted } else { wanted.min(PROBE_HITS) };
        let query = one_line(&excerpt(self.question, MAX_QUERY_CHARS));
        let most = (SAMPLES / names.len().max(1)).max(2);
        let looked = (LOOKED_THROUGH / names.len().max(1)).max(k);
        let age = self.engine.options.age;
        let requests: Vec<SearchRequest> = names
            .iter()
            .map(|name| self.search_request(query.clone(), vec![name.clone()], age.asked(looked)))
            .collect();
        let store = self.engine.corpus.store();
        let words = join_all(names.iter().map(|name| store.vocabulary(name, VOCABULARY)));
        let (found, words) = futures::join!(search_all(self.engine, &requests), words);
        let found = self.settled(found);

        let working_dir = self.engine.options.working_dir.clone();
        for (collection, (hits, words)) in self.candidates.clone().into_iter().zip(found.into_iter().zip(words)) {
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
            self.ledger.add(hits, 0);
        }
        Ok(())
    }

    /// One round: all sub-queries at once. `Some` when there is no use in looking at the evidence again.
    pub async fn search(&mut self, planned: Vec<PlannedQuery>) -> Option<StopReason> {
        let admitted = self.asked.admit(planned, &self.names(), self.engine.options.max_sub_queries);
        for warning in admitted.warnings {
            self.warn(warning);
        }
        if admitted.queries.is_empty() {
            return Some(StopReason::NoNewEvidence);
        }
        if self.rounds.is_empty() {
            self.tell_plan(&admitted.queries);
        }
        let round = self.rounds.len() + 1;
        let k = self.engine.options.hits_per_query;
        let age = self.engine.options.age;
        let requests: Vec<SearchRequest> = admitted
            .queries
            .iter()
            .map(|(_, query)| self.search_request(query.text.clone(), query.collections.clone(), age.asked(k)))
            .collect();
        let found = tokio::select! {
            biased;
            () = self.interrupt.cancelled() => return Some(StopReason::Interrupted),
            () = out_of_time(&self.budget) => return Some(StopReason::Budget),
            found = search_all(self.engine, &requests) => found,
        };
        let found = self.settled(found);

        self.ledger.begin_round(round);
        let mut summary =
            RoundSummary { sub_queries: Vec::new(), hits: 0, new: 0, reason: std::mem::take(&mut self.reason) };
        for ((index, sub_query), found) in admitted.queries.into_iter().zip(found) {
            let found = found.unwrap_or_else(|error| self.search_failed(&sub_query.text, error));
            let found = self.by_age(found, k);
            let hits = found.len();
            let new = self.ledger.add(found, index);
            self.tell_search(round, &sub_query, hits, new);
            summary.sub_queries.push(sub_query);
            summary.hits += hits;
            summary.new += new;
        }
        let new = summary.new;
        self.rounds.push(summary);
        // The first round may find only what the question itself had found, and still lead further.
        (self.ledger.is_empty() || (new == 0 && round > 1)).then_some(StopReason::NoNewEvidence)
    }

    /// The cards of the collections, with fewer samples and words where they do not fit.
    pub(super) fn cards_within(&self, max_tokens: u64) -> Vec<CollectionCard> {
        let mut cards = self.cards.clone();
        let fits = |cards: &[CollectionCard]| estimate_tokens(&material::collections(cards)) <= max_tokens;
        for (samples, words) in [(4, VOCABULARY), (2, VOCABULARY), (1, VOCABULARY), (1, 8), (0, 8), (0, 0)] {
            if fits(&cards) {
                break;
            }
            for card in &mut cards {
                card.samples.truncate(samples);
                card.vocabulary.truncate(words);
            }
        }
        cards
    }

    /// The answers; where the embedder failed, the run is told and does without it from now on.
    fn settled(&mut self, found: Found) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        if let Some(error) = found.embedder_failed {
            self.mode = SearchMode::Keyword;
            self.warn(format!("{error}; searching by keywords alone"));
        }
        found.answers
    }

    fn search_request(&self, query: String, collections: Vec<String>, k: usize) -> SearchRequest {
        // All means all that the user allows.
        let collections = if collections.is_empty() && self.restricted { self.names() } else { collections };
        SearchRequest { query, collections, mode: self.mode, k }
    }

    /// The hits as their documents' ages have it.
    fn by_age(&mut self, hits: Vec<Hit>, k: usize) -> Vec<Hit> {
        let (hits, too_new) = self.engine.options.age.weighed(hits, k, self.date());
        self.too_new += too_new;
        hits
    }

    fn search_failed(&mut self, query: &str, error: RetrievalError) -> Vec<Hit> {
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

/// The hits, the best of every document before the second of any.
fn one_of_each_document(hits: &[Hit]) -> Vec<&Hit> {
    let mut seen = BTreeSet::new();
    let (mut first, more): (Vec<&Hit>, Vec<&Hit>) =
        hits.iter().partition(|hit| seen.insert((hit.chunk.collection.as_str(), hit.chunk.path.as_str())));
    first.extend(more);
    first
}
