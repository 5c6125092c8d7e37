use rusqlite::{Connection, params};

use super::sources::SourceHolds;
use super::{KnownSource, Register, RegisterError};
use crate::base::ContentHash;
use crate::ingest::PartialRecord;
use crate::sources::FailedFile;

/// Created separately, since registers of earlier versions have only the other tables.
pub(super) const UNREAD: &str = "
    CREATE TABLE IF NOT EXISTS unread(
        source TEXT NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY(source, path)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS partial(
        path TEXT NOT NULL PRIMARY KEY, hash BLOB NOT NULL, reason TEXT NOT NULL) WITHOUT ROWID;
";

impl Register {
    /// Records what the last load of some sources could not read, in place of the previous load's record.
    pub fn note_unread(&mut self, sources: &[KnownSource], failed: &[FailedFile]) -> Result<(), RegisterError> {
        let names: Vec<String> = sources.iter().map(|known| known.source.to_string()).collect();
        let places: Vec<(&String, SourceHolds<'_>)> =
            names.iter().zip(sources.iter().map(|known| known.source.holds())).collect();
        // A file belongs to the source with the longest name that holds it.
        let of_file = |path: &str| {
            let within = places.iter().filter(|(_, holds)| holds(path)).map(|(name, _)| *name);
            within.max_by_key(|name| name.len()).or_else(|| names.first())
        };
        self.write("noting what could not be read", |transaction| {
            for name in &names {
                transaction.execute("DELETE FROM unread WHERE source = ?1", [name])?;
            }
            let mut statement =
                transaction.prepare("INSERT OR REPLACE INTO unread(source, path, reason) VALUES(?1, ?2, ?3)")?;
            for file in failed {
                if let Some(source) = of_file(&file.path) {
                    statement.execute(params![source, file.path, file.reason])?;
                }
            }
            Ok(())
        })
    }

    /// Records documents that were stored in part, in place of earlier records of their paths.
    pub fn note_partial(&mut self, partial: &[PartialRecord]) -> Result<(), RegisterError> {
        self.write("noting what was read in part", |transaction| {
            let mut statement =
                transaction.prepare("INSERT OR REPLACE INTO partial(path, hash, reason) VALUES(?1, ?2, ?3)")?;
            for one in partial {
                statement.execute(params![one.path, one.hash.as_bytes().as_slice(), one.reason])?;
            }
            Ok(())
        })
    }

    /// Returns the documents that were stored in part, by path; their files may have changed since.
    pub fn partial(&self) -> Result<Vec<PartialRecord>, RegisterError> {
        let rows: Vec<(String, Vec<u8>, String)> = self.read("reading what was read in part", |connection| {
            connection
                .prepare("SELECT path, hash, reason FROM partial ORDER BY path")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect()
        })?;
        let record = |(path, hash, reason): (String, Vec<u8>, String)| match ContentHash::from_bytes(&hash) {
            Some(hash) => Ok(PartialRecord { path, hash, reason }),
            None => Err(self.damaged(format!("what was read in part of {path} has no hash"))),
        };
        rows.into_iter().map(record).collect()
    }

    /// Returns what the last loads of the sources of these collections could not read, by path. No collections means
    /// all.
    pub fn unread(&self, collections: &[String]) -> Result<Vec<FailedFile>, RegisterError> {
        let is_asked = |known: &KnownSource| {
            collections.is_empty() || known.collections.iter().any(|name| collections.contains(name))
        };
        let names: Vec<String> =
            self.sources()?.iter().filter(|known| is_asked(known)).map(|known| known.source.to_string()).collect();
        let rows: Vec<(String, FailedFile)> = self.read("reading what could not be read", |connection| {
            if !has_table(connection)? {
                return Ok(Vec::new());
            }
            connection
                .prepare("SELECT source, path, reason FROM unread ORDER BY path, source")?
                .query_map([], |row| Ok((row.get(0)?, FailedFile { path: row.get(1)?, reason: row.get(2)? })))?
                .collect()
        })?;
        let mut found: Vec<FailedFile> =
            rows.into_iter().filter(|(source, _)| names.contains(source)).map(|(_, file)| file).collect();
        found.dedup_by(|one, other| one.path == other.path);
        Ok(found)
    }
}

/// Whether the table exists: a register of an earlier version that is opened for reading only has none.
fn has_table(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) > 0 FROM sqlite_master WHERE name = 'unread'", [], |row| row.get(0))
}
