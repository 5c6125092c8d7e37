//! Jobs over a real store, with a scripted embedding endpoint.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::config::{Settings, SettingsRequest, Surroundings};
use crate::domain::{NullSink, SearchMode};
use crate::net::testing::{Reply, Server};
use crate::retrieval::{RetrievalError, SearchRequest};

/// An app that keeps everything in `folder` and embeds at `address`, without retries.
fn app(folder: &Path, address: &str) -> App {
    let mut config = Settings::load(&SettingsRequest::default()).unwrap().config;
    config.store.data_dir = folder.join("data");
    config.llm.provider = "extractive".to_owned();
    config.llm.retries = 0;
    config.embed.embedder = "openai:m".to_owned();
    config.embed.base_url = address.to_owned();
    config.embed.api_key_file = folder.join("key");
    App::new(config, Surroundings { cwd: folder.to_owned(), ..Surroundings::default() })
}

fn vectors(count: usize) -> Reply {
    let data: Vec<Value> = (0..count).map(|index| json!({"index": index, "embedding": [3, 4]})).collect();
    Reply::json(200, &json!({ "data": data }))
}

/// Creates a folder with a key and a document, which is loaded with vectors from the endpoint.
async fn loaded() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("key"), "sk-in-a-file\n").unwrap();
    let document = "# Oxen\n\nOxen ploughed the fields of the village until 1950. Tractors came afterwards.\n";
    std::fs::create_dir(folder.path().join("docs")).unwrap();
    std::fs::write(folder.path().join("docs/oxen.md"), document).unwrap();
    let server = Server::start(vec![vectors(1), vectors(1)]);
    let app = app(folder.path(), &server.url());
    let request = LoadRequest { paths: vec!["docs".to_owned()], ..LoadRequest::default() };
    app.load(&request, &|_| {}, CancellationToken::new()).await.unwrap();
    (folder, server)
}

#[tokio::test]
async fn the_embedding_endpoint_is_the_one_in_the_settings() {
    let (folder, server) = loaded().await;
    let seen = server.seen();
    assert_eq!(seen.len(), 2, "one request for the length of the vectors, one for the passage");
    assert!(seen.iter().all(|request| request.line == "POST /v1/embeddings HTTP/1.1"));
    assert!(seen.iter().all(|request| request.header("authorization") == Some("Bearer sk-in-a-file")));
    let again = app(folder.path(), &server.url());
    let collections = again.collections().await.unwrap();
    let identity = collections[0].embedder.clone().unwrap();
    assert_eq!((identity.name.as_str(), identity.dimension), ("openai:m", 2));
    assert_eq!(again.configured_embedder().await.unwrap().unwrap().identity(), &identity);
    assert_eq!(server.seen().len(), 2, "what a collection knows is not asked for again");
}

#[tokio::test]
async fn a_search_fails_with_its_endpoint_unless_words_are_enough() {
    let (folder, server) = loaded().await;
    let app = app(folder.path(), &server.url());
    let search = |mode| {
        let request = SearchRequest { query: "fields".to_owned(), collections: Vec::new(), mode, k: 3 };
        app.search(request, crate::domain::DocumentFilter::default(), std::sync::Arc::new(|| true))
    };
    let failed = search(SearchMode::Hybrid).await;
    assert!(matches!(failed, Err(AppError::Retrieval(RetrievalError::Embed(_)))));
    assert_eq!(search(SearchMode::Keyword).await.unwrap().len(), 1);
}

/// Researches, and checks that the report cites the document and names what was missing.
async fn check_keyword_report(app: &App, missing: &str) {
    let request = ResearchRequest { question: "Who ploughed the fields?".to_owned(), ..ResearchRequest::default() };
    let chosen = app.model().unwrap();
    let report = app.research(&request, &chosen, Arc::new(NullSink), CancellationToken::new()).await.unwrap();
    assert!(!report.citations.is_empty(), "{}", report.markdown);
    let told: Vec<&String> = report.warnings.iter().filter(|warning| warning.contains("by keywords alone")).collect();
    assert_eq!(told.len(), 1, "{:?}", report.warnings);
    assert!(told[0].contains(missing), "{told:?}");
    assert!(report.markdown.contains("by keywords alone"));
}

#[tokio::test]
async fn a_report_is_written_without_the_endpoint_that_made_the_vectors() {
    let (folder, server) = loaded().await;
    check_keyword_report(&app(folder.path(), &server.url()), "599").await;
    assert_eq!(server.seen().len(), 3, "a run asks an endpoint that is down once");
}

#[tokio::test]
async fn a_report_is_written_without_the_key_that_the_embedder_needs() {
    let (folder, server) = loaded().await;
    std::fs::remove_file(folder.path().join("key")).unwrap();
    check_keyword_report(&app(folder.path(), &server.url()), "key").await;
}
