//! Tests a person at the terminal: asked what they mean before a run, and listened to while it goes on.

use crate::harness::{Run, TestDir, Typing};

const ASKED: &str = "What did we promise ACME?";

fn documents() -> TestDir {
    let dir = TestDir::new();
    let texts = [
        (
            "contracts/2021/acme",
            "ACME",
            "ACME is a customer of ours since 2019. We promise ACME delivery within a week.",
        ),
        ("contracts/2021/terms", "Terms", "Petra Lang of Bremen signs. We promise ACME a discount of ten percent."),
        ("wiki/acme/start", "Start", "ACME is the project that replaces the billing. We promise ACME a budget."),
    ];
    for (path, title, text) in texts {
        dir.write(&format!("work/docs/{path}.md"), format!("# {title}\n\n{text}\n"));
    }
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir
}

fn query(dir: &TestDir, more: &[&str]) -> Run {
    dir.run(&[&["query", ASKED, "-o", "report.md"], more].concat())
}

fn report(dir: &TestDir) -> String {
    std::fs::read_to_string(dir.path("work/report.md")).unwrap()
}

#[test]
fn a_pipe_is_asked_nothing() {
    let dir = documents();
    let told = query(&dir, &["-i"]).ends_with(0).stderr_has("nobody is there to be asked");
    assert!(!told.stderr.contains("Which ACME"), "{}", told.stderr);
    let report = report(&dir);
    assert!(report.contains("a week") && report.contains("a budget"), "{report}");
}

#[test]
fn what_was_not_meant_is_not_searched_and_the_run_is_replayed_so() {
    let dir = documents();
    let mut typing = Typing::start(query(&dir, &["-i"]));
    typing.after("Which ACME?", "");
    typing.after("a customer of ours since 2019 (docs/contracts/2021/acme.md)", "");
    typing.after("the project that replaces the billing (docs/wiki/acme/start.md)", "");
    typing.after("which> ", "3\n");
    typing.after("they are 1 to 2", "");
    typing.after("which> ", "1\n");
    typing.after("plan> ", "\n");
    typing.ends_with(0);
    let first = report(&dir);
    assert!(first.contains("a week") && !first.contains("budget"), "{first}");
    assert!(first.contains("“ACME” was taken for “a customer of ours since 2019”"), "{first}");
    dir.run(&["runs", "replay", "last", "-o", "again.md"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(dir.path("work/again.md")).unwrap(), first);
    dir.run(&["query", "--resume", "last", "-o", "again.md"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(dir.path("work/again.md")).unwrap(), first);

    // Enter selects everything; `q`, Ctrl-C and the end of the input stop without writing anything.
    let mut typing = Typing::start(query(&dir, &["-i"]));
    typing.after("which> ", "\n");
    typing.after("plan> ", "\n");
    typing.ends_with(0);
    assert!(report(&dir).contains("budget"), "{}", report(&dir));
    std::fs::remove_file(dir.path("work/report.md")).unwrap();
    let runs = dir.json(&["runs", "list"]).as_array().map(Vec::len);
    for keys in ["q\n", "\u{4}", "\u{3}"] {
        let mut typing = Typing::start(query(&dir, &["-i"]));
        typing.after("which> ", keys);
        typing.ends_with(130);
    }
    assert!(!dir.path("work/report.md").exists());
    assert_eq!(dir.json(&["runs", "list"]).as_array().map(Vec::len), runs, "no run was begun");
}

#[test]
fn enter_pauses_a_run_and_what_is_said_then_is_kept() {
    let dir = documents();
    // The first reflection takes longer than a keypress.
    let script = r#"
[[reply]]
purpose = "plan"
json = { reason = "r", sub_queries = [{ query = "delivery to ACME", collections = [] }] }

[[reply]]
purpose = "reflect"
delay_ms = 3000
json = { reason = "More.", helpful = [1], enough = false, sub_queries = [{ query = "budget of ACME", collections = [] }, { query = "signature for ACME", collections = [] }] }

[[reply]]
purpose = "reflect"
json = { reason = "r", helpful = [1], enough = true, sub_queries = [] }

[[reply]]
purpose = "write"
text = "Delivery within a week was promised [1].\n"
"#;
    let set = format!("llm.mock.script={}", dir.write("script.toml", script).display());
    let model = ["--set", "llm.provider=mock", "--set", &set];
    let all = [&model[..], &["query", ASKED, "-i", "-o", "report.md"]].concat();
    let mut typing = Typing::start(dir.run(&all));
    typing.after("which> ", "\n");
    typing.after("plan> ", "\n");
    typing.after("Enter pauses", "");
    typing.after("round 1: ", "\n");
    typing.after("pausing before the next searches", "");
    typing.after("signature for ACME", "");
    typing.after("next> ", "- 2\n");
    typing.after("next> ", "割引はいくらか\n");
    typing.after("1  割引はいくらか", "");
    typing.after("next> ", "\n");
    let shown = typing.ends_with(0);
    assert!(shown.contains("round 2: "), "{shown}");
    let first = report(&dir);
    assert!(first.contains("割引はいくらか") && first.contains("budget of ACME"), "{first}");
    assert!(!first.contains("signature for ACME"), "{first}");
    dir.run(&["runs", "show", "last"]).ends_with(0).stdout_has("steered      割引はいくらか; budget of ACME");
    dir.run(&["runs", "replay", "last", "-o", "again.md"]).ends_with(0);
    assert_eq!(std::fs::read_to_string(dir.path("work/again.md")).unwrap(), first);
}

#[test]
fn a_plan_that_somebody_leaves_is_not_paid_for_again() {
    let dir = documents();
    let script = r#"
[[reply]]
purpose = "plan"
json = { reason = "All of it.", sub_queries = [{ query = "delivery to ACME", collections = [] }] }

[[reply]]
purpose = "plan"
json = { reason = "One thing.", sub_queries = [{ query = "budget of ACME", collections = [] }] }

[[reply]]
purpose = "reflect"
json = { reason = "r", helpful = [1], enough = true, sub_queries = [] }

[[reply]]
purpose = "write"
text = "A budget was promised [1].\n"
"#;
    let set = format!("llm.mock.script={}", dir.write("script.toml", script).display());
    let model = ["--set", "llm.provider=mock", "--set", &set];
    let mut typing = Typing::start(dir.run(&[&model[..], &["query", ASKED, "-i", "-o", "report.md"]].concat()));
    typing.after("which> ", "\n");
    typing.after("1  delivery to ACME", "");
    typing.after("plan> ", "only the budget\n");
    typing.after("1  budget of ACME", "");
    typing.after("plan> ", "q\n");
    let shown = typing.ends_with(130);
    assert!(shown.contains("query --resume"), "{shown}");
    assert!(!dir.path("work/report.md").exists());
    dir.run(&["runs", "show", "last"]).ends_with(0).stdout_has("replanned    only the budget");

    let resumed = [&model[..], &["query", "--resume", "last", "-o", "report.md"]].concat();
    dir.run(&resumed).ends_with(0).stderr_has("bill: 4 calls");
    assert!(report(&dir).contains("budget of ACME") && !report(&dir).contains("delivery to ACME"), "{}", report(&dir));
}
