//! Compares a store on a server with one on this machine.
//!
//! - `server serve` runs the tests' in-memory stand-in for a Qdrant server until its standard input closes; it prints
//!   the address.
//! - `server compare FOLDER QUERIES [SHARDS]` loads a BEIR folder into a store on this machine and into one on the
//!   server that `QDRANT_URL` names, or on the stand-in. It prints the share of the first ten results that they have in
//!   common, and the times of the searches.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use deepsearch::documents::chunk::ChunkOptions;
use deepsearch::domain::{CollectionSpec, SearchMode};
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::eval::{Dataset, load_set};
use deepsearch::retrieval::{Corpus, Rerank, SearchOptions, SearchRequest};
use deepsearch::store::Store;
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::store::qdrant::{QdrantOptions, QdrantStore};

#[path = "../tests/qdrant/mod.rs"]
#[expect(dead_code, reason = "the tests make it fail; here it only answers")]
mod stand_in;

type Outcome<T> = Result<T, Box<dyn Error>>;

const COLLECTION: &str = "compared";
const TOP: usize = 10;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve"] => {
            let server = stand_in::StandIn::start(None);
            println!("{}", server.url());
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
            Ok(())
        }
        ["compare", folder, queries, shards @ ..] => {
            let shards = shards.first().map_or(Ok(0), |shards| shards.parse())?;
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
            runtime.block_on(compare(Path::new(folder), queries.parse()?, shards))
        }
        _ => Err("see the head of examples/server.rs for the commands".into()),
    }
}

async fn compare(folder: &Path, queries: usize, shards: u32) -> Outcome<()> {
    let set = Dataset::read(folder)?;
    let embedder: Arc<dyn Embedder> = Arc::new(MiniLm::new());
    let here = tempfile::tempdir()?;
    let here: Arc<dyn Store> = Arc::new(EmbeddedStore::open(here.path(), &EmbeddedOptions::default())?);
    let stand_in = stand_in::StandIn::start(None);
    let url = std::env::var("QDRANT_URL").unwrap_or_else(|_| stand_in.url());
    let prefix = format!("deepsearch-compare-{}-", std::process::id());
    let options = QdrantOptions { url, prefix, shards, ..QdrantOptions::default() };
    let there: Arc<dyn Store> = Arc::new(QdrantStore::open(options)?);
    for (name, store) in [("here", &here), ("on the server", &there)] {
        let identity = Some(embedder.identity().clone());
        let spec = CollectionSpec { name: COLLECTION.to_owned(), description: String::new(), embedder: identity };
        store.create(spec).await?;
        let chunks = ChunkOptions::default();
        let seconds = load_set(store, Some(&embedder), COLLECTION, &set, &chunks, &|_| {}).await?;
        println!("loaded {name}, embedding included: {seconds:.1} s");
    }
    let asked: Vec<&str> = set.queries.iter().take(queries).map(|query| query.text.as_str()).collect();
    for (name, rerank, mode) in [
        ("keyword", Rerank::None, SearchMode::Keyword),
        ("semantic", Rerank::None, SearchMode::Semantic),
        ("hybrid", Rerank::None, SearchMode::Hybrid),
        ("hybrid, re-ranked", Rerank::Late, SearchMode::Hybrid),
    ] {
        let options = SearchOptions { rerank, ..SearchOptions::default() };
        let (first, first_ms) = search(&here, &embedder, &options, mode, &asked).await?;
        let (second, second_ms) = search(&there, &embedder, &options, mode, &asked).await?;
        let lists = || first.iter().zip(&second);
        let shared: usize = lists().map(|(a, b)| a.iter().filter(|place| b.contains(place)).count()).sum();
        let all: usize = first.iter().map(Vec::len).sum();
        let same = lists().filter(|(a, b)| a == b).count();
        let overlap = shared as f64 / all.max(1) as f64;
        let same = same as f64 / asked.len().max(1) as f64;
        println!(
            "{name}: {overlap:.4} of the first {TOP} shared, {same:.3} of the lists the same; {first_ms:.1} ms here, \
             {second_ms:.1} ms on the server",
        );
    }
    for collection in there.collections().await? {
        there.drop_collection(&collection.name).await?;
    }
    Ok(())
}

/// A passage, identified by its document and the position where it begins.
type Place = (String, usize);

/// The first passages for each query, and the median time of a search in milliseconds.
async fn search(
    store: &Arc<dyn Store>,
    embedder: &Arc<dyn Embedder>,
    options: &SearchOptions,
    mode: SearchMode,
    asked: &[&str],
) -> Outcome<(Vec<Vec<Place>>, f64)> {
    let corpus = Corpus::new(Arc::clone(store), Some(Arc::clone(embedder)), options.clone());
    let mut lists = Vec::with_capacity(asked.len());
    let mut times = Vec::with_capacity(asked.len());
    for query in asked {
        let request = SearchRequest { query: (*query).to_owned(), collections: Vec::new(), mode, k: TOP };
        let started = Instant::now();
        let mut answers = corpus.search(&[request]).await;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        let hits = answers.pop().ok_or("no answer")??;
        lists.push(hits.into_iter().map(|hit| (hit.chunk.path, hit.chunk.range.start)).collect());
    }
    times.sort_by(f64::total_cmp);
    Ok((lists, times.get(times.len() / 2).copied().unwrap_or_default()))
}
