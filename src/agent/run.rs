use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::journal::{Journal, JournalError};
use super::ledger::Ledger;
use super::metered::Metered;
use super::queries::Asked;
use super::{AgentError, Engine, strategy};
use crate::base::text::{Language, Spoken};
use crate::domain::{
    Collection, Event, EventSink, Hit, Report, RoundSummary, SearchMode, StopReason, Strategy, SubQuery, Usage,
};
use crate::llm::purpose::{CollectionCard, KnownFinding, PlannedQuery};
use crate::llm::structured::ask;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, Input, LlmError, Message, Purpose, Role};
use crate::prompt::{PromptError, Rendered};
use crate::retrieval::RetrievalError;

/// A longer question is a document.
const MAX_QUESTION_BYTES: usize = 32 * 1024;
/// How often the evidence is halved when a model says that the prompt is too long.
const MAX_SHRINKS: usize = 3;

/// Researches a question in the named collections, all where none is named, and writes the report.
///
/// The strategy of the options decides what is searched and when it is enough; one call writes. `sink` hears of everything
/// as it happens, the text of the report included. After `interrupt` the search ends, a call under way is dropped, and the
/// report is written from what was found.
pub async fn research(
    engine: &Engine,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    journaled(engine, &Journal::off(engine.clock), question, collections, sink, interrupt).await
}

/// As [`research`], with a journal: it is written to, or answers, or both.
pub async fn journaled(
    engine: &Engine,
    journal: &Journal,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    journal.listen(Arc::clone(&sink));
    let engine = engine.through(journal);
    let outcome = tokio::select! {
        biased;
        () = journal.astray() => return Err(JournalError::Astray.into()),
        outcome = conduct(&engine, journal, question, collections, sink, interrupt) => outcome,
    };
    journal.end(&outcome).await;
    outcome
}

async fn conduct(
    engine: &Engine,
    journal: &Journal,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    let mut run = Run::start(engine, journal, question, collections, sink, interrupt).await?;
    let stopped = strategy::run(&mut run).await?;
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
    pub journal: Journal,
    pub question: &'a str,
    pub language: Language,
    /// What may be searched, by name.
    pub candidates: Vec<Collection>,
    /// Whether the user named the collections.
    pub restricted: bool,
    pub cards: Vec<CollectionCard>,
    /// What the question itself finds in each collection, not yet in the ledger.
    pub probed: Vec<Vec<Hit>>,
    pub strategy: Strategy,
    /// Why the strategy was chosen; empty where it was given.
    pub chosen: String,
    /// What the report is to say, as far as the strategy made notes.
    pub notes: Option<String>,
    pub asked: Asked,
    pub ledger: Ledger,
    /// What earlier runs learnt about it, for the planner.
    pub known: Vec<KnownFinding>,
    /// When it began.
    pub began: Timestamp,
    /// Hits that were left out, since their documents are newer than what is asked for.
    pub too_new: usize,
    pub rounds: Vec<RoundSummary>,
    /// Tokens that searching brought.
    pub retrieved_tokens: u64,
    /// The model's reason for the searches of the next round.
    pub reason: String,
    pub budget: Budget,
    /// How much evidence a prompt may hold; less after a model said that it was too much.
    pub evidence_tokens: u64,
    pub warnings: Vec<String>,
    /// What was planned and not searched any more.
    pub skipped: Vec<SubQuery>,
    /// Which halves of the search answer; keywords alone once the embedder has failed.
    pub mode: SearchMode,
    /// The first search that failed, told where nothing else was found.
    pub failed_search: Option<RetrievalError>,
    pub sink: Arc<dyn EventSink>,
    pub interrupt: CancellationToken,
    models: Vec<String>,
}

impl<'a> Run<'a> {
    /// `engine` must go through the same journal.
    pub async fn start(
        engine: &'a Engine,
        journal: &Journal,
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
            let known = |name: &String| candidates.iter().any(|candidate| candidate.name == *name);
            if let Some(unknown) = collections.iter().find(|name| !known(name)) {
                // The store's error names what is near.
                engine.corpus.collection(unknown).await?;
            }
            candidates.retain(|candidate| collections.contains(&candidate.name));
        }
        if candidates.is_empty() {
            return Err(AgentError::NoCollections);
        }
        let spoken = Spoken::of(candidates.iter().flat_map(|collection| collection.languages.counts()));
        let language = spoken.of_question(question);
        let evidence_tokens = engine.options.evidence_tokens;
        let mut run = Run {
            engine,
            question,
            language,
            candidates,
            restricted,
            cards: Vec::new(),
            probed: Vec::new(),
            strategy: engine.options.strategy,
            chosen: String::new(),
            notes: None,
            asked: Asked::new(question, language),
            ledger: Ledger::default(),
            known: Vec::new(),
            began: engine.clock.now(),
            too_new: 0,
            rounds: Vec::new(),
            retrieved_tokens: 0,
            reason: String::new(),
            budget: Budget::start(
                engine.limits.of(engine.options.strategy),
                engine.options.prices.clone(),
                journal.stopwatch().clone(),
                evidence_tokens,
            ),
            journal: journal.clone(),
            evidence_tokens,
            warnings: Vec::new(),
            skipped: Vec::new(),
            mode: engine.options.mode,
            failed_search: None,
            sink,
            interrupt,
            models: Vec::new(),
        };
        run.budget.charge(journal.earlier(), Duration::ZERO);
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

    /// Notes which passages the model calls helpful, the most helpful first; gives those that exist.
    pub fn take_helpful(&mut self, mut numbers: Vec<usize>) -> Vec<usize> {
        let missing = self.ledger.mark_helpful(&numbers);
        if !missing.is_empty() {
            tracing::info!(?missing, "the model called passages helpful that do not exist");
        }
        numbers.retain(|number| !missing.contains(number));
        numbers
    }

    /// The names of the models that answered, in the order of their first call.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Makes a structured call. `request` is given the tokens of evidence that it may hold, and is asked again with half
    /// when the model says that the prompt is too long. Errors are those that no other call would escape.
    pub async fn call<T: DeserializeOwned + JsonSchema + Send>(
        &mut self,
        request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
    ) -> Result<Reply<T>, AgentError> {
        self.make_call(request, structured::<T>).await
    }

    /// As [`Self::call`], for a reply of words or tool calls.
    pub async fn call_freely(
        &mut self,
        request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
    ) -> Result<Reply<ChatReply>, AgentError> {
        self.make_call(request, free).await
    }

    async fn make_call<R>(
        &mut self,
        request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
        ask: Asking<R>,
    ) -> Result<Reply<R>, AgentError> {
        let mut shrinks = 0;
        loop {
            let request = request(self, self.evidence_tokens)?;
            let purpose = request.purpose();
            let tokens = request.estimated_tokens();
            if let Some(reason) = self.interrupted().await {
                return Ok(Reply::Stop(reason));
            }
            let started = self.budget.elapsed();
            let metered = Metered::new(self);
            let outcome = self.unless_stopped(ask(&metered, &request), || metered.spent()).await;
            let spent = outcome.as_ref().map_or_else(|dropped| dropped.usage, |_| metered.spent());
            self.charge(purpose, spent, started);
            match outcome {
                Err(dropped) => return Ok(Reply::Stop(dropped.reason)),
                Ok(Ok((value, _))) => return Ok(Reply::Done(value)),
                Ok(Err(LlmError::Limit { .. })) => return Ok(Reply::Stop(StopReason::Budget)),
                Ok(Err(error @ (LlmError::Key { .. } | LlmError::Unscripted { .. }))) => return Err(error.into()),
                Ok(Err(error @ LlmError::ContextOverflow { .. })) if shrinks < MAX_SHRINKS => {
                    shrinks += 1;
                    self.shrink(&error, tokens);
                }
                Ok(Err(error)) => return Ok(Reply::Failed(error)),
            }
        }
    }

    /// Halves the evidence, after a model said that a prompt of `tokens` is too long. There may be less evidence than is
    /// allowed, and half of what is allowed would then be the same prompt again.
    pub fn shrink(&mut self, error: &LlmError, tokens: u64) {
        self.evidence_tokens = self.evidence_tokens.min(tokens) / 2;
        self.warn(format!("{error}; asking again with {} tokens of evidence", self.evidence_tokens));
    }

    /// Charges a call that began when the run had taken `started`.
    pub fn charge(&mut self, purpose: Purpose, usage: Usage, started: Duration) {
        let took = self.budget.elapsed().saturating_sub(started);
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

/// A way to ask a model: the reply, and what it cost.
type Asking<R> = for<'m> fn(&'m dyn ChatModel, &'m ChatRequest) -> BoxFuture<'m, Result<(R, Usage), LlmError>>;

fn structured<'m, T: DeserializeOwned + JsonSchema + Send>(
    model: &'m dyn ChatModel,
    request: &'m ChatRequest,
) -> BoxFuture<'m, Result<(T, Usage), LlmError>> {
    Box::pin(async move {
        let mut unheard = |_: Delta<'_>| {};
        ask::<T>(model, request, &mut unheard).await
    })
}

fn free<'m>(model: &'m dyn ChatModel, request: &'m ChatRequest) -> BoxFuture<'m, Result<(ChatReply, Usage), LlmError>> {
    Box::pin(async move {
        let mut unheard = |_: Delta<'_>| {};
        let reply = model.chat(request, &mut unheard).await?;
        let usage = reply.usage;
        Ok((reply, usage))
    })
}

/// A request of two messages, without schema or tools.
pub(super) fn request(prompt: Rendered, input: Input) -> ChatRequest {
    let messages = vec![Message::text(Role::System, prompt.system), Message::text(Role::User, prompt.user)];
    ChatRequest { messages, input, schema: None, tools: Vec::new(), max_tokens: None, max_requests: None }
}

/// Ends when the time for searching is over; never without such a limit.
pub(super) async fn out_of_time(budget: &Budget) {
    pass(budget.time_left()).await;
}

/// Ends when the time for the report is over too; never without such a limit.
pub(super) async fn out_of_all_time(budget: &Budget) {
    pass(budget.all_time_left()).await;
}

async fn pass(time: Option<Duration>) {
    match time {
        Some(left) => tokio::time::sleep(left).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
