//! Research as a library: load a folder, ask a question, print the report.
//!
//! Needs neither a key nor a network: the extractive model quotes the best passages. Use an `llm::openai::OpenAiModel`
//! instead for a model that reasons. Run it with `cargo run --example ask`.

use std::sync::Arc;

use deepsearch::agent::{AgentOptions, Engine, StrategyLimits, research};
use deepsearch::base::Clock;
use deepsearch::domain::{Event, EventSink};
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::ingest::{LoadRequest, load};
use deepsearch::offline::{ExtractiveModel, ExtractiveOptions};
use deepsearch::prompt::Prompts;
use deepsearch::retrieval::{Corpus, SearchOptions};
use deepsearch::store::Store;
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use tokio_util::sync::CancellationToken;

/// Prints the report as it is written.
struct Printer;

impl EventSink for Printer {
    fn emit(&self, event: &Event) {
        if let Event::Text { markdown } = event {
            // If the reader has closed the output, the report is not needed.
            drop(std::io::Write::write_all(&mut std::io::stdout(), markdown.as_bytes()));
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = tempfile::tempdir()?;
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(data.path(), &EmbeddedOptions::default())?);
    let embedder: Option<Arc<dyn Embedder>> = Some(Arc::new(MiniLm::new()));
    let cwd = std::env::current_dir()?;
    let folder = LoadRequest { paths: vec!["examples/simpsons".into()], cwd: cwd.clone(), ..LoadRequest::default() };
    load(Arc::clone(&store), embedder.clone(), &folder, &|_| {}, CancellationToken::new()).await?;

    let engine = Engine {
        corpus: Corpus::new(store, embedder, SearchOptions::default()).into(),
        model: Arc::new(ExtractiveModel::new(ExtractiveOptions::default())),
        prompts: Arc::new(Prompts::builtin()?),
        clock: Clock::System,
        memory: None,
        steering: None,
        limits: StrategyLimits::default(),
        options: AgentOptions { working_dir: Some(cwd), ..AgentOptions::default() },
    };
    let question = "How has The Simpsons changed over time?";
    research(&engine, question, &[], Arc::new(Printer), CancellationToken::new()).await?;
    Ok(())
}
