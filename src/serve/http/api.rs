//! The program's own HTTP interface.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Server;
use super::stream::{Wording, answer};
use super::wire::{Answer, Path, Query, body};
use crate::domain::SubQuery;
use crate::serve::desk::{Question, status_name};
use crate::serve::kept::{ClientEvent, End};
use crate::serve::run::{Phase, ServedRun};
use crate::serve::{Access, Refusal};

/// The maximum number of runs in one list.
const MAX_RUNS: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchBody {
    query: String,
    #[serde(default)]
    collections: Vec<String>,
    #[serde(default)]
    k: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerifyBody {
    report: String,
    #[serde(default)]
    collections: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct ReadQuery {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunBody {
    question: String,
    #[serde(default)]
    collections: Vec<String>,
    #[serde(default)]
    strategy: Option<String>,
    #[serde(default)]
    plan: Vec<PlannedSearch>,
    #[serde(default)]
    follows: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedSearch {
    query: String,
    #[serde(default)]
    collections: Vec<String>,
}

impl RunBody {
    fn question(self) -> Question {
        let RunBody { question: asked, collections, strategy, plan, follows } = self;
        let search = |PlannedSearch { query, collections }| SubQuery { text: query, collections };
        let plan = plan.into_iter().map(search).collect();
        Question { asked, collections, strategy, plan, follows, ..Question::default() }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CancelBody {
    write_report: bool,
}

#[derive(Deserialize)]
pub(super) struct EventsQuery {
    #[serde(default)]
    after: Option<usize>,
}

/// Says that the server is alive.
pub(super) async fn health() -> Response {
    axum::Json(json!({"status": "ok"})).into_response()
}

/// The machine-readable description of the interface.
pub(super) async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], include_str!("openapi.json")).into_response()
}

pub(super) async fn search(State(server): State<Server>, Extension(access): Extension<Access>, bytes: Bytes) -> Answer {
    let SearchBody { query, collections, k } = body(&bytes)?;
    let results = server.0.library.search(&query, collections, k, &access).await?;
    Ok(axum::Json(json!({"results": results})).into_response())
}

pub(super) async fn read(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Query(ReadQuery { id }): Query<ReadQuery>,
) -> Answer {
    Ok(axum::Json(server.0.library.fetch(&id, &access).await?).into_response())
}

pub(super) async fn collections(State(server): State<Server>, Extension(access): Extension<Access>) -> Answer {
    let collections = server.0.library.collections(&access).await?;
    Ok(axum::Json(json!({"collections": collections})).into_response())
}

/// A collection with its documents.
pub(super) async fn collection(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(name): Path<String>,
) -> Answer {
    let (collection, documents, unreadable) = server.0.library.collection(&name, &access).await?;
    let told = json!({"collection": collection, "documents": documents, "unreadable": unreadable});
    Ok(axum::Json(told).into_response())
}

/// Checks whether a report still agrees with the documents.
pub(super) async fn verify(State(server): State<Server>, Extension(access): Extension<Access>, bytes: Bytes) -> Answer {
    let VerifyBody { report, collections } = body(&bytes)?;
    Ok(axum::Json(server.0.library.verify(&report, collections, &access).await?).into_response())
}

/// The events from earlier runs, newest first, and their timeline as a picture.
pub(super) async fn memory(State(server): State<Server>, Extension(access): Extension<Access>) -> Answer {
    let (events, picture) = server.0.library.memory(&access).await?;
    Ok(axum::Json(json!({"events": events, "picture": picture})).into_response())
}

pub(super) async fn runs(State(server): State<Server>, Extension(access): Extension<Access>) -> Answer {
    let desk = Arc::clone(&server.0.desk);
    // This may read many files.
    let listed = tokio::task::spawn_blocking(move || desk.list(&access, MAX_RUNS));
    let runs = listed.await.map_err(|error| Refusal::failed(format!("the runs cannot be listed: {error}")))??;
    Ok(axum::Json(json!({"runs": runs})).into_response())
}

pub(super) async fn start(State(server): State<Server>, Extension(access): Extension<Access>, bytes: Bytes) -> Answer {
    let run = server.0.desk.ask(body::<RunBody>(&bytes)?.question(), &access).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(shown(&run))).into_response())
}

/// The searches that would come first, to be edited and sent along with the question.
pub(super) async fn plan(State(server): State<Server>, Extension(access): Extension<Access>, bytes: Bytes) -> Answer {
    let preview = server.0.desk.plan(&body::<RunBody>(&bytes)?.question(), &access).await?;
    let searches: Vec<Value> = preview
        .sub_queries
        .iter()
        .map(|query| json!({"query": query.text, "collections": query.collections}))
        .collect();
    // Quoting costs nothing.
    let cost = server.0.desk.reasons().then(|| json!({"least": preview.least, "most": preview.most}));
    let told = json!({"strategy": preview.strategy, "reason": preview.reason, "plan": searches, "cost": cost});
    Ok(axum::Json(told).into_response())
}

pub(super) async fn run(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(id): Path<String>,
) -> Answer {
    Ok(axum::Json(shown(&*server.0.desk.find(&id, &access)?)).into_response())
}

pub(super) async fn cancel(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let CancelBody { write_report } = if bytes.is_empty() { CancelBody::default() } else { body(&bytes)? };
    let run = server.0.desk.find(&id, &access)?;
    server.0.desk.cancel(&run, write_report)?;
    Ok((StatusCode::ACCEPTED, axum::Json(shown(&run))).into_response())
}

/// The events of a run, from the one after the last that the client saw.
pub(super) async fn events(
    State(server): State<Server>,
    Extension(access): Extension<Access>,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Answer {
    let run = server.0.desk.find(&id, &access)?;
    let last = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let after = query.after.or(last).unwrap_or(0);
    Ok(answer(run, EventReplay { after }, server.0.stop.clone(), None))
}

fn shown(run: &ServedRun) -> Value {
    let (told, phase) = run.after(0);
    let mut shown = json!({
        "id": run.ticket.id,
        "status": status_name(&phase),
        "question": run.ticket.asked,
        "collections": run.ticket.collections,
        "strategy": run.ticket.strategy,
        "created": run.ticket.created,
        "events": told.len(),
    });
    match phase {
        Phase::Queued(ahead) => shown["ahead"] = json!(ahead),
        Phase::Running => {}
        Phase::Ended(end) => {
            shown["ended"] = json!(end.at);
            shown["report"] = json!(end.report);
            shown["error"] = json!(end.error);
            shown["hint"] = json!(end.hint);
        }
    }
    shown
}

/// Every event under its number, then the end.
struct EventReplay {
    after: usize,
}

impl Wording for EventReplay {
    fn told(&mut self, number: usize, told: &ClientEvent) -> Vec<Event> {
        if number <= self.after {
            return Vec::new();
        }
        self.after = number;
        vec![Event::default().id(number.to_string()).data(json!({"line": told.line, "event": told.event}).to_string())]
    }

    fn end(&mut self, end: &End) -> Vec<Event> {
        let data = json!({"status": end.status, "error": end.error, "hint": end.hint});
        vec![Event::default().event("end").data(data.to_string())]
    }
}
