use std::path::{Path, PathBuf};

use super::{Origin, Refused};
use crate::base::text::visible;

/// An error in the settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A settings file cannot be read.
    #[error("cannot read the settings file {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A settings file is not valid TOML.
    #[error("{origin}: {}", visible(reason))]
    Syntax {
        /// File and line.
        origin: Origin,
        /// What the parser expected.
        reason: String,
    },
    /// There is no such setting.
    #[error("{origin}: there is no setting `{key}`{}", did_you_mean(nearest.as_deref()))]
    UnknownKey {
        /// Where it is set.
        origin: Origin,
        /// The dotted name.
        key: String,
        /// The most similar name that exists.
        nearest: Option<String>,
    },
    /// The value has another type than the setting.
    #[error("{origin}: `{key}` must be {expected}, and this is {found}")]
    WrongType {
        /// Where it is set.
        origin: Origin,
        /// The dotted name.
        key: String,
        /// The type, with an article.
        expected: &'static str,
        /// The type that was found, with an article.
        found: String,
    },
    /// The value has the right type but is not allowed.
    #[error("{origin}: `{key} = {}` cannot be used: {reason}", visible(value))]
    BadValue {
        /// Where it is set.
        origin: Origin,
        /// The dotted name.
        key: String,
        /// The value as written.
        value: String,
        /// What would be valid.
        reason: String,
    },
    /// A project's file sets something that needs trust, but is not trusted.
    #[error("{}", untrusted(path, *changed, refused))]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// Whether it was trusted before it changed.
        changed: bool,
        /// The settings that need trust; not empty.
        refused: Vec<Refused>,
    },
    /// A record of a trusted file cannot be used.
    #[error("the record {path} of a trusted settings file cannot be used: {reason}")]
    BadRecord {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that is to be written already exists.
    #[error("{path} exists already")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A settings file cannot be written.
    #[error("cannot write the settings file {path}: {source}")]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// There is no home folder to read from or write to.
    #[error("there is no home folder for {what}")]
    NoHome {
        /// What would be there.
        what: &'static str,
    },
    /// The built-in defaults do not match the program. A bug.
    #[error("the built-in settings are inconsistent (please report this): {reason}")]
    Inconsistent {
        /// What does not match.
        reason: String,
    },
}

/// The most settings that one message names.
const MOST_NAMED: usize = 20;

fn untrusted(path: &Path, changed: bool, refused: &[Refused]) -> String {
    let state = if changed { "has changed since it was trusted" } else { "is not trusted" };
    let mut text = format!("{} {state}, and these settings in it need trust:", visible(&path.to_string_lossy()));
    for Refused { setting, does } in refused.iter().take(MOST_NAMED) {
        text.push_str(&format!("\n  {}: {} {does}", setting.origin, setting.key));
    }
    match refused.len().saturating_sub(MOST_NAMED) {
        0 => text,
        more => format!("{text}\n  and {more} more"),
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}
