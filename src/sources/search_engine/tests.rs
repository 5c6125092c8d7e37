use serde_json::{Value, json};

use super::*;
use crate::net::testing::{Reply, Server};
use crate::net::{HttpOptions, Retry, Secret};

const KEY: &str = "key-not-to-be-shown";

async fn ask(provider: Provider, script: Vec<Reply>) -> (Result<Vec<WebResult>, SearchEngineError>, Server) {
    let server = Server::start(script);
    let options = SearchEngineOptions {
        provider,
        base_url: server.url(),
        key: (provider != Provider::Searxng).then(|| Secret::new(KEY)),
        http: HttpOptions::default(),
        retry: Retry { attempts: 1, ..Retry::default() },
    };
    let found = SearchEngine::new(options).expect("a client").search("wing & feather\n?", 2).await;
    (found, server)
}

/// Checks the pages of the reply, and the request's line, key and body.
async fn check(provider: Provider, reply: Value, line: &str, key: Option<(&str, &str)>, body: Value) {
    let (found, server) = ask(provider, vec![Reply::json(200, &reply)]).await;
    let found = found.expect("pages");
    let urls: Vec<&str> = found.iter().map(|page| page.url.as_str()).collect();
    assert_eq!(urls, ["https://a.example/1", "http://b.example/2?x=1"], "{provider:?}");
    assert_eq!((found[0].title.as_str(), found[1].title.as_str()), ("One", ""), "{provider:?}");
    let seen = &server.seen()[0];
    assert_eq!(seen.line, line);
    assert_eq!(seen.body, body);
    if let Some((name, value)) = key {
        assert_eq!(seen.header(name), Some(value));
    }
}

/// Two pages, plus one that is not a page, a copy of the first, and one more than requested.
fn results(address: &str) -> Value {
    json!([
        {address: "https://a.example/1#part", "title": "One", "content": "Its words."},
        {address: "ftp://c.example/x", "title": "No page"},
        {address: "https://a.example/1", "title": "Again"},
        {address: " http://b.example/2?x=1 "},
        {address: "https://d.example/", "title": "Beyond"},
    ])
}

#[tokio::test]
async fn every_engine_is_asked_and_understood_as_it_documents_it() {
    let query = "wing+%26+feather+%3F";
    check(
        Provider::Searxng,
        json!({"query": "q", "number_of_results": 0, "results": results("url"), "answers": [], "unresponsive_engines": []}),
        &format!("GET /v1/search?q={query}&format=json HTTP/1.1"),
        None,
        Value::Null,
    )
    .await;
    check(
        Provider::Brave,
        json!({"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": results("url")}}),
        &format!("GET /v1/res/v1/web/search?q={query}&count=2&result_filter=web HTTP/1.1"),
        Some(("x-subscription-token", KEY)),
        Value::Null,
    )
    .await;
    check(
        Provider::Tavily,
        json!({"query": "q", "answer": null, "images": [], "results": results("url"), "response_time": 1.1}),
        "POST /v1/search HTTP/1.1",
        Some(("authorization", &format!("Bearer {KEY}"))),
        json!({"query": "wing & feather ?", "max_results": 2, "search_depth": "basic"}),
    )
    .await;
    check(
        Provider::Serper,
        json!({"searchParameters": {"q": "q"}, "organic": results("link"), "credits": 1}),
        "POST /v1/search HTTP/1.1",
        Some(("x-api-key", KEY)),
        json!({"q": "wing & feather ?", "num": 2}),
    )
    .await;
}

#[tokio::test]
async fn nothing_found_is_no_error() {
    let nothing = [
        (Provider::Searxng, json!({"results": []})),
        (Provider::Brave, json!({"type": "search"})),
        (Provider::Tavily, json!({"results": []})),
        (Provider::Serper, json!({"organic": []})),
    ];
    for (provider, reply) in nothing {
        let (found, _) = ask(provider, vec![Reply::json(200, &reply)]).await;
        assert_eq!(found.expect("an empty list"), [], "{provider:?}");
    }
}

#[tokio::test]
async fn fields_that_are_not_used_may_have_any_name() {
    let both = json!([{"url": "https://a.example/", "link": "https://a.example/", "title": "A"}]);
    for (provider, list) in [(Provider::Searxng, "results"), (Provider::Serper, "organic")] {
        let (found, _) = ask(provider, vec![Reply::json(200, &json!({list: both}))]).await;
        assert_eq!(found.expect("a list").len(), 1, "{provider:?}");
    }
}

#[tokio::test]
async fn failures_say_what_to_do_and_never_the_key() {
    let check = async |provider, reply, expected: &str| {
        let (found, _) = ask(provider, vec![reply]).await;
        let shown = found.map_err(|error| format!("{error}")).expect_err("a failure");
        assert!(shown.starts_with(expected), "{shown}");
        assert!(!shown.contains(KEY), "{shown}");
    };
    let says = |status, words: &str| Reply::json(status, &json!({"message": words}));
    check(Provider::Serper, says(403, "Unauthorized."), "serper refused its key (status 403): ").await;
    check(Provider::Tavily, says(401, KEY), "tavily refused its key (status 401): ").await;
    check(Provider::Brave, says(422, "SUBSCRIPTION_TOKEN_INVALID"), "brave refused its key (status 422): ").await;
    check(Provider::Brave, says(422, "bad count"), "brave did not answer: ").await;
    check(Provider::Brave, says(429, "Rate limited"), "brave allows no more searches now (status 429): ").await;
    check(Provider::Tavily, says(432, "plan limit"), "tavily allows no more searches now (status 432): ").await;
    check(Provider::Tavily, says(500, "oh"), "tavily did not answer: ").await;
    check(Provider::Tavily, Reply::HangUp, "tavily did not answer: ").await;
    let odd = Reply::json(200, &json!({"hits": []}));
    check(Provider::Serper, odd.clone(), "serper at http://127.0.0.1:").await;
    check(Provider::Brave, Reply::json(200, &json!({"type": "ErrorResponse"})), "brave at http://127.0.0.1:").await;
    let (found, _) = ask(Provider::Searxng, vec![says(403, "Forbidden")]).await;
    assert!(found.expect_err("a failure").to_string().contains("`json` is among `search.formats`"));
}

#[tokio::test]
async fn offline_opens_no_connection() {
    let server = Server::start(vec![]);
    let options = SearchEngineOptions {
        provider: Provider::Searxng,
        base_url: server.url(),
        key: None,
        http: HttpOptions { offline: true, ..HttpOptions::default() },
        retry: Retry::default(),
    };
    let error = SearchEngine::new(options).expect("a client").search("x", 2).await.expect_err("offline");
    assert!(error.to_string().contains("offline"), "{error}");
    assert!(server.seen().is_empty());
}
