//! Searches and reads for the report beyond the run's own searches: a search for every heading, deeper searches for a
//! long report, the rest of two compared versions, the beginning of a table, and amendments of a passage. Makes no
//! model call.

use std::collections::BTreeSet;

use super::gate;
use super::run::Run;
use super::search::{by_age, query_text, search_all, search_failed, search_request, settled};
use crate::domain::{ChunkId, Event, OutlineSection, RoundSummary, StopReason, StoredChunk, SubQuery, Usage, WEB};
use crate::llm::purpose::EvidenceCard;
use crate::offline::{asks_for_whole_table, may_amend};
use crate::report::{asks_what_changed, is_amendment_of, is_later_issue, is_newer_version};
use crate::retrieval::SearchRequest;

/// The longest report, in words, for which the usual searches bring enough.
const USUAL_WORDS: usize = 1_000;
/// About how many words of a report a quoted passage yields, averaged over all passages that searches bring.
const WORDS_A_PASSAGE: usize = 15;
/// The most passages that a search is asked for.
const MOST_HITS: usize = 200;

/// Passages of a version that are read on each side of the first one that a search found.
const OF_A_VERSION: u32 = 60;
/// Passages before a found one among which the beginning of its table is looked for.
const OF_A_TABLE: u32 = 12;
/// The number of best passages around which more is read.
const BEST: usize = 4;
/// The most versions that are read whole.
const MOST_VERSIONS: usize = 4;

/// Searches and reads once more before the report is written, if the question, or the report's length or outline, asks
/// for it. Returns the reason if the run must end.
pub(super) async fn widen(run: &mut Run<'_>) -> Option<StopReason> {
    if !run.engine.model.reasons() {
        if asks_what_changed(run.question.text)
            && let Some(reason) = read_versions(run).await
        {
            return Some(reason);
        }
        if let Some(reason) = read_tables(run).await {
            return Some(reason);
        }
        if let Some(reason) = read_amendments(run).await {
            return Some(reason);
        }
    }
    let options = &run.engine.options;
    let (usual, words) = (options.hits_per_query, options.length.unwrap_or(0));
    let deeper = words > USUAL_WORDS && !run.engine.model.reasons();
    let sections = options.outline.sections.clone();
    let asked = run.history.asked.all().len();
    let hits = if deeper {
        (words / WORDS_A_PASSAGE / (asked + sections.len())).clamp(usual, MOST_HITS.max(usual))
    } else {
        usual
    };
    let mut searches: Vec<usize> = if hits > usual { (0..asked).collect() } else { Vec::new() };
    searches.extend(places(run, &sections));
    search_for(run, searches, hits).await
}

/// The places of the sections' searches in the list of all; those not yet asked are added to it.
pub(super) fn places(run: &mut Run<'_>, sections: &[OutlineSection]) -> Vec<usize> {
    sections.iter().map(|section| run.history.asked.note(section.query())).collect()
}

/// Makes one round of searches for `k` passages each; the searches are given by their places in the list of all.
pub(super) async fn search_for(run: &mut Run<'_>, searches: Vec<usize>, k: usize) -> Option<StopReason> {
    if searches.is_empty() {
        return None;
    }
    let asked = run.engine.options.age.asked(k);
    let all = run.history.asked.all();
    let queries: Vec<(usize, SubQuery)> =
        searches.into_iter().filter_map(|index| Some((index, all.get(index)?.clone()))).collect();
    let requests: Vec<SearchRequest> = queries
        .iter()
        .map(|(_, query)| {
            let names = query.collections.iter().filter(|name| *name != WEB).cloned().collect();
            search_request(&run.scope, query_text(&query.text), names, asked)
        })
        .collect();
    let found = gate::unless_stopped(run, search_all(run.engine, &requests), Usage::default).await;
    let found = match found {
        Ok(found) => settled(run, found),
        Err(dropped) => return Some(dropped.reason),
    };
    let round = run.history.rounds.len() + 1;
    run.evidence.ledger.begin_round(round);
    let mut summary = RoundSummary::default();
    for ((index, query), answer) in queries.into_iter().zip(found) {
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

/// Reads the rest of two versions whose differences are asked for, for a report that only quotes: it would call new or
/// gone whatever it does not see in one of them. Returns the reason if the run must end.
async fn read_versions(run: &mut Run<'_>) -> Option<StopReason> {
    let cards = run.evidence.ledger.cards_as_stored(run.spending.evidence_tokens);
    let mut found: Vec<&EvidenceCard> = Vec::new();
    for card in &cards {
        if found.iter().all(|other| other.path != card.path) {
            found.push(card);
        }
    }
    let is_version = |one: &EvidenceCard| {
        let of = |newer: &EvidenceCard, older: &EvidenceCard| {
            let (newer, older) = (newer.edition(), older.edition());
            is_newer_version(&newer, &older)
                || is_amendment_of(&newer, &older)
                || is_later_issue(&newer, &older, run.question.text)
        };
        found.iter().any(|other| of(one, other) || of(other, one))
    };
    let versions = found.iter().filter(|card| is_version(card)).take(MOST_VERSIONS);
    let chunks: Vec<ChunkId> =
        versions.filter_map(|card| Some(run.evidence.ledger.get(card.number)?.chunk.id)).collect();
    for chunk in chunks {
        match passages_around(run, chunk, OF_A_VERSION).await {
            Ok(passages) => run.evidence.add_separately(passages),
            Err(reason) => return Some(reason),
        };
    }
    None
}

/// Reads the beginning, which names the columns, of each table that continues into one of the best passages, and the
/// rest of it if only all rows answer the question; for a report that only quotes. Returns the reason if the
/// run must end.
async fn read_tables(run: &mut Run<'_>) -> Option<StopReason> {
    let (cards, whole) = (best_cards(run), asks_for_whole_table(run.question.text));
    let is_cut = |card: &&EvidenceCard| {
        let mut lines = card.text.lines();
        lines.next().is_some_and(is_row) || whole && lines.next_back().is_some_and(is_row)
    };
    let around = if whole { OF_A_VERSION } else { OF_A_TABLE };
    let chunk = |card: &EvidenceCard| Some(run.evidence.ledger.get(card.number)?.chunk.id);
    let chunks: Vec<ChunkId> = cards.iter().filter(is_cut).filter_map(chunk).collect();
    for chunk in chunks {
        let passages = match passages_around(run, chunk, around).await {
            Ok(passages) => passages,
            Err(reason) => return Some(reason),
        };
        let Some(own) = passages.iter().position(|passage| passage.id == chunk) else { continue };
        let goes_on = |before: &usize| {
            let (end, begin) = (passages[*before].text.lines().next_back(), passages[before + 1].text.lines().next());
            end.is_some_and(is_row) && begin.is_some_and(is_row)
        };
        let first = (0..own).rev().take_while(goes_on).last();
        let read = if whole {
            let last = (own..passages.len() - 1).take_while(goes_on).last().map_or(own, |before| before + 1);
            passages[first.unwrap_or(own)..=last].to_vec()
        } else {
            first.map(|first| passages[first].clone()).into_iter().collect()
        };
        run.evidence.add_separately(read);
    }
    None
}

/// Reads, in the documents of the best passages, the passages that amend them, such as a list of changes at the end of
/// rules; for a report that only quotes. Returns the reason if the run must end.
async fn read_amendments(run: &mut Run<'_>) -> Option<StopReason> {
    let cards = best_cards(run);
    let mut read = BTreeSet::new();
    for card in &cards {
        let Some(chunk) = run.evidence.ledger.get(card.number).map(|entry| entry.chunk.id) else { continue };
        if !read.insert(chunk.document) {
            continue;
        }
        let mut passages = match passages_around(run, chunk, OF_A_VERSION).await {
            Ok(passages) => passages,
            Err(reason) => return Some(reason),
        };
        let of_it = |other: &&EvidenceCard| other.path == card.path && other.collection == card.collection;
        passages.retain(|passage| cards.iter().filter(of_it).any(|card| may_amend(&passage.text, card)));
        run.evidence.add_separately(passages);
    }
    None
}

/// Whether a line looks like a table row: its values stand between bars, far apart, or behind names.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') || line.contains(" | ") || line.contains("   ") || line.matches("; ").count() > 1
}

/// The best passages so far.
fn best_cards(run: &Run<'_>) -> Vec<EvidenceCard> {
    let mut cards = run.evidence.ledger.cards_as_stored(run.spending.evidence_tokens);
    cards.sort_by(|a, b| b.score.total_cmp(&a.score));
    cards.truncate(BEST);
    cards
}

/// Reads a passage and those around it in its document; returns none if they cannot be read.
async fn passages_around(run: &mut Run<'_>, chunk: ChunkId, around: u32) -> Result<Vec<StoredChunk>, StopReason> {
    let read = run.engine.corpus.read(chunk, around);
    let read = gate::unless_stopped(run, read, Usage::default).await.map_err(|dropped| dropped.reason)?;
    Ok(read.unwrap_or_else(|error| {
        tracing::info!(%error, "what stands around a passage is not read");
        Vec::new()
    }))
}
