//! Files of every format that other programs made from the same few documents: `tests/formats` in the repository.
//!
//! Texts are compared by their letters and digits alone: marks, quotes and line ends differ between formats.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    documents: BTreeMap<String, Content>,
    files: BTreeMap<String, File>,
}

/// The content of a document, whatever its format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    title: Option<String>,
    date: Option<String>,
    #[serde(default)]
    headings: Vec<(u8, String)>,
    /// In the order of the document.
    sentences: Vec<String>,
    /// Anywhere in the text, such as notes.
    #[serde(default)]
    elsewhere: Vec<String>,
    /// The cells of a table, row by row.
    #[serde(default)]
    rows: Vec<Vec<String>>,
}

/// How a file differs from its document. Fields that are not given are as in the document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    document: String,
    /// `None` if only the sentences count.
    format: Option<String>,
    /// Empty if the file has none.
    title: Option<String>,
    date: Option<String>,
    headings: Option<Vec<(u8, String)>>,
    /// Instead of `headings`, if a format's headings are recognised by their looks: the ends of some of them, in order.
    headings_within: Option<Vec<String>>,
    /// Whether the title is the first heading; `level` is added to the levels of the others.
    #[serde(default)]
    title_heading: bool,
    #[serde(default)]
    level: u8,
    /// Whether the program that made the file kept the text under `elsewhere`.
    #[serde(default = "yes")]
    elsewhere: bool,
    /// How each page begins.
    #[serde(default)]
    pages: Vec<String>,
    /// Whether cells follow the names of their columns.
    #[serde(default)]
    named_cells: bool,
    /// Parts of the text that must occur exactly, including line breaks.
    #[serde(default)]
    exactly: Vec<String>,
}

fn yes() -> bool {
    true
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

fn expected() -> Expected {
    let path = folder().join("expected.toml");
    toml::from_str(&std::fs::read_to_string(path).expect("the list")).expect("the list is TOML")
}

fn letters(text: &str) -> String {
    text.nfkc().filter(|char| char.is_alphanumeric()).collect()
}

/// The faults of a file, in words.
fn faults(name: &str, file: &File, content: &Content) -> Vec<String> {
    let path = folder().join("files").join(name);
    let (format, parsed) = match parse(&path, std::fs::read(&path).expect("the file")) {
        Ok(parsed) => parsed,
        Err(error) => return vec![error.to_string()],
    };
    let mut faults = Vec::new();
    let mut hold = |holds: bool, fault: String| {
        if !holds {
            faults.push(fault);
        }
    };
    if let Some(expected) = &file.format {
        hold(format.name() == expected, format!("read as {}", format.name()));
        let told =
            |told: &Option<String>, usual: &Option<String>| told.clone().or(usual.clone()).filter(|it| !it.is_empty());
        hold(parsed.title == told(&file.title, &content.title), format!("title {:?}", parsed.title));
        let date = parsed.date.map(|date| date.date.to_string());
        hold(date == told(&file.date, &content.date), format!("date {date:?}"));
        let found: Vec<(u8, String)> = parsed.headings.iter().map(|it| (it.level, it.text.clone())).collect();
        let usual = || {
            let title = content.title.iter().filter(|_| file.title_heading).map(|title| (1, title.clone()));
            title.chain(content.headings.iter().map(|(level, text)| (level + file.level, text.clone()))).collect()
        };
        match &file.headings_within {
            Some(within) => {
                let mut rest = found.iter();
                let all = within.iter().all(|wanted| rest.any(|(_, text)| text.ends_with(wanted.as_str())));
                hold(all, format!("headings {found:?}"));
            }
            None => {
                hold(found == file.headings.clone().unwrap_or_else(usual), format!("headings {found:?}"));
            }
        }
    }
    let stand = parsed.headings.iter().all(|it| letters(&parsed.text[it.start..]).starts_with(&letters(&it.text)));
    hold(stand, "a heading does not stand where it says".to_owned());
    let text = letters(&parsed.text);
    let mut from = 0;
    for sentence in &content.sentences {
        match text[from..].find(&letters(sentence)) {
            Some(at) => from += at,
            None => hold(false, format!("missing, or out of order: {sentence}")),
        }
    }
    for words in content.elsewhere.iter().filter(|_| file.elsewhere) {
        hold(text.contains(&letters(words)), format!("missing: {words}"));
    }
    let header = content.rows.first();
    for (number, row) in content.rows.iter().enumerate().skip(usize::from(file.named_cells)) {
        let cells = row.iter().zip(header.into_iter().flatten());
        let row: String = match file.named_cells {
            true => cells.filter(|(cell, _)| !cell.is_empty()).map(|(cell, name)| format!("{name}{cell}")).collect(),
            false => row.concat(),
        };
        hold(text.contains(&letters(&row)), format!("row {number} is missing: {row}"));
    }
    let pages: Vec<&str> = parsed.pages.iter().map(|&at| &parsed.text[at..]).collect();
    hold(
        pages.len() == file.pages.len(),
        format!("pages {:?}", pages.iter().map(|page| page.lines().next()).collect::<Vec<_>>()),
    );
    for (page, start) in pages.iter().zip(&file.pages) {
        hold(page.starts_with(start.as_str()), format!("a page begins with {:?}", page.get(..40).unwrap_or(page)));
    }
    for part in &file.exactly {
        hold(parsed.text.contains(part.as_str()), format!("not as it should be written: {part:?}"));
    }
    faults
}

#[test]
fn every_file_is_read_whole() {
    let expected = expected();
    let mut listed: Vec<String> = expected.files.keys().cloned().collect();
    let mut found: Vec<String> = std::fs::read_dir(folder().join("files"))
        .expect("the folder")
        .map(|entry| entry.expect("its files").file_name().to_string_lossy().into_owned())
        .collect();
    listed.sort();
    found.sort();
    assert_eq!(listed, found);
    assert!(found.len() >= 60, "{}", found.len());
    let mut told = String::new();
    for (name, file) in &expected.files {
        for fault in faults(name, file, &expected.documents[&file.document]) {
            told.push_str(&format!("{name}: {fault}\n"));
        }
    }
    assert!(told.is_empty(), "\n{told}");
}
