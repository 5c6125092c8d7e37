//! Whether the catalog holds what was written: what SQLite can tell, and what the hashes of rows tell.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::codec::{decode_vectors, unsealed};
use super::read::{CatalogReader, ReadError};
use super::{OLD_STATES_KEY_BITS, SLOT_BIT, STATES_FORMAT, STATES_KEY_BITS};
use crate::base::schema_version;
use crate::domain::{ChunkId, Collection, DocumentId, DocumentRecord};
use crate::store::StoreError;

/// Findings of SQLite that are told; after so many nobody reads on.
const MOST: usize = 100;

/// What a check of the catalog found.
#[derive(Default)]
pub(in crate::store::embedded) struct CatalogDamage {
    /// What SQLite finds wrong with the file, in its words.
    pub(in crate::store::embedded) file: Vec<String>,
    /// Documents of which something is not what was stored, by id, with a name for people.
    pub(in crate::store::embedded) documents: BTreeMap<DocumentId, String>,
}

impl CatalogReader {
    /// Reads all of the catalog.
    pub(in crate::store::embedded) fn verify(&self) -> Result<CatalogDamage, StoreError> {
        let (mut file, mut damaged) = self.read("checking", |connection| {
            let mut statement = connection.prepare(&format!("PRAGMA integrity_check({MOST})"))?;
            let said = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
            let mut file: Vec<String> = said.into_iter().filter(|said| said != "ok").collect();
            // SQLite takes what a page lacks for zeros.
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

    /// Lists everything, and adds it up.
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

/// The documents with a damaged row of vectors or token states, in force or not.
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
