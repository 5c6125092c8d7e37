//! Properties of a parser's result that hold for every document; the tests and the fuzz targets share them.

use std::io::{Cursor, Write};
use std::path::Path;

use crate::base::quiet;
use crate::documents::chunk::{ChunkOptions, chunk};
use crate::documents::parse::{ParseError, Parsed, parse_unguarded};

/// The file names under which each target's documents are parsed; they decide the format if the content is damaged.
pub const TARGETS: &[(&str, &str)] = &[
    ("asciidoc", "a.adoc"),
    ("code", "a.py"),
    ("csv", "a.csv"),
    ("docx", "a.docx"),
    ("email", "a.eml"),
    ("epub", "a.epub"),
    ("html", "a.html"),
    ("json", "a.json"),
    ("jsonl", "a.jsonl"),
    ("latex", "a.tex"),
    ("markdown", "a.md"),
    ("notebook", "a.ipynb"),
    ("odp", "a.odp"),
    ("ods", "a.ods"),
    ("odt", "a.odt"),
    ("org", "a.org"),
    ("pdf", "a.pdf"),
    ("pptx", "a.pptx"),
    ("rst", "a.rst"),
    ("rtf", "a.rtf"),
    ("subtitles", "a.srt"),
    ("text", "a.txt"),
    ("toml", "a.toml"),
    ("unnamed", "noname"),
    ("xlsx", "a.xlsx"),
    ("xml", "a.xml"),
    ("yaml", "a.yaml"),
];

/// The most bytes of text per byte of a document: a name may be repeated before each value that it names. A document
/// that is compressed inside may grow by as much again before its own limits refuse it.
const LARGEST_GROWTH: usize = 400;

/// The most bytes of text added to a document's own words.
const LARGEST_BASE: usize = 64 * 1024;

/// Targets whose documents are packages of parts.
const PACKAGES: [&str; 7] = ["docx", "epub", "odp", "ods", "odt", "pptx", "xlsx"];

/// Begins a line with a part's name, in a text that stands for a package.
const PART: &str = "== ";

/// Parses and chunks a document, and panics if the result is not sound. A package may be given as the text of its
/// parts, each below a line with its name: damage to the compressed form seldom gets past its checksums.
pub fn check(target: &str, bytes: &[u8]) {
    if PACKAGES.contains(&target) && bytes.starts_with(PART.as_bytes()) {
        if let Ok(package) = package(&String::from_utf8_lossy(bytes)) {
            check_bytes(target, &package);
        }
        return;
    }
    check_bytes(target, bytes);
}

/// Builds the package whose parts are written in `text`.
fn package(text: &str) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(PART) {
            Some(name) => writer.start_file(name.trim_end(), options)?,
            None => writer.write_all(line.as_bytes())?,
        }
    }
    Ok(writer.finish()?.into_inner())
}

fn check_bytes(target: &str, bytes: &[u8]) {
    let name = TARGETS.iter().find(|(known, _)| *known == target).map_or(target, |&(_, name)| name);
    match parse_unguarded(Path::new(name), bytes.to_vec()) {
        Ok((_, parsed)) => check_parsed(&parsed, bytes.len()),
        Err(ParseError::Scanned(parsed)) => check_parsed(&parsed, bytes.len()),
        Err(error) => assert!(!error.to_string().trim().is_empty(), "an error says why"),
    }
}

/// Panics if the result of parsing a document of this many bytes is not sound.
pub fn check_parsed(parsed: &Parsed, bytes: usize) {
    let length = parsed.text.len();
    let bound = bytes.saturating_mul(LARGEST_GROWTH).saturating_add(LARGEST_BASE);
    assert!(length <= bound, "{bytes} bytes made {length} of text");
    assert_eq!(crate::base::text::without_controls(&parsed.text), parsed.text, "a terminal obeys nothing in the text");
    let headings: Vec<usize> = parsed.headings.iter().map(|heading| heading.start).collect();
    for offsets in [&parsed.pages, &parsed.breaks, &headings] {
        assert!(offsets.is_sorted(), "offsets are in order: {offsets:?}");
        assert!(offsets.iter().all(|&at| parsed.text.is_char_boundary(at)), "offsets are on character borders");
    }
    assert!(parsed.text.is_char_boundary(parsed.body_start), "the body begins on a character border");
    assert!(parsed.pictures.iter().all(|&place| place < parsed.pages.len()), "pictures are pages");
    for heading in &parsed.headings {
        assert!(heading.start < length && (1..=6).contains(&heading.level) && !heading.text.is_empty(), "{heading:?}");
    }
    assert!(parsed.title.as_ref().is_none_or(|title| !title.trim().is_empty()), "a title has words");
    for chunk in chunk(parsed, &ChunkOptions::default()) {
        assert!(parsed.text.get(chunk.range.clone()).is_some_and(|text| !text.is_empty()), "{:?}", chunk.range);
    }
}

/// The message with which [`check`] panicked, if it did.
pub fn failure(target: &str, bytes: &[u8]) -> Option<String> {
    quiet::catch(|| check(target, bytes)).err()
}
