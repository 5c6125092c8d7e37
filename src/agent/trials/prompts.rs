//! Prompts keep their length, however long a run is.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::setting::{QUESTION, ReportAndBill, Setting, topic};
use crate::agent::{AgentOptions, Limits, research};
use crate::base::Clock;
use crate::domain::Usage;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose};

const EVIDENCE_TOKENS: u64 = 12_000;
/// Tokens for the instructions, the queries asked and the collections.
const OVERHEAD: u64 = 3_000;
const ROUNDS: usize = 8;
const QUERIES: usize = 6;

/// Asks six new long questions each round, and never has enough.
#[derive(Default)]
struct Curious {
    asked: Mutex<usize>,
    requests: Mutex<Vec<ChatRequest>>,
}

#[async_trait]
impl ChatModel for Curious {
    fn name(&self, _: Purpose) -> &str {
        "curious"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        self.requests.lock().unwrap().push(request.clone());
        let mut asked = self.asked.lock().unwrap();
        let queries: Vec<serde_json::Value> = (0..QUERIES)
            .map(|_| {
                let about: Vec<String> = (0..5).map(|number| topic(*asked * 5 + number)).collect();
                *asked += 1;
                let query = format!("{} {}", about.join(" and "), "as it was told in those years ".repeat(30));
                serde_json::json!({"query": query, "collections": []})
            })
            .collect();
        let text = match request.purpose() {
            Purpose::Write => "It grew [1].".to_owned(),
            Purpose::Plan => serde_json::json!({"reason": "r", "sub_queries": queries}).to_string(),
            _ => serde_json::json!({"reason": "r", "helpful": [], "enough": false, "sub_queries": queries}).to_string(),
        };
        sink(Delta::Text(&text));
        let (reasoning, tool_calls, elapsed) = (String::new(), Vec::new(), Duration::ZERO);
        let usage = Usage::free(1);
        Ok(ChatReply { text, reasoning, tool_calls, finish: Finish::Stop, usage, model: "curious".to_owned(), elapsed })
    }
}

#[tokio::test]
async fn no_prompt_grows_with_the_rounds() {
    let setting = Setting::new(5 * QUERIES * ROUNDS, 150).await;
    let model = Arc::new(Curious::default());
    let limits = Limits { max_rounds: Some(ROUNDS), ..Limits::NONE };
    let options = AgentOptions { evidence_tokens: EVIDENCE_TOKENS, ..AgentOptions::default() };
    let engine = setting.engine(Arc::clone(&model) as Arc<dyn ChatModel>, limits, Clock::System, options);
    let report =
        research(&engine, QUESTION, &[], Arc::new(ReportAndBill::default()), CancellationToken::new()).await.unwrap();
    assert_eq!((report.rounds.len(), report.skipped.len()), (ROUNDS, QUERIES));
    assert!(report.evidence > 200, "{}", report.evidence);
    let requests = model.requests.lock().unwrap();
    for (call, request) in requests.iter().enumerate() {
        let tokens = request.estimated_tokens();
        assert!(
            tokens <= EVIDENCE_TOKENS / 4 + OVERHEAD || request.purpose() == Purpose::Write,
            "call {call} has {tokens} tokens"
        );
    }
    let last = &requests[requests.len() - 2];
    let Input::Reflect(input) = &last.input else { panic!("the last call but one reflects") };
    assert_eq!(input.asked.len(), 1 + ROUNDS * QUERIES, "the typed input has all");
    // Most of the prompt after the first round stands unchanged at the beginning of the next prompt.
    let [before, after] = [1, 2].map(|call: usize| requests[call].messages[1].content.as_str());
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    assert!(same * 10 >= before.len() * 8, "{same} of {} bytes", before.len());
}

#[tokio::test]
async fn many_collections_do_not_fill_the_prompt() {
    let setting = Setting::new(30, 100).await;
    for number in 0..60 {
        setting.collection(&format!("collection-{number:02}"), &"On many things. ".repeat(20), number).await;
    }
    let model = Arc::new(Curious::default());
    let limits = Limits { max_rounds: Some(1), ..Limits::NONE };
    let evidence_tokens = 500;
    let options = AgentOptions { evidence_tokens, ..AgentOptions::default() };
    let engine = setting.engine(Arc::clone(&model) as Arc<dyn ChatModel>, limits, Clock::System, options);
    research(&engine, QUESTION, &[], Arc::new(ReportAndBill::default()), CancellationToken::new()).await.unwrap();
    for request in model.requests.lock().unwrap().iter() {
        let tokens = request.estimated_tokens();
        assert!(tokens <= evidence_tokens + OVERHEAD, "{}: {tokens} tokens", request.purpose().name());
        let shown = match &request.input {
            Input::Plan(input) => &input.collections,
            Input::Reflect(input) => &input.collections,
            _ => continue,
        };
        let bare = shown.iter().all(|card| card.description.is_empty());
        assert!((20..62).contains(&shown.len()) && bare, "{} of 62", shown.len());
    }
}
