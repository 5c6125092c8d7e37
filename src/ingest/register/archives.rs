use rusqlite::params;

use super::{Register, RegisterError};
use crate::ingest::ArchiveRecord;

impl Register {
    /// Returns all archives that need not be opened again while their files are unchanged.
    pub fn archives(&self) -> Result<Vec<ArchiveRecord>, RegisterError> {
        self.read("listing archives", |connection| {
            connection
                .prepare(
                    "SELECT collection, path, bytes, modified_ns, documents FROM archives ORDER BY path, collection",
                )?
                .query_map([], |row| {
                    Ok(ArchiveRecord {
                        collection: row.get(0)?,
                        path: row.get(1)?,
                        bytes: row.get::<_, i64>(2)? as u64,
                        modified_ns: row.get(3)?,
                        documents: row.get::<_, i64>(4)? as u64,
                    })
                })?
                .collect()
        })
    }

    /// Records archives that were read completely.
    pub fn note_archives(&mut self, archives: &[ArchiveRecord]) -> Result<(), RegisterError> {
        self.write("noting archives", |transaction| {
            let mut statement = transaction.prepare("INSERT OR REPLACE INTO archives VALUES(?1, ?2, ?3, ?4, ?5)")?;
            for archive in archives {
                statement.execute(params![
                    archive.collection,
                    archive.path,
                    archive.bytes as i64,
                    archive.modified_ns,
                    archive.documents as i64,
                ])?;
            }
            Ok(())
        })
    }
}
