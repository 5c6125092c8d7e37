//! The record that travels in a report so that it can be checked later: an HTML comment at its end, which a rendered
//! page does not show. It keeps the exact words of each citation and some of the text around them, so that they are
//! found again after a document has been moved, renamed or edited.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::Coverage;

/// The format that this program writes, and the newest that it reads.
pub const RECORD_FORMAT: u32 = 1;
/// How the comment begins, at the start of a line.
const OPENING: &str = "<!-- deepsearch-record ";
/// How the comment ends.
const CLOSING: &str = " -->";
/// The number of characters of the document that are kept before and after a quote.
const AROUND_CHARS: usize = 48;

/// The data needed to check a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The format of the record.
    pub format: u32,
    /// When the question was asked; `None` if an earlier version wrote the record.
    #[serde(default)]
    pub written: Option<Timestamp>,
    /// The question, as asked.
    pub question: String,
    /// The code of the report's language.
    pub language: String,
    /// The citations, in the order of their numbers.
    pub citations: Vec<RecordedCitation>,
    /// What became of the documents; `None` if unknown.
    #[serde(default)]
    pub coverage: Option<Coverage>,
    /// Sentences that somebody has approved, as they were worded then.
    #[serde(default)]
    pub approved: Vec<String>,
}

/// The record of one citation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCitation {
    /// The number in the text, from 1.
    pub number: usize,
    /// The document's path as the list of sources shows it.
    pub path: String,
    /// The collection's name.
    #[serde(default)]
    pub collection: String,
    /// Byte range of the quote in the document's extracted text.
    pub bytes: [usize; 2],
    /// Byte range of the passage that the writer was given.
    pub passage: [usize; 2],
    /// The exact words of the quote.
    pub quote: String,
    /// The text right before the quote in the passage.
    #[serde(default)]
    pub before: String,
    /// The text right after the quote.
    #[serde(default)]
    pub after: String,
}

/// Why a report's record cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The record was cut or changed.
    #[error("the record at the end of the report is damaged: {reason}")]
    Damaged {
        /// What the parser said.
        reason: String,
    },
    /// A later version of this program wrote the record.
    #[error(
        "the record at the end of the report has format {found}, and this version reads formats up to {RECORD_FORMAT}: update deepsearch"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
}

impl RecordedCitation {
    /// The text before and after `quote`, a byte range of `passage`.
    pub fn around(passage: &str, quote: [usize; 2]) -> (String, String) {
        let before = passage.get(..quote[0]).unwrap_or_default();
        let start = before.char_indices().rev().nth(AROUND_CHARS - 1).map_or(0, |(at, _)| at);
        let after = passage.get(quote[1]..).unwrap_or_default();
        let end = after.char_indices().nth(AROUND_CHARS).map_or(after.len(), |(at, _)| at);
        (before[start..].to_owned(), after[..end].to_owned())
    }
}

impl Record {
    /// The comment, one line for each citation, with an empty line before it. No text in it can close it.
    pub fn comment(&self) -> String {
        let citations: Vec<String> = self.citations.iter().map(json).collect();
        let coverage = self.coverage.as_ref().map(|coverage| format!(",\n\"coverage\":{}", json(coverage)));
        let approved = match self.approved.is_empty() {
            true => String::new(),
            false => format!(",\n\"approved\":{}", json(&self.approved)),
        };
        let written = self.written.map(|written| format!("\"written\":{},", json(&written)));
        let text = format!(
            "{{\"format\":{},{}\"question\":{},\"language\":{},\"citations\":[\n{}\n]{}{approved}}}",
            self.format,
            written.unwrap_or_default(),
            json(&self.question),
            json(&self.language),
            citations.join(",\n"),
            coverage.unwrap_or_default()
        );
        format!("\n{OPENING}{}{CLOSING}\n", harmless(&text))
    }

    /// Whether a piece of a report is its record.
    pub fn is_comment(piece: &str) -> bool {
        piece.trim_start().starts_with(OPENING)
    }

    /// The report's text without its record, and the record; `None` where there is none.
    pub fn split(markdown: &str) -> (&str, Option<Result<Record, RecordError>>) {
        let at_line = |at: &usize| *at == 0 || markdown[..*at].ends_with('\n');
        let Some(start) = markdown.rmatch_indices(OPENING).map(|(at, _)| at).find(at_line) else {
            return (markdown, None);
        };
        (&markdown[..start], Some(Record::read(&markdown[start + OPENING.len()..])))
    }

    fn read(text: &str) -> Result<Record, RecordError> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let damaged = |reason: String| RecordError::Damaged { reason };
        let json = text.find("-->").map(|end| &text[..end]).ok_or_else(|| damaged("it has no end".to_owned()))?;
        let version: Version = serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
        if version.format > RECORD_FORMAT {
            return Err(RecordError::Newer { found: version.format });
        }
        serde_json::from_str(json).map_err(|error| damaged(error.to_string()))
    }
}

fn json(value: &impl Serialize) -> String {
    // Strings, numbers and lists of them cannot fail to be JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// JSON in which nothing ends a comment or begins a tag; the escaped characters occur only within its strings.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026").replace("--", "-\\u002d")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(quote: &str) -> Record {
        let citation = RecordedCitation {
            number: 1,
            path: "docs/a.md".to_owned(),
            collection: "docs".to_owned(),
            bytes: [3, 3 + quote.len()],
            passage: [0, 100],
            quote: quote.to_owned(),
            before: "b".to_owned(),
            after: String::new(),
        };
        Record {
            format: 1,
            written: None,
            question: "Why?".to_owned(),
            language: "eng".to_owned(),
            citations: vec![citation],
            coverage: None,
            approved: vec!["It ended -->".to_owned()],
        }
    }

    #[test]
    fn a_record_survives_editing_above_it() {
        let one = record("It ended.\n\"So\"");
        let report = format!("# A\n\nText [1].\n{}", one.comment());
        assert_eq!(Record::split(&report), ("# A\n\nText [1].\n\n", Some(Ok(one.clone()))));
        let edited = report.replace("Text", "Other words, longer");
        assert_eq!(Record::split(&edited).1, Some(Ok(one)));
        assert_eq!(Record::split("# A\n"), ("# A\n", None));
    }

    #[test]
    fn a_broken_or_newer_record_says_so() {
        let report = record("x").comment();
        let cut = &report[..report.len() - 6];
        assert!(matches!(Record::split(cut).1, Some(Err(RecordError::Damaged { .. }))));
        let newer = report.replace("\"format\":1", "\"format\":7");
        assert_eq!(Record::split(&newer).1, Some(Err(RecordError::Newer { found: 7 })));
    }

    #[test]
    fn what_stands_around_a_quote_is_bounded() {
        let passage = format!("{}quote{}", "語".repeat(60), "x".repeat(60));
        let (before, after) = RecordedCitation::around(&passage, [180, 185]);
        assert_eq!((before.chars().count(), after.len()), (AROUND_CHARS, AROUND_CHARS));
        assert_eq!(RecordedCitation::around("abc", [1, 2]), ("a".to_owned(), "c".to_owned()));
    }

    proptest! {
        #[test]
        fn no_words_close_the_comment(quote in prop_oneof![any::<String>(), "[-<>!& a]{0,12}"]) {
            let one = record(&quote);
            let comment = one.comment();
            prop_assert_eq!(comment.matches("-->").count(), 1);
            prop_assert_eq!(comment.matches("--").count(), 2);
            prop_assert_eq!(Record::split(&comment).1, Some(Ok(one)));
        }
    }
}
