//! The source of truth: one SQLite file. A document's row, its chunks, its text, its vectors and its token states are
//! written in one transaction together with an entry in a log of changes, from which everything derived catches up.

mod check;
mod choose;
mod codec;
mod read;
mod reembed;
mod sizes;
mod states;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::sqlite_error;
use crate::base::{open_immutable, schema_version};
use crate::store::StoreError;

pub(super) use read::{CatalogReader, CollectionRow};
#[cfg(test)]
pub(super) use states::downgrade;
pub(super) use write::CatalogWriter;

/// The catalog's name in the data folder.
const FILE: &str = "catalog.sqlite";

/// Version of the schema and of the rows' layout, in `user_version`. Since 5, rows and blocks of text carry hashes; what was
/// stored before is read without. Since 6, chunks may have headings of parts.
const FORMAT: u32 = 7;

/// The first version with a row of token states for each chunk. One that is older gets the table for them with the next
/// write, and its rows stay as they are.
const STATES_FORMAT: u32 = 3;

/// The first version that keeps how each document was cut. One that is older gets the column with the next write.
const CUT_FORMAT: u32 = 4;

/// The first version that keeps how much the token states take. One that is older is counted once, before the next write.
const SIZES_FORMAT: u32 = 4;

/// The first version that keeps who wrote each document. One that is older gets the column with the next write.
const AUTHORSHIP_FORMAT: u32 = 7;

/// The oldest version that can be read. Earlier ones were never published.
const OLDEST: u32 = 2;

/// How long a statement waits for another connection's lock. In the write-ahead mode only a checkpoint at the very
/// start or end of a process takes one that a reader notices.
const PATIENCE: Duration = Duration::from_secs(10);

/// Text blocks of a document have keys from `id << TEXT_KEY_BITS` on.
const TEXT_KEY_BITS: u32 = 24;

/// Token states of a document's chunks have keys from `id << STATES_KEY_BITS` on.
const STATES_KEY_BITS: u32 = 24;

/// Rows of eight chunks' states have keys in the old table from `id << OLD_STATES_KEY_BITS` on.
const OLD_STATES_KEY_BITS: u32 = 21;

/// Vectors and token states lie in one of two slots, so that a collection can be given new ones while the old are in
/// use: keys of the second slot have this bit set. The collection's row says which slot is in force.
const SLOT_BIT: u32 = 62;

/// What the row of a document's chunks vouches for of the document `d`'s own row, beside what an index repeats. What a
/// document of an earlier version vouches for is still so.
fn about_document(connection: &Connection) -> rusqlite::Result<String> {
    let authorship = match authorship_column(connection)? {
        "NULL" => String::new(),
        column => format!(" || ifnull(char(10) || {column}, '')"),
    };
    Ok(format!(
        "CAST(d.title || char(10) || d.format || char(10) || d.language || char(10) || ifnull(d.date, '')
         || char(10) || ifnull(d.date_origin, '') || char(10) || hex(d.hash) || char(10) || d.chunks || char(10)
         || d.text_bytes{authorship} AS BLOB)"
    ))
}

/// Who wrote the document `d`. A catalog that nobody has written to since does not know.
fn authorship_column(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if schema_version(connection)? >= AUTHORSHIP_FORMAT { "d.authorship" } else { "NULL" })
}

/// Keys are the row ids of ordinary tables, so that what a load adds goes to the end of each B-tree.
const SCHEMA: &str = "
    CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta VALUES('log_start', 0);
    CREATE TABLE collections(
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
        described_by_user INTEGER NOT NULL, embedder TEXT, slot INTEGER NOT NULL DEFAULT 0,
        reembedding INTEGER NOT NULL DEFAULT 0, next_embedder TEXT, documents INTEGER NOT NULL DEFAULT 0,
        chunks INTEGER NOT NULL DEFAULT 0, text_bytes INTEGER NOT NULL DEFAULT 0,
        state_bytes_0 INTEGER NOT NULL DEFAULT 0, state_bytes_1 INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE documents(
        id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL, path TEXT NOT NULL, title TEXT NOT NULL,
        format TEXT NOT NULL, language TEXT NOT NULL, date TEXT, date_origin TEXT, hash BLOB NOT NULL,
        bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, chunks INTEGER NOT NULL, text_bytes INTEGER NOT NULL, cut INTEGER,
        authorship TEXT);
    CREATE UNIQUE INDEX documents_by_path ON documents(collection, path);
    CREATE INDEX documents_by_size ON documents(collection, chunks);
    CREATE TABLE texts(key INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE chunks(document INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE vectors(document INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE states(key INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE chunk_states(key INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE changes(seq INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, id INTEGER NOT NULL);
";

/// What a catalog from before [`STATES_FORMAT`] lacks.
const STATES_TABLE: &str = "CREATE TABLE chunk_states(key INTEGER PRIMARY KEY, data BLOB NOT NULL)";

/// What a catalog from before [`CUT_FORMAT`] lacks.
const CUT_COLUMN: &str = "ALTER TABLE documents ADD COLUMN cut INTEGER";

/// What a catalog from before [`AUTHORSHIP_FORMAT`] lacks.
const AUTHORSHIP_COLUMN: &str = "ALTER TABLE documents ADD COLUMN authorship TEXT";

/// What an entry of the log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A document's version came.
    Added(u64),
    /// A document's version went.
    Removed(u64),
    /// A collection went with all its documents.
    Dropped(u64),
    /// All vectors of a collection were replaced.
    Reembedded(u64),
    /// A document's version has another path or date: what a filter admitted may be another set.
    Renamed(u64),
}

impl Change {
    fn parts(self) -> (i64, i64) {
        match self {
            Change::Added(id) => (1, id as i64),
            Change::Removed(id) => (2, id as i64),
            Change::Dropped(id) => (3, id as i64),
            Change::Reembedded(id) => (4, id as i64),
            Change::Renamed(id) => (5, id as i64),
        }
    }

    fn from_parts(kind: i64, id: i64) -> Option<Change> {
        match kind {
            1 => Some(Change::Added(id as u64)),
            2 => Some(Change::Removed(id as u64)),
            3 => Some(Change::Dropped(id as u64)),
            4 => Some(Change::Reembedded(id as u64)),
            5 => Some(Change::Renamed(id as u64)),
            _ => None,
        }
    }
}

/// Where the catalog of a data folder is.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Opens for reading; `None` where nothing was ever written. Where the folder cannot be written, SQLite cannot make
/// the shared memory that its write-ahead log needs, and the file is read as one that nobody changes.
fn open_for_reading(path: &Path) -> Result<Option<Connection>, StoreError> {
    if !path.try_exists().map_err(|error| super::error::io_error(path, "cannot look for", path, error))? {
        return check_not_lost(path).map(|()| None);
    }
    let plain = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .and_then(prepared_for_reading);
    match plain {
        Ok((connection, version)) => checked(connection, version, path),
        Err(error) if cannot_share(&error) => {
            let (connection, version) = open_immutable(path)
                .and_then(prepared_for_reading)
                .map_err(|error| sqlite_error(path, "opening it read-only", error))?;
            checked(connection, version, path)
        }
        Err(error) => Err(sqlite_error(path, "opening", error)),
    }
}

fn prepared_for_reading(connection: Connection) -> rusqlite::Result<(Connection, u32)> {
    connection.busy_timeout(PATIENCE)?;
    // Kilobytes: the upper pages of a million chunks' trees. With 4 MB they are read again and again.
    connection.pragma_update(None, "cache_size", -16_000)?;
    // Else SQLite compiles a statement again whenever a value for it might ask for another plan: of 30 ms of processor time of a
    // search, one. Every plan here is by a key.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The first real read: only now does SQLite open the log.
    let version = schema_version(&connection)?;
    Ok((connection, version))
}

/// Whether SQLite failed for want of the right to make its shared files.
fn cannot_share(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly | SystemIoFailure))
}

/// Refuses what another version wrote. Version 0 is a file whose schema a killed process did not get to commit.
fn checked(connection: Connection, version: u32, path: &Path) -> Result<Option<Connection>, StoreError> {
    check_version(version, path)?;
    if version == 0 {
        check_not_lost(path)?;
    }
    Ok((version > 0).then_some(connection))
}

/// Refuses a folder whose catalog is missing or empty beside what was made from it: it is no empty store.
fn check_not_lost(path: &Path) -> Result<(), StoreError> {
    let made_from_it = ["lexical/meta.json", "vectors/manifest.json"];
    let data = path.parent().unwrap_or(path);
    if !made_from_it.iter().any(|file| data.join(file).exists()) {
        return Ok(());
    }
    let reason =
        "it is missing or empty, and what was made from it is there; restore it from a backup, or delete the data \
                  folder and load again"
            .to_owned();
    Err(StoreError::Damaged { path: path.to_owned(), reason })
}

fn check_version(found: u32, path: &Path) -> Result<(), StoreError> {
    if found > FORMAT {
        return Err(StoreError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
    }
    if (1..OLDEST).contains(&found) {
        let reason = "it has a format from before the first release; delete the data folder and load again".to_owned();
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Opens for writing, and makes the schema where there is none. Only the holder of the writer lock may call it.
fn open_for_writing(path: &Path) -> Result<Connection, StoreError> {
    if std::fs::metadata(path).map_or(true, |metadata| metadata.len() == 0) {
        check_not_lost(path)?;
    }
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        let version = schema_version(&connection)?;
        if version == 0 {
            connection.pragma_update(None, "page_size", 8192)?;
        }
        if version == 0 || (OLDEST..=FORMAT).contains(&version) {
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "cache_size", -16_000)?;
        }
        if version == 0 {
            connection.execute_batch(&format!("BEGIN;{SCHEMA};PRAGMA user_version={FORMAT};COMMIT;"))?;
        } else if (OLDEST..FORMAT).contains(&version) {
            let transaction = connection.unchecked_transaction()?;
            if version < STATES_FORMAT {
                transaction.execute_batch(STATES_TABLE)?;
            }
            if version < CUT_FORMAT {
                transaction.execute_batch(CUT_COLUMN)?;
            }
            if version < AUTHORSHIP_FORMAT {
                transaction.execute_batch(AUTHORSHIP_COLUMN)?;
            }
            if version < SIZES_FORMAT {
                sizes::add_columns(&transaction)?;
            }
            transaction.pragma_update(None, "user_version", FORMAT)?;
            transaction.commit()?;
        }
        Ok((connection, version))
    };
    let (connection, version) = open().map_err(|error| sqlite_error(path, "opening for writing", error))?;
    check_version(version, path)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_is_read_without_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("with space & ünïcode?.sqlite");
        drop(open_for_writing(&path).unwrap());
        let (connection, version) = open_immutable(&path).and_then(prepared_for_reading).unwrap();
        assert_eq!(version, FORMAT);
        let collections: i64 = connection.query_row("SELECT count(*) FROM collections", [], |row| row.get(0)).unwrap();
        assert_eq!(collections, 0);
        assert!(connection.execute("DELETE FROM collections", []).is_err());
    }

    #[test]
    fn a_newer_format_is_refused_for_reading_and_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(folder.path());
        let connection = open_for_writing(&path).unwrap();
        connection.pragma_update(None, "user_version", FORMAT + 1).unwrap();
        drop(connection);
        for refused in [open_for_reading(&path).err(), open_for_writing(&path).err()] {
            assert!(matches!(refused, Some(StoreError::NewerFormat { found, .. }) if found == FORMAT + 1));
        }
    }
}
