//! From bytes to text with its structure; one file per format.

mod csv;
mod json;
mod pdf;

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
pub fn parse(path: &Path, bytes: Vec<u8>) -> Result<(Format, Parsed), ParseError> {
    let _ = path;
    let text = String::from_utf8(bytes).map_err(|_| ParseError::Binary)?;
    Ok((Format::Text, Parsed { text, ..Parsed::default() }))
}
