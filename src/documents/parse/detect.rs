//! Determines a document's format: by its content where that is unmistakable, otherwise by its name.
//!
//! A PDF header, the first word of RTF, the type that a package declares and the first tag of an HTML document are
//! unmistakable. JSON is looked for only where the name leaves room for it: `[]` is also a line of Markdown and `{}` a
//! block of code.

mod named;

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::IgnoredAny;

pub(super) use named::by_name;

use super::zip::Package;
use super::{ParseError, email, markdown, subtitles};
use crate::documents::magic::{GZIP, ZIP, ZSTD};
use crate::domain::Format;

/// How many bytes at the start are looked at for the header of a PDF or the first tag of a page.
const PDF_HEADER_BYTES: usize = 1024;

/// Whether the bytes are a PDF, or a file that is named as one and has no other known format.
pub(super) fn is_pdf(path: &Path, bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(PDF_HEADER_BYTES)];
    if head.trim_ascii_start().starts_with(b"%PDF-") {
        return true;
    }
    // Servers may answer a request for a paper with a login page, which is read as a page.
    let is_another = is_html(&String::from_utf8_lossy(head))
        || [ZIP, RTF, COMPOUND_FILE].iter().any(|start| bytes.starts_with(start));
    by_name(path) == Some(Format::Pdf) && !bytes.is_empty() && !is_another
}

/// Whether the bytes are an e-mail message, or a file that is named as one.
pub(super) fn is_email(path: &Path, bytes: &[u8]) -> bool {
    match by_name(path) {
        Some(Format::Email) => true,
        None | Some(Format::Text) => email::is_email(bytes),
        Some(_) => false,
    }
}

/// The beginning of rich text.
const RTF: &[u8] = b"{\\rtf";

/// The beginning of binary office documents from before 2007, and of encrypted ones of today.
const COMPOUND_FILE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// The format of a document that is read from bytes, other than PDF; `None` if it is text or unknown.
pub(super) fn binary_format(path: &Path, bytes: &[u8]) -> Result<Option<Format>, ParseError> {
    if bytes.starts_with(RTF) {
        return Ok(Some(Format::Rtf));
    }
    let named = by_name(path).filter(|format| is_package(*format));
    if bytes.starts_with(ZIP) {
        return Ok(packaged(bytes).or(named));
    }
    if bytes.starts_with(COMPOUND_FILE) {
        let mark: Vec<u8> = "EncryptedPackage".bytes().flat_map(|byte| [byte, 0]).collect();
        let is_encrypted = bytes.windows(mark.len()).any(|window| window == mark);
        return Err(if is_encrypted { ParseError::Encrypted } else { ParseError::Outdated });
    }
    // A login page may be saved under any name, and is not a package. Other content goes to the parser for its name.
    let head = &bytes[..bytes.len().min(PDF_HEADER_BYTES)];
    Ok(named.filter(|_| !bytes.is_empty() && !is_html(&String::from_utf8_lossy(head))))
}

/// Whether a document consists of parts, tags or nested values, by its first bytes or its name.
pub(super) fn is_structured(path: &Path, bytes: &[u8]) -> bool {
    let is_tree = |format| {
        matches!(
            format,
            Format::Html
                | Format::Xml
                | Format::Json
                | Format::Jsonl
                | Format::Yaml
                | Format::Toml
                | Format::Notebook
                | Format::Pdf
        )
    };
    is_pdf(path, bytes)
        || bytes.starts_with(ZIP)
        || bytes.starts_with(RTF)
        || by_name(path).is_some_and(|format| is_package(format) || is_tree(format))
}

/// How a file that is not text is packed, and what to do about it: archives that can be read are recognised by their
/// names.
pub(super) fn refusal_of_packed(bytes: &[u8]) -> Option<&'static str> {
    const STARTS: [(&[u8], &str); 7] = [
        (ZIP, "a zip archive: it is read where its name ends in .zip"),
        (GZIP, "packed by gzip: it is read where its name ends in .gz or .tgz"),
        (ZSTD, "packed by zstd: it is read where its name ends in .zst"),
        (b"BZh", "packed by bzip2, which is not read: pack it as zip or tar.gz"),
        (b"\xfd7zXZ\0", "packed by xz, which is not read: pack it as zip or tar.gz"),
        (b"7z\xbc\xaf\x27\x1c", "packed by 7-Zip, which is not read: pack it as zip or tar.gz"),
        (b"Rar!\x1a\x07", "packed by RAR, which is not read: pack it as zip or tar.gz"),
    ];
    STARTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, what)| *what)
}

fn is_package(format: Format) -> bool {
    matches!(
        format,
        Format::Docx
            | Format::Odt
            | Format::Epub
            | Format::Pptx
            | Format::Odp
            | Format::Xlsx
            | Format::Ods
            | Format::Rtf
    )
}

/// The format that a zip archive declares: OpenDocument and EPUB in a part for it, Office Open XML in its list of
/// types.
fn packaged(bytes: &[u8]) -> Option<Format> {
    // An archive that cannot be opened is identified by its name, and its parser reports the fault.
    let mut package = Package::open(bytes, "archive").ok()?;
    let mut part =
        |name: &str| package.read(name).ok().flatten().map(|part| String::from_utf8_lossy(&part).into_owned());
    if let Some(kind) = part("mimetype") {
        let kind = kind.trim().trim_start_matches("application/").trim_start_matches("vnd.oasis.opendocument.");
        return match kind.trim_end_matches("-template") {
            "epub+zip" => Some(Format::Epub),
            "text" | "text-master" | "text-web" => Some(Format::Odt),
            "presentation" => Some(Format::Odp),
            "spreadsheet" => Some(Format::Ods),
            _ => None,
        };
    }
    let types = part("[Content_Types].xml")?;
    let main = types.split(['"', '\'']).find(|word| word.ends_with(".main+xml"))?;
    let of = |names: &[&str]| names.iter().any(|name| main.contains(name));
    if of(&["wordprocessingml.", "ms-word."]) {
        Some(Format::Docx)
    } else if of(&["presentationml.", "ms-powerpoint."]) {
        Some(Format::Pptx)
    } else if of(&["spreadsheetml.", "ms-excel."]) {
        Some(Format::Xlsx)
    } else {
        None
    }
}

/// The format of a document that is text.
pub(super) fn text_format(path: &Path, text: &str) -> Format {
    if is_html(text) {
        return Format::Html;
    }
    match by_name(path) {
        Some(Format::Json) if is_notebook(text) => Format::Notebook,
        Some(Format::Json) => named_json(text),
        Some(Format::Jsonl) => named_jsonl(text),
        None if text.starts_with("#!") => Format::Code,
        None | Some(Format::Text | Format::Pdf | Format::Email) => unnamed(text),
        Some(format) => format,
    }
}

/// The format that the first lines of a text show when its name shows none.
fn unnamed(text: &str) -> Format {
    if text.starts_with("<?xml ") {
        Format::Xml
    } else if is_subtitles(text) {
        Format::Subtitles
    } else if is_notebook(text) {
        Format::Notebook
    } else {
        markup(text).or_else(|| json(text)).unwrap_or(Format::Text)
    }
}

/// WebVTT has a first line of its own; SubRip begins with a cue's number and times.
fn is_subtitles(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    let first = lines.next().unwrap_or_default();
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    first == "WEBVTT" || (is_number && lines.next().is_some_and(subtitles::is_times))
}

/// Whether a text is an object with the fields of a notebook. Other objects may have such names deeper inside.
fn is_notebook(text: &str) -> bool {
    // Most objects are ruled out without being parsed.
    text.trim_start().starts_with('{')
        && text.contains("\"nbformat\"")
        && serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text).is_ok_and(|fields| {
            fields.contains_key("nbformat") && (fields.contains_key("cells") || fields.contains_key("worksheets"))
        })
}

/// How many of the first lines of a text may be the one that identifies its markup.
const TELLING_LINES: usize = 50;

/// The markup of a text whose name does not tell it, if a line near its beginning can be nothing else.
fn markup(text: &str) -> Option<Format> {
    let mut lines = text.lines().take(TELLING_LINES).map(str::trim).filter(|line| !line.is_empty());
    let tex = |line: &str| line.starts_with("\\documentclass") || line.starts_with("\\documentstyle");
    // Only comments may precede this command.
    if lines.clone().find(|line| !line.starts_with('%')).is_some_and(tex) {
        return Some(Format::Latex);
    }
    if markdown::has_titled_front_matter(text) {
        return Some(Format::Markdown);
    }
    let first = lines.next()?;
    let keyword = first.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("#+title:"));
    keyword.then_some(Format::Org)
}

/// Whether the first thing after an XML declaration and comments is HTML's document type or root.
fn is_html(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else {
            break;
        };
        let Some(at) = rest.find(end) else { return false };
        rest = rest[at + end.len()..].trim_start();
    }
    let starts_with = |tag: &str| {
        let begins = rest.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
        begins && rest[tag.len()..].starts_with(|next: char| next == '>' || next.is_whitespace())
    };
    starts_with("<html") || starts_with("<!doctype html")
}

/// The format of a file named `.json`: one value or, despite the name, one value per line. Broken content counts as
/// JSON.
fn named_json(text: &str) -> Format {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let Some(Ok(IgnoredAny)) = values.next() else { return Format::Json };
    let (first, rest) = text.split_at(values.byte_offset());
    if rest.trim().is_empty() || first.trim().contains('\n') { Format::Json } else { Format::Jsonl }
}

/// The format of a file named `.jsonl`: one value per line, unless the lines together are a single value.
fn named_jsonl(text: &str) -> Format {
    let first = text.trim_start().lines().next().unwrap_or_default();
    if is_json(first) || !is_json(text) { Format::Jsonl } else { Format::Json }
}

/// The format of a text that is not named as JSON but consists of objects or arrays throughout.
fn json(text: &str) -> Option<Format> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut count = 0_usize;
    let mut start = 0;
    let mut one_a_line = true;
    while let Some(value) = values.next() {
        if value.is_err() {
            return None;
        }
        let end = values.byte_offset();
        one_a_line &= !text[start..end].trim().contains('\n');
        start = end;
        count += 1;
    }
    match count {
        0 => None,
        1 => Some(Format::Json),
        _ => one_a_line.then_some(Format::Jsonl),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expected: Format) {
        assert_eq!(text_format(Path::new(name), text), expected, "{name}: {text}");
    }

    #[test]
    fn names_decide_for_plain_content() {
        check("a.md", "words", Format::Markdown);
        check("A.MARKDOWN", "words", Format::Markdown);
        check("a.txt", "words", Format::Text);
        check("a.htm", "<p>words", Format::Html);
        check("a.tsv", "a\tb", Format::Csv);
        check("a.rs", "fn f() {}", Format::Code);
        check("dir/Dockerfile", "FROM x", Format::Code);
        check("CMakeLists.txt", "project(x)", Format::Code);
        check("README", "words", Format::Text);
        check("a.unknown", "words", Format::Text);
        check("script", "#!/bin/sh\nls", Format::Code);
        check("a.yml", "a: 1", Format::Yaml);
        check("a.toml", "a = 1", Format::Toml);
        check("a.srt", "words", Format::Subtitles);
        check("a.ipynb", "{}", Format::Notebook);
        check("https://example.org/a.md?raw=1#top", "words", Format::Markdown);
        check("https://example.org/", "words", Format::Text);
    }

    #[test]
    fn html_is_html_under_any_name() {
        check("a.txt", "\n<!DOCTYPE HTML PUBLIC \"-//W3C\">", Format::Html);
        check("noname", "<?xml version=\"1.0\"?>\n<!-- saved -->\n<html lang=en>", Format::Html);
        check("a.txt", "<htmlx>", Format::Text);
        check("a.txt", "<!doctype html5ever>", Format::Text);
        check("a.xml", "<?xml version=\"1.0\"?><note/>", Format::Xml);
        check("a.svg", "<?xml version=\"1.0\"?><svg/>", Format::Code);
        check("noname", "<?xml version=\"1.0\"?><note/>", Format::Xml);
        check("a.txt", "<!-- never closed", Format::Text);
    }

    #[test]
    fn json_is_told_from_what_looks_like_it() {
        check("a.json", "{\"a\":1}", Format::Json);
        check("a.json", "{\"a\":1}\n{\"a\":2}\n", Format::Jsonl);
        check("a.json", "{\"a\":", Format::Json);
        check("a.json", "{\n\"a\":1}\n{\"a\":2}", Format::Json);
        check("a.jsonl", "{\"a\":1}", Format::Jsonl);
        check("a.jsonl", "[\n1,\n2]", Format::Json);
        check("a.jsonl", "{\"a\":1}\nbroken", Format::Jsonl);
        check("noname", "[1, 2]", Format::Json);
        check("noname", "{\"a\":1}\n{\"a\":2}", Format::Jsonl);
        check("a.log", "[info] started", Format::Text);
        check("a.txt", "[1] A footnote.", Format::Text);
        check("a.md", "[]", Format::Markdown);
        check("a.txt", "42", Format::Text);
    }

    #[test]
    fn some_contents_need_no_name() {
        check("talk.txt", "\n1\n00:00:01,000 --> 00:00:02,000\nHello", Format::Subtitles);
        check("talk", "WEBVTT\n\n00:01.000 --> 00:02.000\nHello", Format::Subtitles);
        check("talk.txt", "1\nfirst of all", Format::Text);
        check("work.json", "{\"cells\": [], \"nbformat\": 4}", Format::Notebook);
        check("work", "{\"worksheets\": [], \"nbformat\": 3}", Format::Notebook);
        check("api.json", "{\"fields\": {\"nbformat\": 4, \"cells\": []}}", Format::Json);
        let is_email = |name: &str, text: &str| is_email(Path::new(name), text.as_bytes());
        assert!(is_email("a.eml", "anything"));
        assert!(is_email("inbox/1", "From: a@b\nMessage-ID: <1>\n\nHello"));
        assert!(!is_email("a.md", "From: a@b\nMessage-ID: <1>\n\nHello"));
    }

    #[test]
    fn markup_is_told_by_name_or_by_a_line() {
        check("a.tex", "words", Format::Latex);
        check("a.txt", "% comment\n\n\\documentclass[a4paper]{article}", Format::Latex);
        check("a.txt", "In TeX, \\documentclass comes first.", Format::Text);
        check("a.org", "* Heading", Format::Org);
        check("noname", "#+TITLE: The plan", Format::Org);
        check("a.txt", "---\ntitle: The plan\n---\nWords.", Format::Markdown);
        check("a.txt", "---\nWords.\n---\nMore.", Format::Text);
        check("a.rst", "words", Format::Rst);
        check("a.adoc", "= Title", Format::Asciidoc);
    }

    #[test]
    fn packages_are_told_by_what_they_say() {
        use super::super::zip::testing::archive;
        let check = |name: &str, bytes: &[u8], expected: Option<Format>| {
            assert_eq!(binary_format(Path::new(name), bytes).expect("no old format"), expected, "{name}");
        };
        let typed =
            |kind: &str| archive(&[("[Content_Types].xml", format!("<T><O C='a/{kind}.main+xml'/></T>").as_bytes())]);
        check("a.zip", &typed("vnd.openxmlformats-officedocument.wordprocessingml.document"), Some(Format::Docx));
        check("a", &typed("vnd.ms-powerpoint.presentation.macroEnabled"), Some(Format::Pptx));
        check("a.docx", &typed("vnd.openxmlformats-officedocument.spreadsheetml.sheet"), Some(Format::Xlsx));
        check("a.zip", &archive(&[("mimetype", b"application/epub+zip")]), Some(Format::Epub));
        check("a", &archive(&[("mimetype", b"application/vnd.oasis.opendocument.text-template")]), Some(Format::Odt));
        check("a", &archive(&[("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")]), Some(Format::Ods));
        check("a.zip", &archive(&[("a.txt", b"words")]), None);
        check("a.txt", b"{\\rtf1 words}", Some(Format::Rtf));
        check("a.docx", b"PK\x03\x04 cut", Some(Format::Docx));
        check("a.docx", b"<!doctype html><p>log in", None);
        check("a.odt", b"junk", Some(Format::Odt));
        check("a.txt", b"words", None);
        let locked: Vec<u8> = [COMPOUND_FILE, b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"].concat();
        assert!(matches!(binary_format(Path::new("a.docx"), &locked), Err(ParseError::Encrypted)));
        let old = binary_format(Path::new("a.doc"), COMPOUND_FILE).expect_err("old").to_string();
        assert!(old.contains("save it as DOCX"), "{old}");
    }

    #[test]
    fn pdf_has_a_header_or_a_name() {
        let check = |name: &str, bytes: &[u8], expected| assert_eq!(is_pdf(Path::new(name), bytes), expected, "{name}");
        check("a.txt", b"%PDF-1.7\n", true);
        check("a.pdf", b"junk", true);
        check("a.pdf", b"<!doctype html><p>log in", false);
        check("a.pdf", b"PK\x03\x04 a package", false);
        check("a.pdf", b"{\\rtf1 words}", false);
        check("a.txt", b"about %PDF-1.7", false);
        check("a.pdf", b"", false);
    }
}
