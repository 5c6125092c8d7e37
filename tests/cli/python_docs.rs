//! Tests a real site of about five hundred pages: Python's documentation as packaged by Debian (`python3-doc`). If the
//! package is not installed, the tests say on standard error that they did not run.

use std::io::Write;
use std::path::{Path, PathBuf};

use scraper::{Html, Selector};

use crate::harness::{TestDir, files_below};

const FOLDER: &str = "/usr/share/doc/python3.11/html";

const QUESTIONS: [&str; 20] = [
    "How do I read a CSV file into dictionaries?",
    "What does the walrus operator do?",
    "How are exceptions chained?",
    "How do I run a subprocess and capture its output?",
    "What is the global interpreter lock?",
    "How do I sort a list of objects by an attribute?",
    "How can I parse command line arguments?",
    "What does functools.lru_cache do?",
    "How do I open a file in binary mode?",
    "What is the difference between a list and a tuple?",
    "How do I send an e-mail over SMTP?",
    "How do generators and yield work?",
    "What changed in structural pattern matching?",
    "How do I convert a string to a date?",
    "How do I create a virtual environment?",
    "Which errors does json.loads raise?",
    "How do I define an abstract base class?",
    "What is a descriptor?",
    "How do I extend Python with C?",
    "How do coroutines run concurrently with asyncio?",
];

/// The site's pages. If the package is not installed, says so and returns `None`.
fn pages(test: &str) -> Option<Vec<PathBuf>> {
    if !Path::new(FOLDER).is_dir() {
        // Written to the stream directly, since the test runner captures what a passing test prints.
        let said = writeln!(std::io::stderr(), "NOT RUN: {test}: {FOLDER} is not there (install python3-doc)");
        said.unwrap();
        return None;
    }
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "html");
    let pages: Vec<PathBuf> = files_below(Path::new(FOLDER)).into_iter().filter(is_page).collect();
    assert!(pages.len() > 300, "{FOLDER} has only {} pages", pages.len());
    Some(pages)
}

/// Only letters and digits, since the spacing between words is not compared.
fn bare(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).collect()
}

/// The title and the main part of a page, selected by its generator's markup.
fn expected(page: &str) -> (String, Option<String>) {
    let tree = Html::parse_document(page);
    let text = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        let found = tree.select(&selector).next()?;
        // A page's own table of contents is navigation too.
        let words = found.descendants().filter_map(|node| {
            let text = node.value().as_text()?;
            let mut above = node.ancestors().filter_map(|above| above.value().as_element());
            (!above.any(|element| element.name() == "nav")).then(|| text.to_string())
        });
        Some(words.collect::<String>())
    };
    (text("title").unwrap_or_default(), text("div[role=main]"))
}

#[test]
fn every_page_keeps_its_title_and_its_body() {
    let Some(pages) = pages("every_page_keeps_its_title_and_its_body") else { return };
    let mut lost = Vec::new();
    for path in &pages {
        let bytes = std::fs::read(path).unwrap();
        let (title, main) = expected(&String::from_utf8_lossy(&bytes));
        let Some(main) = main.map(|main| bare(&main)).filter(|main| !main.is_empty()) else { continue };
        match deepsearch::documents::parse::parse(path, bytes) {
            Ok((_, parsed)) => {
                let share = bare(&parsed.text).len() as f64 / main.len() as f64;
                if bare(&parsed.title.unwrap_or_default()) != bare(&title) || !(0.98..=1.02).contains(&share) {
                    lost.push(format!("{}: {share:.3}", path.display()));
                }
            }
            Err(error) => lost.push(format!("{}: {error}", path.display())),
        }
    }
    assert!(lost.len() * 100 <= pages.len(), "{} of {} pages: {lost:#?}", lost.len(), pages.len());
}

#[test]
fn what_is_found_is_no_navigation() {
    let Some(pages) = pages("what_is_found_is_no_navigation") else { return };
    let dir = TestDir::new();
    let folder = format!("{FOLDER}/**/*.html");
    let summary = dir.json(&["load", &folder, "--embedder", "none", "--collection", "python"]);
    assert_eq!(summary["new"], pages.len(), "{summary}");
    for question in QUESTIONS {
        let hits = dir.json(&["search", question, "--mode", "keyword", "-k", "3"]);
        let hits = hits.as_array().unwrap();
        assert_eq!(hits.len(), 3, "{question}");
        for hit in hits {
            let path = hit["path"].as_str().unwrap();
            let (_, main) = expected(&std::fs::read_to_string(path).unwrap());
            let (main, found) = (bare(&main.unwrap_or_default()), bare(hit["text"].as_str().unwrap()));
            assert!(main.contains(&found), "{question}: {path}: {}", hit["text"]);
        }
    }
}
