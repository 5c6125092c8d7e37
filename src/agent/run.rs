use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::ledger::Ledger;
use super::queries::Asked;
use super::{AgentError, Engine};
use crate::base::text::{Language, detect_language, estimate_tokens};
use crate::domain::{Collection, Event, EventSink, Report, RoundSummary, SearchMode, StopReason, Usage};
use crate::llm::purpose::{CollectionCard, KnownFinding, PlannedQuery};
use crate::llm::structured::ask;
use crate::llm::{ChatRequest, Delta, Input, LlmError, Message, Purpose, Role};
use crate::prompt::{PromptError, Rendered};
use crate::retrieval::RetrievalError;

/// A longer question is a document.
const MAX_QUESTION_BYTES: usize = 32 * 1024;
/// How often the evidence is halved when a model says that the prompt is too long.
const MAX_SHRINKS: usize = 3;

/// Researches a question in the named collections, all where none is named, and writes the report.
///
/// The question itself is searched first, in every collection, without a call: the planner sees what can be found. Then
/// one call plans, all its searches run at once, one call reflects on the evidence, and so on while the model asks for
/// more; one call writes. `sink` hears of everything as it happens, the text of the report included. After `interrupt`
/// the search ends, a call under way is dropped, and the report is written from what was found.
pub async fn research(
    engine: &Engine,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    let mut run = Run::start(engine, question, collections, sink, interrupt).await?;
    run.probe().await?;
    run.remember_what_is_known().await;
    let mut next = run.plan().await?;
    let stopped = loop {
        next = match next {
            Next::Stop(reason) => break reason,
            Next::Search(queries) => match run.search(queries).await {
                Some(reason) => Next::Stop(reason),
                None => run.reflect().await?,
            },
        };
    };
    run.write(stopped).await
}

/// What a run does next.
pub(super) enum Next {
    Search(Vec<PlannedQuery>),
    Stop(StopReason),
}

/// How a structured call ended.
pub(super) enum Reply<T> {
    Done(T),
    /// It was not made, or was dropped.
    Stop(StopReason),
    Failed(LlmError),
}

/// The state of a run.
pub(super) struct Run<'a> {
    pub engine: &'a Engine,
    pub question: &'a str,
    pub language: Language,
    /// What may be searched, by name.
    pub candidates: Vec<Collection>,
    /// Whether the user named the collections.
    pub restricted: bool,
    pub cards: Vec<CollectionCard>,
    pub asked: Asked,
    pub ledger: Ledger,
    /// What earlier runs learnt about it, for the planner.
    pub known: Vec<KnownFinding>,
    /// When it began.
    pub began: Timestamp,
    /// Hits that were left out, since their documents are newer than what is asked for.
    pub too_new: usize,
    pub rounds: Vec<RoundSummary>,
    /// The model's reason for the searches of the next round.
    pub reason: String,
    pub budget: Budget,
    /// How much evidence a prompt may hold; less after a model said that it was too much.
    pub evidence_tokens: u64,
    pub warnings: Vec<String>,
    /// Which halves of the search answer; keywords alone once the embedder has failed.
    pub mode: SearchMode,
    /// The first search that failed, told where nothing else was found.
    pub failed_search: Option<RetrievalError>,
    pub sink: Arc<dyn EventSink>,
    pub interrupt: CancellationToken,
    models: Vec<String>,
}

impl<'a> Run<'a> {
    async fn start(
        engine: &'a Engine,
        question: &'a str,
        collections: &[String],
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Self, AgentError> {
        let question = question.trim();
        if question.is_empty() {
            return Err(AgentError::EmptyQuestion);
        }
        if question.len() > MAX_QUESTION_BYTES {
            return Err(AgentError::QuestionTooLong { bytes: question.len(), limit: MAX_QUESTION_BYTES });
        }
        let mut candidates = engine.corpus.collections().await?;
        let restricted = !collections.is_empty();
        if restricted {
            for name in collections {
                // Asked of the store, since its error names what is near.
                engine.corpus.store().collection(name).await.map_err(RetrievalError::from)?;
            }
            candidates.retain(|candidate| collections.contains(&candidate.name));
        }
        if candidates.is_empty() {
            return Err(AgentError::NoCollections);
        }
        let language = detect_language(question);
        let evidence_tokens = engine.options.evidence_tokens;
        let mut run = Run {
            engine,
            question,
            language,
            candidates,
            restricted,
            cards: Vec::new(),
            asked: Asked::new(question, language),
            ledger: Ledger::default(),
            known: Vec::new(),
            began: engine.clock.now(),
            too_new: 0,
            rounds: Vec::new(),
            reason: String::new(),
            budget: Budget::start(engine.limits, engine.clock, evidence_tokens),
            evidence_tokens,
            warnings: Vec::new(),
            mode: engine.options.mode,
            failed_search: None,
            sink,
            interrupt,
            models: Vec::new(),
        };
        for warning in &engine.options.warnings {
            run.warn(warning.clone());
        }
        Ok(run)
    }

    pub fn emit(&self, event: &Event) {
        self.sink.emit(event);
    }

    /// Tells of something that went wrong while the run goes on.
    pub fn warn(&mut self, message: String) {
        self.emit(&Event::Warning { message: message.clone() });
        self.warnings.push(message);
    }

    pub fn names(&self) -> Vec<String> {
        self.candidates.iter().map(|collection| collection.name.clone()).collect()
    }

    pub fn today(&self) -> String {
        self.date().to_string()
    }

    /// The day of the run.
    pub fn date(&self) -> jiff::civil::Date {
        self.engine.clock.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// The names of the models that answered, in the order of their first call.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Makes a structured call. `request` is given the tokens of evidence that it may hold, and is asked again with half
    /// when the model says that the prompt is too long. Errors are those that no other call would escape.
    pub async fn call<T: DeserializeOwned + JsonSchema>(
        &mut self,
        request: fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError>,
    ) -> Result<Reply<T>, AgentError> {
        let mut shrinks = 0;
        loop {
            let request = request(self, self.evidence_tokens)?;
            let purpose = request.purpose();
            let tokens = prompt_tokens(&request);
            if self.interrupt.is_cancelled() {
                return Ok(Reply::Stop(StopReason::Interrupted));
            }
            if let Err(limit) = self.budget.allows_call(tokens) {
                tracing::info!(limit, purpose = purpose.name(), "no call, so that enough is left for the report");
                return Ok(Reply::Stop(StopReason::Budget));
            }
            let started = Instant::now();
            let mut unheard = |_: Delta<'_>| {};
            let outcome = tokio::select! {
                biased;
                () = self.interrupt.cancelled() => Err(StopReason::Interrupted),
                () = out_of_time(&self.budget) => Err(StopReason::Budget),
                reply = ask::<T>(self.engine.model.as_ref(), &request, &mut unheard) => Ok(reply),
            };
            match outcome {
                Err(reason) => {
                    self.charge(purpose, self.budget.dropped(tokens), started.elapsed());
                    return Ok(Reply::Stop(reason));
                }
                Ok(Ok((value, usage))) => {
                    self.charge(purpose, usage, started.elapsed());
                    return Ok(Reply::Done(value));
                }
                Ok(Err(error)) => {
                    self.charge(purpose, usage_of(&error), started.elapsed());
                    match error {
                        LlmError::Key { .. } | LlmError::Unscripted { .. } => return Err(error.into()),
                        LlmError::ContextOverflow { .. } if shrinks < MAX_SHRINKS => {
                            shrinks += 1;
                            self.shrink(&error, tokens);
                        }
                        error => return Ok(Reply::Failed(error)),
                    }
                }
            }
        }
    }

    /// Halves the evidence, after a model said that a prompt of `tokens` is too long. There may be less evidence than is
    /// allowed, and half of what is allowed would then be the same prompt again.
    pub fn shrink(&mut self, error: &LlmError, tokens: u64) {
        self.evidence_tokens = self.evidence_tokens.min(tokens) / 2;
        self.warn(format!("{error}; asking again with {} tokens of evidence", self.evidence_tokens));
    }

    pub fn charge(&mut self, purpose: Purpose, usage: Usage, took: Duration) {
        self.budget.charge(usage, took);
        if usage.calls == 0 {
            return;
        }
        let model = self.engine.model.name(purpose).to_owned();
        if !self.models.contains(&model) {
            self.models.push(model.clone());
        }
        let seconds = took.as_secs_f64();
        self.emit(&Event::Called { purpose: purpose.name(), model, usage, seconds });
    }
}

/// What a failed call cost, as far as it is known. A refused request is a call, and costs nothing.
pub(super) fn usage_of(error: &LlmError) -> Usage {
    let calls = match error {
        LlmError::Unusable { usage, .. } => return *usage,
        LlmError::Unavailable { attempts, .. } => u64::from(*attempts),
        LlmError::Refused { .. } | LlmError::ContextOverflow { .. } => 1,
        LlmError::Key { .. } | LlmError::Limit { .. } | LlmError::Unscripted { .. } => 0,
    };
    Usage { calls, usd: Some(0.0), ..Usage::default() }
}

/// A request of two messages, without schema or tools.
pub(super) fn request(prompt: Rendered, input: Input) -> ChatRequest {
    let messages = vec![Message::text(Role::System, prompt.system), Message::text(Role::User, prompt.user)];
    ChatRequest { messages, input, schema: None, tools: Vec::new(), max_tokens: None }
}

pub(super) fn prompt_tokens(request: &ChatRequest) -> u64 {
    request.messages.iter().map(|message| estimate_tokens(&message.content)).sum()
}

/// Ends when the time for searching is over; never without such a limit.
pub(super) async fn out_of_time(budget: &Budget) {
    match budget.time_left() {
        Some(left) => tokio::time::sleep(left).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
