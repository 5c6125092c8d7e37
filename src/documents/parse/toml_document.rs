//! TOML as its values, written like those of JSON, followed by its comments.

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{ParseError, Parsed, comments, values};

/// Parses a TOML document.
pub(super) fn parse(text: &str) -> Result<Parsed, ParseError> {
    let table = DeTable::parse(text)
        .map_err(|error| ParseError::Broken { format: "TOML", reason: error.to_string().trim_end().to_owned() })?;
    let mut values = values::document(&value(DeValue::Table(table.into_inner())));
    comments::append(&mut values, text);
    values.finish()
}

/// The same value in JSON; numbers stay as they are written, and a date is its text. The parser limits the depth of the
/// recursion.
fn value(value_of: DeValue<'_>) -> Value {
    match value_of {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(number) => values::number(&number.to_string()),
        DeValue::Float(number) => values::number(number.as_str()),
        DeValue::Boolean(flag) => Value::Bool(flag),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => Value::Array(items.into_iter().map(|item| value(item.into_inner())).collect()),
        DeValue::Table(fields) => {
            let fields = fields.into_iter();
            fields.map(|(key, field)| (key.into_inner().into_owned(), value(field.into_inner()))).collect()
        }
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
            "title: Harbour\nplace.city: Örebro\nplace.since: 1765-05-01\n\npiers[1]: name: North; length: 120.5.\n\n南",
        );
    }

    #[test]
    fn numbers_stand_as_they_are_written() {
        check("price = 1.10\nsizes = [2.50, 4]\nmask = 0x1f\n", "price: 1.10\nsizes: 2.50, 4\nmask: 0x1f");
    }

    #[test]
    fn comments_stand_with_the_line_below_them() {
        check("# Why it is so long.\nwait_s = 30\n", "wait_s: 30\n\nWhy it is so long.\nwait_s = 30");
        let text = "a = \"\"\"\n# no comment\n\"\"\"\nb = '''x'''\n# Why it is so.\nc = 1\n";
        check(text, "a: # no comment\nb: x\nc: 1\n\nWhy it is so.\nc = 1");
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
