//! Assembles a reply from its chunks, or from the single object of an endpoint that does not stream.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::base::text::estimate_tokens;
use crate::domain::Usage;
use crate::llm::think::{Piece, ThinkSplitter};
use crate::llm::{ChatRequest, Delta, DeltaSink, Finish, ToolCall};

/// A chunk of a stream, or a whole reply: they differ only in `delta` and `message`. Where a chunk has both, `message`
/// repeats what was sent before. Fields that an endpoint omits or
/// sets to null are absent; unknown fields are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default, deserialize_with = "lenient")]
    usage: Option<WireUsage>,
    #[serde(default, deserialize_with = "lenient")]
    model: Option<String>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    /// Where Groq puts the usage of a stream.
    #[serde(default, deserialize_with = "lenient")]
    x_groq: Option<GroqExtra>,
}

/// Reads a field that a reply can do without: a value of the wrong type counts as absent, and the reply stays usable.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).ok())
}

/// More tokens than any reply has: a larger count is ignored.
const MOST_TOKENS: f64 = 1e8;

/// Reads a number of tokens, also from a float or a string; absent if it cannot be one.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    Ok(number.filter(|number| (0.0..=MOST_TOKENS).contains(number)).map(|number| number.round() as u64))
}

#[derive(Debug, Deserialize)]
struct GroqExtra {
    #[serde(default, deserialize_with = "lenient")]
    usage: Option<WireUsage>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default, deserialize_with = "lenient")]
    index: Option<u64>,
    #[serde(default)]
    delta: Option<Part>,
    #[serde(default)]
    message: Option<Part>,
    #[serde(default, deserialize_with = "lenient")]
    finish_reason: Option<String>,
    /// Where Moonshot puts the usage of a stream.
    #[serde(default, deserialize_with = "lenient")]
    usage: Option<WireUsage>,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning_content: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<WireToolCall>>,
}

/// Text, or a list of typed parts (Mistral's reasoning models send these).
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Value>),
}

#[derive(Debug, Deserialize)]
struct WireToolCall {
    #[serde(default, deserialize_with = "lenient")]
    index: Option<usize>,
    #[serde(default, deserialize_with = "lenient")]
    id: Option<String>,
    #[serde(default)]
    function: Option<WireFunction>,
}

#[derive(Debug, Deserialize)]
struct WireFunction {
    #[serde(default, deserialize_with = "lenient")]
    name: Option<String>,
    /// JSON in a string; some endpoints send the object itself.
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct WireUsage {
    #[serde(default, deserialize_with = "count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    prompt_tokens_details: Option<PromptDetails>,
    /// DeepSeek's name for cached tokens.
    #[serde(default, deserialize_with = "count")]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "count")]
    cached_tokens: Option<u64>,
}

/// The parts of a reply received so far.
#[derive(Debug)]
pub(super) struct Assembly {
    splitter: ThinkSplitter,
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) tool_calls: Vec<ToolCall>,
    /// The index in the stream of each tool call. Some endpoints give all calls the same one.
    tool_indices: Vec<usize>,
    pub(super) finish: Option<Finish>,
    pub(super) model: Option<String>,
    usage: Option<WireUsage>,
    /// Whether a thought was closed that no tag had opened.
    pub(super) began_inside_thought: bool,
    /// The length of the reply at which its tokens are estimated next.
    next_estimate: usize,
}

impl Assembly {
    pub(super) fn new(begins_inside_thought: bool) -> Self {
        let splitter = if begins_inside_thought { ThinkSplitter::inside() } else { ThinkSplitter::default() };
        Assembly {
            splitter,
            text: String::new(),
            reasoning: String::new(),
            tool_calls: Vec::new(),
            tool_indices: Vec::new(),
            finish: None,
            model: None,
            usage: None,
            began_inside_thought: false,
            next_estimate: 0,
        }
    }

    /// Takes the next chunk and passes on its new content.
    pub(super) fn add(&mut self, chunk: Chunk, sink: DeltaSink<'_>) {
        let choices = chunk.choices.unwrap_or_default();
        let extra = chunk.x_groq.and_then(|extra| extra.usage).or(choices.iter().find_map(|choice| choice.usage));
        // Some endpoints report a running count in every chunk: the last one is the total.
        self.usage = chunk.usage.or(extra).or(self.usage);
        if let Some(model) = chunk.model.filter(|model| !model.is_empty()) {
            self.model = Some(model);
        }
        for choice in choices.into_iter().filter(|choice| choice.index.unwrap_or(0) == 0) {
            if let Some(part) = choice.delta.or(choice.message) {
                self.add_part(part, sink);
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(finish(&reason));
            }
        }
    }

    fn add_part(&mut self, part: Part, sink: DeltaSink<'_>) {
        // Two names for the same field; an endpoint that sends both sends the same words twice.
        if let Some(reasoning) = part.reasoning_content.or(part.reasoning).filter(|words| !words.is_empty()) {
            sink(Delta::Reasoning(&reasoning));
            self.reasoning.push_str(&reasoning);
        }
        match part.content {
            Some(Content::Text(text)) => self.add_text(&text, sink),
            Some(Content::Parts(parts)) => {
                for part in parts {
                    match (part["type"].as_str(), part["text"].as_str()) {
                        (_, Some(text)) => self.add_text(text, sink),
                        (Some("thinking"), _) => {
                            for words in part["thinking"].as_array().into_iter().flatten() {
                                let words = words["text"].as_str().unwrap_or_default();
                                sink(Delta::Reasoning(words));
                                self.reasoning.push_str(words);
                            }
                        }
                        _ => {}
                    }
                }
            }
            None => {}
        }
        if let Some(refusal) = part.refusal {
            self.add_text(&refusal, sink);
        }
        for call in part.tool_calls.into_iter().flatten() {
            self.add_tool_call(call);
        }
    }

    fn add_text(&mut self, delta: &str, sink: DeltaSink<'_>) {
        let (text, reasoning, began) = (&mut self.text, &mut self.reasoning, &mut self.began_inside_thought);
        self.splitter.push(delta, &mut |piece| sort(piece, text, reasoning, began, sink));
    }

    fn add_tool_call(&mut self, call: WireToolCall) {
        let id = call.id.unwrap_or_default();
        let (name, arguments) = call.function.map(|function| (function.name, function.arguments)).unwrap_or_default();
        let name = name.unwrap_or_default();
        let arguments = match arguments {
            Some(Value::String(part)) => part,
            Some(Value::Null) | None => String::new(),
            Some(whole) => whole.to_string(),
        };
        // Without an index, a piece belongs to the last call.
        let index = call.index.or(self.tool_indices.last().copied()).unwrap_or(0);
        let same_index = |at: &usize| self.tool_indices[*at] == index;
        let same_id = |at: &usize| same_index(at) && !id.is_empty() && self.tool_calls[*at].id == id;
        let calls = || (0..self.tool_calls.len()).rev();
        let known = calls().find(same_id).or_else(|| calls().find(same_index));
        let at = match known.filter(|&at| !begins_another(&self.tool_calls[at], &id, &name, &arguments)) {
            Some(at) => at,
            None => {
                self.tool_indices.push(index);
                self.tool_calls.push(ToolCall { id: String::new(), name: String::new(), arguments: String::new() });
                self.tool_calls.len() - 1
            }
        };
        let known = &mut self.tool_calls[at];
        if !id.is_empty() {
            known.id = id;
        }
        // Some endpoints repeat the name in every piece.
        if known.name != name {
            known.name.push_str(&name);
        }
        known.arguments.push_str(&arguments);
    }

    /// Takes the end of the stream: passes on everything held back.
    pub(super) fn end(&mut self, sink: DeltaSink<'_>) {
        let (text, reasoning, began) = (&mut self.text, &mut self.reasoning, &mut self.began_inside_thought);
        self.splitter.finish(&mut |piece| sort(piece, text, reasoning, began, sink));
        for (position, call) in self.tool_calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{position}");
            }
        }
    }

    /// Whether anything has come that costs output tokens.
    pub(super) fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.tool_calls.is_empty()
    }

    /// Whether the reply is far longer than its limit on tokens, because the endpoint does not enforce it. An estimate
    /// may be twice the model's own count, so only more than twice the limit counts.
    pub(super) fn exceeds(&mut self, most: u64) -> bool {
        let calls: usize = self.tool_calls.iter().map(|call| call.arguments.len()).sum();
        let length = self.text.len() + self.reasoning.len() + calls;
        if length < self.next_estimate {
            return false;
        }
        // Estimating at every piece would take time that grows with the square of the length.
        self.next_estimate = length + length / 8 + 64;
        self.estimated_tokens() > most.saturating_mul(2)
    }

    fn estimated_tokens(&self) -> u64 {
        let calls = self.tool_calls.iter().map(|call| estimate_tokens(&call.arguments) + estimate_tokens(&call.name));
        estimate_tokens(&self.text) + estimate_tokens(&self.reasoning) + calls.sum::<u64>()
    }

    /// Returns the tokens of the reply: as reported, or else estimated from lengths. The caller adds calls and money.
    pub(super) fn usage(&self, request: &ChatRequest) -> Usage {
        let reported = self.usage.and_then(|usage| Some((usage, usage.prompt_tokens?, usage.completion_tokens?)));
        if let Some((usage, prompt_tokens, completion_tokens)) = reported {
            let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
            let cached_tokens = cached.or(usage.prompt_cache_hit_tokens).unwrap_or(0);
            return Usage { prompt_tokens, cached_tokens, completion_tokens, ..Usage::default() };
        }
        Usage {
            prompt_tokens: request.estimated_tokens(),
            completion_tokens: self.estimated_tokens(),
            estimated: true,
            ..Usage::default()
        }
    }
}

/// Whether a piece with the index of a known call begins another call: it names a tool, and has another id, or none
/// while the known call is complete. Only a name begins a call, since some endpoints give each piece an id of its own.
fn begins_another(known: &ToolCall, id: &str, name: &str, arguments: &str) -> bool {
    if name.is_empty() || known.name.is_empty() {
        return false;
    }
    if !id.is_empty() && !known.id.is_empty() {
        return known.id != id;
    }
    let is_complete = serde_json::from_str::<Value>(&known.arguments).is_ok();
    is_complete && (known.name != name || !arguments.is_empty())
}

/// Adds one sorted piece to the text or reasoning and passes it on.
fn sort(piece: Piece<'_>, text: &mut String, reasoning: &mut String, began: &mut bool, sink: DeltaSink<'_>) {
    match piece {
        Piece::Text(words) => {
            text.push_str(words);
            sink(Delta::Text(words));
        }
        Piece::Reasoning(words) => {
            reasoning.push_str(words);
            sink(Delta::Reasoning(words));
        }
        Piece::ThoughtSoFar => {
            *began = true;
            sink(Delta::Restart);
            reasoning.push_str(&std::mem::take(text));
            sink(Delta::Reasoning(reasoning));
        }
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "content_filter" | "sensitive" | "safety" => Finish::ContentFilter,
        // `stop`, `eos`, `end_turn` and any other name that an endpoint has for it.
        _ => Finish::Stop,
    }
}
