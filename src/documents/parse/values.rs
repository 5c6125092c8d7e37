//! Writes named values, as JSON, YAML, TOML and XML hold them: as prose where they are prose, and as `key: value` lines
//! elsewhere.
//!
//! A list of records becomes one block per record, and a chunk may end before each. A record of a few short values is a
//! row, so that what it says of one thing stays together; any other is headed by its own title. If others have
//! headings, records without a title get one as well, since they would otherwise stand below the heading of another.
//! Nesting stays visible as a path (`address.city: Springfield`), so that a line means the same wherever it is quoted.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::table::{PROSE_WORDS, end_row};
use super::{ParseError, Parsed};
use crate::base::text::{one_line, without_controls};
use crate::domain::{DocumentDate, Heading};

/// Keys that name the object they stand in.
const TITLE_KEYS: [&str; 4] = ["title", "name", "heading", "headline"];

/// Keys that hold the main text of a record.
const TEXT_KEYS: [&str; 8] = ["text", "body", "content", "abstract", "description", "summary", "paragraphs", "article"];

/// Keys that hold the day, the most reliable first.
const DATE_KEYS: [&str; 8] =
    ["date", "published", "published_at", "publishedAt", "datePublished", "publication_date", "created_at", "created"];

/// A nested text of at least this many bytes is prose that needs no path before it.
pub(super) const SENTENCE: usize = 60;

/// A string of at least this many bytes is a paragraph of its own, below its key.
const LONG_STRING: usize = 200;

/// A list of short values of more than this many bytes is written with one value per line.
const LONG_LIST: usize = 400;

/// The level of a record's heading.
const RECORD: u8 = 2;

/// The longest title that becomes a heading, in bytes.
pub(super) const LONGEST_HEADING: usize = 200;

/// A path is repeated before each of its values, so one of more bytes is cut from the left, where it says least.
const LONGEST_PATH: usize = 120;

/// Begins a string that holds a number as it is written. Number types keep the value and not the spelling: the two
/// decimals of `1.10`, or the last digits of a long number. No text has this character.
pub(super) const NUMBER: char = '\u{fdd0}';

/// A number as it is written, marked as such.
pub(super) fn number(written: &str) -> Value {
    Value::String(format!("{NUMBER}{written}"))
}

/// The text of a string that does not hold a number.
fn words(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.starts_with(NUMBER))
}

/// Writes a document that is one value, in any syntax. The caller limits the value's depth.
pub(super) fn document(value: &Value) -> Values {
    let mut values = Values::default();
    match value {
        Value::Array(records) if is_records(records) => records.iter().for_each(|record| values.record(record)),
        Value::Object(fields) => {
            values.parsed.title = title_of(fields).map(|(_, title)| title);
            values.parsed.date = date_of(fields);
            values.fields(fields, &KeyPath::root(), None);
        }
        other => values.value(other, &KeyPath::root()),
    }
    values
}

/// Whether a list holds only objects; a list of plain values is one value, not many records.
fn is_records(values: &[Value]) -> bool {
    !values.is_empty() && values.iter().all(Value::is_object)
}

/// The first of [`TITLE_KEYS`] that holds a usable string, and that string.
fn title_of(fields: &Map<String, Value>) -> Option<(&'static str, String)> {
    TITLE_KEYS.into_iter().find_map(|key| {
        let title = one_line(&without_controls(words(fields.get(key)?)?));
        (!title.is_empty() && title.len() <= LONGEST_HEADING).then_some((key, title))
    })
}

fn date_of(fields: &Map<String, Value>) -> Option<DocumentDate> {
    DATE_KEYS.into_iter().find_map(|key| day(fields.get(key)?.as_str()?)).map(DocumentDate::metadata)
}

/// The day at the start of `2024-05-01`, `2024-05-01T10:00:00Z` and `2024-05-01 10:00`.
pub(super) fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let end = text.find(['T', ' ']).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The path of a value: the keys above it, joined by dots. Empty at the root of a document or record.
#[derive(Clone)]
pub(super) struct KeyPath(String);

impl KeyPath {
    pub(super) fn root() -> Self {
        KeyPath(String::new())
    }

    pub(super) fn join(&self, key: &str) -> Self {
        let key = one_line(&without_controls(key));
        KeyPath::cut(if self.0.is_empty() { key } else { format!("{}.{key}", self.0) })
    }

    pub(super) fn item(&self, number: usize) -> Self {
        KeyPath::cut(if self.0.is_empty() { format!("{number}") } else { format!("{}[{number}]", self.0) })
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    fn cut(mut path: String) -> Self {
        if path.len() > LONGEST_PATH {
            let kept = path.ceil_char_boundary(path.len() - LONGEST_PATH);
            path.replace_range(..kept, "\u{2026}");
        }
        KeyPath(path)
    }
}

/// A record as a row, if its values are few and short. Semicolons separate them and a row is one line, so a value with
/// a semicolon or a second line would not stand there as in the file.
fn row(fields: &Map<String, Value>) -> Option<String> {
    let mut cells = Vec::new();
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
        let words = match value {
            Value::String(text) if text.trim().contains(['\n', '\r']) => return None,
            Value::String(text) => one_line(text.trim_start_matches(NUMBER)),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        };
        let is_prose = words.len() > SENTENCE || words.split(' ').count() >= PROSE_WORDS;
        if is_text_key(key) || is_prose || words.contains(';') {
            return None;
        }
        if !words.is_empty() {
            cells.push(format!("{}: {words}", one_line(key)));
        }
    }
    let mut row = cells.join("; ");
    let is_short = row.len() <= LONG_LIST;
    end_row(&mut row);
    (cells.len() > 1 && is_short).then_some(row)
}

/// The name of a heading that no title gives.
pub(super) enum Name {
    /// Its path, with which its first line begins.
    Path(KeyPath),
    /// Its first value.
    FirstValue,
    /// The path of its first value.
    FirstPath,
}

/// Writes values as text, and keeps where their records begin.
#[derive(Default)]
pub(super) struct Values {
    pub(super) parsed: Parsed,
    /// The heading that is due with the next line, and its level.
    due: Option<(u8, Name)>,
    /// Where the last heading written in this way stands.
    named: Option<usize>,
}

impl Values {
    pub(super) fn finish(mut self) -> Result<Parsed, ParseError> {
        self.trim();
        self.parsed.breaks.sort_unstable();
        self.parsed.breaks.dedup();
        if self.parsed.text.is_empty() { Err(ParseError::Empty { hint: "".into() }) } else { Ok(self.parsed) }
    }

    /// Writes a record as one block: its title as a heading, then its other fields.
    pub(super) fn record(&mut self, record: &Value) {
        let before = (self.parsed.text.len(), self.parsed.headings.len());
        self.blank_line();
        let start = self.parsed.text.len();
        match record {
            Value::Object(fields) => {
                self.untitled(RECORD, Name::FirstValue);
                match row(fields) {
                    Some(row) => self.line(&KeyPath::root(), &row),
                    None => self.headed_fields(fields, &KeyPath::root()),
                }
            }
            other => self.value(other, &KeyPath::root()),
        }
        self.trim();
        if self.parsed.text.len() <= start {
            // An empty record leaves nothing behind, not even the blank line.
            self.parsed.text.truncate(before.0);
            self.parsed.headings.truncate(before.1);
        } else {
            self.parsed.breaks.push(start);
        }
    }

    fn headed_fields(&mut self, fields: &Map<String, Value>, path: &KeyPath) {
        let title = title_of(fields);
        if let Some((_, title)) = &title {
            self.titled(RECORD, title);
        }
        self.fields(fields, path, title.map(|(key, _)| key));
    }

    /// Writes the fields in their order, `except` the one that became the heading.
    fn fields(&mut self, fields: &Map<String, Value>, path: &KeyPath, except: Option<&str>) {
        for (key, value) in fields.iter().filter(|(key, _)| Some(key.as_str()) != except) {
            match value {
                Value::String(text)
                    if is_text_key(key)
                        && !text.starts_with(NUMBER)
                        && (path.0.is_empty() || text.len() >= SENTENCE) =>
                {
                    self.paragraphs(text);
                }
                Value::Array(items)
                    if is_text_key(key) && !items.is_empty() && items.iter().all(|item| words(item).is_some()) =>
                {
                    items.iter().filter_map(words).for_each(|text| self.paragraphs(text));
                }
                value => self.value(value, &path.join(key)),
            }
        }
    }

    pub(super) fn value(&mut self, value: &Value, path: &KeyPath) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.line(path, if *flag { "true" } else { "false" }),
            Value::Number(number) => self.line(path, &number.to_string()),
            Value::String(text) if text.starts_with(NUMBER) => self.line(path, text.trim_start_matches(NUMBER)),
            Value::String(text) if text.len() >= LONG_STRING || text.trim().contains('\n') => {
                if !path.0.is_empty() {
                    self.new_line();
                    self.parsed.text.push_str(&path.0);
                    self.parsed.text.push(':');
                }
                self.paragraphs(text);
            }
            Value::String(text) => self.line(path, &one_line(text)),
            Value::Object(fields) => self.fields(fields, path, None),
            Value::Array(items) if is_records(items) => self.nested_records(items, path),
            Value::Array(items) if items.iter().any(|item| item.is_array() || item.is_object()) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(item, &path.item(index + 1));
                }
            }
            Value::Array(items) => self.list(items, path),
        }
    }

    /// Writes a list of objects below a key: blocks like those of a document that is a list, but with the path kept.
    fn nested_records(&mut self, items: &[Value], path: &KeyPath) {
        for (index, item) in items.iter().enumerate() {
            let Value::Object(fields) = item else { continue };
            self.blank_line();
            let start = self.parsed.text.len();
            let item = path.item(index + 1);
            self.untitled(RECORD, Name::Path(item.clone()));
            match row(fields) {
                Some(row) => self.line(&item, &row),
                None => self.headed_fields(fields, &item),
            }
            if self.parsed.text.len() > start {
                self.parsed.breaks.push(start);
            }
        }
        // The text after the list does not belong to its last record.
        self.blank_line();
        self.untitled(RECORD, Name::FirstPath);
    }

    /// Writes the title of the part that follows.
    pub(super) fn titled(&mut self, level: u8, title: &str) {
        self.due = None;
        self.parsed.headings.push(Heading { start: self.parsed.text.len(), level, text: title.to_owned() });
        self.parsed.text.push_str(title);
        self.parsed.text.push('\n');
    }

    /// Says that the part that follows has no title, and ends the part below a heading of its level.
    pub(super) fn untitled(&mut self, level: u8, name: Name) {
        let is_below = self.parsed.headings.last().is_some_and(|heading| heading.level >= level);
        self.due = is_below.then_some((level, name));
    }

    fn list(&mut self, items: &[Value], path: &KeyPath) {
        let items: Vec<String> = items
            .iter()
            .filter(|item| !item.is_null())
            .map(|item| match item {
                Value::String(text) => one_line(text.trim_start_matches(NUMBER)),
                item => item.to_string(),
            })
            .filter(|item| !item.is_empty())
            .collect();
        if items.iter().map(String::len).sum::<usize>() <= LONG_LIST {
            self.line(path, &items.join(", "));
        } else {
            items.iter().for_each(|item| self.line(path, item));
        }
    }

    pub(super) fn line(&mut self, path: &KeyPath, value: &str) {
        if value.is_empty() {
            return;
        }
        self.new_line();
        let start = self.parsed.text.len();
        if !path.0.is_empty() {
            self.parsed.text.push_str(&path.0);
            self.parsed.text.push_str(": ");
        }
        self.parsed.text.push_str(&without_controls(value));
        if let Some((level, name)) = self.due.take() {
            let line = &self.parsed.text[start..];
            let text = match name {
                Name::Path(path) if !path.is_root() && line.starts_with(&path.0) => path.0,
                Name::FirstPath if !path.0.is_empty() => path.0.clone(),
                _ => line.split("; ").next().unwrap_or(line).to_owned(),
            };
            if (1..=LONGEST_HEADING).contains(&text.len()) {
                self.parsed.headings.push(Heading { start, level, text });
                self.named = Some(start);
            }
        }
    }

    /// Writes prose as it stands: line breaks are kept, with a blank line around it.
    pub(super) fn paragraphs(&mut self, text: &str) {
        let text = without_controls(text);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        self.blank_line_unless_headed();
        let mut blank = 0;
        for line in text.lines().map(str::trim_end) {
            if line.is_empty() {
                blank += 1;
                continue;
            }
            if blank > 0 {
                self.parsed.text.push('\n');
                blank = 0;
            }
            self.parsed.text.push_str(line);
            self.parsed.text.push('\n');
        }
        self.parsed.text.push('\n');
    }

    pub(super) fn new_line(&mut self) {
        if !self.parsed.text.is_empty() && !self.parsed.text.ends_with('\n') {
            self.parsed.text.push('\n');
        }
    }

    pub(super) fn blank_line(&mut self) {
        self.new_line();
        if !self.parsed.text.is_empty() && !self.parsed.text.ends_with("\n\n") {
            self.parsed.text.push('\n');
        }
    }

    /// Writes a blank line, unless the paragraph follows its heading or its key directly.
    fn blank_line_unless_headed(&mut self) {
        let line = self.parsed.text.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
        let is_title = |heading: &Heading| heading.start == line && self.named != Some(line);
        let headed = self.parsed.headings.last().is_some_and(is_title);
        if headed || self.parsed.text.ends_with(':') { self.new_line() } else { self.blank_line() }
    }

    fn trim(&mut self) {
        self.parsed.text.truncate(self.parsed.text.trim_end_matches('\n').len());
    }
}

fn is_text_key(key: &str) -> bool {
    TEXT_KEYS.iter().any(|known| key.eq_ignore_ascii_case(known))
}
