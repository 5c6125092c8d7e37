//! Model calls: made if the limits allow them, dropped if the run stops, and charged.

use std::time::Duration;

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::metered::Metered;
use super::run::Run;
use super::{AgentError, gate};
use crate::domain::{Event, StopReason, Usage};
use crate::llm::structured::ask;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, Input, LlmError, Message, Purpose, Role};
use crate::prompt::{PromptError, Prompts};

/// How often the evidence is halved when a model reports that the prompt is too long.
pub(super) const MAX_SHRINKS: usize = 3;

/// How a call ended.
pub(super) enum Reply<T> {
    Done(T),
    /// The call was not made, or was dropped.
    Stop(StopReason),
    Failed(LlmError),
}

/// Makes a call whose reply is a structured value. `request` is given the number of evidence tokens it may hold, and is
/// called again with half as many if the model reports that the prompt is too long. An error is one that any other call
/// would meet too.
pub(super) async fn structured<'a, T: DeserializeOwned + JsonSchema + Send>(
    run: &mut Run<'a>,
    request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
) -> Result<Reply<T>, AgentError> {
    call(run, request, ask_for_value::<T>).await
}

/// Like [`structured`], for a reply of words or tool calls.
pub(super) async fn free<'a>(
    run: &mut Run<'a>,
    request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
) -> Result<Reply<ChatReply>, AgentError> {
    call(run, request, ask_for_words).await
}

async fn call<'a, R>(
    run: &mut Run<'a>,
    request: impl Fn(&Run<'a>, u64) -> Result<ChatRequest, PromptError> + Send + Sync,
    ask: Asking<R>,
) -> Result<Reply<R>, AgentError> {
    let mut shrinks = 0;
    loop {
        if run.spending.lost {
            return Ok(Reply::Stop(StopReason::ModelFailed));
        }
        let request = request(run, run.spending.evidence_tokens)?;
        let purpose = request.purpose();
        let tokens = request.estimated_tokens();
        if let Some(reason) = gate::interrupted(run).await {
            return Ok(Reply::Stop(reason));
        }
        let started = run.spending.budget.elapsed();
        let metered = Metered::new(run);
        let outcome = gate::unless_stopped(run, ask(&metered, &request), || metered.spent()).await;
        let spent = outcome.as_ref().map_or_else(|dropped| dropped.usage, |_| metered.spent());
        charge(run, purpose, spent, started);
        match outcome {
            Err(dropped) => return Ok(Reply::Stop(dropped.reason)),
            Ok(Ok((value, _))) => {
                run.spending.failures = 0;
                return Ok(Reply::Done(value));
            }
            Ok(Err(LlmError::Limit { .. })) => return Ok(Reply::Stop(StopReason::Budget)),
            Ok(Err(error)) if error.is_setup_error() => return Err(error.into()),
            Ok(Err(error @ LlmError::ContextOverflow { .. })) if shrinks < MAX_SHRINKS => {
                shrinks += 1;
                shrink(run, &error, tokens);
            }
            Ok(Err(error)) => {
                note_failure(run, &error);
                return Ok(Reply::Failed(error));
            }
        }
    }
}

/// Records whether the model is worth another call. It is not if the endpoint is unreachable, or if two calls in a row
/// failed after all their retries.
pub(super) fn note_failure(run: &mut Run<'_>, error: &LlmError) {
    run.spending.failures += usize::from(matches!(error, LlmError::Unavailable { .. }));
    run.spending.lost |= matches!(error, LlmError::Unreachable { .. }) || run.spending.failures > 1;
}

/// Halves the evidence after a model reported that a prompt of `tokens` is too long. Less evidence may be there than is
/// allowed, and halving the allowance would then give the same prompt again.
pub(super) fn shrink(run: &mut Run<'_>, error: &LlmError, tokens: u64) {
    let left = run.spending.evidence_tokens.min(tokens) / 2;
    run.spending.evidence_tokens = left;
    run.warn(format!("{error}; asking again with {left} tokens of evidence"));
}

/// Charges a call that began at the run time `started`.
pub(super) fn charge(run: &mut Run<'_>, purpose: Purpose, usage: Usage, started: Duration) {
    let took = run.spending.budget.elapsed().saturating_sub(started);
    run.spending.budget.charge(usage, took);
    if usage.calls == 0 {
        return;
    }
    let model = run.engine.model.name(purpose).to_owned();
    if !run.spending.models.contains(&model) {
        run.spending.models.push(model.clone());
    }
    run.emit(&Event::Called { purpose: purpose.name(), model, usage, seconds: took.as_secs_f64() });
}

/// A request of two messages, the rendered prompt of its purpose, without schema or tools.
pub(super) fn request(prompts: &Prompts, variables: impl Serialize, input: Input) -> Result<ChatRequest, PromptError> {
    let prompt = prompts.render(input.purpose(), variables)?;
    let messages = vec![Message::text(Role::System, prompt.system), Message::text(Role::User, prompt.user)];
    Ok(ChatRequest {
        messages,
        input,
        schema: None,
        tools: Vec::new(),
        max_tokens: None,
        max_requests: None,
        time_left: None,
    })
}

/// A way to ask a model, which gives the reply and its cost.
type Asking<R> = for<'m> fn(&'m dyn ChatModel, &'m ChatRequest) -> BoxFuture<'m, Result<(R, Usage), LlmError>>;

/// Asks a model for a value, without streaming the reply to anyone.
pub(super) fn ask_for_value<'m, T: DeserializeOwned + JsonSchema + Send>(
    model: &'m dyn ChatModel,
    request: &'m ChatRequest,
) -> BoxFuture<'m, Result<(T, Usage), LlmError>> {
    Box::pin(async move {
        let mut unheard = |_: Delta<'_>| {};
        ask::<T>(model, request, &mut unheard).await
    })
}

fn ask_for_words<'m>(
    model: &'m dyn ChatModel,
    request: &'m ChatRequest,
) -> BoxFuture<'m, Result<(ChatReply, Usage), LlmError>> {
    Box::pin(async move {
        let mut unheard = |_: Delta<'_>| {};
        let reply = model.chat(request, &mut unheard).await?;
        let usage = reply.usage;
        Ok((reply, usage))
    })
}
