//! Tests of web search against a scripted engine and scripted pages.

use serde_json::json;

use super::*;
use crate::base::Clock;
use crate::net::testing::{Reply, Server};
use crate::net::web::{AllowedAddresses, WebOptions};
use crate::net::{HttpOptions, Retry};
use crate::sources::search_engine::{Provider, SearchEngineOptions};

const ONCE: Retry =
    Retry { attempts: 1, base: Duration::ZERO, max_wait: Duration::ZERO, max_retry_after: Duration::ZERO, seed: 0 };

fn search(engine: &Server, options: WebSearchOptions, allowed: &[&str]) -> WebSearch {
    let http = HttpOptions::default();
    let engine =
        SearchEngineOptions { provider: Provider::Searxng, base_url: engine.url(), key: None, http, retry: ONCE };
    let allowed = AllowedAddresses::parse(allowed).expect("addresses");
    let client = WebOptions { allowed, retry: ONCE, render: renderer(), ..WebOptions::default() };
    let clock = Clock::Fixed("2026-03-04T05:06:07Z".parse().expect("a time"));
    WebSearch::new(
        SearchEngine::new(engine).expect("an engine"),
        WebClient::new(client, clock).expect("a client"),
        options,
    )
}

/// A renderer that prints one sentence for URLs that end in `app` and an empty paragraph for all others.
fn renderer() -> Vec<String> {
    let script = "case $1 in *app) echo '<p>Written by scripts.</p>';; *) echo '<p></p>';; esac";
    ["sh", "-c", script, "sh", "{url}"].map(str::to_owned).to_vec()
}

/// An engine that answers the queries in turn with these lists of URLs.
fn engine(answers: &[&[String]]) -> Server {
    let reply = |urls: &&[String]| {
        let results: Vec<_> = urls.iter().map(|url| json!({"url": url, "title": "As the engine has it"})).collect();
        Reply::json(200, &json!({"results": results}))
    };
    Server::start(answers.iter().map(reply).collect())
}

fn page(body: &str) -> Reply {
    let headers = vec![("content-type", "text/html; charset=utf-8".to_owned())];
    Reply::Whole { status: 200, headers, body: format!("<html><body><p>{body}</p></body></html>") }
}

fn one_at_a_time() -> WebSearchOptions {
    // The scripted server answers in the order of its requests.
    WebSearchOptions { parallel: 1, ..WebSearchOptions::default() }
}

fn queries(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn texts(gathered: &WebRound) -> Vec<&str> {
    gathered.pages.iter().map(|page| page.text.trim()).collect()
}

#[tokio::test]
async fn pages_come_in_turn_and_each_once() {
    let site = Server::start(vec![page("First."), page("Second."), page("First."), page("Third.")]);
    let at = |path: &str| format!("{}/{path}", site.url());
    let engine = engine(&[&[at("a"), at("c")], &[at("b"), at("a"), at("d")]]);
    let search = search(&engine, one_at_a_time(), &["127.0.0.1"]);
    let gathered = search.gather(&queries(&["x", "y"]), &KnownPages::default()).await;
    // `c` has the same text as `a`, and `a` was named twice.
    assert_eq!(texts(&gathered), ["First.", "Second.", "Third."], "{:?}", gathered.warnings);
    assert_eq!(gathered.tried, [at("c")]);
    let first = &gathered.pages[0];
    assert_eq!((first.path.as_str(), first.title.as_str()), (at("a").as_str(), "As the engine has it"));
    assert_eq!(first.date.map(|date| date.date.to_string()).as_deref(), Some("2026-03-04"));
    assert!(gathered.warnings.is_empty() && gathered.failed.is_empty() && gathered.usd.is_none());
}

#[tokio::test]
async fn what_a_run_has_read_is_not_fetched_again() {
    let site = Server::start(vec![page("New.")]);
    let at = |path: &str| format!("{}/{path}", site.url());
    let engine = engine(&[&[at("old"), at("new")]]);
    let earlier = KnownPages { urls: [at("old")].into(), ..KnownPages::default() };
    let options = WebSearchOptions { usd_per_search: Some(0.005), ..one_at_a_time() };
    let gathered = search(&engine, options, &["127.0.0.1"]).gather(&queries(&["x"]), &earlier).await;
    assert_eq!((texts(&gathered), site.seen().len()), (vec!["New."], 1));
    assert_eq!(gathered.usd, Some(0.005));
}

#[tokio::test]
async fn limits_leave_each_query_its_best_and_say_what_is_missing() {
    let check = async |script: Vec<Reply>, options: WebSearchOptions, expected: &[&str], warning: &str| {
        let site = Server::start(script);
        let at = |path: &str| format!("{}/{path}", site.url());
        let engine = engine(&[&[at("a"), at("c")], &[at("b"), at("d")]]);
        let gathered =
            search(&engine, options, &["127.0.0.1"]).gather(&queries(&["x", "y"]), &KnownPages::default()).await;
        assert_eq!(texts(&gathered), expected);
        assert!(gathered.warnings.iter().any(|told| told.contains(warning)), "{:?}", gathered.warnings);
    };
    let two = WebSearchOptions { max_pages: 2, ..one_at_a_time() };
    check(
        vec![page("First."), page("Second.")],
        two,
        &["First.", "Second."],
        "2 pages of the web were not fetched: a run reads 2 at most",
    )
    .await;
    let none = WebSearchOptions { timeout: Duration::ZERO, ..one_at_a_time() };
    check(vec![Reply::Silence], none, &[], "4 pages of the web were not there within 0 s").await;
    let site = Server::start(vec![page("First.")]);
    let engine = engine(&[&[format!("{}/a", site.url()), format!("{}/b", site.url())]]);
    let few = WebSearchOptions { max_bytes: 10, ..one_at_a_time() };
    let gathered = search(&engine, few, &["127.0.0.1"]).gather(&queries(&["x"]), &KnownPages::default()).await;
    assert_eq!((texts(&gathered), site.seen().len()), (vec!["First."], 1));
    assert!(gathered.warnings[0].starts_with("1 pages of the web were not fetched"), "{:?}", gathered.warnings);
}

#[tokio::test]
async fn a_page_that_fails_is_a_warning() {
    let missing = Reply::Whole { status: 404, headers: vec![], body: "no".to_owned() };
    let image =
        Reply::Whole { status: 200, headers: vec![("content-type", "image/png".to_owned())], body: "x".to_owned() };
    let site = Server::start(vec![missing, image, page(""), page("Good.")]);
    let at = |path: &str| format!("{}/{path}", site.url());
    let engine = engine(&[&[at("gone"), at("image"), at("empty"), at("good")]]);
    let gathered =
        search(&engine, one_at_a_time(), &["127.0.0.1"]).gather(&queries(&["x"]), &KnownPages::default()).await;
    assert_eq!(texts(&gathered), ["Good."]);
    assert_eq!(gathered.tried, [at("gone"), at("image"), at("empty")]);
    let told = gathered.warnings.join("\n");
    for part in ["/gone was not read: ", "404", "/image was not read: it is image/png", "/empty was not "] {
        assert!(told.contains(part), "{told}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_page_without_words_is_rendered() {
    let site = Server::start(vec![page("<script>write()</script>")]);
    let engine = engine(&[&[format!("{}/app", site.url())]]);
    let gathered =
        search(&engine, one_at_a_time(), &["127.0.0.1"]).gather(&queries(&["x"]), &KnownPages::default()).await;
    assert_eq!(texts(&gathered), ["Written by scripts."], "{:?}", gathered.warnings);
}

#[tokio::test]
async fn an_engine_that_is_down_is_asked_once_and_one_that_names_private_addresses_in_vain() {
    let down = Server::start(vec![Reply::json(401, &json!({"message": "no"}))]);
    let gathered =
        search(&down, one_at_a_time(), &["127.0.0.1"]).gather(&queries(&["x", "y"]), &KnownPages::default()).await;
    assert_eq!((gathered.failed.len(), down.seen().len()), (2, 1));
    assert!(gathered.warnings[0].starts_with("the web was not searched: searxng refused"), "{:?}", gathered.warnings);

    let site = Server::start(vec![]);
    let engine = engine(&[&[format!("{}/a", site.url())]]);
    let gathered = search(&engine, one_at_a_time(), &[]).gather(&queries(&["x"]), &KnownPages::default()).await;
    assert!(gathered.warnings[0].contains("loopback"), "{:?}", gathered.warnings);
    assert!(site.seen().is_empty(), "nothing was opened");
}
