use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use crate::base::{SqliteFault, create_private_folder, open_immutable, schema_version, with_tables};
use crate::memory::MemoryError;
use crate::memory::error::sqlite_error;

/// Version of the schema, in `user_version`.
pub(super) const FORMAT: u32 = 1;

/// How long a change waits for another process's change, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// The pause between two attempts to open the file.
const PAUSE: Duration = Duration::from_millis(10);

/// Times are microseconds since 1970; 0 in `stale` means that the event is not stale.
const SCHEMA: &str = "
    CREATE TABLE spaces(id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
    CREATE TABLE embedders(
        id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, unrelated REAL, border REAL, related REAL);
    CREATE TABLE events(
        id INTEGER PRIMARY KEY AUTOINCREMENT, identity BLOB NOT NULL UNIQUE, kind INTEGER NOT NULL,
        space INTEGER NOT NULL, made INTEGER NOT NULL, recalled INTEGER NOT NULL, recalls INTEGER NOT NULL DEFAULT 0,
        g REAL NOT NULL, stale INTEGER NOT NULL DEFAULT 0, embedder INTEGER NOT NULL DEFAULT 0, run TEXT NOT NULL,
        text TEXT NOT NULL, citations TEXT NOT NULL);
    CREATE INDEX events_by_time ON events(made, id);
    CREATE INDEX events_by_stale ON events(stale) WHERE stale <> 0;
    CREATE TABLE recalls(
        event INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, g REAL NOT NULL, run TEXT NOT NULL,
        PRIMARY KEY(event, n)) WITHOUT ROWID;
    CREATE TABLE vectors(event INTEGER PRIMARY KEY, scale REAL NOT NULL, data BLOB NOT NULL);
    CREATE TABLE signs(
        embedder INTEGER NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE(embedder, block));
    CREATE TABLE terms(
        embedder INTEGER NOT NULL, term INTEGER NOT NULL, event INTEGER NOT NULL, total INTEGER NOT NULL,
        PRIMARY KEY(embedder, term, event)) WITHOUT ROWID;
";

pub(super) fn open(path: &Path) -> Result<Connection, MemoryError> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder).map_err(|source| MemoryError::Folder { path: path.to_owned(), source })?;
    }
    let started = Instant::now();
    let (connection, found) = loop {
        match connect(path) {
            Ok(opened) => break opened,
            // While one process sets up the write-ahead log of a new file, SQLite turns others away without waiting.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && started.elapsed() < PATIENCE =>
            {
                std::thread::sleep(PAUSE);
            }
            // A file that cannot be written can still be read.
            Err(error) if may_not_write(&error) && path.exists() => {
                break open_immutable(path).and_then(prepared).map_err(|_| sqlite_error(path, "opening it", error))?;
            }
            Err(error) => return Err(sqlite_error(path, "opening it", error)),
        }
    };
    if found > FORMAT {
        return Err(MemoryError::NewerFormat { path: path.to_owned(), found, known: FORMAT });
    }
    Ok(connection)
}

fn connect(path: &Path) -> rusqlite::Result<(Connection, u32)> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    if schema_version(&connection)? == 0 {
        connection.pragma_update(None, "page_size", 8192)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        with_tables(&mut connection, SCHEMA, FORMAT)?;
    }
    prepared(connection)
}

fn may_not_write(error: &rusqlite::Error) -> bool {
    matches!(SqliteFault::of(error), SqliteFault::ReadOnly | SqliteFault::CannotOpen)
}

/// Sets the connection up, and returns it with the file's version, the first thing that is read of the file.
pub(super) fn prepared(connection: Connection) -> rusqlite::Result<(Connection, u32)> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -8_000)?;
    connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
    connection.set_prepared_statement_cache_capacity(32);
    let version = schema_version(&connection)?;
    Ok((connection, version))
}
