//! From bytes to text with its structure; one file per format.
//!
//! A document passes three gates: its bytes become text (`charset`), its content and name give the format (`detect`),
//! and that format's file analyses the text. PDF, e-mail and packages of parts are read from bytes. These, and anything
//! that may be markup or nested values, are parsed in another process (`apart`). Every gate is linear in the document's
//! length.

mod apart;
mod asciidoc;
mod authorship;
mod byline;
mod charset;
mod code;
mod comments;
mod compose;
mod csv;
mod date;
mod dateline;
mod detect;
mod docx;
pub mod email;
mod epub;
mod fetched;
mod html;
mod json;
mod latex;
mod letterhead;
mod lost;
mod markdown;
mod notebook;
mod ods;
mod opc;
mod opendocument;
mod org;
mod pdf;
mod pptx;
mod properties;
mod publication;
mod references;
mod rst;
mod rtf;
mod sheet;
mod subtitles;
mod table;
mod text;
mod toml_document;
mod values;
mod writer;
mod xlsx;
mod xml;
mod xml_document;
mod yaml;
mod zip;

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use apart::{ARGUMENT, answer_parent, use_process};
pub(super) use charset::charset_of_names;
pub use dateline::date_of_dateline;
pub use docx::EditedText;
pub use fetched::{decoded, file_name};
pub use fetched::{is_media_type, parse_fetched};
pub use html::flattened;
pub use letterhead::names_minutes;
pub use references::{Reference, References, WRITTEN_HERE, mark_of_csl};

use crate::base::quiet;
use crate::base::text::{Language, without_controls};
use crate::domain::{Authorship, DocumentDate, Format, Heading};

/// The result of parsing a document. All offsets are byte offsets in `text`, on character boundaries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The title in the content; `None` if it has none.
    pub title: Option<String>,
    /// The extracted text. For Markdown, text and code it is the decoded source itself, without control characters.
    #[serde(skip)]
    pub text: String,
    /// Where the text proper begins; the text before it (front matter) is about the document and is not searched.
    pub body_start: usize,
    /// Where each page starts, the first at 0; empty if there are no pages.
    pub pages: Vec<usize>,
    /// Indices in `pages` of the pages that show a picture and have no text: they need OCR.
    pub pictures: Vec<usize>,
    /// The parts that could not be read, and why, as in "page 3 (…)"; the other fields hold the rest.
    pub lost: Option<String>,
    /// The headings, in order of their start.
    pub headings: Vec<Heading>,
    /// Starts of records, rows or definitions: a chunk should end at one of these rather than cross it.
    pub breaks: Vec<usize>,
    /// The day as of which the document speaks, if its content or its name says so.
    pub date: Option<DocumentDate>,
    /// The language that the document declares.
    pub language: Language,
    /// The document's own statements about its publication.
    pub authorship: Authorship,
}

impl Parsed {
    /// Begins a block of the text and returns its offset.
    fn begin_block(&mut self) -> usize {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.len()
    }

    /// The words of the first heading of the first level, which often is the title.
    fn first_heading(&self) -> Option<String> {
        self.headings.iter().find(|heading| heading.level == 1).map(|heading| heading.text.clone())
    }
}

/// Why a file cannot be read. The message is shown beside the file's path.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The bytes are neither text nor a known format.
    #[error("not a text document (binary data)")]
    Binary,
    /// The bytes are those of an archive, or of a file that is compressed as a whole.
    #[error("not a text document but {0}")]
    Packed(Cow<'static, str>),
    /// A known format that is broken.
    #[error("broken {format}: {reason}")]
    Broken {
        /// The format's name.
        format: &'static str,
        /// The parser's message.
        reason: String,
    },
    /// An old format that is not read.
    #[error("an old binary document: open it and save it as DOCX, XLSX, PPTX or PDF")]
    Outdated,
    /// The document needs a password.
    #[error("encrypted: remove the password and load it again")]
    Encrypted,
    /// Pages with pictures and without text. The known facts about the document are included, for OCR to complete.
    #[error("no text in it (its pages are images: it needs OCR, see `load.ocr` in the settings)")]
    Scanned(Box<Parsed>),
    /// Nothing but white space. That is not an error: some files exist for their names alone.
    #[error("it is empty")]
    Blank,
    /// The content has nothing to search.
    #[error("no text in it{hint}")]
    Empty {
        /// A possible reason, as in " (its sheets are empty)".
        hint: Cow<'static, str>,
    },
    /// The reason that the process reading the document gave, or that it had to be ended.
    #[error("{0}")]
    Unread(String),
}

/// Parses `bytes`, choosing the format by content first and by the name of `path` second.
///
/// A document must not bring the load down: see `apart`.
pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    apart::parse(path, bytes)
}

/// [`parse`] in this process. A panic of a library becomes an error.
fn parse_here(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    guarded(|| parse_unguarded(path, bytes))
}

/// A DOCX document as somebody left it, with the values that its writer stored in it under `name`.
pub fn edited_text(bytes: &[u8], name: &str) -> Result<EditedText, ParseError> {
    guarded(|| docx::edited(bytes, name))
}

fn guarded<T>(work: impl FnOnce() -> Result<T, ParseError>) -> Result<T, ParseError> {
    quiet::catch(work).unwrap_or_else(|reason| Err(ParseError::Broken { format: "document", reason }))
}

/// [`parse`] without catching panics, which fuzzing looks for.
pub(crate) fn parse_unguarded(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    let (format, mut parsed) = parse_content(path, bytes)?;
    if let Some(title) = letterhead::title_below_sender(&parsed) {
        parsed.title = Some(title);
    }
    parsed.date = dateline::document_date(path, format, &parsed);
    Ok((format, parsed))
}

fn parse_content(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ParseError::Blank);
    }
    if detect::is_pdf(path, &bytes) {
        return Ok((Format::Pdf, pdf::parse(&bytes)?));
    }
    if detect::is_email(path, &bytes)
        && let Some(parsed) = email::parse(&bytes)?
    {
        return Ok((Format::Email, parsed));
    }
    if let Some(format) = detect::binary_format(path, &bytes)? {
        return Ok((format, parse_binary(format, &bytes)?));
    }
    let packed = detect::refusal_of_packed(&bytes);
    let text = charset::decode(bytes).map_err(|error| match packed {
        Some(refusal) => ParseError::Packed(refusal.into()),
        None => error,
    })?;
    if text.trim().is_empty() {
        return Err(ParseError::Blank);
    }
    let format = detect::text_format(path, &text);
    let parsed = match format {
        Format::Markdown if detect::by_name(path) != Some(Format::Markdown) => markdown::parse_unnamed(text)?,
        Format::Markdown => markdown::parse(text)?,
        Format::Html => html::parse(&text)?,
        Format::Json => json::parse(&text)?,
        Format::Jsonl => json::parse_lines(&text)?,
        Format::Csv => csv::parse(&text, path)?,
        Format::Code => code::parse(path, text)?,
        Format::Yaml => yaml::parse(text)?,
        Format::Toml => toml_document::parse(&text)?,
        Format::Xml => xml_document::parse(&text)?,
        Format::Notebook => notebook::parse(&text)?,
        Format::Subtitles => subtitles::parse(&text)?,
        Format::Latex => latex::parse(&text)?,
        Format::Org => org::parse(text),
        Format::Rst => rst::parse(text),
        Format::Asciidoc => asciidoc::parse(text),
        // Formats that are read from bytes were handled above.
        _ => text::parse(text)?,
    };
    Ok((format, parsed))
}

/// Whether the bytes are a PDF.
pub fn is_pdf(path: &Path, bytes: &[u8]) -> bool {
    detect::is_pdf(path, bytes)
}

fn parse_binary(format: Format, bytes: &[u8]) -> Result<Parsed, ParseError> {
    match format {
        Format::Docx => docx::parse(bytes),
        Format::Odt => opendocument::parse(bytes, "ODT"),
        Format::Odp => opendocument::parse(bytes, "ODP"),
        Format::Ods => ods::parse(bytes),
        Format::Pptx => pptx::parse(bytes),
        Format::Xlsx => xlsx::parse(bytes),
        Format::Epub => epub::parse(bytes),
        Format::Rtf => rtf::parse(bytes),
        _ => Err(ParseError::Binary),
    }
}

/// The characters after which titles and headings are cut: they are repeated beside every chunk below them.
const LABEL_CHARS: usize = 300;

/// A title or a heading on one line, or `None` if it has no words.
fn label(text: &str) -> Option<String> {
    let mut words = String::new();
    for word in without_controls(text).split_whitespace() {
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

/// The number of columns that a text takes where characters stand below each other: a wide character takes two.
fn columns(text: &str) -> usize {
    text.chars().map(|char| if u32::from(char) >= 0x2e80 { 2 } else { 1 }).sum()
}

/// Words without the marks around them, as in `*words*`. A mark within a word is a part of it.
fn without_emphasis(words: &str, marks: &[char]) -> String {
    let mut out = String::with_capacity(words.len());
    for (at, char) in words.char_indices() {
        let before = words[..at].chars().next_back();
        let after = words[at + char.len_utf8()..].chars().next();
        let is_of_word = |side: Option<char>| side.is_some_and(|char| char.is_alphanumeric());
        let is_mark = marks.contains(&char) && is_of_word(before) != is_of_word(after);
        if !is_mark {
            out.push(char);
        }
    }
    out
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
mod formats_tests;
// Uses the computing time that Linux counts for a process.
#[cfg(all(test, target_os = "linux"))]
mod linear;
#[cfg(test)]
mod mutations;
#[cfg(any(test, feature = "fuzz"))]
pub mod sound;
#[cfg(test)]
mod tests;
