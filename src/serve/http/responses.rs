//! Responses: researches in the background that can be retrieved later, and whose streams can be resumed.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::Event;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::chat::{Message, ended, question_of, strategy_of};
use super::report::{CitationStream, annotations, sources};
use super::stream::{EndsWithClient, Wording, answer};
use super::wire::{Answer, Path, Query, body, with_hint};
use crate::base::text::excerpt;
use crate::serve::desk::Question;
use crate::serve::kept::{ClientEvent, End, EndStatus, Ticket};
use crate::serve::run::{Phase, ServedRun};
use crate::serve::{Access, Refusal};

const PREFIX: &str = "resp_";
/// The maximum number of earlier responses that are added to a conversation.
const MAX_EARLIER: usize = 8;

#[derive(Deserialize)]
struct ResponseBody {
    model: String,
    input: Value,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    background: Option<bool>,
    #[serde(default)]
    previous_response_id: Option<String>,
    #[serde(default)]
    metadata: Value,
    /// An extension of OpenAI's interface: the collections to search.
    #[serde(default)]
    collections: Vec<String>,
}

/// The parameters for retrieving a response.
#[derive(Deserialize)]
pub(super) struct ResumeQuery {
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    starting_after: Option<u64>,
}

/// Begins a research.
pub(super) async fn create(State(server): State<Server>, Extension(access): Extension<Access>, bytes: Bytes) -> Answer {
    let request: ResponseBody = body(&bytes)?;
    let strategy = strategy_of(&request.model)?;
    let desk = &server.0.desk;
    let mut messages = earlier(&server, request.previous_response_id.as_deref(), &access)?;
    messages.extend(messages_of(&request.input)?);
    let background = request.background == Some(true);
    let question = Question {
        collections: request.collections,
        strategy,
        attached: !background,
        request: json!({
            "model": request.model,
            "background": background,
            "previous": request.previous_response_id,
            "metadata": request.metadata,
        }),
        ..question_of(&messages)?
    };
    let run = desk.ask(question, &access).await?;
    let guard = (!background).then(|| EndsWithClient::new(Arc::clone(desk), Arc::clone(&run)));
    if request.stream == Some(true) {
        let wording = Deltas::new(run.ticket.clone(), server.0.base.clone(), None);
        return Ok(answer(run, wording, server.0.stop.clone(), guard));
    }
    if !background {
        ended(&run, &server).await?;
    }
    Ok(axum::Json(object(&run, &server.0.base)).into_response())
}

/// Returns a response in its current state, or its stream from a given number on.
pub(super) async fn retrieve(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(id): Path<String>,
    Query(again): Query<ResumeQuery>,
) -> Answer {
    let run = find(&server, &id, &access)?;
    if again.stream == Some(true) {
        let wording = Deltas::new(run.ticket.clone(), server.0.base.clone(), again.starting_after);
        return Ok(answer(run, wording, server.0.stop.clone(), None));
    }
    Ok(axum::Json(object(&run, &server.0.base)).into_response())
}

/// Ends a research at once.
pub(super) async fn cancel(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(id): Path<String>,
) -> Answer {
    let run = find(&server, &id, &access)?;
    server.0.desk.cancel(&run, false)?;
    // The run has ended once its current work is dropped.
    ended(&run, &server).await?;
    Ok(axum::Json(object(&run, &server.0.base)).into_response())
}

fn find(server: &Server, id: &str, access: &Access) -> Result<Arc<ServedRun>, Refusal> {
    let unknown = || Refusal::not_found(format!("there is no response `{}`", excerpt(id, 60)));
    let run = id.strip_prefix(PREFIX).ok_or_else(unknown)?;
    server.0.desk.find(run, access)
}

/// The questions and answers of the earlier responses, oldest first.
fn earlier(server: &Server, previous: Option<&str>, access: &Access) -> Result<Vec<Message>, Refusal> {
    let mut messages = Vec::new();
    let mut next = previous.map(str::to_owned);
    while let Some(id) = next.take() {
        let run = find(server, &id, access)?;
        if let Phase::Ended(end) = run.phase()
            && let Some(text) = end.report.as_ref().and_then(|report| report["markdown"].as_str())
        {
            messages.push(Message { role: "assistant".to_owned(), content: json!(text) });
        }
        messages.push(Message { role: "user".to_owned(), content: json!(run.ticket.asked) });
        if messages.len() < 2 * MAX_EARLIER {
            next = run.ticket.request["previous"].as_str().map(str::to_owned);
        }
    }
    messages.reverse();
    Ok(messages)
}

/// Parses a text or a list of messages.
fn messages_of(input: &Value) -> Result<Vec<Message>, Refusal> {
    match input {
        Value::String(_) => Ok(vec![Message { role: "user".to_owned(), content: input.clone() }]),
        Value::Array(items) => Ok(items
            .iter()
            .filter_map(|item| {
                let role = item["role"].as_str()?.to_owned();
                Some(Message { role, content: item["content"].clone() })
            })
            .collect()),
        _ => Err(Refusal::bad("`input` must be a text or a list of messages")),
    }
}

/// A response in its current state.
fn object(run: &ServedRun, base: &str) -> Value {
    let (told, phase) = run.after(0);
    let mut deltas = Deltas::new(run.ticket.clone(), base.to_owned(), Some(u64::MAX));
    deltas.begin();
    for (number, one) in (1..).zip(&told) {
        deltas.told(number, one);
    }
    match phase {
        Phase::Queued(_) => deltas.response("queued", None),
        Phase::Running => deltas.response("in_progress", None),
        Phase::Ended(end) => {
            deltas.end(&end);
            deltas.response(end.status.name(), Some(&end))
        }
    }
}

/// A run as the events of a response. They depend only on the events of the run, so that their numbers are the same
/// whenever and wherever the stream is requested.
struct Deltas {
    ticket: Ticket,
    base: String,
    /// Only events with a higher number are sent.
    after: Option<u64>,
    next: u64,
    open: Open,
    index: u64,
    shown: CitationStream,
    text: String,
    /// The finished items of the output.
    output: Vec<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Reasoning,
    Message,
}

impl Deltas {
    fn new(ticket: Ticket, base: String, after: Option<u64>) -> Self {
        let shown = CitationStream::of(&ticket.id, &base);
        Deltas {
            ticket,
            base,
            after,
            next: 0,
            open: Open::Nothing,
            index: 0,
            shown,
            text: String::new(),
            output: Vec::new(),
        }
    }

    fn event(&mut self, kind: &str, mut fields: Value) -> Option<Event> {
        let number = self.next;
        self.next += 1;
        if self.after.is_some_and(|after| number <= after) {
            return None;
        }
        if let Some(fields) = fields.as_object_mut() {
            fields.insert("type".to_owned(), json!(kind));
            fields.insert("sequence_number".to_owned(), json!(number));
        }
        Some(Event::default().event(kind).data(fields.to_string()))
    }

    fn item_id(&self) -> String {
        let kind = if self.open == Open::Reasoning { "rs" } else { "msg" };
        format!("{kind}_{}_{}", self.ticket.id, self.index)
    }

    fn reasoning(&self, status: &str, summary: Value) -> Value {
        json!({"type": "reasoning", "id": self.item_id(), "status": status, "summary": summary})
    }

    fn message(&self, status: &str, content: Value) -> Value {
        json!({"type": "message", "id": self.item_id(), "status": status, "role": "assistant", "content": content})
    }

    fn part(text: &str, annotations: Vec<Value>) -> Value {
        json!({"type": "output_text", "text": text, "annotations": annotations, "logprobs": []})
    }

    /// Opens the item for the next delta.
    fn open(&mut self, item: Open, events: &mut Vec<Event>) {
        if self.open == item {
            return;
        }
        self.close("incomplete", &[], events);
        self.open = item;
        let (id, index) = (self.item_id(), self.index);
        let (item, part, kind, name) = match item {
            Open::Message => (
                self.message("in_progress", json!([])),
                Deltas::part("", Vec::new()),
                "response.content_part.added",
                "content_index",
            ),
            Open::Reasoning | Open::Nothing => (
                self.reasoning("in_progress", json!([])),
                json!({"type": "summary_text", "text": ""}),
                "response.reasoning_summary_part.added",
                "summary_index",
            ),
        };
        events.extend(self.event("response.output_item.added", json!({"output_index": index, "item": item})));
        events.extend(self.event(kind, json!({"item_id": id, "output_index": index, "part": part, name: 0})));
    }

    fn delta(&mut self, delta: &str, events: &mut Vec<Event>) {
        if delta.is_empty() {
            return;
        }
        self.text.push_str(delta);
        let (kind, name) = match self.open {
            Open::Message => ("response.output_text.delta", "content_index"),
            Open::Reasoning | Open::Nothing => ("response.reasoning_summary_text.delta", "summary_index"),
        };
        let fields = json!({"item_id": self.item_id(), "output_index": self.index, "delta": delta, name: 0});
        events.extend(self.event(kind, fields));
    }

    /// Closes the open item. An incomplete message is not part of the output.
    fn close(&mut self, status: &str, citations: &[Value], events: &mut Vec<Event>) {
        let (id, index) = (self.item_id(), self.index);
        let text = std::mem::take(&mut self.text);
        match self.open {
            Open::Nothing => return,
            Open::Reasoning => {
                let part = json!({"type": "summary_text", "text": text});
                let with = |name: &str, value: Value| json!({"item_id": id, "output_index": index, "summary_index": 0, name: value});
                events.extend(self.event("response.reasoning_summary_text.done", with("text", json!(text))));
                events.extend(self.event("response.reasoning_summary_part.done", with("part", part.clone())));
                let item = self.reasoning("completed", json!([part]));
                self.output.push(item.clone());
                events.extend(self.event("response.output_item.done", json!({"output_index": index, "item": item})));
            }
            Open::Message => {
                let with = |name: &str, value: Value| json!({"item_id": id, "output_index": index, "content_index": 0, name: value});
                for (number, citation) in citations.iter().enumerate() {
                    let mut fields = with("annotation", citation.clone());
                    fields["annotation_index"] = json!(number);
                    events.extend(self.event("response.output_text.annotation.added", fields));
                }
                let mut fields = with("text", json!(text));
                fields["logprobs"] = json!([]);
                events.extend(self.event("response.output_text.done", fields));
                let part = Deltas::part(&text, citations.to_vec());
                events.extend(self.event("response.content_part.done", with("part", part.clone())));
                let item = self.message(status, json!([part]));
                if status == "completed" {
                    self.output.push(item.clone());
                }
                events.extend(self.event("response.output_item.done", json!({"output_index": index, "item": item})));
            }
        }
        self.open = Open::Nothing;
        self.index += 1;
        self.shown = CitationStream::of(&self.ticket.id, &self.base);
    }

    fn response(&self, status: &str, end: Option<&End>) -> Value {
        let report = end.and_then(|end| end.report.as_ref());
        let usage = report.map(|report| {
            let count = |name: &str| report["usage"][name].as_u64().unwrap_or_default();
            let (input, output) = (count("prompt_tokens"), count("completion_tokens"));
            json!({
                "input_tokens": input,
                "input_tokens_details": {"cached_tokens": count("cached_tokens")},
                "output_tokens": output,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": input + output,
            })
        });
        let error = end
            .and_then(|end| end.error.as_ref().map(|error| (error, &end.hint)))
            .map(|(error, hint)| json!({"code": "server_error", "message": with_hint(error, hint.as_deref())}));
        json!({
            "id": format!("{PREFIX}{}", self.ticket.id),
            "object": "response",
            "created_at": self.ticket.created.as_second(),
            "completed_at": end.map(|end| end.at.as_second()),
            "status": status,
            "background": self.ticket.request["background"],
            "model": self.ticket.request["model"],
            "previous_response_id": self.ticket.request["previous"],
            "metadata": self.ticket.request["metadata"],
            "error": error,
            "incomplete_details": null,
            "instructions": null,
            "output": self.output,
            "parallel_tool_calls": false,
            "tool_choice": "none",
            "tools": [],
            "temperature": null,
            "top_p": null,
            "usage": usage,
        })
    }
}

impl Wording for Deltas {
    fn begin(&mut self) -> Vec<Event> {
        let response = self.response("in_progress", None);
        let mut events = Vec::new();
        events.extend(self.event("response.created", json!({"response": response})));
        events.extend(self.event("response.in_progress", json!({"response": response})));
        events
    }

    fn told(&mut self, _: usize, told: &ClientEvent) -> Vec<Event> {
        let mut events = Vec::new();
        if let Some(text) = told.text() {
            self.open(Open::Message, &mut events);
            let text = self.shown.piece(text);
            self.delta(&text, &mut events);
        } else if told.is_rewrite() {
            // Text that was sent cannot be withdrawn; a new message follows.
            self.close("incomplete", &[], &mut events);
        } else if let Some(line) = &told.line {
            // A warning in the middle of the report is also in the report's own account.
            if self.open != Open::Message {
                self.open(Open::Reasoning, &mut events);
                self.delta(&format!("{line}\n"), &mut events);
            }
        }
        events
    }

    fn end(&mut self, end: &End) -> Vec<Event> {
        let mut events = Vec::new();
        let kind = match end.report.as_ref().filter(|_| end.status == EndStatus::Completed) {
            Some(report) => {
                let sources = sources(report, &self.base);
                self.open(Open::Message, &mut events);
                let rest = self.shown.rest();
                self.delta(&rest, &mut events);
                let citations = annotations(&self.text, &sources);
                self.close("completed", &citations, &mut events);
                "response.completed"
            }
            None => {
                self.close("incomplete", &[], &mut events);
                "response.failed"
            }
        };
        let response = self.response(end.status.name(), Some(end));
        events.extend(self.event(kind, json!({"response": response})));
        events
    }
}
