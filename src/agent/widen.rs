//! What a report asks for beside what was searched: a search for every heading, deeper ones where much is to be written,
//! and the rest of two versions that are compared. It costs no call.

use super::gate;
use super::run::Run;
use super::search::{by_age, query_text, search_all, search_failed, search_request, settled};
use crate::domain::{ChunkId, Event, OutlineSection, RoundSummary, StopReason, SubQuery, Usage};
use crate::llm::purpose::EvidenceCard;
use crate::report::{asks_what_changed, is_amendment_of, is_newer_version};
use crate::retrieval::SearchRequest;

/// Words of a report for which the usual searches bring enough.
const USUAL_WORDS: usize = 1_000;
/// Words of a report that a passage gives where it is quoted, about, over all passages that searches bring.
const WORDS_A_PASSAGE: usize = 15;
/// Most passages that a search is asked for.
const MOST_HITS: usize = 200;

/// Passages of a version that are read before the first one that a search found, and behind it.
const OF_A_VERSION: u32 = 60;
/// Versions that are read whole at most.
const MOST_VERSIONS: usize = 4;

/// Searches and reads once more before the report is written, where the question, its length or its outline asks for it.
/// Gives the reason where the run must end.
pub(super) async fn widen(run: &mut Run<'_>) -> Option<StopReason> {
    if let Some(reason) = read_versions(run).await {
        return Some(reason);
    }
    let options = &run.engine.options;
    let (usual, words) = (options.hits_per_query, options.length.unwrap_or(0));
    let deeper = words > USUAL_WORDS && !run.engine.model.reasons();
    let sections = options.outline.sections.clone();
    let mut searches: Vec<(usize, usize)> = Vec::new();
    let count = run.history.asked.all().len() + sections.len();
    let hits = if deeper { (words / WORDS_A_PASSAGE / count.max(1)).clamp(usual, MOST_HITS) } else { usual };
    if deeper && hits > usual {
        searches.extend((0..run.history.asked.all().len()).map(|index| (index, hits)));
    }
    searches.extend(places(run, &sections).into_iter().map(|index| (index, hits)));
    search_for(run, searches).await
}

/// The places of the sections' searches in the list of all, where those that were not asked are added.
pub(super) fn places(run: &mut Run<'_>, sections: &[OutlineSection]) -> Vec<usize> {
    sections.iter().map(|section| run.history.asked.note(section.query())).collect()
}

/// One round of searches, each by its place in the list of all and with the number of passages that it is asked for.
pub(super) async fn search_for(run: &mut Run<'_>, searches: Vec<(usize, usize)>) -> Option<StopReason> {
    if searches.is_empty() {
        return None;
    }
    let age = run.engine.options.age;
    let all = run.history.asked.all();
    let queries: Vec<(usize, usize, SubQuery)> =
        searches.iter().filter_map(|&(index, k)| Some((index, k, all.get(index)?.clone()))).collect();
    let requests: Vec<SearchRequest> = queries
        .iter()
        .map(|(_, k, query)| {
            let names = query.collections.iter().filter(|name| *name != crate::domain::WEB).cloned().collect();
            search_request(&run.scope, query_text(&query.text), names, age.asked(*k))
        })
        .collect();
    let found = gate::unless_stopped(run, search_all(run.engine, &requests), Usage::default).await;
    let found = match found {
        Ok(found) => settled(run, found),
        Err(dropped) => return Some(dropped.reason),
    };
    let round = run.history.rounds.len() + 1;
    run.evidence.ledger.begin_round(round);
    let mut summary = RoundSummary { sub_queries: Vec::new(), hits: 0, new: 0, reason: String::new() };
    for ((index, k, query), answer) in queries.into_iter().zip(found) {
        let hits = answer.unwrap_or_else(|error| search_failed(run, &query.text, error));
        let hits = by_age(run, hits, k);
        let count = hits.len();
        let new = run.evidence.add(hits, index);
        run.emit(&Event::Searched { round, sub_query: query.clone(), hits: count, new });
        summary.sub_queries.push(run.history.tree.grow(index, 0, &query, count, new));
        summary.hits += count;
        summary.new += new;
    }
    run.history.rounds.push(summary);
    None
}

/// Reads the rest of two versions whose differences are asked for, for a report that only quotes: what it does not see in
/// one of them it would tell as new, or as gone. Gives the reason where the run must end.
async fn read_versions(run: &mut Run<'_>) -> Option<StopReason> {
    if run.engine.model.reasons() || !asks_what_changed(run.question.text) {
        return None;
    }
    let cards = run.evidence.ledger.cards(run.spending.evidence_tokens, None);
    let mut found: Vec<&EvidenceCard> = Vec::new();
    for card in &cards {
        if found.iter().all(|other| other.path != card.path) {
            found.push(card);
        }
    }
    let is_version = |one: &EvidenceCard| {
        let of = |newer: &EvidenceCard, older: &EvidenceCard| {
            let (newer, older) = (newer.edition(), older.edition());
            is_newer_version(&newer, &older) || is_amendment_of(&newer, &older)
        };
        found.iter().any(|other| of(one, other) || of(other, one))
    };
    let versions = found.iter().filter(|card| is_version(card)).take(MOST_VERSIONS);
    let chunks: Vec<ChunkId> =
        versions.filter_map(|card| Some(run.evidence.ledger.get(card.number)?.chunk.id)).collect();
    for chunk in chunks {
        let read = run.engine.corpus.read(chunk, OF_A_VERSION);
        match gate::unless_stopped(run, read, Usage::default).await {
            Err(dropped) => return Some(dropped.reason),
            Ok(Ok(passages)) => {
                run.evidence.add_compared(passages);
            }
            Ok(Err(error)) => tracing::info!(%error, "a version is compared as far as it was found"),
        }
    }
    None
}
