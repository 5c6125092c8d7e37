//! Tests collections on a server: every command against a stand-in on loopback. The stand-in's documentation says what
//! it does not prove.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use deepsearch::domain::SearchMode;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::retrieval::{Corpus, SearchOptions, SearchRequest};
use deepsearch::store::qdrant::{QdrantOptions, QdrantStore};
use serde_json::Value;

use crate::harness::{QUESTION, Run, TestDir};
use crate::stand_in::{Fate, StandIn};

/// A run with its collections on the server.
fn on(server: &StandIn, dir: &TestDir, arguments: &[&str]) -> Run {
    dir.run(arguments).env("DEEPSEARCH_STORE__BACKEND", "qdrant").env("DEEPSEARCH_STORE__URL", &server.url())
}

fn json(server: &StandIn, dir: &TestDir, arguments: &[&str]) -> Value {
    on(server, dir, &[arguments, &["--json"]].concat()).ends_with(0).json()
}

/// The file name and byte range of each hit.
fn places(hits: &Value) -> Vec<(String, Value)> {
    let place =
        |hit: &Value| (hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), hit["bytes"].clone());
    hits.as_array().unwrap().iter().map(place).collect()
}

#[test]
fn two_machines_with_the_same_address_give_the_same_answers() {
    let server = StandIn::start(None);
    let (dir, second) = (TestDir::with_examples(), TestDir::new());
    on(&server, &dir, &["load", "examples/simpsons", "--collection-per-dir"]).ends_with(0);
    let here = TestDir::simpsons();

    let list = ["collections", "list"];
    let listed = json(&server, &dir, &list);
    assert_eq!(listed, json(&server, &second, &list));
    assert_eq!(listed, here.json(&list));
    for (query, mode) in [("box office", "hybrid"), ("Kondabolu", "keyword"), ("pay dispute of the actors", "semantic")]
    {
        let arguments = ["search", query, "--mode", mode, "-k", "5"];
        let found = json(&server, &dir, &arguments);
        assert_eq!(found, json(&server, &second, &arguments), "{query}");
        assert_eq!(places(&found), places(&here.json(&arguments)), "{query}, as on one machine");
    }
    let read = on(&server, &second, &["-q", "read", "01-bart-to-homer.md"]).ends_with(0).stdout;
    assert_eq!(read, here.run(&["-q", "read", "01-bart-to-homer.md"]).ends_with(0).stdout);
    let arguments = ["query", QUESTION, "--set", "llm.provider=extractive"];
    let reports = [&dir, &second]
        .map(|dir| on(&server, dir, &arguments).env("DEEPSEARCH_NOW", "2026-01-01T00:00:00Z").ends_with(0).stdout);
    // The second machine does not have the files, so it shows, and sends to the model, their paths on the first.
    let root = format!("{}/", dir.path("work").display());
    let [first, second_machine] = reports.map(|report| {
        let lines = report.lines().filter(|line| !line.starts_with("- **Cost**"));
        lines.map(|line| line.replace(&root, "")).collect::<Vec<_>>()
    });
    assert_eq!(first, second_machine);
    assert!(first.iter().any(|line| line.contains("The Simpsons")), "{first:?}");
    assert!(!second.data().join("catalog.sqlite").exists());
    // Nothing has changed, so nothing is loaded.
    on(&server, &dir, &["load", "examples/simpsons", "--collection-per-dir"]).ends_with(0).stdout_has("unchanged");
    on(&server, &second, &["store", "check"]).ends_with(0).stdout_has("all in order");
}

#[test]
fn a_server_that_goes_away_in_a_load_is_loaded_into_by_the_next() {
    let server = StandIn::start(None);
    let dir = TestDir::with_examples();
    let load = ["load", "examples/simpsons", "--collection", "all", "--embedder", "none", "--set", "store.retries=0"];
    server.plan(|_, _| Fate::Answer);
    on(&server, &dir, &load).ends_with(0);
    let calls = server.calls().len();
    let whole = json(&server, &dir, &["search", "Homer", "-k", "5"]);

    for stop in [2, calls / 3, calls / 2, calls - 4] {
        let server = StandIn::start(None);
        server.plan(move |_, number| if number >= stop { Fate::Break } else { Fate::Answer });
        let ended = on(&server, &dir, &load).ends_with(1);
        let ended = ended.stderr_has("does not answer").stderr_has("run the same command again");
        assert!(ended.stdout.is_empty(), "{ended:?}");
        server.heal();
        on(&server, &dir, &[&load[..], &["--set", "store.takeover_s=0"]].concat()).ends_with(0);
        assert_eq!(places(&json(&server, &dir, &["search", "Homer", "-k", "5"])), places(&whole), "after call {stop}");
        on(&server, &dir, &["store", "check"]).ends_with(0).stdout_has("all in order");
    }
}

#[test]
fn a_server_that_is_gone_ends_a_query_with_its_name() {
    let mut server = StandIn::start(None);
    let dir = TestDir::with_examples();
    on(&server, &dir, &["load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    let query = ["query", QUESTION, "--set", "llm.provider=extractive", "--set", "store.retries=0"];
    server.plan(|name, _| if name == "query_batch" { Fate::Break } else { Fate::Answer });
    on(&server, &dir, &query).ends_with(1).stdout_is("").stderr_has("does not answer").stderr_has(&server.url());
    server.stop();
    on(&server, &dir, &query).ends_with(1).stdout_is("").stderr_has("does not answer").stderr_has("deepsearch doctor");
    server.restart();
    server.heal();
    on(&server, &dir, &query).ends_with(0);
}

#[test]
fn the_key_is_asked_for_and_never_shown() {
    let server = StandIn::start(Some("s3cret-of-the-server"));
    let dir = TestDir::with_examples();
    let load = ["load", "examples/simpsons", "--embedder", "none"];
    on(&server, &dir, &load).ends_with(1).stderr_has("refuses the key");
    let with_key = |arguments: &[&str], key: &str| {
        on(&server, &dir, arguments).env("DEEPSEARCH_STORE__API_KEY_ENV", "SERVER_KEY").env("SERVER_KEY", key)
    };
    let named = on(&server, &dir, &load).env("DEEPSEARCH_STORE__API_KEY_ENV", "SERVER_KEY");
    named.ends_with(1).stderr_has("SERVER_KEY holds none");
    let wrong = with_key(&["-v", "doctor"], "s3cret-of-another").ends_with(1);
    let wrong = wrong.stdout_has("refuses the key");
    assert!(!format!("{wrong:?}").contains("s3cret"), "{wrong:?}");
    with_key(&load, "s3cret-of-the-server").ends_with(0);
    let right = with_key(&["-v", "doctor"], "s3cret-of-the-server").ends_with(0);
    let right =
        right.stdout_has("Qdrant 1.15.0, 3 collections of points, may be written, answers a search in 1 collection");
    assert!(!format!("{right:?}").contains("s3cret"), "{right:?}");
}

#[test]
fn collections_are_copied_to_a_server_and_back() {
    let server = StandIn::start(None);
    let (dir, back) = (TestDir::with_examples(), TestDir::new());
    dir.run(&["load", "examples/simpsons", "--collection-per-dir"]).ends_with(0);
    let copy = ["store", "copy", "--from", "embedded", "--to", "qdrant"];
    on(&server, &dir, &copy).ends_with(0).stdout_has("copied and compared");
    on(&server, &dir, &copy).ends_with(0).stdout_has("copied and compared 0 documents").stdout_has("there already");
    on(&server, &back, &["store", "copy", "--from", "qdrant", "--to", "embedded"]).ends_with(0);
    for arguments in [&["search", "box office", "-k", "5"][..], &["search", "Homer", "-k", "5", "--mode", "keyword"]] {
        let there = json(&server, &back, arguments);
        assert_eq!(places(&there), places(&dir.json(arguments)));
        assert_eq!(places(&there), places(&back.json(arguments)));
    }
    assert_eq!(dir.json(&["collections", "list"]), back.json(&["collections", "list"]));
    back.run(&["store", "check"]).ends_with(0).stdout_has("all in order");
    dir.run(&["store", "copy", "--from", "embedded", "--to", "embedded"]).ends_with(2).stderr_has("the same store");
}

/// The calls of each search through one store handle, except for the first search.
fn calls_of_searches(server: &StandIn, mode: SearchMode) -> Vec<Vec<String>> {
    let options = QdrantOptions { url: server.url(), ..QdrantOptions::default() };
    let store = Arc::new(QdrantStore::open(options).unwrap());
    let corpus = Corpus::new(store, Some(Arc::new(MiniLm::new())), SearchOptions::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let search = |query: &str| {
        let request = SearchRequest { query: query.to_owned(), collections: Vec::new(), mode, k: 10 };
        let mut hits = runtime.block_on(corpus.search(&[request]));
        assert!(!hits.pop().unwrap().unwrap().is_empty(), "{query}");
    };
    search("box office");
    let queries = ["Who directed the film?", "pay dispute of the actors", "Homer Simpson", "the dog of the family"];
    let calls = queries.map(|query| {
        server.plan(|_, _| Fate::Answer);
        search(query);
        server.calls()
    });
    calls.into()
}

#[test]
fn a_hybrid_search_makes_two_calls() {
    let server = StandIn::start(None);
    let dir = TestDir::with_examples();
    on(&server, &dir, &["load", "examples", "--collection", "all"]).ends_with(0);
    for mode in [SearchMode::Hybrid, SearchMode::Keyword] {
        for calls in calls_of_searches(&server, mode) {
            assert_eq!(calls, ["scroll", "query_batch"], "{mode:?}");
        }
    }
}

#[test]
fn each_further_collection_is_asked_once() {
    let server = StandIn::start(None);
    let dir = TestDir::with_examples();
    on(&server, &dir, &["load", "examples/simpsons", "--collection-per-dir"]).ends_with(0);
    for calls in calls_of_searches(&server, SearchMode::Hybrid) {
        assert_eq!(calls, ["scroll", "query_batch", "query_batch", "query_batch"]);
    }
}

#[test]
fn a_check_reads_many_documents_in_one_call() {
    let server = StandIn::start(None);
    let dir = TestDir::new();
    for number in 0..150 {
        dir.write(&format!("work/notes/{number}.md"), format!("# Note {number}\n\nSome words of note {number}.\n"));
    }
    on(&server, &dir, &["load", "notes"]).ends_with(0);
    server.plan(|_, _| Fate::Answer);
    on(&server, &dir, &["store", "check"]).ends_with(0).stdout_has("all in order");
    let calls = server.calls();
    assert!(calls.len() <= 20, "{} calls for 150 documents", calls.len());
}

#[test]
fn a_load_into_a_server_is_remembered_in_a_folder_that_was_not_there() {
    let server = StandIn::start(None);
    let dir = TestDir::with_examples();
    assert!(!dir.data().exists());
    let ended = on(&server, &dir, &["--offline", "load", "examples/simpsons", "--embedder", "none"]).ends_with(0);
    assert!(!ended.stderr.contains("not remembered"), "{ended:?}");
    on(&server, &dir, &["sources", "list"]).ends_with(0).stdout_has("simpsons");
}

#[test]
fn two_first_loads_at_once_both_end_well() {
    let server = StandIn::start(None);
    let dirs = [TestDir::new(), TestDir::new()];
    let loads: Vec<_> = dirs
        .iter()
        .zip(["apples", "pears"])
        .map(|(dir, name)| {
            dir.write(&format!("work/notes/{name}.md"), format!("Some words of {name}.\n"));
            let arguments = ["load", "notes", "--collection", "same", "--embedder", "none"];
            on(&server, dir, &arguments).into_command().spawn().unwrap()
        })
        .collect();
    for mut load in loads {
        assert!(load.wait().unwrap().success());
    }
    for name in ["apples", "pears"] {
        on(&server, &dirs[0], &["search", name, "--mode", "keyword"]).ends_with(0).stdout_has(name);
    }
}

#[test]
fn an_address_that_is_no_grpc_port_is_told_with_what_to_write() {
    fn check(url: &str, expected: &str) {
        let dir = TestDir::with_examples();
        let at = format!("store.url={url}");
        let load = ["--set", "store.backend=qdrant", "--set", &at, "--set", "store.retries=0"];
        let ended = dir.run(&[&load[..], &["load", "examples/simpsons", "--embedder", "none"]].concat()).ends_with(1);
        ended.stderr_has(expected).stderr_has("hint: ");
        dir.run(&[&load[..], &["doctor"]].concat()).ends_with(1).stdout_has(expected);
    }
    /// Starts a listener that gives every request the same answer.
    fn answering(answer: &'static [u8]) -> String {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut asked = [0; 512];
                drop(stream.read(&mut asked));
                drop(stream.write_all(answer));
            }
        });
        address.to_string()
    }
    check("localhost:6334", "write `http://localhost:6334`");
    check("grpc://localhost:6334", "write `http://localhost:6334`");
    let rest = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"title\":\"qdrant - vector search engine\"}");
    check(&format!("http://{rest}"), "the server's REST interface answers at port");
    let encrypted = answering(&[0x15, 3, 3, 0, 2, 2, 70]);
    check(&format!("http://{encrypted}"), &format!("write `https://{encrypted}`"));
    let plain = StandIn::start(None);
    check(&plain.url().replace("http:", "https:"), "no encrypted connection");
}
