//! Tests updates of reports, by a model and with documents loaded since.

use std::process::Stdio;

use crate::harness::TestDir;

const ASKED: &str = "How much is paid for a hotel?";

fn policy(dir: &TestDir, euros: u32) {
    let text = format!(
        "# Travel policy\n\nHotels are paid up to {euros} euros a night. Trains are booked in second class. Receipts are \
         handed in within 30 days.\n"
    );
    dir.write("work/docs/travel.md", text);
}

/// A report on a policy that has changed since.
fn outdated() -> TestDir {
    let dir = TestDir::new();
    policy(&dir, 90);
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&["query", ASKED, "-o", "report.md"]).ends_with(0);
    policy(&dir, 120);
    dir
}

fn text(dir: &TestDir, name: &str) -> String {
    std::fs::read_to_string(dir.path(name)).unwrap()
}

/// Settings of a model that rewrites the first sentence as `words`.
fn model(dir: &TestDir, words: &str, delay_ms: u64) -> [String; 4] {
    let script = format!(
        "[[reply]]\npurpose = \"revise\"\ncontains = \"120 euros\"\ndelay_ms = {delay_ms}\njson = {{ sentences = [{{ number \
         = 1, text = \"{words}\" }}] }}\n"
    );
    let script = dir.write("script.toml", script);
    let set = format!("llm.mock.script={}", script.display());
    ["--set".to_owned(), "llm.provider=mock".to_owned(), "--set".to_owned(), set]
}

fn update<'a>(model: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let model = model.iter().map(String::as_str);
    model.chain(["update", "report.md", "--files", "docs"]).chain(more.iter().copied()).collect()
}

#[test]
fn a_model_writes_what_changed_and_nothing_else() {
    let dir = outdated();
    let before = text(&dir, "work/report.md");
    let model = model(&dir, "A night in a hotel is paid up to 120 euros.", 0);
    dir.run(&update(&model, &["--dry-run"])).ends_with(0).stdout_has("A night in a hotel is paid up to 120 euros.");
    assert_eq!(text(&dir, "work/report.md"), before);
    dir.run(&update(&model, &[])).ends_with(0).stderr_has("1 sentence changed").stderr_has("1 call");
    let after = text(&dir, "work/report.md");
    assert!(after.contains("A night in a hotel is paid up to 120 euros [1]."), "{after}");
    let untouched = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(untouched(&after), untouched(&before));
    dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(0);
}

#[test]
fn one_sentence_is_told_as_one() {
    let dir = outdated();
    policy(&dir, 90);
    let sources = "The company has 300 workers in 12 towns.\n\n## Sources";
    let edited = text(&dir, "work/report.md").replacen("90 euros", "95 euros", 1).replacen("## Sources", sources, 1);
    dir.write("work/report.md", edited);
    let update = dir.run(&["update", "report.md", "--files", "docs", "--dry-run"]).ends_with(5);
    update.stderr_has("1 sentence fails for other reasons");
    dir.run(&["verify", "report.md", "--files", "docs"]).ends_with(5).stdout_has("\n- 1 sentence that cites nothing (");
}

#[test]
fn documents_that_are_not_here_are_not_taken_for_gone() {
    let dir = outdated();
    let before = text(&dir, "work/report.md");
    dir.write("work/other/garden.md", "# Garden\n\nRoses are cut back in March.\n");
    let refused = dir.run(&["update", "report.md", "--files", "other"]).ends_with(4);
    refused.stderr_has("none of the documents that the report cites is here");
    assert_eq!(text(&dir, "work/report.md"), before);
    dir.run(&["verify", "report.md", "--files", "other"]).ends_with(5).stdout_has("no such document");
}

#[test]
fn a_sentence_whose_document_is_gone_is_struck() {
    let dir = outdated();
    policy(&dir, 90);
    dir.write("work/docs/garden.md", "# Garden\n\nRoses are cut back in March.\n");
    std::fs::remove_file(dir.path("work/docs/travel.md")).unwrap();
    // A load that does not prune keeps the document, and so does the report.
    dir.run(&["load", "docs"]).ends_with(0).stdout_has("1 gone but still searched (--prune removes them)");
    let before = text(&dir, "work/report.md");
    dir.run(&["update", "report.md"]).ends_with(0);
    assert_eq!(text(&dir, "work/report.md"), before);
    dir.run(&["load"]).ends_with(0).stdout_has("1 removed");
    dir.run(&["update", "report.md"]).ends_with(0).stdout_has("struck: nothing says it any more");
    let after = text(&dir, "work/report.md");
    assert!(after.contains("~~Hotels are paid **up to 90 euros a night**.~~"), "{after}");
    assert!(after.contains("1. ~~**Travel policy**, `docs/travel.md`"), "{after}");
    dir.run(&["verify", "report.md"]).ends_with(0);
}

#[test]
fn what_a_model_writes_wrong_quotes_its_source() {
    let dir = outdated();
    let model = model(&dir, "A night in a hotel is paid up to 140 euros.", 0);
    dir.run(&update(&model, &[])).ends_with(0).stderr_has("not what their sources say");
    let after = text(&dir, "work/report.md");
    let anew = "Hotels are paid **up to 120 euros a night** [1].";
    assert!(after.contains(anew) && !after.contains("140 euros"), "{after}");
}

#[test]
fn an_update_that_is_killed_changes_nothing() {
    let dir = outdated();
    let before = text(&dir, "work/report.md");
    let model = model(&dir, "x", 600_000);
    let mut command = dir.run(&update(&model, &["--verbose"])).into_command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(text(&dir, "work/report.md"), before);
    let files = std::fs::read_dir(dir.path("work")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<_> = files.map(|name| name.into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files, ["docs", "report.md"]);
}

#[test]
fn what_was_loaded_since_is_an_addendum() {
    let dir = outdated();
    policy(&dir, 90);
    let before = text(&dir, "work/report.md");
    let new = ["update", "report.md", "--new"];
    dir.run(&new).ends_with(0).stderr_has("nothing was loaded since");
    assert_eq!(text(&dir, "work/report.md"), before);

    dir.write("work/docs/garden.md", "# Garden\n\nRoses are cut back in March, before the first leaves.\n");
    dir.write("work/docs/norway.md", "# Norway\n\nIn Norway a hotel is paid up to 150 euros a night.\n");
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    dir.run(&new).ends_with(0).stderr_has("2 documents loaded since was added");
    let after = text(&dir, "work/report.md");
    let (body, sources) = before.split_once("\n## Sources\n").unwrap();
    assert!(after.starts_with(body) && after.contains("\n## Loaded since "), "{after}");
    assert!(after.contains("150 euros a night") && after.contains("`docs/norway.md`"), "{after}");
    assert!(after.contains(sources.lines().nth(1).unwrap()), "{after}");
    assert!(after.contains("- **Documents**: 2 cited"), "{after}");
    dir.run(&["verify", "report.md"]).ends_with(0);
    dir.run(&new).ends_with(0).stderr_has("nothing was loaded since");
    assert_eq!(text(&dir, "work/report.md"), after);

    let visible = before.split("\n<!-- deepsearch-record").next().unwrap();
    dir.write("work/report.md", visible);
    dir.run(&new).ends_with(2).stderr_has("does not say when it was written");
}

#[test]
fn what_was_covered_is_counted_from_the_text() {
    let dir = outdated();
    dir.write("work/docs/norway.md", "# Norway\n\nIn Norway a hotel is paid up to 150 euros a night.\n");
    dir.write("work/docs/garden.md", "# Garden\n\nRoses are cut back in March, before the first leaves.\n");
    dir.write("work/docs/broken.pdf", "%PDF-1.4 nothing");
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(3);
    let asked = "How much is paid for a hotel in Norway?";
    let report = dir.json(&["query", asked]);
    let coverage = &report["coverage"];
    let names = |list: &str| -> Vec<String> {
        let all = coverage[list].as_array().unwrap().iter();
        all.map(|one| one["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    let mut all = [names("cited"), names("read"), names("matched"), names("unmatched")].concat();
    assert!(names("cited").contains(&"norway.md".to_owned()), "{coverage}");
    assert_eq!(names("unmatched"), ["garden.md"], "{coverage}");
    all.sort();
    assert_eq!(all, ["garden.md", "norway.md", "travel.md"]);
    assert!(coverage["unreadable"][0].as_str().unwrap().contains("broken.pdf: "), "{coverage}");
    let markdown = report["markdown"].as_str().unwrap();
    assert!(markdown.contains(" 1 did not match, 1 could not be read\n"), "{markdown}");
    assert!(markdown.contains("<details>\n<summary>What became of every document</summary>"), "{markdown}");
    // At most one line of it is visible beside a short answer.
    let answer = markdown.split("\n## Sources\n").next().unwrap();
    assert!(answer.split_whitespace().count() <= 120, "{answer}");

    // In an edited report, documents whose citations are gone from the text do not count as cited.
    let edited = markdown.replacen("[1]", "", 9);
    dir.write("work/edited.md", &edited);
    let before = names("cited").len();
    let verified = dir.run(&["verify", "edited.md", "--json"]).ends_with(0).json();
    assert_eq!(verified["coverage"]["cited"].as_array().unwrap().len(), before - 1, "{verified}");
}
