use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use minijinja::context;

use super::budget::REPORT_TOKENS_OUT;
use super::metered::Metered;
use super::run::{Run, request};
use super::{AgentError, material};
use crate::base::text::one_line;
use crate::domain::{Citation, Collection, Event, Report, StopReason, WEB};
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::llm::{ChatModel, ChatRequest, Delta, Finish, Input, LlmError, Purpose};
use crate::prompt::{PromptError, PromptName, fenced};
use crate::report::cite::{CheckedCitations, CitationChecker, Cited};
use crate::report::{self, SearchedCollection, supporting_quote, words};

/// Passages in a report that only lists the evidence.
const MAX_LISTED: usize = 20;

/// With less evidence than this no report is worth its call.
const LEAST_EVIDENCE_TOKENS: u64 = 200;

/// The report's own text, checked.
#[derive(Default)]
struct Body {
    markdown: String,
    found: CheckedCitations,
    /// Whether a limit ended it, or did not allow it.
    limited: bool,
    /// Whether the model failed to write it, or to end it.
    failed: bool,
}

/// What the model is asked for a report with.
struct ReportRequest {
    request: ChatRequest,
    cards: Vec<EvidenceCard>,
    /// The limit that does not allow it.
    forbidden_by: Option<&'static str>,
}

impl Run<'_> {
    /// Writes the report, with its sources and the account of the research.
    pub async fn write(mut self, stopped: StopReason) -> Result<Report, AgentError> {
        if self.ledger.is_empty() {
            return Err(self.nothing_found(stopped));
        }
        self.emit(&Event::Writing { stopped, evidence: self.ledger.len() });
        let mut body = self.body(stopped).await?;
        let stopped = match stopped {
            StopReason::Interrupted => stopped,
            _ if body.limited => StopReason::Budget,
            _ if body.failed => StopReason::ModelFailed,
            _ => stopped,
        };
        if !body.markdown.ends_with('\n') {
            self.add_text(&mut body.markdown, "\n");
        }
        self.warn_of(&body.found);
        let written = body.markdown.len();

        let mut citations: Vec<Citation> =
            body.found.cited.iter().zip(1..).filter_map(|cited| self.citation(cited)).collect();
        for citation in &mut citations {
            citation.accessed = self.accessed(citation).await;
        }
        let working_dir = self.engine.options.working_dir.as_deref();
        let sources = report::sources(&citations, self.language, working_dir);
        self.write_down(&body.found.cited).await;
        let pages = self.engine.corpus.pages_read().await;
        let account = self.account(stopped, citations.len(), pages);
        self.add_text(&mut body.markdown, &sources);
        self.add_text(&mut body.markdown, &account);
        Ok(Report {
            question: self.question.to_owned(),
            markdown: body.markdown,
            written,
            strategy: self.strategy,
            citations,
            stopped,
            usage: self.budget.spent(),
            seconds: self.budget.elapsed().as_secs_f64(),
            retrieved_tokens: self.retrieved_tokens,
            evidence: self.ledger.len(),
            found: self.ledger.found(),
            removed_citations: body.found.removed,
            marked_sentences: body.found.marked,
            unsupported_quotations: body.found.unsupported_quotations.len(),
            rounds: self.rounds,
            skipped: self.skipped,
            warnings: self.warnings,
        })
    }

    /// What the model writes; the evidence itself where it cannot, so that what was found is not lost.
    async fn body(&mut self, stopped: StopReason) -> Result<Body, AgentError> {
        let mut shrinks = 0;
        loop {
            let over = self.budget.all_time_left().is_some_and(|left| left.is_zero());
            let over = self.stops_for(over.then_some(StopReason::Budget)).await.map(|_| "time");
            let ReportRequest { request, cards, forbidden_by } = self.report_request(stopped, over)?;
            if let Some(limit) = forbidden_by {
                let mut body = Body { limited: true, ..Body::default() };
                self.warn(format!("the limit on {limit} leaves no call for the report, so it lists the evidence"));
                self.list_evidence(&mut body, &cards);
                return Ok(body);
            }
            let mut checker = CitationChecker::new(self.sources(&cards), self.language);
            let mut body = Body::default();
            let started = self.budget.elapsed();
            let metered = Metered::for_report(self);
            let streamed = Mutex::new(String::new());
            let (result, spent) = {
                let (sink, markdown) = (&self.sink, &mut body.markdown);
                let mut begun = false;
                let mut hear = |delta: Delta<'_>| {
                    if let Delta::Text(text) = delta {
                        streamed.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
                        // Many models say empty lines before their first word. The checker holds text back, so that an
                        // empty report does not tell whether the model has begun.
                        let text = if begun { text } else { text.trim_start_matches(['\n', '\r']) };
                        begun |= !text.is_empty();
                        push_text(sink.as_ref(), markdown, &checker.push(text));
                    }
                };
                // What is paid for is not thrown away at the first Ctrl-C; the second ends the program.
                let told = || streamed.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let under_way = || (metered.spent(), told());
                match self.unless_over(metered.chat(&request, &mut hear), under_way).await {
                    Ok(reply) => (Some(reply), metered.spent()),
                    Err(dropped) => {
                        // In a replay nothing was heard of it yet.
                        if told().is_empty() {
                            hear(Delta::Text(&dropped.streamed));
                        }
                        (None, dropped.usage)
                    }
                }
            };
            self.charge(Purpose::Write, spent, started);
            let failure = match result {
                None => {
                    body.limited = true;
                    Some("the time was over".to_owned())
                }
                Some(Ok(reply)) => {
                    body.limited = reply.finish == Finish::Length
                        && request.max_tokens.is_some_and(|most| reply.usage.completion_tokens >= most);
                    self.warn_of_finish(reply.finish, body.limited);
                    None
                }
                Some(Err(error @ (LlmError::Key { .. } | LlmError::Unscripted { .. }))) => return Err(error.into()),
                Some(Err(error @ LlmError::ContextOverflow { .. })) if shrinks < 3 && body.markdown.is_empty() => {
                    shrinks += 1;
                    self.shrink(&error, request.estimated_tokens());
                    continue;
                }
                Some(Err(error)) => Some(error.to_string()),
            };
            let (rest, found) = checker.finish();
            push_text(self.sink.as_ref(), &mut body.markdown, &rest);
            body.found = found;
            let empty = body.markdown.trim().is_empty();
            let failure = failure.or_else(|| empty.then(|| "the model wrote nothing".to_owned()));
            body.failed = failure.is_some();
            if let Some(failure) = failure {
                self.warn(format!("the report could not be written, so it lists the evidence: {failure}"));
                self.list_evidence(&mut body, &cards);
            }
            return Ok(body);
        }
    }

    /// The request for the report, with so much evidence and so long a reply as the limits allow. Where they allow no
    /// call, the evidence is all that a prompt may hold.
    fn report_request(
        &mut self,
        stopped: StopReason,
        forbidden_by: Option<&'static str>,
    ) -> Result<ReportRequest, PromptError> {
        let allowed = self.evidence_tokens;
        let limit = loop {
            if let Some(limit) = forbidden_by {
                break limit;
            }
            let (mut request, cards) = self.write_request(stopped)?;
            let tokens = request.estimated_tokens();
            match self.budget.report_room(tokens) {
                Ok(None) => return Ok(ReportRequest { request, cards, forbidden_by: None }),
                Ok(Some(room)) if room.tokens >= REPORT_TOKENS_OUT.min(self.evidence_tokens / 2) => {
                    request.max_tokens = Some(room.tokens);
                    return Ok(ReportRequest { request, cards, forbidden_by: None });
                }
                Ok(Some(_)) if self.evidence_tokens >= 2 * LEAST_EVIDENCE_TOKENS => {
                    self.evidence_tokens = self.evidence_tokens.min(tokens) / 2;
                }
                Ok(Some(room)) => break room.limit,
                Err(limit) => break limit,
            }
        };
        self.evidence_tokens = allowed;
        let (request, cards) = self.write_request(stopped)?;
        Ok(ReportRequest { request, cards, forbidden_by: Some(limit) })
    }

    pub(super) fn write_request(&self, stopped: StopReason) -> Result<(ChatRequest, Vec<EvidenceCard>), PromptError> {
        let evidence = self.ledger.cards(self.evidence_tokens, self.engine.options.working_dir.as_deref());
        let input = WriteInput {
            question: self.question.to_owned(),
            language: self.language.english_name().to_owned(),
            asked: self.asked.all().to_vec(),
            evidence: evidence.clone(),
            plan: self.notes.clone(),
            incomplete: self.incomplete(stopped),
            today: self.today(),
        };
        let variables = context! {
            question => input.question.as_str(),
            language => input.language.as_str(),
            today => input.today.as_str(),
            asked => material::asked(&input.asked),
            evidence => material::evidence(&input.evidence),
            plan => input.plan.as_deref().map(|plan| fenced("notes", plan)).unwrap_or_default(),
            incomplete => input.incomplete.as_deref().unwrap_or_default(),
        };
        Ok((request(self.engine.prompts.render(PromptName::Write, variables)?, Input::Write(input)), evidence))
    }

    /// What the report must say of an early end.
    fn incomplete(&self, stopped: StopReason) -> Option<String> {
        let why = words(self.language).stop_reason(stopped);
        match stopped {
            StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence => None,
            StopReason::RoundLimit if self.reason.is_empty() => Some(format!("{why} ({})", self.rounds.len())),
            StopReason::RoundLimit => Some(format!("{why} ({}): {}", self.rounds.len(), one_line(&self.reason))),
            StopReason::Budget | StopReason::ModelFailed | StopReason::Interrupted => Some(why.to_owned()),
        }
    }

    /// The passages that may be cited, whole.
    fn sources(&self, cards: &[EvidenceCard]) -> BTreeMap<usize, String> {
        let passage = |card: &EvidenceCard| Some((card.number, self.ledger.get(card.number)?.chunk.text.clone()));
        cards.iter().filter_map(passage).collect()
    }

    /// The evidence in place of a report, or of the rest of one.
    fn list_evidence(&self, body: &mut Body, cards: &[EvidenceCard]) {
        let words = words(self.language);
        let begun = !body.markdown.trim().is_empty();
        let mut list =
            if begun { format!("\n\n{}\n\n", words.cut_short) } else { format!("# {}\n\n", words.evidence_only) };
        for card in cards.iter().take(MAX_LISTED) {
            let Some(entry) = self.ledger.get(card.number) else { continue };
            let claims = [self.question.to_owned()];
            let quote = supporting_quote(&entry.chunk.text, &claims, entry.chunk.language);
            let quote = entry.chunk.text.get(quote).unwrap_or_default();
            let number = body.found.cite(card.number, quote);
            list.push_str(&format!("- “{}” [{number}]\n", report::escaped(quote)));
        }
        push_text(self.sink.as_ref(), &mut body.markdown, &list);
    }

    fn citation(&self, (cited, number): (&Cited, usize)) -> Option<Citation> {
        let entry = self.ledger.get(cited.evidence)?;
        let chunk = &entry.chunk;
        let quote = supporting_quote(&chunk.text, &cited.sentences, chunk.language);
        let bytes = [chunk.range.start + quote.start, chunk.range.start + quote.end];
        Some(Citation {
            number,
            title: report::readable_title(&chunk.title, self.ledger.texts()),
            path: chunk.path.clone(),
            collection: chunk.collection.clone(),
            chunk: chunk.id,
            page: chunk.page,
            headings: chunk.headings.clone(),
            bytes,
            quote: chunk.text.get(quote).unwrap_or_default().to_owned(),
            date: chunk.date,
            accessed: None,
            known_since: entry.known,
        })
    }

    /// The day on which a page that is cited was fetched.
    async fn accessed(&self, citation: &Citation) -> Option<jiff::civil::Date> {
        let accessed = self.engine.corpus.accessed(citation.chunk.document, &citation.path).await;
        let nanoseconds =
            accessed.inspect_err(|error| tracing::warn!(%error, "it is not known when a page was fetched"));
        let time = jiff::Timestamp::from_nanosecond(i128::from(nanoseconds.ok().flatten()?)).ok()?;
        Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
    }

    fn account(&self, stopped: StopReason, cited: usize, pages: u64) -> String {
        let has_web = self.has_web();
        let documents = |one: &Collection| if has_web && one.name == WEB { pages } else { one.documents };
        let collections: Vec<SearchedCollection> = self
            .candidates
            .iter()
            .map(|one| SearchedCollection { name: one.name.clone(), documents: documents(one) })
            .collect();
        report::account(&report::Account {
            language: self.language,
            collections: &collections,
            strategy: self.strategy,
            chosen: &self.chosen,
            rounds: &self.rounds,
            evidence: self.ledger.len(),
            cited,
            retrieved_tokens: self.retrieved_tokens,
            stopped,
            skipped: &self.skipped,
            usage: self.budget.spent(),
            seconds: self.budget.elapsed().as_secs_f64(),
            models: self.models(),
            quotes_only: !self.engine.model.reasons(),
            as_of: self.engine.options.age.as_of.map(|as_of| (as_of, self.too_new)),
            unread: &self.engine.options.unread,
            warnings: &self.warnings,
        })
    }

    fn warn_of_finish(&mut self, finish: Finish, limited: bool) {
        match finish {
            Finish::Stop | Finish::ToolCalls => {}
            Finish::Length if limited => self.warn("the report ends at the run's limit".to_owned()),
            Finish::Length => self.warn("the report ends at the model's limit on output".to_owned()),
            Finish::ContentFilter => self.warn("the endpoint withheld the rest of the report".to_owned()),
        }
    }

    fn warn_of(&mut self, found: &CheckedCitations) {
        if found.cited.is_empty() {
            self.warn("the report cites nothing, so nothing in it can be checked".to_owned());
        }
        if found.removed > 0 {
            self.warn(match found.removed {
                1 => "1 citation to a passage that does not exist was removed".to_owned(),
                many => format!("{many} citations to passages that do not exist were removed"),
            });
        }
        for quotation in &found.unsupported_quotations {
            self.warn(format!("the report quotes words that the passages cited for them do not have: “{quotation}”"));
        }
    }

    fn add_text(&self, markdown: &mut String, text: &str) {
        push_text(self.sink.as_ref(), markdown, text);
    }

    fn nothing_found(self, stopped: StopReason) -> AgentError {
        match (stopped, self.failed_search) {
            (StopReason::Interrupted, _) => AgentError::Interrupted,
            (_, Some(error)) => error.into(),
            (_, None) => AgentError::NothingFound {
                searched: self.asked.all().to_vec(),
                collections: self.candidates.into_iter().map(|collection| collection.name).collect(),
                usage: Box::new(self.budget.spent()),
                warnings: self.warnings,
            },
        }
    }
}

/// Adds a piece to the report and tells it; the pieces told are the report.
fn push_text(sink: &dyn crate::domain::EventSink, markdown: &mut String, text: &str) {
    if !text.is_empty() {
        markdown.push_str(text);
        sink.emit(&Event::Text { markdown: text.to_owned() });
    }
}
