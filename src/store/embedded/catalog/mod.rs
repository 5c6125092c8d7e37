//! The source of truth: one SQLite file. A document's row, its chunks, its text, its vectors and its token states are
//! written in one transaction, together with an entry in a log of changes, from which all derived files are updated.

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

/// The name of the catalog's file in the data folder.
const FILE: &str = "catalog.sqlite";

/// The version of the schema and of the rows' layout, in `user_version`. Since version 5, rows and blocks of text carry
/// hashes; those stored earlier are read without. Since version 6, chunks may have headings of parts.
const FORMAT: u32 = 7;

/// The first version with a row of token states per chunk. An older catalog gets the table for them when it is next
/// opened for writing; its existing rows stay as they are.
const STATES_FORMAT: u32 = 3;

/// The first version that records how each document was cut. An older catalog gets the column when it is next opened
/// for writing.
const CUT_FORMAT: u32 = 4;

/// The first version that records the size of the token states. An older catalog is counted once when it is next opened
/// for writing.
const SIZES_FORMAT: u32 = 4;

/// The first version that records who wrote each document. An older catalog gets the column when it is next opened for
/// writing.
const AUTHORSHIP_FORMAT: u32 = 7;

/// The oldest version that can be read. Earlier ones were never published.
const OLDEST: u32 = 2;

/// How long a statement waits for another connection's lock. In write-ahead mode, the only lock that a reader notices
/// is that of a checkpoint at the very start or end of a process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The keys of a document's text blocks start at `id << TEXT_KEY_BITS`.
const TEXT_KEY_BITS: u32 = 24;

/// The keys of the token states of a document's chunks start at `id << STATES_KEY_BITS`.
const STATES_KEY_BITS: u32 = 24;

/// The keys of rows with eight chunks' states, in the old table, start at `id << OLD_STATES_KEY_BITS`.
const OLD_STATES_KEY_BITS: u32 = 21;

/// Vectors and token states are stored in one of two slots, so that a collection can receive new ones while the old are
/// in use. The keys of the second slot have this bit set. The collection's row says which slot is active.
const SLOT_BIT: u32 = 62;

/// Returns the SQL of the values in the document `d`'s own row that the seal of its row of chunks covers, in addition
/// to those that an index repeats. Without authorship the value is the one of earlier versions, so their seals remain
/// valid.
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

/// Returns the SQL for who wrote the document `d`: `NULL` in a catalog too old to have the column.
fn authorship_column(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if schema_version(connection)? >= AUTHORSHIP_FORMAT { "d.authorship" } else { "NULL" })
}

/// Keys are the row ids of ordinary tables, so that a load appends to the end of each B-tree.
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

/// The table that a catalog from before [`STATES_FORMAT`] lacks.
const STATES_TABLE: &str = "CREATE TABLE chunk_states(key INTEGER PRIMARY KEY, data BLOB NOT NULL)";

/// The column that a catalog from before [`CUT_FORMAT`] lacks.
const CUT_COLUMN: &str = "ALTER TABLE documents ADD COLUMN cut INTEGER";

/// The column that a catalog from before [`AUTHORSHIP_FORMAT`] lacks.
const AUTHORSHIP_COLUMN: &str = "ALTER TABLE documents ADD COLUMN authorship TEXT";

/// An entry of the log of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A version of a document was added.
    Added(u64),
    /// A version of a document was removed.
    Removed(u64),
    /// A collection was dropped with all its documents.
    Dropped(u64),
    /// All vectors of a collection were replaced.
    Reembedded(u64),
    /// A document has another path or date, so that filters may admit other documents.
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

/// Returns the path of the catalog in a data folder.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Opens the catalog for reading; `None` if nothing was ever written. In a folder that cannot be written, SQLite cannot
/// create the shared memory for its write-ahead log, so the file is read as immutable.
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
    // In KiB: this holds the upper pages of the trees of a million chunks. With 4 MB they are read again and again.
    connection.pragma_update(None, "cache_size", -16_000)?;
    // Without this, SQLite recompiles a statement whenever a bound value might call for another plan: 1 of the 30 ms of
    // processor time of a search. Every plan here is by a key.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // The first real read: SQLite opens the log only now.
    let version = schema_version(&connection)?;
    Ok((connection, version))
}

/// Whether SQLite failed because it was not permitted to create its shared files.
fn cannot_share(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{CannotOpen, PermissionDenied, ReadOnly, SystemIoFailure};
    matches!(error.sqlite_error_code(), Some(CannotOpen | PermissionDenied | ReadOnly | SystemIoFailure))
}

/// Refuses a file of a version that cannot be read. Version 0 means that a process was killed before it committed the
/// schema.
fn checked(connection: Connection, version: u32, path: &Path) -> Result<Option<Connection>, StoreError> {
    check_version(version, path)?;
    if version == 0 {
        check_not_lost(path)?;
    }
    Ok((version > 0).then_some(connection))
}

/// Refuses a folder whose catalog is missing or empty while files derived from it exist: it is not an empty store.
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

/// Opens the catalog for writing and creates or upgrades the schema. Only the holder of the writer lock may call it.
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
