//! How search behaves at a million passages, on synthetic data made from real text.
//!
//! - `scale embed DATA FOLDER…` embeds the passages and some queries of BEIR folders into the folder DATA.
//! - `scale build DATA STORE CHUNKS FOLDER…` makes a store of CHUNKS passages in documents of eight. A passage is a few
//!   sentences drawn from the folders' passages; its vector is a mixture of two of their embeddings with noise, and its
//!   token states are those of one of them. Paths, languages and dates are such that filters keep a known share.
//! - `scale measure DATA STORE` measures keyword, semantic and hybrid search, each step of the latter, and the recall of
//!   the semantic half against its exact scan.
//! - `scale filters DATA STORE` measures searches in a hundredth, a tenth and half of the passages.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use deepsearch::base::text::{Language, analysis, sentences};
use deepsearch::base::{ContentHash, Rng};
use deepsearch::domain::{
    Chunk, ChunkVectors, CollectionSpec, DateOrigin, Document, DocumentDate, DocumentFilter, EmbedderIdentity, Format,
    Headings, SearchMode,
};
use deepsearch::embed::minilm::MiniLm;
use deepsearch::embed::{Embedder, Text};
use deepsearch::retrieval::{Corpus, PassageMatch, SearchOptions, SearchRequest};
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::store::{KeywordQuery, NewDocument, Scored, Store, VectorQuery};
use jiff::civil::date;

type Outcome<T> = Result<T, Box<dyn Error>>;

const DIMENSION: usize = 384;
const COLLECTION: &str = "scale";
const CHUNKS_IN_DOCUMENT: usize = 8;
const DOCUMENTS_IN_PUT: usize = 500;
/// The bytes of token states kept of a passage, some hundred tokens: a passage here is four sentences.
const STATES_OF_PASSAGE: usize = 100 * DIMENSION / 8;
/// The depths to which the two-stage search is compared with the exact scan.
const DEPTHS: [usize; 3] = [10, 100, 200];
/// The number of queries used from one folder, about.
const QUERIES: usize = 100;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        match arguments.as_slice() {
            ["embed", data, folders @ ..] => embed(Path::new(data), folders).await,
            ["build", data, store, chunks, folders @ ..] => {
                build(Path::new(data), Path::new(store), chunks.parse()?, folders).await
            }
            ["measure", data, store] => measure(Path::new(data), Path::new(store)).await,
            ["filters", data, store] => filters(Path::new(data), Path::new(store)).await,
            _ => Err("see the head of examples/scale.rs for the commands".into()),
        }
    })
}

/// The `text` fields of a file with one JSON object a line.
fn texts(folder: &str, file: &str) -> Outcome<Vec<String>> {
    let content = std::fs::read_to_string(Path::new(folder).join(file))?;
    let parse = |line: &str| -> Outcome<String> {
        let value: serde_json::Value = serde_json::from_str(line)?;
        Ok(value["text"].as_str().ok_or("a line without `text`")?.to_owned())
    };
    content.lines().map(parse).collect()
}

async fn embed(data: &Path, folders: &[&str]) -> Outcome<()> {
    std::fs::create_dir_all(data)?;
    let embedder = MiniLm::new();
    let (mut passages, mut queries, mut words, mut states) = (Vec::new(), Vec::new(), String::new(), Vec::new());
    for folder in folders {
        let mut asked = texts(folder, "queries.jsonl")?;
        let step = asked.len().div_ceil(QUERIES).max(1);
        asked = asked.into_iter().step_by(step).collect();
        for query in embedder.queries(asked.iter().map(Text::from).collect()).await? {
            queries.extend(query.embedding);
        }
        asked.iter().for_each(|query| words.extend([&query.replace('\n', " "), "\n"]));
        for call in texts(folder, "corpus.jsonl")?.chunks(64) {
            for vectors in embedder.passages(call.iter().map(Text::from).collect()).await? {
                passages.extend(vectors.embedding);
                let kept = &vectors.states[..vectors.states.len().min(STATES_OF_PASSAGE)];
                states.extend((kept.len() as u32).to_le_bytes());
                states.extend(kept);
            }
        }
        println!("{folder}: {} passages, {} queries in all", passages.len() / DIMENSION, queries.len() / DIMENSION);
    }
    write_floats(&data.join("passages.f32"), &passages)?;
    write_floats(&data.join("queries.f32"), &queries)?;
    std::fs::write(data.join("passages.states"), states)?;
    Ok(std::fs::write(data.join("queries.txt"), words)?)
}

fn write_floats(path: &Path, values: &[f32]) -> Outcome<()> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Ok(std::fs::write(path, bytes)?)
}

fn read_vectors(path: &Path) -> Outcome<Vec<Vec<f32>>> {
    let bytes = std::fs::read(path)?;
    let values: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    Ok(values.chunks_exact(DIMENSION).map(<[f32]>::to_vec).collect())
}

/// The token states of each passage, as written by `embed`.
fn read_states(path: &Path) -> Outcome<Vec<Vec<u8>>> {
    let bytes = std::fs::read(path)?;
    let (mut rest, mut states) = (bytes.as_slice(), Vec::new());
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (one, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or("the states are cut")?;
        states.push(one.to_vec());
        rest = after;
    }
    Ok(states)
}

/// The embedder that the measured searches use: the bundled model.
fn identity() -> EmbedderIdentity {
    MiniLm::new().identity().clone()
}

async fn build(data: &Path, store: &Path, chunks: usize, folders: &[&str]) -> Outcome<()> {
    let vectors = read_vectors(&data.join("passages.f32"))?;
    let states = read_states(&data.join("passages.states"))?;
    let mut pool = Vec::new();
    for folder in folders {
        for text in texts(folder, "corpus.jsonl")? {
            let of_text: Vec<String> = sentences(&text).map(|range| text[range].trim().to_owned()).collect();
            if !of_text.is_empty() {
                pool.push(of_text);
            }
        }
    }
    let mut rng = Rng::new(7);
    let store = EmbeddedStore::open(store, &EmbeddedOptions::default())?;
    let spec = CollectionSpec {
        name: COLLECTION.to_owned(),
        description: "synthetic passages".to_owned(),
        embedder: Some(identity()),
    };
    store.create(spec).await?;
    let start = Instant::now();
    let mut made = 0;
    while made < chunks {
        let mut documents = Vec::with_capacity(DOCUMENTS_IN_PUT);
        while documents.len() < DOCUMENTS_IN_PUT && made < chunks {
            documents.push(document(made / CHUNKS_IN_DOCUMENT, &pool, &vectors, &states, &mut rng));
            made += CHUNKS_IN_DOCUMENT;
        }
        store.put(COLLECTION, documents).await?;
        if made % (DOCUMENTS_IN_PUT * CHUNKS_IN_DOCUMENT * 25) == 0 {
            println!("{made} chunks, {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    store.flush().await?;
    println!("{made} chunks in {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn document(
    number: usize,
    pool: &[Vec<String>],
    vectors: &[Vec<f32>],
    states: &[Vec<u8>],
    rng: &mut Rng,
) -> NewDocument {
    let (mut text, mut chunks, mut embedded) = (String::new(), Vec::new(), Vec::new());
    for _ in 0..CHUNKS_IN_DOCUMENT {
        let start = text.len();
        let (near, far) = (rng.below(pool.len()), rng.below(pool.len()));
        for from in [near, near, near, far] {
            let sentence = &pool[from][rng.below(pool[from].len())];
            text.push_str(sentence);
            text.push(' ');
        }
        // A rare word, as numbers and names are.
        text.push_str(&format!("({}-{})", rng.below(5_000), rng.below(100)));
        chunks.push(Chunk {
            range: start..text.len(),
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: Language::ENGLISH,
        });
        text.push('\n');
        let embedding = mixture(&vectors[near % vectors.len()], &vectors[far % vectors.len()], rng);
        embedded.push(Some(ChunkVectors { embedding, states: states[near % states.len()].clone() }));
    }
    let document = Document {
        path: format!("/scale/{:02}/{number}.txt", number % 100),
        title: format!("Notes {number}"),
        format: Format::Text,
        // The language of the document as a whole; its chunks are searched as English.
        language: if number % 10 == 3 { Language::from_code("deu") } else { Language::ENGLISH },
        date: Some(DocumentDate { date: date(2000 + (number % 20) as i16, 6, 15), origin: DateOrigin::Metadata }),
        authorship: deepsearch::domain::Authorship::default(),
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 0,
        cut: None,
        text,
        chunks,
    };
    NewDocument { document, vectors: embedded }
}

/// A vector of length 1: mostly `near`, some of `far`, and noise of a length of about 0.6.
fn mixture(near: &[f32], far: &[f32], rng: &mut Rng) -> Vec<f32> {
    let share = 0.2 + 0.6 * unit(rng);
    let noise = 0.6 / (DIMENSION as f32).sqrt();
    let mut mixed: Vec<f32> = near
        .iter()
        .zip(far)
        .map(|(near, far)| {
            // The sum of four uniform values is close enough to a normal distribution.
            let normal = (unit(rng) + unit(rng) + unit(rng) + unit(rng) - 2.0) * 3.0_f32.sqrt();
            (1.0 - share * 0.5) * near + share * 0.5 * far + noise * normal
        })
        .collect();
    let length = mixed.iter().map(|value| value * value).sum::<f32>().sqrt();
    mixed.iter_mut().for_each(|value| *value /= length);
    mixed
}

fn unit(rng: &mut Rng) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1 << 24) as f32
}

async fn measure(data: &Path, folder: &Path) -> Outcome<()> {
    let vectors = read_vectors(&data.join("queries.f32"))?;
    let words = std::fs::read_to_string(data.join("queries.txt"))?;
    let words: Vec<&str> = words.lines().collect();
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(folder, &EmbeddedOptions::default())?);
    let start = Instant::now();
    let query = |vector: &Vec<f32>, exact| VectorQuery {
        collections: Vec::new(),
        vector: vector.clone(),
        k: SearchOptions::default().candidates,
        exact,
        filter: DocumentFilter::default(),
    };
    store.semantic(&query(&vectors[0], false)).await?;
    println!("first vector search: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);

    let mut exactly = Times::new("vectors, exact");
    let mut exact = Vec::new();
    for vector in &vectors {
        exact.push(exactly.of(store.semantic(&query(vector, true))).await?);
    }
    exactly.tell();
    let mut staged = Times::new("vectors, two stages");
    let mut in_both = [0; DEPTHS.len()];
    for (vector, expected) in vectors.iter().zip(&exact) {
        let found = staged.of(store.semantic(&query(vector, false))).await?;
        in_both.iter_mut().zip(DEPTHS).for_each(|(count, k)| *count += shared(&found, expected, k));
    }
    staged.tell();
    for (count, k) in in_both.into_iter().zip(DEPTHS) {
        println!("recall@{k} {:.4}", count as f64 / (vectors.len() * k) as f64);
    }

    let mut keyword = Times::new("keywords");
    for words in &words {
        keyword.of(store.keyword(&keywords(words, DocumentFilter::default()))).await?;
    }
    keyword.tell();

    let embedder: Arc<dyn Embedder> = Arc::new(MiniLm::new());
    let mut embedding = Times::new("embedding a query");
    for words in &words {
        embedding.of(embedder.queries(vec![Text::from(*words)])).await?;
    }
    embedding.tell();
    steps(store.as_ref(), embedder.as_ref(), &words).await?;
    let corpus = Corpus::new(store, Some(embedder), SearchOptions::default());
    let mut hybrid = Times::new("hybrid, whole path");
    for words in &words {
        let request =
            SearchRequest { query: (*words).to_owned(), collections: Vec::new(), mode: SearchMode::Hybrid, k: 10 };
        for answer in hybrid.of(corpus.search(&[request])).await {
            answer?;
        }
    }
    hybrid.tell();
    // The peak and the present resident memory, where the system reports them.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .filter(|line| line.starts_with("VmHWM") || line.starts_with("VmRSS"))
        .for_each(|line| println!("{line}"));
    Ok(())
}

/// The number of chunks that are among the first `k` of both lists.
fn shared(found: &[Scored], expected: &[Scored], k: usize) -> usize {
    let best = &expected[..k.min(expected.len())];
    found.iter().take(k).filter(|one| best.iter().any(|other| other.id == one.id)).count()
}

fn keywords(words: &str, filter: DocumentFilter) -> KeywordQuery {
    KeywordQuery { collections: Vec::new(), text: words.to_owned(), language: Language::ENGLISH, k: 100, filter }
}

/// Measures the steps of a hybrid search other than its keyword and semantic halves.
async fn steps(store: &dyn Store, embedder: &dyn Embedder, words: &[&str]) -> Outcome<()> {
    let mut of_names = Times::new("titles and languages of 50 passages");
    let mut of_states = Times::new("token states of 50 passages");
    let mut of_max_sim = Times::new("late interaction of 50 passages, one thread");
    let mut of_chunks = Times::new("10 passages in full");
    let mut of_frequencies = Times::new("frequencies of the query's terms");
    for words in words {
        let found = store.keyword(&keywords(words, DocumentFilter::default())).await?;
        let ids: Vec<_> = found.iter().take(50).map(|found| found.id).collect();
        of_names.of(store.names(&ids)).await?;
        let states = of_states.of(store.states(&ids)).await?;
        let query = embedder.queries(vec![Text::from(*words)]).await?;
        let weights = vec![1.0; query[0].states.len()];
        let compare = |similarities: &Vec<f32>| PassageMatch::of(similarities, &weights, 0.5);
        of_max_sim.of(async { embedder.similarities(&query[0], &states).iter().filter_map(compare).count() }).await;
        of_chunks.of(store.chunks(&ids[..ids.len().min(10)])).await?;
        let terms: Vec<String> = analysis::terms(words, Language::ENGLISH).into_iter().map(|term| term.text).collect();
        of_frequencies.of(store.document_frequencies(&[], &terms)).await?;
    }
    [of_names, of_states, of_max_sim, of_chunks, of_frequencies].into_iter().for_each(Times::tell);
    Ok(())
}

async fn filters(data: &Path, folder: &Path) -> Outcome<()> {
    let vectors = read_vectors(&data.join("queries.f32"))?;
    let words = std::fs::read_to_string(data.join("queries.txt"))?;
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default())?;
    let half = DocumentFilter { since: Some(date(2010, 1, 1)), ..DocumentFilter::default() };
    let tenth = DocumentFilter { language: Some(Language::from_code("deu")), ..DocumentFilter::default() };
    let hundredth = DocumentFilter { path: Some("07/*.txt".parse()?), ..DocumentFilter::default() };
    for filter in [DocumentFilter::default(), half, tenth, hundredth] {
        let start = Instant::now();
        let documents = store.count_documents(&[], &filter).await?;
        let took = start.elapsed().as_secs_f64() * 1e3;
        println!("\nfilter ({filter}): {documents} documents, found in {took:.1} ms");
        let (mut semantic, mut keyword) = (Times::new("vectors"), Times::new("keywords"));
        let (mut hits, mut in_both, mut expected) = (0, 0, 0);
        for (vector, words) in vectors.iter().zip(words.lines()) {
            let query = |exact| VectorQuery {
                collections: Vec::new(),
                vector: vector.clone(),
                k: 100,
                exact,
                filter: filter.clone(),
            };
            let found = semantic.of(store.semantic(&query(false))).await?;
            let exact = store.semantic(&query(true)).await?;
            in_both += shared(&found, &exact, 10);
            expected += exact.len().min(10);
            hits += keyword.of(store.keyword(&keywords(words, filter.clone()))).await?.len();
        }
        semantic.tell();
        keyword.tell();
        let queries = vectors.len() as f64;
        println!(
            "recall@10 of the vectors {:.4}, {:.1} hits of 100 by keywords",
            in_both as f64 / expected.max(1) as f64,
            hits as f64 / queries
        );
    }
    Ok(())
}

/// The durations of many calls, in wall-clock and processor time: on a busy machine the two differ.
struct Times {
    what: &'static str,
    seconds: Vec<f64>,
    cpu_before: f64,
}

impl Times {
    fn new(what: &'static str) -> Self {
        Times { what, seconds: Vec::new(), cpu_before: cpu_seconds() }
    }

    async fn of<T>(&mut self, call: impl Future<Output = T>) -> T {
        let start = Instant::now();
        let value = call.await;
        self.seconds.push(start.elapsed().as_secs_f64());
        value
    }

    fn tell(mut self) {
        let cpu = (cpu_seconds() - self.cpu_before) * 1e3 / self.seconds.len().max(1) as f64;
        self.seconds.sort_by(f64::total_cmp);
        let at = |part: f64| {
            self.seconds.get((self.seconds.len() as f64 * part) as usize).copied().unwrap_or_default() * 1e3
        };
        println!("{}: p50 {:.1} ms, p95 {:.1} ms; {cpu:.1} ms of processor time", self.what, at(0.5), at(0.95));
    }
}

/// Processor time of this process in seconds. Linux reports it in hundredths of a second, after the name in brackets.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
