//! Carries out the tool calls of a model: searches and readings at once, each answered in words. The meaning of a call
//! is decided in `tools/call.rs`.

use std::collections::BTreeSet;
use std::vec::IntoIter;

use super::conversation::{Conversation, Turn};
use super::ledger::{beyond, unscored};
use super::lineage;
use super::probe;
use super::run::Run;
use super::search::search_failed;
use super::tool_search::{Passages, ToolSearch, search_and_read, searches_by_meaning};
use super::tools::{ListedHit, ParsedCall, ToolRequest, shown, snippets, understand};
use crate::base::text::{estimate_tokens, excerpt, one_line, short_line};
use crate::domain::{ChunkId, Event, Hit, RoundSummary, SearchMode, StopReason, StoredChunk, SubQuery, WEB};
use crate::llm::ToolCall;
use crate::llm::purpose::{EvidenceCard, ToolPassage, ToolResult};
use crate::retrieval::RetrievalError;

/// The most calls of one message; the model is told to make the rest again.
const MAX_CALLS: usize = 8;
/// Longer arguments are not those of a search; the model is not shown them again.
const MAX_ARGUMENT_BYTES: usize = 2_000;
/// The most characters of a call's arguments that the user is told.
const MAX_TOLD_CHARS: usize = 1_000;
/// The most characters of the model's final plan that the writer gets.
const MAX_PLAN_CHARS: usize = 6_000;
/// The most characters of what the model says beside its calls that the report's account states.
const MAX_REASON_CHARS: usize = 300;
/// The number of replies in a row that are neither calls nor an answer at which the run stops.
const MAX_BROKEN: usize = 3;

/// What follows a message of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Continuation {
    GoOn,
    Stop(StopReason),
}

/// The answer to one call.
#[derive(Default)]
struct Answer {
    text: String,
    passages: Vec<ToolPassage>,
    /// The tokens of the documents' words in the answer.
    tokens: u64,
    /// The number of passages that no tool had shown before.
    new: usize,
}

impl Answer {
    fn of(text: impl Into<String>) -> Self {
        Answer { text: text.into(), ..Answer::default() }
    }
}

/// The calls of a message while they are answered: the results for them, in their order, and the totals so far.
struct Round {
    step: usize,
    searched: IntoIter<Result<Vec<Hit>, RetrievalError>>,
    passages: IntoIter<Result<Passages, RetrievalError>>,
    /// For each search, the one that led to it.
    led_by: IntoIter<usize>,
    /// Tokens that the answers may still hold.
    left: u64,
    summary: RoundSummary,
    /// The plan of the report, once the model has finished.
    finished: Option<String>,
}

/// Carries out the calls of one message: all searches and readings at once, with answers in the order of the calls.
pub(super) async fn use_tools(
    run: &mut Run<'_>,
    talk: &mut Conversation,
    said: &str,
    calls: Vec<ToolCall>,
) -> Continuation {
    let step = talk.next_step();
    let calls = normalize_calls(calls, step);
    let wishes = wishes(run, &calls);
    let (searches, reads) = requested_searches_and_reads(run, &wishes);
    let found = match search_and_read(run, &searches, &reads).await {
        Ok(found) => found,
        Err(reason) => return Continuation::Stop(reason),
    };
    let reason = short_line(said, MAX_REASON_CHARS);
    let mut round = Round {
        step,
        searched: found.searches.into_iter(),
        passages: found.passages.into_iter(),
        led_by: lineage::led_by(run, searches.iter().map(|search| search.query.as_str())).into_iter(),
        left: run.spending.evidence_tokens,
        summary: RoundSummary { reason, ..RoundSummary::default() },
        finished: None,
    };
    run.evidence.ledger.begin_round(step);
    let mut turn = Turn { step, said: said.to_owned(), calls: Vec::new(), remark: None };
    for ((call, shown), wish) in calls.into_iter().zip(wishes) {
        let mut answer = match wish {
            Err(mistake) => Answer::of(mistake),
            Ok(understood) => answer_to(run, talk, &mut round, understood),
        };
        round.left = round.left.saturating_sub(answer.tokens);
        run.evidence.retrieved_tokens += answer.tokens;
        round.summary.hits += answer.passages.len();
        round.summary.new += answer.new;
        run.emit(&Event::ToolCalled {
            step,
            tool: call.name.clone(),
            arguments: excerpt(&call.arguments, MAX_TOLD_CHARS).into_owned(),
            found: answer.passages.len(),
            tokens: answer.tokens,
        });
        let passages = std::mem::take(&mut answer.passages);
        talk.taken.push(ToolResult { step, tool: call.name, arguments: call.arguments, passages });
        turn.calls.push((shown, answer.text));
    }
    talk.broken = 0;
    talk.push(turn);
    run.history.rounds.push(round.summary);
    match round.finished {
        Some(plan) => finish(run, &plan),
        None => Continuation::GoOn,
    }
}

/// What each call asks for, or its mistake.
fn wishes(run: &Run<'_>, calls: &[(ToolCall, ToolCall)]) -> Vec<Result<ParsedCall, String>> {
    let wish = |(index, (call, _)): (usize, &(ToolCall, ToolCall))| match index < MAX_CALLS {
        true => understand(call, run.scope.has_web).and_then(|understood| possible(run, understood)),
        false => Err(format!("only {MAX_CALLS} calls of one message are run; call it again")),
    };
    calls.iter().enumerate().map(wish).collect()
}

/// The searches and the readings that are asked for, in the order of the calls.
fn requested_searches_and_reads(
    run: &Run<'_>,
    wishes: &[Result<ParsedCall, String>],
) -> (Vec<ToolSearch>, Vec<(ChunkId, u32)>) {
    let (mut searches, mut reads) = (Vec::new(), Vec::new());
    for understood in wishes.iter().flatten() {
        match &understood.wish {
            ToolRequest::Search { mode, query, k } => {
                searches.push(ToolSearch { mode: *mode, query: query.clone(), k: *k, web: false });
            }
            ToolRequest::Web { query, k } => {
                searches.push(ToolSearch { mode: run.scope.mode, query: query.clone(), k: *k, web: true });
            }
            ToolRequest::Read { chunk, neighbours } => reads.push((*chunk, *neighbours)),
            ToolRequest::Finish { .. } => {}
        }
    }
    (searches, reads)
}

/// The answer to one call, from the results for it.
fn answer_to(run: &mut Run<'_>, talk: &mut Conversation, round: &mut Round, understood: ParsedCall) -> Answer {
    let answer = match understood.wish {
        ToolRequest::Search { mode, query, .. } => answer_next_search(run, talk, round, mode, &query, Vec::new()),
        ToolRequest::Web { query, .. } => {
            let mode = run.scope.mode;
            answer_next_search(run, talk, round, mode, &query, vec![WEB.to_owned()])
        }
        ToolRequest::Read { chunk, .. } => match round.passages.next() {
            Some(read) => answer_read(run, talk, round, chunk, read),
            None => Answer::of(not_there(chunk)),
        },
        ToolRequest::Finish { plan } => match may_finish(run, talk) {
            true => {
                round.finished = Some(plan);
                Answer::of("The report is being written.")
            }
            false => Answer::of(URGE),
        },
    };
    with_notes(answer, &understood.notes)
}

/// The answer to the next search, which is added to the tree of searches and the summary of the round.
fn answer_next_search(
    run: &mut Run<'_>,
    talk: &mut Conversation,
    round: &mut Round,
    mode: SearchMode,
    query: &str,
    collections: Vec<String>,
) -> Answer {
    let found = round.searched.next().unwrap_or_else(|| Ok(Vec::new()));
    let answer = answer_search(run, talk, round, mode, query, found);
    let index = run.history.asked.note(query);
    let (from, hits) = (round.led_by.next().unwrap_or(0), answer.passages.len());
    let sub_query = SubQuery { text: one_line(query), collections };
    let search = run.history.tree.grow(index, from, &sub_query, hits, answer.new);
    // A query searched both by words and by meaning is still one question.
    match round.summary.sub_queries.iter_mut().find(|other| other.query == sub_query) {
        Some(other) => (other.hits, other.new) = (other.hits + hits, other.new + search.new),
        None => round.summary.sub_queries.push(search),
    }
    answer
}

/// Takes words without a call as the plan of the report, unless nothing was searched or read yet.
pub(super) fn take_words(run: &mut Run<'_>, talk: &mut Conversation, words: &str) -> Continuation {
    if may_finish(run, talk) {
        return finish(run, words);
    }
    remark(run, talk, words, URGE.to_owned());
    Continuation::GoOn
}

/// Tells the model what is wrong with a reply that is neither a call nor an answer.
pub(super) fn correct(run: &mut Run<'_>, talk: &mut Conversation, said: &str, mistake: &str) -> Continuation {
    talk.broken += 1;
    if talk.broken >= MAX_BROKEN {
        run.warn(format!("the model called no tool, so the report uses what was found: {mistake}"));
        return Continuation::Stop(StopReason::ModelFailed);
    }
    remark(run, talk, said, format!("Your last reply cannot be used: {mistake}. Call one of the tools, or `finish`."));
    Continuation::GoOn
}

/// If nothing was read, the report is written from what was shown; if nothing was shown, from what the question itself
/// finds.
pub(super) fn fall_back(run: &mut Run<'_>, talk: &mut Conversation) {
    if run.evidence.ledger.is_only_known() {
        for (query, hits) in std::mem::take(&mut talk.shown) {
            run.evidence.ledger.add(hits, query);
        }
    }
    if run.evidence.ledger.is_only_known() {
        probe::admit(run);
    }
}

fn remark(run: &mut Run<'_>, talk: &mut Conversation, said: &str, remark: String) {
    let step = talk.next_step();
    talk.push(Turn { step, said: said.to_owned(), calls: Vec::new(), remark: Some(remark) });
    run.history.rounds.push(RoundSummary::default());
}

fn finish(run: &mut Run<'_>, plan: &str) -> Continuation {
    run.history.notes = Some(excerpt(plan.trim(), MAX_PLAN_CHARS).into_owned()).filter(|plan| !plan.is_empty());
    Continuation::Stop(StopReason::Enough)
}

/// Whether anything was searched or read. A model that answers from memory is told once to search first.
fn may_finish(run: &Run<'_>, talk: &mut Conversation) -> bool {
    let looked = !run.evidence.ledger.is_only_known() || !talk.shown.is_empty();
    looked || std::mem::replace(&mut talk.urged, true)
}

fn possible(run: &Run<'_>, understood: ParsedCall) -> Result<ParsedCall, String> {
    match understood.wish {
        ToolRequest::Search { mode: SearchMode::Semantic, .. } if !searches_by_meaning(run) => {
            Err("semantic_search is not available here; use keyword_search, with the words that the passage has"
                .to_owned())
        }
        _ => Ok(understood),
    }
}

fn answer_search(
    run: &mut Run<'_>,
    talk: &mut Conversation,
    round: &Round,
    mode: SearchMode,
    query: &str,
    found: Result<Vec<Hit>, RetrievalError>,
) -> Answer {
    let hits = match found {
        Ok(hits) => hits,
        Err(error) => {
            let words = format!("the search failed: {error}");
            search_failed(run, query, error);
            return Answer::of(words);
        }
    };
    if hits.is_empty() {
        let other = if mode == SearchMode::Keyword { "other words, or semantic_search" } else { "other words" };
        return Answer::of(format!("nothing was found; try {other}"));
    }
    let index = run.history.asked.note(query);
    let words: Vec<String> = hits.iter().map(Hit::snippet).collect();
    let several = run.scope.collections.len() > 1;
    let found: Vec<ListedHit<'_>> = hits
        .iter()
        .zip(&words)
        .map(|(hit, words)| ListedHit {
            chunk: hit.chunk.id,
            title: &hit.chunk.title,
            date: hit.chunk.date,
            collection: if several { &hit.chunk.collection } else { "" },
            words,
            read_at: talk.seen_at(hit.chunk.id, run.spending.evidence_tokens),
        })
        .collect();
    // The best hits that fit, at least one.
    let fits = |most: &usize| estimate_tokens(&snippets(&found[..*most])) <= round.left;
    let taken = (1..=found.len()).rev().find(fits).unwrap_or(1);
    let text = snippets(&found[..taken]);
    let ledger = &run.evidence.ledger;
    let passages = hits.iter().zip(&words).take(taken).map(|(hit, words)| ToolPassage {
        doc_id: hit.chunk.id.document.to_string(),
        chunk_id: hit.chunk.id.ordinal,
        whole: false,
        card: ledger.sample(&hit.chunk, words),
    });
    let passages = passages.collect();
    let mut new = 0;
    for hit in hits.iter().take(taken) {
        let queries = talk.found_by.entry(hit.chunk.id).or_default();
        new += usize::from(queries.is_empty() && !talk.read.contains_key(&hit.chunk.id));
        queries.insert(index);
    }
    tracing::debug!(step = round.step, query, hits = hits.len(), "searched by a tool");
    talk.shown.push((index, hits.into_iter().take(taken).collect()));
    Answer { tokens: estimate_tokens(&text), text, passages, new }
}

fn answer_read(
    run: &mut Run<'_>,
    talk: &mut Conversation,
    round: &Round,
    wanted: ChunkId,
    read: Result<Passages, RetrievalError>,
) -> Answer {
    let read = match read {
        Ok(read) => read,
        Err(RetrievalError::NoChunk { .. }) => return Answer::of(not_there(wanted)),
        Err(error) => return Answer::of(format!("the passage could not be read: {error}")),
    };
    // Ids can be guessed; a collection that the user left out must stay out.
    if !read.chunks.iter().all(|chunk| run.scope.collections.iter().any(|one| one.name == chunk.collection)) {
        return Answer::of(not_there(wanted));
    }
    let queries: BTreeSet<usize> = talk.found_by.get(&wanted).cloned().unwrap_or_default();
    let mut answer = Answer::default();
    let mut parts: Vec<String> = Vec::new();
    let mut shown_before: Option<(ChunkId, usize)> = None;
    for chunk in read.chunks {
        let id = chunk.id;
        if let Some(before) = talk.seen_at(id, run.spending.evidence_tokens).or(talk
            .read
            .get(&id)
            .copied()
            .filter(|at| *at == round.step))
        {
            parts.push(format!("{} {}: already read at step {before}", id.document, id.ordinal));
            continue;
        }
        // The requested chunk is always shown; neighbours only if there is room.
        let room = round.left.saturating_sub(answer.tokens);
        let neighbour = shown_before.filter(|(before, _)| before.ordinal + 1 == id.ordinal);
        let text = beyond(&chunk, neighbour.map(|(_, end)| end));
        if estimate_tokens(text) > room
            && (id != wanted || answer.tokens > 0 || round.left < run.spending.evidence_tokens)
        {
            parts.push(format!("{} {}: not shown, since this message is full; read it next", id.document, id.ordinal));
            continue;
        }
        let chars = usize::try_from(room).unwrap_or(usize::MAX).max(100);
        let text = if estimate_tokens(text) > room { excerpt(text, chars).into_owned() } else { text.to_owned() };
        shown_before = Some((id, chunk.range.end));
        answer.new += usize::from(!talk.read.contains_key(&id) && !talk.found_by.contains_key(&id));
        let number = take_read(run, chunk, &queries);
        talk.read.insert(id, round.step);
        let Some(card) = run.evidence.ledger.card_of(number) else { continue };
        let card = EvidenceCard { text, ..card };
        let part = shown(&card, id, read.of);
        answer.tokens += estimate_tokens(&part);
        parts.push(part);
        let doc_id = id.document.to_string();
        answer.passages.push(ToolPassage { doc_id, chunk_id: id.ordinal, whole: true, card });
    }
    answer.text = parts.join("\n");
    answer
}

/// Adds a passage that was read to the ledger; returns its number.
fn take_read(run: &mut Run<'_>, chunk: StoredChunk, queries: &BTreeSet<usize>) -> usize {
    let id = chunk.id;
    let hit = unscored(chunk);
    for query in if queries.is_empty() { BTreeSet::from([0]) } else { queries.clone() } {
        run.evidence.ledger.add(vec![hit.clone()], query);
    }
    let number = run.evidence.ledger.number_of(id).unwrap_or(0);
    run.evidence.ledger.mark_helpful(&[number]);
    number
}

const URGE: &str = "Nothing was searched or read yet, and the report can only say what was read. Search first.";

fn not_there(chunk: ChunkId) -> String {
    format!(
        "there is no chunk {} of document {}; take doc_id and chunk_id from the result of a search",
        chunk.ordinal, chunk.document
    )
}

fn with_notes(answer: Answer, notes: &[String]) -> Answer {
    match notes {
        [] => answer,
        notes => Answer { text: format!("({})\n{}", notes.join("; "), answer.text), ..answer },
    }
}

/// Each call as it came, and as the conversation shows it to the model again: with an id that is present and unique, a
/// name that endpoints accept, and arguments that are a JSON object.
fn normalize_calls(calls: Vec<ToolCall>, step: usize) -> Vec<(ToolCall, ToolCall)> {
    let mut ids = BTreeSet::new();
    let tidy = |(index, call): (usize, ToolCall)| {
        let id = Some(call.id.clone()).filter(|id| !id.is_empty() && ids.insert(id.clone()));
        let is_object = |text: &str| matches!(serde_json::from_str(text), Ok(serde_json::Value::Object(_)));
        let short = call.arguments.len() <= MAX_ARGUMENT_BYTES && is_object(&call.arguments);
        let name: String = call.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(64).collect();
        let shown = ToolCall {
            id: id.unwrap_or_else(|| format!("call_{step}_{index}")),
            name: if name.is_empty() { "unknown".to_owned() } else { name },
            arguments: if short { call.arguments.clone() } else { "{}".to_owned() },
        };
        (call, shown)
    };
    calls.into_iter().enumerate().map(tidy).collect()
}
