//! What everyone who keeps an SQLite file does alike: changing it, asking for its version, and telling its faults apart.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

/// Does `work` as the only writer: the right to write is taken before anything is read. All of it is durable when this
/// returns, or none of it was done.
pub fn write_alone<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

/// The version of the tables, in `user_version`; 0 where nobody has made them.
pub fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    // Searches ask for it again and again, and the table-valued form of the pragma is compiled at each use.
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Makes the tables of a new file, unless another process has made them meanwhile. Gives the version of a file's tables.
pub fn with_tables(connection: &mut Connection, schema: &str, version: u32) -> rusqlite::Result<u32> {
    if schema_version(connection)? == 0 {
        write_alone(connection, |transaction| match schema_version(transaction)? {
            0 => transaction.execute_batch(&format!("{schema};PRAGMA user_version={version};")),
            _ => Ok(()),
        })?;
    }
    schema_version(connection)
}

/// Opens a file for reading as one that nobody changes. Where its folder cannot be written, SQLite cannot make the shared
/// memory that a write-ahead log needs, and reads it in no other way.
pub fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags)
}

/// What an error of SQLite means to whoever keeps a database: whether to make room, to ask for rights, or to restore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqliteFault {
    /// The disk is full.
    Full,
    /// It may not be written.
    ReadOnly,
    /// It cannot be opened, as where its folder does not let files be made.
    CannotOpen,
    /// The file does not hold what it should.
    Damaged,
    /// Anything else.
    Other,
}

impl SqliteFault {
    /// What an error means.
    pub fn of(error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => SqliteFault::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => {
                SqliteFault::ReadOnly
            }
            Some(ErrorCode::CannotOpen) => SqliteFault::CannotOpen,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => SqliteFault::Damaged,
            // A value of another kind than any that is written.
            None if is_of_another_kind(error) => SqliteFault::Damaged,
            _ => SqliteFault::Other,
        }
    }
}

fn is_of_another_kind(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    #[test]
    fn each_fault_has_its_name() {
        let check = |code, expected| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(SqliteFault::of(&error), expected, "{error}");
        };
        check(ffi::SQLITE_FULL, SqliteFault::Full);
        check(ffi::SQLITE_READONLY_DIRECTORY, SqliteFault::ReadOnly);
        check(ffi::SQLITE_PERM, SqliteFault::ReadOnly);
        check(ffi::SQLITE_CANTOPEN, SqliteFault::CannotOpen);
        check(ffi::SQLITE_CORRUPT_VTAB, SqliteFault::Damaged);
        check(ffi::SQLITE_NOTADB, SqliteFault::Damaged);
        check(ffi::SQLITE_BUSY, SqliteFault::Other);
        assert_eq!(SqliteFault::of(&rusqlite::Error::QueryReturnedNoRows), SqliteFault::Other);
    }
}
