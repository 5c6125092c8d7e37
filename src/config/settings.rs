//! Which files settings are read from, and the settings in force with the origin of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toml::{Table, Value};

use super::harmless::{Merged, objection};
use super::layer::{Entry, KnownSettings, PRICES};
use super::rules::retired;
use super::trust::{self, TrustState, read_text};
use super::{Config, ConfigError, DEFAULT, Flag, Origin, PROJECT_FILE, Surroundings};

/// The sources that settings are read from.
#[derive(Clone, Debug, Default)]
pub struct SettingsRequest {
    /// The environment of the process.
    pub around: Surroundings,
    /// `--config`: replaces the project's and the user's file.
    pub file: Option<PathBuf>,
    /// Settings given by flags; the last one of a name wins.
    pub flags: Vec<Flag>,
}

/// A setting with its value and origin.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The dotted name.
    pub key: String,
    /// Its value as TOML.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
}

/// Why a settings file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// `--config` or `DEEPSEARCH_CONFIG` names it.
    Named,
    /// It is the user's own.
    User,
    /// It lies in the working folder.
    Project(TrustState),
}

/// A settings file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsFile {
    /// The path.
    pub path: PathBuf,
    /// Why it was read.
    pub role: FileRole,
}

/// A setting of a project's file that needs trust, in a file that is not trusted.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The setting as it stands in the file. It is not in force.
    pub setting: Setting,
    /// What it does, worded to follow the name in a message.
    pub does: String,
}

/// The settings in force, and the origin of each.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The typed settings.
    pub config: Config,
    /// All values, in the order of the default file, prices last.
    pub values: Vec<Setting>,
    /// The files that were read, the highest-ranking first.
    pub files: Vec<SettingsFile>,
    /// The settings of the project's file that are not in force, in order. Unless it is empty, only listings may go on.
    pub refused: Vec<Refused>,
    /// For each removed setting that is still set: where, and what replaces it.
    pub notices: Vec<String>,
}

impl Settings {
    /// Reads and checks all layers. Touches only the settings files, and creates none. A project's file that sets what
    /// it may not is an error.
    pub fn load(request: &SettingsRequest) -> Result<Settings, ConfigError> {
        let settings = Settings::examine(request)?;
        let project = settings.files.iter().find_map(|file| match file.role {
            FileRole::Project(standing) => Some((&file.path, standing)),
            FileRole::Named | FileRole::User => None,
        });
        match project {
            Some((path, standing)) if !settings.refused.is_empty() => Err(ConfigError::Untrusted {
                path: path.clone(),
                changed: standing == TrustState::Changed,
                refused: settings.refused,
            }),
            _ => Ok(settings),
        }
    }

    /// Like [`Settings::load`], but only for display: what a project's file may not set is left out and reported.
    pub fn examine(request: &SettingsRequest) -> Result<Settings, ConfigError> {
        let (known, layers) = Layers::read(request)?;
        let mut files = layers.files.clone();
        let (mut merged, mut refused) = (layers.weaker.clone(), Vec::new());
        if let Some(project) = &layers.project {
            files.insert(0, SettingsFile { path: project.path.clone(), role: FileRole::Project(project.standing) });
            let others = layers.others();
            for entry in &project.entries {
                let objection = (project.standing != TrustState::Trusted)
                    .then(|| objection(entry, &layers.weaker, &others))
                    .flatten();
                match objection {
                    Some(does) => refused.push(Refused { setting: shown(entry), does }),
                    None => drop(merged.insert(entry.path.clone(), entry.clone())),
                }
            }
        }
        merged.extend(by_path(layers.stronger));
        check_prices(&merged)?;
        check_together(&merged)?;
        let config = typed(&merged)?;
        let place = |key: &str| known.names.iter().position(|name| name == key).unwrap_or(usize::MAX);
        let mut values: Vec<Setting> = merged.values().map(shown).collect();
        values.sort_by(|a, b| place(&a.key).cmp(&place(&b.key)).then_with(|| a.key.cmp(&b.key)));
        Ok(Settings { config, values, files, refused, notices: layers.notices })
    }
}

/// A project's settings file, for a decision on whether to trust it.
#[derive(Clone, Debug)]
pub struct Project {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it is trusted.
    pub standing: TrustState,
    /// Its settings in order, each with what it does if it needs trust.
    pub settings: Vec<(Setting, Option<String>)>,
    text: String,
}

impl Project {
    /// Finds the file in the working folder, as it would be read without `--config`; `None` if there is none.
    pub fn find(request: &SettingsRequest) -> Result<Option<Project>, ConfigError> {
        let mut request = SettingsRequest { file: None, ..request.clone() };
        request.around.variables.remove(NAMING);
        let (_, layers) = Layers::read(&request)?;
        let others = layers.others();
        let Some(project) = layers.project else { return Ok(None) };
        let judged = |entry: &Entry| (shown(entry), objection(entry, &layers.weaker, &others));
        let settings = project.entries.iter().map(judged).collect();
        Ok(Some(Project { path: project.path, standing: project.standing, settings, text: project.text }))
    }

    /// Trusts the file as long as it stays as it was when found. Returns the recorded path.
    pub fn trust(&self, around: &Surroundings) -> Result<PathBuf, ConfigError> {
        trust::trust(&self.path, &self.text, around)
    }
}

/// The variable that names a settings file.
pub const NAMING: &str = "DEEPSEARCH_CONFIG";

/// The layers as read, before they are merged.
struct Layers {
    /// The defaults, and the user's file or the one named by `--config` or `DEEPSEARCH_CONFIG`.
    weaker: Merged,
    /// A project's file.
    project: Option<ProjectLayer>,
    /// Variables, then flags.
    stronger: Vec<Entry>,
    /// The files that `weaker` was read from.
    files: Vec<SettingsFile>,
    notices: Vec<String>,
}

struct ProjectLayer {
    path: PathBuf,
    text: String,
    standing: TrustState,
    entries: Vec<Entry>,
}

impl Layers {
    fn read(request: &SettingsRequest) -> Result<(KnownSettings, Layers), ConfigError> {
        let around = &request.around;
        let (known, defaults) = KnownSettings::new(DEFAULT)?;
        let mut layers = Layers {
            weaker: by_path(defaults),
            project: None,
            stronger: Vec::new(),
            files: Vec::new(),
            notices: Vec::new(),
        };
        let named = request.file.clone().or_else(|| around.variable(NAMING).map(PathBuf::from));
        // Without a home folder there is no user's file to read, which is not an error.
        let (own, role) = match &named {
            Some(path) => (Some(path.clone()), FileRole::Named),
            None => (around.user_file().ok(), FileRole::User),
        };
        if let Some(path) = own
            && let Some(text) = read_text(&path, role)?
        {
            let entries = present(known.file(&text, &path, around)?, &mut layers.notices);
            layers.weaker.extend(by_path(entries));
            layers.files.push(SettingsFile { path, role });
        }
        if named.is_none() {
            layers.project = ProjectLayer::read(&known, around, &mut layers.notices)?;
        }
        let mut stronger = known.variables(around)?;
        stronger.extend(known.flags(&request.flags, around)?);
        layers.stronger = present(stronger, &mut layers.notices);
        Ok((known, layers))
    }

    /// The values in force without the project's file.
    fn others(&self) -> Merged {
        let mut others = self.weaker.clone();
        others.extend(by_path(self.stronger.clone()));
        others
    }
}

impl ProjectLayer {
    fn read(
        known: &KnownSettings,
        around: &Surroundings,
        notices: &mut Vec<String>,
    ) -> Result<Option<Self>, ConfigError> {
        let path = around.cwd.join(PROJECT_FILE);
        let role = FileRole::Project(TrustState::Unknown);
        let Some(text) = read_text(&path, role)? else { return Ok(None) };
        let entries = present(known.file(&text, &path, around)?, notices);
        let standing = trust::standing(&path, &text, around)?;
        Ok(Some(ProjectLayer { path, text, standing, entries }))
    }
}

/// The entries without removed settings, for which notices are added.
fn present(entries: Vec<Entry>, notices: &mut Vec<String>) -> Vec<Entry> {
    let mut is_present = |entry: &Entry| {
        let instead = retired(&entry.path);
        notices.extend(instead.map(|instead| {
            format!("{}: the setting `{}` is gone and has no effect: {instead}", entry.origin, entry.key())
        }));
        instead.is_none()
    };
    entries.into_iter().filter(|entry| is_present(entry)).collect()
}

fn by_path(entries: Vec<Entry>) -> Merged {
    entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect()
}

fn shown(entry: &Entry) -> Setting {
    Setting { key: entry.key(), value: entry.value.to_string(), origin: entry.origin.clone() }
}

/// Checks that each price has both halves, which may come from different layers.
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

/// Checks conditions between settings; the error names the one that was set last.
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
