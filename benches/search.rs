//! The steps of one query: keyword and vector search in stores of several sizes, fusion, and late interaction.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;

use criterion::{BenchmarkId, Criterion, Throughput};
use deepsearch::base::ContentHash;
use deepsearch::base::text::Language;
use deepsearch::domain::{
    Chunk, ChunkId, ChunkVectors, CollectionSpec, Document, DocumentFilter, DocumentId, EmbedderIdentity, Format,
    Headings,
};
use deepsearch::embed::minilm::MiniLm;
use deepsearch::embed::{Embedder, Text};
use deepsearch::retrieval::answer::{AnswerModel, Figures, Question, Weights, direction};
use deepsearch::retrieval::{PassageMatch, fuse, query_words, rerank, token_weights};
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::store::{KeywordQuery, NewDocument, Scored, Store, VectorQuery};
use tokio::runtime::Runtime;

use crate::prose::Prose;

const DIMENSION: usize = 384;
const CHUNKS_IN_DOCUMENT: usize = 50;
const DOCUMENTS_IN_BATCH: usize = 100;
const CANDIDATES: usize = 100;
const RERANKED: usize = 50;

/// The sizes of the searched stores, in chunks.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Real text, since made-up words split into many tokens.
const ENGLISH: &str = concat!(
    include_str!("../examples/simpsons/history/01-from-shorts-to-series.md"),
    include_str!("../examples/simpsons/history/04-under-disney.md"),
    include_str!("../examples/simpsons/history/05-the-movie.md"),
    include_str!("../examples/simpsons/characters/01-bart-to-homer.md"),
    include_str!("../examples/simpsons/characters/04-apu-and-the-changing-joke.md"),
);

/// The `nth` of `pieces` evenly spaced pieces of English, 800 bytes each.
fn english(nth: usize, pieces: usize) -> String {
    let start = nth * (ENGLISH.len() - 800) / pieces;
    ENGLISH[ENGLISH.floor_char_boundary(start)..ENGLISH.floor_char_boundary(start + 800)].to_owned()
}

/// Keyword and vector search in the same stores: BM25 for a question of a dozen words, and the scan of the vectors,
/// both approximate, as searches do it, and exact.
pub fn stores(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    for size in SIZES {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut prose = Prose::new(5);
        let store = runtime.block_on(filled(folder.path(), size, &mut prose));
        let queries: Vec<String> = (0..20).map(|_| prose.sentence()).collect();
        let mut turn = queries.iter().cycle();
        criterion.benchmark_group("keyword search").bench_function(BenchmarkId::from_parameter(size), |bencher| {
            bencher.iter(|| {
                let text = turn.next().cloned().unwrap_or_default();
                let (language, filter) = (Language::ENGLISH, DocumentFilter::default());
                let query = KeywordQuery { collections: Vec::new(), text, language, k: CANDIDATES, filter };
                runtime.block_on(store.keyword(&query)).expect("an answer")
            });
        });
        for (name, exact) in [("vector search", false), ("vector search, exact", true)] {
            let query = VectorQuery {
                collections: Vec::new(),
                vector: prose.vector(DIMENSION),
                k: CANDIDATES,
                exact,
                filter: DocumentFilter::default(),
            };
            criterion.benchmark_group(name).bench_function(BenchmarkId::from_parameter(size), |bencher| {
                bencher.iter(|| runtime.block_on(store.semantic(&query)).expect("an answer"));
            });
        }
    }
}

/// Fuses two lists of 100 chunks that share half of them.
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

/// Late interaction on the first 50 passages of a list, with the bundled model's token states.
pub fn late(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let model = MiniLm::new();
    let mut prose = Prose::new(7);
    let passages: Vec<String> = (0..RERANKED).map(|_| prose.text(800)).collect();
    let encoded = runtime.block_on(model.passages(passages.iter().map(Text::from).collect())).expect("vectors");
    let states: Vec<Vec<u8>> = encoded.into_iter().map(|vectors| vectors.states).collect();
    let text = prose.sentence();
    let query = runtime.block_on(model.queries(vec![Text::from(&text)])).expect("vectors").remove(0);
    let id = |number| ChunkId { document: DocumentId(number), ordinal: 0 };
    let lexical: Vec<Scored> =
        (0..RERANKED as u64).map(|place| Scored { id: id(place + 1), score: 20.0 - place as f32 }).collect();
    let candidates = fuse(&lexical, &[], RERANKED, 1.0);
    let idf = BTreeMap::new();
    criterion.bench_function("late interaction of 50", |bencher| {
        bencher.iter(|| {
            let words = query_words(&text, &query.states);
            let weights = token_weights(&words, query.states.len(), Language::ENGLISH, &idf);
            let score = |similarities: &Vec<f32>| Some(PassageMatch::of(similarities, &weights, 0.5)?.score);
            let scores: Vec<Option<f32>> = model.similarities(&query, &states).iter().map(score).collect();
            let mut candidates = candidates.clone();
            rerank(&mut candidates, &scores, 60.0);
            candidates
        });
    });
}

/// The answer score of the first ten passages of a list: the question's direction through a matrix of 512 rows, and the
/// best token of each passage. The token states are the bundled model's, of English; once in memory and once read from
/// a store.
pub fn answer(criterion: &mut Criterion) {
    const PASSAGES: usize = 10;
    const OUTPUTS: usize = 512;
    let runtime = Runtime::new().expect("a runtime");
    let model = MiniLm::new();
    let texts: Vec<String> = (0..PASSAGES).map(|nth| english(nth, PASSAGES)).collect();
    let encoded = runtime.block_on(model.passages(texts.iter().map(Text::from).collect())).expect("vectors");
    let states: Vec<Vec<u8>> = encoded.iter().map(|vectors| vectors.states.clone()).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).expect("a store");
    let embedder = Some(model.identity().clone());
    let spec = CollectionSpec { name: "bench".to_owned(), description: String::new(), embedder };
    runtime.block_on(store.create(spec)).expect("a collection");
    let new = texts.into_iter().zip(encoded).zip(0..);
    let new = new.map(|((text, vectors), number)| NewDocument {
        document: document_of(number, text.clone(), vec![chunk(0..text.len())], "English"),
        vectors: vec![Some(vectors)],
    });
    runtime.block_on(store.put("bench", new.collect())).expect("a batch");
    let records = runtime.block_on(store.documents("bench")).expect("documents");
    let ids: Vec<ChunkId> = records.iter().map(|record| ChunkId { document: record.id, ordinal: 0 }).collect();
    let question = "Who became the executive producer after the second season?".to_owned();
    let question = Question::of(&runtime.block_on(model.queries(vec![Text::from(question)])).expect("vectors")[0])
        .expect("states");
    let mut prose = Prose::new(8);
    let answers = AnswerModel {
        encoder: model.identity().clone(),
        outputs: OUTPUTS,
        matrix: (0..OUTPUTS).flat_map(|_| prose.vector(DIMENSION)).collect(),
        weights: Weights { alone: 20.0, with_late: 20.0, learned: 0.1, locating: 0.25 },
        figures: Figures {
            data: String::new(),
            questions: 0,
            map: [0.0; 2],
            first: [0.0; 2],
            gain: [0.0; 3],
            located: 0.0,
        },
    };
    let scores = |states: &[Vec<u8>]| -> Vec<Option<f32>> {
        let direction = direction(&answers.matrix, &question.vector);
        states.iter().map(|states| answers.score(&question, &direction, &model, states)).collect()
    };
    assert!(scores(&states).iter().all(Option::is_some), "a passage without states");
    let mut group = criterion.benchmark_group("answer score of 10");
    group.bench_function("states at hand", |bencher| bencher.iter(|| scores(black_box(&states))));
    group.bench_function("states of a store", |bencher| {
        bencher.iter(|| scores(&runtime.block_on(store.states(&ids)).expect("states")));
    });
    group.finish();
}

/// Embeds pieces of English text of 800 bytes, some 180 tokens each, with the bundled model on all cores.
pub fn embedding(criterion: &mut Criterion) {
    const TEXTS: usize = 16;
    let runtime = Runtime::new().expect("a runtime");
    let model = MiniLm::new();
    let texts: Vec<String> = (0..TEXTS).map(|nth| english(nth, TEXTS)).collect();
    let mut group = criterion.benchmark_group("embedding");
    group.throughput(Throughput::Elements(TEXTS as u64));
    group.bench_function("16 texts", |bencher| {
        bencher.iter(|| runtime.block_on(model.passages(texts.iter().map(Text::from).collect())).expect("vectors"));
    });
    group.finish();
}

/// A store of `chunks` chunks of about 500 bytes each, with random vectors.
async fn filled(folder: &std::path::Path, chunks: usize, prose: &mut Prose) -> EmbeddedStore {
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default()).expect("a store");
    let embedder = Some(EmbedderIdentity {
        name: "random".to_owned(),
        dimension: DIMENSION,
        passage_prefix: String::new(),
        states: String::new(),
    });
    let spec = CollectionSpec { name: "bench".to_owned(), description: String::new(), embedder };
    store.create(spec).await.expect("a collection");
    let documents: Vec<usize> = (0..chunks / CHUNKS_IN_DOCUMENT).collect();
    for batch in documents.chunks(DOCUMENTS_IN_BATCH) {
        let new = batch.iter().map(|&number| NewDocument {
            document: document(number, prose),
            vectors: (0..CHUNKS_IN_DOCUMENT)
                .map(|_| Some(ChunkVectors { embedding: prose.vector(DIMENSION), states: Vec::new() }))
                .collect(),
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
        chunks.push(chunk(start..text.len() - 1));
    }
    document_of(number, text, chunks, prose.word())
}

fn chunk(range: Range<usize>) -> Chunk {
    Chunk { range, page: None, page_turns: Vec::new(), headings: Headings::default(), language: Language::ENGLISH }
}

fn document_of(number: usize, text: String, chunks: Vec<Chunk>, title: &str) -> Document {
    Document {
        path: format!("/bench/{number}.txt"),
        title: title.to_owned(),
        format: Format::Text,
        language: Language::ENGLISH,
        date: None,
        authorship: deepsearch::domain::Authorship::default(),
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 1,
        cut: None,
        text,
        chunks,
    }
}
