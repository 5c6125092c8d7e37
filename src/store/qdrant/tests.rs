//! Tests the store against a stand-in for the server, and against a real one if `QDRANT_URL` names it. The stand-in's
//! documentation says what it does not prove.

use std::time::Duration;

use proptest::prelude::*;
use qdrant_client::qdrant::Filter;
use tonic::Status;

use super::*;
use crate::base::text::Language;
use crate::store::conformance::{
    a_large_document, block_on, contents, document, every_operation, filters, like_a_map, near, reembedding,
    renaming_documents, spec, steps,
};
use crate::store::conformance_languages::languages;
use crate::store::conformance_writers::{embeddings_by_chunk, two_writers};

#[path = "tests_of_clusters.rs"]
mod clusters;
#[path = "tests_of_rules.rs"]
mod rules;
#[path = "../../../tests/qdrant/mod.rs"]
mod stand_in;

use stand_in::{Fate, StandIn};

const WORDS: [&str; 4] = ["apples", "pears", "plums", "common"];

/// Options without patience: what another writer left undone is undone at once.
fn options(url: &str) -> QdrantOptions {
    QdrantOptions {
        url: url.to_owned(),
        timeout: Duration::from_secs(20),
        retries: 0,
        retry_pause: Duration::ZERO,
        patience: Duration::ZERO,
        ..QdrantOptions::default()
    }
}

fn open(server: &StandIn) -> QdrantStore {
    QdrantStore::open(options(&server.url())).unwrap()
}

/// Opens a store that waits for other writers and repeats calls.
fn open_patient(server: &StandIn) -> QdrantStore {
    QdrantStore::open(QdrantOptions { patience: Duration::from_secs(6), retries: 2, ..options(&server.url()) }).unwrap()
}

#[test]
fn it_does_every_operation() {
    let server = StandIn::start(None);
    block_on(async { every_operation(&open(&server)).await });
}

#[test]
fn it_holds_a_large_document() {
    let server = StandIn::start(None);
    block_on(async { a_large_document(&open(&server)).await });
}

#[test]
fn it_reads_a_query_in_every_language() {
    let server = StandIn::start(None);
    block_on(async { languages(&open(&server)).await });
}

#[test]
fn it_finds_what_a_filter_admits() {
    let server = StandIn::start(None);
    block_on(async { filters(&open(&server)).await });
}

#[test]
fn it_renames_documents() {
    let server = StandIn::start(None);
    block_on(renaming_documents(open(&server), |store| {
        drop(store);
        open(&server)
    }));
}

#[test]
fn embeddings_come_back_by_chunk() {
    let server = StandIn::start(None);
    block_on(async { embeddings_by_chunk(&open(&server)).await });
}

#[test]
fn it_has_two_writers() {
    let server = StandIn::start(None);
    block_on(two_writers(|| open_patient(&server)));
}

#[test]
fn it_takes_the_vectors_of_another_embedder() {
    let server = StandIn::start(None);
    block_on(reembedding(open(&server), |store| {
        drop(store);
        open(&server)
    }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_like_a_map(steps in steps()) {
        let server = StandIn::start(None);
        block_on(like_a_map(steps, || open(&server)));
    }
}

/// Runs the same suite on a real server: `QDRANT_URL=http://localhost:6334`, and `QDRANT_API_KEY` if it wants one.
#[test]
fn a_real_server_does_the_same() {
    let Ok(url) = std::env::var("QDRANT_URL") else { return };
    let key = std::env::var("QDRANT_API_KEY").ok().map(Secret::new);
    let open = |name: &str| {
        let prefix = format!("deepsearch-test-{}-{name}-", std::process::id());
        QdrantStore::open(QdrantOptions { key: key.clone(), prefix, ..options(&url) }).unwrap()
    };
    let clean = async |store: QdrantStore| {
        for collection in store.collections().await.unwrap() {
            store.drop_collection(&collection.name).await.unwrap();
        }
        store.server.drop_points(&store.server.meta()).await.unwrap();
    };
    block_on(async {
        every_operation(&open("operations")).await;
        clean(open("operations")).await;
        a_large_document(&open("large")).await;
        clean(open("large")).await;
        languages(&open("languages")).await;
        clean(open("languages")).await;
        filters(&open("filters")).await;
        clean(open("filters")).await;
        reembedding(open("reembedding"), |_| open("reembedding")).await;
        clean(open("reembedding")).await;
        renaming_documents(open("renaming"), |_| open("renaming")).await;
        clean(open("renaming")).await;
        two_writers(|| open("writers")).await;
        clean(open("writers")).await;
    });
}

/// Two documents. The second step replaces one, removes none and adds another.
fn first() -> Vec<NewDocument> {
    vec![document("/a b", "apples\ncommon\n", true), document("/b", "pears\n", true)]
}

fn second() -> Vec<NewDocument> {
    vec![document("/a b", "plums\ncommon plums\n", true), document("/c", "common pears\n", true)]
}

async fn with_first(server: &StandIn) {
    let store = open(server);
    store.create(spec("docs", true)).await.unwrap();
    store.put("docs", first()).await.unwrap();
}

/// The contents before and after an undisturbed second step, and the number of calls that it makes.
fn before_and_after() -> (Vec<String>, Vec<String>, usize) {
    let server = StandIn::start(None);
    block_on(async {
        with_first(&server).await;
        let before = contents(&open(&server), &WORDS).await;
        let store = open(&server);
        server.plan(|_, _| Fate::Answer);
        store.put("docs", second()).await.unwrap();
        let calls = server.calls().len();
        (before, contents(&store, &WORDS).await, calls)
    })
}

#[test]
fn a_put_that_ends_anywhere_is_seen_whole_or_not_at_all_and_completed_by_the_next() {
    let (before, after, calls) = before_and_after();
    assert!(calls > 8, "{calls}");
    let mut seen = [0, 0];
    for stop in 0..calls {
        let server = StandIn::start(None);
        block_on(async {
            with_first(&server).await;
            server.plan(move |_, number| if number == stop { Fate::Hang } else { Fate::Answer });
            let store = open(&server);
            let put = tokio::spawn(async move { store.put("docs", second()).await });
            while server.calls().len() <= stop {
                tokio::task::yield_now().await;
            }
            // Reading while the call hangs is as if the writer had died there.
            let found = contents(&open(&server), &WORDS).await;
            assert!(found == before || found == after, "at call {stop} of {calls}: {found:#?}");
            seen[usize::from(found == after)] += 1;
            put.abort();
            server.heal();
            let next = open(&server);
            next.put("docs", second()).await.unwrap();
            assert_eq!(contents(&next, &WORDS).await, after, "completed after call {stop}");
            let state = next.server.states().await.unwrap().find("docs").unwrap();
            let prefix = &next.server.options.prefix;
            let count = async |place: &str, filter| next.server.client.count(place, filter).await.unwrap();
            // 4 chunks, a piece of text and a record for each of 3 documents, and the tables of counts in force.
            let left = [
                count(&state.texts(prefix), Filter::default()).await,
                count(&state.chunks(prefix, state.slot), Filter::default()).await,
                count(&next.server.meta(), Filter::must([layout::is_text(layout::KIND, layout::COUNTS)])).await,
            ];
            let expected = [6, 4, state.counts.len() as u64];
            assert_eq!(left, expected, "what was begun and given up is gone, after call {stop}");
            let frequencies = next.document_frequencies(&[], &["plums", "common"].map(clusters::term)).await.unwrap();
            assert_eq!(frequencies, (vec![2, 2], 4), "after call {stop}");
        });
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn a_connection_that_breaks_at_any_call_is_made_again() {
    let (_, after, calls) = before_and_after();
    for stop in 0..calls {
        for done in [false, true] {
            let server = StandIn::start(None);
            block_on(async {
                with_first(&server).await;
                server.plan(move |_, number| match (number == stop, done) {
                    (false, _) => Fate::Answer,
                    (true, false) => Fate::Break,
                    (true, true) => Fate::DoAndBreak,
                });
                let store = open_patient(&server);
                store.put("docs", second()).await.unwrap();
                assert_eq!(contents(&store, &WORDS).await, after, "broken at call {stop}, done: {done}");
            });
        }
    }
}

#[test]
fn a_server_that_goes_away_comes_back_with_all_that_was_acknowledged() {
    let mut server = StandIn::start(None);
    block_on(with_first(&server));
    let store = open(&server);
    let before = block_on(contents(&store, &WORDS));
    server.stop();
    block_on(async {
        let gone = [
            store.put("docs", second()).await.err(),
            store.collections().await.err(),
            store.keyword(&keyword("apples")).await.err(),
        ];
        for error in gone {
            assert!(matches!(error, Some(StoreError::Unreachable { .. })), "{error:?}");
        }
    });
    server.restart();
    block_on(async {
        assert_eq!(contents(&store, &WORDS).await, before);
        store.put("docs", second()).await.unwrap();
        assert_eq!(near(&store, &[], "common pears", 1).await, ["common pears"]);
    });
}

fn keyword(text: &str) -> KeywordQuery {
    let filter = DocumentFilter::default();
    KeywordQuery { collections: Vec::new(), text: text.to_owned(), language: Language::ENGLISH, k: 5, filter }
}

#[test]
fn each_failure_of_the_server_is_said() {
    fn check(change: impl Fn(&StandIn, &mut QdrantOptions), expected: impl Fn(&StoreError) -> bool) {
        let server = StandIn::start(Some("the-right-key"));
        block_on(async {
            let mut options = QdrantOptions { key: Some(Secret::new("the-right-key")), ..options(&server.url()) };
            let store = QdrantStore::open(options.clone()).unwrap();
            store.create(spec("docs", true)).await.unwrap();
            change(&server, &mut options);
            let store = QdrantStore::open(options).unwrap();
            for error in [store.put("docs", first()).await.err(), store.keyword(&keyword("apples")).await.err()] {
                let error = error.expect("it fails");
                assert!(expected(&error), "{error:?}");
                assert!(!format!("{error} {error:?}").contains("key-"), "{error:?}");
            }
        });
    }
    let refuse = |code, message: &'static str| {
        move |server: &StandIn, _: &mut QdrantOptions| {
            server.plan(move |_, _| Fate::Refuse(Status::new(code, message)));
        }
    };
    check(
        |_, options| options.key = Some(Secret::new("key-of-another")),
        |error| matches!(error, StoreError::Refused { .. }),
    );
    check(|_, options| options.key = None, |error| matches!(error, StoreError::Refused { .. }));
    check(refuse(tonic::Code::PermissionDenied, "Forbidden: Write access to collection is required"), |error| {
        matches!(error, StoreError::Refused { .. })
    });
    check(refuse(tonic::Code::Internal, "Service internal error: No space left on device"), |error| {
        matches!(error, StoreError::ServerFull { .. })
    });
    check(refuse(tonic::Code::Internal, "Service internal error: 2 of 2 read operations failed"), |error| {
        matches!(error, StoreError::Failing { .. })
    });
    check(
        |server, _| server.plan(|_, _| Fate::Refuse(StandIn::too_many(None))),
        |error| matches!(error, StoreError::RateLimited { after: None, .. }),
    );
    check(
        |server, _| server.set_version("1.14.9"),
        |error| matches!(error, StoreError::ServerVersion { found, .. } if found == "1.14.9"),
    );
    check(
        |server, options| options.url = server.url().replace("http:", "https:"),
        |error| matches!(error, StoreError::Tls { .. }),
    );
    check(
        |server, options| {
            server.plan(|_, _| Fate::Hang);
            options.timeout = Duration::from_millis(50);
        },
        |error| matches!(error, StoreError::Unreachable { .. }),
    );
}

#[test]
fn a_newer_format_is_refused() {
    let server = StandIn::start(None);
    block_on(async {
        with_first(&server).await;
        let store = open(&server);
        let root = qdrant_client::qdrant::Filter::must([qdrant_client::qdrant::Condition::has_id([0])]);
        let newer = layout::fields([("format", layout::integer(u64::from(layout::FORMAT) + 1))]);
        store.server.client.set(&store.server.meta(), root, newer.into()).await.unwrap();
        let error = store.collections().await.expect_err("it is newer");
        assert!(matches!(error, StoreError::NewerFormat { .. }), "{error:?}");
    });
}

#[test]
fn a_server_tells_of_itself() {
    let server = StandIn::start(None);
    block_on(async {
        with_first(&server).await;
        let report = open(&server).report().await.unwrap();
        let expected = ServerReport { collections: 3, searched: 1, ..fresh() };
        assert_eq!(report, expected);
        let empty = StandIn::start(None);
        assert_eq!(open(&empty).report().await.unwrap(), ServerReport { copies: 0, ..fresh() });
        server.plan(|name, _| match name {
            "query_batch" => Fate::Refuse(Status::invalid_argument("no searches")),
            _ => Fate::Answer,
        });
        assert!(open(&server).report().await.is_err(), "a server that answers no search is not good");
    });
}

fn fresh() -> ServerReport {
    let (ailing, lost) = (Vec::new(), Vec::new());
    ServerReport { version: "1.15.0".to_owned(), collections: 0, searched: 0, copies: 1, ailing, lost }
}
