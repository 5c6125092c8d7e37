//! Decides which searches of a run go to the web, and has pages fetched before those searches are made.
//!
//! The web is asked only by name: the model names it for a sub-query, or the user for the whole run. If nothing at all
//! was found it is asked even without a name, since otherwise there would be no report; a user who does not want that
//! leaves it switched off.

use super::run::Run;
use super::{gate, search};
use crate::base::text::{one_line, short_line};
use crate::domain::{RoundSummary, StopReason, SubQuery, Usage, WEB};
use crate::retrieval::SearchRequest;

/// The most characters of a query for a search engine.
const MAX_QUERY_CHARS: usize = 300;

/// A sub-query, and the sources that it is sent to.
pub(super) struct Routed {
    /// Its place in the list of all.
    pub index: usize,
    pub query: SubQuery,
    pub local: bool,
    pub web: bool,
}

impl Routed {
    /// Its searches: first the one in the collections, then the one on the web.
    pub fn requests(&self, of: impl Fn(String, Vec<String>) -> SearchRequest) -> Vec<SearchRequest> {
        let text = || self.query.text.clone();
        let named = self.query.collections.iter().filter(|name| !self.web || *name != WEB).cloned().collect();
        let local = self.local.then(|| of(text(), named));
        let web = self.web.then(|| of(text(), vec![WEB.to_owned()]));
        local.into_iter().chain(web).collect()
    }
}

/// Decides where each sub-query goes. A backend that only quotes never names the web; if the user did, all its
/// sub-queries go there.
pub(super) fn route(run: &Run<'_>, queries: Vec<(usize, SubQuery)>) -> Vec<Routed> {
    let (has_web, always) = (run.scope.has_web, run.scope.always_asks_the_web());
    let has_local = !run.scope.local_names().is_empty();
    let quotes_only = !run.engine.model.reasons();
    let one = |(index, query): (usize, SubQuery)| {
        let names = &query.collections;
        let web = (has_web && names.iter().any(|name| name == WEB)) || (always && (names.is_empty() || quotes_only));
        let local = has_local && (names.is_empty() || names.iter().any(|name| !has_web || name != WEB));
        Routed { index, local, web, query }
    };
    queries.into_iter().map(one).collect()
}

/// Has pages fetched for the sub-queries that go to the web. Those for which the search engine fails go to the
/// collections alone.
pub(super) async fn gather_for(run: &mut Run<'_>, routed: &mut [Routed]) -> Result<(), StopReason> {
    let queries: Vec<String> = routed.iter().filter(|one| one.web).map(|one| for_engine(&one.query.text)).collect();
    let failed = gather(run, &queries).await?;
    let has_local = !run.scope.local_names().is_empty();
    for one in routed.iter_mut().filter(|one| one.web && failed.contains(&for_engine(&one.query.text))) {
        // Without collections, the pages that the run already has are searched all the same.
        (one.local, one.web) = (has_local, !has_local);
    }
    Ok(())
}

/// Asks the web if the run has found nothing in the collections and the web was not asked. Returns the reason if this
/// was stopped.
pub(super) async fn fall_back_to_web(
    run: &mut Run<'_>,
    routed: Vec<Routed>,
    summary: &mut RoundSummary,
) -> Option<StopReason> {
    if !run.scope.has_web || routed.iter().any(|one| one.web) {
        return None;
    }
    let to_the_web = |one: Routed| {
        let query = SubQuery { collections: vec![WEB.to_owned()], ..one.query };
        Routed { query, local: false, web: true, ..one }
    };
    let mut routed: Vec<Routed> = routed.into_iter().map(to_the_web).collect();
    let stopped = search::pass(run, &mut routed, summary).await.err();
    if stopped.is_some() {
        run.history.skipped = routed.into_iter().map(|one| one.query).collect();
    }
    stopped
}

/// Whether the question itself goes to the web before anything else is decided: the user wants every search to go
/// there, or there is no evidence.
pub(super) fn is_web_searched_first(run: &Run<'_>) -> bool {
    run.scope.always_asks_the_web() || (run.scope.has_web && run.evidence.ledger.is_empty())
}

/// Whether the web is still to be asked once the use of tools has ended: nothing was found, or the user wants it asked
/// and the backend only quotes, and so never asks it.
pub(super) fn is_missing(run: &Run<'_>) -> bool {
    run.scope.has_web
        && (run.evidence.ledger.is_empty() || (run.scope.always_asks_the_web() && !run.engine.model.reasons()))
}

/// Searches the web for the question itself, in a round of its own. Returns the reason if this was stopped.
pub(super) async fn ask(run: &mut Run<'_>) -> Option<StopReason> {
    let query = SubQuery { text: one_line(run.question.text), collections: vec![WEB.to_owned()] };
    let mut routed = [Routed { index: 0, query, local: false, web: true }];
    let mut summary = RoundSummary::default();
    let stopped = search::pass(run, &mut routed, &mut summary).await.err();
    if stopped.is_none() {
        run.history.rounds.push(summary);
    }
    stopped
}

/// Has pages fetched, and returns the queries for which the engine failed. Problems become warnings, and costs are
/// charged.
pub(super) async fn gather(run: &mut Run<'_>, queries: &[String]) -> Result<Vec<String>, StopReason> {
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let gathered = gate::unless_stopped(run, run.engine.corpus.gather(queries), Usage::default).await;
    let gathered = gathered.map_err(|dropped| dropped.reason)?;
    for warning in gathered.warnings {
        if !run.events.warnings.contains(&warning) {
            run.warn(warning);
        }
    }
    if let Some(usd) = gathered.usd {
        run.spending.budget.charge_money(usd);
    }
    Ok(gathered.failed)
}

/// A sub-query as it is sent to an engine.
pub(super) fn for_engine(query: &str) -> String {
    short_line(query, MAX_QUERY_CHARS)
}
