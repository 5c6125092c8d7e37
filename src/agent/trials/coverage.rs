//! Checks the coverage of documents in a report against its journal, prompts and citations: over random runs, including
//! those resumed after they were killed, and reports that somebody has edited.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::setting::{Dice, QUESTION, Setting, topic};
use crate::agent::journal::{OpenedRun, RunSettings, Runs};
use crate::agent::{AgentOptions, Engine, Limits, journaled};
use crate::base::Clock;
use crate::domain::{ChunkId, Coverage, DocumentName, NullSink, Report, Strategy, Usage};
use crate::llm::purpose::EvidenceCard;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose};
use crate::verify;

const RUNS: u64 = 50;
const DOCUMENTS: usize = 60;

/// Derives its replies from the prompt, so that a resumed run gets the same answers; records the documents it was
/// shown.
struct Reader {
    seed: u64,
    read: Mutex<BTreeSet<DocumentName>>,
}

fn name(card: &EvidenceCard) -> DocumentName {
    DocumentName { collection: card.collection.clone(), path: card.path.clone() }
}

#[async_trait]
impl ChatModel for Reader {
    fn name(&self, _: Purpose) -> &str {
        "reader"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let mut hasher = DefaultHasher::new();
        (self.seed, request.messages.iter().map(|message| &message.content).collect::<Vec<_>>()).hash(&mut hasher);
        let mut dice = Dice::new(hasher.finish());
        if dice.one_in(9) {
            return Err(LlmError::ContextOverflow { model: "reader".to_owned(), reason: "too long".to_owned() });
        }
        let queries: Vec<serde_json::Value> = (0..1 + dice.below(3))
            .map(|_| topic(dice.below(2 * DOCUMENTS as u64) as usize))
            .map(|topic| serde_json::json!({"query": format!("What was {topic}?"), "collections": []}))
            .collect();
        let helpful: Vec<u64> = (0..dice.below(4)).map(|_| 1 + dice.below(8)).collect();
        let shown = |cards: &[EvidenceCard]| self.read.lock().unwrap().extend(cards.iter().map(name));
        let text = match &request.input {
            Input::Write(input) => {
                shown(&input.evidence);
                let cited: Vec<String> = input
                    .evidence
                    .iter()
                    .filter(|_| dice.one_in(3))
                    .map(|card| format!("It grew in those years [{}].\n\n", card.number))
                    .collect();
                format!("# Growth\n\nIt is so.\n\n{}", cited.concat())
            }
            Input::Reflect(input) => {
                shown(&input.evidence);
                let enough = dice.one_in(3);
                serde_json::json!({"reason": "r", "helpful": helpful, "enough": enough, "sub_queries": queries})
                    .to_string()
            }
            Input::Follow(input) => {
                shown(&input.evidence);
                let done = dice.one_in(3);
                serde_json::json!({"answer": "a", "helpful": helpful, "done": done, "next": queries[0]}).to_string()
            }
            Input::Act(input) => {
                let passages = input.taken.iter().flat_map(|result| &result.passages);
                let whole: Vec<EvidenceCard> =
                    passages.filter(|passage| passage.whole).map(|passage| passage.card.clone()).collect();
                shown(&whole);
                let search = serde_json::json!({"tool": "keyword_search", "arguments": queries[0]});
                let found: Vec<String> =
                    input.taken.iter().flat_map(|result| &result.passages).map(|one| one.doc_id.clone()).collect();
                let calls = match found.get(dice.below(40) as usize) {
                    Some(document) => {
                        let arguments = serde_json::json!({"doc_id": document, "chunk_id": 0, "neighbours": 0});
                        vec![serde_json::json!({"tool": "chunk_read", "arguments": arguments}), search]
                    }
                    None if !whole.is_empty() && dice.one_in(3) => {
                        vec![serde_json::json!({"tool": "finish", "arguments": {"plan": "p"}})]
                    }
                    None => vec![search],
                };
                serde_json::json!({"thought": "t", "calls": calls}).to_string()
            }
            _ => serde_json::json!({"reason": "r", "sub_queries": queries}).to_string(),
        };
        sink(Delta::Text(&text));
        let (reasoning, tool_calls, finish) = (String::new(), Vec::new(), Finish::Stop);
        let (usage, model, elapsed) = (Usage::free(1), "reader".to_owned(), Duration::ZERO);
        Ok(ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed })
    }
}

/// The documents found by the searches of a journal.
fn matched(journal: &str) -> BTreeSet<DocumentName> {
    let mut names: BTreeMap<u64, DocumentName> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for line in journal.lines().skip(1) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        for passage in line["step"]["passages"].as_array().into_iter().flatten() {
            let text = |field: &str| passage[field].as_str().unwrap().to_owned();
            let id = ChunkId::unpack(passage["id"].as_u64().unwrap()).document.0;
            names.insert(id, DocumentName { collection: text("collection"), path: text("path") });
        }
        for hits in line["step"]["answer"]["search"]["found"].as_array().into_iter().flatten() {
            let hits = hits["Ok"].as_array().into_iter().flatten();
            found.extend(hits.map(|hit| ChunkId::unpack(hit["chunk"].as_u64().unwrap()).document.0));
        }
    }
    found.into_iter().map(|id| names[&id].clone()).collect()
}

/// The documents whose numbers are cited in the text, according to the printed list of sources.
fn cited(markdown: &str) -> BTreeSet<String> {
    let (body, rest) = markdown.split_once("\n## Sources\n").unwrap_or((markdown, ""));
    let entries = rest.lines().take_while(|line| !line.starts_with('#')).filter_map(|line| line.split_once(". **"));
    entries
        .filter(|(number, _)| body.contains(&format!("[{number}]")))
        .map(|(_, entry)| entry.split('`').nth(1).unwrap().to_owned())
        .collect()
}

fn paths(list: &[DocumentName]) -> BTreeSet<String> {
    list.iter().map(|one| one.path.clone()).collect()
}

fn check(
    coverage: &Coverage,
    markdown: &str,
    read: &BTreeSet<DocumentName>,
    matched: &BTreeSet<DocumentName>,
    what: &str,
) {
    let names = |set: &BTreeSet<DocumentName>| set.iter().map(|one| one.path.clone()).collect::<BTreeSet<String>>();
    let (cited, read, matched) = (cited(markdown), names(read), names(matched));
    let read: BTreeSet<String> = read.difference(&cited).cloned().collect();
    let matched: BTreeSet<String> = matched.difference(&cited).filter(|path| !read.contains(*path)).cloned().collect();
    let rest = DOCUMENTS - cited.len() - read.len() - matched.len();
    assert_eq!(paths(&coverage.cited), cited, "{what}: cited");
    assert_eq!(paths(&coverage.read), read, "{what}: read");
    assert_eq!(paths(&coverage.matched), matched, "{what}: matched");
    assert_eq!(coverage.without_match(), rest as u64, "{what}: without a match");
    let line = format!(
        "- **Documents**: {} cited, {} read and not used, {} matched and not read, {rest} did not match\n",
        cited.len(),
        read.len(),
        matched.len()
    );
    if !what.contains("edited") {
        assert!(markdown.contains(&line), "{what}: {line} in {markdown}");
    }
}

struct World {
    setting: Setting,
    runs: Runs,
}

impl World {
    fn engine(&self, model: &Arc<Reader>, options: AgentOptions) -> Engine {
        self.setting.engine(Arc::clone(model) as Arc<dyn ChatModel>, Limits::default(), Clock::System, options)
    }

    async fn go(&self, run: OpenedRun, model: &Arc<Reader>) -> Option<Report> {
        let engine = self.engine(model, run.settings.options.clone());
        let sink = Arc::new(NullSink);
        journaled(&engine, &run.journal, QUESTION, &[], sink, CancellationToken::new()).await.ok()
    }
}

#[tokio::test]
async fn coverage_is_what_the_journal_and_the_text_say() {
    let folder = tempfile::tempdir().unwrap();
    let world = World { setting: Setting::new(DOCUMENTS, 20).await, runs: Runs::of(folder.path()) };
    let strategies = [Strategy::Deep, Strategy::React, Strategy::Chain, Strategy::Naive];
    let (mut reports, mut edits) = (0, 0);
    for seed in 0..RUNS {
        let mut dice = Dice::new(seed);
        let strategy = *dice.pick(&strategies);
        let evidence_tokens = *dice.pick(&[300, 900, 12_000]);
        let hits_per_query = 2 + dice.below(8) as usize;
        let options =
            AgentOptions { strategy, evidence_tokens, hits_per_query, covers: true, ..AgentOptions::default() };
        let settings = RunSettings {
            question: QUESTION.to_owned(),
            collections: Vec::new(),
            filter: Default::default(),
            limits: Limits::default().into(),
            options,
        };
        let model = Arc::new(Reader { seed, read: Mutex::default() });
        let (id, journal) = world.runs.begin(&settings, model.as_ref(), Clock::System).unwrap();
        let run =
            OpenedRun { id: id.clone(), begun: jiff::Timestamp::UNIX_EPOCH, settings, journal, report_hash: None };
        let Some(report) = world.go(run, &model).await else { continue };
        reports += 1;
        let path = world.runs.folder().join(format!("{id}.jsonl"));
        let lines = fs::read_to_string(&path).unwrap();
        let (mut read, found) = (model.read.lock().unwrap().clone(), matched(&lines));
        let coverage = report.coverage.clone().unwrap();
        // If every reply of the writer fails, the report lists evidence that no model has been shown.
        read.extend(coverage.cited.iter().cloned());
        check(&coverage, &report.markdown, &read, &found, &format!("run {seed}"));

        // Somebody removes citations from the text.
        let (body, rest) = report.markdown.split_at(report.written);
        let kept: String = body.split_inclusive("\n\n").filter(|_| !dice.one_in(3)).collect();
        let edited = kept + rest;
        let of_edited = verify::read(&edited).ok().and_then(|read| read.coverage);
        if let Some(of_edited) = of_edited {
            edits += 1;
            check(&of_edited, &edited, &read, &found, &format!("run {seed}, edited"));
        }

        // The process is killed after some step, and the run is resumed.
        let all: Vec<&str> = lines.lines().collect();
        let kept = 1 + dice.below(all.len() as u64 - 1) as usize;
        fs::write(&path, all[..kept].iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let opened = world.runs.resume(&id, model.as_ref(), Clock::System).unwrap();
        let resumed = world.go(opened, &model).await.unwrap_or_else(|| panic!("run {seed} ends when it goes on"));
        assert_eq!(resumed.coverage.as_ref(), Some(&coverage), "run {seed}, resumed");
        check(&coverage, &resumed.markdown, &read, &matched(&fs::read_to_string(&path).unwrap()), "resumed");
    }
    assert!(reports >= 45 && edits >= 40, "{reports} reports, {edits} of them edited");
}
