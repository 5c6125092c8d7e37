//! Writes the catalog, one transaction per change, with its entry in the log. The new vectors of a re-embedding are
//! written by `reembed.rs`; nothing here touches the files derived from the catalog.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::codec::{TEXT_BLOCK, encode_chunks, encode_vectors, pack_text, sealed, unsealed};
use super::states::{delete_states, put_states};
use super::{Change, SLOT_BIT, TEXT_KEY_BITS, about_document, open_for_writing, path_in};
use crate::base::in_exclusive_transaction;
use crate::domain::{Authorship, ChunkVectors, CollectionSpec, DocumentId};
use crate::store::checks::encode_embedder;
use crate::store::embedded::error::sqlite_error;
use crate::store::{NewDocument, RenamedDocument, StoreError};

/// The outcome of [`CatalogWriter::put`] for one document.
pub(in crate::store::embedded) struct PutOutcome {
    /// The id of the new version.
    pub(in crate::store::embedded) id: DocumentId,
    /// The version that it replaced.
    pub(in crate::store::embedded) replaced: Option<DocumentId>,
}

/// The only connection that writes.
pub(in crate::store::embedded) struct CatalogWriter {
    path: PathBuf,
    connection: Connection,
}

impl CatalogWriter {
    pub(in crate::store::embedded) fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = path_in(folder);
        Ok(CatalogWriter { connection: open_for_writing(&path)?, path })
    }

    /// Runs `work` in a transaction that is durable when this returns.
    pub(super) fn write<T>(
        &mut self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        in_exclusive_transaction(&mut self.connection, work).map_err(|error| sqlite_error(&self.path, action, error))
    }

    pub(in crate::store::embedded) fn create(&mut self, spec: &CollectionSpec) -> Result<(), StoreError> {
        let embedder = encode_embedder(spec.embedder.as_ref())?;
        self.write("making a collection", |transaction| {
            transaction.execute(
                "INSERT INTO collections(name, description, described_by_user, embedder) VALUES(?1, ?2, 0, ?3)",
                params![spec.name, spec.description, embedder],
            )
        })?;
        Ok(())
    }

    pub(in crate::store::embedded) fn describe(
        &mut self,
        collection: u64,
        description: &str,
        by_user: bool,
    ) -> Result<(), StoreError> {
        self.write("describing a collection", |transaction| {
            transaction.execute(
                "UPDATE collections SET description = ?2, described_by_user = ?3 WHERE id = ?1",
                params![collection as i64, description, by_user],
            )
        })?;
        Ok(())
    }

    pub(in crate::store::embedded) fn rename(&mut self, collection: u64, to: &str) -> Result<(), StoreError> {
        self.write("renaming a collection", |transaction| {
            transaction.execute("UPDATE collections SET name = ?2 WHERE id = ?1", params![collection as i64, to])
        })?;
        Ok(())
    }

    pub(in crate::store::embedded) fn drop_collection(&mut self, collection: u64) -> Result<(), StoreError> {
        self.write("dropping a collection", |transaction| {
            let mut statement = transaction.prepare_cached("SELECT id FROM documents WHERE collection = ?1")?;
            let ids: Vec<i64> =
                statement.query_map([collection as i64], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for id in ids {
                delete_parts(transaction, id)?;
            }
            transaction.execute("DELETE FROM documents WHERE collection = ?1", [collection as i64])?;
            transaction.execute("DELETE FROM collections WHERE id = ?1", [collection as i64])?;
            log(transaction, Change::Dropped(collection))
        })
    }

    /// Adds documents, each replacing the one at its path. `dimension` is that of the collection's vectors, if it has
    /// any.
    pub(in crate::store::embedded) fn put(
        &mut self,
        collection: u64,
        dimension: Option<usize>,
        documents: &[NewDocument],
    ) -> Result<Vec<PutOutcome>, StoreError> {
        self.write("putting documents", |transaction| {
            documents.iter().map(|new| put_one(transaction, collection as i64, dimension, new)).collect()
        })
    }

    /// Marks documents to be stored again by the next load of their files, even if these have not changed.
    pub(in crate::store::embedded) fn mark_outdated(&mut self, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.write("noting what is damaged", |transaction| {
            let mut statement = transaction.prepare_cached("UPDATE documents SET cut = 0 WHERE id = ?1")?;
            documents.iter().try_for_each(|id| statement.execute([id.0 as i64]).map(drop))
        })
    }

    pub(in crate::store::embedded) fn touch(
        &mut self,
        collection: u64,
        times: &[(DocumentId, i64)],
    ) -> Result<(), StoreError> {
        self.write("noting modification times", |transaction| {
            let mut statement = transaction
                .prepare_cached("UPDATE documents SET modified_ns = ?3 WHERE id = ?2 AND collection = ?1")?;
            for (id, time) in times {
                statement.execute(params![collection as i64, id.0 as i64, time])?;
            }
            Ok(())
        })
    }

    /// Renames documents, and returns the versions at the new paths that this removed.
    pub(in crate::store::embedded) fn rename_documents(
        &mut self,
        collection: u64,
        documents: &[RenamedDocument],
    ) -> Result<Vec<DocumentId>, StoreError> {
        self.write("renaming documents", |transaction| {
            let mut replaced = Vec::new();
            for document in documents {
                replaced.extend(rename_one(transaction, collection as i64, document)?);
            }
            Ok(replaced)
        })
    }

    /// Removes documents, and returns the removed versions.
    pub(in crate::store::embedded) fn remove(
        &mut self,
        collection: u64,
        paths: &[String],
    ) -> Result<Vec<DocumentId>, StoreError> {
        self.write("removing documents", |transaction| {
            let mut removed = Vec::new();
            for path in paths {
                removed.extend(remove_one(transaction, collection as i64, path)?);
            }
            Ok(removed)
        })
    }

    /// Deletes the log up to `seq`; all derived files must contain these changes.
    pub(in crate::store::embedded) fn forget_changes(&mut self, seq: u64) -> Result<(), StoreError> {
        self.write("shortening the log of changes", |transaction| {
            if transaction.execute("DELETE FROM changes WHERE seq <= ?1", [seq as i64])? > 0 {
                transaction.execute("UPDATE meta SET value = ?1 WHERE name = 'log_start'", [seq as i64])?;
            }
            Ok(())
        })
    }
}

fn put_one(
    transaction: &Transaction<'_>,
    collection: i64,
    dimension: Option<usize>,
    new: &NewDocument,
) -> rusqlite::Result<PutOutcome> {
    let document = &new.document;
    let replaced = remove_one(transaction, collection, &document.path)?;
    transaction
        .prepare_cached(
            "INSERT INTO documents(collection, path, title, format, language, date, date_origin, hash, bytes,
                 modified_ns, chunks, text_bytes, cut, authorship)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            collection,
            document.path,
            document.title,
            document.format.name(),
            document.language.code(),
            document.date.map(|date| date.date.to_string()),
            document.date.map(|date| date.origin.name()),
            document.hash.as_bytes().as_slice(),
            document.bytes as i64,
            document.modified_ns,
            document.chunks.len() as i64,
            document.text.len() as i64,
            document.cut,
            encode_authorship(&document.authorship)?,
        ])?;
    let id = transaction.last_insert_rowid();

    let mut statement = transaction.prepare_cached("INSERT INTO texts VALUES(?1, ?2)")?;
    for (block, key) in document.text.as_bytes().chunks(TEXT_BLOCK).zip(id << TEXT_KEY_BITS..) {
        statement.execute(params![key, pack_text(block, key)])?;
    }
    let chunks = encode_chunks(&document.text, &document.chunks);
    transaction
        .prepare_cached("INSERT INTO chunks VALUES(?1, ?2)")?
        .execute(params![id, sealed(chunks, id, &about(transaction, id)?)])?;
    if let Some(dimension) = dimension
        && new.vectors.iter().any(Option::is_some)
    {
        let slot: i64 = transaction
            .prepare_cached("SELECT slot FROM collections WHERE id = ?1")?
            .query_row([collection], |row| row.get(0))?;
        put_vectors(transaction, id, slot, dimension, &new.vectors)?;
    }
    transaction
        .prepare_cached(
            "UPDATE collections SET documents = documents + 1, chunks = chunks + ?2, text_bytes = text_bytes + ?3
                 WHERE id = ?1",
        )?
        .execute(params![collection, document.chunks.len() as i64, document.text.len() as i64])?;
    log(transaction, Change::Added(id as u64))?;
    Ok(PutOutcome { id: DocumentId(id as u64), replaced })
}

/// Writes the vectors and token states of a document into a slot.
pub(super) fn put_vectors(
    transaction: &Transaction<'_>,
    document: i64,
    slot: i64,
    dimension: usize,
    vectors: &[Option<ChunkVectors>],
) -> rusqlite::Result<()> {
    let slot = slot << SLOT_BIT;
    let key = slot | document;
    transaction
        .prepare_cached("INSERT INTO vectors VALUES(?1, ?2)")?
        .execute(params![key, sealed(encode_vectors(dimension, vectors), key, b"")])?;
    put_states(transaction, document, slot, vectors)
}

/// Deletes everything that a document has in a slot.
pub(super) fn delete_vectors(transaction: &Transaction<'_>, document: i64, slot: i64) -> rusqlite::Result<()> {
    let slot = slot << SLOT_BIT;
    delete_states(transaction, document, slot)?;
    transaction.prepare_cached("DELETE FROM vectors WHERE document = ?1")?.execute([slot | document])?;
    Ok(())
}

fn rename_one(
    transaction: &Transaction<'_>,
    collection: i64,
    document: &RenamedDocument,
) -> rusqlite::Result<Option<DocumentId>> {
    let id = document.id.0 as i64;
    let known: Option<String> = transaction
        .prepare_cached("SELECT path FROM documents WHERE id = ?1 AND collection = ?2")?
        .query_row([id, collection], |row| row.get(0))
        .optional()?;
    let Some(path) = known else {
        return Ok(None);
    };
    let replaced = if path == document.path { None } else { remove_one(transaction, collection, &document.path)? };
    let before = about(transaction, id)?;
    transaction
        .prepare_cached("UPDATE documents SET path = ?2, modified_ns = ?3, date = ?4, date_origin = ?5 WHERE id = ?1")?
        .execute(params![
            id,
            document.path,
            document.modified_ns,
            document.date.map(|date| date.date.to_string()),
            document.date.map(|date| date.origin.name()),
        ])?;
    seal_again(transaction, id, &before)?;
    log(transaction, Change::Renamed(document.id.0))?;
    Ok(replaced)
}

/// Encodes who wrote a document; `None` if nobody is known.
fn encode_authorship(authorship: &Authorship) -> rusqlite::Result<Option<String>> {
    let known = Some(authorship).filter(|authorship| !authorship.is_empty());
    let failed = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
    known.map(serde_json::to_string).transpose().map_err(failed)
}

/// Returns the values of a document's row that the row of its chunks is sealed with.
fn about(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<Vec<u8>> {
    let about = about_document(transaction)?;
    transaction
        .prepare_cached(&format!("SELECT {about} FROM documents d WHERE d.id = ?1"))?
        .query_row([id], |row| row.get(0))
}

/// Seals the row of a document's chunks with the document's new values. A row that was already damaged stays damaged.
fn seal_again(transaction: &Transaction<'_>, id: i64, before: &[u8]) -> rusqlite::Result<()> {
    let now = about(transaction, id)?;
    if now == before {
        return Ok(());
    }
    let row: Vec<u8> =
        transaction.prepare_cached("SELECT data FROM chunks WHERE document = ?1")?.query_row([id], |row| row.get(0))?;
    if let Ok(chunks) = unsealed(&row, id, before) {
        transaction
            .prepare_cached("UPDATE chunks SET data = ?2 WHERE document = ?1")?
            .execute(params![id, sealed(chunks.to_vec(), id, &now)])?;
    }
    Ok(())
}

fn remove_one(transaction: &Transaction<'_>, collection: i64, path: &str) -> rusqlite::Result<Option<DocumentId>> {
    let found: Option<(i64, i64, i64)> = transaction
        .prepare_cached("SELECT id, chunks, text_bytes FROM documents WHERE collection = ?1 AND path = ?2")?
        .query_row(params![collection, path], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((id, chunks, text_bytes)) = found else {
        return Ok(None);
    };
    delete_parts(transaction, id)?;
    transaction.prepare_cached("DELETE FROM documents WHERE id = ?1")?.execute([id])?;
    transaction
        .prepare_cached(
            "UPDATE collections SET documents = documents - 1, chunks = chunks - ?2, text_bytes = text_bytes - ?3
                 WHERE id = ?1",
        )?
        .execute(params![collection, chunks, text_bytes])?;
    log(transaction, Change::Removed(id as u64))?;
    Ok(Some(DocumentId(id as u64)))
}

/// Deletes all of a document except its row.
fn delete_parts(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    let span = [id << TEXT_KEY_BITS, (id + 1) << TEXT_KEY_BITS];
    transaction.prepare_cached("DELETE FROM texts WHERE key >= ?1 AND key < ?2")?.execute(span)?;
    transaction.prepare_cached("DELETE FROM chunks WHERE document = ?1")?.execute([id])?;
    delete_vectors(transaction, id, 0)?;
    delete_vectors(transaction, id, 1)
}

pub(super) fn log(transaction: &Transaction<'_>, change: Change) -> rusqlite::Result<()> {
    transaction.prepare_cached("INSERT INTO changes(kind, id) VALUES(?1, ?2)")?.execute(change.parts())?;
    Ok(())
}
