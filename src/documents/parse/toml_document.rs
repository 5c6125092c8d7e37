//! TOML as its values, written as JSON's are, and its comments behind them.

use serde_json::Value;

use super::{ParseError, Parsed, comments, json};

/// Parses a TOML document.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let table: toml::Table = toml::from_str(text)
        .map_err(|error| ParseError::Broken { format: "TOML", reason: error.to_string().trim_end().to_owned() })?;
    let mut writer = json::document(&value(toml::Value::Table(table)));
    comments::append(&mut writer, text);
    writer.finish()
}

/// The same value as JSON has it; a date is its text. The parser bounds how deep this recurses.
fn value(value_of: toml::Value) -> Value {
    match value_of {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        // JSON has no infinity.
        toml::Value::Float(number) if !number.is_finite() => Value::String(number.to_string()),
        toml::Value::Float(number) => Value::from(number),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(value).collect()),
        toml::Value::Table(fields) => fields.into_iter().map(|(key, field)| (key, value(field))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        assert_eq!(parse(source).expect("it is TOML").text, expected, "{source}");
    }

    #[test]
    fn tables_are_paths_in_their_order() {
        check(
            "title = \"Harbour\"\n[place]\ncity = 'Örebro'\nsince = 1765-05-01\n[[piers]]\nname = \"North\"\nlength = 120.5\n[[piers]]\nname = \"南\"\n",
            "title: Harbour\nplace.city: Örebro\nplace.since: 1765-05-01\n\nNorth\npiers.length: 120.5\n\n南",
        );
    }

    #[test]
    fn comments_stand_with_the_line_below_them() {
        check("# Why it is so long.\nwait_s = 30\n", "wait_s: 30\n\nWhy it is so long.\nwait_s = 30");
        check("# The lathe.\n[tools.lathe]\nspeed = 60\n", "tools.lathe.speed: 60\n\nThe lathe.");
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let error = parse("a = 1\nb = [1,\n").expect_err("it is broken").to_string();
        assert!(error.starts_with("broken TOML: ") && error.contains("line"), "{error}");
        let deep = format!("a = {}{}", "[".repeat(5000), "]".repeat(5000));
        assert!(parse(&deep).is_err());
    }
}
