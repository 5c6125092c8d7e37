//! Reads a report's citations, from its record or, if that is missing, from its visible list of sources.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::base::text::{Language, detect_language};
use crate::domain::Coverage;
use crate::report::cite::is_sources_heading;
use crate::report::{Record, RecordError, RecordedCitation, coverage_of, is_account_heading, quote_in};

/// Why a report cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The report is empty.
    #[error("the report is empty")]
    Empty,
    /// It has neither a record nor a list of sources in this program's form.
    #[error(
        "this is no report of deepsearch: it has neither a record of its citations nor a list of sources with quotes"
    )]
    NotOurs,
    /// It is JSON, but not of a report.
    #[error("the JSON is no report: it has no text named `markdown`")]
    NoMarkdown,
    /// It holds several reports, of which each has citations of its own.
    #[error(
        "the file holds more than one report: the record on line {line} ends the first one, and its citation numbers mean other sources than those below. Cut the file after that line and give each report by itself"
    )]
    Several {
        /// The line of the first report's record.
        line: usize,
    },
    /// This version cannot read its record.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A report, split into its parts.
#[derive(Clone, Debug)]
pub struct ReadReport {
    /// The whole file.
    pub markdown: String,
    /// The text above the list of sources, as bytes of `markdown`.
    pub body: Range<usize>,
    /// When the question was asked; `None` if the record does not say.
    pub written: Option<jiff::Timestamp>,
    /// The question as asked; empty if the record is missing.
    pub question: String,
    /// The language of the text.
    pub language: Language,
    /// The citations, by number.
    pub citations: Vec<ReadCitation>,
    /// The coverage of the documents, counted from the citations in the text; `None` if the record does not tell.
    pub coverage: Option<Coverage>,
    /// Approved sentences, in the wording that was approved.
    pub approved: Vec<String>,
    /// Why the record was not used; `None` if it was.
    pub unrecorded: Option<String>,
}

/// A citation as the report has it.
#[derive(Clone, Debug, Default)]
pub struct ReadCitation {
    /// The number in the text.
    pub number: usize,
    /// The document's path as the report shows it.
    pub path: String,
    /// The collection's name; empty if unknown.
    pub collection: String,
    /// Where the words stood; `None` if only the visible list is left.
    pub place: Option<Place>,
    /// The quoted words.
    pub quote: String,
    /// Title, page, headings and day as the list of sources shows them.
    pub listed: String,
}

/// Where the words of a citation stood.
#[derive(Clone, Debug)]
pub struct Place {
    /// Their bytes in the document's text.
    pub bytes: [usize; 2],
    /// The bytes of the passage around them.
    pub passage: [usize; 2],
    /// The words right before them.
    pub before: String,
    /// The words right after them.
    pub after: String,
}

/// Reads a report: Markdown, or the JSON that `query --json` writes.
pub fn read(text: &str) -> Result<ReadReport, VerifyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(VerifyError::Empty);
    }
    let markdown = if text.trim_start().starts_with('{') {
        let json: serde_json::Value = serde_json::from_str(text).map_err(|_| VerifyError::NoMarkdown)?;
        json.get("markdown").and_then(|value| value.as_str()).ok_or(VerifyError::NoMarkdown)?.to_owned()
    } else {
        text.to_owned()
    };
    let (visible, record) = Record::split(&markdown);
    let mut above = visible;
    while let (rest, Some(_)) = Record::split(above) {
        above = rest;
    }
    if above.len() < visible.len() {
        return Err(VerifyError::Several { line: above.lines().count() + 1 });
    }
    let record = match record {
        Some(Err(error @ RecordError::Newer { .. })) => return Err(error.into()),
        other => other,
    };
    let listed = listed(visible);
    let unrecorded = match &record {
        Some(Ok(_)) => None,
        Some(Err(error)) => Some(error.to_string()),
        None => Some("the report has no record any more".to_owned()),
    };
    if listed.is_empty() && !matches!(record, Some(Ok(_))) {
        return Err(VerifyError::NotOurs);
    }
    let body = 0..body_end(visible, !listed.is_empty());
    let record = record.and_then(Result::ok);
    let language = match record.as_ref().map(|record| Language::from_code(&record.language)) {
        Some(language) if language != Language::UNKNOWN => language,
        _ => detect_language(&visible[body.clone()]),
    };
    let coverage = record.as_ref().and_then(|record| coverage_of(record, &visible[body.clone()]));
    let written = record.as_ref().and_then(|record| record.written);
    let recorded = record.map(|record| (record.question, record.citations, record.approved));
    let (question, recorded, approved) = recorded.unwrap_or_default();
    let citations = merged(recorded, listed);
    Ok(ReadReport { body, written, question, language, citations, coverage, approved, unrecorded, markdown })
}

/// The recorded citations, completed from the visible list, and those that only the list has.
fn merged(recorded: Vec<RecordedCitation>, listed: Vec<ReadCitation>) -> Vec<ReadCitation> {
    let mut all: Vec<ReadCitation> = recorded
        .into_iter()
        .map(|one| ReadCitation {
            number: one.number,
            listed: listed
                .iter()
                .find(|other| other.number == one.number)
                .map(|other| other.listed.clone())
                .unwrap_or_default(),
            path: one.path,
            collection: one.collection,
            place: Some(Place { bytes: one.bytes, passage: one.passage, before: one.before, after: one.after }),
            quote: one.quote,
        })
        .collect();
    for one in listed {
        if all.iter().all(|other| other.number != one.number) {
            all.push(one);
        }
    }
    all.sort_by_key(|one| one.number);
    all
}

/// The end of the text, where the list of sources or the account of the research begins.
pub(super) fn body_end(text: &str, has_list: bool) -> usize {
    let (mut heading, mut sources, mut account) = (None, None, None);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(words) = line.trim_start().strip_prefix('#') {
            let words = words.trim_start_matches('#').trim();
            if has_list && is_sources_heading(words) {
                heading = Some(start);
            } else if is_account_heading(words) {
                account = Some(start);
            }
        } else if heading > sources && entry(line).is_some() {
            // A list of references has such a heading too, but no entries of this kind.
            sources = heading;
        }
        start += line.len();
    }
    let sources = sources.or(heading);
    let list = text.find("\n1. **").filter(|_| has_list && sources.is_none());
    [sources, account, list].into_iter().flatten().min().unwrap_or(text.len())
}

/// The entries of the visible list of sources.
fn listed(text: &str) -> Vec<ReadCitation> {
    // If there are two lists, the last one is the report's own.
    let by_number: BTreeMap<_, _> = text.lines().filter_map(entry).map(|entry| (entry.number, entry)).collect();
    by_number.into_values().collect()
}

/// ``3. **Title**, `path`, p. 2, § A › B, 2001-02-03: “quote”``
fn entry(line: &str) -> Option<ReadCitation> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line.get(..digits)?.parse().ok()?;
    let rest = line.get(digits..)?.strip_prefix(". **")?;
    let (title, rest) = rest.split_once("**, ")?;
    let (path, rest) = if let Some(url) = rest.strip_prefix('<') {
        let (url, rest) = url.split_once('>')?;
        (url.to_owned(), rest)
    } else {
        let fence = rest.bytes().take_while(|byte| *byte == b'`').count();
        let mark = rest.get(..fence).filter(|mark| !mark.is_empty())?;
        let (path, rest) = rest[fence..].split_once(mark)?;
        (path.trim().to_owned(), rest)
    };
    let (mark, quote) = quote_in(rest)?;
    let about = rest.get(..mark)?.trim_start_matches([',', ' ']).trim_end_matches([' ', ':', '：']);
    Some(ReadCitation {
        number,
        path,
        quote: unescaped(rest.get(quote)?),
        listed: unescaped(&format!("{title}\n{about}")),
        ..ReadCitation::default()
    })
}

/// Undoes the escaping of Markdown.
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match characters.peek() {
            Some(next) if character == '\\' && next.is_ascii_punctuation() => plain.extend(characters.next()),
            _ => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_the_list_is_read() {
        let line =
            "3. **The \\*show\\***, `docs/a.md`, p. 3, § A › B\\_c, 2001-02-03: “It “began” \\[1\\] in: “1989”.”";
        let found = entry(line).unwrap();
        assert_eq!((found.number, found.path.as_str()), (3, "docs/a.md"));
        assert_eq!(found.quote, "It “began” [1] in: “1989”.");
        assert_eq!(found.listed, "The *show*\np. 3, § A › B_c, 2001-02-03");
        let web = entry("12. **T**, <https://example.org/a>、p. 1：“引用”").unwrap();
        assert_eq!((web.number, web.path.as_str(), web.quote.as_str()), (12, "https://example.org/a", "引用"));
        let german = entry("2. **T**, `a.md`, S. 4: „Es begann „bald“.“").unwrap();
        assert_eq!((german.listed.as_str(), german.quote.as_str()), ("T\nS. 4", "Es begann „bald“."));
        assert!(entry("1. A book, 1989").is_none());
    }

    #[test]
    fn other_files_are_told_from_reports() {
        assert!(matches!(read(" \n"), Err(VerifyError::Empty)));
        assert!(matches!(read("# Notes\n\nSome text [1].\n\n[1]: http://x\n"), Err(VerifyError::NotOurs)));
        assert!(matches!(read("{\"a\": 1}"), Err(VerifyError::NoMarkdown)));
        let report = "# T\n\nIt began [1].\n\n<!-- deepsearch-record {} -->\n";
        assert!(matches!(read(&report.repeat(2)), Err(VerifyError::Several { line: 5 })));
    }

    #[test]
    fn the_text_ends_where_the_list_begins() {
        let report = "# T\n\nIt began [1].\n\n## Sources\n\n1. **T**, `a.md`: “It began.”\n\n## How this was researched\n\n- 3 [1]\n";
        let read = read(report).unwrap();
        assert_eq!(&read.markdown[read.body.clone()], "# T\n\nIt began [1].\n\n");
        assert_eq!(read.citations.len(), 1);
        assert!(read.unrecorded.is_some());
        // A list of references below it is not part of the text.
        let styled = report.replace("## How", "## References\n\n- T. (n.d.). [1]\n\n## How");
        assert_eq!(super::read(&styled).unwrap().body, read.body);
    }
}
