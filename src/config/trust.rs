//! Which projects' settings files the user trusts: one record per file, in a folder beside the user's own file.
//!
//! A record holds the file's path and a hash of its bytes, so that neither another file at that path nor the same file
//! after a change is trusted. What an untrusted file may still set is decided in `harmless`.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::FileRole;
use super::{ConfigError, PROJECT_FILE, Surroundings};
use crate::base::{create_private_folder, if_there, write_atomically};

/// The folder of the records, below the platform's folder for settings.
const FOLDER: &str = "deepsearch/trusted";

/// The role under which records and trusted files are read: nobody has vouched for them.
const STRANGE: FileRole = FileRole::Project(TrustState::Unknown);

/// The longest settings file that is read, in bytes. The default file, with all its comments, has a fiftieth of that.
const MOST_BYTES: u64 = 1 << 20;

/// Whether the user trusts a project's settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// The user trusts exactly these bytes at exactly this path.
    Trusted,
    /// The user trusted it, but it has changed since.
    Changed,
    /// The user has not decided on it.
    Unknown,
}

/// A file that the user has trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedFile {
    /// Its path when it was trusted, with links resolved.
    pub path: PathBuf,
    /// Whether the file there is still the one that was trusted; `None` if none can be read.
    pub unchanged: Option<bool>,
}

/// The record of a trusted file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The version of the record's format.
    version: u32,
    /// The path, for people; the record's own name is derived from the exact path.
    path: String,
    /// BLAKE3 of the file's bytes, in hexadecimal.
    content: String,
}

const VERSION: u32 = 1;

/// Reads a settings file; `None` if it does not exist and need not. It must be a regular file: reading a pipe could
/// block forever.
pub(super) fn read_text(path: &Path, role: FileRole) -> Result<Option<String>, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
    // The usual way to name "no settings".
    if role == FileRole::Named && path == Path::new("/dev/null") {
        return Ok(Some(String::new()));
    }
    let file = match open_regular(path) {
        Ok(file) => file,
        Err(error)
            if role != FileRole::Named && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    let mut text = String::new();
    let read = file.take(MOST_BYTES + 1).read_to_string(&mut text);
    match read.map_err(unreadable)? as u64 {
        0..=MOST_BYTES => Ok(Some(text)),
        _ => Err(unreadable(std::io::Error::other(format!("it is longer than {MOST_BYTES} bytes")))),
    }
}

fn open_regular(path: &Path) -> std::io::Result<std::fs::File> {
    let irregular = || {
        std::io::Error::other(
            "it is no regular file but a folder, a pipe or a device: write the settings to a file and name that",
        )
    };
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    // Checked before opening, since opening a device can have effects, and afterwards, since the file may have been
    // replaced.
    if !std::fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(irregular()) }
}

/// The project's file as records know it: with its folder's real path. The file itself may be a link, since its target
/// is verified by its bytes.
fn real_path(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

fn folder(around: &Surroundings) -> Result<PathBuf, ConfigError> {
    let folder = around.config_dir.as_ref().ok_or(ConfigError::NoHome { what: "records of trusted settings files" })?;
    Ok(folder.join(FOLDER))
}

/// The path of the record of a file, given the file's real path.
fn record_path(folder: &Path, path: &Path) -> PathBuf {
    folder.join(format!("{}.toml", hash_of(path.as_os_str().as_encoded_bytes())))
}

fn read_record(place: &Path) -> Result<Option<Record>, ConfigError> {
    let damaged = |reason: String| ConfigError::BadRecord { path: place.to_owned(), reason };
    let Some(text) = read_text(place, STRANGE)? else { return Ok(None) };
    let record: Record = toml::from_str(&text).map_err(|error| damaged(error.message().to_owned()))?;
    match record.version {
        VERSION => Ok(Some(record)),
        newer => Err(damaged(format!("it has the form {newer}, and this program knows {VERSION}"))),
    }
}

/// Whether the file at `path` with the content `text` is trusted.
pub(super) fn standing(path: &Path, text: &str, around: &Surroundings) -> Result<TrustState, ConfigError> {
    // Without a folder for records nothing was ever trusted.
    let Ok(folder) = folder(around) else { return Ok(TrustState::Unknown) };
    Ok(match read_record(&record_path(&folder, &real_path(path)))? {
        None => TrustState::Unknown,
        Some(record) if record.content == hash_of(text.as_bytes()) => TrustState::Trusted,
        Some(_) => TrustState::Changed,
    })
}

/// Trusts the file at `path` as long as its content is `text`. Returns the recorded path.
pub(super) fn trust(path: &Path, text: &str, around: &Surroundings) -> Result<PathBuf, ConfigError> {
    let (folder, path) = (folder(around)?, real_path(path));
    let record =
        Record { version: VERSION, path: path.to_string_lossy().into_owned(), content: hash_of(text.as_bytes()) };
    let place = record_path(&folder, &path);
    let text = toml::to_string(&record).map_err(|error| ConfigError::Inconsistent { reason: error.to_string() })?;
    create_private_folder(&folder)
        .and_then(|()| write_atomically(&place, text.as_bytes()))
        .map_err(|source| ConfigError::NotWritable { path: place, source })?;
    Ok(path)
}

/// Withdraws the trust in a project's file; `place` is the file or its folder, which need not exist any more. Returns
/// the recorded path; `None` if it was not trusted.
pub fn untrust(place: &Path, around: &Surroundings) -> Result<Option<PathBuf>, ConfigError> {
    let folder = folder(around)?;
    let place = around.cwd.join(place);
    let is_file = place.file_name().is_some_and(|name| name == PROJECT_FILE) && !place.is_dir();
    let path = real_path(&if is_file { place } else { place.join(PROJECT_FILE) });
    let record = record_path(&folder, &path);
    match if_there(std::fs::remove_file(&record)) {
        Ok(removed) => Ok(removed.map(|()| path)),
        Err(source) => Err(ConfigError::NotWritable { path: record, source }),
    }
}

/// All trusted files, by path.
pub fn trusted_files(around: &Surroundings) -> Result<Vec<TrustedFile>, ConfigError> {
    let folder = folder(around)?;
    let unreadable = |source| ConfigError::Unreadable { path: folder.clone(), source };
    let Some(entries) = if_there(std::fs::read_dir(&folder)).map_err(unreadable)? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for entry in entries {
        let place = entry.map_err(unreadable)?.path();
        // A killed process may have left a partial record here.
        if place.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let Some(record) = read_record(&place)? else { continue };
        let path = PathBuf::from(record.path);
        let text = read_text(&path, STRANGE).ok().flatten();
        let unchanged = text.map(|text| hash_of(text.as_bytes()) == record.content);
        files.push(TrustedFile { path, unchanged });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
