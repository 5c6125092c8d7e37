//! Tests every strategy from the command line: offline, and with a scripted model that uses the tools.

use std::collections::BTreeSet;

use crate::harness::{QUESTION, TestDir};

#[test]
fn every_strategy_answers_offline() {
    let dir = TestDir::simpsons();
    for strategy in ["naive", "chain", "react", "deep"] {
        let run = dir.run(&["query", "Who ran seasons 5 and 6?", "--strategy", strategy, "--json"]).ends_with(0);
        let report = run.json();
        assert_eq!(report["strategy"], strategy);
        let markdown = report["markdown"].as_str().unwrap();
        assert!(markdown.contains("**David Mirkin** ran"), "{strategy}: {markdown}");
        assert!(markdown.contains(&format!("- **Strategy**: {strategy}\n")), "{strategy}: {markdown}");
        assert!(report["retrieved_tokens"].as_u64().unwrap() > 0, "{strategy}");
    }
}

#[test]
fn offline_the_strategy_is_chosen_by_rule() {
    let dir = TestDir::simpsons();
    let chosen = |question: &str, expected: &str| {
        let run = dir.run(&["query", question, "--strategy", "auto", "--json"]).ends_with(0);
        let run = run.stderr_has(&format!("strategy {expected}: By rule: "));
        assert_eq!(run.json()["strategy"], expected, "{question}");
    };
    chosen(QUESTION, "deep");
    chosen("Who voiced Apu?", "naive");
    chosen("Where was the creator of the show that Klasky Csupo drew born?", "chain");
}

#[test]
fn a_scripted_model_holds_the_tools() {
    let dir = TestDir::simpsons();
    let own = TestDir::new();
    let script = own.write(
        "script.toml",
        r#"
[[reply]]
purpose = "act"
text = "Both ways at once."
tool_calls = [
  { id = "a", name = "keyword_search", arguments = '{"query": "Azaria Apu voice", "k": 3}' },
  { id = "b", name = "semantic_search", arguments = '{"query": "Who spoke the part of Apu?", "k": 3}' },
]

[[reply]]
purpose = "act"
tool_calls = [{ id = "c", name = "chunk_read", arguments = '{"doc_id": "d1", "chunk_id": 0, "neighbours": 1}' }]

[[reply]]
purpose = "act"
json = { calls = [{ tool = "finish", arguments = { plan = "Hank Azaria [1]." } }] }

[[reply]]
purpose = "write"
text = "What was read says so [1].\n"
"#,
    );
    let set = format!("llm.mock.script={}", script.display());
    let arguments = ["--set", "llm.provider=mock", "--set", &set, "query", "Who voiced Apu?", "--strategy", "react"];
    let run = dir.run(&[&arguments[..], &["--json"]].concat()).ends_with(0);
    let run = run.stderr_has("step 1: keyword_search {\"query\": \"Azaria Apu voice\", \"k\": 3}: 3 passages, ");
    let run = run.stderr_has("step 1: semantic_search").stderr_has("step 2: chunk_read").stderr_has("step 3: finish");
    let report = run.json();
    assert_eq!((&report["stopped"], &report["usage"]["calls"]), (&"enough".into(), &4.into()));
    let cited: BTreeSet<u64> =
        report["citations"].as_array().unwrap().iter().map(|one| one["number"].as_u64().unwrap()).collect();
    assert_eq!(cited, BTreeSet::from([1]));
}

#[test]
fn a_misspelt_strategy_is_named_with_the_nearest() {
    let dir = TestDir::simpsons();
    dir.run(&["query", "What?", "--strategy", "chian"]).ends_with(2).stderr_has("--strategy").stderr_has("\"chain\"");
}

/// Only `deep` plans before it searches; the others are estimated by their rounds.
#[test]
fn a_dry_run_estimates_the_strategy_without_a_call() {
    let dir = TestDir::simpsons();
    let own = TestDir::new();
    let script = own.write("script.toml", "");
    let set = format!("llm.mock.script={}", script.display());
    let check = |strategy: &str, least: u64, most: u64| {
        let model = ["--set", "llm.provider=mock", "--set", &set];
        let query = ["query", "Who voiced Apu?", "--dry-run", "--json", "--strategy", strategy];
        let preview = dir.run(&[&model[..], &query].concat()).ends_with(0).json();
        let calls = |which: &str| preview[which]["calls"].as_u64().unwrap();
        assert_eq!((calls("least"), calls("most")), (least, most), "{strategy}: {preview}");
        assert_eq!((&preview["usage"]["calls"], &preview["strategy"]), (&0.into(), &strategy.into()));
    };
    check("naive", 1, 1);
    check("chain", 2, 9);
    check("react", 2, 21);
}
