//! Tests searches and questions restricted to some documents, and all wrong ways to ask for that.

use serde_json::Value;

use crate::harness::{QUESTION, TestDir};

/// Letters in English and German, with three dates, in two folders.
fn letters() -> TestDir {
    let dir = TestDir::new();
    let letter = |name: &str, date: &str, text: &str| {
        dir.write(&format!("work/mail/{name}"), format!("---\ntitle: Letter\ndate: {date}\n---\n\n{text}\n"));
    };
    letter("in/1.md", "2019-03-01", "The delivery of the machines to Hamburg was three weeks late this spring.");
    letter("in/2.md", "2020-07-15", "The delivery of the pumps to Hamburg arrived on the day that was agreed.");
    let german =
        "Die Lieferung der Maschinen nach Hamburg kam in diesem Frühling drei Wochen zu spät, wie wir schon sagten.";
    letter("out/3.md", "2021-12-31", german);
    dir.run(&["load", "mail", "--embedder", "none"]).ends_with(0);
    dir
}

#[test]
fn a_search_finds_only_what_its_filter_admits() {
    let dir = letters();
    let check = |flags: &[&str], expected: &[&str]| {
        let hits = dir.json(&[&["search", "Hamburg"], flags].concat());
        let name = |hit: &Value| hit["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut found: Vec<String> = hits.as_array().unwrap().iter().map(name).collect();
        found.sort();
        assert_eq!(found, expected, "{flags:?}");
    };
    check(&[], &["1.md", "2.md", "3.md"]);
    check(&["--path", "in"], &["1.md", "2.md"]);
    check(&["--path", "in/*.md", "--since", "2020"], &["2.md"]);
    check(&["--path", "./mail/out/"], &["3.md"]);
    check(&["--language", "de"], &["3.md"]);
    check(&["--language", "English", "--until", "2019-03"], &["1.md"]);
    check(&["--since", "2019-03-02", "--until", "2021-12-30"], &["2.md"]);
}

#[test]
fn a_report_cites_only_what_its_filter_admits() {
    let dir = TestDir::simpsons();
    let report = dir.json(&["query", QUESTION, "--path", "history", "--language", "en"]);
    let cited = report["citations"].as_array().unwrap();
    assert!(!cited.is_empty());
    for citation in cited {
        assert!(citation["path"].as_str().unwrap().contains("/history/"), "{citation}");
    }
}

#[test]
fn a_filter_that_leaves_nothing_is_told_apart_from_finding_nothing() {
    let dir = letters();
    let expected = "error: the filter (path nowhere, language French) excludes all of the 3 documents\n";
    for command in [&["search", "Hamburg"][..], &["query", "What came to Hamburg?"]] {
        let ended = dir.run(&[command, &["--path", "nowhere", "--language", "fr"]].concat()).ends_with(4);
        ended.stdout_is("").stderr_has(expected).stderr_has("hint: `deepsearch collections show NAME --json`");
    }
    dir.run(&["search", "Bremen", "--path", "in"]).ends_with(4).stderr_is("nothing was found\n");
}

#[test]
fn a_filter_that_means_nothing_is_refused() {
    let dir = TestDir::new();
    let check = |flags: &[&str], expected: &str| {
        for command in [&["search", "x"][..], &["query", "What?"]] {
            dir.run(&[command, flags].concat()).ends_with(2).stdout_is("").stderr_has(expected);
        }
    };
    check(&["--language", "klingon"], "unknown language `klingon`");
    check(&["--language", "Germna"], "near are German");
    check(&["--since", "yesterday"], "expected a day as in 2019-07-31");
    check(&["--until", "2019-02-30"], "expected a day as in 2019-07-31");
    check(&["--since", "2020-01-02", "--until", "2020-01-01"], "--since 2020-01-02 is after --until 2020-01-01");
    check(&["--path", "a[b"], "`a[b` is no pattern of paths");
    check(&["--path", ""], "");
}
