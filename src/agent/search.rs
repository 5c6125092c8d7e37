//! A round of searches: all sub-queries at once, with their hits added to the ledger. The sub-queries of a round are
//! decided in `queries.rs`, and every search goes to the store through `sources.rs`.

use super::run::Run;
use super::scope::Scope;
use super::web_round::Routed;
use super::{Engine, gate, lineage, web_round};
use crate::base::text::{excerpt, short_line};
use crate::domain::{Event, Hit, RoundSummary, SearchMode, StopReason, Strategy, Usage};
use crate::embed::EmbedError;
use crate::llm::purpose::PlannedQuery;
use crate::retrieval::{RetrievalError, SearchRequest};

/// The most characters of a query; the question itself may be longer.
const MAX_QUERY_CHARS: usize = 1_000;

/// The result of a round of searches.
pub(super) struct Searched {
    /// The indices of its sub-queries in the list of all.
    pub queries: Vec<usize>,
    /// The number of passages that no earlier search had found.
    pub new: usize,
}

/// Makes one round of all sub-queries at once. The error is the reason why none was made.
pub(super) async fn search(run: &mut Run<'_>, planned: Vec<PlannedQuery>) -> Result<Searched, StopReason> {
    let most = run.engine.options.max_sub_queries.max(std::mem::take(&mut run.history.wanted));
    // Sub-queries beyond that number are left out.
    let planned = if planned.len() > most { lineage::promising_first(run, planned) } else { planned };
    let admitted = run.history.asked.admit(planned, &run.scope.names(), most);
    for warning in admitted.warnings {
        run.warn(warning);
    }
    if admitted.queries.is_empty() {
        return Err(StopReason::NoNewEvidence);
    }
    if run.history.rounds.is_empty() && run.strategy == Strategy::Deep {
        let sub_queries = admitted.queries.iter().map(|(_, query)| query.clone()).collect();
        run.emit(&Event::Planned { sub_queries, reason: run.history.reason.clone() });
    }
    let queries = admitted.queries.iter().map(|(index, _)| *index).collect();
    let mut routed = web_round::route(run, admitted.queries);
    let mut summary = RoundSummary { reason: run.history.reason.clone(), ..RoundSummary::default() };
    if let Err(reason) = pass(run, &mut routed, &mut summary).await {
        run.history.skipped = routed.into_iter().map(|routed| routed.query).collect();
        return Err(reason);
    }
    run.history.reason.clear();
    let stopped = if run.evidence.ledger.is_empty() {
        web_round::fall_back_to_web(run, routed, &mut summary).await
    } else {
        None
    };
    let new = summary.new;
    run.history.rounds.push(summary);
    match stopped {
        Some(reason) => Err(reason),
        None => Ok(Searched { queries, new }),
    }
}

/// Searches for some sub-queries at once, each in the collections and on the web as far as it is routed there. The
/// error is the reason why this was not done.
pub(super) async fn pass(
    run: &mut Run<'_>,
    routed: &mut [Routed],
    summary: &mut RoundSummary,
) -> Result<(), StopReason> {
    let round = run.history.rounds.len() + 1;
    let k = run.engine.options.hits_per_query;
    let asked = run.engine.options.age.asked(k);
    web_round::gather_for(run, routed).await?;
    let requests: Vec<SearchRequest> = routed
        .iter()
        .flat_map(|routed| routed.requests(|text, names| search_request(&run.scope, text, names, asked)))
        .collect();
    let found = gate::unless_stopped(run, search_all(run.engine, &requests), Usage::default).await;
    let mut found = settled(run, found.map_err(|dropped| dropped.reason)?).into_iter();

    let from = lineage::led_by(run, routed.iter().map(|one| one.query.text.as_str()));
    run.evidence.ledger.begin_round(round);
    for (Routed { index, query, local, web }, from) in routed.iter().zip(from) {
        let (mut hits, mut new) = (0, 0);
        // Scores of collections and of the web do not compare: they are two searches of one question.
        for answer in found.by_ref().take(usize::from(*local) + usize::from(*web)) {
            let answer = answer.unwrap_or_else(|error| search_failed(run, &query.text, error));
            let answer = by_age(run, answer, k);
            hits += answer.len();
            new += run.evidence.add(answer, *index);
        }
        run.emit(&Event::Searched { round, sub_query: query.clone(), hits, new });
        summary.sub_queries.push(run.history.tree.grow(*index, from, query, hits, new));
        summary.hits += hits;
        summary.new += new;
    }
    Ok(())
}

/// The answers to some searches, in their order.
pub(super) struct SearchAnswers {
    pub answers: Vec<Result<Vec<Hit>, RetrievalError>>,
    /// Set if the embedder failed, so that keywords alone answered.
    pub embedder_failed: Option<EmbedError>,
}

/// Every search of a run goes through here. If the embedder fails, for instance because its endpoint is down, the
/// keyword half answers: a report from fewer passages is worth more than none.
pub(super) async fn search_all(engine: &Engine, requests: &[SearchRequest]) -> SearchAnswers {
    let answers = engine.corpus.search(requests).await;
    let failed = answers.iter().find_map(|answer| match answer {
        Err(RetrievalError::Embed(error)) => Some(error.clone()),
        _ => None,
    });
    if failed.is_none() {
        return SearchAnswers { answers, embedder_failed: None };
    }
    let requests: Vec<SearchRequest> =
        requests.iter().map(|request| SearchRequest { mode: SearchMode::Keyword, ..request.clone() }).collect();
    SearchAnswers { answers: engine.corpus.search(&requests).await, embedder_failed: failed }
}

/// The answers. If the embedder failed, the run is warned and continues without it.
pub(super) fn settled(run: &mut Run<'_>, found: SearchAnswers) -> Vec<Result<Vec<Hit>, RetrievalError>> {
    if let Some(error) = found.embedder_failed {
        run.scope.mode = SearchMode::Keyword;
        run.warn(format!("{error}; searching by keywords alone"));
    }
    found.answers
}

/// A search in these collections; in all that the user allows if none is named.
pub(super) fn search_request(scope: &Scope, query: String, collections: Vec<String>, k: usize) -> SearchRequest {
    // The web gets requests of its own.
    let collections = if collections.is_empty() && scope.restricted { scope.local_names() } else { collections };
    SearchRequest { query, collections, mode: scope.mode, k }
}

/// The hits, filtered and weighted by the age of their documents.
pub(super) fn by_age(run: &mut Run<'_>, hits: Vec<Hit>, k: usize) -> Vec<Hit> {
    let (hits, too_new) = run.engine.options.age.weighed(hits, k, run.today());
    run.evidence.too_new += too_new;
    hits
}

/// Warns once that a search failed, and returns no hits.
pub(super) fn search_failed(run: &mut Run<'_>, query: &str, error: RetrievalError) -> Vec<Hit> {
    let message = format!("the search for `{}` failed: {error}", excerpt(query, 100));
    if !run.events.warnings.contains(&message) {
        run.warn(message);
    }
    run.history.failed_search.get_or_insert(error);
    Vec::new()
}

/// The text of a query as it is searched for.
pub(super) fn query_text(text: &str) -> String {
    short_line(text, MAX_QUERY_CHARS)
}
