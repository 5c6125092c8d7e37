use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ConfigError;

/// The settings file of a project, located in the working folder.
pub const PROJECT_FILE: &str = "deepsearch.toml";

/// The user's settings file, below the platform's folder for settings.
pub const USER_FILE: &str = "deepsearch/config.toml";

/// The environment of the process. The settings are a function of it and of the files it names, so that a test can set
/// all of it; only the command line reads the real environment.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// The working folder.
    pub cwd: PathBuf,
    /// The home folder, for `~`.
    pub home: Option<PathBuf>,
    /// The platform's folder for settings.
    pub config_dir: Option<PathBuf>,
    /// The platform's folder for data.
    pub data_dir: Option<PathBuf>,
}

impl Surroundings {
    /// The value of a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The path of the user's settings file, which need not exist.
    pub fn user_file(&self) -> Result<PathBuf, ConfigError> {
        let folder = self.config_dir.as_ref().ok_or(ConfigError::NoHome { what: "a settings file" })?;
        Ok(folder.join(USER_FILE))
    }

    /// The path with a leading `~` replaced by the home folder; a relative path is resolved against `base`.
    pub(super) fn absolute(&self, path: &str, base: &Path) -> PathBuf {
        let path = Path::new(path);
        let expanded = match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_owned(),
        };
        base.join(expanded)
    }
}
