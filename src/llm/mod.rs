//! Models that answer. One trait; behind it every OpenAI-compatible endpoint, the offline backend that quotes instead
//! of reasoning, and a scripted mock.

pub mod actions;
pub mod mock;
pub mod openai;
pub mod presets;
pub mod purpose;
pub mod structured;
#[cfg(test)]
mod testing;
pub mod think;

use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::text::estimate_tokens;
use crate::domain::Usage;
pub use crate::prompt::Purpose;
pub use purpose::Input;

/// What goes wrong in a model call, by what the caller does next.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The key is missing or refused. The run cannot go on with this model.
    #[error("{provider} {}: {reason}", refused_key(key_source))]
    Key {
        /// The preset's name.
        provider: String,
        /// The variable or file it came from; empty where there is none.
        key_source: String,
        /// What the endpoint said.
        reason: String,
    },
    /// The endpoint cannot be reached or kept failing through all retries.
    #[error("{url} did not answer ({model}, {attempts} attempts): {reason}")]
    Unavailable {
        /// The endpoint.
        url: String,
        /// The model.
        model: String,
        /// Requests sent.
        attempts: u32,
        /// The last failure.
        reason: String,
        /// What they cost; a reply that was cut has been paid for.
        usage: Box<Usage>,
    },
    /// Nobody answers there, or nobody does any more: another call would fail as this one did.
    #[error("{url} cannot be used ({model}, {attempts} attempts): {reason}")]
    Unreachable {
        /// The endpoint.
        url: String,
        /// The model.
        model: String,
        /// Requests sent.
        attempts: u32,
        /// The last failure.
        reason: String,
        /// What they cost.
        usage: Box<Usage>,
    },
    /// The endpoint refused the request; the same request would be refused again.
    #[error("{url} refused the request for {model} with status {status}: {reason}")]
    Refused {
        /// The endpoint.
        url: String,
        /// The model.
        model: String,
        /// HTTP status.
        status: u16,
        /// What the endpoint said.
        reason: String,
    },
    /// The prompt is longer than the model's context: send less evidence.
    #[error("the prompt does not fit the context of {model}: {reason}")]
    ContextOverflow {
        /// The model.
        model: String,
        /// What the endpoint said.
        reason: String,
    },
    /// The reply is not what was asked for, also after showing the model its error.
    #[error("{model} gave no usable reply for {purpose}: {reason}")]
    Unusable {
        /// The model.
        model: String,
        /// What the call was for.
        purpose: &'static str,
        /// What is wrong with the reply.
        reason: String,
        /// What the failed calls cost.
        usage: Usage,
    },
    /// A limit of the run does not allow the call.
    #[error("the call for {purpose} was not made: {limit}")]
    Limit {
        /// What the call was for.
        purpose: &'static str,
        /// Which limit.
        limit: String,
    },
    /// A mock script has no reply for this request.
    #[error("{script} has no reply for {purpose}: {reason}")]
    Unscripted {
        /// The script's path.
        script: String,
        /// What the call was for.
        purpose: &'static str,
        /// What was looked for.
        reason: String,
    },
}

fn refused_key(key_source: &str) -> String {
    match key_source {
        "" => "wants a key, and none is set (llm.api_key_env or llm.api_key_file)".to_owned(),
        source => format!("refused the key from {source}"),
    }
}

impl LlmError {
    /// What the failed call cost, as far as it is known. A refused request is a call, and costs nothing.
    pub fn usage(&self) -> Usage {
        let calls = match self {
            LlmError::Unusable { usage, .. } => return *usage,
            LlmError::Unavailable { usage, .. } | LlmError::Unreachable { usage, .. } => return **usage,
            LlmError::Refused { .. } | LlmError::ContextOverflow { .. } | LlmError::Key { .. } => 1,
            LlmError::Limit { .. } | LlmError::Unscripted { .. } => 0,
        };
        Usage::free(calls)
    }

    /// Whether the program was set up wrongly: then a run ends with the error, and writes no report without the model.
    pub fn is_of_setup(&self) -> bool {
        matches!(self, LlmError::Key { .. } | LlmError::Unscripted { .. })
    }
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The program's standing instructions.
    System,
    /// The task and its material.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// For [`Role::Assistant`]: the tools it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// For [`Role::Tool`]: which call this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A message of plain text.
    pub fn text(role: Role, content: impl Into<String>) -> Self {
        Message { role, content: content.into(), tool_calls: Vec::new(), tool_call_id: None }
    }
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A tool call of the model, arguments as the model wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The endpoint's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON text, not validated.
    pub arguments: String,
}

impl ToolCall {
    /// Calls by rule, of a tool's name and its arguments each, for the turn of this number.
    pub fn of_turn(turn: usize, calls: Vec<(&'static str, Value)>) -> Vec<ToolCall> {
        let numbered = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
            id: format!("call_{turn}_{index}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
        numbered.collect()
    }
}

/// The shape a reply must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// A name for the endpoint.
    pub name: &'static str,
    /// JSON Schema.
    pub schema: Value,
}

/// One request. The purpose and its typed inputs stand beside the rendered messages: usage and journals key
/// on the purpose, and the offline backend reads the inputs instead of parsing a prompt.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The rendered conversation.
    pub messages: Vec<Message>,
    /// What the messages were rendered from; it names the purpose.
    pub input: Input,
    /// Set where the reply must be JSON of a schema.
    pub schema: Option<Schema>,
    /// Tools the model may call.
    pub tools: Vec<ToolSpec>,
    /// Limit on tokens out; where the settings have a lower one, that holds.
    pub max_tokens: Option<u64>,
    /// How often it may be sent, retries included; at least once. `None`: as often as the client's retries allow.
    pub max_requests: Option<u64>,
}

impl ChatRequest {
    /// What the call is for.
    pub fn purpose(&self) -> Purpose {
        self.input.purpose()
    }

    /// Whether it may be sent once more after it was sent so often.
    pub fn may_be_sent_again(&self, sent: u64) -> bool {
        self.max_requests.is_none_or(|most| sent < most)
    }

    /// About how many tokens its messages have.
    pub fn estimated_tokens(&self) -> u64 {
        self.messages.iter().map(|message| estimate_tokens(&message.content)).sum()
    }

    /// What the call has cost with a model that needs no endpoint: nothing, for about so many tokens.
    pub fn free_usage(&self, completion_tokens: u64) -> Usage {
        Usage { prompt_tokens: self.estimated_tokens(), completion_tokens, estimated: true, ..Usage::free(1) }
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The limit on tokens out; also where the connection broke after a part of the answer that could not be asked for
    /// again had been delivered.
    Length,
    /// The model wants tools.
    ToolCalls,
    /// The endpoint withheld the rest.
    ContentFilter,
}

/// One reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    /// The answer, reasoning removed.
    pub text: String,
    /// The model's reasoning, where it shows it.
    pub reasoning: String,
    /// Tools it called.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// What the request cost, retries included.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
    /// From the request to the last byte.
    pub elapsed: Duration,
}

/// A piece of a reply on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// A request is about to leave; from now on it has to be paid for. Models without an endpoint need not say so.
    Sending,
    /// Of the answer.
    Text(&'a str),
    /// Of the reasoning.
    Reasoning(&'a str),
    /// The reply starts anew: forget the text so far. Sent before a retry, only where nothing of the answer was sent.
    Restart,
}

/// Takes the pieces of a reply in order. Must return at once.
pub type DeltaSink<'a> = &'a mut (dyn for<'d> FnMut(Delta<'d>) + Send);

/// A model. Implementations: the OpenAI-compatible client, the offline backend, the scripted mock.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The model's name, for a purpose, as reports and bills show it.
    fn name(&self, purpose: Purpose) -> &str;

    /// Answers. Deltas of text and reasoning go to `sink` as they come; the reply holds them joined. Retries that the
    /// kind of failure allows have been made before an error is returned. Cancel-safe: dropping the future ends the
    /// request.
    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError>;

    /// Whether the model reasons, or only quotes what was found; reports say so.
    fn reasons(&self) -> bool {
        true
    }
}
