//! One query: both halves in stores of several sizes, the fusion of their lists, the late interaction on top of it.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use deepsearch::base::ContentHash;
use deepsearch::base::text::Language;
use deepsearch::domain::{
    Chunk, ChunkId, ChunkVectors, CollectionSpec, Document, DocumentFilter, DocumentId, EmbedderIdentity, Format,
};
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::retrieval::{fuse, query_words, rerank, token_weights, weighted_mean};
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::store::{KeywordQuery, NewDocument, Scored, Store, VectorQuery};
use tokio::runtime::Runtime;

use crate::prose::Prose;

const DIMENSION: usize = 384;
const CHUNKS_IN_DOCUMENT: usize = 50;
const DOCUMENTS_IN_BATCH: usize = 100;
const CANDIDATES: usize = 100;
const RERANKED: usize = 50;

/// Set to anything: stores of a million chunks are measured too. Making them takes minutes and 2 GB of disk.
const MILLION: &str = "DEEPSEARCH_BENCH_MILLION";

fn sizes() -> Vec<usize> {
    let mut sizes = vec![10_000, 100_000];
    if std::env::var_os(MILLION).is_some() {
        sizes.push(1_000_000);
    }
    sizes
}

/// BM25 for a question of a dozen words.
pub fn keyword(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = criterion.benchmark_group("keyword search");
    for size in sizes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut prose = Prose::new(5);
        let store = runtime.block_on(filled(folder.path(), size, None, &mut prose));
        let queries: Vec<String> = (0..20).map(|_| prose.sentence()).collect();
        let mut turn = queries.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| {
                let text = turn.next().cloned().unwrap_or_default();
                let (language, filter) = (Language::ENGLISH, DocumentFilter::default());
                let query = KeywordQuery { collections: Vec::new(), text, language, k: CANDIDATES, filter };
                runtime.block_on(store.keyword(&query)).expect("an answer")
            });
        });
    }
    group.finish();
}

/// The exact scan.
pub fn vectors(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = criterion.benchmark_group("vector scan");
    for size in sizes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut prose = Prose::new(6);
        let store = runtime.block_on(filled(folder.path(), size, Some(DIMENSION), &mut prose));
        let query = VectorQuery {
            collections: Vec::new(),
            vector: prose.vector(DIMENSION),
            k: CANDIDATES,
            exact: false,
            filter: DocumentFilter::default(),
        };
        group.bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| runtime.block_on(store.semantic(&query)).expect("an answer"));
        });
    }
    group.finish();
}

/// Two lists of a hundred that share half of their chunks.
pub fn fusion(criterion: &mut Criterion) {
    let list = |from: u64| -> Vec<Scored> {
        let id = |number| ChunkId { document: DocumentId(number), ordinal: 0 };
        (0..CANDIDATES as u64).map(|place| Scored { id: id(from + place), score: 20.0 - place as f32 / 9.0 }).collect()
    };
    let (lexical, semantic) = (list(1), list(51));
    criterion.bench_function("fusion of 100 and 100", |bencher| {
        bencher.iter(|| fuse(black_box(&lexical), black_box(&semantic), CANDIDATES, 1.0));
    });
}

/// Late interaction on the first 50 of a list, with the bundled model's token states.
pub fn late(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let model = MiniLm::new();
    let mut prose = Prose::new(7);
    let passages: Vec<String> = (0..RERANKED).map(|_| prose.text(800)).collect();
    let encoded = runtime.block_on(model.passages(passages)).expect("vectors");
    let states: Vec<Vec<u8>> = encoded.into_iter().map(|vectors| vectors.states).collect();
    let query = prose.sentence();
    let query = runtime.block_on(model.queries(vec![query])).expect("vectors").remove(0);
    let id = |number| ChunkId { document: DocumentId(number), ordinal: 0 };
    let lexical: Vec<Scored> =
        (0..RERANKED as u64).map(|place| Scored { id: id(place + 1), score: 20.0 - place as f32 }).collect();
    let candidates = fuse(&lexical, &[], RERANKED, 1.0);
    let idf = BTreeMap::new();
    criterion.bench_function("late interaction of 50", |bencher| {
        bencher.iter(|| {
            let words = query_words(&query.states);
            let weights = token_weights(&words, query.states.len(), Language::ENGLISH, &idf);
            let scores: Vec<Option<f32>> =
                states.iter().map(|states| weighted_mean(&model.max_sim(&query, states), &weights)).collect();
            let mut candidates = candidates.clone();
            rerank(&mut candidates, &scores, 60.0);
            candidates
        });
    });
}

/// A store of `chunks` chunks of about 500 bytes, with random vectors where there is a dimension.
async fn filled(folder: &std::path::Path, chunks: usize, dimension: Option<usize>, prose: &mut Prose) -> EmbeddedStore {
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default()).expect("a store");
    let embedder = dimension.map(|dimension| EmbedderIdentity {
        name: "random".to_owned(),
        dimension,
        passage_prefix: String::new(),
        states: String::new(),
    });
    let spec = CollectionSpec { name: "bench".to_owned(), description: String::new(), embedder };
    store.create(spec).await.expect("a collection");
    let documents: Vec<usize> = (0..chunks / CHUNKS_IN_DOCUMENT).collect();
    for batch in documents.chunks(DOCUMENTS_IN_BATCH) {
        let new = batch.iter().map(|&number| NewDocument {
            document: document(number, prose),
            vectors: dimension.map_or_else(Vec::new, |dimension| {
                let vector = |_| Some(ChunkVectors { embedding: prose.vector(dimension), states: Vec::new() });
                (0..CHUNKS_IN_DOCUMENT).map(vector).collect()
            }),
        });
        let new = new.collect();
        store.put("bench", new).await.expect("a batch");
    }
    store.flush().await.expect("an index");
    store
}

fn document(number: usize, prose: &mut Prose) -> Document {
    let mut text = String::new();
    let mut chunks = Vec::with_capacity(CHUNKS_IN_DOCUMENT);
    for _ in 0..CHUNKS_IN_DOCUMENT {
        let start = text.len();
        for _ in 0..4 {
            text.push_str(&prose.sentence());
            text.push(' ');
        }
        let range = start..text.len() - 1;
        chunks.push(Chunk { range, page: None, headings: Vec::new(), language: Language::ENGLISH });
    }
    Document {
        path: format!("/bench/{number}.txt"),
        title: prose.word().to_owned(),
        format: Format::Text,
        language: Language::ENGLISH,
        date: None,
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 1,
        text,
        chunks,
    }
}
