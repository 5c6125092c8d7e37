//! Tests follow-up questions about a report.

use crate::harness::TestDir;

const ASKED: &str = "How did the ratings of the show change?";

fn documents() -> TestDir {
    let dir = TestDir::new();
    let texts = [
        (
            "ratings",
            "The ratings of the show fell after the year 2000. In 1990 twenty million people watched the show.",
        ),
        ("critics", "Critics praised the early seasons of the show."),
        ("film", "The film of the show earned 536 million dollars."),
        ("boats", "Salt came down the river in flat boats. The salt trade paid for the walls of Arles."),
    ];
    for (name, text) in texts {
        dir.write(&format!("work/docs/{name}.md"), format!("# On {name}\n\n{text}\n"));
    }
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir
}

#[test]
fn an_answer_is_worked_into_the_report_and_all_else_stays() {
    let dir = documents();
    dir.run(&["query", ASKED, "--no-memory", "-o", "report.md"]).ends_with(0);
    let before = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    let asked = dir.run(&["ask", "How much did the film of the show earn?", "--amend", "report.md"]).ends_with(0);
    let asked = asked.stdout_has("536 million").stderr_has("amended report.md");
    assert!(asked.stdout.contains("*Answered from the evidence of the earlier report.*"), "{}", asked.stdout);
    let after = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    let (head, rest) = after.split_once("## How much did the film of the show earn?\n").unwrap();
    let (section, rest) = rest.split_once("## Sources\n").unwrap();
    let cut = before.find("## Sources\n").unwrap();
    assert_eq!(head, &before[..cut]);
    assert!(section.contains("536 million") && !section.contains("[1]"), "{section}");
    // Below, the citations of the answer are counted among the cited ones.
    let end = before.find("## How this was researched").unwrap();
    for line in before[cut..end].lines().filter(|line| !line.starts_with("## Sources")) {
        assert!(rest.contains(line), "{line} is not in {rest}");
    }
    // Files that cannot be amended are refused before anything is asked.
    dir.run(&["export", "report.md", "-o", "page.html"]).ends_with(0);
    dir.run(&["export", "report.md", "-o", "report.docx"]).ends_with(0);
    for (name, expected) in [
        ("nowhere.md", "nowhere.md"),
        ("docs/boats.md", "docs/boats.md has no list of sources"),
        ("page.html", "a page cannot be amended"),
        ("report.docx", "a document is not amended"),
    ] {
        let ended = dir.run(&["ask", "Who paid for the walls?", "--amend", name]).ends_with(2);
        ended.stdout_is("").stderr_has(expected);
    }
    assert_eq!(std::fs::read_to_string(dir.path("work/report.md")).unwrap(), after);
}

#[test]
fn what_amends_a_report_follows_the_run_that_wrote_it() {
    let dir = documents();
    dir.run(&["query", "What did the film of the show earn?", "--no-memory", "-o", "report.md"]).ends_with(0);
    dir.run(&["query", "What paid for the walls of Arles?", "--no-memory", "-o", "salt.md"]).ends_with(0);
    let amended = dir.run(&["ask", "and the critics?", "--amend", "report.md", "--json"]).ends_with(0).json();
    let question = amended["question"].as_str().unwrap();
    assert!(question.contains("critics") && !question.contains("Arles"), "{question}");
    // The title is the question as asked, and the earlier answer is not repeated.
    let markdown = amended["markdown"].as_str().unwrap();
    let (said, _) = markdown.split_once("## Sources").unwrap();
    assert!(said.starts_with("# And the critics?\n") && said.contains("Critics **praised"), "{said}");
    assert!(!said.contains("536 million"), "{said}");
    let again = dir.run(&["runs", "replay", "last", "--json"]).ends_with(0).json();
    assert_eq!(again["markdown"], amended["markdown"]);

    let report = std::fs::read_to_string(dir.path("work/report.md")).unwrap();
    dir.write("work/bare.md", report.split("\n<!-- deepsearch-record").next().unwrap());
    dir.write("work/other.md", report.replace("What did the film", "What did that film"));
    for name in ["bare.md", "other.md"] {
        let before = std::fs::read_to_string(dir.path(&format!("work/{name}"))).unwrap();
        let refused = dir.run(&["ask", "and the critics?", "--amend", name]).ends_with(2);
        refused.stderr_has("the run that wrote the report is not known here");
        assert_eq!(std::fs::read_to_string(dir.path(&format!("work/{name}"))).unwrap(), before);
    }
    dir.run(&["ask", "last", "What did the film of the show earn?", "--amend", "bare.md"]).ends_with(0);
}

#[test]
fn a_follow_up_takes_two_calls_where_the_evidence_is_there() {
    let dir = documents();
    let script = dir.write(
        "script.toml",
        r#"
[[reply]]
purpose = "reflect"
contains = "Question: How did the ratings of the show change?\nAnswer: # How did the ratings of the show change"
json = { reason = "r", helpful = [1], enough = true, sub_queries = [] }

[[reply]]
purpose = "write"
contains = "<<<the conversation before\nQuestion: How did"
text = "They fell after 2000 [1].\n"
"#,
    );
    dir.run(&["query", ASKED, "--no-memory", "-o", "report.md"]).ends_with(0);
    let set = format!("llm.mock.script={}", script.display());
    let model = ["--set", "llm.provider=mock", "--set", &set];
    let report = dir.run(&[&model[..], &["ask", "last", "In what year did they fall?", "--json"]].concat());
    let report = report.ends_with(0).json();
    assert_eq!(report["usage"]["calls"], 2, "{report}");
    let markdown = report["markdown"].as_str().unwrap();
    assert!(markdown.contains("\n*Answered from the evidence of the earlier report.*\n"), "{markdown}");
    let again = dir.run(&["runs", "replay", "last", "--json"]).ends_with(0).json();
    assert_eq!(again["markdown"], report["markdown"]);
}

#[test]
fn without_a_report_there_is_nothing_to_ask_on() {
    let dir = documents();
    dir.run(&["ask", "and in 2019?"]).ends_with(1).stderr_has("no run is kept");
    dir.run(&["ask", "  "]).ends_with(2).stderr_has("the question is empty");
    dir.run(&["ask", "last"]).ends_with(2).stderr_has("ask needs a question behind the run `last`");
}

#[test]
fn a_renamed_collection_is_still_asked() {
    let dir = documents();
    dir.write("work/other/salt.md", "# Salt\n\nSalt was dear.\n");
    dir.run(&["load", "other", "--embedder", "none"]).ends_with(0);
    for (question, name) in [("What was dear?", "other"), (ASKED, "docs")] {
        dir.run(&["query", question, "-c", name]).ends_with(0);
    }
    // The memory still has an event of a collection of this name.
    dir.run(&["collections", "drop", "other", "--yes"]).ends_with(0);
    dir.run(&["collections", "rename", "docs", "other"]).ends_with(0);
    assert_eq!(dir.json(&["load"])["collections"], serde_json::json!(["other"]));
    for steps in ["0", "1", "2"] {
        dir.run(&["runs", "fork", "last", "--from", steps]).ends_with(0).stdout_has("ratings");
    }
    dir.run(&["ask", "How much did the film of the show earn?"]).ends_with(0).stdout_has("536 million");
    dir.run(&["runs", "replay", "last"]).ends_with(0).stdout_has("536 million");
}
