//! Measures a report of ten sections: its time compared with the critical path of its calls, the number of calls, and
//! the longest prompt. The model is a stand-in that takes 200 ms, and 1 ms more for each token that it writes.
//!
//! Needs neither a key nor a network; fails if a report takes more than it should. Run it with `cargo run --release
//! --example long_report`.

#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use deepsearch::agent::{AgentOptions, Engine, StrategyLimits, research};
use deepsearch::base::Clock;
use deepsearch::base::text::estimate_tokens;
use deepsearch::domain::NullSink;
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::ingest::{LoadRequest, load};
use deepsearch::llm::purpose::WriteInput;
use deepsearch::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose};
use deepsearch::prompt::Prompts;
use deepsearch::retrieval::{Corpus, SearchOptions};
use deepsearch::store::Store;
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const SECTIONS: usize = 10;
/// The rounds of searches that the model asks for.
const ROUNDS: usize = 3;
/// The length of the report, in words.
const WORDS: usize = 4_000;
const FIRST: Duration = Duration::from_millis(200);
const EACH: Duration = Duration::from_millis(1);

/// A model call and its cost.
struct Call {
    step: String,
    took: Duration,
    prompt_tokens: u64,
}

#[derive(Default)]
struct StandIn(Mutex<Vec<Call>>);

#[async_trait]
impl ChatModel for StandIn {
    fn name(&self, _: Purpose) -> &str {
        "stand-in"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let begun = Instant::now();
        let (step, text) = reply(request);
        let tokens = estimate_tokens(&text);
        tokio::time::sleep(FIRST + EACH * u32::try_from(tokens).unwrap_or(u32::MAX)).await;
        sink(Delta::Text(&text));
        let elapsed = begun.elapsed();
        let call = Call { step, took: elapsed, prompt_tokens: request.estimated_tokens() };
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(call);
        Ok(ChatReply {
            text,
            reasoning: String::new(),
            tool_calls: Vec::new(),
            finish: Finish::Stop,
            usage: request.free_usage(tokens),
            model: "stand-in".to_owned(),
            elapsed,
        })
    }
}

/// The name of a call's step, and the reply to the call.
fn reply(request: &ChatRequest) -> (String, String) {
    let searches = |about: &[&str]| -> Vec<_> {
        about.iter().map(|about| json!({"query": format!("The Simpsons: {about}"), "collections": []})).collect()
    };
    match &request.input {
        Input::Plan(_) => {
            let sub_queries = searches(&["ratings", "animation", "showrunners", "voices"]);
            ("plan".to_owned(), json!({"reason": "Its sides, one by one.", "sub_queries": sub_queries}).to_string())
        }
        Input::Reflect(input) => {
            let open = [["the film", "Disney"], ["Apu", "awards"], ["words", "deaths"]];
            let enough = input.round >= ROUNDS;
            let next = if enough { Vec::new() } else { searches(&open[input.round % open.len()]) };
            let helpful: Vec<usize> = input.evidence.iter().map(|card| card.number).collect();
            let reason = "Some sides of it are known by now, and others are not.";
            let reply = json!({"reason": reason, "helpful": helpful, "enough": enough, "sub_queries": next});
            (format!("reflect {}", input.round), reply.to_string())
        }
        Input::Outline(input) => {
            let numbers: Vec<usize> = input.evidence.iter().map(|card| card.number).collect();
            let section = |place: usize| {
                let evidence: Vec<usize> = numbers.iter().copied().skip(place).step_by(SECTIONS).collect();
                json!({"heading": format!("Part {}", place + 1), "question": "What changed?", "evidence": evidence})
            };
            let sections: Vec<_> = (0..SECTIONS).map(section).collect();
            ("outline".to_owned(), json!({"sections": sections}).to_string())
        }
        Input::Write(WriteInput { evidence, words, .. }) => {
            let (step, cited) = match evidence.first() {
                Some(card) => ("section", card.number),
                // The opening is given the sections, and cites what they cite.
                None => ("opening", cited_in(request).unwrap_or(1)),
            };
            let sentences = words.unwrap_or(100) / 10;
            let sentence = |number| format!("In this part of it much has changed, as note {number} tells [{cited}]. ");
            (step.to_owned(), (0..sentences).map(sentence).collect())
        }
        _ => ("other".to_owned(), String::new()),
    }
}

/// The first number in brackets in a prompt.
fn cited_in(request: &ChatRequest) -> Option<usize> {
    let text = &request.messages.last()?.content;
    text.split('[').skip(1).find_map(|rest| rest.split(']').next()?.parse().ok())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = tempfile::tempdir()?;
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(data.path(), &EmbeddedOptions::default())?);
    let embedder: Option<Arc<dyn Embedder>> = Some(Arc::new(MiniLm::new()));
    let cwd = std::env::current_dir()?;
    let folder = LoadRequest { paths: vec!["examples/simpsons".into()], cwd: cwd.clone(), ..LoadRequest::default() };
    load(Arc::clone(&store), embedder.clone(), &folder, &|_| {}, CancellationToken::new()).await?;

    let model = Arc::new(StandIn::default());
    let options = AgentOptions { length: Some(WORDS), working_dir: Some(cwd), ..AgentOptions::default() };
    let evidence_tokens = options.evidence_tokens;
    let engine = Engine {
        corpus: Corpus::new(store, embedder, SearchOptions::default()).into(),
        model: Arc::clone(&model) as Arc<dyn ChatModel>,
        prompts: Arc::new(Prompts::builtin()?),
        clock: Clock::System,
        memory: None,
        steering: None,
        limits: StrategyLimits::default(),
        options,
    };
    let begun = Instant::now();
    let question = "How has The Simpsons changed over time?";
    let report = research(&engine, question, &[], Arc::new(NullSink), CancellationToken::new()).await?;
    let wall = begun.elapsed();

    let calls = model.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let sections = calls.iter().filter(|call| call.step == "section");
    let longest = sections.clone().map(|call| call.took).max().unwrap_or_default();
    // Sections are written at the same time; every other call waits for the one before it.
    let path = calls.iter().filter(|call| call.step != "section").map(|call| call.took).sum::<Duration>() + longest;
    let prompt = calls.iter().map(|call| call.prompt_tokens).max().unwrap_or(0);
    for call in calls.iter() {
        println!("{:<10} {:>5} ms  {:>6} tokens in", call.step, call.took.as_millis(), call.prompt_tokens);
    }
    let (written, rounds) = (sections.count(), report.rounds.len());
    let ratio = wall.as_secs_f64() / path.as_secs_f64();
    println!("{written} sections after {rounds} rounds, {} warnings", report.warnings.len());
    println!("wall {:.2} s, longest way {:.2} s: {ratio:.3} (at most 1.1)", wall.as_secs_f64(), path.as_secs_f64());
    println!("{} calls (at most {})", calls.len(), SECTIONS + ROUNDS + 4);
    println!("longest prompt {prompt} tokens (at most {})", evidence_tokens + 2_000);
    let holds = written == SECTIONS
        && ratio <= 1.1
        && calls.len() <= SECTIONS + ROUNDS + 4
        && prompt <= evidence_tokens + 2_000;
    if holds { Ok(()) } else { Err("the report took more than it should".into()) }
}
