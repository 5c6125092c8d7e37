//! Tests questions that are asked again when documents change.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::harness::{Run, TestDir};

const ASKED: &str = "How much is paid for a hotel?";
const NO_NEWS: i32 = 6;

fn policy(dir: &TestDir, euros: u32) {
    let text = format!(
        "# Travel policy\n\nHotels are paid up to {euros} euros a night. Trains are booked in second class. Receipts are \
         handed in within 30 days.\n"
    );
    dir.write("work/docs/travel.md", text);
    load(dir);
}

fn load(dir: &TestDir) {
    dir.run(&["load", "docs", "--embedder", "none", "--prune"]).ends_with(0);
}

fn text(dir: &TestDir, name: &str) -> String {
    std::fs::read_to_string(dir.path(name)).unwrap()
}

fn watch(dir: &TestDir, more: &[&str]) -> Run {
    dir.run(&[&["watch-question", ASKED], more].concat())
}

/// Settings of a model that answers in the words of `answer`.
fn model(dir: &TestDir, answer: &str, delay_ms: u64) -> [String; 4] {
    let script = format!(
        "[[reply]]\npurpose = \"plan\"\njson = {{ reason = \"r\", sub_queries = [{{ query = \"hotel\", collections = [] }}] \
         }}\n[[reply]]\npurpose = \"reflect\"\ndelay_ms = {delay_ms}\njson = {{ reason = \"r\", helpful = [1], enough = true, \
         sub_queries = [] }}\n[[reply]]\npurpose = \"write\"\ntext = \"{answer}\"\n"
    );
    let script = dir.write("script.toml", script);
    let set = format!("llm.mock.script={}", script.display());
    ["--set".to_owned(), "llm.provider=mock".to_owned(), "--set".to_owned(), set]
}

fn watch_with(dir: &TestDir, model: &[String], more: &[&str]) -> Run {
    let all: Vec<&str> = model.iter().map(String::as_str).chain(["watch-question", ASKED]).collect();
    dir.run(&[&all, more].concat())
}

#[test]
fn only_what_changes_the_answer_is_news() {
    let dir = TestDir::new();
    policy(&dir, 90);
    watch(&dir, &["-o", "news.md"]).ends_with(0).stdout_is("");
    let first = text(&dir, "work/news.md");
    assert!(first.contains("Hotels are paid up to 90 euros a night") && !first.contains("Changed since"), "{first}");
    watch(&dir, &["-o", "news.md"]).ends_with(NO_NEWS).stderr_has("nothing was loaded since").stdout_is("");

    // Documents that do not concern the question are not news. Neither are the same words in another file, or a new
    // name of the file.
    dir.write("work/docs/boats.md", "Salt came down the river in flat boats.\n");
    dir.write("work/docs/copy.md", "Hotels are paid up to 90 euros a night.\n");
    load(&dir);
    let told = watch(&dir, &["-o", "news.md"]).ends_with(NO_NEWS);
    told.stderr_has("2 documents loaded (docs/boats.md, docs/copy.md) since").stderr_has("stands");
    std::fs::rename(dir.path("work/docs/travel.md"), dir.path("work/docs/rules.md")).unwrap();
    load(&dir);
    watch(&dir, &["-o", "news.md"]).ends_with(NO_NEWS);
    std::fs::remove_file(dir.path("work/docs/rules.md")).unwrap();
    std::fs::remove_file(dir.path("work/docs/copy.md")).unwrap();
    assert_eq!(text(&dir, "work/news.md"), first);

    policy(&dir, 120);
    watch(&dir, &["-o", "news.md"]).ends_with(0).stderr_has("asking again");
    let news = text(&dir, "work/news.md");
    let order = ["Changed since", "No longer so", "90 euros", "New:", "120 euros", "[1]", "## Sources"];
    let mut from = 0;
    for part in order {
        from += news[from..].find(part).unwrap_or_else(|| panic!("no {part} behind {from} in {news}"));
    }
    dir.run(&["verify", "news.md"]).ends_with(0);
    watch(&dir, &[]).ends_with(NO_NEWS).stdout_is("");
    // An answer of `query` also counts as the previous answer.
    policy(&dir, 130);
    dir.run(&["query", ASKED]).ends_with(0);
    watch(&dir, &[]).ends_with(NO_NEWS);
}

#[test]
fn an_answer_that_is_gone_is_news() {
    let dir = TestDir::new();
    dir.write("work/docs/boats.md", "Salt came down the river in flat boats.\n");
    load(&dir);
    watch(&dir, &[]).ends_with(4).stdout_has("Not found");
    policy(&dir, 90);
    watch(&dir, &[]).ends_with(0).stdout_has("90 euros");
    std::fs::remove_file(dir.path("work/docs/travel.md")).unwrap();
    load(&dir);
    watch(&dir, &[]).ends_with(0).stdout_has("No longer so:").stdout_has("Not found");
    watch(&dir, &[]).ends_with(NO_NEWS);
}

#[test]
fn a_model_is_asked_for_new_evidence_alone_and_its_wording_is_no_news() {
    let dir = TestDir::new();
    policy(&dir, 90);
    watch_with(&dir, &model(&dir, "A hotel may cost 90 euros a night [1].", 0), &[])
        .ends_with(0)
        .stdout_has("may cost");
    dir.write("work/docs/boats.md", "Salt came down the river in flat boats.\n");
    load(&dir);
    let other_words = model(&dir, "Up to 90 euros are paid for each night in a hotel [1].", 0);
    let silent = watch_with(&dir, &other_words, &[]).ends_with(NO_NEWS);
    assert!(!silent.stderr.contains("bill"), "{}", silent.stderr);

    dir.write("work/docs/list.md", "Every hotel on the list of the city has a bar.\n");
    load(&dir);
    let paid = watch_with(&dir, &other_words, &[]).ends_with(NO_NEWS).stdout_is("");
    paid.stderr_has("bill: 3 calls").stderr_has("asked again, and the answer is the same");

    policy(&dir, 120);
    let told = watch_with(&dir, &model(&dir, "Up to 120 euros are paid [1].", 0), &["--json"]).ends_with(0).json();
    assert_eq!(told["news"], true);
    assert_eq!(told["changes"]["newly"][0], "Up to 120 euros are paid [1].");
    assert_eq!(told["changes"]["no_longer"][0]["sources"][0], "docs/travel.md (edited)");
    assert_eq!(told["changes"]["documents"]["loaded"][0], "docs/travel.md");
    assert!(told["report"]["markdown"].as_str().unwrap().starts_with("## Changed since"), "{told}");
    let silent = watch_with(&dir, &other_words, &["--json"]).ends_with(NO_NEWS).json();
    assert_eq!(silent, serde_json::json!({ "news": false }));
}

#[test]
fn nobody_looks_before_its_day() {
    let dir = TestDir::new();
    policy(&dir, 90);
    let on = |time: &str, code: i32| {
        let looked = watch(&dir, &["--every", "7"]).env("DEEPSEARCH_NOW", time);
        looked.ends_with(code)
    };
    on("2026-03-01T07:00:05Z", 0);
    policy(&dir, 120);
    on("2026-03-07T23:00:00Z", NO_NEWS).stderr_has("from 2026-03-08 on").stdout_is("");
    // A scheduled job does not always start at the same second.
    on("2026-03-08T07:00:04Z", 0).stdout_has("Changed since 2026-03-01");
    watch(&dir, &["--every", "0"]).ends_with(2);
    watch(&dir, &["--set", "journal.enabled=false"]).ends_with(2).stderr_has("earlier run");
}

#[test]
fn japanese_changes_are_told_in_japanese_and_a_page_begins_with_them() {
    let dir = TestDir::new();
    let asked = "会費はいくらですか";
    let rule = |yen: &str| {
        dir.write("work/docs/規約.md", format!("# 会の規約\n\n会費は月額{yen}円である。退会は月末に限る。\n"));
        load(&dir);
    };
    rule("千");
    dir.run(&["watch-question", "-"]).stdin(asked).ends_with(0).stdout_has("千円");
    rule("二千");
    dir.run(&["watch-question", asked, "-o", "news.html"]).ends_with(0);
    let page = text(&dir, "work/news.html");
    assert!(page.contains("次の日以降の変更") && page.contains("二千円"), "{page}");
    dir.run(&["verify", "news.html"]).ends_with(0);
}

#[test]
fn an_interrupted_look_leaves_the_report_and_asks_again() {
    let dir = TestDir::new();
    policy(&dir, 90);
    watch_with(&dir, &model(&dir, "A hotel may cost 90 euros a night [1].", 0), &["-o", "news.md"]).ends_with(0);
    let before = text(&dir, "work/news.md");
    policy(&dir, 120);
    let slow = model(&dir, "A hotel may cost 120 euros a night [1].", 600_000);
    let mut command = watch_with(&dir, &slow, &["-o", "news.md"]).into_command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(stderr.any(|line| line.starts_with("round 1: ")));
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap().success());
    assert!(stderr.any(|line| line.contains("interrupted before it was known")));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(text(&dir, "work/news.md"), before);
    let quick = model(&dir, "A hotel may cost 120 euros a night [1].", 0);
    watch_with(&dir, &quick, &["-o", "news.md"]).ends_with(0).stderr_has("asking again");
}
