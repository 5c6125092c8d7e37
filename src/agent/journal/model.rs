//! Model calls through a journal: a recorded call is answered with the recorded reply, and a new one is recorded with
//! its cost.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde::Serialize;
use serde_json::{Value, json};

use super::Journal;
use super::convert::{llm_error, refusal};
use super::format::{Answer, Passage, StoredCall, StoredModel, StoredRefusal, StoredReply};
use super::handle::key_of;
use crate::agent::limits::Limit;
use crate::domain::Usage;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, LlmError, Message, Purpose, ToolSpec};

/// A model whose calls go through a journal.
pub(in crate::agent) struct JournaledModel {
    journal: Journal,
    /// `None` in a replay, which needs no model.
    model: Option<Arc<dyn ChatModel>>,
    /// Whether a call has been answered.
    answered: AtomicBool,
}

impl JournaledModel {
    pub fn new(journal: Journal, model: Option<Arc<dyn ChatModel>>) -> Self {
        JournaledModel { journal, model, answered: AtomicBool::new(false) }
    }

    /// A key that is refused before any answer ends the run. One that is refused later was withdrawn or is used up, and
    /// the evidence found until then is worth a report.
    fn downgrade_late_key_error(&self, error: LlmError, model: &str) -> LlmError {
        match error {
            LlmError::Key { ref provider, .. } if self.answered.load(Ordering::Relaxed) => LlmError::Unreachable {
                url: provider.clone(),
                model: model.to_owned(),
                attempts: 1,
                reason: error.to_string(),
                usage: Usage::free(1).into(),
            },
            other => other,
        }
    }
}

/// A model as a journal stores it.
pub(super) fn stored_model(model: &dyn ChatModel) -> StoredModel {
    let names = Purpose::ALL.iter().map(|&purpose| (purpose.name().to_owned(), model.name(purpose).to_owned()));
    StoredModel { reasons: model.reasons(), names: names.collect() }
}

#[async_trait]
impl ChatModel for JournaledModel {
    fn name(&self, purpose: Purpose) -> &str {
        match (&self.model, self.journal.model()) {
            (Some(model), _) => model.name(purpose),
            (None, Some(recorded)) => recorded.names.get(purpose.name()).map_or("unknown", String::as_str),
            (None, None) => "unknown",
        }
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let purpose = request.purpose();
        let key = key_of("call", &canonical(request));
        if let Some(outcome) = self.journal.recorded(&key, recorded_call) {
            return match outcome {
                Ok(reply) => {
                    self.answered.store(true, Ordering::Relaxed);
                    tell(&mut *sink, &reply.reasoning, &reply.text);
                    Ok(reply.into())
                }
                Err(refusal) => {
                    tell(sink, "", &refusal.streamed);
                    Err(llm_error(refusal.error, purpose))
                }
            };
        }
        self.journal.go_live(&key).await;
        let Some(model) = &self.model else { return std::future::pending().await };
        self.journal.sent(&key).await;

        let mut streamed = String::new();
        let mut hear = |delta: Delta<'_>| {
            match delta {
                Delta::Text(text) => streamed.push_str(text),
                Delta::Restart => streamed.clear(),
                Delta::Sending | Delta::Reasoning(_) => {}
            }
            sink(delta);
        };
        let outcome = model.chat(request, &mut hear).await;
        let outcome = outcome.map_err(|error| self.downgrade_late_key_error(error, model.name(purpose)));
        self.answered.fetch_or(outcome.is_ok(), Ordering::Relaxed);
        let recorded = match &outcome {
            Ok(reply) => Some(Ok(StoredReply::from(reply))),
            Err(error) => refusal(error, streamed).map(Err),
        };
        let call = |outcome| {
            let (purpose, model) = (purpose.name().to_owned(), model.name(purpose).to_owned());
            (Answer::Call(StoredCall { purpose, model, outcome }), Vec::new())
        };
        self.journal.record(&key, recorded.map(call)).await;
        outcome
    }

    fn reasons(&self) -> bool {
        match (&self.model, self.journal.model()) {
            (Some(model), _) => model.reasons(),
            (None, recorded) => recorded.is_none_or(|recorded| recorded.reasons),
        }
    }
}

/// What a reply depends on: everything that an endpoint is sent except the key. The model's name is left out, since a
/// fork may keep what another model answered.
fn canonical(request: &ChatRequest) -> Value {
    #[derive(Serialize)]
    struct Canonical<'a> {
        purpose: Purpose,
        /// Always empty; part of the keys of journals.
        model: &'a str,
        messages: &'a [Message],
        schema: Option<&'a Value>,
        tools: &'a [ToolSpec],
        max_tokens: Option<u64>,
    }
    let schema = request.schema.as_ref().map(|schema| &schema.schema);
    json!(Canonical {
        purpose: request.purpose(),
        model: "",
        messages: &request.messages,
        schema,
        tools: &request.tools,
        max_tokens: request.max_tokens,
    })
}

/// The limit that does not allow a call, as recorded or as given; `None` if the call is allowed.
pub(in crate::agent) async fn refused(
    journal: &Journal,
    request: &ChatRequest,
    limit: Option<Limit>,
) -> Option<String> {
    let key = key_of("limit", &canonical(request));
    let recorded = journal.recorded(&key, |answer, _| match answer {
        Answer::Limit { limit, .. } => Some(limit),
        _ => None,
    });
    if recorded.is_some() {
        return recorded;
    }
    let limit = limit?.name().to_owned();
    let purpose = request.purpose().name().to_owned();
    journal.record(&key, Some((Answer::Limit { purpose, limit: limit.clone() }, Vec::new()))).await;
    Some(limit)
}

fn recorded_call(answer: Answer, _: &BTreeMap<u64, Passage>) -> Option<Result<StoredReply, StoredRefusal>> {
    match answer {
        Answer::Call(call) => Some(call.outcome),
        _ => None,
    }
}

/// Emits the reasoning and the text of a reply, each in one piece.
fn tell(sink: DeltaSink<'_>, reasoning: &str, text: &str) {
    if !reasoning.is_empty() {
        sink(Delta::Reasoning(reasoning));
    }
    if !text.is_empty() {
        sink(Delta::Text(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::DescribeInput;
    use crate::llm::{Input, Role};

    fn request(words: &str) -> ChatRequest {
        let input = DescribeInput { name: "n".into(), titles: vec![], vocabulary: vec![], samples: vec![] };
        let messages = vec![Message::text(Role::User, words)];
        let input = Input::Describe(input);
        ChatRequest {
            messages,
            input,
            schema: None,
            tools: vec![],
            max_tokens: None,
            max_requests: None,
            time_left: None,
        }
    }

    #[test]
    fn a_reply_is_found_by_all_that_is_sent_and_by_nothing_else() {
        let asked = canonical(&request("a"));
        let tool = ToolSpec { name: "t".into(), description: String::new(), parameters: json!({}) };
        assert_ne!(canonical(&request("b")), asked);
        assert_ne!(canonical(&ChatRequest { max_tokens: Some(1), ..request("a") }), asked);
        assert_ne!(canonical(&ChatRequest { tools: vec![tool], ..request("a") }), asked);
        // The number of requests allowed does not change the reply.
        assert_eq!(canonical(&ChatRequest { max_requests: Some(1), ..request("a") }), asked);
    }
}
