//! Tests that every store must pass, whatever its backend. A store's own tests pass in a way to make an empty store.

use std::collections::BTreeMap;
use std::future::Future;

use proptest::prelude::*;

use super::{ChunkName, KeywordQuery, NewDocument, RenamedDocument, Store, StoreError, VectorQuery};
use crate::base::ContentHash;
use crate::base::text::{Language, analysis};
use crate::domain::{
    Authorship, Chunk, ChunkId, ChunkVectors, CollectionSpec, DateOrigin, Document, DocumentDate, DocumentFilter,
    DocumentId, DocumentRecord, EmbedderIdentity, Format, Headings,
};

pub(super) const DIMENSION: usize = 8;

/// The spec of a collection with or without vectors.
pub(super) fn spec(name: &str, vectors: bool) -> CollectionSpec {
    CollectionSpec {
        name: name.to_owned(),
        description: format!("about {name}"),
        embedder: vectors.then(|| EmbedderIdentity {
            name: "test".to_owned(),
            dimension: DIMENSION,
            passage_prefix: String::new(),
            states: "raw".to_owned(),
        }),
    }
}

/// Returns a vector of length 1 that depends on all of `text`.
pub(super) fn vector(text: &str) -> Vec<f32> {
    let hash = ContentHash::of(text.as_bytes());
    let raw: Vec<f32> = hash.as_bytes()[..DIMENSION].iter().map(|byte| f32::from(*byte) - 127.5).collect();
    let length = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
    raw.into_iter().map(|value| value / length).collect()
}

/// A document with one chunk for each line.
pub(super) fn document(path: &str, text: &str, vectors: bool) -> NewDocument {
    let mut chunks = Vec::new();
    let mut start = 0;
    for (line, page) in text.split_inclusive('\n').zip(1..) {
        let range = start..start + line.trim_end().len();
        start += line.len();
        if !range.is_empty() {
            let shared = vec![format!("Heading{page}"), "節".to_owned()];
            let headings = Headings { shared, parts: vec![(3, vec!["項".to_owned()])] };
            chunks.push(Chunk { range, page: Some(page), page_turns: vec![3], headings, language: Language::ENGLISH });
        }
    }
    let vectors = if vectors {
        let encode = |chunk: &Chunk| {
            let words = &text[chunk.range.clone()];
            ChunkVectors { embedding: vector(words), states: words.as_bytes().to_vec() }
        };
        chunks.iter().map(|chunk| Some(encode(chunk))).collect()
    } else {
        Vec::new()
    };
    let document = Document {
        path: path.to_owned(),
        title: format!("Title of {}", path.rsplit('/').next().unwrap()),
        format: Format::Text,
        language: Language::ENGLISH,
        date: Some(DocumentDate { date: jiff::civil::date(1999, 12, 31), origin: DateOrigin::Metadata }),
        authorship: Authorship { title: Some("T".into()), authors: vec!["Ada Lovelace".into()], ..Default::default() },
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: -5,
        cut: Some(u32::MAX),
        text: text.to_owned(),
        chunks,
    };
    NewDocument { document, vectors }
}

pub(super) fn keyword(collections: &[&str], text: &str, k: usize) -> KeywordQuery {
    let collections = collections.iter().map(|name| (*name).to_owned()).collect();
    let filter = DocumentFilter::default();
    KeywordQuery { collections, text: text.to_owned(), language: Language::ENGLISH, k, filter }
}

pub(super) fn semantic(collections: &[&str], text: &str, k: usize) -> VectorQuery {
    let collections = collections.iter().map(|name| (*name).to_owned()).collect();
    VectorQuery { collections, vector: vector(text), k, exact: false, filter: DocumentFilter::default() }
}

/// Returns the texts that a keyword query finds.
pub(super) async fn found(store: &dyn Store, collections: &[&str], text: &str, k: usize) -> Vec<String> {
    let ids: Vec<ChunkId> =
        store.keyword(&keyword(collections, text, k)).await.unwrap().iter().map(|scored| scored.id).collect();
    let chunks = store.chunks(&ids).await.unwrap();
    assert_eq!(chunks.len(), ids.len(), "a search found what is not there");
    chunks.into_iter().map(|chunk| chunk.text).collect()
}

/// Returns the texts that a vector query finds.
pub(super) async fn near(store: &dyn Store, collections: &[&str], text: &str, k: usize) -> Vec<String> {
    let scored = store.semantic(&semantic(collections, text, k)).await.unwrap();
    let ids: Vec<ChunkId> = scored.iter().map(|scored| scored.id).collect();
    let chunks = store.chunks(&ids).await.unwrap();
    assert_eq!(chunks.len(), ids.len(), "a search found what is not there");
    chunks.into_iter().map(|chunk| chunk.text).collect()
}

/// Lists all that a store holds and finds, without its ids.
pub(super) async fn contents(store: &dyn Store, words: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    for collection in store.collections().await.unwrap() {
        lines.push(format!("{collection:?}"));
        for record in store.documents(&collection.name).await.unwrap() {
            let ids: Vec<ChunkId> =
                (0..record.chunks).map(|ordinal| ChunkId { document: record.id, ordinal }).collect();
            for (chunk, states) in store.chunks(&ids).await.unwrap().into_iter().zip(store.states(&ids).await.unwrap())
            {
                lines
                    .push(format!("{} {:?} {:?} {:?} {states:?}", chunk.path, chunk.range, chunk.text, chunk.headings));
            }
            lines.push(store.text(record.id, 0..usize::MAX).await.unwrap());
            let DocumentRecord { title, format, language, date, hash, bytes, text_bytes, .. } = record;
            lines.push(format!("{title} {format:?} {language:?} {date:?} {hash} {bytes} {text_bytes}"));
        }
    }
    for word in words {
        for mut texts in [found(store, &[], word, 100).await, near(store, &[], word, 5).await] {
            texts.sort();
            lines.push(format!("{word}: {texts:?}"));
        }
    }
    lines
}

/// Runs a test on a runtime of its own.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(future)
}

/// Runs every operation, one after the other, on an empty store.
pub(super) async fn every_operation(store: &dyn Store) {
    assert!(store.collections().await.unwrap().is_empty());
    assert!(found(store, &[], "anything", 5).await.is_empty());
    store.flush().await.unwrap();

    let docs = store.create(spec("docs", true)).await.unwrap();
    assert_eq!((docs.name.as_str(), docs.documents, docs.described_by_user), ("docs", 0, false));
    assert_eq!(docs.embedder, spec("docs", true).embedder);
    store.create(spec("資料 室", false)).await.unwrap();
    assert!(matches!(store.create(spec("docs", true)).await, Err(StoreError::CollectionExists { .. })));
    assert!(matches!(store.create(spec(" ", true)).await, Err(StoreError::BadName { .. })));
    let Err(StoreError::NoCollection { nearest, .. }) = store.collection("dosc").await else { panic!("found") };
    assert_eq!(nearest[0], "docs");

    store.describe("docs", "an order of services", true).await.unwrap();
    let docs = store.collection("docs").await.unwrap();
    assert_eq!((docs.description.as_str(), docs.described_by_user), ("an order of services", true));

    let first = "apples grow on trees\npears grow on trees as well\n";
    store.put("docs", vec![document("/d/fruit.txt", first, true), document("/d/empty.txt", "", true)]).await.unwrap();
    store.put("資料 室", vec![document("/d/箱.txt", "apples in 箱 😀\n", false)]).await.unwrap();
    store.flush().await.unwrap();

    let records = store.documents("docs").await.unwrap();
    assert_eq!(records.iter().map(|record| record.path.as_str()).collect::<Vec<_>>(), ["/d/empty.txt", "/d/fruit.txt"]);
    let fruit = &records[1];
    let original = document("/d/fruit.txt", first, true).document;
    assert_eq!((fruit.hash, fruit.date, fruit.modified_ns), (original.hash, original.date, -5));
    assert_eq!((fruit.cut, &fruit.authorship), (original.cut, &original.authorship));
    assert_eq!((fruit.chunks, fruit.text_bytes, fruit.format), (2, first.len() as u64, Format::Text));
    let docs = store.collection("docs").await.unwrap();
    assert_eq!((docs.documents, docs.chunks, docs.text_bytes), (2, 2, first.len() as u64));

    // Searches: their filters and their order.
    assert_eq!(found(store, &[], "pears", 5).await, ["pears grow on trees as well"]);
    assert_eq!(found(store, &[], "apples", 5).await.len(), 2);
    assert_eq!(found(store, &["docs"], "apples", 5).await, ["apples grow on trees"]);
    assert_eq!(found(store, &["資料 室"], "apples", 5).await, ["apples in 箱 😀"]);
    assert_eq!(found(store, &["docs", "資料 室"], "apples", 1).await.len(), 1);
    assert!(found(store, &[], "", 5).await.is_empty());
    assert!(found(store, &[], "apples", 0).await.is_empty());
    assert!(found(store, &[], "\"apples AND (", 5).await.len() == 2);
    let long = "apples ".repeat(50_000);
    assert_eq!(found(store, &[], &long, 5).await.len(), 2);
    assert!(matches!(store.keyword(&keyword(&["no"], "x", 1)).await, Err(StoreError::NoCollection { .. })));
    assert_eq!(near(store, &[], "apples grow on trees", 1).await, ["apples grow on trees"]);
    assert_eq!(near(store, &["docs"], "apples grow on trees", 9).await.len(), 2);
    assert!(near(store, &["資料 室"], "apples grow on trees", 9).await.is_empty());
    let best = store.semantic(&semantic(&[], "apples grow on trees", 1)).await.unwrap()[0];
    assert!((best.score - 1.0).abs() < 0.02, "{}", best.score);
    let other = VectorQuery { vector: vec![1.0; 3], ..semantic(&["docs"], "x", 1) };
    assert!(matches!(store.semantic(&other).await, Err(StoreError::OtherEmbedder { .. })));
    let term = |word: &str| analysis::terms(word, Language::ENGLISH)[0].text.clone();
    let terms = ["apples", "trees", "nowhere"].map(term);
    assert_eq!(store.document_frequencies(&[], &terms).await.unwrap(), (vec![2, 2, 0], 3));
    assert_eq!(store.document_frequencies(&["docs".into()], &terms).await.unwrap(), (vec![1, 2, 0], 2));
    let words = store.vocabulary("docs", 10).await.unwrap();
    assert!(words.iter().any(|word| word == "trees") && words.len() <= 10, "{words:?}");
    assert!(store.vocabulary("docs", 0).await.unwrap().is_empty());

    // Chunks and text.
    let id = |ordinal| ChunkId { document: fruit.id, ordinal };
    let gone = ChunkId { document: DocumentId(9_999), ordinal: 0 };
    let chunks = store.chunks(&[id(1), gone, id(0), id(7)]).await.unwrap();
    assert_eq!(chunks.iter().map(|chunk| chunk.id).collect::<Vec<_>>(), [id(1), id(0)]);
    assert_eq!((chunks[0].page, chunks[0].headings.above(&(0..3))), (Some(2), vec!["Heading2".into(), "節".into()]));
    assert_eq!(chunks[0].headings.above(&(3..5)), ["Heading2", "節", "項"]);
    assert_eq!((chunks[0].page_at(2), chunks[0].page_at(3)), (Some(2), Some(3)));
    assert_eq!(chunks[0].by.as_deref(), Some("Lovelace"), "who wrote its document");
    let named = Some(ChunkName { title: fruit.title.as_str().into(), language: Language::ENGLISH });
    let names = store.names(&[id(1), gone, id(0), id(7)]).await.unwrap();
    assert_eq!(names, [named.clone(), None, named, None]);
    assert_eq!(store.states(&[gone, id(0)]).await.unwrap(), [b"".to_vec(), b"apples grow on trees".to_vec()]);
    let boxed = store.find_documents("箱.txt").await.unwrap();
    assert_eq!((boxed.len(), boxed[0].collection.as_str()), (1, "資料 室"));
    assert!(store.find_documents("ruit.txt").await.unwrap().is_empty());
    assert_eq!(store.text(boxed[0].id, 11..12).await.unwrap(), "箱");
    assert_eq!(store.text(boxed[0].id, 16..17).await.unwrap(), "😀");
    assert_eq!(store.text(boxed[0].id, std::ops::Range { start: 5, end: 3 }).await.unwrap(), "");
    assert_eq!(store.text(boxed[0].id, 0..usize::MAX).await.unwrap(), "apples in 箱 😀\n");
    assert_eq!(store.text(gone.document, 0..5).await.unwrap(), "");

    // Replacing: the old version cannot be found, before and after a flush.
    store.touch("docs", vec![(fruit.id, 77)]).await.unwrap();
    assert_eq!(store.documents("docs").await.unwrap()[1].modified_ns, 77);
    store.put("docs", vec![document("/d/fruit.txt", "plums are blue\n", true)]).await.unwrap();
    assert_eq!(store.names(&[id(1), id(0)]).await.unwrap(), [None, None], "the version that was replaced");
    assert!(found(store, &["docs"], "apples pears", 5).await.is_empty());
    assert!(near(store, &[], "apples grow on trees", 5).await.iter().all(|text| text == "plums are blue"));
    store.flush().await.unwrap();
    assert_eq!(found(store, &[], "plums", 5).await, ["plums are blue"]);
    assert_eq!(near(store, &[], "plums are blue", 5).await, ["plums are blue"]);
    assert!(store.documents("docs").await.unwrap()[1].id > fruit.id);
    // If one call puts two documents at the same path, the later one stays.
    let twice = vec![document("/d/2", "one\n", true), document("/d/2", "zwei\n", true)];
    store.put("docs", twice).await.unwrap();
    store.flush().await.unwrap();
    assert!(found(store, &[], "one", 5).await.is_empty());
    assert_eq!(found(store, &[], "zwei", 5).await, ["zwei"]);

    // All or nothing: the second document cannot be stored.
    let mut bad = document("/d/bad", "ab\n", true);
    bad.vectors[0].as_mut().unwrap().embedding.pop();
    let result = store.put("docs", vec![document("/d/good", "good\n", true), bad]).await;
    assert!(matches!(result, Err(StoreError::OtherEmbedder { .. })));
    assert!(store.find_documents("/d/good").await.unwrap().is_empty());
    assert!(matches!(store.put("no", vec![]).await, Err(StoreError::NoCollection { .. })));

    // Renaming, removing, dropping.
    store.rename("docs", "papers").await.unwrap();
    assert!(matches!(store.rename("papers", "資料 室").await, Err(StoreError::CollectionExists { .. })));
    assert_eq!(found(store, &["papers"], "plums", 5).await, ["plums are blue"]);
    let paths = vec!["/d/fruit.txt".to_owned(), "/d/none".to_owned()];
    assert_eq!(store.remove("papers", paths).await.unwrap(), 1);
    assert!(found(store, &[], "plums", 5).await.is_empty());
    store.drop_collection("papers").await.unwrap();
    assert!(found(store, &[], "zwei", 5).await.is_empty());
    assert!(near(store, &[], "zwei", 5).await.is_empty());
    store.flush().await.unwrap();
    assert_eq!(store.collections().await.unwrap().len(), 1);
    // A new collection has nothing of an old one of the same name.
    store.create(spec("papers", true)).await.unwrap();
    assert!(found(store, &["papers"], "zwei", 5).await.is_empty());
    assert_eq!(store.collection("papers").await.unwrap().documents, 0);
}

/// A renamed document is the same document at another path: its text is still found, and only at the new path.
pub(super) async fn renaming_documents<S: Store>(mut store: S, reopen: impl Fn(S) -> S) {
    store.create(spec("docs", true)).await.unwrap();
    let documents = [("/a/one.txt", "alpha words\n"), ("/a/two.txt", "bravo words\n"), ("/b/old.txt", "charlie\n")];
    store.put("docs", documents.map(|(path, text)| document(path, text, true)).to_vec()).await.unwrap();
    store.flush().await.unwrap();
    let in_folder = |folder: &str| DocumentFilter { path: Some(folder.parse().unwrap()), ..DocumentFilter::default() };
    // Asked before the renaming, so that a cached set of documents must be recognised as outdated.
    assert_eq!(store.count_documents(&[], &in_folder("a")).await.unwrap(), 2);
    assert_eq!(
        store.keyword(&KeywordQuery { filter: in_folder("a"), ..keyword(&[], "alpha", 5) }).await.unwrap().len(),
        1
    );

    let before = store.documents("docs").await.unwrap();
    let date = Some(DocumentDate { date: jiff::civil::date(2001, 2, 3), origin: DateOrigin::FileTime });
    let renamed = |id, path: &str| RenamedDocument { id, path: path.to_owned(), modified_ns: 42, date };
    let gone = DocumentId(9_999);
    // To a free path, onto another document, to its own path, and a document that does not exist.
    let moves = vec![
        renamed(before[0].id, "/c/one.txt"),
        renamed(before[1].id, "/b/old.txt"),
        renamed(before[0].id, "/c/one.txt"),
        renamed(gone, "/c/gone.txt"),
    ];
    store.rename_documents("docs", moves).await.unwrap();
    for reopened in [false, true] {
        if reopened {
            store.flush().await.unwrap();
            store = reopen(store);
        }
        let after = store.documents("docs").await.unwrap();
        let rows: Vec<_> = after.iter().map(|row| (row.path.as_str(), row.id, row.modified_ns, row.date)).collect();
        assert_eq!(rows, [("/b/old.txt", before[1].id, 42, date), ("/c/one.txt", before[0].id, 42, date)]);
        for (row, old) in after.iter().zip([&before[1], &before[0]]) {
            assert_eq!((&row.title, row.hash, row.chunks, row.bytes), (&old.title, old.hash, old.chunks, old.bytes));
        }
        let counted = store.collection("docs").await.unwrap();
        assert_eq!((counted.documents, counted.chunks, counted.text_bytes), (2, 2, 24));
        assert_eq!(found(&store, &[], "words", 5).await.len(), 2);
        assert!(found(&store, &[], "charlie", 5).await.is_empty());
        assert_eq!(near(&store, &[], "alpha words", 1).await, ["alpha words"]);
        let id = ChunkId { document: before[0].id, ordinal: 0 };
        assert_eq!(store.chunks(&[id]).await.unwrap()[0].path, "/c/one.txt");
        assert_eq!(store.states(&[id]).await.unwrap(), [b"alpha words".to_vec()]);
        for (folder, expected) in [("a", 0), ("b", 1), ("c", 1)] {
            assert_eq!(store.count_documents(&[], &in_folder(folder)).await.unwrap(), expected, "{folder}");
            let query = KeywordQuery { filter: in_folder(folder), ..keyword(&[], "words", 5) };
            assert_eq!(store.keyword(&query).await.unwrap().len() as u64, expected, "{folder}");
        }
    }
    assert!(matches!(store.rename_documents("no", Vec::new()).await, Err(StoreError::NoCollection { .. })));
}

/// Returns the same text with vectors of another embedder, of half the dimension.
fn halved(text: &str) -> Option<ChunkVectors> {
    Some(ChunkVectors { embedding: vector(text)[..DIMENSION / 2].to_vec(), states: b"new".to_vec() })
}

/// Another embedder's vectors replace the old ones all at once, however often the work was interrupted. `reopen` closes
/// the store and opens it again.
pub(super) async fn reembedding<S: Store>(mut store: S, reopen: impl Fn(S) -> S) {
    let other = || {
        let identity = spec("x", true).embedder.unwrap();
        EmbedderIdentity { name: "other".to_owned(), dimension: DIMENSION / 2, ..identity }
    };
    let half = |text: &str, exact| VectorQuery {
        collections: vec!["docs".to_owned()],
        vector: vector(text)[..DIMENSION / 2].to_vec(),
        k: 9,
        exact,
        filter: DocumentFilter::default(),
    };
    store.create(spec("docs", true)).await.unwrap();
    store.create(spec("more", true)).await.unwrap();
    let documents = [("/a", "one\ntwo\n"), ("/b", "three\n"), ("/empty", "")];
    store.put("docs", documents.map(|(path, text)| document(path, text, true)).to_vec()).await.unwrap();
    store.put("more", vec![document("/m", "three\n", true)]).await.unwrap();
    store.flush().await.unwrap();
    assert!(!store.finish_reembedding("docs").await.unwrap(), "nothing was begun");
    assert!(matches!(store.start_reembedding("no", None).await, Err(StoreError::NoCollection { .. })));

    // The old vectors are searched until the end.
    let ids = store.start_reembedding("docs", Some(other())).await.unwrap();
    assert_eq!(ids.len(), 3);
    store.put_vectors("docs", vec![(ids[0], vec![halved("one"), None])]).await.unwrap();
    let wrong = vec![(ids[1], vec![Some(ChunkVectors { embedding: vector("x"), states: Vec::new() })])];
    assert!(store.put_vectors("docs", wrong).await.is_err(), "vectors of another dimension");
    assert!(!store.finish_reembedding("docs").await.unwrap(), "two documents lack theirs");
    store = reopen(store);
    assert_eq!(near(&store, &["docs"], "two", 1).await, ["two"]);
    assert_eq!(store.states(&[ChunkId { document: ids[0], ordinal: 0 }]).await.unwrap(), [b"one".to_vec()]);
    assert_eq!(store.collection("docs").await.unwrap().embedder, spec("docs", true).embedder);

    // It resumes where it stopped, with the documents that were added since and without those removed.
    assert_eq!(store.start_reembedding("docs", Some(other())).await.unwrap(), ids[1..]);
    store.put("docs", vec![document("/b", "four\n", true)]).await.unwrap();
    store.remove("docs", vec!["/empty".to_owned()]).await.unwrap();
    let rest = store.start_reembedding("docs", Some(other())).await.unwrap();
    assert!(rest.len() == 1 && !ids.contains(&rest[0]), "{rest:?}");
    store.put_vectors("docs", vec![(ids[1], vec![halved("three")]), (rest[0], vec![halved("four")])]).await.unwrap();
    assert!(store.finish_reembedding("docs").await.unwrap());
    for reopened in [false, true] {
        if reopened {
            store = reopen(store);
        }
        assert_eq!(store.collection("docs").await.unwrap().embedder, Some(other()));
        let found = store.semantic(&half("four", reopened)).await.unwrap();
        assert_eq!((found.len(), found[0].id.document), (2, rest[0]));
        assert!(matches!(store.semantic(&semantic(&["docs"], "four", 1)).await, Err(StoreError::OtherEmbedder { .. })));
        assert_eq!(store.state_bytes("docs").await.unwrap(), 6, "two of three bytes");
        assert_eq!(near(&store, &["more"], "three", 9).await, ["three"]);
        let kept = store.semantic(&semantic(&["more"], "three", 1)).await.unwrap()[0].id;
        let states = store.states(&[kept, found[0].id]).await.unwrap();
        assert_eq!(states, [b"three".to_vec(), b"new".to_vec()], "each collection's own");
    }

    // Documents put afterwards have the new embedder's vectors; another re-embedding can be begun and abandoned.
    let mut new = document("/c", "five\n", true);
    new.vectors = vec![halved("five")];
    store.put("docs", vec![new]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(store.semantic(&half("five", false)).await.unwrap().len(), 3);
    assert_eq!(store.start_reembedding("docs", spec("x", true).embedder).await.unwrap().len(), 3);
    assert!(store.start_reembedding("docs", Some(other())).await.unwrap().is_empty());
    assert!(!store.finish_reembedding("docs").await.unwrap(), "it was forgotten");

    // No embedder at all.
    assert!(store.start_reembedding("docs", None).await.unwrap().is_empty());
    assert!(store.finish_reembedding("docs").await.unwrap());
    assert_eq!(store.collection("docs").await.unwrap().embedder, None);
    assert!(store.semantic(&half("five", false)).await.unwrap().is_empty());
    assert_eq!(found(&store, &["docs"], "five", 5).await, ["five"]);
    // And back: every document must be embedded again.
    assert_eq!(store.start_reembedding("docs", Some(other())).await.unwrap().len(), 3);
}

/// Documents that a filter admits are found as if there were no others.
pub(super) async fn filters(store: &dyn Store) {
    const WORD: &str = "harvest";
    let language = |number: usize| Language::from_code(["eng", "deu", "jpn"][number % 3]);
    let date =
        |number: usize| (!number.is_multiple_of(4)).then(|| jiff::civil::date(2000 + (number % 20) as i16, 6, 15));
    store.create(spec("many", true)).await.unwrap();
    store.create(spec("few", true)).await.unwrap();
    let path = |number: usize| format!("/{}/n{number}.txt", ["a", "a/deep", "b"][number % 3]);
    let new = |number: usize| {
        let mut new = document(&path(number), &format!("the {WORD} of {number}\nsome words of {number}\n"), true);
        new.document.language = language(number);
        new.document.date = date(number).map(|date| DocumentDate { date, origin: DateOrigin::FileTime });
        new
    };
    store.put("many", (0..300).map(new).collect()).await.unwrap();
    store.put("few", (300..310).map(new).collect()).await.unwrap();
    store.flush().await.unwrap();

    let filter = |path: &str, language: &str, since: i16, until: i16| DocumentFilter {
        path: (!path.is_empty()).then(|| path.parse().unwrap()),
        language: (!language.is_empty()).then(|| Language::from_code(language)),
        since: (since > 0).then(|| jiff::civil::date(since, 1, 1)),
        until: (until > 0).then(|| jiff::civil::date(until, 12, 31)),
        ..DocumentFilter::default()
    };
    for (collections, filter) in [
        (&["many"][..], DocumentFilter::default()),
        (&["few"], DocumentFilter::default()),
        (&[], filter("", "jpn", 0, 0)),
        (&["many"], filter("a", "", 0, 0)),
        (&[], filter("a/*.txt", "", 0, 0)),
        (&[], DocumentFilter { except: Some("a".parse().unwrap()), ..filter("*.txt", "", 0, 0) }),
        (&[], filter("", "", 2005, 2006)),
        (&["many", "few"], filter("b", "jpn", 2010, 0)),
        (&["few"], filter("n302.txt", "", 0, 0)),
        (&["few"], filter("n7.txt", "", 0, 0)),
        (&[], filter("nowhere", "", 0, 0)),
    ] {
        let names: Vec<String> = collections.iter().map(|name| (*name).to_owned()).collect();
        let all = |name| collections.is_empty() || collections.contains(&name);
        let within = (0..310).filter(|&number| all(if number < 300 { "many" } else { "few" }));
        let admitted = |&number: &usize| filter.admits(&path(number), language(number), date(number));
        let mut expected: Vec<String> =
            within.filter(admitted).map(|number| format!("the {WORD} of {number}")).collect();
        expected.sort();
        assert_eq!(store.count_documents(&names, &filter).await.unwrap(), expected.len() as u64, "{filter}");

        let query = KeywordQuery { filter: filter.clone(), ..keyword(collections, WORD, 1_000) };
        let ids: Vec<ChunkId> = store.keyword(&query).await.unwrap().iter().map(|scored| scored.id).collect();
        let mut texts: Vec<String> = store.chunks(&ids).await.unwrap().into_iter().map(|chunk| chunk.text).collect();
        texts.sort();
        assert_eq!(texts, expected, "{collections:?} {filter}");
        // Fewer than all: the beginning of the same list.
        let few = store.keyword(&KeywordQuery { k: 3, ..query }).await.unwrap();
        assert_eq!(few.iter().map(|scored| scored.id).collect::<Vec<_>>(), ids[..ids.len().min(3)]);

        let query = VectorQuery { filter: filter.clone(), ..semantic(collections, &format!("the {WORD} of 7"), 1_000) };
        let found = store.semantic(&query).await.unwrap();
        assert_eq!(found.len(), expected.len() * 2, "{collections:?} {filter}");
        let everything = store.semantic(&semantic(collections, &format!("the {WORD} of 7"), 1_000)).await.unwrap();
        let left: Vec<_> = everything.into_iter().filter(|one| found.contains(one)).collect();
        assert_eq!(left, found, "the same scores in the same order");
    }

    // A document's new version is admitted by its new values, before and after the index contains it.
    let mut new = new(0);
    new.document.language = Language::from_code("fra");
    store.put("many", vec![new]).await.unwrap();
    for flushed in [false, true] {
        if flushed {
            store.flush().await.unwrap();
        }
        // Some stores show the new version before the flush.
        for (language, least, most) in [("eng", 103, 103), ("fra", usize::from(flushed), 1)] {
            let query = KeywordQuery { filter: filter("", language, 0, 0), ..keyword(&[], WORD, 1_000) };
            let found = store.keyword(&query).await.unwrap().len();
            assert!((least..=most).contains(&found), "{language} {flushed}: {found}");
            let query = VectorQuery { filter: filter("", language, 0, 0), ..semantic(&[], WORD, 1_000) };
            let found = store.semantic(&query).await.unwrap().len();
            assert!((least * 2..=most * 2).contains(&found), "{language} {flushed}: {found}");
        }
    }
}

/// Tests a document much larger than any page, block or buffer of a store.
pub(super) async fn a_large_document(store: &dyn Store) {
    store.create(spec("large", true)).await.unwrap();
    let mut text = String::new();
    for line in 0..3_000 {
        text.push_str(&format!("Zeile {line} — größer 大きい word{line} {}\n", "füllung ".repeat(line % 40)));
    }
    store.put("large", vec![document("/large", &text, true)]).await.unwrap();
    store.flush().await.unwrap();
    let hit = found(store, &[], "word2999", 3).await;
    assert!(hit[0].starts_with("Zeile 2999 —"), "{}", hit[0]);
    let line = text.lines().nth(1_234).unwrap().trim_end();
    assert_eq!(near(store, &[], line, 1).await, [line]);
    let id = store.documents("large").await.unwrap()[0].id;
    assert_eq!(store.text(id, 0..usize::MAX).await.unwrap(), text);
    for start in (0..text.len()).step_by(4_099) {
        let end = (start + 20_000).min(text.len());
        let expected = &text[text.floor_char_boundary(start)..text.ceil_char_boundary(end)];
        assert_eq!(store.text(id, start..end).await.unwrap(), expected);
    }
    let last = store.states(&[ChunkId { document: id, ordinal: 2_999 }]).await.unwrap();
    assert!(last[0].starts_with("Zeile 2999".as_bytes()));
}

/// One step of a random sequence of operations.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Put { collection: usize, path: usize, words: Vec<usize> },
    Remove { collection: usize, path: usize },
    Drop { collection: usize },
    Flush,
    Reopen,
}

const WORDS: [&str; 6] = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
const NAMES: [&str; 2] = ["one", "two"];

/// Random sequences of operations.
pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..2usize, 0..4usize, prop::collection::vec(0..6usize, 0..4))
            .prop_map(|(collection, path, words)| Step::Put { collection, path, words }),
        2 => (0..2usize, 0..4usize).prop_map(|(collection, path)| Step::Remove { collection, path }),
        1 => (0..2usize).prop_map(|collection| Step::Drop { collection }),
        2 => Just(Step::Flush),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..25)
}

/// Runs a sequence of operations against a store and a map, and compares their contents and what is found.
pub(super) async fn like_a_map<S: Store>(steps: Vec<Step>, mut open: impl FnMut() -> S) {
    let mut store = Some(open());
    let mut model: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
    for step in steps {
        if matches!(step, Step::Reopen) {
            // Closed first, because only one writer is allowed at a time.
            drop(store.take());
            store = Some(open());
        }
        let store = store.as_ref().unwrap();
        match step {
            Step::Put { collection, path, words } => {
                if let std::collections::btree_map::Entry::Vacant(entry) = model.entry(collection) {
                    entry.insert(BTreeMap::new());
                    store.create(spec(NAMES[collection], true)).await.unwrap();
                }
                let path = format!("/p{path}");
                let text: String = words.iter().map(|&word| format!("{}\n", WORDS[word])).collect();
                store.put(NAMES[collection], vec![document(&path, &text, true)]).await.unwrap();
                model.entry(collection).or_default().insert(path, text);
            }
            Step::Remove { collection, path } => {
                if let Some(documents) = model.get_mut(&collection) {
                    let path = format!("/p{path}");
                    let removed = store.remove(NAMES[collection], vec![path.clone()]).await.unwrap();
                    assert_eq!(removed, u64::from(documents.remove(&path).is_some()));
                }
            }
            Step::Drop { collection } => {
                let dropped = store.drop_collection(NAMES[collection]).await;
                assert_eq!(dropped.is_ok(), model.remove(&collection).is_some());
            }
            Step::Flush => store.flush().await.unwrap(),
            Step::Reopen => {}
        }
    }
    let store = store.unwrap();
    store.flush().await.unwrap();
    let names: Vec<String> = store.collections().await.unwrap().into_iter().map(|found| found.name).collect();
    assert_eq!(names, model.keys().map(|&collection| NAMES[collection].to_owned()).collect::<Vec<_>>());
    for (&collection, documents) in &model {
        let name = NAMES[collection];
        let records = store.documents(name).await.unwrap();
        let paths: Vec<&String> = records.iter().map(|record| &record.path).collect();
        assert_eq!(paths, documents.keys().collect::<Vec<_>>());
        let counted = store.collection(name).await.unwrap();
        let lines = documents.values().map(|text| text.lines().count() as u64).sum::<u64>();
        assert_eq!((counted.documents, counted.chunks), (documents.len() as u64, lines));
        for record in records {
            assert_eq!(store.text(record.id, 0..usize::MAX).await.unwrap(), documents[&record.path]);
        }
        for word in WORDS {
            let expected = documents.values().flat_map(|text| text.lines()).filter(|line| *line == word).count();
            assert_eq!(found(&store, &[name], word, 100).await, vec![word; expected], "{name} {word}");
            let nearest = near(&store, &[name], word, 100).await;
            assert_eq!(nearest.len() as u64, lines);
            assert!(nearest[..expected].iter().all(|text| text == word), "{nearest:?}");
        }
    }
}
