//! What prompts and the templates of reports have in common: one strict environment, and errors with file and line.

use std::path::PathBuf;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};

use crate::base::text::sort_by_similarity;

/// The reason given for an undefined value, of which the engine tells no more.
const UNDEFINED: &str = "a variable or a field of it has no value";

/// What is wrong with a template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// It cannot be read, or is not UTF-8.
    #[error("cannot read the template {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its syntax is wrong, or it fails on its values.
    #[error("{file}:{line}: {reason}")]
    Wrong {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It uses a variable that does not exist.
    #[error("{file}:{line}: there is no variable `{name}`; did you mean `{nearest}`? There are {known}")]
    UnknownVariable {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The variable, as written.
        name: String,
        /// The most similar name that exists.
        nearest: String,
        /// All variables.
        known: String,
    },
}

impl TemplateError {
    /// The engine's error on a file.
    pub fn wrong(file: &str, error: &Error) -> TemplateError {
        let reason = match (error.kind(), error.detail()) {
            (ErrorKind::UndefinedError, None) => UNDEFINED.to_owned(),
            (kind, Some(detail)) => format!("{kind}: {detail}"),
            (kind, None) => kind.to_string(),
        };
        TemplateError::Wrong { file: file.to_owned(), line: error.line().unwrap_or(1), reason }
    }

    /// The same error, with the line of `source` on which a variable or a field has no value.
    pub fn within(self, source: &str) -> TemplateError {
        match self {
            TemplateError::Wrong { file, line, reason } if reason == UNDEFINED => {
                let words = source.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
                TemplateError::Wrong { file, line, reason: format!("{reason}: `{words}`") }
            }
            other => other,
        }
    }
}

/// An environment without templates: a variable without a value is an error, and a tag on a line of its own leaves no
/// empty line.
pub fn environment() -> Result<Environment<'static>, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(|error| TemplateError::wrong("", &error))?);
    Ok(environment)
}

/// Fails on the first variable that a file uses and that is not among `known`.
pub fn check_variables<'u>(
    file: &str,
    source: &str,
    used: impl IntoIterator<Item = &'u str>,
    known: &[&str],
) -> Result<(), TemplateError> {
    let Some(unknown) = used.into_iter().find(|used| !known.contains(used)) else { return Ok(()) };
    let has = |line: &str| line.contains('{') && words(line).any(|word| word == unknown);
    Err(TemplateError::UnknownVariable {
        file: file.to_owned(),
        line: source.lines().position(has).unwrap_or(0) + 1,
        name: unknown.to_owned(),
        nearest: nearest(unknown, known.iter().copied()).to_owned(),
        known: known.join(", "),
    })
}

/// The most similar of some names.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    sort_by_similarity(name, known).into_iter().next().unwrap_or_default()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !(character.is_alphanumeric() || character == '_'))
}
