use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::layer::{Entry, Known, PRICES};
use super::{Config, ConfigError, DEFAULT, Flag, Origin, PROJECT_FILE, Surroundings};

/// What to read settings from.
#[derive(Clone, Debug, Default)]
pub struct SettingsRequest {
    /// The process's surroundings.
    pub around: Surroundings,
    /// `--config`: in place of the project's and the user's file.
    pub file: Option<PathBuf>,
    /// Settings given by flags, the last of a name winning.
    pub flags: Vec<Flag>,
}

/// One setting as it stands.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The dotted name.
    pub key: String,
    /// Its value as TOML.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
}

/// The settings in force, and where each comes from.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Typed.
    pub config: Config,
    /// In the order of the default file, prices last.
    pub values: Vec<Setting>,
    /// The files that were read, the strongest first.
    pub files: Vec<PathBuf>,
}

impl Settings {
    /// Reads and checks all layers. Touches no file but the settings files, and creates none.
    pub fn load(request: &SettingsRequest) -> Result<Settings, ConfigError> {
        let (known, defaults) = Known::new(DEFAULT)?;
        let mut files = Vec::new();
        // From the weakest layer to the strongest.
        let mut layers = vec![defaults];
        for (path, required) in candidates(request) {
            if let Some(text) = read(&path, required)? {
                layers.push(known.file(&text, &path, &request.around)?);
                files.insert(0, path);
            }
        }
        layers.push(known.variables(&request.around)?);
        layers.push(known.flags(&request.flags, &request.around)?);

        let mut merged: BTreeMap<Vec<String>, Entry> = BTreeMap::new();
        for entry in layers.into_iter().flatten() {
            merged.insert(entry.path.clone(), entry);
        }
        check_prices(&merged)?;
        check_together(&merged)?;
        let config = typed(&merged)?;
        let place = |key: &str| known.names.iter().position(|name| name == key).unwrap_or(usize::MAX);
        let mut values: Vec<Setting> = merged
            .into_values()
            .map(|entry| Setting { key: entry.key(), value: entry.value.to_string(), origin: entry.origin })
            .collect();
        values.sort_by(|a, b| place(&a.key).cmp(&place(&b.key)).then_with(|| a.key.cmp(&b.key)));
        Ok(Settings { config, values, files })
    }
}

/// The settings files from the weakest to the strongest, and whether a missing one is an error.
fn candidates(request: &SettingsRequest) -> Vec<(PathBuf, bool)> {
    let around = &request.around;
    let chosen = request.file.clone().or_else(|| around.variable("DEEPSEARCH_CONFIG").map(PathBuf::from));
    if let Some(path) = chosen {
        return vec![(path, true)];
    }
    // Without a home folder there is no user's file to read, which is no error.
    let user = around.user_file().ok().map(|path| (path, false));
    user.into_iter().chain([(around.cwd.join(PROJECT_FILE), false)]).collect()
}

fn read(path: &Path, required: bool) -> Result<Option<String>, ConfigError> {
    use std::io::ErrorKind;
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if !required && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(ConfigError::Unreadable { path: path.to_owned(), source }),
    }
}

/// Each price needs both halves, which may stand in different layers.
fn check_prices(merged: &BTreeMap<Vec<String>, Entry>) -> Result<(), ConfigError> {
    let mut seen = BTreeSet::new();
    for entry in merged.values() {
        let [table, model, _] = entry.path.as_slice() else { continue };
        if table != PRICES || !seen.insert(model) {
            continue;
        }
        for half in ["input", "output"] {
            let path = vec![table.clone(), model.clone(), half.to_owned()];
            if !merged.contains_key(&path) {
                return Err(ConfigError::BadValue {
                    origin: entry.origin.clone(),
                    key: entry.key(),
                    value: entry.value.to_string(),
                    reason: format!("the price of `{model}` also needs `{half}`"),
                });
            }
        }
    }
    Ok(())
}

/// Conditions between settings; the error names the one of the two that was set last.
fn check_together(merged: &BTreeMap<Vec<String>, Entry>) -> Result<(), ConfigError> {
    let entry = |table: &str, key: &str| merged.get(&vec![table.to_owned(), key.to_owned()]);
    let (Some(target), Some(overlap)) = (entry("chunk", "target_bytes"), entry("chunk", "overlap_bytes")) else {
        return Ok(());
    };
    let half = target.value.as_integer().unwrap_or(i64::MAX) / 2;
    if overlap.value.as_integer().is_some_and(|overlap| overlap > half) {
        let culprit = if overlap.origin == Origin::Default { target } else { overlap };
        return Err(ConfigError::BadValue {
            origin: culprit.origin.clone(),
            key: culprit.key(),
            value: culprit.value.to_string(),
            reason: "chunk.overlap_bytes is at most half of chunk.target_bytes".to_owned(),
        });
    }
    Ok(())
}

fn typed(merged: &BTreeMap<Vec<String>, Entry>) -> Result<Config, ConfigError> {
    let inconsistent = |reason: String| ConfigError::Inconsistent { reason };
    let mut root = Table::new();
    root.insert(PRICES.to_owned(), Value::Table(Table::new()));
    for entry in merged.values() {
        let Some((last, tables)) = entry.path.split_last() else { continue };
        let mut table = &mut root;
        for name in tables {
            let inner = table.entry(name.clone()).or_insert_with(|| Value::Table(Table::new()));
            table = inner.as_table_mut().ok_or_else(|| inconsistent(format!("`{name}` is no table")))?;
        }
        table.insert(last.clone(), entry.value.clone());
    }
    root.try_into().map_err(|error: toml::de::Error| inconsistent(error.to_string()))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
