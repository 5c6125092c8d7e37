//! The client of embedding endpoints, against a scripted server.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::net::testing::{Reply, Server};

const QUICK: Retry =
    Retry { attempts: 3, base: Duration::ZERO, max_wait: Duration::ZERO, max_retry_after: Duration::ZERO, seed: 0 };

fn options(server: &Server) -> OpenAiEmbedOptions {
    OpenAiEmbedOptions {
        base_url: server.url(),
        key: Some(Secret::new("sk-very-secret")),
        retry: QUICK,
        limits: LimitOptions { concurrency: Some(1), per_minute: None },
        ..OpenAiEmbedOptions::default()
    }
}

fn reply(vectors: &[(usize, Value)]) -> Reply {
    let data: Vec<Value> = vectors.iter().map(|(index, vector)| json!({"index": index, "embedding": vector})).collect();
    Reply::json(200, &json!({"object": "list", "data": data, "model": "m"}))
}

fn texts(texts: &[&str]) -> Vec<Text> {
    texts.iter().map(|&text| text.into()).collect()
}

async fn opened(server: &Server, dimension: usize) -> OpenAiEmbedder {
    OpenAiEmbedder::open("m", &OpenAiEmbedOptions { dimension: Some(dimension), ..options(server) }).await.unwrap()
}

#[tokio::test]
async fn the_dimension_comes_from_the_first_reply_and_the_order_from_the_index() {
    let server = Server::start(vec![
        reply(&[(0, json!([1, 2, 2]))]),
        reply(&[(1, json!([0.0, 3.0, 0.0])), (0, json!([4.0, 0.0, 3.0]))]),
    ]);
    let embedder = OpenAiEmbedder::open("m", &options(&server)).await.unwrap();
    assert_eq!((embedder.identity().name.as_str(), embedder.identity().dimension), ("openai:m", 3));
    let vectors = embedder.passages(texts(&["a", " "])).await.unwrap();
    assert_eq!(vectors[0].embedding, [0.8, 0.0, 0.6]);
    assert_eq!(vectors[1].embedding, [0.0, 1.0, 0.0]);
    let seen = server.seen();
    assert_eq!(seen[1].line, "POST /v1/embeddings HTTP/1.1");
    assert_eq!(seen[1].header("authorization"), Some("Bearer sk-very-secret"));
    assert_eq!(seen[1].body, json!({"model": "m", "input": ["a", "-"]}));
}

#[tokio::test]
async fn a_known_dimension_needs_no_request() {
    let server = Server::start(Vec::new());
    assert_eq!(opened(&server, 7).await.identity().dimension, 7);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_vector_may_come_as_base64() {
    let bytes: Vec<u8> = [0.0f32, -2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let server = Server::start(vec![reply(&[(0, json!(encoded))])]);
    let vectors = opened(&server, 2).await.queries(texts(&["a"])).await.unwrap();
    assert_eq!(vectors[0].embedding, [0.0, -1.0]);
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    let busy = Reply::json(429, &json!({"error": {"message": "slow down"}}));
    let server = Server::start(vec![busy, Reply::HangUp, reply(&[(0, json!([1.0]))])]);
    assert!(opened(&server, 1).await.queries(texts(&["a"])).await.is_ok());
    assert_eq!(server.seen().len(), 3);
}

/// Asks for one text and returns the error message and the number of requests sent.
async fn failure(script: Vec<Reply>) -> (String, usize) {
    let server = Server::start(script);
    let error = opened(&server, 2).await.queries(texts(&["a"])).await.unwrap_err().to_string();
    (error, server.seen().len())
}

#[tokio::test]
async fn unusable_replies_are_refused_with_their_reason() {
    let inf: Vec<u8> = [f32::NAN, 1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let inf = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, inf);
    for (sent, expected) in [
        (reply(&[]), "0 vectors for 1 texts"),
        (reply(&[(0, json!([1, 0])), (1, json!([1, 0]))]), "2 vectors for 1 texts"),
        (reply(&[(3, json!([1, 0]))]), "a vector for text 3 of 1"),
        (reply(&[(0, json!([1, 0, 0]))]), "3 dimensions where 2 were expected"),
        (reply(&[(0, json!([]))]), "is empty"),
        (reply(&[(0, json!([1e300, 0]))]), "no numbers"),
        (reply(&[(0, json!(inf))]), "no numbers"),
        (reply(&[(0, json!("AAAA"))]), "no whole number of values"),
        (reply(&[(0, json!([null, 0]))]), "cannot read the reply"),
        (Reply::json(200, &json!({"error": "no model"})), "missing field `data`"),
    ] {
        let (error, requests) = failure(vec![sent]).await;
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("openai:m"), "{error}");
        assert_eq!(requests, 1, "an unusable reply is not asked for again: {error}");
    }
}

#[tokio::test]
async fn errors_name_the_address_and_never_the_key() {
    let refused = Reply::json(401, &json!({"error": {"message": "bad key sk-very-secret"}}));
    let (error, requests) = failure(vec![refused]).await;
    assert!(error.contains("/v1/embeddings answered with status 401"), "{error}");
    assert!(!error.contains("very-secret"), "{error}");
    assert_eq!(requests, 1);
    let (error, requests) = failure(vec![Reply::HangUp, Reply::HangUp, Reply::HangUp]).await;
    assert!(error.contains("(3 attempts)"), "{error}");
    assert_eq!(requests, 3);
}

#[tokio::test]
async fn a_missing_key_is_said_to_be_missing() {
    let server = Server::start(vec![Reply::json(401, &json!({}))]);
    let options = OpenAiEmbedOptions { key: None, ..options(&server) };
    let error = OpenAiEmbedder::open("m", &options).await.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no key was sent"), "{error}");
}

#[tokio::test]
async fn many_texts_go_in_several_requests_and_come_back_in_order() {
    let vectors = |from: usize| -> Vec<(usize, Value)> {
        (0..50).map(|index| (index, json!([(from + index) as f32, 1.0]))).collect()
    };
    let server = Server::start(vec![reply(&vectors(0)), reply(&vectors(50))]);
    let found = opened(&server, 2).await.passages(vec!["a".into(); 100]).await.unwrap();
    let ratios: Vec<f32> = found.iter().map(|one| (one.embedding[0] / one.embedding[1]).round()).collect();
    assert_eq!(ratios, (0..100).map(|index| index as f32).collect::<Vec<_>>());
}

#[test]
fn requests_keep_to_their_limits() {
    let check = |lengths: &[usize], expected: &[usize]| {
        let texts: Vec<String> = lengths.iter().map(|&length| "x".repeat(length)).collect();
        let sizes: Vec<usize> = batches(&texts).iter().map(Range::len).collect();
        assert_eq!(sizes, expected);
    };
    check(&[], &[]);
    check(&[1; 96], &[96]);
    check(&[1; 97], &[49, 48]);
    check(&[1; 193], &[65, 65, 63]);
    // A byte counts as a quarter of a token, so eight of these reach the limit.
    check(&[100_000; 10], &[8, 2]);
    check(&[4_000_000, 1], &[1, 1]);
}

#[test]
fn long_texts_are_cut_on_a_border() {
    let cut = fit("query: ", &"語".repeat(MOST_BYTES));
    assert!(cut.len() <= MOST_BYTES + 7 && cut.ends_with('語') && cut.starts_with("query: 語"));
}

#[test]
fn a_known_family_gets_its_prefixes() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let options = OpenAiEmbedOptions { dimension: Some(4), ..OpenAiEmbedOptions::default() };
    let check = |model: &str, prefix: &str, french: bool| {
        let embedder = runtime.block_on(OpenAiEmbedder::open(model, &options)).unwrap();
        assert_eq!(embedder.identity().passage_prefix, prefix);
        assert_eq!(embedder.knows(Language::from_code("fra")), french);
    };
    check("text-embedding-3-small", "", true);
    check("nomic-embed-text", "search_document: ", false);
    check("intfloat/multilingual-e5-small", "passage: ", true);
}
