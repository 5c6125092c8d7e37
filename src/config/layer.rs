//! One layer of settings: a file, the environment, or flags, checked against the known settings. `settings` merges the
//! layers.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::{ConfigError, Surroundings, rules};
use crate::base::text::visible;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The built-in default file.
    Default,
    /// A settings file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A command-line flag, as it is written.
    Flag(String),
}

impl Origin {
    /// The line in the file, from 1; 0 if it is not from a file.
    pub fn line(&self) -> usize {
        match self {
            Origin::File { line, .. } => *line,
            Origin::Default | Origin::Variable(_) | Origin::Flag(_) => 0,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", visible(&path.to_string_lossy())),
            Origin::Variable(name) => f.write_str(name),
            Origin::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A setting given by a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The flag, as messages show it.
    pub flag: String,
    /// The setting's dotted name.
    pub key: String,
    /// The value as written.
    pub value: String,
}

/// One value of one layer, checked.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The names from the outermost table to the key.
    pub path: Vec<String>,
    /// The value.
    pub value: Value,
    /// Where it is set.
    pub origin: Origin,
}

impl Entry {
    /// The dotted name, with parts quoted where TOML requires it.
    pub fn key(&self) -> String {
        dotted(&self.path)
    }
}

/// The table whose keys are chosen by the user.
pub(super) const PRICES: &str = "prices";

/// The keys below each model in `PRICES`.
const PRICE_KEYS: [&str; 3] = ["input", "cached_input", "output"];

/// The default file as the description of the settings that exist.
pub(super) struct KnownSettings {
    table: Table,
    /// Every dotted name, in the file's order.
    pub names: Vec<String>,
}

impl KnownSettings {
    /// Reads the default file.
    pub fn new(default: &str) -> Result<(Self, Vec<Entry>), ConfigError> {
        let inconsistent = |error: toml::de::Error| ConfigError::Inconsistent { reason: error.to_string() };
        let table: Table = default.parse().map_err(inconsistent)?;
        let spans = DeTable::parse(default).map_err(inconsistent)?;
        let mut found = Vec::new();
        flatten(&table, spans.get_ref(), &mut Vec::new(), &mut found);
        found.sort_by_key(|leaf| leaf.offset);
        let entries: Vec<Entry> = found
            .into_iter()
            .map(|leaf| Entry { path: leaf.path, value: leaf.value, origin: Origin::Default })
            .collect();
        let names = entries.iter().map(Entry::key).collect();
        Ok((KnownSettings { table, names }, entries))
    }

    /// The default of a setting, which has the setting's type. For a price, any number stands in.
    fn default_of(&self, path: &[String]) -> Option<Value> {
        if let [table, _, key] = path
            && table == PRICES
        {
            return PRICE_KEYS.contains(&key.as_str()).then_some(Value::Float(0.0));
        }
        let mut value: Option<&Value> = None;
        for name in path {
            let table = match value {
                None => &self.table,
                Some(Value::Table(table)) => table,
                Some(_) => return None,
            };
            value = Some(table.get(name)?);
        }
        value.filter(|value| !value.is_table()).cloned()
    }

    /// The name that `path` was most likely meant to be.
    fn nearest(&self, path: &[String]) -> Option<String> {
        let asked = path.join(".");
        let last = path.last()?;
        if path.len() == 3 && path[0] == PRICES {
            let key = rules::nearest(last, PRICE_KEYS.into_iter())?;
            return Some(dotted(&[path[0].clone(), path[1].clone(), key.to_owned()]));
        }
        if matches!(last.as_str(), "api_key" | "key" | "apikey" | "token") {
            return Some("llm.api_key_env".to_owned());
        }
        let sibling = format!("{}.", path[..path.len() - 1].join("."));
        let names = || self.names.iter().map(String::as_str);
        let siblings = || names().filter(|name| name.starts_with(&sibling));
        // A right key in a wrong table is preferred to a similar key in the same table.
        let moved = || names().filter(|name| name.rsplit('.').next() == Some(last.as_str()));
        rules::nearest(&asked, moved())
            .or_else(|| moved().next())
            .or_else(|| rules::nearest(&asked, siblings()))
            .or_else(|| rules::nearest(&asked, names()))
            .map(str::to_owned)
    }

    fn check(&self, entry: Entry) -> Result<Entry, ConfigError> {
        if rules::retired(&entry.path).is_some() {
            return Ok(entry);
        }
        let key = entry.key();
        let Some(default) = self.default_of(&entry.path) else {
            return Err(ConfigError::UnknownKey { origin: entry.origin, key, nearest: self.nearest(&entry.path) });
        };
        let value = match (&default, entry.value) {
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            (default, value) if default.same_type(&value) => value,
            (default, value) => {
                let (expected, found) = (type_name(default), describe(&value));
                return Err(ConfigError::WrongType { origin: entry.origin, key, expected, found });
            }
        };
        match rules::violation(&key, &value) {
            Some(reason) => {
                let value = rules::shown(&key, &value);
                Err(ConfigError::BadValue { origin: entry.origin, key, value, reason })
            }
            None => Ok(Entry { value, ..entry }),
        }
    }

    /// The values of a settings file. Relative paths are resolved against its folder.
    pub fn file(&self, text: &str, path: &Path, around: &Surroundings) -> Result<Vec<Entry>, ConfigError> {
        let syntax = |error: toml::de::Error| ConfigError::Syntax {
            origin: Origin::File {
                path: path.to_owned(),
                line: line_of(text, error.span().map_or(text.len(), |span| span.start)),
            },
            reason: error.message().to_owned(),
        };
        let table: Table = text.parse().map_err(syntax)?;
        let spans = DeTable::parse(text).map_err(syntax)?;
        let mut found = Vec::new();
        flatten(&table, spans.get_ref(), &mut Vec::new(), &mut found);
        found.sort_by_key(|leaf| leaf.offset);
        let folder = path.parent().map_or_else(|| around.cwd.clone(), |parent| around.cwd.join(parent));
        let mut entries = Vec::with_capacity(found.len());
        for leaf in found {
            let origin = Origin::File { path: path.to_owned(), line: line_of(text, leaf.offset) };
            // A table without a value sets nothing, but a misspelt one is reported.
            if let Value::Table(_) = leaf.value {
                if !self.is_table(&leaf.path) && rules::retired(&leaf.path).is_none() {
                    let key = dotted(&leaf.path);
                    return Err(ConfigError::UnknownKey { origin, key, nearest: self.nearest_table(&leaf.path) });
                }
                continue;
            }
            let entry = self.check(Entry { path: leaf.path, value: leaf.value, origin })?;
            entries.push(with_absolute_path(entry, &folder, around));
        }
        Ok(entries)
    }

    /// The values of environment variables: `DEEPSEARCH_` and the dotted name in capitals, with `__` for each dot.
    /// Other variables with this prefix are ignored, since they may hold keys; `DEEPSEARCH_DATA_DIR` is
    /// `store.data_dir`.
    pub fn variables(&self, around: &Surroundings) -> Result<Vec<Entry>, ConfigError> {
        let mut entries = Vec::new();
        for (variable, text) in &around.variables {
            let Some(name) = variable.strip_prefix("DEEPSEARCH_") else { continue };
            let path: Vec<String> = match name {
                "DATA_DIR" if text.is_empty() => continue,
                "DATA_DIR" => vec!["store".to_owned(), "data_dir".to_owned()],
                _ if name.contains("__") => name.to_lowercase().split("__").map(str::to_owned).collect(),
                _ => continue,
            };
            entries.push(self.textual(path, text, Origin::Variable(variable.clone()), around)?);
        }
        Ok(entries)
    }

    /// The values of flags, in order.
    pub fn flags(&self, flags: &[Flag], around: &Surroundings) -> Result<Vec<Entry>, ConfigError> {
        flags
            .iter()
            .map(|flag| {
                let path = split_key(&flag.key);
                self.textual(path, &flag.value, Origin::Flag(flag.flag.clone()), around)
            })
            .collect()
    }

    /// Converts a value written as bare text to the setting's type.
    fn textual(
        &self,
        path: Vec<String>,
        text: &str,
        origin: Origin,
        around: &Surroundings,
    ) -> Result<Entry, ConfigError> {
        let trimmed = text.trim();
        let value = match self.default_of(&path) {
            Some(Value::Integer(_)) => trimmed.parse().map(Value::Integer).ok(),
            Some(Value::Float(_)) => trimmed.parse().map(Value::Float).ok(),
            Some(Value::Boolean(_)) => trimmed.parse().map(Value::Boolean).ok(),
            Some(Value::Array(_)) => list(trimmed),
            _ => None,
        };
        let value = value.unwrap_or_else(|| Value::String(text.to_owned()));
        let entry = self.check(Entry { path, value, origin })?;
        Ok(with_absolute_path(entry, &around.cwd, around))
    }

    fn is_table(&self, path: &[String]) -> bool {
        if path.first().is_some_and(|first| first == PRICES) {
            return path.len() <= 2;
        }
        let prefix = format!("{}.", path.join("."));
        self.names.iter().any(|name| name.starts_with(&prefix))
    }

    fn nearest_table(&self, path: &[String]) -> Option<String> {
        let tables = self.names.iter().filter_map(|name| name.rsplit_once('.').map(|(table, _)| table));
        rules::nearest(&path.join("."), tables.chain([PRICES])).map(str::to_owned)
    }
}

/// A value of a document, or an empty table, with the byte offset of its key.
struct Leaf {
    path: Vec<String>,
    value: Value,
    offset: usize,
}

fn flatten(table: &Table, spans: &DeTable<'_>, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    for (key, value) in table {
        let Some((span, inner)) = spans.iter().find(|(name, _)| name.get_ref().as_ref() == key) else { continue };
        path.push(key.clone());
        match (value, inner.get_ref()) {
            (Value::Table(table), DeValue::Table(spans)) if !table.is_empty() => {
                flatten(table, spans, path, found);
            }
            // The default file's empty `[prices]` is a table, not a setting.
            (Value::Table(_), _) if path.len() == 1 && key == PRICES => {}
            _ => found.push(Leaf { path: path.clone(), value: value.clone(), offset: Spanned::span(span).start }),
        }
        path.pop();
    }
}

fn with_absolute_path(entry: Entry, base: &Path, around: &Surroundings) -> Entry {
    match &entry.value {
        Value::String(text) if !text.is_empty() && rules::is_path(&entry.key()) => {
            let absolute = around.absolute(text, base);
            Entry { value: Value::String(absolute.to_string_lossy().into_owned()), ..entry }
        }
        _ => entry,
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Parses a list in bare text: in TOML syntax if it begins with `[`, else texts separated by commas.
fn list(text: &str) -> Option<Value> {
    if text.starts_with('[') {
        return format!("list = {text}").parse::<Table>().ok()?.remove("list");
    }
    let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
    Some(Value::Array(texts.map(|text| Value::String(text.to_owned())).collect()))
}

/// Splits a dotted name; a part may be quoted (`prices."gpt-4.1".input`).
fn split_key(key: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for character in key.chars() {
        match character {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(character);
                }
            }
        }
    }
    parts
}

fn dotted(path: &[String]) -> String {
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
    };
    let parts: Vec<String> =
        path.iter().map(|part| if plain(part) { part.clone() } else { format!("\"{}\"", visible(part)) }).collect();
    parts.join(".")
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text in quotes",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}

/// Describes a value of the wrong type. Only short values that are not texts are repeated, since a text may be a key in
/// the wrong place.
fn describe(value: &Value) -> String {
    match value {
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => format!("{} ({value})", type_name(value)),
        // On the command line and in a variable it is not quoted.
        Value::String(_) => "a text".to_owned(),
        _ => type_name(value).to_owned(),
    }
}
