//! Tests the store on several shards and nodes, beside other writers, and on a server that limits its calls.

use std::collections::{BTreeMap, BTreeSet};

use super::stand_in::{Fate, StandIn};
use super::*;
use crate::base::text::{Language, analysis};
use crate::store::conformance::{found, keyword, semantic};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};

/// Opens a store with three shards of two copies each.
fn open_cluster(server: &StandIn) -> QdrantStore {
    let options = QdrantOptions { shards: 3, replication_factor: 2, retries: 2, ..options(&server.url()) };
    QdrantStore::open(options).unwrap()
}

fn paths(count: usize) -> Vec<NewDocument> {
    (0..count).map(|number| document(&format!("/{number}"), &format!("apples {number}\nplums\n"), true)).collect()
}

#[test]
fn the_suite_passes_on_a_cluster() {
    let server = StandIn::cluster(3);
    block_on(async {
        every_operation(&open_cluster(&server)).await;
        filters(&open_cluster(&StandIn::cluster(3))).await;
    });
}

#[test]
fn one_lost_node_stops_neither_searches_nor_loads() {
    for lost in [1, 2] {
        let server = StandIn::cluster(3);
        block_on(async {
            let store = open_cluster(&server);
            store.create(spec("docs", true)).await.unwrap();
            store.put("docs", paths(20)).await.unwrap();
            assert_eq!(store.report().await.unwrap().copies, 2);
            server.lose(lost);
            let store = open_cluster(&server);
            assert_eq!(found(&store, &[], "apples", 100).await.len(), 20, "node {lost} is lost");
            assert_eq!(near(&store, &[], "plums", 1).await, ["plums"]);
            store.put("docs", paths(30)).await.unwrap();
            assert_eq!(found(&store, &[], "apples", 100).await.len(), 30, "loaded without node {lost}");
            for record in store.documents("docs").await.unwrap() {
                assert!(store.text(record.id, 0..100).await.unwrap().starts_with("apples"));
            }
            let report = store.report().await.unwrap();
            assert!(!report.ailing.is_empty() && report.lost.is_empty(), "{report:?}");
        });
    }
}

#[test]
fn two_lost_nodes_of_three_are_told() {
    let server = StandIn::cluster(3);
    block_on(async {
        let store = open_cluster(&server);
        store.create(spec("docs", true)).await.unwrap();
        store.put("docs", paths(5)).await.unwrap();
        server.lose(1);
        server.lose(2);
        let error = store.keyword(&keyword(&[], "apples", 5)).await.expect_err("a shard has no copy");
        assert!(matches!(error, StoreError::Failing { .. }), "{error:?}");
        let error = store.put("docs", paths(1)).await.expect_err("a shard has no copy");
        assert!(matches!(error, StoreError::Failing { .. }), "{error:?}");
    });
}

#[test]
fn a_limit_on_calls_is_waited_for() {
    let server = StandIn::start(None);
    block_on(async {
        with_first(&server).await;
        let store = open(&server);
        let mut refused = BTreeSet::new();
        // Each kind of call is refused once.
        server.plan(move |name, _| match refused.insert(name.to_owned()) {
            true => Fate::Refuse(StandIn::too_many(Some(0))),
            false => Fate::Answer,
        });
        store.put("docs", second()).await.unwrap();
        assert_eq!(found(&store, &[], "plums", 5).await, ["plums", "common plums"]);
        server.plan(|_, _| Fate::Refuse(StandIn::too_many(Some(100_000))));
        let error = store.collections().await.expect_err("it is longer than anybody waits");
        let text = error.to_string();
        assert!(matches!(error, StoreError::RateLimited { .. }) && text.contains("Rate limiting exceeded"), "{text}");
    });
}

#[test]
fn two_first_loads_at_once_make_what_each_needs() {
    for (first, other) in [("one", "two"), ("same", "same")] {
        let server = StandIn::start(None);
        block_on(async {
            let stores = [open_patient(&server), open_patient(&server)];
            let load = async |store: &QdrantStore, name: &str, path: &str| {
                match store.create(spec(name, true)).await {
                    Ok(_) | Err(StoreError::CollectionExists { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
                store.put(name, vec![document(path, "apples\n", true)]).await.unwrap();
            };
            tokio::join!(load(&stores[0], first, "/a"), load(&stores[1], other, "/b"));
            let seen = open(&server);
            let all = seen.collections().await.unwrap();
            let names: BTreeSet<&str> = all.iter().map(|collection| collection.name.as_str()).collect();
            assert_eq!(names, BTreeSet::from([first, other]));
            let mut held: BTreeMap<String, String> = BTreeMap::new();
            for name in names {
                let records = seen.documents(name).await.unwrap();
                held.extend(records.into_iter().map(|record| (record.path, record.collection)));
            }
            let expected = [("/a", first), ("/b", other)].map(|(path, name)| (path.to_owned(), name.to_owned()));
            assert_eq!(held, BTreeMap::from(expected));
        });
    }
}

/// A word in the form of the index.
pub(super) fn term(word: &str) -> String {
    analysis::terms(word, Language::ENGLISH)[0].text.clone()
}

/// Documents whose words are as unevenly frequent as those of a language.
fn uneven(count: u64, seed: u64) -> Vec<NewDocument> {
    let mut state = seed;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut word = move || {
        let limit = 1 + next(400);
        format!("word{}", next(limit))
    };
    let mut words = 0;
    let mut line = move || {
        words = (words + 7) % 23;
        (0..6 + words).map(|_| word()).collect::<Vec<_>>().join(" ")
    };
    let mut document_of = |number: u64| {
        let text = format!("{}\n{}\n", line(), line());
        let mut new = document(&format!("/{number}"), &text, true);
        new.document.title = line().split(' ').take(2).collect::<Vec<_>>().join(" ");
        new
    };
    (0..count).map(&mut document_of).collect()
}

#[test]
fn rarities_over_three_shards_are_those_of_one_machine() {
    let server = StandIn::cluster(3);
    let folder = tempfile::tempdir().unwrap();
    block_on(async {
        let here = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default()).unwrap();
        let there = open_cluster(&server);
        let stores: [&dyn Store; 2] = [&here, &there];
        for store in stores {
            for name in ["docs", "others"] {
                store.create(spec(name, true)).await.unwrap();
            }
        }
        // The cluster sees replacements and removals. The single machine only ever gets what is left, in the same
        // order, since it counts deleted chunks for a while.
        let (old, new, others) = (uneven(240, 1), uneven(60, 3), uneven(240, 2));
        for part in old.chunks(40) {
            there.put("docs", part.to_vec()).await.unwrap();
        }
        there.put("docs", new.clone()).await.unwrap();
        there.remove("docs", (60..90).map(|number| format!("/{number}")).collect()).await.unwrap();
        here.put("docs", old[90..].to_vec()).await.unwrap();
        here.put("docs", new).await.unwrap();
        for store in stores {
            store.put("others", others.clone()).await.unwrap();
            store.flush().await.unwrap();
        }
        let mut holding: BTreeMap<String, BTreeSet<ChunkId>> = BTreeMap::new();
        for record in there.documents("docs").await.unwrap() {
            let ids: Vec<ChunkId> =
                (0..record.chunks).map(|ordinal| ChunkId { document: record.id, ordinal }).collect();
            for chunk in there.chunks(&ids).await.unwrap() {
                for word in chunk.text.split_whitespace() {
                    holding.entry(word.to_owned()).or_default().insert(chunk.id);
                }
            }
        }
        let words: Vec<String> = holding.keys().map(|word| term(word)).collect();
        let (found, _) = there.document_frequencies(&["docs".to_owned()], &words).await.unwrap();
        let expected: Vec<u64> = holding.values().map(|chunks| chunks.len() as u64).collect();
        assert_eq!(found, expected);

        let mut shared = (0, 0);
        for nth in 0..60 {
            let text = format!("word{nth} word{} word{}", nth * 2, nth * 5);
            for collections in [&[][..], &["docs"]] {
                let mut lists = Vec::new();
                for store in stores {
                    let mut list = found_texts(store, &keyword(collections, &text, 10)).await;
                    list.sort();
                    lists.push(list);
                }
                shared.0 += lists[0].iter().filter(|text| lists[1].contains(text)).count();
                shared.1 += lists[0].len();
            }
        }
        let overlap = shared.0 as f64 / shared.1 as f64;
        assert!(overlap >= 0.99, "{shared:?}: {overlap}");
    });
}

async fn found_texts(store: &dyn Store, query: &KeywordQuery) -> Vec<String> {
    let ids: Vec<ChunkId> = store.keyword(query).await.unwrap().iter().map(|scored| scored.id).collect();
    store.chunks(&ids).await.unwrap().into_iter().map(|chunk| chunk.text).collect()
}

/// The server rounds vectors to 8 bits, and compares in full only if asked to.
#[test]
fn what_rounding_misplaces_is_compared_again() {
    let server = StandIn::start(None);
    block_on(async {
        let store = open(&server);
        store.create(spec("docs", true)).await.unwrap();
        store.put("docs", uneven(400, 5)).await.unwrap();
        for nth in 0..20 {
            let query = VectorQuery { k: 10, ..semantic(&[], &format!("word{nth} word{}", nth * 3), 10) };
            let fast = store.semantic(&query).await.unwrap();
            let exact = store.semantic(&VectorQuery { exact: true, ..query }).await.unwrap();
            assert_eq!(fast, exact, "query {nth}");
        }
    });
}

#[test]
fn the_tables_of_counts_stay_few() {
    let server = StandIn::start(None);
    block_on(async {
        let store = open(&server);
        store.create(spec("docs", false)).await.unwrap();
        for number in 0..40 {
            let text = format!("apples word{number}\n");
            store.put("docs", vec![document(&format!("/{number}"), &text, false)]).await.unwrap();
        }
        let state = store.server.states().await.unwrap().find("docs").unwrap();
        assert!(state.counts.len() <= 6, "{:?}", state.counts);
        // Another machine, which has read none of the tables.
        let terms = ["apples", "word7", "pears"].map(term);
        assert_eq!(open(&server).document_frequencies(&[], &terms).await.unwrap(), (vec![40, 1, 0], 40));
        store.remove("docs", (0..40).map(|number| format!("/{number}")).collect()).await.unwrap();
        assert_eq!(store.document_frequencies(&[], &terms).await.unwrap(), (vec![0, 0, 0], 0));
    });
}
