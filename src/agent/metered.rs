//! The model behind the budget of a run: no request is made that a limit forbids, and the cost of a step is counted
//! while it is under way.

use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;

use super::budget::Budget;
use super::coverage::shown_whole;
use super::journal::{Journal, refused};
use super::limits::Limit;
use super::run::{Evidence, Run};
use crate::base::locked;
use crate::base::text::estimate_tokens;
use crate::domain::Usage;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, LlmError, Purpose};

/// The model during one step of a run. Every request, repairs included, is made only if the budget allows it. The cost
/// of the step is known at any moment, since a step that is dropped has been paid for too.
pub(super) struct Metered<'a> {
    model: &'a dyn ChatModel,
    budget: &'a Budget,
    journal: &'a Journal,
    evidence: &'a Evidence,
    /// Whether requests must leave the reserve for the report alone.
    keeps_reserve: bool,
    /// The most requests that this step may make, if others are made at the same time; if `None`, all that are left.
    most: Option<u64>,
    state: Mutex<StepUsage>,
}

#[derive(Default)]
struct StepUsage {
    ended: Usage,
    under_way: Option<OpenRequest>,
}

/// A request that has not ended.
struct OpenRequest {
    purpose: Purpose,
    /// How often the request was sent.
    sent: u64,
    prompt_tokens: u64,
    /// Everything received so far.
    heard: String,
}

impl<'a> Metered<'a> {
    /// For a step of the search.
    pub fn new(run: &'a Run<'_>) -> Self {
        let (model, budget, journal) = (run.engine.model.as_ref(), &run.spending.budget, &run.journal);
        let (evidence, state) = (&run.evidence, Mutex::default());
        Metered { model, budget, journal, evidence, keeps_reserve: true, most: None, state }
    }

    /// For the report, which may use the reserve.
    pub fn for_report(run: &'a Run<'_>) -> Self {
        Metered { keeps_reserve: false, ..Metered::new(run) }
    }

    /// For one of `parts` parts of the report that are written at the same time, before the opening. Each may make one
    /// request, and an equal share of those that are left then.
    pub fn for_part(run: &'a Run<'_>, parts: u64) -> Self {
        let report = Metered::for_report(run);
        let left = report.budget.requests_left(Usage::default(), false);
        Metered { most: left.map(|left| 1 + left.saturating_sub(parts + 1) / parts.max(1)), ..report }
    }

    /// The cost of the step so far. A request that has not ended counts with its prompt and the reply received so far.
    pub fn spent(&self) -> Usage {
        let state = self.lock();
        let mut spent = state.ended;
        if let Some(request) = &state.under_way {
            let (prompt_tokens, completion_tokens) = (request.prompt_tokens, estimate_tokens(&request.heard));
            let usd = self.budget.usd(request.purpose, prompt_tokens, completion_tokens);
            let calls = request.sent.max(1);
            spent += Usage {
                calls,
                prompt_tokens,
                cached_tokens: 0,
                completion_tokens,
                usd,
                estimated: true,
                ..Usage::default()
            };
        }
        spent
    }

    fn lock(&self) -> MutexGuard<'_, StepUsage> {
        locked(&self.state)
    }
}

#[async_trait]
impl ChatModel for Metered<'_> {
    fn name(&self, purpose: Purpose) -> &str {
        self.model.name(purpose)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let (purpose, prompt_tokens) = (request.purpose(), request.estimated_tokens());
        let pending = self.lock().ended;
        if self.keeps_reserve {
            let limit = self.budget.allows_call(purpose, prompt_tokens, pending).err();
            if let Some(limit) = refused(self.journal, request, limit).await {
                tracing::info!(
                    limit = limit.as_str(),
                    purpose = purpose.name(),
                    "no call, so that enough is left for the report"
                );
                return Err(LlmError::Limit { purpose: purpose.name(), limit });
            }
        }
        let left = match self.most {
            Some(most) => Some(most.saturating_sub(pending.calls)),
            None => self.budget.requests_left(pending, self.keeps_reserve),
        };
        if self.most.is_some() {
            // A part whose prompts were too long may have used up its share.
            let limit = (left == Some(0)).then_some(Limit::Calls);
            if let Some(limit) = refused(self.journal, request, limit).await {
                return Err(LlmError::Limit { purpose: purpose.name(), limit });
            }
        }
        self.lock().under_way = Some(OpenRequest { purpose, sent: 0, prompt_tokens, heard: String::new() });
        let mut hear = |delta: Delta<'_>| {
            if let Some(request) = &mut self.lock().under_way {
                match delta {
                    Delta::Sending => request.sent += 1,
                    Delta::Text(text) | Delta::Reasoning(text) => request.heard.push_str(text),
                    Delta::Restart => {}
                }
            }
            sink(delta);
        };
        // At least one is left, or no call would be allowed; a journal may allow a call that today's limits would not.
        let left = [left, request.max_requests].into_iter().flatten().min().map(|most| most.max(1));
        let time_left = if self.keeps_reserve { self.budget.time_left() } else { self.budget.all_time_left() };
        let limited = ChatRequest { max_requests: left, time_left, ..request.clone() };
        let outcome = self.model.chat(&limited, &mut hear).await;
        if !matches!(outcome, Err(LlmError::ContextOverflow { .. })) {
            self.evidence.mark_read(shown_whole(&request.input));
        }
        let mut state = self.lock();
        state.under_way = None;
        state.ended += match &outcome {
            Ok(reply) => reply.usage,
            Err(error) => error.usage(),
        };
        outcome
    }

    fn reasons(&self) -> bool {
        self.model.reasons()
    }
}
