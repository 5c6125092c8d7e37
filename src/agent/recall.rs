//! What earlier runs learnt: recalled before the plan, checked against the sources, and written down at the end.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::Engine;
use super::ledger::Ledger;
use super::run::Run;
use crate::base::ContentHash;
use crate::base::day_of;
use crate::domain::{ChunkId, Event, SearchMode, StoredChunk};
use crate::llm::purpose::KnownFinding;
use crate::memory::{Basis, EventKind, FindingState, Memory, MemoryError, NewEvent, ScoredEvent, verify};
use crate::report::cite::Cited;
use crate::report::supporting_quote;
use crate::store::Store;

/// The most statements of one report that are remembered.
const MAX_FINDINGS: usize = 40;

/// The reason given if a run began with a memory and continues without one.
const NO_MEMORY: &str = "the memory is switched off";

/// What was recalled, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RecalledEvents {
    /// The events that still hold, the heaviest first.
    pub events: Vec<KnownEvent>,
    /// The ids of the findings that their sources no longer support.
    pub stale: Vec<u64>,
}

impl RecalledEvents {
    /// The packed ids of the passages that the events rest on.
    pub fn passages(&self) -> Vec<u64> {
        self.events.iter().flat_map(|event| &event.chunks).map(|id| id.pack()).collect()
    }
}

/// The recalled events with the passages that they rest on, or the reason why nothing was recalled.
pub(super) type Recollection = Result<(RecalledEvents, Vec<StoredChunk>), String>;

/// One recalled event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KnownEvent {
    /// Its id in the memory.
    pub id: u64,
    /// The kind of the event.
    pub kind: EventKind,
    /// Its words.
    pub text: String,
    /// The day on which it was made.
    pub since: Date,
    /// The ids of the passages that a finding rests on, as they are now.
    pub chunks: Vec<ChunkId>,
}

/// Recalls what the memory has for a question to these collections. Every finding is checked: the bytes that it rests
/// on must be where they were. Findings that fail the check are marked in the memory and returned as stale.
async fn recall_verified(
    memory: &Memory,
    store: &dyn Store,
    question: &str,
    collections: &[String],
    run: &str,
    now: Timestamp,
) -> Result<RecalledEvents, MemoryError> {
    let most = memory.options().most;
    let judged = memory.judge(question, Some(collections), now, most.saturating_mul(4)).await?;
    let mut known = RecalledEvents::default();
    for ScoredEvent { event, .. } in judged.into_iter().filter(|one| one.passes) {
        if known.events.len() == most {
            break;
        }
        let mut chunks = Vec::new();
        let mut stands = true;
        for basis in &event.citations {
            match verify(store, basis).await? {
                FindingState::Stands(chunk) => chunks.push(chunk.id),
                FindingState::Changed | FindingState::Gone => stands = false,
            }
        }
        if stands {
            let since = day_of(event.made);
            known.events.push(KnownEvent { id: event.id, kind: event.kind, text: event.text, since, chunks });
        } else {
            known.stale.push(event.id);
        }
    }
    if !known.stale.is_empty() {
        let stale = known.stale.clone();
        memory.with(move |timeline| timeline.mark_stale(&stale, now)).await?;
    }
    memory.recall(known.events.iter().map(|event| event.id).collect(), run, now).await?;
    Ok(known)
}

/// Recalls what earlier runs learnt, for the plan and as evidence. A memory that fails does not end the run.
pub(super) async fn recall(run: &mut Run<'_>) {
    if !uses_memory(run.engine) {
        return;
    }
    let (memory, names, id, now) = (memory(run), run.scope.names(), id(run), run.engine.clock.now());
    let question = run.question.text;
    let recollection = run.engine.corpus.recall(question, |store| async move {
        let memory = memory.ok_or_else(|| NO_MEMORY.to_owned())?;
        let known = recall_verified(&memory, store.as_ref(), question, &names, &id, now);
        let known = known.await.map_err(|error| error.to_string())?;
        let ids: Vec<ChunkId> = known.events.iter().flat_map(|event| event.chunks.iter().copied()).collect();
        let chunks = store.chunks(&ids).await;
        let chunks = chunks.map_err(|error| format!("the sources of earlier findings cannot be read: {error}"))?;
        Ok((known, chunks))
    });
    match recollection.await {
        Ok((known, chunks)) => take(run, known, &chunks),
        Err(reason) => run.warn(format!("nothing was recalled: {reason}")),
    }
}

fn take(run: &mut Run<'_>, known: RecalledEvents, chunks: &[StoredChunk]) {
    if known.events.is_empty() && known.stale.is_empty() {
        return;
    }
    run.emit(&Event::Recalled { events: known.events.len(), stale: known.stale.len() });
    if !known.stale.is_empty() {
        run.warn(match known.stale.len() {
            1 => "1 earlier finding is not used, since its source does not say so any more".to_owned(),
            many => format!("{many} earlier findings are not used, since their sources do not say so any more"),
        });
    }
    for event in known.events {
        let rests_on = chunks.iter().filter(|chunk| event.chunks.contains(&chunk.id)).cloned().collect();
        run.evidence.ledger.add_known(rests_on, event.since);
        let since = event.since.to_string();
        run.evidence.known.push(KnownFinding { kind: event.kind.name().to_owned(), text: event.text, since });
    }
}

/// Writes the question and what the report states into the memory. A memory that fails does not end the run.
pub(super) async fn remember(run: &mut Run<'_>, cited: &[Cited]) {
    if !uses_memory(run.engine) {
        return;
    }
    let made = run.engine.clock.now();
    let question = NewEvent {
        kind: EventKind::Question,
        text: run.question.text.to_owned(),
        made,
        collections: run.scope.local_names(),
        citations: Vec::new(),
        run: id(run),
    };
    let mut events = vec![question];
    events.extend(findings(run, cited, made));
    let memory = memory(run);
    let work = async {
        let memory = memory.ok_or_else(|| NO_MEMORY.to_owned())?;
        memory.add(events).await.map(drop).map_err(|error| error.to_string())
    };
    if let Err(reason) = run.engine.corpus.remember(run.question.text, work).await {
        run.warn(format!("what was found is not remembered: {reason}"));
    }
}

/// A run as of an earlier date does not use the memory: what is known now was not known then.
fn uses_memory(engine: &Engine) -> bool {
    engine.options.remembers && engine.options.age.as_of.is_none()
}

/// The statements of the report that cite something, in the order of their first citations, each with the quotes that
/// it rests on. Statements that rest on a page of the web are left out.
fn findings(run: &Run<'_>, cited: &[Cited], made: Timestamp) -> Vec<NewEvent> {
    let mut order: Vec<String> = Vec::new();
    let mut resting: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for one in cited {
        for sentence in &one.sentences {
            // Bold marks the answer to one question; another run finds the same words without it.
            let sentence = sentence.replace("**", "");
            let numbers = resting.entry(sentence).or_insert_with_key(|sentence| {
                order.push(sentence.clone());
                Vec::new()
            });
            if !numbers.contains(&one.evidence) {
                numbers.push(one.evidence);
            }
        }
    }
    let finding = |text: String| {
        let bases = resting.get(&text).into_iter().flatten();
        let citations: Vec<Basis> = bases.filter_map(|&number| basis(&run.evidence.ledger, number, &text)).collect();
        let mut collections: Vec<String> = citations.iter().map(|basis| basis.collection.clone()).collect();
        collections.sort_unstable();
        collections.dedup();
        NewEvent { kind: EventKind::Finding, text, made, collections, citations, run: id(run) }
    };
    let is_own = |sentence: &String| {
        let passages =
            resting.get(sentence).into_iter().flatten().filter_map(|&number| run.evidence.ledger.get(number));
        !passages.into_iter().any(|entry| entry.chunk.id.document.page().is_some())
    };
    let findings = order.into_iter().filter(is_own).map(finding).filter(|finding| !finding.citations.is_empty());
    findings.take(MAX_FINDINGS).collect()
}

/// The quote in the user's own documents that a statement rests on; it can be looked up again.
fn basis(ledger: &Ledger, number: usize, sentence: &str) -> Option<Basis> {
    let chunk = &ledger.get(number)?.chunk;
    let quote = supporting_quote(&chunk.text, &chunk.headings, &[sentence.to_owned()], chunk.language);
    let words = chunk.text.get(quote.clone()).filter(|words| !words.is_empty())?;
    Some(Basis {
        collection: chunk.collection.clone(),
        path: chunk.path.clone(),
        title: chunk.title.clone(),
        bytes: [chunk.range.start + quote.start, chunk.range.start + quote.end],
        hash: ContentHash::of(words.as_bytes()),
        page: chunk.page_at(quote.start),
        date: chunk.date,
    })
}

/// The memory. If searches go on without the embedder, the memory does too, so that one that is down is not asked
/// again.
fn memory(run: &Run<'_>) -> Option<Memory> {
    let memory = run.engine.memory.as_ref()?;
    Some(if run.scope.mode == SearchMode::Keyword { memory.by_words() } else { memory.clone() })
}

/// Tells this run from others: by its question, its collections, and its start.
fn id(run: &Run<'_>) -> String {
    let asked = format!("{}\n{}", run.scope.names().join("\n"), run.question.text);
    let hash = ContentHash::of(asked.as_bytes()).to_string();
    format!("{}-{}", run.engine.clock.now().strftime("%Y%m%dT%H%M%S%.6fZ"), hash.get(..8).unwrap_or_default())
}

#[cfg(test)]
#[path = "recall_tests.rs"]
mod tests;
