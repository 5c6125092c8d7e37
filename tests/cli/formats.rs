//! Files of every format, made by other programs (`tests/formats`): a folder of them loads whole, and of one corrupt
//! file of each format every one is named with its reason while the rest is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::{TestDir, files_below};

fn files() -> Vec<PathBuf> {
    files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files"))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap().to_string_lossy().into_owned()
}

/// A copy of the folder, below the working folder.
fn copied(dir: &TestDir) -> usize {
    let files = files();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        dir.write(&format!("work/docs/{name}"), std::fs::read(file).unwrap());
    }
    files.len()
}

#[test]
fn a_folder_of_every_format_is_loaded_whole() {
    let dir = TestDir::new();
    let count = copied(&dir);
    let run = dir.run(&["load", "docs", "--embedder", "none", "--json"]).ends_with(0).stderr_is("");
    assert_eq!(run.json()["new"], count);
    let found = |words: &str, name: &str| {
        let hits = dir.json(&["search", words, "--mode", "keyword", "--path", &format!("**/{name}")]);
        hits[0].clone()
    };
    assert_eq!(found("frost of 1987", "slides.pptx")["page"], 2);
    assert_eq!(found("Jón Ólafsson engineer", "book.ods")["page"], 2);
    assert_eq!(found("stubborn star", "lighthouse-2.epub")["title"], "The Lighthouse at Skerry Point");
    assert_eq!(found("granite quarry masons", "lighthouse-office.rtf")["headings"][1], "How the tower was built");
}

#[test]
fn one_corrupt_file_of_each_format_is_named_and_the_rest_is_loaded() {
    let dir = TestDir::new();
    let count = copied(&dir);
    let mut one_of_each: BTreeMap<String, PathBuf> = files().into_iter().map(|path| (ending(&path), path)).collect();
    // A message that lost some bytes is a message still.
    one_of_each.remove("eml");
    let packages = ["docx", "epub", "odp", "ods", "odt", "pptx", "xlsx"];
    for (ending, path) in &one_of_each {
        let mut bytes = std::fs::read(path).unwrap();
        let is_binary = packages.contains(&ending.as_str()) || ["pdf", "rtf"].contains(&ending.as_str());
        if is_binary {
            // Cut short, as by a copy that was interrupted.
            bytes.truncate(bytes.len() * 2 / 3);
        } else {
            // Overwritten, as by a disk that fails.
            let middle = (bytes.len() / 2).min(4000);
            bytes[middle..middle + 40].fill(0);
        }
        dir.write(&format!("work/docs/corrupt.{ending}"), bytes);
    }
    let run = dir.run(&["load", "docs", "--embedder", "none", "--json"]).ends_with(3);
    let summary = run.json();
    assert_eq!((&summary["new"], summary["failed"].as_array().unwrap().len()), (&count.into(), one_of_each.len()));
    for ending in one_of_each.keys() {
        let name = format!("corrupt.{ending}: ");
        let line = run.stderr.lines().find(|line| line.contains(&name)).unwrap_or_else(|| panic!("{name}{run:?}"));
        let reason = match ending.as_str() {
            "pdf" => "cut short".to_owned(),
            "rtf" => "broken RTF: its last group is not closed".to_owned(),
            package if packages.contains(&package) => format!("broken {}: ", package.to_uppercase()),
            _ => "not a text document (binary data)".to_owned(),
        };
        assert!(line.contains(&reason), "{line}");
    }
}

#[test]
fn archives_of_them_are_read_in_place() {
    let dir = TestDir::new();
    for file in files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/archives")) {
        let name = file.file_name().unwrap().to_string_lossy();
        dir.write(&format!("work/archives/{name}"), std::fs::read(&file).unwrap());
    }
    // Four files in a zip archive, three in each of three tar archives, two alone, and two messages.
    let run = dir.run(&["load", "archives", "--embedder", "none", "--json"]).ends_with(0).stderr_is("");
    assert_eq!(run.json()["new"], 4 + 3 * 3 + 2 + 2);
    let hits = dir.json(&["search", "frost of 1987", "--mode", "keyword"]);
    assert!(hits[0]["path"].as_str().unwrap().ends_with("some.zip!/slides.pptx"), "{hits}");
    assert_eq!(hits[0]["page"], 2);
}
