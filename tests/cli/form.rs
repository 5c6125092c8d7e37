//! Tests reports in a requested form: of a given length, or with given headings.

use std::collections::BTreeSet;

use crate::harness::TestDir;

const ASKED: &str = "How has the show changed over time?";
const HEADINGS: &str = "# A history\n\n## Ratings\n\n## Ice hockey league\nWho won the cup?\n\n## The film\n";

/// Some documents, loaded into a data folder of their own.
fn documents() -> TestDir {
    let dir = TestDir::new();
    let texts = [
        ("start", "The show premiered in December 1989 as a half-hour series. It grew out of short films of 1987."),
        (
            "ratings",
            "The ratings of the show fell after the year 2000. In 1990 twenty million people watched the show.",
        ),
        ("critics", "Critics praised the early seasons of the show. They liked the later seasons of the show less."),
        ("film", "The film of the show from 2007 earned 536 million dollars. Eleven writers wrote the film."),
    ];
    for (name, text) in texts {
        dir.write(&format!("work/docs/{name}.md"), format!("# On {name}\n\n{text}\n"));
    }
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.write("work/headings.md", HEADINGS);
    dir
}

fn headings(markdown: &str) -> Vec<&str> {
    markdown.lines().filter(|line| line.starts_with("## ")).collect()
}

#[test]
fn every_heading_has_text_and_what_is_not_there_is_said() {
    let dir = documents();
    let report = dir.run(&["query", ASKED, "--outline", "headings.md", "--json"]).ends_with(0).json();
    let markdown = report["markdown"].as_str().unwrap();
    let expected = ["## Ratings", "## Ice hockey league", "## The film", "## Sources", "## How this was researched"];
    assert!(markdown.starts_with("# A history\n"), "{markdown}");
    assert_eq!(headings(markdown), expected, "{markdown}");
    let below = |heading: &str| markdown.split(heading).nth(1).unwrap().split("\n## ").next().unwrap().trim();
    assert!(below("## Ratings").contains("fell after the year 2000"), "{markdown}");
    assert!(below("## The film").contains("536 million"), "{markdown}");
    assert_eq!(
        below("## Ice hockey league"),
        "Not found in these documents.\n\nSearched these documents for: Who won the cup?"
    );
}

#[test]
fn a_report_has_about_as_many_words_as_were_asked_for() {
    let dir = TestDir::simpsons();
    for wanted in [300, 1_500] {
        let report = dir.run(&["query", ASKED, "--length", &wanted.to_string(), "--no-memory", "--json"]).ends_with(0);
        let report = report.json();
        let markdown = report["markdown"].as_str().unwrap();
        let body = markdown.split("\n## Sources").next().unwrap();
        let words = body.split_whitespace().filter(|word| !word.starts_with(['[', '#'])).count();
        assert!(words.abs_diff(wanted) * 100 <= wanted * 15, "{words} of {wanted}: {body}");
        let sentences: Vec<&str> =
            body.split("].").map(|sentence| sentence.rsplit_once('[').map_or("", |(text, _)| text.trim())).collect();
        let once: BTreeSet<&str> = sentences.iter().copied().collect();
        let twice = sentences.iter().filter(|sentence| sentence.len() > 30).count();
        assert_eq!(once.iter().filter(|sentence| sentence.len() > 30).count(), twice, "{body}");
    }
    let long = dir.run(&["query", ASKED, "--length", "15000", "--no-memory"]).ends_with(0);
    long.stdout_has("so the report is shorter than was asked for");
}

#[test]
fn a_model_writes_the_sections_apart_and_the_opening_last() {
    let dir = documents();
    let script = dir.write(
        "script.toml",
        r##"
[[reply]]
purpose = "plan"
json = { reason = "r", sub_queries = [{ query = "ratings of the show", collections = [] }] }

[[reply]]
purpose = "reflect"
json = { reason = "r", helpful = [1], enough = true, sub_queries = [] }

[[reply]]
purpose = "write"
contains = "without its heading: Ratings"
text = "# Ratings\n\nThe ratings of the show fell after the year 2000 [1][2][3][4].\n\n# Later\n\nMore [1][2][3][4]."

[[reply]]
purpose = "write"
contains = "without its heading: Ice hockey league: Who won the cup?"
text = "NOT FOUND"

[[reply]]
purpose = "write"
contains = "without its heading: The film"
text = "The ratings of the show fell after the year 2000 [1][2][3][4]. The film earned 536 million dollars [1][2][3][4]."

[[reply]]
purpose = "write"
contains = "Write only the title"
text = "# Own title\n\nThe show changed much [1][2][3][4]."
"##,
    );
    let set = format!("llm.mock.script={}", script.display());
    let model = ["--set", "llm.provider=mock", "--set", &set];
    let query = ["query", ASKED, "--outline", "headings.md", "--json"];
    let report = dir.run(&[&model[..], &query].concat()).ends_with(0).json();
    let markdown = report["markdown"].as_str().unwrap();
    let body = markdown.split("\n## Sources").next().unwrap();
    // The search decides which of the four passages a section gets.
    let uncited: String = body.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    assert_eq!(
        uncited.replace(" .", ".").trim(),
        "# A history\n\nThe show changed much.\n\n## Ratings\n\nThe ratings of the show fell after the year 2000.\n\n\
         ### Later\n\nMore.\n\n## Ice hockey league\n\nNot found in these documents.\n\nSearched these documents \
         for: Who won the cup\n\n## The film\n\nThe film earned 536 million dollars."
    );
    assert!(body.contains("536 million dollars [") && !body.contains("citation needed"), "{body}");
    assert_eq!(report["usage"]["calls"], 6, "{report}");
    let again = dir.run(&["runs", "replay", "last", "--json"]).ends_with(0).json();
    assert_eq!(again["markdown"], report["markdown"]);
}

#[test]
fn a_form_that_cannot_be_is_refused() {
    let dir = documents();
    dir.write("work/words.md", "No heading here.\n");
    dir.run(&["query", ASKED, "--outline", "words.md"]).ends_with(2).stderr_has("it has no heading");
    dir.run(&["query", ASKED, "--outline", "nowhere.md"]).ends_with(2).stderr_has("nowhere.md");
    dir.run(&["query", ASKED, "--length", "7"]).ends_with(2).stderr_has("50 to 20000 words");
    dir.run(&["query", ASKED, "--length", "longish"]).ends_with(2).stderr_has("short, normal, long");
}
