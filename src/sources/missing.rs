use std::ffi::OsStr;
use std::path::Path;

use super::SourceError;
use crate::base::text::alike;

/// The maximum number of names that are suggested.
const OFFERED: usize = 3;

/// The error for a path that does not exist: says which part of it is missing and suggests similar names.
pub(super) fn missing(asked: &Path, absolute: &Path) -> SourceError {
    let mut folder = absolute;
    let mut name = OsStr::new("");
    while let Some(parent) = folder.parent() {
        name = folder.file_name().unwrap_or(name);
        folder = parent;
        if folder.is_dir() {
            break;
        }
    }
    SourceError::Missing { path: asked.to_owned(), folder: folder.to_owned(), nearest: nearest(folder, name) }
}

/// Names in `folder` that are similar to `name`. A folder that cannot be listed gives none: the missing path is the
/// error.
fn nearest(folder: &Path, name: &OsStr) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let siblings = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut alike = alike(&name.to_string_lossy(), siblings);
    alike.truncate(OFFERED);
    alike
}

/// The end of the error message.
pub(super) fn hint(asked: &Path, folder: &Path, nearest: &[String]) -> String {
    if asked.to_str().is_some_and(|asked| asked.contains("://")) {
        " (of URLs, those that begin with http:// or https:// are loaded)".to_owned()
    } else if nearest.is_empty() {
        format!(" (looked in {})", folder.display())
    } else {
        let names: Vec<String> = nearest.iter().map(|name| format!("`{name}`")).collect();
        format!(" (in {} there is {})", folder.display(), names.join(", "))
    }
}
