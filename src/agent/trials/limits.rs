//! Random limits and models of random cost: a run ends in a report, and begins no call once a limit is reached.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::setting::{Dice, QUESTION, ReportAndBill, Setting, prices, topic};
use crate::agent::{AgentOptions, Limits, research};
use crate::base::Clock;
use crate::domain::{Price, Report, StopReason, Strategy, Usage};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, LlmError, Purpose};

const DOCUMENTS: usize = 40;
const CASES: u64 = 200;

/// The cost of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Costs {
    /// At most the estimate; the report keeps to the limit that it is given.
    AsEstimated,
    /// Anything.
    Anything,
}

/// Always wants more, and sometimes fails.
struct Spender {
    costs: Costs,
    price: Option<Price>,
    limits: Limits,
    state: Mutex<SpenderState>,
}

struct SpenderState {
    dice: Dice,
    spent: Usage,
    written: bool,
}

#[async_trait]
impl ChatModel for Spender {
    fn name(&self, _: Purpose) -> &str {
        "spender"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let mut state = self.state.lock().unwrap();
        let spent = state.spent;
        let tokens = spent.prompt_tokens + spent.completion_tokens;
        let within = self.limits.max_calls.is_none_or(|most| spent.calls < most)
            && self.limits.max_tokens.is_none_or(|most| tokens <= most)
            && self.limits.max_usd.is_none_or(|most| spent.usd.unwrap_or(0.0) <= most);
        assert!(within, "a call for {} after {spent:?} of {:?}", request.purpose().name(), self.limits);
        state.written |= request.purpose() == Purpose::Write;

        let usage = self.usage(request, &mut state.dice);
        let (model, url, reason) = ("spender".to_owned(), "http://x".to_owned(), "so it is".to_owned());
        let outcome = match state.dice.below(12) {
            0 => {
                // It was retried, with no more requests than allowed, and six at most.
                let calls = 1 + state.dice.below(request.max_requests.unwrap_or(6).min(6));
                let usage = Usage { calls, ..usage };
                Err(LlmError::Unavailable { url, model, attempts: calls as u32, reason, usage: usage.into() })
            }
            1 => Err(LlmError::Refused { url, model, status: 400, reason }),
            2 => Err(LlmError::ContextOverflow { model, reason }),
            mood => {
                let text = reply(request.purpose(), mood, &mut state.dice);
                let capped = request.max_tokens == Some(usage.completion_tokens);
                let finish = if capped { Finish::Length } else { Finish::Stop };
                sink(Delta::Text(&text));
                let (reasoning, tool_calls, elapsed) = (String::new(), Vec::new(), Duration::ZERO);
                Ok(ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed })
            }
        };
        state.spent += match &outcome {
            Ok(reply) => reply.usage,
            Err(error) => error.usage(),
        };
        outcome
    }
}

impl Spender {
    fn usage(&self, request: &ChatRequest, dice: &mut Dice) -> Usage {
        let most_out = if request.purpose() == Purpose::Write { 3_000 } else { 500 };
        let (prompt_tokens, completion_tokens) = match self.costs {
            Costs::AsEstimated => (request.estimated_tokens(), dice.below(most_out + 1)),
            Costs::Anything => (dice.below(20_000), dice.below(5_000)),
        };
        let completion_tokens = completion_tokens.min(request.max_tokens.unwrap_or(u64::MAX));
        let cached_tokens = dice.below(prompt_tokens + 1);
        let mut usage = Usage { calls: 1, prompt_tokens, cached_tokens, completion_tokens, ..Usage::default() };
        usage.usd = self.price.map(|price| price.of(&usage));
        usage
    }
}

fn reply(purpose: Purpose, mood: u64, dice: &mut Dice) -> String {
    let queries: Vec<serde_json::Value> = (0..3)
        .map(|_| topic(dice.below(DOCUMENTS as u64) as usize))
        .map(|topic| serde_json::json!({"query": format!("What was {topic}?"), "collections": []}))
        .collect();
    match purpose {
        Purpose::Write => "The harbour grew [1].\n".to_owned(),
        // Even after its mistake is shown to it, the model may repeat it.
        _ if mood == 3 => "no JSON".to_owned(),
        Purpose::Plan => serde_json::json!({"reason": "r", "sub_queries": queries}).to_string(),
        Purpose::Act => {
            let search = serde_json::json!({"tool": "keyword_search", "arguments": queries[0]});
            let read = serde_json::json!({"tool": "chunk_read", "arguments": {"doc_id": "d3", "chunk_id": 0}});
            let finish = serde_json::json!({"tool": "finish", "arguments": {"plan": "p"}});
            let calls = if dice.one_in(8) { vec![finish] } else { vec![search, read] };
            serde_json::json!({"thought": "t", "calls": calls}).to_string()
        }
        Purpose::Follow => {
            let done = dice.one_in(8);
            serde_json::json!({"answer": "a", "helpful": [1], "done": done, "next": queries[0]}).to_string()
        }
        Purpose::Choose => {
            let strategy = dice.pick(&["deep", "react", "chain", "naive"]);
            serde_json::json!({"reason": "r", "strategy": strategy}).to_string()
        }
        _ => {
            let enough = dice.one_in(8);
            serde_json::json!({"reason": "r", "helpful": [1], "enough": enough, "sub_queries": queries}).to_string()
        }
    }
}

fn some<T>(dice: &mut Dice, value: impl FnOnce(&mut Dice) -> T) -> Option<T> {
    if dice.one_in(2) { Some(value(dice)) } else { None }
}

fn random_limits(dice: &mut Dice) -> Limits {
    Limits {
        max_rounds: some(dice, |dice| dice.below(5) as usize),
        max_calls: some(dice, |dice| dice.below(9)),
        max_tokens: some(dice, |dice| {
            let most = *dice.pick(&[10, 2_000, 10_000, 60_000]);
            dice.below(most)
        }),
        max_time: None,
        max_usd: some(dice, |dice| dice.below(1_000) as f64 / *dice.pick(&[1e4, 1e5])),
    }
}

fn check(seed: u64, model: &Spender, report: &Report, heard: &ReportAndBill) {
    let state = model.state.lock().unwrap();
    let (limits, spent) = (model.limits, report.usage);
    let case = format!("seed {seed}: {:?} {limits:?} {spent:?}", model.costs);
    assert_eq!(heard.text(), report.markdown, "{case}");
    assert_eq!((spent, heard.bill()), (state.spent, state.spent), "{case}");
    assert!(limits.max_calls.is_none_or(|most| spent.calls <= most), "{case}");
    assert!(limits.max_rounds.is_none_or(|most| report.rounds.len() <= most.max(1)), "{case}");
    if model.costs == Costs::AsEstimated {
        let tokens = spent.prompt_tokens + spent.completion_tokens;
        assert!(limits.max_tokens.is_none_or(|most| tokens <= most), "{case}");
        assert!(limits.max_usd.is_none_or(|most| spent.usd.unwrap_or(0.0) <= most + 1e-9), "{case}");
    }
    let complete = matches!(report.stopped, StopReason::Enough | StopReason::OneSearch | StopReason::NoNewEvidence);
    assert!(state.written || !complete, "{case}: without a report of the model's own a limit was reached");
    assert!(report.skipped.is_empty() || !complete, "{case}");
    // Where the model was not asked for a report, the evidence is listed.
    assert!(state.written || !report.citations.is_empty(), "{case}: {}", report.markdown);
}

#[tokio::test]
async fn a_limit_of_any_kind_leaves_a_report_and_is_not_exceeded() {
    let setting = Setting::new(DOCUMENTS, 60).await;
    let mut reasons: Vec<StopReason> = Vec::new();
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let limits = random_limits(&mut dice);
        let price = some(&mut dice, |dice| Price {
            input: dice.below(500) as f64 / 100.0,
            cached_input: some(dice, |_| 0.01),
            output: dice.below(1_500) as f64 / 100.0,
        });
        let costs = *dice.pick(&[Costs::AsEstimated, Costs::Anything]);
        let options = AgentOptions {
            strategy: *dice.pick(&Strategy::ALL),
            evidence_tokens: 200 + dice.below(4_000),
            prices: price.map(prices).unwrap_or_default(),
            ..AgentOptions::default()
        };
        let state = Mutex::new(SpenderState { dice, spent: Usage::default(), written: false });
        let model = Arc::new(Spender { costs, price, limits, state });
        let engine = setting.engine(Arc::clone(&model) as Arc<dyn ChatModel>, limits, Clock::System, options);
        let heard = Arc::new(ReportAndBill::default());
        let sink = Arc::clone(&heard);
        let report = research(&engine, QUESTION, &[], sink, CancellationToken::new()).await;
        let report = report.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        check(seed, &model, &report, &heard);
        reasons.push(report.stopped);
    }
    for reason in [StopReason::Enough, StopReason::RoundLimit, StopReason::Budget, StopReason::ModelFailed] {
        assert!(reasons.contains(&reason), "{reason:?} never happened");
    }
}

/// Answers at once, except for one purpose: there it sends its text and never ends.
struct Hanging(Purpose);

#[async_trait]
impl ChatModel for Hanging {
    fn name(&self, _: Purpose) -> &str {
        "hanging"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let text = reply(request.purpose(), 11, &mut Dice::new(1));
        sink(Delta::Text(&text));
        if request.purpose() == self.0 {
            std::future::pending::<()>().await;
        }
        let (reasoning, tool_calls, elapsed) = (String::new(), Vec::new(), Duration::ZERO);
        let usage = Usage::free(1);
        Ok(ChatReply { text, reasoning, tool_calls, finish: Finish::Stop, usage, model: "hanging".to_owned(), elapsed })
    }
}

#[tokio::test]
async fn time_ends_any_call() {
    let setting = Setting::new(DOCUMENTS, 60).await;
    for purpose in [Purpose::Plan, Purpose::Reflect, Purpose::Write] {
        let limits = Limits { max_time: Some(Duration::from_millis(80)), ..Limits::NONE };
        let model = Arc::new(Hanging(purpose));
        let engine = setting.engine(model, limits, Clock::System, AgentOptions::default());
        let heard = Arc::new(ReportAndBill::default());
        let report = research(&engine, QUESTION, &[], heard, CancellationToken::new()).await.unwrap();
        assert_eq!(report.stopped, StopReason::Budget, "{}", purpose.name());
        assert!(!report.citations.is_empty(), "{}", report.markdown);
    }
}

#[tokio::test]
async fn a_report_that_the_time_cuts_keeps_what_came_and_lists_the_evidence() {
    let setting = Setting::new(DOCUMENTS, 60).await;
    // Long enough for a search on any machine; only the report hangs.
    let limits = Limits { max_time: Some(Duration::from_secs(3)), max_rounds: Some(1), ..Limits::NONE };
    let engine = setting.engine(Arc::new(Hanging(Purpose::Write)), limits, Clock::System, AgentOptions::default());
    let report =
        research(&engine, QUESTION, &[], Arc::new(ReportAndBill::default()), CancellationToken::new()).await.unwrap();
    let begins = "The harbour grew [1].\n\n\nThe report could not be finished. This is the evidence that was found:";
    assert!(report.markdown.starts_with(begins), "{}", report.markdown);
    assert_eq!((report.stopped, report.usage.estimated), (StopReason::Budget, true));
    assert!(report.warnings.iter().any(|warning| warning.ends_with("the time was over")), "{:?}", report.warnings);
}
