//! Front matter: the block of fields that many tools keep above a Markdown document.
//!
//! Only a few fields matter here, and their values take a line or a folded line, so the block is read line by line:
//! nested, listed or malformed content is skipped and does not cost the document its body.

use super::super::{date, label, lines};
use crate::base::text::Language;
use crate::domain::DocumentDate;

/// A block that is not closed within this many bytes is a thematic break with text after it.
const MAX_BYTES: usize = 64 * 1024;

/// Names of the date's field; the first that holds a date wins.
const DATE_KEYS: [&str; 8] =
    ["date", "published", "publish_date", "pubdate", "created", "updated", "last_modified", "lastmod"];

const LANGUAGE_KEYS: [&str; 3] = ["lang", "language", "locale"];

pub(super) struct FrontMatter {
    /// Where the document's body begins.
    pub(super) end: usize,
    /// Where the first field begins that is not read here.
    pub(super) other: Option<usize>,
    pub(super) title: Option<String>,
    pub(super) date: Option<DocumentDate>,
    pub(super) language: Language,
}

/// Reads the front matter of a document that has one: `---` with `key: value`, or `+++` with `key = value`.
pub(super) fn find(text: &str) -> Option<FrontMatter> {
    let mut lines = lines(text).take_while(|(start, _)| *start < MAX_BYTES);
    let (fence, separator) = match lines.next()?.1.trim_end() {
        "---" => ("---", ':'),
        "+++" => ("+++", '='),
        _ => return None,
    };
    let mut fields: Vec<(String, String)> = Vec::new();
    let (mut end, mut other) = (None, None);
    for (start, line) in lines {
        let trimmed = line.trim();
        if line.trim_end() == fence || (fence == "---" && line.trim_end() == "...") {
            end = Some(text[start..].find('\n').map_or(text.len(), |newline| start + newline + 1));
            break;
        } else if line.starts_with([' ', '\t']) {
            // The rest of a folded value, or nested content, which no known field has.
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(trimmed);
            }
        } else if let Some((key, value)) = line.split_once(separator) {
            let key = key.trim().trim_matches('"').to_lowercase().replace('-', "_");
            if key != "title" && !DATE_KEYS.contains(&key.as_str()) && !LANGUAGE_KEYS.contains(&key.as_str()) {
                other.get_or_insert(start);
            }
            fields.push((key, value.trim().to_owned()));
        }
    }
    // Without a single field this is text between two thematic breaks.
    let end = end.filter(|_| !fields.is_empty())?;
    let value = |key: &str| fields.iter().find(|(name, _)| name == key).map(|(_, value)| scalar(value));
    let title = value("title").and_then(|title| label(&title));
    let date = DATE_KEYS
        .iter()
        .filter_map(|key| value(key))
        .find_map(|value| date::find(&value))
        .map(DocumentDate::front_matter);
    let language = LANGUAGE_KEYS.iter().find_map(|key| value(key)).unwrap_or_default();
    Some(FrontMatter { end, other, title, date, language: Language::tagged(&language) })
}

/// The words of a value, without quotes, a trailing comment or the mark of a folded value.
fn scalar(value: &str) -> String {
    let mut chars = value.chars();
    match chars.next() {
        Some('"') => {
            let mut words = String::new();
            while let Some(char) = chars.next() {
                match char {
                    '"' => break,
                    '\\' => words.extend(chars.next().map(|escaped| if escaped == 'n' { ' ' } else { escaped })),
                    _ => words.push(char),
                }
            }
            words
        }
        Some('\'') => {
            let inner = &value[1..];
            // Within quotes, two quotes stand for one.
            let joined = inner.replace("''", "\0");
            joined.split('\'').next().unwrap_or_default().replace('\0', "'")
        }
        Some('>' | '|') => value.split_once(' ').map_or("", |(_, folded)| folded).to_owned(),
        _ => value.split(" #").next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Option<&str>, Option<&str>, &str)>) {
        let found = find(text);
        let date = found.as_ref().and_then(|front| front.date.map(|date| date.date.to_string()));
        let found = found.as_ref().map(|front| (front.title.as_deref(), date.as_deref(), &text[front.end..]));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn fields() {
        check("---\ntitle: A # b\ndate: 2022-10-03\n---\nbody", Some((Some("A"), Some("2022-10-03"), "body")));
        check("---\r\nTitle: 'it''s'\r\n...\r\nbody", Some((Some("it's"), None, "body")));
        check("---\ntitle: \"a \\\"b\\\" c\"\n---\n", Some((Some("a \"b\" c"), None, "")));
        check("---\ntitle: >-\n  two\n  lines\ntags:\n  - x\n---\nb", Some((Some("two lines"), None, "b")));
        check("+++\ntitle = \"T\"\nlastmod = 2021-01-02T00:00:00Z\n+++\nb", Some((Some("T"), Some("2021-01-02"), "b")));
        check("---\nupdated: 2023-01-01\npublished: October 3, 2022\n---\n", Some((None, Some("2022-10-03"), "")));
        check("---\ntitle:\ndate: soon\n---\nb", Some((None, None, "b")));
    }

    #[test]
    fn thematic_breaks_are_none() {
        check("---\njust words\n---\nbody", None);
        check("---\ntitle: never closed\nbody", None);
        check("----\ntitle: x\n----\n", None);
        check("text\n---\ntitle: x\n---\n", None);
        check("", None);
    }

    #[test]
    fn a_late_end_is_no_end() {
        check(&format!("---\nkey: {}\n---\nbody", "x".repeat(MAX_BYTES)), None);
    }
}
