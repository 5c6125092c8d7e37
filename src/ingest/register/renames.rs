use jiff::Timestamp;
use rusqlite::params;

use super::{Register, RegisterError};

/// Created separately, since registers of earlier versions have only the other tables.
pub(super) const RENAMES: &str = "
    CREATE TABLE IF NOT EXISTS renames(
        id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, former TEXT NOT NULL, name TEXT NOT NULL);
";

/// The renaming of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// When it was.
    pub at: Timestamp,
    /// The name before.
    pub former: String,
    /// The name since.
    pub name: String,
}

impl Register {
    /// Records a renaming.
    pub fn note_renaming(&mut self, renaming: &Renaming) -> Result<(), RegisterError> {
        let Renaming { at, former, name } = renaming;
        self.write("noting a renaming", |transaction| {
            let insert = "INSERT INTO renames(at, former, name) VALUES(?1, ?2, ?3)";
            transaction.execute(insert, params![at.as_microsecond(), former, name])?;
            Ok(())
        })
    }

    /// Removes the record of a renaming that failed.
    pub fn forget_renaming(&mut self, renaming: &Renaming) -> Result<(), RegisterError> {
        let Renaming { at, former, name } = renaming;
        self.write("forgetting a renaming", |transaction| {
            let delete = "DELETE FROM renames WHERE at = ?1 AND former = ?2 AND name = ?3";
            transaction.execute(delete, params![at.as_microsecond(), former, name])?;
            Ok(())
        })
    }

    /// All renamings, oldest first.
    pub fn renamings(&self) -> Result<Vec<Renaming>, RegisterError> {
        self.read("listing the renamings", |connection| {
            // A register of an earlier version that is only read has no such table.
            let there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'renames'";
            if !connection.prepare(there)?.exists([])? {
                return Ok(Vec::new());
            }
            let mut statement = connection.prepare("SELECT at, former, name FROM renames ORDER BY id")?;
            let rows = statement.query_map([], |row| {
                let at = Timestamp::from_microsecond(row.get(0)?).unwrap_or_default();
                Ok(Renaming { at, former: row.get(1)?, name: row.get(2)? })
            })?;
            rows.collect()
        })
    }
}
