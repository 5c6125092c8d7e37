//! From bytes to text with its structure; one file per format.
//!
//! To add a format: a file with a `parse` function that gives a [`Parsed`], a [`Format`], and an arm in [`parse`].

mod charset;
mod code;
mod csv;
mod dates;
mod detect;
mod html;
mod json;
mod markdown;
mod pdf;
mod plain;

use std::path::Path;

use crate::domain::{DocumentDate, Format, Heading};

/// What a parser finds in a document. All offsets are byte offsets in `text`, on character borders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// From the content; `None` where the content names none.
    pub title: Option<String>,
    /// The extracted text. For Markdown, text and code it is the decoded source itself.
    pub text: String,
    /// Where each page starts, the first at 0; empty where there are no pages.
    pub pages: Vec<usize>,
    /// In order of their start.
    pub headings: Vec<Heading>,
    /// Starts of records, rows or definitions: borders that a chunk should not cross when it can end there.
    pub breaks: Vec<usize>,
    /// The day the document speaks from, where the content tells.
    pub date: Option<DocumentDate>,
}

/// Why a file cannot be read. The message is shown beside the file's path.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The bytes are no text and no known format.
    #[error("not a text document (binary data)")]
    Binary,
    /// A known format that is broken.
    #[error("broken {format}: {reason}")]
    Broken {
        /// The format's name.
        format: &'static str,
        /// What the parser said.
        reason: String,
    },
    /// Needs a password.
    #[error("encrypted: remove the password and load it again")]
    Encrypted,
    /// Nothing to search in it.
    #[error("no text in it{hint}")]
    Empty {
        /// Why that may be, as in " (pages are images: it needs OCR)".
        hint: &'static str,
    },
}

/// Parses `bytes`, choosing the format by content first and by the name of `path` second.
///
/// CPU work without input or output: call it off the async threads. A broken JSON or CSV file is still text, and is
/// read as that.
pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    if pdf::is_pdf(&bytes) {
        return Ok((Format::Pdf, pdf::parse(&bytes)?));
    }
    let text = charset::decode(bytes)?;
    if text.trim_start().is_empty() {
        return Err(ParseError::Empty { hint: "" });
    }
    let (format, parsed) = parse_text(path, text);
    if parsed.text.trim_start().is_empty() {
        let hint = match format {
            Format::Html => " (the page is built by scripts, or holds only images)",
            _ => "",
        };
        return Err(ParseError::Empty { hint });
    }
    Ok((format, parsed))
}

fn parse_text(path: &Path, text: String) -> (Format, Parsed) {
    let kind = detect::kind(path, &text);
    match kind {
        detect::Kind::Html => (Format::Html, html::parse(&text)),
        detect::Kind::Markdown => (Format::Markdown, markdown::parse(text)),
        detect::Kind::Code(family) => (Format::Code, code::parse(path, text, family)),
        detect::Kind::Json => match json::parse(&text) {
            Some(parsed) => (Format::Json, parsed),
            None if json::looks_like_lines(&text) => (Format::Jsonl, json::parse_lines(&text)),
            None => (Format::Text, plain::parse(text)),
        },
        detect::Kind::Jsonl => (Format::Jsonl, json::parse_lines(&text)),
        detect::Kind::Csv => match csv::parse(&text) {
            Some(parsed) => (Format::Csv, parsed),
            None => (Format::Text, plain::parse(text)),
        },
        detect::Kind::Text => (Format::Text, plain::parse(text)),
    }
}

#[cfg(test)]
mod tests;
