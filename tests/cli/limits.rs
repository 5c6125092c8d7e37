//! Tests limits and the dry run from a user's point of view.

use serde_json::Value;

use crate::harness::{QUESTION, Run, TestDir};

const PLAN: &str = "[[reply]]\npurpose = \"plan\"\njson = { reason = \"Two sides.\", sub_queries = [{ query = \"Who drew the \
                    show?\", collections = [\"history\"] }, { query = \"Who watched it?\", collections = [] }] }\nusage = { \
                    prompt_tokens = 1000, completion_tokens = 100, usd = 0.02 }\n";
const MORE: &str = "[[reply]]\npurpose = \"reflect\"\njson = { reason = \"More.\", helpful = [1], enough = false, sub_queries \
                    = [{ query = \"What did the film earn?\", collections = [] }] }\n";
const REPORT: &str = "[[reply]]\npurpose = \"write\"\ntext = \"Film Roman drew the show [1].\"\n";

/// A question to a scripted model; the returned folder keeps the script.
fn scripted(script: &[&str], arguments: &[&str]) -> (Run, TestDir) {
    let own = TestDir::new();
    let path = own.write("script.toml", script.concat());
    let set = format!("llm.mock.script={}", path.display());
    let fixed = ["query", QUESTION, "--set", "llm.provider=mock", "--set", set.as_str()];
    (TestDir::simpsons().run(&[&fixed, arguments].concat()), own)
}

fn check(script: &[&str], arguments: &[&str], code: i32, stopped: &str, calls: u64) -> Value {
    let (run, _script) = scripted(script, &[arguments, &["--json"]].concat());
    let report = run.ends_with(code).json();
    assert_eq!((&report["stopped"], &report["usage"]["calls"]), (&stopped.into(), &calls.into()), "{report}");
    report
}

#[test]
fn a_run_that_reaches_a_limit_ends_with_3_and_a_report() {
    let report = check(&[PLAN, MORE, REPORT], &["--max-rounds", "1"], 3, "round-limit", 3);
    assert_eq!(report["skipped"][0]["text"], "What did the film earn?");
    check(&[REPORT], &["--max-calls", "1"], 3, "budget", 1);
    check(&[PLAN, REPORT], &["--max-calls", "2"], 3, "budget", 2);
    check(&[REPORT], &["--max-tokens", "4000"], 3, "budget", 1);
    // The plan has cost two cents, and the next call is expected to cost the same per token.
    check(
        &[PLAN, REPORT],
        &["--max-usd", "0.03", "--set", "prices.mock.input=0", "--set", "prices.mock.output=25"],
        3,
        "budget",
        2,
    );
    let (run, _script) = scripted(&[PLAN, MORE, REPORT], &["--max-rounds", "1"]);
    let run = run.ends_with(3).stdout_has("**Not searched any more**").stdout_has("What did the film earn?");
    run.stderr_has("not searched any more:\n  · What did the film earn?");
}

#[test]
fn a_report_that_the_model_did_not_write_lists_the_evidence_and_ends_with_3() {
    let enough = MORE.replace("enough = false", "enough = true");
    let down = "[[reply]]\npurpose = \"write\"\nerror = { kind = \"unavailable\", message = \"out of order\" }\n";
    let (run, _script) = scripted(&[PLAN, &enough, down], &[]);
    run.ends_with(3).stdout_has("# What the documents say\n\n- “").stderr_has("out of order");
    check(&[PLAN, &enough, down], &[], 3, "model-failed", 3);
}

#[test]
fn a_run_ends_in_time_whatever_the_model_does() {
    let slow = PLAN.replace("json =", "delay_ms = 600000\njson =");
    let (run, _script) = scripted(&[&slow, REPORT], &["--max-time", "1s"]);
    run.ends_with(3).stdout_has("## How this was researched").stdout_has("**Not searched any more**");
    let slow = REPORT.replace("text =", "delay_ms = 600000\ntext =");
    let (run, _script) = scripted(&[PLAN, MORE, &slow], &["--max-time", "2s", "--max-rounds", "1"]);
    run.ends_with(3).stdout_has("# What the documents say").stderr_has("the time was over");
}

#[test]
fn a_limit_of_0_is_none_and_a_flag_goes_before_every_setting() {
    let rounds = [PLAN, MORE, REPORT];
    let own = ["--set", "agent.deep.max_rounds=1"];
    check(&rounds, &own, 3, "round-limit", 3);
    // The second round only repeats what was asked before.
    let again = [PLAN, MORE, MORE, REPORT];
    check(&again, &[&own[..], &["--max-rounds", "0"]].concat(), 0, "no-new-evidence", 4);
    check(&again, &["--set", "agent.max_rounds=0"], 0, "no-new-evidence", 4);
    check(&[REPORT], &["--set", "agent.deep.max_calls=9", "--max-calls", "1"], 3, "budget", 1);
}

#[test]
fn a_limit_on_money_needs_prices() {
    let own = TestDir::new();
    own.write("work/docs/a.md", "Quinces are fruit.\n");
    let ask = |arguments: &[&str]| {
        let fixed = ["query", "What?", "--load", "docs", "--set", "llm.provider=openai", "--set", "llm.model=gpt-x"];
        own.run(&[&fixed, arguments].concat()).env("OPENAI_API_KEY", "no-key")
    };
    let run = ask(&["--max-usd", "0.01"]).ends_with(2).stdout_is("");
    run.stderr_has("needs the price of the model `gpt-x`").stderr_has("--set 'prices.\"gpt-x\".input=0.40'");
    ask(&["--set", "agent.deep.max_usd=0.01"]).ends_with(2).stderr_has("gpt-x");
    assert!(!own.data().exists(), "nothing was loaded before the error");
    // The offline backend costs nothing.
    TestDir::simpsons().run(&["query", QUESTION, "--max-usd", "0.01"]).ends_with(0);
}

#[test]
fn a_dry_run_plans_estimates_and_stops() {
    let (run, _script) = scripted(&[PLAN], &["--dry-run"]);
    let run = run.ends_with(0).stdout_has("plan: Two sides.\n  · Who drew the show?  [history]\n");
    let run = run.stdout_has("  · Who watched it?  [all collections]\nestimate");
    run.stdout_has("  calls                3           6\n").stderr_has("bill of the plan: 1 call, 1,000 tokens in");

    let (run, _script) = scripted(&[PLAN], &["--dry-run", "--json", "--max-rounds", "2"]);
    let preview = run.ends_with(0).json();
    assert_eq!((&preview["least"]["calls"], &preview["most"]["calls"]), (&3.into(), &4.into()));
    assert_eq!(preview["usage"]["calls"], 1);
    let tokens = |which: &str, kind: &str| preview[which][kind].as_u64().unwrap();
    assert!(tokens("least", "prompt_tokens") > 2_000, "{preview}");
    assert!(tokens("least", "prompt_tokens") < tokens("most", "prompt_tokens"), "{preview}");
    assert!(tokens("least", "completion_tokens") < tokens("most", "completion_tokens"), "{preview}");

    let (run, _script) = scripted(&[PLAN], &["--dry-run", "--max-calls", "4", "--json"]);
    let preview = run.ends_with(0).json();
    assert_eq!((&preview["most"]["calls"], &preview["may_reach"]), (&4.into(), &"calls".into()));
    // The plan's 1,000 prompt and 100 completion tokens were billed at two cents; the rest is estimated by the price.
    let price = ["--set", "prices.mock.input=1", "--set", "prices.mock.output=10"];
    let (run, _script) = scripted(&[PLAN], &[&["--dry-run", "--json"], &price[..]].concat());
    let preview = run.ends_with(0).json();
    let least = |kind: &str| preview["least"][kind].as_f64().unwrap();
    let usd = 0.02 + (least("prompt_tokens") - 1_000.0 + 10.0 * (least("completion_tokens") - 100.0)) / 1e6;
    assert!((least("usd") - usd).abs() < 1e-9, "{usd}: {preview}");
    let (run, _script) = scripted(&[PLAN], &[&["--dry-run"], &price[..]].concat());
    run.ends_with(0).stdout_has("  US dollars");
    let (run, _script) = scripted(&[PLAN], &["--dry-run", "--max-rounds", "0"]);
    run.ends_with(0).stdout_has("no limit");
}

#[test]
fn a_dry_run_offline_costs_nothing_and_goes_to_a_file() {
    let own = TestDir::new();
    let file = own.path("preview.txt");
    let run = TestDir::simpsons().run(&["query", QUESTION, "--dry-run", "-o", file.to_str().unwrap()]);
    run.ends_with(0).stdout_is("");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.starts_with("plan") && text.contains("no model is asked") && !text.contains("calls"), "{text}");
    own.run(&["query", QUESTION, "--dry-run"]).ends_with(4).stdout_is("");
}
