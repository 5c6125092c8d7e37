//! The tools: their arguments and results.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{JsonObject, ProgressNotificationParam, Tool, ToolAnnotations};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Value, json};

use super::McpServer;
use crate::base::text::excerpt;
use crate::serve::desk::{Question, status_name};
use crate::serve::kept::EndStatus;
use crate::serve::library::address;
use crate::serve::run::{Phase, ServedRun};
use crate::serve::{Access, Refusal, RefusalKind};

/// The maximum time that a status request waits for news.
const MAX_WAIT_SECONDS: u64 = 8;
/// The name of the tool that returns a report.
pub(super) const RESULT: &str = "research_result";
/// The maximum number of progress lines in one answer, the newest ones.
const MAX_LINES: usize = 30;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArguments {
    query: String,
    #[serde(default)]
    collections: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchArguments {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartArguments {
    question: String,
    #[serde(default)]
    collections: Vec<String>,
    strategy: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunArguments {
    id: String,
    wait_seconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelArguments {
    id: String,
    #[serde(default)]
    write_report: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerifyArguments {
    report: String,
    #[serde(default)]
    collections: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadArguments {
    path: String,
    collection: Option<String>,
}

/// The tools on offer; with `load`, including the one that loads files.
pub(super) fn specs(load: bool) -> Vec<Tool> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let collections = json!({
        "type": "array", "items": {"type": "string"},
        "description": "Names of collections to search, as `collections` lists them; all where it is left out",
    });
    let id = text("The id that research_start gave");
    let wait = json!({
        "type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS,
        "description": "Wait for news for at most this many seconds",
    });
    let reads = |title: &str| ToolAnnotations::with_title(title).read_only(true).open_world(false);
    let result = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}},
        "required": ["id", "title", "url"],
    });
    let mut all = vec![
        tool(
            "search",
            "Search the documents: the best passages for a query, by words and by meaning. Read them with fetch.",
            &[("query", text("What to look for, in plain words"), true), ("collections", collections.clone(), false)],
            reads("Search documents"),
        )
        .with_raw_output_schema(object(&[("results", json!({"type": "array", "items": result}), true)])),
        tool(
            "fetch",
            "Read what search found: a passage with those beside it (an id such as d12#3), or a whole document (d12).",
            &[("id", text("An id that search gave, or the part before # for the whole document"), true)],
            reads("Read a document"),
        )
        .with_raw_output_schema(object(&[
            ("id", json!({"type": "string"}), true),
            ("title", json!({"type": "string"}), true),
            ("text", json!({"type": "string"}), true),
            ("url", json!({"type": "string"}), true),
            ("metadata", json!({"type": "object"}), false),
        ])),
        tool(
            "verify",
            "Check whether a report that research_result gave, now or long ago, still says what the documents say: each \
             citation and each sentence gets a verdict.",
            &[("report", text("The whole report, as it was given"), true), ("collections", collections.clone(), false)],
            reads("Verify a report"),
        ),
        tool(
            "collections",
            "List the collections of documents: what each holds and how much.",
            &[],
            reads("List collections"),
        ),
        tool(
            "research_start",
            "Begin to research a question in the documents, in the background: plan, search, look at what is missing, \
             write a report with citations. Gives an id at once; it takes from seconds to minutes.",
            &[
                ("question", text("The question, with all that is needed to understand it"), true),
                ("collections", collections, false),
                (
                    "strategy",
                    json!({
                        "type": "string", "enum": crate::domain::Strategy::ALL.map(crate::domain::Strategy::name),
                        "description": "The strategy; leave it out unless the user asks for one",
                    }),
                    false,
                ),
            ],
            // Web search, if enabled, and the model behind it are external.
            ToolAnnotations::with_title("Start a research")
                .read_only(false)
                .destructive(false)
                .idempotent(false)
                .open_world(true),
        ),
        tool(
            "research_status",
            "Tell how a research stands and what it did so far. Waits some seconds for news.",
            &[("id", id.clone(), true), ("wait_seconds", wait.clone(), false)],
            reads("Ask how a research stands"),
        ),
        tool(
            RESULT,
            "Give the report of a research that is done, with its citations. Waits some seconds if it is not.",
            &[("id", id.clone(), true), ("wait_seconds", wait, false)],
            reads("Get a report"),
        ),
        tool(
            "research_cancel",
            "End a research: at once, or with a report from what was found so far.",
            &[
                ("id", id, true),
                (
                    "write_report",
                    json!({"type": "boolean", "description": "Write the report from what was found so far"}),
                    false,
                ),
            ],
            ToolAnnotations::with_title("End a research")
                .read_only(false)
                .destructive(true)
                .idempotent(true)
                .open_world(false),
        ),
    ];
    if load {
        all.push(tool(
            "load",
            "Load files into a collection, or refresh them: only what is new or changed is read.",
            &[
                ("path", text("A file or folder, relative to the folder that may be loaded; . is all of it"), true),
                ("collection", text("The collection's name; the folder's name where it is left out"), false),
            ],
            ToolAnnotations::with_title("Load documents")
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        ));
    }
    all
}

/// Calls a tool by its name.
pub(super) async fn call(
    server: &McpServer,
    name: &str,
    arguments: JsonObject,
    access: &Access,
    context: &RequestContext<RoleServer>,
) -> Result<Value, Refusal> {
    match name {
        "search" => {
            let SearchArguments { query, collections } = arguments_of(name, arguments)?;
            let found = server.library.search(&query, collections, None, access).await?;
            let results: Vec<Value> =
                found.iter().map(|one| json!({"id": one.id, "title": one.title, "url": one.url})).collect();
            Ok(json!({"results": results}))
        }
        "fetch" => {
            let FetchArguments { id } = arguments_of(name, arguments)?;
            let fetched = server.library.fetch(&id, access).await?;
            serde_json::to_value(fetched)
                .map_err(|error| Refusal::failed(format!("cannot write the document: {error}")))
        }
        "verify" => {
            let VerifyArguments { report, collections } = arguments_of(name, arguments)?;
            server.library.verify(&report, collections, access).await
        }
        "collections" => {
            let NoArguments {} = arguments_of(name, arguments)?;
            let all = server.library.collections(access).await?;
            let one = |collection: &crate::domain::Collection| {
                json!({
                    "name": collection.name,
                    "description": collection.description,
                    "documents": collection.documents,
                    "passages": collection.chunks,
                })
            };
            Ok(json!({"collections": all.iter().map(one).collect::<Vec<_>>()}))
        }
        "research_start" => {
            let StartArguments { question, collections, strategy } = arguments_of(name, arguments)?;
            let question = Question { asked: question, collections, strategy, ..Question::default() };
            let run = server.desk.ask(question, access).await?;
            let mut told = state(&run);
            told["next"] = json!("ask research_status with this id until the status is completed");
            Ok(told)
        }
        "research_status" => {
            let RunArguments { id, wait_seconds } = arguments_of(name, arguments)?;
            let run = server.desk.find(&id, access)?;
            // Events told before the call are not news.
            let seen = run.told();
            follow(&run, seen, wait_seconds.unwrap_or(MAX_WAIT_SECONDS), WaitUntil::News, context).await;
            Ok(state(&run))
        }
        RESULT => {
            let RunArguments { id, wait_seconds } = arguments_of(name, arguments)?;
            let run = server.desk.find(&id, access)?;
            let seen = run.told();
            follow(&run, seen, wait_seconds.unwrap_or(MAX_WAIT_SECONDS), WaitUntil::End, context).await;
            result(&run)
        }
        "research_cancel" => {
            let CancelArguments { id, write_report } = arguments_of(name, arguments)?;
            let run = server.desk.find(&id, access)?;
            server.desk.cancel(&run, write_report)?;
            follow(&run, usize::MAX, 2, WaitUntil::End, context).await;
            Ok(state(&run))
        }
        "load" => {
            let folder = server.loads_from(access).ok_or_else(|| unknown(name, false))?;
            let LoadArguments { path, collection } = arguments_of(name, arguments)?;
            access.check_load_allowed(collection.as_deref())?;
            server.library.load(inside(folder, &path)?, collection).await
        }
        other => Err(unknown(other, server.loads_from(access).is_some())),
    }
}

fn unknown(name: &str, load: bool) -> Refusal {
    let names: Vec<String> = specs(load).iter().map(|tool| tool.name.to_string()).collect();
    Refusal::not_found(format!("there is no tool `{}`", excerpt(name, 60)))
        .with_hint(format!("the tools are {}", names.join(", ")))
}

/// A file or folder below `folder`, with links resolved; refuses anything outside.
fn inside(folder: &Path, path: &str) -> Result<PathBuf, Refusal> {
    let refused = || {
        Refusal::new(RefusalKind::Forbidden, "only files in the folder that may be loaded can be loaded")
            .with_hint("name the file or folder relative to that folder; . is all of it")
    };
    let root = folder.canonicalize().map_err(|error| Refusal::failed(format!("the folder cannot be read: {error}")))?;
    // Does not reveal whether a file outside exists.
    let found = root.join(path).canonicalize().map_err(|_| refused())?;
    if found.starts_with(&root) { Ok(found) } else { Err(refused()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitUntil {
    News,
    End,
}

/// Waits for news of a run, and reports progress if the client wants it.
async fn follow(run: &ServedRun, seen: usize, seconds: u64, until: WaitUntil, context: &RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(seconds.min(MAX_WAIT_SECONDS));
    let mut seen = seen;
    loop {
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let (told, phase) = run.wait_after(seen, left).await;
        for one in &told {
            seen += 1;
            if let (Some(token), Some(line)) = (&token, &one.line) {
                let param = ProgressNotificationParam::new(token.clone(), seen as f64).with_message(line.clone());
                if context.peer.notify_progress(param).await.is_err() {
                    // Nobody receives it, but the answer is still due.
                    return;
                }
            }
        }
        let ended = matches!(phase, Phase::Ended(_));
        let news = until == WaitUntil::News && token.is_none() && told.iter().any(|one| one.line.is_some());
        if ended || news || told.is_empty() || deadline <= tokio::time::Instant::now() {
            return;
        }
    }
}

fn state(run: &ServedRun) -> Value {
    let (told, phase) = run.after(0);
    let lines: Vec<&str> = told.iter().filter_map(|one| one.line.as_deref()).collect();
    let mut state = json!({
        "id": run.ticket.id,
        "status": status_name(&phase),
        "question": run.ticket.asked,
        "progress": lines[lines.len().saturating_sub(MAX_LINES)..],
    });
    match phase {
        Phase::Queued(ahead) => state["ahead"] = json!(ahead),
        Phase::Running => {}
        Phase::Ended(end) => {
            if let Some(error) = &end.error {
                state["error"] = json!(error);
            }
            if let Some(hint) = &end.hint {
                state["hint"] = json!(hint);
            }
        }
    }
    state
}

pub(super) fn result(run: &ServedRun) -> Result<Value, Refusal> {
    let Phase::Ended(end) = run.phase() else {
        let message = format!("the research is {}; it has no report yet", status_name(&run.phase()));
        return Err(
            Refusal::new(RefusalKind::Busy, message).with_hint("ask research_status, and this tool again later")
        );
    };
    let (EndStatus::Completed, Some(report)) = (end.status, &end.report) else {
        let why = end.error.as_ref().map_or_else(String::new, |error| format!(": {error}"));
        let refusal = Refusal::failed(format!("the research was {} and has no report{why}", end.status.name()));
        return Err(Refusal { hint: end.hint.clone(), ..refusal });
    };
    Ok(json!({
        "id": run.ticket.id,
        "status": end.status.name(),
        "question": run.ticket.asked,
        "report": report["markdown"],
        "answered": report["answered"],
        "citations": citations(report),
        "warnings": report["warnings"],
        "stopped": report["stopped"],
        "usage": report["usage"],
    }))
}

/// The citations of a report, with ids for `fetch`.
fn citations(report: &Value) -> Vec<Value> {
    let one = |citation: &Value| {
        let document = crate::domain::DocumentId(citation["chunk"]["document"].as_u64().unwrap_or_default());
        let page = citation["page"].as_u64().and_then(|page| page.try_into().ok());
        // Web pages are not stored; their text is in the quote.
        let id = document.page().is_none().then(|| format!("{document}#{}", citation["chunk"]["ordinal"]));
        json!({
            "number": citation["number"],
            "id": id,
            "title": citation["title"],
            "url": address(citation["path"].as_str().unwrap_or_default(), page, document),
            "quote": citation["quote"],
        })
    };
    report["citations"].as_array().into_iter().flatten().map(one).collect()
}

fn arguments_of<T: for<'de> Deserialize<'de>>(tool: &str, arguments: JsonObject) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        Refusal::bad(format!("the arguments of `{tool}` are not understood: {error}"))
            .with_hint("tools/list tells what each tool takes")
    })
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: &[(&str, Value, bool)],
    annotations: ToolAnnotations,
) -> Tool {
    let title = annotations.title.clone().unwrap_or_default();
    Tool::new(name, description, object(properties)).with_title(title).with_annotations(annotations)
}

/// The schema of an object; each property has a name, a schema, and whether it is required.
fn object(properties: &[(&str, Value, bool)]) -> Arc<JsonObject> {
    let required: Vec<&str> = properties.iter().filter(|(.., needed)| *needed).map(|(name, ..)| *name).collect();
    let all: JsonObject = properties.iter().map(|(name, schema, _)| ((*name).to_owned(), schema.clone())).collect();
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(all));
    schema.insert("required".to_owned(), json!(required));
    Arc::new(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_loaded() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docs");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(root.path().join("secret.md"), "x").unwrap();
        std::fs::write(folder.join("sub/a.md"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path().join("secret.md"), folder.join("link.md")).unwrap();
        let check = |path: &str, allowed: bool| assert_eq!(inside(&folder, path).is_ok(), allowed, "{path}");
        check(".", true);
        check("sub/a.md", true);
        check("sub/../sub", true);
        check("", true);
        for path in ["..", "../secret.md", "sub/../../secret.md", "/etc/passwd", "link.md", "missing.md", "a\0b"] {
            check(path, false);
        }
    }
}
