//! Models that answer. Behind one trait stand every OpenAI-compatible endpoint, the offline backend that quotes instead
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

/// What can go wrong in a model call, grouped by what the caller does next.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// The key is missing or was refused. The run cannot continue with this model.
    #[error("{provider} {}: {reason}", refused_key(key_source))]
    Key {
        /// The preset's name.
        provider: String,
        /// The variable or file that the key came from; empty if there is none.
        key_source: String,
        /// The endpoint's message.
        reason: String,
    },
    /// The endpoint cannot be reached or kept failing through all retries.
    #[error("{url} did not answer ({model}, {}): {reason}", counted(*attempts))]
    Unavailable {
        /// The endpoint.
        url: String,
        /// The model.
        model: String,
        /// The number of requests sent.
        attempts: u32,
        /// The last failure.
        reason: String,
        /// The cost of the requests; a reply that was cut has to be paid for.
        usage: Box<Usage>,
    },
    /// The endpoint does not answer, or no longer does: another call would fail in the same way.
    #[error("{url} cannot be used ({model}, {}): {reason}", counted(*attempts))]
    Unreachable {
        /// The endpoint.
        url: String,
        /// The model.
        model: String,
        /// The number of requests sent.
        attempts: u32,
        /// The last failure.
        reason: String,
        /// The cost of the requests.
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
        /// The endpoint's message.
        reason: String,
    },
    /// The prompt is longer than the model's context: send less evidence.
    #[error("the prompt does not fit the context of {model}: {reason}")]
    ContextOverflow {
        /// The model.
        model: String,
        /// The endpoint's message.
        reason: String,
    },
    /// The reply is not in the form asked for, even after the model was shown its mistake.
    #[error("{model} gave no usable reply for {purpose}: {reason}")]
    Unusable {
        /// The model.
        model: String,
        /// The purpose of the call.
        purpose: &'static str,
        /// What is wrong with the reply.
        reason: String,
        /// The cost of the failed calls.
        usage: Usage,
    },
    /// A limit of the run forbids the call.
    #[error("the call for {purpose} was not made: {limit}")]
    Limit {
        /// The purpose of the call.
        purpose: &'static str,
        /// The limit.
        limit: String,
    },
    /// A mock script has no reply for this request.
    #[error("{script} has no reply for {purpose}: {reason}")]
    Unscripted {
        /// The script's path.
        script: String,
        /// The purpose of the call.
        purpose: &'static str,
        /// What the script was searched for.
        reason: String,
    },
}

fn counted(attempts: u32) -> String {
    match attempts {
        1 => "1 attempt".to_owned(),
        many => format!("{many} attempts"),
    }
}

fn refused_key(key_source: &str) -> String {
    match key_source {
        "" => "wants a key, and none is set (llm.api_key_env or llm.api_key_file)".to_owned(),
        source => format!("refused the key from {source}"),
    }
}

impl LlmError {
    /// Returns the cost of the failed call, as far as it is known. A refused request counts as a call, but costs
    /// nothing.
    pub fn usage(&self) -> Usage {
        let calls = match self {
            LlmError::Unusable { usage, .. } => return *usage,
            LlmError::Unavailable { usage, .. } | LlmError::Unreachable { usage, .. } => return **usage,
            LlmError::Refused { .. } | LlmError::ContextOverflow { .. } | LlmError::Key { .. } => 1,
            LlmError::Limit { .. } | LlmError::Unscripted { .. } => 0,
        };
        Usage::free(calls)
    }

    /// Whether the program is set up wrongly: a run then ends with the error instead of writing a report without the
    /// model.
    pub fn is_setup_error(&self) -> bool {
        matches!(self, LlmError::Key { .. } | LlmError::Unscripted { .. })
    }
}

/// The author of a message.
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
    /// The author.
    pub role: Role,
    /// The text.
    pub content: String,
    /// For [`Role::Assistant`]: the tools that it called.
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

/// A tool as described to the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A tool call by the model, with the arguments as the model wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The endpoint's id for the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// JSON text, not validated.
    pub arguments: String,
}

impl ToolCall {
    /// Makes tool calls by rule, from pairs of a tool's name and its arguments, for the turn of this number.
    pub fn tool_calls_of_turn(turn: usize, calls: Vec<(&'static str, Value)>) -> Vec<ToolCall> {
        let numbered = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
            id: format!("call_{turn}_{index}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
        numbered.collect()
    }
}

/// The form that a reply must have.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// A name for the endpoint.
    pub name: &'static str,
    /// JSON Schema.
    pub schema: Value,
}

/// One request. The purpose and its typed input accompany the rendered messages: usage and journals are keyed by the
/// purpose, and the offline backend reads the input instead of parsing a prompt.
#[derive(Clone, Debug)]
pub struct ChatRequest {
    /// The rendered conversation.
    pub messages: Vec<Message>,
    /// The input from which the messages were rendered; it gives the purpose.
    pub input: Input,
    /// Set if the reply must be JSON that follows a schema.
    pub schema: Option<Schema>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// The most tokens in the reply; a lower limit in the settings takes precedence.
    pub max_tokens: Option<u64>,
    /// The most times it may be sent, retries included; at least once. `None`: as often as the client's retries allow.
    pub max_requests: Option<u64>,
    /// How long its outcome is of use, from now on: no retry is waited for that would come later. `None`: for ever.
    pub time_left: Option<Duration>,
}

impl ChatRequest {
    /// Returns the purpose of the call.
    pub fn purpose(&self) -> Purpose {
        self.input.purpose()
    }

    /// Whether it may be sent once more after being sent this many times.
    pub fn may_retry(&self, sent: u64) -> bool {
        self.max_requests.is_none_or(|most| sent < most)
    }

    /// Estimates the number of tokens in its messages.
    pub fn estimated_tokens(&self) -> u64 {
        self.messages.iter().map(|message| estimate_tokens(&message.content)).sum()
    }

    /// Returns the usage of the call for a model that needs no endpoint: no cost, and this many tokens in the reply.
    pub fn free_usage(&self, completion_tokens: u64) -> Usage {
        Usage { prompt_tokens: self.estimated_tokens(), completion_tokens, estimated: true, ..Usage::free(1) }
    }
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model had finished.
    Stop,
    /// The limit on tokens in the reply was reached.
    Length,
    /// The endpoint broke the reply off after part of it had been delivered, and the request could not be repeated: the
    /// connection broke, the endpoint fell silent or took too long, or it reported an error.
    Interrupted,
    /// The model wants tools to be called.
    ToolCalls,
    /// The endpoint withheld the rest.
    ContentFilter,
}

impl Finish {
    /// Why the reply is not whole, as what is said of it; `None` if it is.
    pub fn cut(self) -> Option<&'static str> {
        match self {
            Finish::Stop | Finish::ToolCalls => None,
            Finish::Length => Some("ends at the model's limit on output"),
            Finish::Interrupted => Some("was broken off by the endpoint"),
            Finish::ContentFilter => Some("ends where the endpoint withheld the rest"),
        }
    }
}

/// One reply.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    /// The answer, without the reasoning.
    pub text: String,
    /// The model's reasoning, if it shows any.
    pub reasoning: String,
    /// The tools that it called.
    pub tool_calls: Vec<ToolCall>,
    /// Why it ended.
    pub finish: Finish,
    /// The cost of the request, retries included.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
    /// The time from the request to the last byte.
    pub elapsed: Duration,
}

/// A piece of a reply that is still coming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delta<'a> {
    /// A request is about to be sent and will have to be paid for. Models without an endpoint need not report it.
    Sending,
    /// Part of the answer.
    Text(&'a str),
    /// Part of the reasoning.
    Reasoning(&'a str),
    /// The reply starts again: discard the text so far. Sent before a retry, and when the text so far proves to be
    /// reasoning.
    Restart,
}

/// Takes the pieces of a reply in order. Must return immediately.
pub type DeltaSink<'a> = &'a mut (dyn for<'d> FnMut(Delta<'d>) + Send);

/// A model. Implementations: the OpenAI-compatible client, the offline backend and the scripted mock.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Returns the model's name for a purpose, as reports and bills show it.
    fn name(&self, purpose: Purpose) -> &str;

    /// Answers a request. Pieces of text and reasoning go to `sink` as they come; the reply holds them joined. An error
    /// is returned only after the retries that its kind allows. Cancel-safe: dropping the future ends the request.
    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError>;

    /// Whether the model reasons, rather than only quoting what was found; reports state which.
    fn reasons(&self) -> bool {
        true
    }
}
