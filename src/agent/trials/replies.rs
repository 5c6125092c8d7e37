//! Replies that no model should give: prose, half JSON, wrong types, nothing, far too much, other languages, cut streams,
//! tool calls that nobody asked for, refusals.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::setting::{Dice, QUESTION, ReportAndBill, Setting, topic};
use crate::agent::{AgentOptions, Limits, research};
use crate::base::Clock;
use crate::domain::{Report, Strategy, Usage};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, LlmError, Purpose, ToolCall};

/// The environment variable that sets how many replies are generated; by default it is a few.
const COUNT_VARIABLE: &str = "DEEPSEARCH_TEST_REPLIES";
const FEW: usize = 200;
const DOCUMENTS: usize = 40;
/// A run that takes this long hangs: no run needs a hundredth of it.
const HANGS: Duration = Duration::from_secs(120);

/// Draws replies from the dice, and adds up the usage.
struct Generated {
    dice: Mutex<Dice>,
    billed: Mutex<Usage>,
    replies: Mutex<usize>,
    /// Whether any call was answered.
    answered: Mutex<bool>,
}

const PROSE: [&str; 8] = [
    "I'm sorry, but as a language model I cannot do that.",
    "Sure! Here is the plan you asked for: first we search, then we read.",
    "Die Häfen wuchsen mit dem Salz. Mehr weiß ich nicht.",
    "港は塩の貿易とともに成長した。詳細は不明である。",
    "لا أعرف كيف تغيرت تجارة الملح.",
    "🧂🚢 \u{202e}tlas\u{202c} \u{0}\u{7}\u{1b}[31m red \u{feff} e\u{301}",
    "<tool_call>{\"name\": \"keyword_search\", \"arguments\": {\"query\": }}</tool_call>",
    "null",
];

const BROKEN: [&str; 14] = [
    "",
    " \n\n\t",
    "{",
    "[]",
    "{}",
    "{\"reason\": \"",
    "```json\n{\"reason\": \"x\", \"sub_queries\": [",
    "{\"reason\": 7, \"sub_queries\": \"none\"}",
    "{\"reason\": null, \"sub_queries\": [{\"query\": [\"a\"], \"collections\": null}]}",
    "{\"reason\": \"x\", \"helpful\": [-1, 1e30, \"two\"], \"enough\": \"yes\", \"sub_queries\": []}",
    "{\"reason\": \"x\", \"sub_queries\": [{\"query\": \"a\"}], \"extra\": {\"deep\": {}}}",
    "{'reason': 'single quotes', 'sub_queries': []}",
    "{\"reason\": \"x\",, \"sub_queries\": [],}",
    "{\"error\": {\"message\": \"overloaded\", \"code\": 529}}",
];

fn query(dice: &mut Dice) -> String {
    let number = dice.below(2 * DOCUMENTS as u64) as usize;
    let wild = ["", "   ", "?!", "\u{0}", "AND OR NOT \"", "塩の貿易", &"salt ".repeat(5_000)];
    match dice.below(8) {
        0 => (*dice.pick(&wild)).to_owned(),
        1 => QUESTION.to_owned(),
        _ => format!("What happened to {} and the harbour?", topic(number)),
    }
}

/// A reply of valid form; the numbers and names in it may be nonsense.
fn well_formed(purpose: Purpose, dice: &mut Dice) -> String {
    let many = if dice.one_in(30) { 3_000 } else { dice.below(8) };
    let queries: Vec<serde_json::Value> = (0..many)
        .map(|_| {
            let names = ["harbour", "salt", "HARBOUR ", "nowhere", ""];
            let collections: Vec<&str> = (0..dice.below(3)).map(|_| *dice.pick(&names)).collect();
            serde_json::json!({"query": query(dice), "collections": collections})
        })
        .collect();
    let reason = if dice.one_in(20) { "why ".repeat(20_000) } else { "So it is.".to_owned() };
    let value = match purpose {
        Purpose::Plan => serde_json::json!({"reason": reason, "sub_queries": queries}),
        Purpose::Act => {
            let calls: Vec<serde_json::Value> = (0..dice.below(12))
                .map(|_| {
                    let (name, arguments) = tool_call(dice);
                    let arguments: serde_json::Value = serde_json::from_str(&arguments).unwrap_or_default();
                    serde_json::json!({"tool": name, "arguments": arguments})
                })
                .collect();
            serde_json::json!({"thought": reason, "calls": calls})
        }
        Purpose::Follow => {
            let next = queries.into_iter().next();
            let next = next.unwrap_or_else(|| serde_json::json!({"query": "", "collections": []}));
            let helpful: Vec<u64> = (0..dice.below(5)).map(|_| dice.below(60)).collect();
            serde_json::json!({"answer": reason, "helpful": helpful, "done": dice.one_in(4), "next": next})
        }
        Purpose::Outline => {
            let section = |number: u64| {
                serde_json::json!({"heading": format!("Part {number}"), "question": query(dice),
                "evidence": [number, 2 * number]})
            };
            let sections: Vec<serde_json::Value> = (0..many.min(20)).map(section).collect();
            serde_json::json!({"sections": sections})
        }
        Purpose::Choose => {
            let strategy = dice.pick(&["deep", "react", "chain", "naive", "auto", ""]);
            serde_json::json!({"reason": reason, "strategy": strategy})
        }
        _ => {
            let helpful: Vec<u64> = (0..dice.below(5)).map(|_| dice.below(60)).collect();
            let enough = dice.one_in(4);
            serde_json::json!({"reason": reason, "helpful": helpful, "enough": enough, "sub_queries": queries})
        }
    };
    match dice.below(4) {
        0 => format!("Here it is:\n```json\n{value}\n```\nI hope {{this}} helps."),
        1 => format!("{{\"draft\": true}} {value}"),
        _ => value.to_string(),
    }
}

/// A tool and its arguments, many of them nonsense.
fn tool_call(dice: &mut Dice) -> (&'static str, String) {
    let name = *dice.pick(&["keyword_search", "semantic_search", "chunk_read", "chunk_read", "finish", "", "rm -rf"]);
    let arguments = match dice.below(9) {
        0 => String::new(),
        1 => "{".to_owned(),
        2 => "{\"query\": 7, \"k\": -3}".to_owned(),
        3 => "[1]".to_owned(),
        4 => "{\"chunk_id\": \"d1#999999999999\"}".to_owned(),
        5 => "{\"plan\": \"It grew [1].\"}".to_owned(),
        6 => serde_json::json!({"query": query(dice), "k": dice.below(40)}).to_string(),
        _ => {
            let document = format!("d{}", dice.below(2 * DOCUMENTS as u64));
            serde_json::json!({"doc_id": document, "chunk_id": dice.below(2), "neighbours": dice.below(4)}).to_string()
        }
    };
    (name, arguments)
}

fn structured(purpose: Purpose, dice: &mut Dice) -> String {
    match dice.below(10) {
        0 => (*dice.pick(&PROSE)).to_owned(),
        1 | 2 => (*dice.pick(&BROKEN)).to_owned(),
        3 => match dice.below(4) {
            0 => "{\"a\":".repeat(30_000),
            1 => "[".repeat(100_000),
            2 => format!("{{\"reason\": \"{}\"}}", "x".repeat(500_000)),
            _ => "word ".repeat(100_000),
        },
        4 => {
            // Cut anywhere, even within an escape sequence.
            let whole = well_formed(purpose, dice);
            let end = dice.below(whole.len() as u64 + 1) as usize;
            whole[..whole.floor_char_boundary(end)].to_owned()
        }
        _ => well_formed(purpose, dice),
    }
}

fn report(dice: &mut Dice) -> String {
    let parts = [
        "# The harbour\n\n",
        "The harbour grew in 1802 [1]. ",
        "Salt made 1,500 crowns in 1810 [2][3]. ",
        "It is so [0][99999999999999999999999][-1][ 4 ][1, 2][1-3][a]. ",
        "“It never said this” [1]. ",
        "```\ncode [1]\n",
        "| a | b |\n|---|---|\n| 1 [1] | 2 |\n",
        "<script>alert(1)</script> [2] ",
        "[1]: http://example.org \"x\"\n[link](http://example.org) ![i](j) ",
        "\n\n- one [1]\n  - two [2]\n",
        "港は1802年に成長した【1】[1]。塩は[2]。",
        "**[1]** _[2]_ \\[3\\] `[4]` ",
        "\u{0}\u{1b}[31m\u{202e} ",
        "## Sources\n\n1. mine\n",
        "[[[[[[1]]]]]] ]][[ [",
        "\r\n\r\n",
    ];
    let some = |dice: &mut Dice| -> String { (0..dice.below(40)).map(|_| *dice.pick(&parts)).collect() };
    match dice.below(20) {
        0 => String::new(),
        1 => "\n \n".to_owned(),
        2 | 3 => (*dice.pick(&PROSE)).to_owned(),
        4 => "The harbour grew in 1802 [1]. ".repeat(3_000),
        5 => "[1]".repeat(5_000),
        6 => serde_json::json!({"report": some(dice)}).to_string(),
        7 => (*dice.pick(&BROKEN)).to_owned(),
        8 => (*dice.pick(&["# ", "I", "**", "[", "港"])).to_owned(),
        9 => format!("```markdown\n{}\n```\n", some(dice)),
        10 => format!("Here is your report:\n\n~~~\n{}", some(dice)),
        11 => "The harbour grew in 1802 and the salt trade with it. ".repeat(2_000),
        _ => some(dice),
    }
}

#[async_trait]
impl ChatModel for Generated {
    fn name(&self, _: Purpose) -> &str {
        "generated"
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        *self.replies.lock().unwrap() += 1;
        let outcome = self.outcome(request, sink);
        *self.answered.lock().unwrap() |= outcome.is_ok();
        *self.billed.lock().unwrap() += match &outcome {
            Ok(reply) => reply.usage,
            Err(error) => error.usage(),
        };
        outcome
    }
}

impl Generated {
    fn outcome(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let mut dice = self.dice.lock().unwrap();
        let text = match request.purpose() {
            Purpose::Write => report(&mut dice),
            purpose => structured(purpose, &mut dice),
        };
        let (model, url, reason) = ("generated".to_owned(), "http://x".to_owned(), "so it is".to_owned());
        let calls = (1 + dice.below(3)).min(request.max_requests.unwrap_or(u64::MAX));
        let usage = Usage {
            calls,
            prompt_tokens: dice.below(20_000),
            completion_tokens: dice.below(5_000),
            usd: Some(0.0),
            ..Usage::default()
        };
        let failure = dice.below(30);
        // A key that is refused from the start ends a run; one that is withdrawn later does not.
        if failure == 5 && *self.answered.lock().unwrap() && dice.one_in(2) {
            return Err(LlmError::Key { provider: model, key_source: "X_KEY".to_owned(), reason });
        }
        match failure {
            0 => return Err(LlmError::ContextOverflow { model, reason }),
            1 => return Err(LlmError::Refused { url, model, status: 400, reason }),
            2 => {
                return Err(LlmError::Unavailable {
                    url,
                    model,
                    attempts: 6,
                    reason,
                    usage: Usage::free(calls).into(),
                });
            }
            3 => return Err(LlmError::Unusable { model, purpose: "x", reason, usage }),
            6 if dice.one_in(2) => {
                return Err(LlmError::Unreachable { url, model, attempts: calls as u32, reason, usage: usage.into() });
            }
            _ => {}
        }
        let reasoning = if dice.one_in(4) { "Let me see. ".repeat(dice.below(50) as usize) } else { String::new() };
        sink(Delta::Reasoning(&reasoning));
        if dice.one_in(10) {
            sink(Delta::Restart);
        }
        let step = 1 + dice.below(2_000) as usize;
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(step));
            sink(Delta::Text(piece));
            rest = after;
        }
        if failure == 4 {
            return Err(LlmError::Unavailable { url, model, attempts: 1, reason, usage: usage.into() });
        }
        let often = if request.purpose() == Purpose::Act { 2 } else { 10 };
        let many = if dice.one_in(often) { 1 + dice.below(12) } else { 0 };
        let tool_calls = (0..many).map(|number| {
            let (name, arguments) = tool_call(&mut dice);
            ToolCall { id: format!("call{}", number / 2), name: name.to_owned(), arguments }
        });
        let tool_calls = tool_calls.collect();
        let finish =
            *dice.pick(&[Finish::Stop, Finish::Stop, Finish::Length, Finish::ContentFilter, Finish::ToolCalls]);
        Ok(ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed: Duration::ZERO })
    }
}

/// The run options that are tried with each seed.
fn variants() -> Vec<AgentOptions> {
    let both = |strategy| {
        let usual = AgentOptions { strategy, ..AgentOptions::default() };
        let small = AgentOptions { evidence_tokens: 200, max_sub_queries: 2, hits_per_query: 3, ..usual.clone() };
        let long = AgentOptions { length: Some(2_500), ..usual.clone() };
        [usual, small, long]
    };
    Strategy::ALL.into_iter().flat_map(both).collect()
}

fn check_report(report: &Report, heard: &ReportAndBill, billed: Usage, limits: Limits, seed: u64) {
    assert!(limits.max_calls.is_none_or(|most| billed.calls <= most), "seed {seed}: {billed:?} of {limits:?}");
    assert_eq!(heard.text(), report.markdown, "seed {seed}");
    assert!(!report.markdown.trim().is_empty(), "seed {seed}");
    assert_eq!((report.usage, heard.bill()), (billed, billed), "seed {seed}: what was said to be spent is charged");
    let longest = report.rounds.iter().map(|round| round.reason.len()).max();
    assert!(longest <= Some(4_100) && report.warnings.len() < 100, "seed {seed}");
    for (citation, number) in report.citations.iter().zip(1..) {
        assert_eq!(citation.number, number, "seed {seed}");
        assert!(!citation.quote.is_empty(), "seed {seed}");
    }
}

#[tokio::test]
async fn whatever_a_model_says_a_run_ends_in_a_report() {
    let wanted = std::env::var(COUNT_VARIABLE).ok().and_then(|count| count.parse().ok()).unwrap_or(FEW);
    let setting = Setting::new(DOCUMENTS, 20).await;
    let (mut replies, mut runs, mut reports) = (0, 0, 0);
    let mut without_sources = Vec::new();
    let mut seed = 0;
    while replies < wanted {
        for options in variants() {
            seed += 1;
            let mut dice = Dice::new(seed);
            // Without a limit on rounds the run ends when nothing new is found.
            let limits = match dice.below(4) {
                0 => Limits::NONE,
                1 => Limits { max_calls: Some(1 + dice.below(8)), ..Limits::default() },
                _ => Limits::default(),
            };
            let model = Arc::new(Generated {
                dice: Mutex::new(dice),
                billed: Mutex::default(),
                replies: Mutex::default(),
                answered: Mutex::default(),
            });
            let engine = setting.engine(Arc::clone(&model) as Arc<dyn ChatModel>, limits, Clock::System, options);
            let heard = Arc::new(ReportAndBill::default());
            let sink = Arc::clone(&heard);
            let run = async move { research(&engine, QUESTION, &[], sink, CancellationToken::new()).await };
            // A task of its own, so that a panic names the seed.
            let outcome = tokio::time::timeout(HANGS, tokio::spawn(run)).await;
            let outcome = outcome.unwrap_or_else(|_| panic!("seed {seed} hangs"));
            let outcome = outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            runs += 1;
            replies += *model.replies.lock().unwrap();
            match outcome {
                Ok(report) => {
                    reports += 1;
                    check_report(&report, &heard, *model.billed.lock().unwrap(), limits, seed);
                    if report.citations.is_empty() {
                        without_sources.push(seed);
                    }
                }
                Err(other) => panic!("seed {seed}: {other}"),
            }
        }
    }
    // Shown with `--nocapture`: the result of the long form of the test.
    eprintln!("{replies} replies, {runs} runs, {reports} reports, {} without sources", without_sources.len());
    assert!(without_sources.len() * 100 <= runs, "{} of {runs}, as {without_sources:?}", without_sources.len());
}
