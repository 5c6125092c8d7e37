//! Chat completions: every strategy is a model, the progress of a run is its reasoning, and its report is the answer.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::report::{CitationStream, annotations, sources, unlinked};
use super::stream::{EndsWithClient, Wording, answer, json_event};
use super::wire::{Answer, Path, body, error_response, with_hint};
use crate::app::follow_up_in_conversation;
use crate::base::text::excerpt;
use crate::domain::Strategy;
use crate::serve::desk::Question;
use crate::serve::kept::{ClientEvent, End, EndStatus};
use crate::serve::run::{Phase, ServedRun};
use crate::serve::{Access, Refusal};

/// The model that uses the strategy of the settings; other models add the name of their strategy.
const MODEL: &str = "deepsearch";

#[derive(Deserialize)]
struct ChatBody {
    model: String,
    messages: Vec<Message>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// An extension of OpenAI's interface: the collections to search.
    #[serde(default)]
    collections: Vec<String>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

/// A message of a conversation.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Message {
    pub role: String,
    /// A text, or a list of parts, some of which are texts.
    #[serde(default)]
    pub content: Value,
}

impl Message {
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.trim().to_owned(),
            Value::Array(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
                texts.join("\n").trim().to_owned()
            }
            _ => String::new(),
        }
    }
}

/// Lists the models.
pub(super) async fn models() -> Response {
    let all: Vec<Value> = model_names().iter().map(|name| model(name)).collect();
    axum::Json(json!({"object": "list", "data": all})).into_response()
}

/// Describes one model.
pub(super) async fn one_model(Path(name): Path<String>) -> Answer {
    strategy_of(&name)?;
    Ok(axum::Json(model(&name)).into_response())
}

fn model(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "deepsearch"})
}

fn model_names() -> Vec<String> {
    let strategies = Strategy::ALL.iter().map(|strategy| format!("{MODEL}-{}", strategy.name()));
    std::iter::once(MODEL.to_owned()).chain(strategies).collect()
}

/// The strategy that a model stands for; `None`: as in the settings.
pub(super) fn strategy_of(model: &str) -> Result<Option<String>, Refusal> {
    if model == MODEL {
        return Ok(None);
    }
    let name = model.strip_prefix(MODEL).and_then(|rest| rest.strip_prefix('-'));
    match name.filter(|name| Strategy::ALL.iter().any(|strategy| strategy.name() == *name)) {
        Some(name) => Ok(Some(name.to_owned())),
        None => Err(Refusal::not_found(format!("there is no model `{}`", excerpt(model, 60)))
            .with_hint(format!("the models are {}", model_names().join(", ")))),
    }
}

/// The question of a conversation, with what it carries over from the messages before it.
pub(super) fn question_of(messages: &[Message]) -> Result<Question, Refusal> {
    let last = messages.iter().rposition(|message| message.role == "user" && !message.text().is_empty());
    let Some(last) = last else {
        return Err(Refusal::bad("there is no question").with_hint("the messages need one of the role `user`"));
    };
    let (earlier, asked) = (messages.get(..last).unwrap_or_default(), messages[last].text());
    let questions = earlier.iter().filter(|message| message.role == "user").map(Message::text);
    let questions: Vec<String> = questions.filter(|text| !text.is_empty()).collect();
    let answered = earlier.iter().rev().find(|message| message.role == "assistant").map(Message::text);
    let follow_up = follow_up_in_conversation(&asked, &questions, &unlinked(&answered.unwrap_or_default()));
    Ok(Question { asked, follow_up, ..Question::default() })
}

/// Answers a conversation, as a whole or as a stream. The run ends when its client leaves.
pub(super) async fn complete(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    bytes: Bytes,
) -> Answer {
    let request: ChatBody = body(&bytes)?;
    let strategy = strategy_of(&request.model)?;
    let question = Question {
        collections: request.collections,
        strategy,
        attached: true,
        request: json!({"model": request.model}),
        ..question_of(&request.messages)?
    };
    let run = server.0.desk.ask(question, &access).await?;
    let guard = EndsWithClient::new(Arc::clone(&server.0.desk), Arc::clone(&run));
    let base = server.0.base.clone();
    if request.stream == Some(true) {
        let usage = request.stream_options.and_then(|options| options.include_usage) == Some(true);
        let shown = CitationStream::of(&run.ticket.id, &base);
        let wording = Chunks { run: Arc::clone(&run), model: request.model, usage, shown };
        return Ok(answer(run, wording, server.0.stop.clone(), Some(guard)));
    }
    let end = ended(&run, &server).await?;
    let response = whole(&run, &end, &request.model, &base);
    drop(guard);
    Ok(response)
}

/// Waits for the end of a run, however long it takes.
pub(super) async fn ended(run: &ServedRun, server: &Server) -> Result<Arc<End>, Refusal> {
    loop {
        let news = run.wait_after(usize::MAX, std::time::Duration::from_secs(60));
        let (_, phase) = tokio::select! {
            () = server.0.stop.cancelled() => {
                return Err(Refusal::new(crate::serve::RefusalKind::Busy, "the server is stopping"));
            }
            news = news => news,
        };
        if let Phase::Ended(end) = phase {
            return Ok(end);
        }
    }
}

fn whole(run: &ServedRun, end: &End, model: &str, base: &str) -> Response {
    let Some(report) = end.report.as_ref().filter(|_| end.status == EndStatus::Completed) else {
        return error_response(StatusCode::INTERNAL_SERVER_ERROR, why_no_report(end), end.hint.as_deref());
    };
    let (told, _) = run.after(0);
    let reasoning: Vec<&str> = told.iter().filter_map(|one| one.line.as_deref()).collect();
    let sources = sources(report, base);
    let text = CitationStream::of(&run.ticket.id, base).whole(report["markdown"].as_str().unwrap_or_default());
    let citations: Vec<Value> = annotations(&text, &sources).iter().map(chat_annotation).collect();
    axum::Json(json!({
        "id": format!("chatcmpl-{}", run.ticket.id),
        "object": "chat.completion",
        "created": run.ticket.created.as_second(),
        "model": model,
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": text,
                "refusal": null,
                "reasoning_content": reasoning.join("\n"),
                "annotations": citations,
            },
            "finish_reason": "stop",
            "logprobs": null,
        }],
        "usage": usage(report),
    }))
    .into_response()
}

fn why_no_report(end: &End) -> &str {
    end.error.as_deref().unwrap_or("the research was cancelled")
}

/// In chat completions, the fields of an annotation are nested one level deeper than in responses.
fn chat_annotation(annotation: &Value) -> Value {
    let mut fields = annotation.clone();
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("type");
    }
    json!({"type": "url_citation", "url_citation": fields})
}

fn usage(report: &Value) -> Value {
    let count = |name: &str| report["usage"][name].as_u64().unwrap_or_default();
    let (prompt, completion) = (count("prompt_tokens"), count("completion_tokens"));
    json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
}

/// A run as the chunks of a chat completion.
struct Chunks {
    run: Arc<ServedRun>,
    model: String,
    usage: bool,
    shown: CitationStream,
}

impl Chunks {
    fn chunk(&self, delta: Value, finish: Option<&str>) -> Event {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null});
        json_event(&self.with_choices(json!([choice])))
    }

    fn content(&self, text: &str) -> Vec<Event> {
        let some = (!text.is_empty()).then(|| self.chunk(json!({"content": text}), None));
        some.into_iter().collect()
    }

    fn with_choices(&self, choices: Value) -> Value {
        json!({
            "id": format!("chatcmpl-{}", self.run.ticket.id),
            "object": "chat.completion.chunk",
            "created": self.run.ticket.created.as_second(),
            "model": self.model,
            "choices": choices,
        })
    }
}

impl Wording for Chunks {
    fn begin(&mut self) -> Vec<Event> {
        vec![self.chunk(json!({"role": "assistant", "content": ""}), None)]
    }

    fn told(&mut self, _: usize, told: &ClientEvent) -> Vec<Event> {
        if let Some(text) = told.text() {
            let text = self.shown.piece(text);
            return self.content(&text);
        }
        told.line.iter().map(|line| self.chunk(json!({"reasoning_content": format!("{line}\n")}), None)).collect()
    }

    fn end(&mut self, end: &End) -> Vec<Event> {
        let done = Event::default().data("[DONE]");
        let Some(report) = end.report.as_ref().filter(|_| end.status == EndStatus::Completed) else {
            let message = with_hint(why_no_report(end), end.hint.as_deref());
            let error = json!({"error": {"message": message, "type": "server_error", "param": null, "code": null}});
            return vec![json_event(&error), done];
        };
        let rest = self.shown.rest();
        let mut events = self.content(&rest);
        events.push(self.chunk(json!({}), Some("stop")));
        if self.usage {
            let mut last = self.with_choices(json!([]));
            last["usage"] = usage(report);
            events.push(json_event(&last));
        }
        events.push(done);
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str, content: Value) -> Message {
        Message { role: role.to_owned(), content }
    }

    #[test]
    fn a_follow_up_is_asked_with_what_came_before() {
        let first = message("user", json!("Who directed the film?"));
        let answer = message("assistant", json!("David Silverman [1]."));
        let second = message("user", json!([{"type": "text", "text": "And what did it earn?"}]));
        let system = message("system", json!("Be brief."));
        let asked = |messages: &[&Message]| {
            let all: Vec<Message> = messages.iter().map(|&one| one.clone()).collect();
            question_of(&all).map(|question| (question.asked, question.follow_up))
        };
        assert_eq!(asked(&[&system, &first]).unwrap(), ("Who directed the film?".to_owned(), None));
        let (words, follow_up) = asked(&[&first, &answer, &second]).unwrap();
        assert_eq!(words, "And what did it earn?");
        let follow_up = follow_up.unwrap();
        assert_eq!(follow_up.query, "And what did it earn? (Who directed the film)");
        assert!(follow_up.conversation.contains("David Silverman"), "{follow_up:?}");
        assert!(asked(&[&system]).is_err());
        assert!(asked(&[&message("user", json!(null))]).is_err());
    }

    #[test]
    fn every_strategy_is_a_model() {
        for name in model_names() {
            assert!(strategy_of(&name).is_ok(), "{name}");
        }
        assert_eq!(strategy_of("deepsearch-react").unwrap().as_deref(), Some("react"));
        for name in ["gpt-5", "deepsearch-", "deepsearch-magic", "deepsearchdeep", ""] {
            assert!(strategy_of(name).is_err(), "{name}");
        }
    }
}
