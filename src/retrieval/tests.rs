//! Tests of the corpus with the real store and the bundled model.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;
use tempfile::TempDir;

use super::*;
use crate::base::ContentHash;
use crate::base::text::detect_language;
use crate::domain::{Chunk, CollectionSpec, Document, Format, Headings, Hit, Language, SearchMode};
use crate::embed::{EmbedOptions, Embedder, open};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::{NewDocument, Store, StoreError};

/// Collections with their embedder and their documents, each a list of chunks.
type Given<'a> = &'a [(&'a str, &'a str, &'a [&'a [&'a str]])];

fn embedder(name: &str) -> Option<Arc<dyn Embedder>> {
    let options = EmbedOptions { models_dir: PathBuf::from("unused"), ..EmbedOptions::default() };
    open(name, &options).now_or_never().expect("opening a local model waits for nothing").unwrap()
}

/// Keeps the folder as long as the store is used.
struct Fixture {
    store: Arc<dyn Store>,
    _folder: TempDir,
}

impl Fixture {
    async fn new(collections: Given<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap();
        for &(name, model, documents) in collections {
            // A model of another name stands for one that this build lacks.
            let has = embedder(if model == "other" { "minilm" } else { model });
            let identity = has.as_ref().map(|embedder| {
                let mut identity = embedder.identity().clone();
                model.clone_into(&mut identity.name);
                identity
            });
            let spec = CollectionSpec { name: name.to_owned(), description: String::new(), embedder: identity };
            store.create(spec).await.unwrap();
            for (index, chunks) in documents.iter().enumerate() {
                let document = document(&format!("/{name}/{index}.txt"), chunks);
                let vectors = match &has {
                    None => Vec::new(),
                    Some(embedder) => {
                        let texts = chunks.iter().map(|&chunk| chunk.into()).collect();
                        let vectors = embedder.passages(texts).await.unwrap();
                        let known = document.chunks.iter().map(|chunk| embedder.knows(chunk.language));
                        vectors.into_iter().zip(known).map(|(vector, known)| known.then_some(vector)).collect()
                    }
                };
                store.put(name, vec![NewDocument { document, vectors }]).await.unwrap();
            }
        }
        store.flush().await.unwrap();
        Fixture { store: Arc::new(store), _folder: folder }
    }

    fn corpus(&self, model: &str) -> Corpus {
        Corpus::new(Arc::clone(&self.store), embedder(model), SearchOptions::default())
    }
}

fn document(path: &str, texts: &[&str]) -> Document {
    let mut text = String::new();
    let mut chunks = Vec::new();
    for part in texts {
        let start = text.len();
        text.push_str(part);
        let range: Range<usize> = start..text.len();
        text.push('\n');
        chunks.push(Chunk {
            range,
            page: None,
            page_turns: Vec::new(),
            headings: Headings::default(),
            language: detect_language(part),
        });
    }
    Document {
        path: path.to_owned(),
        title: path.to_owned(),
        format: Format::Text,
        language: Language::ENGLISH,
        date: None,
        authorship: crate::domain::Authorship::default(),
        hash: ContentHash::of(text.as_bytes()),
        bytes: text.len() as u64,
        modified_ns: 0,
        cut: None,
        text,
        chunks,
    }
}

fn request(query: &str, collections: &[&str], mode: SearchMode, k: usize) -> SearchRequest {
    let collections = collections.iter().map(|&name| name.to_owned()).collect();
    SearchRequest { query: query.to_owned(), collections, mode, k }
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.chunk.text.as_str()).collect()
}

const HAMLET: &str = "The tragedy of Hamlet was written by William Shakespeare around the year 1600.";
const BAKING: &str = "Bread dough should rest in a warm kitchen until it has doubled in size.";
const CAR: &str = "The automobile was repaired by a mechanic in the garage next to the station.";
const TOKYO: &str = "東京は日本の首都であり、世界でも最も人口の多い都市圏の一つです。";
const MOSCOW: &str = "Москва — столица России и крупнейший по численности населения город страны.";

#[tokio::test]
async fn answers_come_in_the_order_of_the_requests() {
    let fixture = Fixture::new(&[("a", "minilm", &[&[HAMLET, BAKING], &[CAR]])]).await;
    let corpus = fixture.corpus("minilm");
    let ask = |query: &str| request(query, &[], SearchMode::Hybrid, 1);
    let requests = [
        ask("Who wrote the tragedy of Hamlet?"),
        request("x", &["missing"], SearchMode::Hybrid, 1),
        ask("How long should the bread dough rest?"),
        request("who fixed the car", &[], SearchMode::Semantic, 1),
    ];
    let answers = corpus.search(&requests).await;
    assert_eq!(texts(answers[0].as_ref().unwrap()), [HAMLET]);
    assert!(
        matches!(&answers[1], Err(RetrievalError::Store(StoreError::NoCollection { name, .. })) if name == "missing")
    );
    assert_eq!(texts(answers[2].as_ref().unwrap()), [BAKING]);
    assert_eq!(texts(answers[3].as_ref().unwrap()), [CAR]);
    let hit = &answers[0].as_ref().unwrap()[0];
    assert!(hit.parts.lexical.is_some() && hit.parts.semantic.is_some() && hit.parts.rerank.is_some());
    assert_eq!(hit.snippet(), HAMLET);
}

#[tokio::test]
async fn each_mode_uses_its_half() {
    let fixture = Fixture::new(&[("a", "minilm", &[&[HAMLET, BAKING, CAR]])]).await;
    let corpus = fixture.corpus("minilm");
    let answers = corpus
        .search(&[
            request("Shakespeare", &[], SearchMode::Keyword, 5),
            request("a vehicle at the workshop", &[], SearchMode::Semantic, 5),
        ])
        .await;
    let keyword = answers[0].as_ref().unwrap();
    assert_eq!(texts(keyword), [HAMLET]);
    assert_eq!((keyword[0].parts.semantic, keyword[0].parts.rerank), (None, None));
    let semantic = answers[1].as_ref().unwrap();
    assert_eq!(texts(semantic)[0], CAR);
    assert!(semantic.iter().all(|hit| hit.parts.lexical.is_none()));
    assert!(semantic.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[tokio::test]
async fn a_language_that_the_embedder_lacks_is_searched_by_keywords() {
    const STOCKHOLM: &str =
        "Stockholm är Sveriges huvudstad och landets största stad, där många människor bor vid vattnet.";
    let fixture = Fixture::new(&[("a", "minilm", &[&[STOCKHOLM], &[HAMLET]])]).await;
    let corpus = fixture.corpus("minilm");
    for mode in [SearchMode::Hybrid, SearchMode::Semantic] {
        let answers = corpus.search(&[request("Vilken är Sveriges huvudstad?", &[], mode, 3)]).await;
        let hits = answers[0].as_ref().unwrap();
        assert_eq!(texts(hits)[0], STOCKHOLM);
        assert!(hits.iter().all(|hit| hit.parts.semantic.is_none()));
    }
}

#[tokio::test]
async fn a_question_finds_passages_in_the_other_language_that_the_embedder_knows() {
    let fixture = Fixture::new(&[("a", "minilm", &[&[HAMLET, BAKING, CAR], &[TOKYO]])]).await;
    let corpus = fixture.corpus("minilm");
    let questions = [("パンの生地はどこで休ませますか？", BAKING), ("What is the capital of Japan?", TOKYO)];
    for (question, expected) in questions {
        let answers = corpus.search(&[request(question, &[], SearchMode::Hybrid, 4)]).await;
        assert_eq!(texts(answers[0].as_ref().unwrap())[0], expected, "{question}");
    }
}

#[tokio::test]
async fn copies_are_dropped() {
    let spaced = HAMLET.replace(" was ", "  was\n");
    let fixture = Fixture::new(&[("a", "minilm", &[&[HAMLET], &[BAKING]]), ("b", "minilm", &[&[&spaced, CAR]])]).await;
    let answers = fixture.corpus("minilm").search(&[request("Hamlet", &[], SearchMode::Hybrid, 10)]).await;
    let hits = answers[0].as_ref().unwrap();
    assert_eq!(hits.iter().filter(|hit| hit.chunk.text.contains("Hamlet")).count(), 1);
}

#[tokio::test]
async fn vectors_of_another_embedder_are_refused_and_keywords_are_not() {
    let fixture = Fixture::new(&[("mine", "minilm", &[&[HAMLET]]), ("theirs", "other", &[&[BAKING]])]).await;
    let corpus = fixture.corpus("minilm");
    let answers = corpus
        .search(&[
            request("bread", &[], SearchMode::Hybrid, 3),
            request("bread", &["theirs"], SearchMode::Keyword, 3),
            request("Hamlet", &["mine"], SearchMode::Hybrid, 3),
        ])
        .await;
    let error = answers[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("theirs") && error.contains("other") && error.contains("minilm"), "{error}");
    assert_eq!(texts(answers[1].as_ref().unwrap()), [BAKING]);
    assert_eq!(texts(answers[2].as_ref().unwrap()), [HAMLET]);
}

#[tokio::test]
async fn collections_with_and_without_vectors_answer_together() {
    let fixture = Fixture::new(&[("plain", "none", &[&[HAMLET, CAR]]), ("rich", "minilm", &[&[BAKING]])]).await;
    let answers = fixture.corpus("minilm").search(&[request("Hamlet bread", &[], SearchMode::Hybrid, 3)]).await;
    let mut found = texts(answers[0].as_ref().unwrap());
    found.sort_unstable();
    assert_eq!(found, [BAKING, HAMLET]);
}

#[tokio::test]
async fn without_an_embedder_search_is_by_keywords() {
    let fixture = Fixture::new(&[("a", "none", &[&[HAMLET, BAKING]])]).await;
    let answers = fixture
        .corpus("none")
        .search(&[request("Hamlet", &[], SearchMode::Hybrid, 3), request("Hamlet", &[], SearchMode::Semantic, 3)])
        .await;
    assert_eq!(texts(answers[0].as_ref().unwrap()), [HAMLET]);
    assert!(matches!(answers[1], Err(RetrievalError::NoEmbedder)));
}

#[tokio::test]
async fn a_chunk_is_read_with_its_neighbours() {
    let fixture = Fixture::new(&[("a", "none", &[&[HAMLET, BAKING, CAR]])]).await;
    let corpus = fixture.corpus("none");
    let found = corpus.search(&[request("bread", &[], SearchMode::Keyword, 1)]).await.remove(0).unwrap().remove(0);
    let id = found.chunk.id;
    let read = async |neighbours| -> Vec<String> {
        corpus.read(id, neighbours).await.unwrap().into_iter().map(|chunk| chunk.text).collect()
    };
    assert_eq!(read(0).await, [BAKING]);
    assert_eq!(read(1).await, [HAMLET, BAKING, CAR]);
    let gone = crate::domain::ChunkId { ordinal: 9, ..id };
    assert!(matches!(corpus.read(gone, 1).await, Err(RetrievalError::NoChunk { chunk }) if chunk == gone));
}

#[tokio::test]
async fn what_a_hit_names_by_title_comes_next() {
    // Titles are paths here. The first passage names the last, which matches the question least of all.
    let mut texts = vec!["The Bubye is a river; its country is described in /a/39.txt.".to_owned()];
    texts.extend((1..39).map(|nth| format!("River number {nth} flows to the sea.")));
    texts.push(
        "A country with one river, many mountains, a long history of trade, and several kinds of bees.".to_owned(),
    );
    let chunks: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
    let documents: Vec<&[&str]> = chunks.iter().map(<[&str; 1]>::as_slice).collect();
    let fixture = Fixture::new(&[("a", "none", &documents)]).await;
    let ask = async |link_weight| -> Vec<String> {
        let options = SearchOptions { link_weight, ..SearchOptions::default() };
        let corpus = Corpus::new(Arc::clone(&fixture.store), None, options);
        let answers = corpus.search(&[request("Bubye river", &[], SearchMode::Keyword, 40)]).await;
        answers.into_iter().next().unwrap().unwrap().into_iter().map(|hit| hit.chunk.path).collect()
    };
    let (without, with) = (ask(0.0).await, ask(0.5).await);
    assert_eq!((without[0].as_str(), without[39].as_str()), ("/a/0.txt", "/a/39.txt"));
    assert_eq!((with[0].as_str(), with[1].as_str()), ("/a/0.txt", "/a/39.txt"));
}

#[tokio::test]
async fn of_passages_that_are_alike_the_one_on_the_version_comes_first() {
    let of = |version: &str| format!("# {version}\n\n- changed: the server of Axum {version} closes idle connections.");
    let own = "# 0.8.5\n\n- fixed: bodies with trailing characters are rejected.";
    let (first, second, third) = (of("0.8.7"), of("0.8.6"), of("0.8.51"));
    let fixture = Fixture::new(&[("a", "minilm", &[&[&first, &second, own, &third]])]).await;
    let query = "What changed in the server of Axum 0.8.5?";
    let answers = fixture.corpus("minilm").search(&[request(query, &[], SearchMode::Hybrid, 4)]).await;
    assert_eq!(texts(answers[0].as_ref().unwrap())[0], own);
}

#[tokio::test]
async fn a_query_that_is_a_code_finds_the_passage_that_holds_it() {
    let note = |number: u32| {
        format!("Note {number}. Codes of errors such as 2350{number} and 2350{number}5 are listed apart.")
    };
    let table =
        "Class 23 — Integrity Constraint Violation\n\n23503 | foreign key\n23505 | unique violation\n23514 | check";
    let notes: Vec<String> = (0..5).map(note).collect();
    let texts_of: Vec<[&str; 1]> = notes.iter().map(String::as_str).chain([table]).map(|text| [text]).collect();
    let all: Vec<&[&str]> = texts_of.iter().map(|text| text.as_slice()).collect();
    let fixture = Fixture::new(&[("a", "minilm", &all)]).await;
    let answers = fixture.corpus("minilm").search(&[request("23505", &[], SearchMode::Hybrid, 4)]).await;
    assert_eq!(texts(answers[0].as_ref().unwrap())[0], table);
}

#[tokio::test]
async fn small_words_tell_where_a_query_has_hardly_any_others() {
    const WITH: &str =
        "Mit dem Passwort melden Sie sich an, und das Passwort ist geheim. Das Passwort können Sie ändern.";
    const WITHOUT: &str =
        "Das Gerät kann auch ohne Passwort gestartet werden, wenn Sie das in den Einstellungen erlauben.";
    let fixture = Fixture::new(&[("docs", "none", &[&[WITH], &[WITHOUT]])]).await;
    for (query, first) in [("ohne Passwort", WITHOUT), ("mit dem Passwort", WITH)] {
        let requests = [request(query, &[], SearchMode::Hybrid, 5)];
        let hits = fixture.corpus("none").search(&requests).await.remove(0).unwrap();
        assert_eq!(texts(&hits).first(), Some(&first), "{query}");
    }
}

#[tokio::test]
async fn a_question_in_a_glossed_language_finds_passages_in_its_own_and_in_english() {
    let fixture = Fixture::new(&[("a", "minilm", &[&[MOSCOW], &[HAMLET], &[BAKING], &[CAR]])]).await;
    let corpus = fixture.corpus("minilm");
    for (query, expected) in [
        ("Какой мегаполис главный в государстве?", MOSCOW),
        ("Кто написал пьесу?", HAMLET),
        ("Wie lange muss der Teig stehen?", BAKING),
        ("Wer hat das Auto in der Werkstatt wieder in Ordnung gebracht?", CAR),
    ] {
        let hits = corpus.search(&[request(query, &[], SearchMode::Hybrid, 3)]).await.remove(0).unwrap();
        assert_eq!(texts(&hits)[0], expected, "{query}");
        assert!(hits[0].parts.semantic.is_some() && hits[0].parts.rerank.is_some(), "{query}");
    }
}

#[tokio::test]
async fn a_word_that_no_passage_holds_finds_those_that_it_is_a_part_of() {
    const CRANE: &str = "Der Brückenkran in der Halle wird jedes Jahr vom Prüfdienst gewartet und geprüft.";
    const TAPE: &str = "Die Aufnahmen der Kamera werden nach drei Tagen überschrieben und sind dann verloren.";
    let fixture = Fixture::new(&[("de", "none", &[&[CRANE], &[TAPE]]), ("en", "none", &[&[HAMLET], &[BAKING]])]).await;
    let corpus = fixture.corpus("none");
    for (query, of, expected) in [
        // A compound by its part, the head of a compound by the compound, and any word by a longer one.
        ("Videoaufnahmen", "de", vec![TAPE]),
        ("Kran", "de", vec![CRANE]),
        ("Shakes", "en", vec![HAMLET]),
        // A word of a language that the documents do not use, by its translation into theirs.
        ("Wer hat die Tragödie geschrieben?", "en", vec![HAMLET]),
        ("Where is the hall with the camera?", "de", vec![CRANE, TAPE]),
        // If the word itself occurs, nothing else is searched for.
        ("Kamera", "de", vec![TAPE]),
        ("Eisenbahn", "de", vec![]),
        ("PublicWorksAdministration: 発生", "de", vec![]),
    ] {
        let hits = corpus.search(&[request(query, &[of], SearchMode::Keyword, 5)]).await.remove(0).unwrap();
        assert_eq!(texts(&hits), expected, "{query}");
    }
    let hostile = [
        "XMLHttpRequestÜbergabeKran kran-KRAN.kran",
        "Brückenkran日本語Kran",
        "\u{301}Kran\u{301}",
        "Kranz ".repeat(9_000).as_str(),
    ]
    .map(str::to_owned);
    for query in hostile {
        corpus.search(&[request(&query, &[], SearchMode::Keyword, 5)]).await.remove(0).unwrap();
    }
}
