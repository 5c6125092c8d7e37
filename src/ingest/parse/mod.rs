//! From bytes to text with its structure; one file per format.
//!
//! A document passes three gates: its bytes become text (`charset`), its content and name give the format (`detect`),
//! and that format's file takes the text apart. PDF alone starts from bytes. Every gate is linear in the document's
//! length, and a text is held once, or twice while it is converted.

mod charset;
mod code;
mod csv;
mod date;
mod detect;
mod fetched;
mod html;
mod json;
mod markdown;
mod pdf;
mod text;

use std::path::Path;

pub use fetched::{is_media_type, parse_fetched};

use crate::domain::{DocumentDate, Format, Heading};

/// What a parser finds in a document. All offsets are byte offsets in `text`, on character borders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// From the content; `None` where the content names none.
    pub title: Option<String>,
    /// The extracted text. For Markdown, text and code it is the decoded source itself.
    pub text: String,
    /// Where the text proper begins; what stands before it (front matter) is about the document and not searched.
    pub body_start: usize,
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
pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    if detect::is_pdf(path, &bytes) {
        return Ok((Format::Pdf, pdf::parse(&bytes)?));
    }
    let text = charset::decode(bytes)?;
    if text.trim().is_empty() {
        return Err(ParseError::Empty { hint: "" });
    }
    let format = detect::text_format(path, &text);
    let parsed = match format {
        Format::Markdown => markdown::parse(text)?,
        Format::Html => html::parse(&text)?,
        Format::Json => json::parse(&text)?,
        Format::Jsonl => json::parse_lines(&text)?,
        Format::Csv => csv::parse(&text, path)?,
        Format::Code => code::parse(path, text)?,
        // A PDF went its own way above.
        Format::Text | Format::Pdf => text::parse(text)?,
    };
    Ok((format, parsed))
}

/// Titles and headings longer than this are cut: they are repeated beside every chunk below them.
const LABEL_CHARS: usize = 300;

/// One line of words from a title or a heading, or `None` where there are no words.
fn label(text: &str) -> Option<String> {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if words.len() > LABEL_CHARS * 4 {
            break;
        }
    }
    let cut = words.char_indices().nth(LABEL_CHARS).map_or(words.len(), |(at, _)| at);
    words.truncate(cut);
    (!words.is_empty()).then_some(words)
}

/// Every line with its offset, without its line break.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (at, line.strip_suffix('\r').unwrap_or(line))
    })
}

#[cfg(test)]
mod tests;
