//! YAML as its values, written like those of JSON, followed by its comments.
//!
//! Aliases may repeat what they name, so the parser's budget limits how much they add. A template that generates YAML
//! is not YAML yet and is kept as its source.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{DuplicateKeyPolicy, Error, NonFiniteFloatPolicy, Options};

use super::{ParseError, Parsed, comments, values};

/// The most nodes of a document: a list of a million records is still one.
const NODES: usize = 20_000_000;

/// The deepest nesting; nobody writes data that nests deeper.
const DEEPEST: usize = 50;

/// Parses the YAML documents of a file.
pub(super) fn parse(text: String) -> Result<Parsed, ParseError> {
    match serde_saphyr::from_multiple_with_options::<Value>(&text, options(text.len())) {
        Ok(documents) => {
            let spellings = spellings(&text);
            let documents: Vec<Value> = documents.into_iter().map(|document| written(document, &spellings)).collect();
            let mut values = match &documents[..] {
                [document] => values::document(document),
                documents => {
                    let mut values = values::Values::default();
                    documents.iter().for_each(|document| values.record(document));
                    values
                }
            };
            comments::append(&mut values, &text);
            values.finish()
        }
        Err(_) if is_template(&text) => Ok(Parsed { text, ..Parsed::default() }),
        Err(error) => Err(ParseError::Broken { format: "YAML", reason: reason(&error) }),
    }
}

/// The spelling of each number in a text that is not whole, or too long to be read exactly, by the bits of its value;
/// `None` for one that is spelled in several ways.
fn spellings(text: &str) -> BTreeMap<u64, Option<&str>> {
    let mut spellings: BTreeMap<u64, Option<&str>> = BTreeMap::new();
    let tokens = text.split(|char: char| char.is_whitespace() || matches!(char, ',' | '[' | ']' | '{' | '}'));
    let is_one = |token: &&str| {
        token.starts_with(|char: char| char.is_ascii_digit() || "+-.".contains(char))
            && (token.len() > 15 || token.contains(['.', 'e', 'E']))
    };
    for token in tokens.filter(is_one) {
        if let Ok(number) = token.parse::<f64>() {
            let spelling = spellings.entry(number.to_bits()).or_insert(Some(token));
            *spelling = spelling.filter(|known| *known == token);
        }
    }
    spellings
}

/// A value with its numbers spelled as in the file. The parser limits the depth of the recursion.
fn written(value: Value, spellings: &BTreeMap<u64, Option<&str>>) -> Value {
    match value {
        Value::Number(number) => {
            let bits = number.as_f64().filter(|_| number.is_f64()).map(f64::to_bits);
            match bits.and_then(|bits| spellings.get(&bits).copied().flatten()) {
                Some(spelling) => values::number(spelling),
                None => Value::Number(number),
            }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| written(item, spellings)).collect()),
        Value::Object(fields) => fields.into_iter().map(|(key, field)| (key, written(field, spellings))).collect(),
        other => other,
    }
}

/// The parser's options. The length of the file limits both its own content and what its aliases repeat.
fn options(bytes: usize) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: NODES * 2,
            max_nodes: NODES,
            max_documents: NODES,
            max_depth: DEEPEST,
            max_total_scalar_bytes: bytes.saturating_mul(16).max(1 << 16),
        },
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        strict_booleans: true,
        with_snippet: false,
    }
}

/// Explains an error to the owner of the file.
fn reason(error: &Error) -> String {
    match error {
        Error::AliasError { error, .. } if matches!(**error, Error::Budget { .. }) => reason(error),
        Error::Budget { breach: BudgetBreach::Depth { .. }, .. } => format!("it nests deeper than {DEEPEST} levels"),
        Error::Budget { .. } => "its aliases bring more than a file of its length may hold".to_owned(),
        error => error.to_string(),
    }
}

fn is_template(text: &str) -> bool {
    (text.contains("{{") && text.contains("}}")) || (text.contains("{%") && text.contains("%}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let parsed = parse(source.to_owned()).expect("it is YAML");
        assert_eq!(parsed.text, expected, "{source}");
        assert!(parsed.breaks.iter().all(|&at| at < parsed.text.len() && parsed.text.is_char_boundary(at)));
    }

    fn reason(source: &str) -> String {
        parse(source.to_owned()).expect_err("it is broken").to_string()
    }

    #[test]
    fn nesting_is_told_by_paths_and_records_by_their_titles() {
        check(
            "title: Harbour\nplace: {city: Örebro, code: 007}\npiers:\n  - name: North\n    length: 120.5\n  - name: 南\n    open: no\n",
            "title: Harbour\nplace.city: Örebro\nplace.code: 007\n\npiers[1]: name: North; length: 120.5.\n\npiers[2]: name: 南; open: no.",
        );
    }

    #[test]
    fn numbers_stand_as_they_are_written() {
        check(
            "price: 1.10\nsizes: [4.00, 4]\nid: 98765432109876543210987\nlow: 0.5\nhigh: 0.50\n",
            "price: 1.10\nsizes: 4.00, 4\nid: 98765432109876543210987\nlow: 0.5\nhigh: 0.5",
        );
    }

    #[test]
    fn each_document_is_a_record() {
        let parsed = parse("---\nname: One\nage: 1\n---\nname: Two\nage: 2\n".to_owned()).expect("it is YAML");
        assert_eq!(parsed.text, "name: One; age: 1.\n\nname: Two; age: 2.");
        assert_eq!(parsed.breaks, [0, 20]);
    }

    #[test]
    fn anchors_are_followed_and_text_blocks_are_prose() {
        check(
            "base: &base {port: 80}\nsite:\n  <<: *base\n  host: a\ntext: |\n  # no comment\n  Two lines\n  of it.\n",
            "base.port: 80\nsite.host: a\nsite.port: 80\n\n# no comment\nTwo lines\nof it.",
        );
    }

    #[test]
    fn comments_stand_with_the_line_below_them() {
        check(
            "# Seconds until it gives up;\n# 0 waits for ever.\ntimeout: 30 # at the end of a line\n# -----\nretries: 2\n",
            "timeout: 30\nretries: 2\n\nSeconds until it gives up;\n0 waits for ever.\ntimeout: 30 # at the end of a line",
        );
    }

    #[test]
    fn comments_above_a_section_stand_alone() {
        check("# It is oiled on Fridays.\npress: # old\n  age: 90\n", "press.age: 90\n\nIt is oiled on Fridays.");
    }

    #[test]
    fn templates_are_kept_as_they_are_and_damage_is_told() {
        check("a: {{ .Values.a }}\n{{- if .b }}\nb: 1\n", "a: {{ .Values.a }}\n{{- if .b }}\nb: 1\n");
        assert!(reason("a: [1, 2\nb: 3\n").starts_with("broken YAML: "));
        assert!(reason("a: *missing\n").starts_with("broken YAML: "));
    }

    #[test]
    fn aliases_cannot_swell() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let below = vec![format!("*a{}", level - 1); 9].join(", ");
            bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert_eq!(reason(&bomb), "broken YAML: its aliases bring more than a file of its length may hold");
        assert!(reason(&format!("{}{}", "[".repeat(5000), "]".repeat(5000))).starts_with("broken YAML: "));
        let deep: String = (0..200).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
        assert_eq!(reason(&deep), "broken YAML: it nests deeper than 50 levels");
    }
}
