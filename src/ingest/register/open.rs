//! Opens, reads and writes the register's file; writes are made as the only writer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction};

use super::RegisterError;
use super::error::sqlite_error;
use super::renames::RENAMES;
use super::unread::UNREAD;
use crate::base::{create_private_folder, if_there, in_exclusive_transaction, schema_version, with_tables};

/// The name of the file in the data folder.
pub const FILE: &str = "sources.sqlite";

/// Version of the schema, in `user_version`.
const FORMAT: u32 = 1;

/// How long a change waits for another process's change.
const PATIENCE: Duration = Duration::from_secs(20);

/// Times are microseconds since 1970; an empty collection or path means none.
const SCHEMA: &str = "
    CREATE TABLE sources(
        id INTEGER PRIMARY KEY, source TEXT NOT NULL, collection TEXT NOT NULL, per_dir INTEGER NOT NULL,
        collections TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, UNIQUE(source, collection, per_dir));
    CREATE TABLE archives(
        collection TEXT NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
        documents INTEGER NOT NULL, PRIMARY KEY(collection, path)) WITHOUT ROWID;
    CREATE TABLE history(
        id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, collection TEXT NOT NULL, path TEXT NOT NULL,
        what INTEGER NOT NULL, origin TEXT NOT NULL);
    CREATE INDEX history_by_path ON history(path, collection);
    CREATE INDEX history_by_origin ON history(origin, collection) WHERE origin <> '';
";

/// The columns that loads query. A file in which one of these queries cannot be prepared is damaged, even if all else
/// is right.
const ASKED: [&str; 3] = [
    "SELECT id, source, collection, per_dir, collections, first, last FROM sources",
    "SELECT collection, path, bytes, modified_ns, documents FROM archives",
    "SELECT id, at, collection, path, what, origin FROM history",
];

/// The open file. All functions block.
#[derive(Debug)]
pub struct Register {
    path: PathBuf,
    connection: Connection,
}

impl Register {
    /// Opens the file in a data folder; both are created if they are missing. With the collections on a server, the
    /// folder may not exist yet.
    ///
    /// # Errors
    /// A newer format, damage, or an error of the file system.
    pub fn open(folder: &Path) -> Result<Self, RegisterError> {
        create_private_folder(folder).map_err(|source| RegisterError::Folder { path: folder.to_owned(), source })?;
        let path = folder.join(FILE);
        let (connection, found) = match connect(&path).map_err(|error| sqlite_error(&path, "opening it", error)) {
            Err(RegisterError::Damaged { reason, .. }) => {
                set_aside(&path).map_err(|source| RegisterError::Folder { path: path.clone(), source })?;
                tracing::warn!(
                    "the list of sources {} is damaged ({reason}) and was put aside; load your folders by name once more",
                    path.display()
                );
                connect(&path).map_err(|error| sqlite_error(&path, "opening it", error))?
            }
            connected => connected?,
        };
        Register::checked(path, connection, found)
    }

    /// Opens the file in a data folder for reading only, even where nothing can be written; `None` if there is no file.
    ///
    /// # Errors
    /// As [`Register::open`].
    pub fn existing(folder: &Path) -> Result<Option<Self>, RegisterError> {
        let path = folder.join(FILE);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(source) => return Err(RegisterError::Unreadable { path, source }),
        }
        let open = || {
            let connection =
                Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            connection.busy_timeout(PATIENCE)?;
            let found = schema_version(&connection)?;
            Ok((connection, found))
        };
        let (connection, found) = open().map_err(|error| sqlite_error(&path, "opening it", error))?;
        // A process that was killed while it created the file leaves one without tables.
        if found == 0 { Ok(None) } else { Register::checked(path, connection, found).map(Some) }
    }

    fn checked(path: PathBuf, connection: Connection, found: u32) -> Result<Self, RegisterError> {
        if found > FORMAT {
            return Err(RegisterError::NewerFormat { path, found, known: FORMAT });
        }
        Ok(Register { path, connection })
    }

    pub(super) fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, RegisterError> {
        work(&self.connection).map_err(|error| sqlite_error(&self.path, action, error))
    }

    /// Runs `work` as the only writer; the change is durable when this returns.
    pub(super) fn write<T>(
        &mut self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, RegisterError> {
        in_exclusive_transaction(&mut self.connection, work).map_err(|error| sqlite_error(&self.path, action, error))
    }

    pub(super) fn damaged(&self, reason: String) -> RegisterError {
        RegisterError::Damaged { path: self.path.clone(), reason }
    }
}

/// The endings of a SQLite file and of the files beside it that belong to it.
const BESIDE: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// Renames a damaged file, since the user may want what can still be read of it.
fn set_aside(path: &Path) -> std::io::Result<()> {
    for ending in BESIDE {
        let mut from = path.to_owned().into_os_string();
        from.push(ending);
        let mut to = from.clone();
        to.push(".damaged");
        if_there(std::fs::rename(from, to))?;
    }
    Ok(())
}

fn connect(path: &Path) -> rusqlite::Result<(Connection, u32)> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    // A truncated file would otherwise be noticed only when the missing part is read, perhaps in the middle of a load.
    // Its header says how long it should be.
    let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    let size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    if std::fs::metadata(path).is_ok_and(|metadata| (metadata.len() as i64) < pages.saturating_mul(size)) {
        return Err(corrupt("it was cut short".to_owned()));
    }
    let found = with_tables(&mut connection, SCHEMA, FORMAT)?;
    if found == FORMAT {
        let wrong: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if wrong != "ok" {
            return Err(corrupt(wrong));
        }
        for query in ASKED {
            connection.prepare(query).map_err(|error| corrupt(error.to_string()))?;
        }
        connection.execute_batch(UNREAD)?;
        connection.execute_batch(RENAMES)?;
    }
    Ok((connection, found))
}

fn corrupt(reason: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(reason))
}
