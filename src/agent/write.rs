//! Writes the report of a run that has ended its search: the model writes it within what the limits leave, or the
//! evidence is listed; the citations are checked either way.

use std::sync::{Mutex, PoisonError};

use minijinja::context;

use super::budget::REPORT_TOKENS_OUT;
use super::call::{self, request};
use super::coverage::coverage;
use super::draft::{Draft, FinishedDraft, checker, push_text};
use super::limits::Limit;
use super::metered::Metered;
use super::run::Run;
use super::sections::{NOT_FOUND, Sections, sections};
use super::{AgentError, Engine, gate, prompt_text, recall, widen};
use crate::base::text::{excerpt, one_line, short_line};
use crate::base::{day_of, instant_of, locked};
use crate::domain::{Citation, Collection, Coverage, Event, Outline, OutlineSection, Report, StopReason, Usage, WEB};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, Finish, Input, LlmError, Message, Purpose, Role};
use crate::prompt::{PromptError, fenced};
use crate::report::cite::{CheckedCitations, Cited};
use crate::report::{
    self, Record, RecordedCitation, SearchedCollection, origins, share_figures, supporting_quote, words,
};

/// The most passages in a report that only lists the evidence.
const MAX_LISTED: usize = 20;

/// The most warnings about statements that the sources do not make; those beyond are only counted.
const MAX_WARNED: usize = 20;
/// The most characters of a sentence that a warning shows.
const MAX_WARNED_CHARS: usize = 120;

/// The reason why a text is not accepted as a report.
const CITES_NOTHING: &str = "the model's text cites nothing";

/// The least evidence, in tokens, for which a report is worth its call.
const LEAST_EVIDENCE_TOKENS: u64 = 200;

/// The report's own text, checked.
#[derive(Default)]
struct Body {
    markdown: String,
    found: CheckedCitations,
    /// Whether a limit cut it short, or forbade it.
    limited: bool,
    /// Whether the model failed to write it, or to finish it.
    failed: bool,
}

/// One part in this many of the evidence that a prompt may hold is filled with passages that nobody called helpful.
const BESIDE_HELPFUL: u64 = 10;
/// The least number of tokens filled in this way.
const LEAST_BESIDE: u64 = 800;

/// Tokens of evidence per word of a report that only quotes: about half of a passage can be quoted.
const QUOTED_TOKENS: u64 = 5;

/// The request for a report, with the evidence in it.
struct ReportRequest {
    request: ChatRequest,
    cards: Vec<EvidenceCard>,
    /// The limit that forbids the request.
    forbidden_by: Option<Limit>,
}

/// Writes the report, with its sources and the account of the research.
pub(super) async fn write(mut run: Run<'_>, stopped: StopReason) -> Result<Report, AgentError> {
    let stopped = match stopped {
        StopReason::Interrupted => stopped,
        _ => widen::widen(&mut run).await.unwrap_or(stopped),
    };
    let found_nothing = run.evidence.ledger.is_empty();
    if found_nothing && let Some(error) = failure(&mut run, stopped) {
        return Err(error);
    }
    run.emit(&Event::Writing { stopped, evidence: run.evidence.ledger.len() });
    let mut body = if found_nothing {
        Body { markdown: not_found(&run), ..Body::default() }
    } else if let Some(sections) = sections(&mut run, stopped).await? {
        checked(&run, &sections)
    } else {
        body(&mut run, stopped).await?
    };
    let stopped = match stopped {
        StopReason::Interrupted => stopped,
        _ if body.limited => StopReason::Budget,
        _ if body.failed || run.history.failed => StopReason::ModelFailed,
        _ => stopped,
    };
    if !body.markdown.ends_with('\n') {
        push_text(run.events.sink.as_ref(), &mut body.markdown, "\n");
    }
    warn_of(&mut run, &body.found);
    let written = body.markdown.len();
    let answered = report::answers(&body.markdown, run.question.language);

    let mut citations: Vec<Citation> =
        body.found.cited.iter().zip(1..).filter_map(|cited| citation(&run, cited)).collect();
    for citation in &mut citations {
        citation.accessed = accessed(run.engine, citation).await;
    }
    join_origins(&run, &mut citations);
    note_earlier_evidence(&run, &mut body, &citations);
    let working_dir = run.engine.options.working_dir.as_deref();
    let sources = report::sources(&citations, run.question.language, working_dir);
    // A passage that comes near a question without answering it is not a finding.
    let found: &[_] = if answered { &body.found.cited } else { &[] };
    recall::remember(&mut run, found).await;
    let pages = run.engine.corpus.pages_read().await;
    let coverage = coverage(&mut run, &citations).await;
    let cited = citations.len();
    let account = account(&run, stopped, cited, pages, coverage.as_ref());
    push_text(run.events.sink.as_ref(), &mut body.markdown, &sources);
    push_text(run.events.sink.as_ref(), &mut body.markdown, &account);
    if let Some(coverage) = &coverage {
        let shown = report::with_shown_paths(coverage, working_dir);
        let list = report::covered_documents(&shown, run.question.language);
        push_text(run.events.sink.as_ref(), &mut body.markdown, &list);
    }
    let record = record(&run, &citations, coverage.as_ref()).comment();
    push_text(run.events.sink.as_ref(), &mut body.markdown, &record);
    Ok(Report {
        question: run.question.text.to_owned(),
        markdown: body.markdown,
        written,
        strategy: run.strategy,
        answered: answered && !citations.is_empty(),
        citations,
        stopped,
        usage: run.spending.budget.spent(),
        seconds: run.spending.budget.elapsed().as_secs_f64(),
        retrieved_tokens: run.evidence.retrieved_tokens,
        evidence: run.evidence.ledger.len(),
        found: run.evidence.ledger.found(),
        coverage,
        removed_citations: body.found.removed,
        marked_sentences: body.found.marked,
        unsupported: body.found.problems().count(),
        rounds: run.history.rounds,
        skipped: run.history.skipped,
        warnings: run.events.warnings,
    })
}

/// The error of a run that found nothing for another reason than that the documents hold nothing.
fn failure(run: &mut Run<'_>, stopped: StopReason) -> Option<AgentError> {
    match stopped {
        StopReason::Interrupted => Some(AgentError::Interrupted),
        _ => run.history.failed_search.take().map(AgentError::from),
    }
}

/// The text that was written in sections, with its citations checked.
fn checked(run: &Run<'_>, sections: &Sections) -> Body {
    let mut checker = checker(run, &sections.cards);
    let mut body = Body { limited: sections.limited, failed: sections.failed, ..Body::default() };
    let text = checker.push(&sections.markdown);
    let (rest, found) = checker.finish();
    push_text(run.events.sink.as_ref(), &mut body.markdown, &(text + &rest));
    Body { found, ..body }
}

/// The text that the model writes, or a list of the evidence if it cannot, so that no findings are lost. A text that
/// cites nothing is not a report; the model is told so once.
async fn body(run: &mut Run<'_>, stopped: StopReason) -> Result<Body, AgentError> {
    let mut shrinks = 0;
    let mut correction: Vec<Message> = Vec::new();
    loop {
        let over = gate::is_over(run).await.then_some(Limit::Time);
        let ReportRequest { request, cards, forbidden_by } = report_request(run, stopped, over, &correction)?;
        let mut body = Body::default();
        if run.spending.lost {
            body.failed = true;
            list_evidence(run, &mut body, &cards);
            return Ok(body);
        }
        if let Some(limit) = forbidden_by {
            body.limited = true;
            let why = if correction.is_empty() { String::new() } else { format!(" ({CITES_NOTHING})") };
            run.warn(format!(
                "the limit on {} leaves no call for the report, so it lists the evidence{why}",
                limit.name()
            ));
            list_evidence(run, &mut body, &cards);
            return Ok(body);
        }
        let started = run.spending.budget.elapsed();
        let (result, spent, written) = draft(run, &request, &cards).await;
        call::charge(run, Purpose::Write, spent, started);
        body.markdown = written.markdown;
        body.found = written.found;
        let mut cut = None;
        let failure = match result {
            None => {
                run.evidence.mark_read(cards.iter().map(|card| card.number));
                body.limited = true;
                Some("the time was over".to_owned())
            }
            Some(Ok(reply)) => {
                body.limited = reply.finish == Finish::Length
                    && request.max_tokens.is_some_and(|most| reply.usage.completion_tokens >= most);
                cut = if body.limited { Some("ends at the run's limit") } else { reply.finish.cut() };
                None
            }
            Some(Err(error)) if error.is_setup_error() => return Err(error.into()),
            Some(Err(error @ LlmError::ContextOverflow { .. }))
                if shrinks < call::MAX_SHRINKS && body.markdown.is_empty() =>
            {
                shrinks += 1;
                call::shrink(run, &error, request.estimated_tokens());
                continue;
            }
            Some(Err(error)) => {
                call::note_failure(run, &error);
                Some(error.to_string())
            }
        };
        let empty = body.markdown.trim().is_empty();
        if failure.is_none() && empty && run.engine.model.reasons() {
            if !correction.is_empty() && written.said.trim_start().starts_with(NOT_FOUND) {
                body.markdown = not_found(run);
                return Ok(body);
            }
            if correction.is_empty() {
                tracing::info!(said = %excerpt(&written.said, MAX_WARNED_CHARS), "the model is shown that it cites nothing");
                correction = ask_for_citations(&written.said);
                continue;
            }
        }
        let failure = failure.or_else(|| empty.then(|| no_report(&written.said, cut)));
        body.failed = failure.is_some() || (cut.is_some() && !body.limited);
        if let Some(failure) = failure {
            run.warn(format!("the report could not be written, so it lists the evidence: {failure}"));
            list_evidence(run, &mut body, &cards);
        } else if let Some(cut) = cut {
            run.warn(format!("the report {cut}"));
        }
        return Ok(body);
    }
}

/// Makes the call for a report. The reply is `None` if the time was over before it came.
async fn draft(
    run: &Run<'_>,
    request: &ChatRequest,
    cards: &[EvidenceCard],
) -> (Option<Result<ChatReply, LlmError>>, Usage, FinishedDraft) {
    let metered = Metered::for_report(run);
    let draft = Mutex::new(Draft::new(run, cards));
    let drafted = || locked(&draft);
    let mut hear = |delta: Delta<'_>| match delta {
        Delta::Text(text) => drafted().push(text),
        Delta::Restart => drafted().restart(),
        Delta::Sending | Delta::Reasoning(_) => {}
    };
    // A call that is paid for is not dropped at the first Ctrl-C; the second ends the program.
    let under_way = || (metered.spent(), drafted().said().to_owned());
    let (result, spent) = match gate::unless_over(run, metered.chat(request, &mut hear), under_way).await {
        Ok(reply) => (Some(reply), metered.spent()),
        Err(dropped) => {
            // In a replay the recorded text has not been heard yet.
            if drafted().said().is_empty() {
                drafted().push(&dropped.streamed);
            }
            (None, dropped.usage)
        }
    };
    let written = draft.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
    (result, spent, written)
}

/// Tells the model that it wrote no report.
fn ask_for_citations(said: &str) -> Vec<Message> {
    const MOST_CHARS: usize = 4_000;
    let shown = if said.trim().is_empty() { "(nothing)".into() } else { excerpt(said, MOST_CHARS) };
    let words = format!(
        "That is no report: it cites none of the passages above, so nothing in it can be checked. Write the report from \
         the passages, in Markdown and without a code fence, each fact with the number of the passage that states it, as \
         in [1]. If no passage states anything on the question, reply with {NOT_FOUND} alone."
    );
    vec![Message::text(Role::Assistant, shown), Message::text(Role::User, words)]
}

/// The report if no search found a passage, or if a model says twice that the passages do not answer.
fn not_found(run: &Run<'_>) -> String {
    let mut markdown = String::new();
    let title = match run.engine.options.outline.title.as_str() {
        "" => run.question.text,
        own => own,
    };
    let said = format!("# {}\n\n{}\n", one_line(title), words(run.question.language).not_found);
    push_text(run.events.sink.as_ref(), &mut markdown, &said);
    markdown
}

fn no_report(said: &str, cut: Option<&str>) -> String {
    let cut = cut.map(|cut| format!("; its reply {cut}")).unwrap_or_default();
    match said.trim() {
        "" => format!("the model wrote nothing{cut}"),
        said => format!("{CITES_NOTHING}: “{}”{cut}", short_line(said, MAX_WARNED_CHARS)),
    }
}

/// The request for the report, with as much evidence and as long a reply as the limits allow. If they allow no call,
/// the evidence is all that a prompt may hold.
fn report_request(
    run: &mut Run<'_>,
    stopped: StopReason,
    forbidden_by: Option<Limit>,
    correction: &[Message],
) -> Result<ReportRequest, PromptError> {
    let allowed = run.spending.evidence_tokens;
    let limit = loop {
        if let Some(limit) = forbidden_by {
            break limit;
        }
        let (mut request, cards) = write_request(run, stopped)?;
        request.messages.extend_from_slice(correction);
        let tokens = request.estimated_tokens();
        match run.spending.budget.report_room(tokens) {
            Ok(None) => return Ok(ReportRequest { request, cards, forbidden_by: None }),
            Ok(Some(room)) if room.tokens >= REPORT_TOKENS_OUT.min(run.spending.evidence_tokens / 2) => {
                request.max_tokens = Some(room.tokens);
                return Ok(ReportRequest { request, cards, forbidden_by: None });
            }
            Ok(Some(_)) if run.spending.evidence_tokens >= 2 * LEAST_EVIDENCE_TOKENS => {
                run.spending.evidence_tokens = run.spending.evidence_tokens.min(tokens) / 2;
            }
            Ok(Some(room)) => break room.limit,
            Err(limit) => break limit,
        }
    };
    run.spending.evidence_tokens = allowed;
    let (request, cards) = write_request(run, stopped)?;
    Ok(ReportRequest { request, cards, forbidden_by: Some(limit) })
}

pub(super) fn write_request(
    run: &Run<'_>,
    stopped: StopReason,
) -> Result<(ChatRequest, Vec<EvidenceCard>), PromptError> {
    let evidence = evidence(run);
    let input = WriteInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        asked: run.history.asked.all().to_vec(),
        evidence: evidence.clone(),
        plan: run.history.notes.clone(),
        incomplete: incomplete(run, stopped),
        words: run.engine.options.length,
        outline: run.engine.options.outline.clone(),
        earlier: run.engine.options.follow_up.as_ref().map(|one| one.earlier.clone()).unwrap_or_default(),
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        asked => prompt_text::asked(&input.asked),
        evidence => prompt_text::evidence(&input.evidence),
        plan => input.plan.as_deref().map(|plan| fenced("notes", plan)).unwrap_or_default(),
        incomplete => input.incomplete.as_deref().unwrap_or_default(),
        words => input.words.map(|words| words.to_string()).unwrap_or_default(),
        outline => headings(&input.outline),
        heading => "",
        others => "",
        opening => false,
    };
    // A user who has asked for the end does not wait while a model is tried again and again.
    let max_requests = (stopped == StopReason::Interrupted).then_some(1);
    let request = request(&run.engine.prompts, variables, Input::Write(input))?;
    Ok((ChatRequest { max_requests, ..request }, evidence))
}

/// The evidence for the report. A backend that only quotes makes its own choice from it.
fn evidence(run: &Run<'_>) -> Vec<EvidenceCard> {
    let most = run.spending.evidence_tokens;
    if run.engine.model.reasons() {
        run.evidence.ledger.cards_for_report(most, (most / BESIDE_HELPFUL).max(LEAST_BESIDE.min(most)))
    } else {
        // A long report quotes more than a usual prompt holds; evidence that a limit has reduced stays reduced.
        let length = run.engine.options.length.filter(|_| most == run.engine.options.evidence_tokens).unwrap_or(0);
        run.evidence.ledger.cards(most.max(length as u64 * QUOTED_TOKENS))
    }
}

/// The headings that a report is to have, one per line, each with the question that it answers.
fn headings(outline: &Outline) -> String {
    let line = |section: &OutlineSection| match section.question.as_str() {
        "" => section.line(),
        question => format!("{} ({})", section.line(), one_line(question)),
    };
    outline.sections.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What the report must say about an early end.
fn incomplete(run: &Run<'_>, stopped: StopReason) -> Option<String> {
    let why = words(run.question.language).stop_reason(stopped);
    match stopped {
        StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence => None,
        StopReason::RoundLimit if run.history.reason.is_empty() => {
            Some(format!("{why} ({})", run.history.rounds.len()))
        }
        StopReason::RoundLimit => {
            Some(format!("{why} ({}): {}", run.history.rounds.len(), one_line(&run.history.reason)))
        }
        StopReason::Budget | StopReason::ModelFailed | StopReason::Interrupted => Some(why.to_owned()),
    }
}

/// Lists the evidence in place of a report, or of the rest of one.
fn list_evidence(run: &Run<'_>, body: &mut Body, cards: &[EvidenceCard]) {
    let words = words(run.question.language);
    let begun = !body.markdown.trim().is_empty();
    let mut list =
        if begun { format!("\n\n{}\n\n", words.cut_short) } else { format!("# {}\n\n", words.evidence_only) };
    for card in cards.iter().take(MAX_LISTED) {
        let Some(entry) = run.evidence.ledger.get(card.number) else { continue };
        let claims = [run.question.text.to_owned()];
        let quote = supporting_quote(&entry.chunk.text, &entry.chunk.headings, &claims, entry.chunk.language);
        let quote = entry.chunk.text.get(quote).unwrap_or_default();
        let number = body.found.cite(card.number, quote);
        list.push_str(&format!("- “{}” [{number}]\n", report::escaped(quote)));
    }
    push_text(run.events.sink.as_ref(), &mut body.markdown, &list);
}

/// Says in a follow-up whether the passages of the earlier report were enough for it.
fn note_earlier_evidence(run: &Run<'_>, body: &mut Body, citations: &[Citation]) {
    let Some(follow_up) = &run.engine.options.follow_up else { return };
    // The passages of an earlier answer that a client told are not known.
    if citations.is_empty() || follow_up.found.is_empty() {
        return;
    }
    let words = words(run.question.language);
    let known = citations.iter().all(|citation| follow_up.found.contains(&citation.chunk.pack()));
    let told = if known { words.from_earlier } else { words.searched_again };
    let space = if body.markdown.ends_with("\n\n") { "" } else { "\n" };
    push_text(run.events.sink.as_ref(), &mut body.markdown, &format!("{space}*{told}*\n"));
}

fn citation(run: &Run<'_>, (cited, number): (&Cited, usize)) -> Option<Citation> {
    let entry = run.evidence.ledger.get(cited.evidence)?;
    let chunk = &entry.chunk;
    let quote = supporting_quote(&chunk.text, &chunk.headings, &cited.sentences, chunk.language);
    let bytes = [chunk.range.start + quote.start, chunk.range.start + quote.end];
    Some(Citation {
        number,
        title: report::readable_title(&chunk.title, run.evidence.ledger.texts()),
        path: chunk.path.clone(),
        collection: chunk.collection.clone(),
        chunk: chunk.id,
        page: chunk.page_at(quote.start),
        headings: chunk.headings.above(&quote),
        bytes,
        quote: chunk.text.get(quote).unwrap_or_default().to_owned(),
        date: chunk.date,
        by: chunk.by.clone(),
        accessed: None,
        known_since: entry.known,
        same_origin: None,
    })
}

/// The record with which the report can be checked later.
fn record(run: &Run<'_>, citations: &[Citation], coverage: Option<&Coverage>) -> Record {
    let working_dir = run.engine.options.working_dir.as_deref();
    let recorded = |citation: &Citation| {
        let number = run.evidence.ledger.number_of(citation.chunk)?;
        let chunk = &run.evidence.ledger.get(number)?.chunk;
        let quote = citation.bytes.map(|at| at.saturating_sub(chunk.range.start));
        let (before, after) = RecordedCitation::around(&chunk.text, quote);
        Some(RecordedCitation {
            number: citation.number,
            path: report::shown_path(&citation.path, working_dir),
            collection: citation.collection.clone(),
            bytes: citation.bytes,
            passage: [chunk.range.start, chunk.range.end],
            quote: citation.quote.clone(),
            before,
            after,
        })
    };
    Record {
        format: report::RECORD_FORMAT,
        written: Some(run.journal.started()),
        question: run.question.text.to_owned(),
        language: run.question.language.code().to_owned(),
        citations: citations.iter().filter_map(recorded).collect(),
        coverage: coverage.map(|coverage| report::recorded_coverage(coverage, working_dir)),
        approved: Vec::new(),
    }
}

/// The day on which a cited page was fetched.
async fn accessed(engine: &Engine, citation: &Citation) -> Option<jiff::civil::Date> {
    let accessed = engine.corpus.accessed(citation.chunk.document, &citation.path).await;
    let nanoseconds = accessed.inspect_err(|error| tracing::warn!(%error, "it is not known when a page was fetched"));
    instant_of(nanoseconds.ok().flatten()?).map(day_of)
}

/// Gives each citation whose passage copies another document the number of the first citation of the same origin.
fn join_origins(run: &Run<'_>, citations: &mut [Citation]) {
    let ledger = &run.evidence.ledger;
    let text = |citation: &Citation| Some(ledger.get(ledger.number_of(citation.chunk)?)?.chunk.text.as_str());
    let texts: Vec<&str> = citations.iter().map(|citation| text(citation).unwrap_or_default()).collect();
    for (at, first) in origins(texts.iter().copied()).into_iter().enumerate() {
        let (number, document) = (citations[first].number, citations[first].chunk.document);
        let is_copy = citations[at].chunk.document != document && share_figures(texts[at], texts[first]);
        citations[at].same_origin = is_copy.then_some(number);
    }
}

/// The account of how the report came about; `pages` is the number of web pages that were read for it.
fn account(run: &Run<'_>, stopped: StopReason, cited: usize, pages: u64, coverage: Option<&Coverage>) -> String {
    let has_web = run.scope.has_web;
    let documents = |one: &Collection| if has_web && one.name == WEB { pages } else { one.documents };
    let collections: Vec<SearchedCollection> = run
        .scope
        .collections
        .iter()
        .map(|one| SearchedCollection { name: one.name.clone(), documents: documents(one) })
        .collect();
    report::account(&report::Account {
        language: run.question.language,
        collections: &collections,
        restricted: run.scope.restricted,
        strategy: run.strategy,
        chosen: &run.history.chosen,
        rounds: &run.history.rounds,
        evidence: run.evidence.ledger.len(),
        cited,
        retrieved_tokens: run.evidence.retrieved_tokens,
        stopped,
        skipped: &run.history.skipped,
        usage: run.spending.budget.spent(),
        seconds: run.spending.budget.elapsed().as_secs_f64(),
        models: &run.spending.models,
        quotes_only: !run.engine.model.reasons(),
        as_of: run.engine.options.age.as_of.map(|as_of| (as_of, run.evidence.too_new)),
        coverage,
        settled: &run.engine.options.settled,
        unread: if coverage.is_some() { &[] } else { &run.engine.options.unread },
        warnings: &run.events.warnings,
    })
}

fn warn_of(run: &mut Run<'_>, found: &CheckedCitations) {
    let words = words(run.question.language);
    // A report of quotes cites nothing only if it says that nothing was found.
    if found.cited.is_empty() && run.engine.model.reasons() {
        run.warn("the report cites nothing, so nothing in it can be checked".to_owned());
    }
    if found.removed > 0 {
        run.warn(format!("{}{}{}", words.removed_citations, words.colon, found.removed));
    }
    for (sentence, problem) in found.problems().take(MAX_WARNED) {
        run.warn(words.problem(problem, &excerpt(&sentence.text, MAX_WARNED_CHARS)));
    }
    let more = found.problems().count().saturating_sub(MAX_WARNED);
    if more > 0 {
        run.warn(format!("{more} {}", words.more_of_kind));
    }
}
