//! Tests that arguments that make no sense end with 2, before anything is read or paid for.

use crate::harness::TestDir;

#[test]
fn wrong_arguments_end_with_2() {
    let dir = TestDir::new();
    let check = |arguments: &[&str], told: &str| {
        dir.run(arguments).ends_with(2).stdout_is("").stderr_has(told);
    };
    check(&[], "Usage:");
    check(&["qurey", "x"], "similar");
    check(&["load"], "nothing was loaded yet");
    check(&["query"], "QUESTION");
    check(&["query", "x", "--max-time", "5 parsecs"], "unit of time");
    check(&["query", "x", "--max-rounds", "many"], "--max-rounds");
    check(&["query", "x", "--max-rounds=-1"], "--max-rounds");
    check(&["query", "x", "--max-usd", "much"], "--max-usd");
    check(&["query", "x", "--max-usd=-1"], "--max-usd");
    check(&["query", "x", "--max-usd", "NaN"], "--max-usd");
    check(&["query", "x", "--set", "agent.react.max_time_s=-1"], "agent.react.max_time_s");
    check(&["search", "x", "--mode", "psychic"], "possible values");
    check(&["search", "x", "-k", "0"], "search.k");
    check(&["load", "x", "--collection", "a", "--collection-per-dir"], "cannot be used with");
    check(&["-q", "-v", "collections"], "cannot be used with");
    check(&["--set", "nonsense", "collections"], "KEY=VALUE");
    check(&["--set", "llm.modle=x", "collections"], "did you mean `llm.model`?");
    check(&["read", "a.md", "--neighbours", "1"], "a.md#3");
    check(&["read", "#3"], "a path or an id");
    check(&["query", "What?", "-o", "absent/report.md"], "there is no folder absent");
    check(&["query", "What?", "-o", "."], "it is a folder");
    // The expected form is described in words, not in those of the parser.
    check(&["runs", "rm", "--before", "yesterday"], "expected a date such as 2023-10-28");
    check(&["memory", "forget", "x"], "expected a whole number");
    check(&["query", "x", "--max-calls", "1.5"], "expected a whole number");
    check(&["query", "x", "--as-of", "20"], "a month as in 2019-07, or a year");
    check(&["serve", "--runs", "0"], "expected a whole number from 1 to 100");
    assert!(!dir.data().exists());
}

#[test]
fn a_question_has_words() {
    let dir = TestDir::new();
    for question in ["", "   ", "?!"] {
        dir.run(&["query", question]).ends_with(2).stdout_is("").stderr_has("the question is empty");
        dir.run(&["search", question]).ends_with(2).stdout_is("").stderr_has("the query is empty");
    }
    dir.run(&["query", "-"]).stdin("\n").ends_with(2).stderr_has("the question is empty");
    dir.run(&["query", "-"]).stdin(vec![0xff, 0xfe]).ends_with(2).stderr_has("not valid UTF-8");
}

#[test]
fn a_question_of_a_megabyte_is_refused_at_once() {
    let dir = TestDir::new();
    let run = dir.run(&["query", "-"]).stdin(vec![b'x'; 1 << 20]);
    run.ends_with(2).stdout_is("").stderr_has("longer than 32 KiB").stderr_has("load the long text");
    // A long question is not cut and asked, and a cut within a character is not reported as bad UTF-8.
    for text in [format!("\n{}", "x".repeat(40_000)), format!("x{}", "長".repeat(20_000))] {
        dir.run(&["query", "-"]).stdin(text).ends_with(2).stdout_is("").stderr_has("longer than 32 KiB");
    }
    let argument = "y".repeat(100_000);
    dir.run(&["query", &argument]).ends_with(2).stderr_has("longer than 32 KiB");
    dir.run(&["search", &argument]).ends_with(2).stderr_has("longer than 32 KiB");
}
