use std::time::Duration;

use serde_json::json;

use super::*;
use crate::net::testing::{Reply, Server};
use crate::net::{Retry, with_retry};

const KEY: &str = "sk-do-not-show-this-1234";

fn options() -> HttpOptions {
    HttpOptions { max_body_bytes: 1000, ..HttpOptions::default() }
}

async fn post(options: HttpOptions, server: &Server) -> Result<Response, NetError> {
    let auth = Auth::Bearer(Secret::new(KEY));
    let url = format!("{}/x?key={KEY}", server.url());
    let post = JsonPost { url: &url, auth: &auth, accept: "application/json", body: &json!({"a": 1}) };
    HttpClient::new(options)?.post_json(post).await
}

async fn data(response: Response) -> Result<Vec<String>, NetError> {
    let mut events = response.events();
    let mut all = Vec::new();
    while let Some(data) = events.next_data().await {
        all.push(data?);
    }
    Ok(all)
}

#[tokio::test]
async fn a_request_carries_its_key_body_and_name() {
    let server = Server::start(vec![Reply::json(200, &json!({"ok": true}))]);
    let value: serde_json::Value = post(options(), &server).await.unwrap().json().await.unwrap();
    assert_eq!(value, json!({"ok": true}));
    let seen = &server.seen()[0];
    assert_eq!(seen.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(seen.header("accept"), Some("application/json"));
    assert!(seen.header("user-agent").unwrap().starts_with("deepsearch/"));
    assert_eq!(seen.body, json!({"a": 1}));
}

#[tokio::test]
async fn a_refusal_shows_the_servers_words_and_never_the_key() {
    let body = json!({"error": {"message": format!("bad key {KEY}")}});
    let server = Server::start(vec![Reply::json(401, &body)]);
    let error = post(options(), &server).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("bad key [key]") && shown.contains("401"), "{shown}");
    assert!(!shown.contains(KEY), "{shown}");
    let server = Server::start(vec![Reply::json(200, &body)]);
    let error = post(options(), &server).await.unwrap().json::<Vec<String>>().await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("bad key [key]") && !shown.contains(KEY), "{shown}");
    assert!(!format!("{:?}", Auth::Bearer(Secret::new(KEY))).contains(KEY));
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let headers = vec![("location", "https://evil.example/?k=1".to_owned())];
    let server = Server::start(vec![Reply::Whole { status: 307, headers, body: String::new() }]);
    let error = post(options(), &server).await.unwrap_err().to_string();
    assert!(error.contains("307") && error.contains("https://evil.example/ not followed"), "{error}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn retry_after_reaches_the_caller() {
    let check = async |value: String, within: std::ops::RangeInclusive<u64>| {
        let headers = vec![("retry-after", value.clone())];
        let server = Server::start(vec![Reply::Whole { status: 429, headers, body: "slow".to_owned() }]);
        let error = post(options(), &server).await.unwrap_err();
        assert!(error.is_transient());
        assert!(within.contains(&error.retry_after().unwrap().as_secs()), "{value}: {error:?}");
    };
    check("17".to_owned(), 17..=17).await;
    check(httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600)), 3500..=3600).await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_whole_or_streamed() {
    let server = Server::start(vec![
        Reply::json(200, &json!("x".repeat(2000))),
        Reply::Stream { pieces: vec![vec![b'x'; 600]; 3], cut: false },
    ]);
    let whole = post(options(), &server).await.unwrap().bytes().await.unwrap_err();
    assert!(matches!(whole, NetError::TooLarge { limit: 1000, .. }), "{whole}");
    let streamed = data(post(options(), &server).await.unwrap()).await.unwrap_err();
    assert!(matches!(streamed, NetError::TooLarge { limit: 1000, .. }), "{streamed}");
}

#[tokio::test]
async fn silence_ends_in_a_timeout_that_says_what_was_awaited() {
    let short = Duration::from_millis(40);
    let check = async |reply: Reply, expected: Awaited| {
        let server = Server::start(vec![reply]);
        let options = HttpOptions { first_byte_timeout: Duration::from_secs(5), idle_timeout: short, ..options() };
        let error = match post(options, &server).await {
            Ok(response) => data(response).await.unwrap_err(),
            Err(error) => error,
        };
        assert!(matches!(&error, NetError::Timeout { awaited, .. } if *awaited == expected), "{error}");
    };
    check(Reply::Drip(b"data: a\n\n".to_vec()), Awaited::FurtherByte).await;
    let server = Server::start(vec![Reply::Silence]);
    let error = post(HttpOptions { first_byte_timeout: short, ..options() }, &server).await.unwrap_err();
    assert!(matches!(&error, NetError::Timeout { awaited: Awaited::FirstByte, .. }), "{error}");
}

#[tokio::test]
async fn events_are_the_same_however_their_bytes_are_split() {
    let stream = "\u{feff}: comment\r\ndata: 日本語\r\n\r\nevent: x\ndata: a\ndata: b\n\n:\n\ndata:{\"k\":1}\n\n";
    for size in [1, 2, 3, 7, 1000] {
        let pieces = stream.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let server = Server::start(vec![Reply::Stream { pieces, cut: false }]);
        let events = data(post(options(), &server).await.unwrap()).await.unwrap();
        assert_eq!(events, ["日本語", "a\nb", "{\"k\":1}"], "pieces of {size}");
    }
}

#[tokio::test]
async fn a_cut_stream_is_an_error_and_not_an_end() {
    let server = Server::start(vec![Reply::Stream { pieces: vec![b"data: a\n\n".to_vec()], cut: true }]);
    let error = data(post(options(), &server).await.unwrap()).await.unwrap_err();
    assert!(matches!(error, NetError::Interrupted { .. }), "{error}");
}

#[tokio::test]
async fn a_request_is_repeated_until_it_succeeds() {
    let server = Server::start(vec![Reply::json(500, &json!("no")), Reply::HangUp, Reply::json(200, &json!("yes"))]);
    let retry = Retry { base: Duration::from_millis(1), ..Retry::default() };
    let operation = || async { post(options(), &server).await?.json::<String>().await };
    assert_eq!(with_retry(retry.backoff(0), operation).await.unwrap(), "yes");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn nobody_listening_is_a_connection_fault() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = HttpClient::new(options()).unwrap().get(&format!("http://{free}/"), &Auth::None).await.unwrap_err();
    assert!(matches!(&error, NetError::Connect { .. }), "{error}");
    assert!(error.is_transient());
}
