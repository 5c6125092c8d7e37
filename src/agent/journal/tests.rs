//! Whole runs with real stores and real files. The model's replies depend on the requests alone, so that it has no
//! state that a killed process would lose.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::super::{AgentError, AgentOptions, Engine, Limits, journaled};
use super::format::StoredUsage;
use super::*;
use crate::base::{Clock, ContentHash};
use crate::domain::{
    Chunk, CollectionSpec, Document, Event, EventSink, Format, Headings, Language, Report, StopReason, Usage,
};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose};
use crate::prompt::Prompts;
use crate::retrieval::{Corpus, SearchOptions};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::{NewDocument, Store};

/// What happens at one of a run's calls.
#[derive(Clone, Default)]
enum Disturbance {
    #[default]
    None,
    /// The call never ends, and the token is cancelled.
    Hang(CancellationToken),
    /// The endpoint is unavailable.
    Away,
    /// The reply breaks off in the middle.
    Breaks,
    /// The reply breaks off, and counts as a reply.
    Cut,
}

/// Plans, asks for more once, has enough, and writes.
struct Model {
    name: &'static str,
    calls: AtomicUsize,
    /// The call, counted from 1, from which on all calls are disturbed.
    disturbed_from: usize,
    disturbance: Disturbance,
}

impl Model {
    fn new() -> Self {
        Model { name: "m", calls: AtomicUsize::new(0), disturbed_from: usize::MAX, disturbance: Disturbance::None }
    }

    fn disturbed(from: usize, disturbance: Disturbance) -> Self {
        Model { disturbed_from: from, disturbance, ..Model::new() }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ChatModel for Model {
    fn name(&self, _: Purpose) -> &str {
        self.name
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let more = r#"{"reason": "The film is missing.", "helpful": [1], "enough": false,
            "sub_queries": [{"query": "What did the film earn?", "collections": []}]}"#;
        let enough = r#"{"reason": "All is known.", "helpful": [2], "enough": true, "sub_queries": []}"#;
        let plan = r#"{"reason": "Both sides.", "sub_queries": [
            {"query": "When did the show premiere?", "collections": ["history"]},
            {"query": "What did critics say?", "collections": []}]}"#;
        let mut finish = Finish::Stop;
        let text = match &request.input {
            Input::Plan(_) => plan.to_owned(),
            Input::Reflect(input) if input.round == 1 => more.to_owned(),
            Input::Reflect(_) => enough.to_owned(),
            // The report states how much evidence it was written from, and by which model.
            Input::Write(input) => {
                format!(
                    "# Ratings\n\nBy {}: it fell [1]. So it is [2]. {} passages.\n",
                    self.name,
                    input.evidence.len()
                )
            }
            other => panic!("nobody asks for {}", other.purpose().name()),
        };
        let (model, url, reason) = (self.name.to_owned(), "http://x".to_owned(), "so it is".to_owned());
        let usage = Usage::free(3);
        if call >= self.disturbed_from {
            match &self.disturbance {
                Disturbance::None => {}
                Disturbance::Cut => finish = Finish::Interrupted,
                Disturbance::Hang(told) => {
                    told.cancel();
                    std::future::pending::<()>().await;
                }
                Disturbance::Away => {
                    return Err(LlmError::Unavailable { url, model, attempts: 3, reason, usage: Box::new(usage) });
                }
                Disturbance::Breaks => {
                    sink(Delta::Text(&text[..text.len() / 2]));
                    return Err(LlmError::Unavailable { url, model, attempts: 1, reason, usage: Box::new(usage) });
                }
            }
        }
        text.split_inclusive(' ').for_each(|piece| sink(Delta::Text(piece)));
        let usd = Some(0.1 + 0.2 * call as f64);
        let usage = Usage { calls: 1, prompt_tokens: 100, completion_tokens: 10, usd, ..Usage::default() };
        let (reasoning, tool_calls, elapsed) = (String::new(), Vec::new(), std::time::Duration::from_millis(3));
        Ok(ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed })
    }
}

#[derive(Default)]
struct EventBuffer(std::sync::Mutex<Vec<Event>>);

impl EventSink for EventBuffer {
    fn emit(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

impl EventBuffer {
    fn warnings(&self) -> usize {
        self.0.lock().unwrap().iter().filter(|event| matches!(event, Event::Warning { .. })).count()
    }
}

const DOCUMENTS: [(&str, &str); 5] = [
    ("history", "The show premiered in December 1989."),
    ("history", "The first season had thirteen episodes."),
    ("audience", "The ratings of the show fell after the year 2000. 批評家は称賛した。"),
    ("audience", "Critics praised the early seasons of the show."),
    ("audience", "The film of 2007 earned 536 million dollars."),
];

/// A data folder with documents.
struct World {
    folder: TempDir,
    corpus: Corpus,
    runs: Runs,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap();
        for (index, (collection, text)) in DOCUMENTS.iter().enumerate() {
            if store.collection(collection).await.is_err() {
                let spec =
                    CollectionSpec { name: (*collection).to_owned(), description: "D".to_owned(), embedder: None };
                store.create(spec).await.unwrap();
            }
            let (page_turns, headings) = (Vec::new(), Headings::default());
            let chunk = Chunk { range: 0..text.len(), page: None, page_turns, headings, language: Language::ENGLISH };
            let document = Document {
                path: format!("/docs/{index}.txt"),
                title: format!("Title {index}"),
                format: Format::Text,
                language: Language::ENGLISH,
                date: None,
                authorship: crate::domain::Authorship::default(),
                hash: ContentHash::of(text.as_bytes()),
                bytes: text.len() as u64,
                modified_ns: 0,
                cut: None,
                text: (*text).to_owned(),
                chunks: vec![chunk],
            };
            store.put(collection, vec![NewDocument { document, vectors: Vec::new() }]).await.unwrap();
        }
        store.flush().await.unwrap();
        let corpus = Corpus::new(Arc::new(store), None, SearchOptions::default());
        let runs = Runs::of(folder.path());
        World { folder, corpus, runs }
    }

    fn engine(&self, model: &Arc<Model>) -> Engine {
        Engine {
            corpus: self.corpus.clone().into(),
            model: Arc::clone(model) as Arc<dyn ChatModel>,
            prompts: Arc::new(Prompts::builtin().unwrap()),
            clock: Clock::System,
            memory: None,
            steering: None,
            limits: Limits::default().into(),
            options: AgentOptions { working_dir: Some("/docs".into()), ..AgentOptions::default() },
        }
    }

    fn settings(&self) -> RunSettings {
        RunSettings {
            question: "How did the ratings of the show change?".to_owned(),
            collections: Vec::new(),
            filter: Default::default(),
            limits: Limits::default().into(),
            options: self.engine(&Arc::new(Model::new())).options,
        }
    }

    /// Runs to the end, or until `kill`, which leaves nothing but the file behind.
    async fn go(
        &self,
        run: OpenedRun,
        model: &Arc<Model>,
        interrupt: CancellationToken,
        kill: CancellationToken,
    ) -> Option<Result<Report, AgentError>> {
        let engine = Engine { limits: run.settings.limits, ..self.engine(model) };
        let RunSettings { question, collections, .. } = &run.settings;
        let work = journaled(&engine, &run.journal, question, collections, Arc::new(EventBuffer::default()), interrupt);
        tokio::select! {
            outcome = work => Some(outcome),
            () = kill.cancelled() => None,
        }
    }

    fn begin(&self, model: &Model, limits: Limits) -> OpenedRun {
        let settings = RunSettings { limits: limits.into(), ..self.settings() };
        let (id, journal) = self.runs.begin(&settings, model, Clock::System).unwrap();
        OpenedRun { id, begun: jiff::Timestamp::UNIX_EPOCH, settings, journal, report_hash: None }
    }

    /// Makes a run that nothing disturbs; returns its id and its report.
    async fn undisturbed(&self) -> (String, Report) {
        let model = Arc::new(Model::new());
        let run = self.begin(&model, Limits::default());
        let id = run.id.clone();
        let report = self.go(run, &model, CancellationToken::new(), CancellationToken::new()).await;
        assert_eq!(model.calls(), 4);
        (id, report.unwrap().unwrap())
    }

    async fn resumed(&self, id: &str, model: &Arc<Model>) -> Report {
        let run = self.runs.resume(id, model.as_ref(), Clock::System).unwrap();
        self.go(run, model, CancellationToken::new(), CancellationToken::new()).await.unwrap().unwrap()
    }

    async fn replayed(&self, id: &str) -> Report {
        let run = self.runs.replay(id).unwrap();
        let engine = Engine::recorded(&run.journal, Arc::new(Prompts::builtin().unwrap()), &run.settings);
        let (question, collections) = (&run.settings.question, &run.settings.collections);
        let heard = Arc::new(EventBuffer::default());
        let report = journaled(&engine, &run.journal, question, collections, heard, CancellationToken::new());
        let report = report.await.unwrap();
        assert_eq!(run.report_hash, Some(report.hash()));
        report
    }
}

/// The parts of a report that do not depend on the time and the cost of the calls.
fn told(report: &Report) -> (String, usize, usize, StopReason) {
    let own = report.markdown.split("\n## How this").next().unwrap_or_default().to_owned();
    (own, report.evidence, report.rounds.len(), report.stopped)
}

#[tokio::test]
async fn a_replay_gives_the_same_bytes_with_no_model_and_no_store() {
    let world = World::new().await;
    let (id, report) = world.undisturbed().await;
    assert!(report.seconds > 0.0, "the clock runs");
    assert_eq!(world.replayed(&id).await, report);
    let resumed = world.runs.resume(&id, &Model::new(), Clock::System);
    assert!(matches!(resumed, Err(JournalError::Finished { .. })));
}

#[tokio::test]
async fn any_beginning_of_a_journal_leads_to_the_same_report() {
    let world = World::new().await;
    let (id, report) = world.undisturbed().await;
    let whole = std::fs::read(world.runs.path(&id)).unwrap();
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    assert!(ends.len() > 8, "{} lines", ends.len());
    // At the end of every line but the last, and in the middle of every line.
    let middles = ends.windows(2).map(|pair| (pair[0] + pair[1]) / 2);
    for cut in ends[..ends.len() - 1].iter().copied().chain(middles) {
        let text = &whole[..cut];
        std::fs::write(world.runs.path(&id), text).unwrap();
        let answered = String::from_utf8_lossy(&text[..=text.iter().rposition(|byte| *byte == b'\n').unwrap()])
            .matches(r#""answer":{"call""#)
            .count();
        let model = Arc::new(Model::new());
        let resumed = world.resumed(&id, &model).await;
        assert_eq!(model.calls(), 4 - answered, "cut at {cut}");
        assert_eq!(told(&resumed), told(&report), "cut at {cut}");
        assert_eq!(resumed.usage.calls, 4);
        assert_eq!(world.replayed(&id).await, resumed, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_run_that_is_killed_in_a_call_asks_only_that_again() {
    let world = World::new().await;
    let (_, report) = world.undisturbed().await;
    for call in 1..=4 {
        let killed = CancellationToken::new();
        let model = Arc::new(Model::disturbed(call, Disturbance::Hang(killed.clone())));
        let run = world.begin(&model, Limits::default());
        let id = run.id.clone();
        assert!(world.go(run, &model, CancellationToken::new(), killed).await.is_none());
        let model = Arc::new(Model::new());
        let resumed = world.resumed(&id, &model).await;
        assert_eq!(told(&resumed), told(&report));
        assert_eq!(model.calls(), 4 - (call - 1));
        // It is unknown whether the endpoint finished the call.
        assert_eq!((resumed.usage.calls, resumed.usage.unanswered), (4, 1));
        assert_eq!(world.replayed(&id).await, resumed);
    }
}

#[tokio::test]
async fn an_interrupted_run_replays_as_it_was_and_resumes_as_if_it_had_not_been() {
    let world = World::new().await;
    let (_, undisturbed) = world.undisturbed().await;
    let interrupt = CancellationToken::new();
    // Interrupted in the first reflection; the report is written all the same.
    let model = Arc::new(Model::disturbed(2, Disturbance::Hang(interrupt.clone())));
    let run = world.begin(&model, Limits::default());
    let id = run.id.clone();
    let released = Arc::new(Model::new());
    let engine = Engine { model: Arc::new(OneHang(Arc::clone(&model), Arc::clone(&released))), ..world.engine(&model) };
    let RunSettings { question, collections, .. } = &run.settings;
    let report =
        journaled(&engine, &run.journal, question, collections, Arc::new(EventBuffer::default()), interrupt).await;
    let report = report.unwrap();
    assert_eq!(report.stopped, StopReason::Interrupted);
    assert_eq!(world.replayed(&id).await, report);
    drop(run);

    let again = Arc::new(Model::new());
    let resumed = world.resumed(&id, &again).await;
    // The plan was answered; the two reflections and the report are asked for.
    assert_eq!(again.calls(), 3);
    assert_eq!(told(&resumed), told(&undisturbed));
    // The dropped reflection counts, and so does the report that was written on the interruption.
    assert_eq!(resumed.usage.calls, 6);
    assert_eq!(world.replayed(&id).await, resumed);
}

/// The second model writes the report; the first, which hangs, does the rest.
struct OneHang(Arc<Model>, Arc<Model>);

#[async_trait]
impl ChatModel for OneHang {
    fn name(&self, purpose: Purpose) -> &str {
        self.0.name(purpose)
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let model = if request.purpose() == Purpose::Write { &self.1 } else { &self.0 };
        model.chat(request, sink).await
    }
}

#[tokio::test]
async fn what_failed_last_is_tried_again() {
    let world = World::new().await;
    let (_, undisturbed) = world.undisturbed().await;
    for disturbance in [Disturbance::Away, Disturbance::Breaks, Disturbance::Cut] {
        for call in 1..=4 {
            let model = Arc::new(Model::disturbed(call, disturbance.clone()));
            let run = world.begin(&model, Limits::default());
            let id = run.id.clone();
            let report = world.go(run, &model, CancellationToken::new(), CancellationToken::new()).await;
            let report = report.unwrap().unwrap();
            assert!(!report.warnings.is_empty());
            assert_eq!(world.replayed(&id).await, report, "call {call}");
            let model = Arc::new(Model::new());
            assert_eq!(told(&world.resumed(&id, &model).await), told(&undisturbed), "call {call}");
            assert_eq!(model.calls(), 4 - (call - 1));
        }
    }
}

#[tokio::test]
async fn a_limit_of_time_ends_a_replay_where_it_ended_the_run() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let run = world.begin(&model, Limits { max_time: Some(std::time::Duration::ZERO), ..Limits::default() });
    let id = run.id.clone();
    let report = world.go(run, &model, CancellationToken::new(), CancellationToken::new()).await.unwrap().unwrap();
    assert_eq!((report.stopped, model.calls()), (StopReason::Budget, 0));
    assert_eq!(world.replayed(&id).await, report);
    // The limit is the run's own end, which resuming would not change.
    assert!(matches!(world.runs.resume(&id, model.as_ref(), Clock::System), Err(JournalError::Finished { .. })));
}

#[tokio::test]
async fn a_fork_keeps_some_steps_and_goes_its_own_way() {
    let world = World::new().await;
    let (id, report) = world.undisturbed().await;
    let details = world.runs.details(&id).unwrap();
    let calls: Vec<usize> = details
        .steps
        .iter()
        .filter(|step| matches!(step.kind, StepKind::Call { .. }))
        .map(|step| step.number)
        .collect();
    assert_eq!(calls.len(), 4);
    let other = || Arc::new(Model { name: "other", ..Model::new() });
    for (kept, (&from, asked)) in [&0, &calls[0], &calls[1], &calls[3]].into_iter().zip([4, 3, 2, 0]).enumerate() {
        let model = other();
        let run = world.runs.fork(&id, from, |_| (), model.as_ref(), Clock::System).unwrap();
        let fork = run.id.clone();
        let forked = world.go(run, &model, CancellationToken::new(), CancellationToken::new()).await.unwrap().unwrap();
        assert_eq!(model.calls(), asked, "from step {from}");
        assert_eq!(forked.markdown.contains("By other"), asked > 0);
        assert_eq!(forked.rounds, report.rounds);
        assert_eq!(world.replayed(&fork).await, forked);
        let summary = world.runs.details(&fork).unwrap().run;
        assert_eq!(summary.forked_from, Some((id.clone(), from)), "{kept}");
    }
    // Other limits lead elsewhere: the first round is the last.
    let model = other();
    let tight = |settings: &mut RunSettings| settings.limits.common.max_rounds = Some(1);
    let run = world.runs.fork(&id, calls[1], tight, model.as_ref(), Clock::System).unwrap();
    let forked = world.go(run, &model, CancellationToken::new(), CancellationToken::new()).await.unwrap().unwrap();
    assert_eq!((forked.stopped, forked.rounds.len(), model.calls()), (StopReason::RoundLimit, 1, 1));

    let beyond = world.runs.fork(&id, details.steps.len() + 1, |_| (), model.as_ref(), Clock::System);
    assert!(matches!(beyond, Err(JournalError::NoStep { .. })));
    assert_eq!(world.replayed(&id).await, report, "the old run is as it was");
}

#[tokio::test]
async fn runs_at_once_have_their_own_files_and_are_not_resumed() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let (one, two) = (world.begin(&model, Limits::default()), world.begin(&model, Limits::default()));
    let (first, second) = (one.id.clone(), two.id.clone());
    assert_ne!(first, second);
    #[cfg(unix)]
    for file in std::fs::read_dir(world.folder.path().join("runs")).unwrap() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(matches!(world.runs.resume(&first, model.as_ref(), Clock::System), Err(JournalError::Running { .. })));
    assert!(matches!(world.runs.remove(&first), Err(JournalError::Running { .. })));
    assert!(world.runs.list().unwrap().iter().all(|run| run.state == RunState::Running));
    let never = CancellationToken::new;
    let (one, two) = tokio::join!(world.go(one, &model, never(), never()), world.go(two, &model, never(), never()));
    assert_eq!(told(&one.unwrap().unwrap()), told(&two.unwrap().unwrap()));
    for id in [first, second] {
        world.replayed(&id).await;
        world.runs.remove(&id).unwrap();
    }
    assert!(world.runs.list().unwrap().is_empty());
}

#[tokio::test]
async fn answers_to_other_prompts_are_not_used() {
    let world = World::new().await;
    let (id, _) = world.undisturbed().await;
    let path = world.runs.path(&id);
    let text = std::fs::read_to_string(&path).unwrap().replacen("of the show change?", "of the show change, then?", 1);
    std::fs::write(&path, &text).unwrap();
    let run = world.runs.replay(&id).unwrap();
    let engine = Engine::recorded(&run.journal, Arc::new(Prompts::builtin().unwrap()), &run.settings);
    let heard = Arc::new(EventBuffer::default());
    let replayed = journaled(&engine, &run.journal, &run.settings.question, &[], heard, CancellationToken::new()).await;
    assert!(matches!(replayed, Err(AgentError::Journal(JournalError::Astray))));

    // Without its end the run can be resumed; none of the recorded answers fits.
    let whole = text.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&path, &text[..whole]).unwrap();
    let model = Arc::new(Model::new());
    let run = world.runs.resume(&id, model.as_ref(), Clock::System).unwrap();
    let heard = Arc::new(EventBuffer::default());
    let sink = Arc::clone(&heard) as Arc<dyn EventSink>;
    let (engine, question) = (world.engine(&model), &run.settings.question);
    journaled(&engine, &run.journal, question, &[], sink, CancellationToken::new()).await.unwrap();
    assert_eq!((model.calls(), heard.warnings()), (4, 1));
}

#[test]
fn time_goes_on_where_the_journal_ends() {
    use std::time::Duration;
    let stopwatch = Stopwatch::stopped(Clock::System);
    assert_eq!((stopwatch.elapsed(), stopwatch.running()), (Duration::ZERO, Duration::ZERO));
    stopwatch.set(Duration::from_secs(5));
    assert_eq!((stopwatch.elapsed(), stopwatch.running()), (Duration::from_secs(5), Duration::from_secs(5)));
    stopwatch.go_on(Duration::from_secs(60));
    assert_eq!(stopwatch.elapsed(), Duration::from_secs(5), "nothing was answered since");
    assert!(stopwatch.running() >= Duration::from_secs(60) && stopwatch.mark() >= Duration::from_secs(60));
    let still = Stopwatch::start(Clock::Fixed(jiff::Timestamp::UNIX_EPOCH));
    assert_eq!((still.mark(), still.running()), (Duration::ZERO, Duration::ZERO));
}

#[tokio::test]
async fn another_model_is_not_asked_in_its_place() {
    let world = World::new().await;
    let model = Model::new();
    let run = world.begin(&model, Limits::default());
    let id = run.id.clone();
    drop(run);
    let other = Model { name: "other", ..Model::new() };
    let refused = world.runs.resume(&id, &other, Clock::System).err().map(|error| error.to_string());
    assert_eq!(refused, Some(format!("the run {id} asked m, and the settings now name other")));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_ends_the_journal_and_not_the_run() {
    let world = World::new().await;
    let model = Arc::new(Model::new());
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let writer = super::writer::Writer::new(full, "/dev/full".into(), Default::default(), true);
    let journal = Journal::begun(writer, Clock::System.now(), Clock::System);
    let heard = Arc::new(EventBuffer::default());
    let settings = world.settings();
    let sink = Arc::clone(&heard) as Arc<dyn EventSink>;
    let engine = world.engine(&model);
    let report = journaled(&engine, &journal, &settings.question, &[], sink, CancellationToken::new()).await.unwrap();
    assert_eq!((report.stopped, report.warnings.len(), heard.warnings()), (StopReason::Enough, 0, 1));
    let events = heard.0.lock().unwrap();
    let told = events.iter().find_map(|event| match event {
        Event::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    let told = told.unwrap();
    assert!(told.starts_with("cannot write the journal /dev/full: No space left on device"), "{told}");
}

#[tokio::test]
async fn what_is_no_journal_is_told_apart() {
    let world = World::new().await;
    let (id, _) = world.undisturbed().await;
    let path = world.runs.path(&id);
    let whole = std::fs::read_to_string(&path).unwrap();
    let check = |text: String, expected: &str| {
        std::fs::write(&path, text).unwrap();
        let error =
            world.runs.details(&id).expect_err("no journal").to_string().replace(&*path.to_string_lossy(), "FILE");
        assert_eq!(error, expected);
        assert!(matches!(world.runs.list().unwrap()[0].state, RunState::Unreadable { .. }));
    };
    check(
        whole.replacen(r#""deepsearch_journal":5"#, r#""deepsearch_journal":6"#, 1),
        "the journal FILE has format 6, and this version reads formats up to 5",
    );
    check(String::new(), "line 1 of the journal FILE is damaged: the run ended before it was written");
    check("{}\n".to_owned(), "line 1 of the journal FILE is damaged: it is no journal's first line");
    let third = whole.lines().nth(2).unwrap();
    let error = serde_json::from_str::<super::format::Line>(&third[..20]).unwrap_err();
    let damaged = whole.replacen(third, &third[..20], 1);
    check(damaged, &format!("line 3 of the journal FILE is damaged: {error}"));
}

#[tokio::test]
async fn runs_are_found_by_their_beginnings() {
    let world = World::new().await;
    assert!(matches!(world.runs.find("last"), Err(JournalError::NoRuns { .. })));
    assert!(!world.folder.path().join("runs").exists());
    let clock = |time: &str| Clock::Fixed(time.parse().unwrap());
    for time in ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", "2026-01-01T00:00:00Z"] {
        world.runs.begin(&world.settings(), &Model::new(), clock(time)).unwrap();
    }
    let check = |name: &str, expected: Result<&str, &str>| {
        let found = world.runs.find(name).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    };
    check("last", Ok("20260102-030405-0002"));
    check("20260101", Ok("20260101-000000-0001"));
    check("20260102-030405-0001", Ok("20260102-030405-0001"));
    check("20260102", Err("`20260102` may mean 20260102-030405-0001, 20260102-030405-0002"));
    check("2027", Err("there is no run `2027`"));
    check("", Err("there is no run ``"));
}

#[test]
fn money_keeps_its_last_bit() {
    for usd in [0.1 + 0.2, 1e-9, 123_456.789_012_345, f64::MIN_POSITIVE, 2.0 / 3.0] {
        let usage = Usage { usd: Some(usd), calls: 3, cached_tokens: 7, estimated: true, ..Usage::default() };
        let text = serde_json::to_string(&StoredUsage::from(&usage)).unwrap();
        assert_eq!(Usage::from(&serde_json::from_str::<StoredUsage>(&text).unwrap()), usage);
    }
}

#[test]
fn scores_keep_their_last_bit() {
    let mut rng = crate::base::Rng::new(5);
    for _ in 0..20_000 {
        let score = f32::from_bits(rng.next_u64() as u32);
        if score.is_finite() {
            let text = serde_json::to_string(&score).unwrap();
            assert_eq!(serde_json::from_str::<f32>(&text).unwrap().to_bits(), score.to_bits(), "{text}");
        }
    }
}

#[path = "steer_tests.rs"]
mod steered;
