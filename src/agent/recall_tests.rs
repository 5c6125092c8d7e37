//! Runs that use each other's findings. Store, memory and offline backend are real, and the requests are inspected.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::super::{AgentOptions, Engine, Limits, research};
use crate::base::{Clock, ContentHash};
use crate::domain::{Chunk, CollectionSpec, Document, Event, EventSink, Format, Headings, Language, Report, Strategy};
use crate::llm::purpose::{PlanInput, WriteInput};
use crate::llm::{ChatModel, ChatReply, ChatRequest, DeltaSink, Input, LlmError, Purpose};
use crate::memory::{EventFilter, Memory, MemoryEvent, MemoryOptions};
use crate::offline::{ExtractiveModel, ExtractiveOptions};
use crate::prompt::Prompts;
use crate::retrieval::{Corpus, SearchOptions};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::{NewDocument, Store};

/// The offline backend, with the requests that it received.
struct Listening {
    model: ExtractiveModel,
    requests: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Listening {
    fn name(&self, purpose: Purpose) -> &str {
        self.model.name(purpose)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        self.requests.lock().unwrap().push(request.clone());
        self.model.chat(request, sink).await
    }
}

#[derive(Default)]
struct EventBuffer(Mutex<Vec<Event>>);

impl EventSink for EventBuffer {
    fn emit(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

struct Outcome {
    report: Report,
    plan: PlanInput,
    plan_prompt: String,
    write: WriteInput,
    recalled: Option<(usize, usize)>,
}

async fn put(store: &dyn Store, path: &str, text: &str) {
    let (page_turns, headings) = (Vec::new(), Headings::default());
    let chunk = Chunk { range: 0..text.len(), page: None, page_turns, headings, language: Language::ENGLISH };
    let document = Document {
        path: path.to_owned(),
        title: format!("Title of {path}"),
        format: Format::Text,
        language: Language::ENGLISH,
        date: None,
        authorship: crate::domain::Authorship::default(),
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 0,
        cut: None,
        text: text.to_owned(),
        chunks: vec![chunk],
    };
    store.put("docs", vec![NewDocument { document, vectors: Vec::new() }]).await.unwrap();
    store.flush().await.unwrap();
}

async fn store(folder: &Path) -> Arc<dyn Store> {
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default()).unwrap();
    let spec = CollectionSpec { name: "docs".to_owned(), description: String::new(), embedder: None };
    store.create(spec).await.unwrap();
    put(&store, "/bridge.txt", "The Alder bridge was closed to lorries in March 2022 because its pier had sunk.").await;
    put(&store, "/bakery.txt", "The bakery on Mill Street was founded by Anna in 1954 and sells rye bread.").await;
    Arc::new(store)
}

/// Asks a question on a day, with the memory in `folder`.
async fn ask(store: &Arc<dyn Store>, folder: &Path, day: &str, question: &str) -> Outcome {
    let (report, requests, recalled) = ask_by(Strategy::Deep, store, folder, day, question).await;
    let plan = requests.iter().find_map(|request| match &request.input {
        Input::Plan(input) => Some((input.clone(), prompt(request))),
        _ => None,
    });
    let write = requests.iter().find_map(|request| match &request.input {
        Input::Write(input) => Some(input.clone()),
        _ => None,
    });
    let (plan, plan_prompt) = plan.unwrap();
    Outcome { report, plan, plan_prompt, write: write.unwrap(), recalled }
}

/// The text of all messages of a request.
fn prompt(request: &ChatRequest) -> String {
    request.messages.iter().map(|message| message.content.as_str()).collect()
}

/// Asks a question by a strategy. Returns the report, the requests, and the numbers of recalled and stale events.
async fn ask_by(
    strategy: Strategy,
    store: &Arc<dyn Store>,
    folder: &Path,
    day: &str,
    question: &str,
) -> (Report, Vec<ChatRequest>, Option<(usize, usize)>) {
    let memory = Memory::open(&folder.join("memory.sqlite"), None, MemoryOptions::default()).await.unwrap();
    let model = ExtractiveModel::new(ExtractiveOptions::default());
    let model = Arc::new(Listening { model, requests: Mutex::default() });
    let engine = Engine {
        corpus: Corpus::new(Arc::clone(store), None, SearchOptions::default()).into(),
        model: Arc::clone(&model) as Arc<dyn ChatModel>,
        prompts: Arc::new(Prompts::builtin().unwrap()),
        clock: Clock::Fixed(format!("{day}T08:00:00Z").parse().unwrap()),
        memory: Some(memory),
        steering: None,
        limits: Limits::default().into(),
        options: AgentOptions { remembers: true, strategy, ..AgentOptions::default() },
    };
    let heard = Arc::new(EventBuffer::default());
    let sink = Arc::clone(&heard) as Arc<dyn EventSink>;
    let report = research(&engine, question, &[], sink, CancellationToken::new()).await.unwrap();
    let requests = std::mem::take(&mut *model.requests.lock().unwrap());
    let recalled = heard.0.lock().unwrap().iter().find_map(|event| match event {
        Event::Recalled { events, stale } => Some((*events, *stale)),
        _ => None,
    });
    (report, requests, recalled)
}

async fn events(folder: &Path) -> Vec<MemoryEvent> {
    let memory = Memory::open(&folder.join("memory.sqlite"), None, MemoryOptions::default()).await.unwrap();
    memory.with(|timeline| timeline.events(&EventFilter::default())).await.unwrap()
}

const QUESTION: &str = "Why was the Alder bridge closed to lorries?";

#[tokio::test]
async fn a_run_plans_and_writes_with_what_an_earlier_one_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    let first = ask(&store, folder.path(), "2023-10-10", QUESTION).await;
    assert_eq!((first.recalled, first.plan.known), (None, Vec::new()));
    assert!(!first.plan_prompt.contains("earlier research"), "{}", first.plan_prompt);
    assert!(first.report.citations.iter().all(|citation| citation.known_since.is_none()));

    let second = ask(&store, folder.path(), "2023-10-12", "Why was the Alder bridge closed?").await;
    let finding = second.plan.known.iter().find(|known| known.kind == "finding").unwrap();
    assert!(finding.text.contains("its pier had sunk"), "{finding:?}");
    assert_eq!(finding.since, "2023-10-10");
    assert!(second.plan_prompt.contains("<<<finding | 2023-10-10\n"), "{}", second.plan_prompt);
    let card = second.write.evidence.iter().find(|card| card.path.ends_with("bridge.txt")).unwrap();
    assert_eq!(card.known, "2023-10-10");
    assert!(second.report.markdown.contains("known since 2023-10-10"), "{}", second.report.markdown);
    // This run found the same words again, so there is one event, recalled once by this run.
    let findings = events(folder.path()).await;
    let findings: Vec<_> = findings.iter().filter(|event| event.text.contains("its pier had sunk")).collect();
    assert_eq!((findings.len(), findings[0].recalls.len()), (1, 1), "{findings:?}");
}

#[tokio::test]
async fn every_strategy_tells_the_model_what_is_known() {
    for (strategy, first) in [
        (Strategy::Deep, Purpose::Plan),
        (Strategy::React, Purpose::Act),
        (Strategy::Chain, Purpose::Follow),
        (Strategy::Naive, Purpose::Write),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).await;
        let (_, before, _) = ask_by(strategy, &store, folder.path(), "2023-10-10", QUESTION).await;
        assert_eq!(before[0].purpose(), first);
        let tells = |request: &ChatRequest| {
            let said = prompt(request);
            let known = said.lines().skip_while(|line| !line.contains("finding") || !line.contains("2023-10-10"));
            known.take(2).any(|line| line.contains("its pier had sunk"))
        };
        assert!(!before.iter().any(tells), "{strategy:?}");
        let (_, after, _) =
            ask_by(strategy, &store, folder.path(), "2023-10-12", "Why was the Alder bridge closed?").await;
        assert!(tells(&after[0]), "{strategy:?}: {}", prompt(&after[0]));
    }
}

#[tokio::test]
async fn what_a_source_does_not_say_any_more_is_told_to_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path()).await;
    ask(&store, folder.path(), "2023-10-10", QUESTION).await;
    put(
        store.as_ref(),
        "/bridge.txt",
        "The Alder bridge was closed to lorries for no reason that anybody can remember now.",
    )
    .await;
    let second = ask(&store, folder.path(), "2023-10-12", QUESTION).await;
    let said = format!("{}{:?}{}", second.plan_prompt, second.write, second.report.markdown);
    assert!(!said.contains("pier had sunk"), "{said}");
    assert_eq!(second.recalled.map(|(_, stale)| stale), Some(1));
    assert!(second.report.warnings.iter().any(|warning| warning.contains("does not say so any more")));
    let stale: Vec<_> = events(folder.path()).await.into_iter().filter(|event| event.stale.is_some()).collect();
    assert_eq!(stale.len(), 1, "{stale:?}");
    assert_eq!(stale[0].recalls, []);
    // Once stale, it is not looked at again.
    let third = ask(&store, folder.path(), "2023-10-13", QUESTION).await;
    assert!(third.report.warnings.is_empty(), "{:?}", third.report.warnings);
}
