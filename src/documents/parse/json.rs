//! The syntax of JSON and JSON lines. Their values are written like those of every such format (`values`).

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::values::{NUMBER, Values, document};
use super::{ParseError, Parsed};

/// Parses one JSON value.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let value = value_of(text.trim_start_matches('\u{feff}'))
        .map_err(|error| ParseError::Broken { format: "JSON", reason: error.to_string() })?;
    document(&value).finish()
}

/// A value with its numbers as they are written. The parser's limit on nesting bounds the depth for its readers.
fn value_of(text: &str) -> serde_json::Result<Value> {
    // If that fails, the original text is parsed, so that the error gives the right line.
    serde_json::from_str(&numbers_as_strings(text)).or_else(|_| serde_json::from_str(text))
}

/// The text with a string in place of each number that the parser would write differently.
fn numbers_as_strings(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut kept = String::new();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let is_figure = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        match bytes[at] {
            b'"' => at = string_end(bytes, at),
            b'0'..=b'9' | b'-' => {
                let end = at + bytes[at..].iter().take_while(is_figure).count();
                if is_written_otherwise(&text[at..end]) {
                    kept.push_str(&format!("{}\"{NUMBER}{}\"", &text[from..at], &text[at..end]));
                    from = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// The end of the string that begins at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        end += if byte == b'\\' { 2 } else { 1 };
        if byte == b'"' {
            break;
        }
    }
    end.min(bytes.len())
}

fn is_written_otherwise(number: &str) -> bool {
    // Short whole numbers can be written in only one way.
    (number.len() > 15 || number.contains(['.', 'e', 'E']))
        && serde_json::from_str::<Number>(number).is_ok_and(|read| read.to_string() != number)
}

/// Parses one JSON value per line. Broken lines are lost, and the first of them is reported; if most lines are broken,
/// the file is not JSON lines.
pub(super) fn parse_lines(text: &str) -> Result<Parsed, ParseError> {
    let mut values = Values::default();
    let (mut good, mut bad, mut first_bad) = (0_usize, 0_usize, None);
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match value_of(line) {
            Ok(record) => {
                good += 1;
                values.record(&record);
            }
            Err(error) => {
                bad += 1;
                first_bad.get_or_insert((index + 1, error));
            }
        }
    }
    let lost = first_bad.map(|(line, error)| {
        format!("{bad} of {} lines, which are no JSON; the first is line {line}: {error}", bad + good)
    });
    match lost {
        Some(reason) if bad > good => Err(ParseError::Broken { format: "JSONL", reason }),
        lost => Ok(Parsed { lost, ..values.finish()? }),
    }
}

#[cfg(test)]
mod tests;
