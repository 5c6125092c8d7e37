//! Tests loading: new, changed, unchanged and removed documents, and their collections.

use serde_json::Value;

use crate::harness::TestDir;

/// Loads without vectors, which these tests do not need, and checks the counts of new, changed, unchanged and removed
/// documents.
fn check(dir: &TestDir, arguments: &[&str], expected: [u64; 4]) -> Value {
    let summary = dir.json(&[&["load", "--embedder", "none"], arguments].concat());
    let count = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!([count("new"), count("changed"), count("unchanged"), count("removed")], expected, "{summary}");
    assert_eq!((&summary["failed"], &summary["interrupted"]), (&serde_json::json!([]), &Value::Bool(false)));
    summary
}

fn collections(dir: &TestDir) -> Vec<(String, u64)> {
    let list = dir.json(&["collections", "list"]);
    let one = |entry: &Value| (entry["name"].as_str().unwrap().to_owned(), entry["documents"].as_u64().unwrap());
    list.as_array().unwrap().iter().map(one).collect()
}

fn named(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(name, documents)| ((*name).to_owned(), *documents)).collect()
}

#[test]
fn only_what_changed_is_loaded_again() {
    let dir = TestDir::new();
    for name in ["a.md", "b.txt", "deep/c.md"] {
        dir.write(&format!("work/docs/{name}"), format!("The file {name} speaks of apples.\n"));
    }
    check(&dir, &["docs"], [3, 0, 0, 0]);
    check(&dir, &["docs"], [0, 0, 3, 0]);
    dir.write("work/docs/b.txt", "Now it speaks of pears and quinces.\n");
    dir.write("work/docs/d.md", "A new file speaks of plums.\n");
    std::fs::remove_file(dir.path("work/docs/a.md")).unwrap();
    check(&dir, &["docs"], [1, 1, 1, 0]);
    let search = |word: &str| dir.json(&["search", word, "--mode", "keyword"]).as_array().unwrap().len();
    assert_eq!([search("apples"), search("pears"), search("plums")], [2, 1, 1]);
    check(&dir, &["docs", "--prune"], [0, 0, 3, 1]);
    assert_eq!(search("apples"), 1);
    assert_eq!(collections(&dir), named(&[("docs", 3)]));
}

#[test]
fn a_file_that_was_only_touched_is_unchanged() {
    let dir = TestDir::new();
    let file = dir.write("work/docs/a.md", "The same words.\n");
    check(&dir, &["docs"], [1, 0, 0, 0]);
    let file = std::fs::File::options().write(true).open(file).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let summary = check(&dir, &["docs"], [0, 0, 1, 0]);
    assert_eq!(summary["chunks"], 0);
}

#[test]
fn a_collection_for_each_folder() {
    let dir = TestDir::new();
    for name in ["one/a.md", "one/deep/b.md", "two/c.md", "d.md"] {
        dir.write(&format!("work/library/{name}"), format!("Words of {name}.\n"));
    }
    let summary = check(&dir, &["library", "--collection-per-dir"], [4, 0, 0, 0]);
    assert_eq!(summary["collections"], serde_json::json!(["library", "one", "two"]));
    assert_eq!(collections(&dir), named(&[("library", 1), ("one", 2), ("two", 1)]));
    check(&dir, &["library", "--collection-per-dir", "--prune"], [0, 0, 4, 0]);
}

#[test]
fn a_pattern_a_name_and_a_description() {
    let dir = TestDir::new();
    for name in ["a.md", "b.txt", "deep/c.md"] {
        dir.write(&format!("work/docs/{name}"), format!("Words of {name}.\n"));
    }
    check(&dir, &["docs/**/*.md", "--collection", "notes", "--description", "My notes"], [2, 0, 0, 0]);
    let shown = dir.json(&["collections", "show", "notes"]);
    assert_eq!(
        (&shown["collection"]["documents"], &shown["collection"]["description"]),
        (&2.into(), &"My notes".into())
    );
    // A later load keeps the user's description.
    check(&dir, &["docs", "--collection", "notes"], [1, 0, 2, 0]);
    assert_eq!(dir.json(&["collections", "show", "notes"])["collection"]["description"], "My notes");
}

#[test]
fn standard_input_is_a_document() {
    let dir = TestDir::new();
    let load = || dir.run(&["load", "-", "--collection", "web", "--embedder", "none"]);
    let page = "<html><head><title>A page</title></head><body><p>Quinces are fruit.</p></body></html>";
    load().stdin(page).ends_with(0).stderr_is("").stdout_has("1 new");
    load().stdin(page).ends_with(0).stdout_has("1 unchanged");
    let hits = dir.json(&["search", "quince", "--mode", "keyword"]);
    assert_eq!((&hits[0]["collection"], &hits[0]["title"]), (&"web".into(), &"A page".into()));
    load().stdin(" \n").ends_with(1).stdout_is("").stderr_has("nothing on standard input");
    assert_eq!(dir.json(&["search", "quince", "--mode", "keyword"]).as_array().map(Vec::len), Some(1), "it is kept");
}

#[test]
fn a_title_in_capitals_is_told_as_its_document_writes_the_words() {
    let dir = TestDir::new();
    let rules = "# RULES OF THE HARBOUR\n\nThey say that quinces stay ashore. So it is in the harbour of Ouvel.\n";
    dir.write("work/docs/rules.md", rules);
    dir.run(&["load", "docs", "--embedder", "none"]).ends_with(0);
    let hits = dir.json(&["search", "quince", "--mode", "keyword"]);
    assert_eq!(hits[0]["title"], "Rules of the harbour");
}

#[test]
fn the_ignored_is_left_out() {
    let dir = TestDir::new();
    dir.write("work/docs/.deepsearchignore", "drafts/\n*.log\n");
    for name in ["a.md", "drafts/b.md", "c.log", ".hidden.md", "~$a.docx", "picture.png"] {
        dir.write(&format!("work/docs/{name}"), "Words.\n");
    }
    let summary = check(&dir, &["docs"], [1, 0, 0, 0]);
    assert_eq!((&summary["skipped"], summary["skipped_files"].as_array().unwrap().len()), (&1.into(), 1), "{summary}");
    let run = dir.run(&["load", "docs", "--embedder", "none", "-v"]).ends_with(0);
    run.stdout_has("  skipped   DIR/work/docs/picture.png\n");
}

#[test]
fn empty_files_are_counted_and_are_no_failure() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "Words.\n");
    for (name, bytes) in [("__init__.py", ""), ("blank.md", " \n\t\n"), ("marks.txt", "\u{feff}\n"), ("none.pdf", "")] {
        dir.write(&format!("work/docs/{name}"), bytes);
    }
    let summary = check(&dir, &["docs"], [1, 0, 0, 0]);
    assert_eq!((summary["empty"].as_array().unwrap().len(), &summary["failed"]), (4, &serde_json::json!([])));
    let again = dir.run(&["load", "-vv"]).ends_with(0);
    again
        .stdout_has("0 new, 0 changed, 1 unchanged, 4 empty; ")
        .stdout_has("\n  empty     DIR/work/docs/__init__.py\n");
    dir.run(&["load", "docs/blank.md"])
        .ends_with(0)
        .stdout_has("1 file in docs: 0 new, 0 changed, 0 unchanged, 1 empty; ");
    // A document whose file becomes empty is removed, just as if the file were deleted.
    dir.write("work/docs/a.md", "");
    dir.run(&["load"]).ends_with(0).stdout_has("1 removed, 5 empty");
}

#[test]
fn a_collection_keeps_its_embedder() {
    let dir = TestDir::new();
    dir.write("work/docs/a.md", "Words.\n");
    check(&dir, &["docs"], [1, 0, 0, 0]);
    let later = dir.run(&["load", "docs", "--embedder", "minilm"]).ends_with(0);
    later.stdout_has("1 unchanged").stderr_has("has no embedder and stays searchable by words only");
    dir.run(&["load", "docs", "--embedder", "minlm"]).ends_with(2).stdout_is("").stderr_has("minilm");
}

#[test]
fn what_was_cut_by_other_settings_is_loaded_again() {
    // Any two of them together exceed 100 bytes, the smallest passage size, so each becomes a passage of its own.
    const SENTENCES: [&str; 3] = [
        "The first sentence is here and goes on about the weather in the north.",
        "The second sentence is there and goes on about the weather in the south.",
        "The third is elsewhere and goes on about neither the one nor the other.",
    ];
    let dir = TestDir::new();
    dir.write("work/docs/a.md", format!("{}\n", SENTENCES.join(" ")));
    dir.write("work/docs/b.md", "One.\n");
    check(&dir, &["docs"], [2, 0, 0, 0]);
    let small = ["load", "docs", "--set", "chunk.target_bytes=100", "--set", "chunk.overlap_bytes=0"];
    let again = dir.run(&[&small[..], &["--verbose"]].concat()).ends_with(0);
    again
        .stdout_has("0 new, 0 changed, 2 reloaded (other settings, another library, or damaged), 0 unchanged")
        .stdout_has("  reloaded  docs  ");
    assert_eq!(dir.json(&["collections", "show", "docs"])["collection"]["chunks"], 4);
    dir.run(&small).ends_with(0).stdout_has("2 unchanged");
    // A reload by other settings does not appear in the documents' history.
    let history = dir.json(&["sources", "history"]);
    assert_eq!(history.as_array().map(Vec::len), Some(2), "{history}");
}
