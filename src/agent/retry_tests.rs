//! An endpoint that refuses gets no more requests than the limit on calls, however often its client would retry.

use serde_json::json;

use super::*;
use crate::llm::openai::{OpenAiModel, OpenAiOptions};
use crate::llm::presets::Preset;
use crate::net::testing::{Reply, Server};
use crate::net::{Retry, Secret};

/// A run against an endpoint that is busy and broken in turns.
async fn check(max_calls: u64, strategy: Strategy) {
    let refusal = |nth: usize| {
        let status = if nth.is_multiple_of(2) { 429 } else { 500 };
        Reply::json(status, &json!({"error": {"message": "busy"}}))
    };
    let server = Server::start((0..20).map(refusal).collect());
    let options = OpenAiOptions {
        base_url: Some(server.url()),
        key: Some(Secret::new("sk-test")),
        model: "m".to_owned(),
        retry: Retry { attempts: 4, base: Duration::from_millis(1), ..Retry::default() },
        ..OpenAiOptions::new(Preset::find("openai").expect("a preset"))
    };
    let model: Arc<dyn ChatModel> = Arc::new(OpenAiModel::new(options).expect("a client"));
    let folder = tempfile::tempdir().expect("a folder");
    let store = filled_store(&folder).await;
    let limits = Limits { max_calls: Some(max_calls), ..Limits::default() };
    let (report, _) = run_with(&Given { limits, strategy, ..Given::default() }, model, &store).await;
    let report = report.expect("a report that lists the evidence");
    let sent = server.seen().len() as u64;
    assert!(sent <= max_calls, "{sent} requests of {max_calls} with {strategy:?}");
    assert_eq!(sent, report.usage.calls, "what was sent is charged");
    assert!(report.markdown.contains("The ratings of the show fell"), "{}", report.markdown);
}

#[tokio::test]
async fn retries_keep_to_the_limit_on_calls() {
    for max_calls in 1..=8 {
        check(max_calls, Strategy::Deep).await;
    }
    for strategy in [Strategy::React, Strategy::Chain, Strategy::Naive] {
        check(3, strategy).await;
    }
}
