//! JSON: `path: value` lines, a break for each record, prose fields as prose.

use serde_json::{Map, Value};

use super::Parsed;
use super::dates::parse_date;
use crate::base::text::{excerpt, one_line};
use crate::domain::{DateOrigin, DocumentDate, Heading};

/// A parsed value takes many times its source; a longer source is read as text.
const VALUE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// A longer string is prose, and stands without its name in a paragraph of its own.
const PROSE_MIN_BYTES: usize = 200;
const TITLE_FIELDS: [&str; 5] = ["title", "name", "headline", "subject", "question"];
const PROSE_FIELDS: [&str; 9] =
    ["text", "body", "content", "abstract", "description", "summary", "passage", "answer", "message"];
const DATE_FIELDS: [&str; 7] =
    ["date", "published", "published_at", "publishedat", "created_at", "createdat", "datepublished"];

/// One JSON value; `None` where the source is none, or is nested more than 127 levels deep.
pub(super) fn parse(source: &str) -> Option<Parsed> {
    if source.len() > VALUE_MAX_BYTES {
        return None;
    }
    let value: Value = serde_json::from_str(source).ok()?;
    let mut writer = Writer::default();
    match &value {
        Value::Array(records) => {
            for record in records {
                writer.record(record);
            }
        }
        Value::Object(fields) => {
            writer.parsed.title = title(fields).map(str::to_owned);
            writer.parsed.date = date(fields);
            writer.parsed.breaks.push(0);
            writer.fields(fields, "");
        }
        scalar => writer.scalar("", scalar),
    }
    Some(writer.parsed)
}

/// One JSON value a line. A line that is none is kept as it is.
pub(super) fn parse_lines(source: &str) -> Parsed {
    let mut writer = Writer::default();
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(record) => writer.record(&record),
            Err(_) => {
                writer.begin_record();
                writer.line(line);
            }
        }
    }
    writer.parsed
}

/// Whether the first two lines that are not blank are a JSON object each.
pub(super) fn looks_like_lines(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).peekable();
    let mut count = 0;
    let all = lines.all(|line| {
        count += 1;
        line.starts_with('{') && line.ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
    });
    all && count == 2
}

#[derive(Default)]
struct Writer {
    parsed: Parsed,
}

impl Writer {
    fn begin_record(&mut self) {
        self.paragraph();
        let start = self.parsed.text.len();
        // The first record of a list that opens its parent begins where the parent does.
        if self.parsed.breaks.last() != Some(&start) {
            self.parsed.breaks.push(start);
        }
    }

    /// A record of a list: its title heads it.
    fn record(&mut self, record: &Value) {
        self.begin_record();
        let Value::Object(fields) = record else {
            self.value(record, "");
            return;
        };
        if let Some(title) = title(fields) {
            let start = self.parsed.text.len();
            self.parsed.headings.push(Heading { start, level: 1, text: excerpt(&one_line(title), 200).into_owned() });
        }
        self.fields(fields, "");
    }

    /// Recursion is as deep as the parser's limit.
    fn fields(&mut self, fields: &Map<String, Value>, path: &str) {
        for (name, value) in fields {
            let name = one_line(name);
            let path = if path.is_empty() { name } else { format!("{path}.{name}") };
            self.value(value, &path);
        }
    }

    fn value(&mut self, value: &Value, path: &str) {
        match value {
            Value::Object(fields) => self.fields(fields, path),
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                for (place, item) in items.iter().enumerate() {
                    if item.is_object() {
                        self.begin_record();
                    }
                    self.value(item, &format!("{path}[{place}]"));
                }
            }
            Value::Array(items) => {
                let joined: Vec<String> = items.iter().filter_map(scalar_text).collect();
                if !joined.is_empty() {
                    self.named(path, &joined.join(", "));
                }
            }
            scalar => self.scalar(path, scalar),
        }
    }

    fn scalar(&mut self, path: &str, value: &Value) {
        let Some(text) = scalar_text(value) else { return };
        let text = text.trim();
        let field = path.rsplit('.').next().unwrap_or(path).to_ascii_lowercase();
        let prose = text.len() >= PROSE_MIN_BYTES || text.contains('\n') || PROSE_FIELDS.contains(&field.as_str());
        if text.is_empty() {
        } else if prose && value.is_string() {
            self.paragraph();
            self.line(text);
            self.paragraph();
        } else {
            self.named(path, text);
        }
    }

    fn named(&mut self, path: &str, text: &str) {
        if !path.is_empty() {
            self.parsed.text.push_str(path);
            self.parsed.text.push_str(": ");
        }
        self.line(text);
    }

    fn line(&mut self, text: &str) {
        self.parsed.text.push_str(text);
        self.parsed.text.push('\n');
    }

    /// Puts a blank line after what stands there.
    fn paragraph(&mut self) {
        let text = &mut self.parsed.text;
        if !text.is_empty() && !text.ends_with("\n\n") {
            text.push('\n');
        }
    }
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn title(fields: &Map<String, Value>) -> Option<&str> {
    TITLE_FIELDS.iter().find_map(|field| text_field(fields, field))
}

fn date(fields: &Map<String, Value>) -> Option<DocumentDate> {
    let date = DATE_FIELDS.iter().filter_map(|field| text_field(fields, field)).find_map(parse_date)?;
    Some(DocumentDate { date, origin: DateOrigin::Metadata })
}

fn text_field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    let (_, value) = fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    value.as_str().map(str::trim).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, text: &str, breaks: &[usize]) {
        let parsed = parse(source).expect("JSON");
        assert_eq!((parsed.text.as_str(), parsed.breaks.as_slice()), (text, breaks));
    }

    #[test]
    fn paths_are_kept() {
        check(r#"{"a": {"b": [1, "x"]}, "c": null, "d": true}"#, "a.b: 1, x\nd: true\n", &[0]);
        check(r#"[{"a": 1}, {"a": 2}]"#, "a: 1\n\na: 2\n", &[0, 6]);
        check(r#"{"rows": [{"a": 1}, {"a": 2}]}"#, "rows[0].a: 1\n\nrows[1].a: 2\n", &[0, 14]);
        check("3", "3\n", &[]);
    }

    #[test]
    fn titles_dates_and_prose_are_recognised() {
        let parsed = parse(r#"{"Title": "T", "date": "2020-01-31", "text": "Some words."}"#).expect("JSON");
        assert_eq!(parsed.title.as_deref(), Some("T"));
        assert_eq!(parsed.text, "Title: T\ndate: 2020-01-31\n\nSome words.\n\n");
        assert!(parsed.date.is_some());
    }

    #[test]
    fn lines() {
        let parsed = parse_lines("{\"title\": \"A\", \"n\": 1}\nbroken\n{\"title\": \"B\"}\n");
        assert_eq!(parsed.text, "title: A\nn: 1\n\nbroken\n\ntitle: B\n");
        let heads: Vec<_> = parsed.headings.iter().map(|heading| (heading.start, heading.text.as_str())).collect();
        assert_eq!(heads, [(0, "A"), (23, "B")]);
        assert_eq!(parsed.breaks, [0, 15, 23]);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        assert_eq!(parse("{\"a\": }"), None);
        assert_eq!(parse(&"[".repeat(100_000)), None);
    }
}
