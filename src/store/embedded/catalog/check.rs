//! Checks whether the catalog holds what was written, using SQLite's own check and the hashes of rows.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::codec::{decode_vectors, unsealed};
use super::read::{CatalogReader, ReadError};
use super::{OLD_STATES_KEY_BITS, SLOT_BIT, STATES_FORMAT, STATES_KEY_BITS};
use crate::base::schema_version;
use crate::domain::{ChunkId, Collection, DocumentId, DocumentRecord};
use crate::store::StoreError;

/// The most findings of SQLite that are reported; nobody reads more.
const MOST: usize = 100;

/// The findings of a check of the catalog.
#[derive(Default)]
pub(in crate::store::embedded) struct CatalogDamage {
    /// The faults of the file, as SQLite words them.
    pub(in crate::store::embedded) file: Vec<String>,
    /// Documents with damaged data, by id, with a readable name.
    pub(in crate::store::embedded) documents: BTreeMap<DocumentId, String>,
}

impl CatalogReader {
    /// Reads the whole catalog and returns the damage found.
    pub(in crate::store::embedded) fn verify(&self) -> Result<CatalogDamage, StoreError> {
        let (mut file, mut damaged) = self.read("checking", |connection| {
            let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MOST})"))?;
            let said = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
            let mut file: Vec<String> = said.into_iter().filter(|said| said != "ok").collect();
            // SQLite reads the missing end of a page as zeros.
            let page: u32 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            if std::fs::metadata(self.path()).is_ok_and(|metadata| metadata.len() % u64::from(page.max(1)) != 0) {
                file.push("its last page is cut".to_owned());
            }
            Ok((file, damaged_vectors(connection)?))
        })?;
        if let Err(error) = self.list_all() {
            file.push(error.to_string());
        }
        for id in self.document_ids()? {
            let first = ChunkId { document: DocumentId(id), ordinal: 0 };
            let is_whole = matches!(self.full_document(id), Ok(Some(_)));
            if !is_whole || self.vectors(id).is_err() || self.states(&[first]).is_err() {
                damaged.push(DocumentId(id));
            }
        }
        let documents = self.read("naming documents", |connection| {
            let sql = "SELECT d.path || ' in `' || c.name || '`' FROM documents d
                JOIN collections c ON c.id = d.collection WHERE d.id = ?1";
            let name = |id: &DocumentId| {
                let found = connection.prepare_cached(sql)?.query_row(params![id.0 as i64], |row| row.get(0));
                Ok((*id, found.unwrap_or_else(|_| format!("the document {id}"))))
            };
            damaged.iter().map(name).collect::<Result<_, ReadError>>()
        })?;
        Ok(CatalogDamage { file, documents })
    }

    /// Lists all documents and compares their sums with the counts kept for each collection.
    fn list_all(&self) -> Result<(), StoreError> {
        self.changes_after(self.sequence()?)?;
        for row in self.collections()? {
            let listed = self.documents(row.id)?;
            let sum = |of: fn(&DocumentRecord) -> u64| listed.iter().map(of).sum::<u64>();
            let counted = (sum(|_| 1), sum(|record| record.chunks.into()), sum(|record| record.text_bytes));
            let Collection { name, documents, chunks, text_bytes, .. } = row.collection;
            if counted != (documents, chunks, text_bytes) {
                let path = self.path().to_owned();
                let reason = format!(
                    "`{name}` counts {documents} documents, {chunks} chunks and {text_bytes} bytes, and has {counted:?}"
                );
                return Err(StoreError::Damaged { path, reason });
            }
        }
        Ok(())
    }
}

/// Returns the documents with a damaged row of vectors or token states, in either slot.
fn damaged_vectors(connection: &Connection) -> Result<Vec<DocumentId>, ReadError> {
    let mut damaged = Vec::new();
    let mut tables = vec![("document", "vectors", 0), ("key", "states", OLD_STATES_KEY_BITS)];
    if schema_version(connection)? >= STATES_FORMAT {
        tables.push(("key", "chunk_states", STATES_KEY_BITS));
    }
    for (key, table, bits) in tables {
        let mut statement = connection.prepare(&format!("SELECT {key}, data FROM {table}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let key: i64 = row.get(0)?;
            let data = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
            let sound = unsealed(data, key, b"").is_ok_and(|row| bits > 0 || decode_vectors(row).is_ok());
            if !sound {
                damaged.push(DocumentId(((key & !(1 << SLOT_BIT)) >> bits) as u64));
            }
        }
    }
    Ok(damaged)
}
