//! Converts the engines' errors to [`StoreError`]: a full disk, a read-only folder and damage each have their own kind.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::base::SqliteFault;
use crate::store::StoreError;

/// The advice for damage to a file that is derived from the catalog.
pub(super) const DERIVED: &str = "it is made from the catalog: delete it and the next write makes it anew";

/// Converts an error of the file system on `path` in the data folder `folder`.
pub(super) fn io_error(folder: &Path, action: &'static str, path: &Path, source: io::Error) -> StoreError {
    match innermost_kind(&source) {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::NoSpace { path: folder.to_owned() },
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::NotWritable { path: path.to_owned(), source }
        }
        // Some engines hide the system's error.
        io::ErrorKind::Other if has_no_space(folder) => StoreError::NoSpace { path: folder.to_owned() },
        _ => StoreError::Io { action, path: path.to_owned(), source },
    }
}

/// Returns the kind of the system's original error: engines wrap it in others, which have no kind of their own.
fn innermost_kind(error: &io::Error) -> io::ErrorKind {
    let mut kind = error.kind();
    let mut wrapped = error.get_ref().map(|inner| inner as &(dyn Error + 'static));
    while let Some(inner) = wrapped {
        let system =
            inner.downcast_ref::<io::Error>().or_else(|| inner.downcast_ref::<Arc<io::Error>>().map(|io| &**io));
        kind = system.map_or(kind, io::Error::kind);
        wrapped = match system.and_then(io::Error::get_ref) {
            Some(deeper) => Some(deeper),
            None => inner.source(),
        };
    }
    kind
}

/// Whether nothing more can be written to a folder. An engine whose threads failed for lack of space only reports that
/// they died.
fn has_no_space(folder: &Path) -> bool {
    const PROBE_BYTES: usize = 1 << 20;
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&vec![1; PROBE_BYTES]));
    written.is_err_and(|error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
}

/// Converts an error of SQLite on the catalog file `path`.
pub(super) fn sqlite_error(path: &Path, action: &'static str, error: rusqlite::Error) -> StoreError {
    let folder = path.parent().unwrap_or(path);
    let damaged = |reason: String| StoreError::Damaged { path: path.to_owned(), reason };
    match SqliteFault::of(&error) {
        SqliteFault::Full => StoreError::NoSpace { path: folder.to_owned() },
        SqliteFault::ReadOnly => {
            let source = io::Error::new(io::ErrorKind::PermissionDenied, error);
            StoreError::NotWritable { path: path.to_owned(), source }
        }
        SqliteFault::Damaged => {
            damaged(format!("{error}; restore it from a backup, or delete the data folder and load again"))
        }
        SqliteFault::CannotOpen | SqliteFault::Other => {
            StoreError::Engine { engine: "the catalog (SQLite)", action, reason: error.to_string() }
        }
    }
}

/// Converts an error of tantivy on the index folder `path`.
pub(super) fn tantivy_error(path: &Path, action: &'static str, error: TantivyError) -> StoreError {
    let folder = path.parent().unwrap_or(path);
    let system = match &error {
        TantivyError::IoError(source)
        | TantivyError::LockFailure(LockError::IoError(source), _)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: source, .. })
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error: source, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error: source, .. }) => Some(Arc::clone(source)),
        _ => None,
    };
    if let Some(source) = system {
        return io_error(folder, action, path, io::Error::new(source.kind(), source));
    }
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::OpenReadError(_) => {
            StoreError::Damaged { path: path.to_owned(), reason: format!("{error}; {DERIVED}") }
        }
        TantivyError::ErrorInThread(_) if has_no_space(folder) => StoreError::NoSpace { path: folder.to_owned() },
        other => StoreError::Engine { engine: "the index (tantivy)", action, reason: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_whoever_meets_it() {
        fn check(error: StoreError) {
            assert!(matches!(&error, StoreError::NoSpace { path } if path == Path::new("/data")), "{error}");
        }
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        check(io_error(Path::new("/data"), "cannot write", Path::new("/data/x"), full()));
        check(tantivy_error(Path::new("/data/lexical"), "committing", TantivyError::IoError(Arc::new(full()))));
        let wrapped = io::Error::other(Arc::new(io::Error::other(full())));
        check(tantivy_error(Path::new("/data/lexical"), "committing", TantivyError::IoError(Arc::new(wrapped))));
        let sqlite = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL), None);
        check(sqlite_error(Path::new("/data/catalog.sqlite"), "writing", sqlite));
    }
}
