use std::path::Path;

use super::ConfigError;
use crate::base::write_atomically;

/// Every setting with its default.
pub const DEFAULT: &str = include_str!("defaults.toml");

/// The commonly changed settings, with their defaults and explanations.
pub const EXAMPLE: &str = include_str!("../../config.example.toml");

/// The file that a user starts from: the [`EXAMPLE`] with every setting commented out, so that it sets nothing until a
/// line is uncommented, and the user gets later defaults of the program.
pub fn template() -> String {
    let mut text = String::with_capacity(EXAMPLE.len() + 256);
    for line in EXAMPLE.lines() {
        let is_setting = line.starts_with(|first: char| first.is_ascii_lowercase()) && line.contains(" = ");
        if is_setting {
            text.push_str("# ");
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Writes the [`template`] to `path`, creating its folder. An existing file is replaced only if `replace` is set.
pub fn write_template(path: &Path, replace: bool) -> Result<(), ConfigError> {
    if !replace && path.exists() {
        return Err(ConfigError::Exists { path: path.to_owned() });
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| write_atomically(path, template().as_bytes()))
        .map_err(|source| ConfigError::NotWritable { path: path.to_owned(), source })
}
