//! The body of a chat-completions request.

use serde_json::{Map, Value, json};

use crate::llm::presets::{Preset, StructuredOutput, TokenLimit};
use crate::llm::{ChatRequest, Message, Role, actions};

/// A part of a request that some endpoints refuse and that the request can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Parameter {
    JsonSchema,
    JsonObject,
    MaxTokens,
    MaxCompletionTokens,
    StreamOptions,
    Temperature,
    Tools,
}

impl Parameter {
    /// Returns the names that refusals use for it, in lower case.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Parameter::JsonSchema => &["response_format", "json_schema", "structured output", "structured outputs"],
            Parameter::JsonObject => &["response_format", "json_object", "json mode"],
            Parameter::MaxTokens => &["max_tokens"],
            Parameter::MaxCompletionTokens => &["max_completion_tokens"],
            Parameter::StreamOptions => &["stream_options", "include_usage"],
            Parameter::Temperature => &["temperature"],
            Parameter::Tools => &["tools", "tool use", "tool_choice"],
        }
    }
}

/// The settings of one call, beside the request itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSettings<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: Option<u64>,
    pub(super) temperature: Option<f64>,
}

/// A body, and those of its parameters that an endpoint may refuse.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) json: Value,
    pub(super) parameters: Vec<Parameter>,
}

/// Makes the body for an endpoint of `preset` that has already refused the parameters in `refused`. An endpoint without
/// tools gets them described in words.
pub(super) fn body(preset: &Preset, call: CallSettings<'_>, request: &ChatRequest, refused: &[Parameter]) -> Body {
    let worded =
        (!request.tools.is_empty() && refused.contains(&Parameter::Tools)).then(|| actions::without_tool_api(request));
    let request = worded.as_ref().unwrap_or(request);
    let mut parameters = Vec::new();
    let mut fields = Map::new();
    let mut add = |parameter: Parameter, name: &str, value: Value, fields: &mut Map<String, Value>| {
        let allowed = !refused.contains(&parameter);
        if allowed {
            fields.insert(name.to_owned(), value);
            parameters.push(parameter);
        }
        allowed
    };
    fields.insert("model".to_owned(), json!(call.model));
    fields.insert("messages".to_owned(), Value::Null);
    fields.insert("stream".to_owned(), json!(true));
    if preset.streaming_usage {
        add(Parameter::StreamOptions, "stream_options", json!({"include_usage": true}), &mut fields);
    }
    if let Some(limit) = call.max_tokens {
        let mut names =
            [(Parameter::MaxTokens, "max_tokens"), (Parameter::MaxCompletionTokens, "max_completion_tokens")];
        if preset.token_limit == TokenLimit::MaxCompletionTokens {
            names.reverse();
        }
        for (parameter, name) in names {
            if add(parameter, name, json!(limit), &mut fields) {
                break;
            }
        }
    }
    if let Some(temperature) = call.temperature {
        add(Parameter::Temperature, "temperature", json!(temperature), &mut fields);
    }
    if !request.tools.is_empty() {
        let function = |tool: &crate::llm::ToolSpec| {
            let parts = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
            json!({"type": "function", "function": parts})
        };
        add(Parameter::Tools, "tools", request.tools.iter().map(function).collect(), &mut fields);
    }
    let mut schema_in_words = None;
    if let Some(schema) = &request.schema {
        let by_schema = json!({
            "type": "json_schema",
            "json_schema": {"name": schema.name, "strict": true, "schema": schema.schema},
        });
        let held = preset.structured >= StructuredOutput::JsonSchema
            && add(Parameter::JsonSchema, "response_format", by_schema, &mut fields);
        if !held {
            schema_in_words = Some(&schema.schema);
            if preset.structured >= StructuredOutput::JsonObject {
                add(Parameter::JsonObject, "response_format", json!({"type": "json_object"}), &mut fields);
            }
        }
    }
    fields.insert("messages".to_owned(), messages(&request.messages, schema_in_words));
    Body { json: Value::Object(fields), parameters }
}

/// The conversation; a schema that the endpoint does not enforce is added to the system message.
fn messages(messages: &[Message], schema_in_words: Option<&Value>) -> Value {
    let mut sent: Vec<Value> = messages.iter().map(message).collect();
    if let Some(schema) = schema_in_words {
        let words = format!(
            "Reply with one JSON object and nothing else: no code fence, no words before or after it. \
             It must be valid against this JSON Schema:\n{schema}"
        );
        match messages.first() {
            Some(first) if first.role == Role::System => {
                sent[0]["content"] = json!(format!("{}\n\n{words}", first.content));
            }
            _ => sent.insert(0, json!({"role": "system", "content": words})),
        }
    }
    Value::Array(sent)
}

fn message(message: &Message) -> Value {
    let mut sent = json!({"role": message.role, "content": message.content});
    if !message.tool_calls.is_empty() {
        let call = |call: &crate::llm::ToolCall| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        };
        sent["tool_calls"] = message.tool_calls.iter().map(call).collect();
    }
    if let Some(id) = &message.tool_call_id {
        sent["tool_call_id"] = json!(id);
    }
    sent
}
