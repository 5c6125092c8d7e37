//! Gives a collection the vectors of another embedder. They are written into the inactive slot, document by document,
//! and activated all at once.

use rusqlite::{OptionalExtension, Transaction, params};

use super::write::{CatalogWriter, delete_vectors, log, put_vectors};
use super::{Change, SLOT_BIT};
use crate::domain::{ChunkVectors, DocumentId, EmbedderIdentity};
use crate::store::StoreError;
use crate::store::checks::encode_embedder;

/// The number of documents whose old vectors are deleted in one transaction.
const DELETED_AT_ONCE: usize = 1000;

/// Selects the documents of a collection that have nothing in the inactive slot. A document without any vectors also
/// gets a row there, which marks it as done.
const PENDING: &str = "SELECT d.id FROM documents d JOIN collections c ON c.id = d.collection
    LEFT JOIN vectors v ON v.document = d.id | ((1 - c.slot) << ?2)
    WHERE d.collection = ?1 AND v.document IS NULL ORDER BY d.id";

impl CatalogWriter {
    /// Records that a collection is to get the vectors of `embedder`. Continues a re-embedding begun for the same
    /// embedder, and abandons one begun for another.
    pub(in crate::store::embedded) fn begin_reembedding(
        &mut self,
        collection: u64,
        embedder: Option<&EmbedderIdentity>,
    ) -> Result<(), StoreError> {
        let next = encode_embedder(embedder)?;
        let id = collection as i64;
        if self.under_way(collection)?.as_ref() == Some(&next) {
            return Ok(());
        }
        self.end_reembedding(collection)?;
        self.delete_unused_vectors(collection)?;
        self.write("beginning a re-embedding", |transaction| {
            let sql = "UPDATE collections SET reembedding = 1, next_embedder = ?2 WHERE id = ?1";
            transaction.execute(sql, params![id, next]).map(drop)
        })
    }

    /// Returns the embedder of the re-embedding in progress, as the catalog stores it.
    fn under_way(&mut self, collection: u64) -> Result<Option<Option<String>>, StoreError> {
        self.write("looking for a re-embedding", |transaction| under_way(transaction, collection as i64))
    }

    /// Returns the dimension of the new vectors; `None` if there are none to put.
    pub(in crate::store::embedded) fn next_dimension(&mut self, collection: u64) -> Result<Option<usize>, StoreError> {
        let next = self.under_way(collection)?.flatten();
        let next: Option<EmbedderIdentity> =
            next.as_deref().map(serde_json::from_str).transpose().map_err(|error| StoreError::Engine {
                engine: "JSON",
                action: "reading the embedder",
                reason: error.to_string(),
            })?;
        Ok(next.map(|next| next.dimension))
    }

    /// Abandons a re-embedding in progress.
    pub(in crate::store::embedded) fn end_reembedding(&mut self, collection: u64) -> Result<(), StoreError> {
        self.write("ending a re-embedding", |transaction| end(transaction, collection as i64))
    }

    /// Returns the documents without new vectors, by ascending id.
    pub(in crate::store::embedded) fn pending(&mut self, collection: u64) -> Result<Vec<DocumentId>, StoreError> {
        self.write("looking for documents to embed", |transaction| {
            let mut statement = transaction.prepare_cached(PENDING)?;
            let ids = statement.query_map([collection as i64, i64::from(SLOT_BIT)], |row| row.get::<_, i64>(0))?;
            ids.map(|id| Ok(DocumentId(id? as u64))).collect()
        })
    }

    /// Writes new vectors of documents; documents removed in the meantime are skipped.
    pub(in crate::store::embedded) fn put_new_vectors(
        &mut self,
        collection: u64,
        dimension: usize,
        documents: &[(DocumentId, Vec<Option<ChunkVectors>>)],
    ) -> Result<(), StoreError> {
        self.write("putting new vectors", |transaction| {
            for (document, vectors) in documents {
                let slot: Option<i64> = transaction
                    .prepare_cached(
                        "SELECT 1 - c.slot FROM documents d JOIN collections c ON c.id = d.collection
                             WHERE d.id = ?1 AND c.id = ?2 AND d.chunks = ?3",
                    )?
                    .query_row(params![document.0 as i64, collection as i64, vectors.len() as i64], |row| row.get(0))
                    .optional()?;
                if let Some(slot) = slot {
                    delete_vectors(transaction, document.0 as i64, slot)?;
                    put_vectors(transaction, document.0 as i64, slot, dimension, vectors)?;
                }
            }
            Ok(())
        })
    }

    /// Activates the new vectors in one transaction. Returns false, and changes nothing, if documents lack theirs or no
    /// re-embedding is in progress. Without an embedder, documents need no vectors.
    pub(in crate::store::embedded) fn switch_vectors(&mut self, collection: u64) -> Result<bool, StoreError> {
        let id = collection as i64;
        self.write("putting new vectors in force", |transaction| {
            let Some(next) = under_way(transaction, id)? else { return Ok(false) };
            if next.is_some() && transaction.prepare_cached(PENDING)?.exists([id, i64::from(SLOT_BIT)])? {
                return Ok(false);
            }
            transaction
                .execute("UPDATE collections SET embedder = next_embedder, slot = 1 - slot WHERE id = ?1", [id])?;
            end(transaction, id)?;
            log(transaction, Change::Reembedded(collection))?;
            Ok(true)
        })
    }

    /// Deletes everything in the inactive slot for the documents of a collection.
    pub(in crate::store::embedded) fn delete_unused_vectors(&mut self, collection: u64) -> Result<(), StoreError> {
        let action = "deleting vectors that are not in use";
        let id = collection as i64;
        let documents: Vec<i64> = self.write(action, |transaction| {
            let mut statement = transaction.prepare_cached("SELECT id FROM documents WHERE collection = ?1")?;
            statement.query_map([id], |row| row.get(0))?.collect()
        })?;
        for some in documents.chunks(DELETED_AT_ONCE) {
            self.write(action, |transaction| {
                let sql = "SELECT 1 - slot FROM collections WHERE id = ?1";
                let slot: i64 = transaction.prepare_cached(sql)?.query_row([id], |row| row.get(0))?;
                some.iter().try_for_each(|&document| delete_vectors(transaction, document, slot))
            })?;
        }
        Ok(())
    }
}

fn under_way(transaction: &Transaction<'_>, collection: i64) -> rusqlite::Result<Option<Option<String>>> {
    let sql = "SELECT next_embedder FROM collections WHERE id = ?1 AND reembedding";
    transaction.query_row(sql, [collection], |row| row.get(0)).optional()
}

fn end(transaction: &Transaction<'_>, collection: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE collections SET reembedding = 0, next_embedder = NULL WHERE id = ?1";
    transaction.execute(sql, [collection]).map(drop)
}
