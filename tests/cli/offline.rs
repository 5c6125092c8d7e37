//! Tests that `--offline` opens no socket. Every address that the program could ask belongs to a server that counts
//! connections. That server is also the proxy of all protocols, so that any other address would lead there too.

use crate::harness::{Run, TestDir};
use crate::web_search::Web;

/// Settings that point to the server wherever something can be requested.
fn everything(dir: &TestDir, web: &Web, arguments: &[&str]) -> Run {
    let at = format!("http://{}", web.address);
    let settings = [
        format!("embed.base_url={at}/v1"),
        "sources.web.enabled=true".to_owned(),
        format!("sources.web.base_url={at}"),
        r#"crawl.allow_addresses=["127.0.0.1"]"#.to_owned(),
        "llm.retries=0".to_owned(),
    ];
    let mut all: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting.as_str()]).collect();
    all.extend(arguments);
    let run = dir.run(&all).env("OPENAI_API_KEY", "sk-1234567890").env("HF_ENDPOINT", &at);
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"]
        .into_iter()
        .fold(run, |run, name| run.env(name, &at))
}

fn documents() -> TestDir {
    let dir = TestDir::new();
    dir.write("work/notes/harbour.md", "# Harbour\n\nThe harbour of Varnholm was dredged in 1954 by the county.\n");
    dir.run(&["load", "notes"]).ends_with(0);
    dir
}

const ASKED: &str = "When was the harbour of Varnholm dredged?";

#[test]
fn offline_no_socket_is_opened() {
    let dir = documents();
    let web = Web::start(&[]);
    let check = |arguments: &[&str], code: i32, told: &str| {
        let all = [&["--offline"][..], arguments].concat();
        let ended = everything(&dir, &web, &all).ends_with(code);
        assert!(ended.stderr.contains(told) || ended.stdout.contains(told), "{arguments:?}: {ended:?}");
        assert_eq!(web.take_seen(), Vec::<String>::new(), "{arguments:?}");
    };
    // A key is set, but the model that it would select is not asked.
    check(&["query", ASKED], 0, "the web is not searched: the web cannot be asked: the program is offline");
    check(&["query", ASKED, "-c", "web"], 1, "the web cannot be asked: the program is offline");
    check(&["query", ASKED, "--dry-run"], 0, "dredged");
    let at = format!("llm.base_url=http://{}/v1", web.address);
    check(
        &["--set", "llm.provider=custom", "--set", &at, "--set", "llm.model=m", "query", ASKED],
        1,
        "the model of custom",
    );
    check(&["--set", "llm.provider=openai", "query", ASKED], 1, "the model of openai cannot be asked");
    check(&["--set", "llm.provider=ollama", "query", ASKED], 1, "the model of ollama cannot be asked");
    check(&["--set", "net.offline=true", "search", "harbour"], 0, "1954");
    let endpoint = ["--embedder", "openai:text-embedding-3-small"];
    check(
        &[&["load", "notes", "-c", "other"][..], &endpoint].concat(),
        1,
        "the embedder openai:text-embedding-3-small",
    );
    check(&["load", "notes"], 0, "");
    let page = format!("http://{}/page", web.address);
    check(&["load", &page], 1, "/page cannot be asked: the program is offline");
    let qdrant = ["--set", "store.backend=qdrant", "--set", "store.url=http://192.0.2.1:6334"];
    check(&[&qdrant[..], &["load", "notes"]].concat(), 1, "the Qdrant server cannot be asked");
    check(&[&qdrant[..], &["query", ASKED]].concat(), 1, "the Qdrant server cannot be asked");
    check(&["doctor"], 0, "web search          --offline");
    check(&["--set", "embed.embedder=openai:x", "doctor"], 0, "embedding model     --offline");
}

/// The test above only proves something if the same commands do connect without `--offline`.
#[test]
fn without_it_the_counting_server_is_reached() {
    let dir = documents();
    let web = Web::start(&[]);
    let connects = |arguments: &[&str], code: i32| {
        everything(&dir, &web, arguments).ends_with(code);
        assert!(!web.take_seen().is_empty(), "{arguments:?}");
    };
    let offline_model = ["--set", "llm.provider=extractive"];
    connects(&[&offline_model[..], &["query", "What is a quagga?", "-c", "web"]].concat(), 4);
    connects(&["load", "notes", "-c", "other", "--embedder", "openai:text-embedding-3-small"], 1);
    let page = format!("http://{}/page", web.address);
    connects(&["load", &page], 3);
    // The server in the proxy's place is not a search engine.
    connects(&[&offline_model[..], &["doctor"]].concat(), 1);
}

#[test]
fn a_key_is_missed_only_where_it_would_change_something() {
    let dir = documents();
    let check = |arguments: &[&str], code: i32, expected: [bool; 2]| {
        let ended = dir.run(arguments).ends_with(code);
        let told = ["no key is set", "working offline: "].map(|words| ended.stderr.contains(words));
        assert_eq!(told, expected, "{arguments:?}: {ended:?}");
    };
    check(&["query", ASKED], 0, [true, false]);
    check(&["query", ASKED, "--offline"], 0, [false, true]);
    check(&["query", ASKED, "--offline", "--dry-run"], 0, [false, true]);
    // Nothing is reported about a run that does not start.
    check(&["query", ASKED, "-c", "nosuch"], 1, [false, false]);
    check(&["query", "--resume", "nosuch"], 1, [false, false]);
}
