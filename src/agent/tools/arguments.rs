use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The arguments of a call, and the names in it that are not known.
pub(super) type Parsed<T> = (T, Vec<String>);

/// Parses the arguments that a model wrote: a JSON object, or a string that holds one, as some models write it. The
/// error is worded for the model.
pub(super) fn parse<T: DeserializeOwned>(text: &str, known: &[&str]) -> Result<Parsed<T>, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let value: Value = serde_json::from_str(text).map_err(|error| format!("the arguments are no JSON: {error}"))?;
    let value = match value {
        Value::String(inner) => serde_json::from_str(&inner).unwrap_or(Value::String(inner)),
        other => other,
    };
    let Value::Object(fields) = value else { return Err("the arguments are no JSON object".to_owned()) };
    let (fields, unknown): (Map<String, Value>, Map<String, Value>) =
        fields.into_iter().partition(|(name, _)| known.contains(&name.as_str()));
    let read = serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    Ok((read, unknown.into_iter().map(|(name, _)| name).collect()))
}

/// Reads a text that is not blank.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() { Err(D::Error::custom("a text is empty")) } else { Ok(text) }
}

/// Reads a name, which may be written as a number.
pub(super) fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(D::Error::custom(format!("expected a text, found {other}"))),
    }
}

/// Reads a whole number, which may be written as a string or with a decimal point; a negative one becomes 0.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let number = match &value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    };
    match number {
        // The cast saturates at the limits of the type.
        Some(number) if number.fract() == 0.0 => Ok(number as u32),
        _ => Err(D::Error::custom(format!("expected a whole number, found {value}"))),
    }
}

/// Reads a number as [`count`] does, or `None` for null.
pub(super) fn maybe_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_null() {
        return Ok(None);
    }
    count(value).map(Some).map_err(D::Error::custom)
}
