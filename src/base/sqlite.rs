//! Common handling of SQLite files: changing them, asking for their version, and telling their faults apart.

use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

/// Does `work` as the only writer: the write lock is taken before anything is read. When this returns, all of the work
/// is durable, or none of it was done.
pub fn in_exclusive_transaction<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

/// The version of the tables, in `user_version`; 0 if nobody has created them.
pub fn schema_version(connection: &Connection) -> rusqlite::Result<u32> {
    // Searches ask for it again and again, and the table-valued form of the pragma is compiled at each use.
    connection.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))
}

/// Creates the tables of a new file, unless another process has done so meanwhile. Returns the version of a file's
/// tables.
pub fn with_tables(connection: &mut Connection, schema: &str, version: u32) -> rusqlite::Result<u32> {
    if schema_version(connection)? == 0 {
        in_exclusive_transaction(connection, |transaction| match schema_version(transaction)? {
            0 => transaction.execute_batch(&format!("{schema};PRAGMA user_version={version};")),
            _ => Ok(()),
        })?;
    }
    schema_version(connection)
}

/// Opens a file for reading, on the assumption that nobody changes it. If its folder is not writable, SQLite cannot
/// create the shared memory that a write-ahead log needs, and has no other way to read the file.
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

/// The meaning of an SQLite error for whoever keeps a database: whether to free space, to ask for rights, or to restore
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqliteFault {
    /// The disk is full.
    Full,
    /// It is not writable.
    ReadOnly,
    /// It cannot be opened, for example because files cannot be created in its folder.
    CannotOpen,
    /// The file does not hold what it should.
    Damaged,
    /// Anything else.
    Other,
}

impl SqliteFault {
    /// The fault that an error stands for.
    pub fn of(error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => SqliteFault::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => {
                SqliteFault::ReadOnly
            }
            Some(ErrorCode::CannotOpen) => SqliteFault::CannotOpen,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => SqliteFault::Damaged,
            // A value of another type than any that is written.
            None if is_type_mismatch(error) => SqliteFault::Damaged,
            _ => SqliteFault::Other,
        }
    }
}

fn is_type_mismatch(error: &rusqlite::Error) -> bool {
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
