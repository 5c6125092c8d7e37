//! Reads the catalog: collections, documents, text, vectors and the log of changes. Queries about all candidates of a
//! search are in `choose.rs`, token states in `states.rs`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, Row, Statement, params};

use super::codec::{
    BadRow, ChunkPlace, TEXT_BLOCK, decode_chunk, decode_vectors, read_header, short_hash, unpack_text, unsealed,
};
use super::{
    CUT_FORMAT, Change, SLOT_BIT, TEXT_KEY_BITS, about_document, authorship_column, open_for_reading, path_in,
};
use crate::base::text::{Language, Spoken};
use crate::base::{ContentHash, schema_version};
use crate::domain::{
    Authorship, ChunkId, Collection, DateOrigin, DocumentDate, DocumentId, DocumentRecord, Format, Headings,
    StoredChunk,
};
use crate::store::StoreError;
use crate::store::embedded::error::sqlite_error;

/// A collection and its number, which stands for it in every file: names change, numbers do not.
#[derive(Clone, Debug)]
pub(in crate::store::embedded) struct CollectionRow {
    pub(in crate::store::embedded) id: u64,
    pub(in crate::store::embedded) collection: Collection,
}

/// A document with its text, for rebuilding indexes.
pub(in crate::store::embedded) struct FullDocument {
    pub(in crate::store::embedded) collection: u64,
    pub(in crate::store::embedded) title: String,
    pub(in crate::store::embedded) language: Language,
    pub(in crate::store::embedded) text: String,
    /// The range, headings and language of each chunk.
    pub(in crate::store::embedded) chunks: Vec<(Range<usize>, Headings, Language)>,
}

/// A vector of a chunk: ordinal, scale, values.
pub(in crate::store::embedded) type StoredVector = (u32, f32, Vec<u8>);

/// A connection for reading. Each method sees one consistent state of the catalog, however many statements it runs.
pub(in crate::store::embedded) struct CatalogReader {
    path: PathBuf,
    connection: Connection,
}

/// Returns the query for the records of documents that meet a condition.
fn records_where(connection: &Connection, condition: &str) -> rusqlite::Result<String> {
    // A catalog of an older version does not record how its documents were cut.
    let cut = if schema_version(connection)? >= CUT_FORMAT { "d.cut" } else { "NULL" };
    let authorship = authorship_column(connection)?;
    Ok(format!(
        "SELECT d.id, c.name, d.path, d.title, d.format, d.language, d.date, d.date_origin, d.hash, d.bytes,
             d.modified_ns, d.chunks, d.text_bytes, {cut}, {authorship} FROM documents d JOIN collections c ON c.id = d.collection
             WHERE {condition}"
    ))
}

impl CatalogReader {
    /// Opens the catalog; `None` if nothing was ever written.
    pub(in crate::store::embedded) fn open(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = path_in(folder);
        Ok(open_for_reading(&path)?.map(|connection| CatalogReader { path, connection }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` on one consistent state of the catalog.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, ReadError>,
    ) -> Result<T, StoreError> {
        let run = || {
            let transaction = self.connection.unchecked_transaction()?;
            let value = work(&transaction)?;
            transaction.finish()?;
            Ok(value)
        };
        run().map_err(|error| match error {
            ReadError::Sqlite(error) => sqlite_error(&self.path, action, error),
            ReadError::Damaged(what) => StoreError::Damaged {
                path: self.path.clone(),
                reason: format!(
                    "{what}; `deepsearch store check` names what is damaged, and a load after it stores that anew"
                ),
            },
        })
    }

    /// Returns all collections, by name.
    pub(in crate::store::embedded) fn collections(&self) -> Result<Vec<CollectionRow>, StoreError> {
        self.read("listing collections", |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, name, description, described_by_user, embedder, documents, chunks, text_bytes
                     FROM collections ORDER BY name",
            )?;
            let mut rows = statement.query([])?;
            let mut collections = Vec::new();
            while let Some(row) = rows.next()? {
                let name: String = row.get(1)?;
                let embedder: Option<String> = row.get(4)?;
                let embedder = embedder.as_deref().map(serde_json::from_str).transpose().map_err(|error| {
                    ReadError::Damaged(format!("the embedder of the collection `{name}` cannot be read ({error})"))
                })?;
                collections.push(CollectionRow {
                    id: unsigned(row, 0)?,
                    collection: Collection {
                        name,
                        description: row.get(2)?,
                        described_by_user: row.get(3)?,
                        embedder,
                        documents: unsigned(row, 5)?,
                        chunks: unsigned(row, 6)?,
                        text_bytes: unsigned(row, 7)?,
                        languages: Spoken::default(),
                    },
                });
            }
            Ok(collections)
        })
    }

    /// Returns the documents of a collection, by path.
    pub(in crate::store::embedded) fn documents(&self, collection: u64) -> Result<Vec<DocumentRecord>, StoreError> {
        self.read("listing documents", |connection| {
            let mut statement =
                connection.prepare_cached(&records_where(connection, "d.collection = ?1 ORDER BY d.path")?)?;
            let mut rows = statement.query([collection as i64])?;
            let mut records = Vec::new();
            while let Some(row) = rows.next()? {
                match record(row) {
                    Ok(record) => records.push(record),
                    // Otherwise the collection could not be listed, and the damaged document could not be stored again.
                    Err(error) => tracing::warn!(%error, "a document is left out"),
                }
            }
            Ok(records)
        })
    }

    /// Returns the documents whose path is `wanted` or ends with it at a separator, by path and collection.
    pub(in crate::store::embedded) fn find_documents(&self, wanted: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        self.read("looking for a document", |connection| {
            // The paths come from an index alone; only the rows of the few matches are read afterwards.
            let mut statement = connection.prepare_cached("SELECT id, path FROM documents")?;
            let mut rows = statement.query([])?;
            let mut ids: Vec<i64> = Vec::new();
            while let Some(row) = rows.next()? {
                if ends_at_separator(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?, wanted) {
                    ids.push(row.get(0)?);
                }
            }
            let mut statement = connection.prepare_cached(&records_where(connection, "d.id = ?1")?)?;
            let mut records = Vec::new();
            for id in ids {
                let mut rows = statement.query([id])?;
                if let Some(row) = rows.next()? {
                    records.push(record(row)?);
                }
            }
            records.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| a.collection.cmp(&b.collection)));
            Ok(records)
        })
    }

    /// Returns chunks by id, in the order requested, without those that are no longer there.
    pub(in crate::store::embedded) fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        self.read("reading chunks", |connection| {
            let mut heads = connection.prepare_cached(&head_of(connection)?)?;
            let mut documents = HashMap::new();
            let mut blocks = HashMap::new();
            let mut chunks = Vec::with_capacity(ids.len());
            for id in ids {
                let document = match documents.entry(id.document) {
                    std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
                    std::collections::hash_map::Entry::Vacant(entry) => entry.insert(head(&mut heads, id.document)?),
                };
                let Some(document) = document else {
                    continue;
                };
                let place = decode_chunk(&document.chunks, id.ordinal).map_err(|error| bad_row(id.document, &error))?;
                let Some(place) = place else {
                    continue;
                };
                chunks.push(stored_chunk(connection, &mut blocks, *id, document, place)?);
            }
            Ok(chunks)
        })
    }

    /// Returns part of a document's text; empty if the document is no longer there.
    pub(in crate::store::embedded) fn text(
        &self,
        document: DocumentId,
        range: Range<usize>,
    ) -> Result<String, StoreError> {
        self.read("reading text", |connection| {
            let length: Option<i64> = connection
                .prepare_cached("SELECT text_bytes FROM documents WHERE id = ?1")?
                .query_row([document.0 as i64], |row| row.get(0))
                .optional()?;
            let Some(length) = length else {
                return Ok(String::new());
            };
            let length = length as usize;
            let (start, end) = (range.start.min(length), range.end.clamp(range.start.min(length), length));
            // Three more bytes on each side are enough to complete any character that the range cuts.
            let (from, to) = (start.saturating_sub(3), (end + 3).min(length));
            let bytes = text_bytes(connection, &mut HashMap::new(), document, from..to)?;
            let is_border = |at: usize| at >= length || bytes.get(at - from).is_none_or(|byte| byte & 0xc0 != 0x80);
            let start = (from..=start).rev().find(|&at| is_border(at)).unwrap_or(start);
            let end = (end..=to).find(|&at| is_border(at)).unwrap_or(end);
            let cut = bytes.get(start - from..end - from).unwrap_or_default().to_vec();
            String::from_utf8(cut).map_err(|_| not_text(document))
        })
    }

    /// Returns the number of the last change.
    pub(in crate::store::embedded) fn sequence(&self) -> Result<u64, StoreError> {
        self.read("reading the log of changes", |connection| Ok(last_change(connection)?))
    }

    /// Returns the changes after `seq` in order; `None` if the log does not reach back that far, or if `seq` is later
    /// than the last change and thus comes from another catalog.
    pub(in crate::store::embedded) fn changes_after(&self, seq: u64) -> Result<Option<Vec<Change>>, StoreError> {
        let last = self.sequence()?;
        self.read("reading the log of changes", |connection| {
            let start: i64 = connection
                .prepare_cached("SELECT value FROM meta WHERE name = 'log_start'")?
                .query_row([], |row| row.get(0))?;
            if seq < start as u64 || seq > last {
                return Ok(None);
            }
            let mut statement =
                connection.prepare_cached("SELECT kind, id FROM changes WHERE seq > ?1 ORDER BY seq")?;
            let mut rows = statement.query([seq as i64])?;
            let mut changes = Vec::new();
            while let Some(row) = rows.next()? {
                let change = Change::from_parts(row.get(0)?, row.get(1)?);
                changes
                    .push(change.ok_or_else(|| ReadError::Damaged("the log of changes has an unknown kind".into()))?);
            }
            Ok(Some(changes))
        })
    }

    /// Returns the ids of all documents, ascending.
    pub(in crate::store::embedded) fn document_ids(&self) -> Result<Vec<u64>, StoreError> {
        self.read("listing documents", |connection| {
            let mut statement = connection.prepare_cached("SELECT id FROM documents ORDER BY id")?;
            let ids = statement.query_map([], |row| row.get::<_, i64>(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(ids.into_iter().map(|id| id as u64).collect())
        })
    }

    /// Returns the ids and the numbers of chunks of a collection's documents, in a fixed order.
    pub(in crate::store::embedded) fn sizes(&self, collection: u64) -> Result<Vec<(DocumentId, u64)>, StoreError> {
        self.read("listing documents", |connection| {
            let mut statement = connection
                .prepare_cached("SELECT id, chunks FROM documents WHERE collection = ?1 ORDER BY chunks, id")?;
            let sizes = statement
                .query_map([collection as i64], |row| Ok((DocumentId(unsigned(row, 0)?), unsigned(row, 1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            Ok(sizes)
        })
    }

    /// Returns a document with its text and chunks; `None` if it is no longer there.
    pub(in crate::store::embedded) fn full_document(&self, id: u64) -> Result<Option<FullDocument>, StoreError> {
        self.read("reading a document", |connection| {
            let about = about_document(connection)?;
            let mut statement = connection.prepare_cached(&format!(
                "SELECT d.collection, d.title, d.text_bytes, k.data, d.language, {about} FROM documents d
                     JOIN chunks k ON k.document = d.id WHERE d.id = ?1"
            ))?;
            let mut rows = statement.query([id as i64])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let (collection, title, length): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (places, language, about): (Vec<u8>, String, Vec<u8>) = (row.get(3)?, row.get(4)?, row.get(5)?);
            let key = id as i64;
            let id = DocumentId(id);
            let places = unsealed(&places, key, &about).map_err(|error| bad_row(id, &error))?;
            let bytes = text_bytes(connection, &mut HashMap::new(), id, 0..length as usize)?;
            let text = String::from_utf8(bytes).map_err(|_| not_text(id))?;
            let count = read_header(places).map_err(|error| bad_row(id, &error))?;
            let mut chunks = Vec::with_capacity(count as usize);
            for ordinal in 0..count {
                let place = decode_chunk(places, ordinal).map_err(|error| bad_row(id, &error))?;
                if let Some(place) = place {
                    if text.get(place_range(&place)).map(short_hash) != Some(place.hash) {
                        return Err(ReadError::Damaged(format!("a chunk of the document {id} has not its text")));
                    }
                    chunks.push((place_range(&place), place.headings, place.language));
                }
            }
            let language = Language::from_code(&language);
            Ok(Some(FullDocument { collection: collection as u64, title, language, text, chunks }))
        })
    }

    /// Returns a document's collection and vectors; `None` if it is no longer there or has no vectors.
    pub(in crate::store::embedded) fn vectors(&self, id: u64) -> Result<Option<(u64, Vec<StoredVector>)>, StoreError> {
        self.read("reading vectors", |connection| {
            let row: Option<(i64, i64, Vec<u8>)> = connection
                .prepare_cached(
                    "SELECT d.collection, v.document, v.data FROM documents d JOIN collections c ON c.id = d.collection
                         JOIN vectors v ON v.document = d.id | (c.slot << ?2) WHERE d.id = ?1",
                )?
                .query_row([id as i64, i64::from(SLOT_BIT)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            let Some((collection, key, data)) = row else {
                return Ok(None);
            };
            let data = unsealed(&data, key, b"").map_err(|error| bad_row(DocumentId(id), &error))?;
            let vectors = decode_vectors(data).map_err(|error| bad_row(DocumentId(id), &error))?;
            let vectors = vectors.into_iter().map(|(ordinal, scale, values)| (ordinal, scale, values.to_vec()));
            Ok(Some((collection as u64, vectors.collect())))
        })
    }

    /// Returns those of `ids` that still exist.
    pub(in crate::store::embedded) fn living(&self, ids: &HashSet<u64>) -> Result<HashSet<u64>, StoreError> {
        self.read("looking for documents", |connection| {
            let mut statement = connection.prepare_cached("SELECT 1 FROM documents WHERE id = ?1")?;
            let mut living = HashSet::new();
            for &id in ids {
                if statement.exists(params![id as i64])? {
                    living.insert(id);
                }
            }
            Ok(living)
        })
    }
}

/// Returns the number of the last change.
pub(super) fn last_change(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'changes'";
    let last: Option<i64> = connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
    Ok(last.unwrap_or(0) as u64)
}

/// The errors inside [`CatalogReader::read`].
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    #[error("{0}")]
    Damaged(String),
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
        match error {
            // Values of such types were never written, so the file is damaged.
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) => {
                ReadError::Damaged(format!("a value is not what was written ({error})"))
            }
            error => ReadError::Sqlite(error),
        }
    }
}

pub(super) fn bad_row(document: DocumentId, error: &BadRow) -> ReadError {
    ReadError::Damaged(format!("of the document {document}, {error}"))
}

fn not_text(document: DocumentId) -> ReadError {
    ReadError::Damaged(format!("the text of the document {document} is no longer UTF-8"))
}

/// The data that all chunks of a document share.
struct Head {
    collection: String,
    path: String,
    title: String,
    date: Option<DocumentDate>,
    by: Option<String>,
    chunks: Vec<u8>,
}

/// Returns the query whose rows [`head`] reads.
fn head_of(connection: &Connection) -> rusqlite::Result<String> {
    let (about, authorship) = (about_document(connection)?, authorship_column(connection)?);
    Ok(format!(
        "SELECT c.name, d.path, d.title, d.date, d.date_origin, k.data, {about}, {authorship} FROM documents d
             JOIN collections c ON c.id = d.collection JOIN chunks k ON k.document = d.id WHERE d.id = ?1"
    ))
}

fn head(statement: &mut Statement<'_>, id: DocumentId) -> Result<Option<Head>, ReadError> {
    let mut rows = statement.query([id.0 as i64])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let (mut chunks, about): (Vec<u8>, Vec<u8>) = (row.get(5)?, row.get(6)?);
    let length = unsealed(&chunks, id.0 as i64, &about).map_err(|error| bad_row(id, &error))?.len();
    chunks.truncate(length);
    let by = self::authorship(row, 7)?.cited_as();
    Ok(Some(Head { collection: row.get(0)?, path: row.get(1)?, title: row.get(2)?, date: date(row, 3)?, by, chunks }))
}

fn place_range(place: &ChunkPlace) -> Range<usize> {
    let start = place.start as usize;
    start..start + place.length as usize
}

fn stored_chunk(
    connection: &Connection,
    blocks: &mut HashMap<i64, Vec<u8>>,
    id: ChunkId,
    document: &Head,
    place: ChunkPlace,
) -> Result<StoredChunk, ReadError> {
    let range = place_range(&place);
    let bytes = text_bytes(connection, blocks, id.document, range.clone())?;
    let text = String::from_utf8(bytes).map_err(|_| not_text(id.document))?;
    if short_hash(&text) != place.hash {
        return Err(ReadError::Damaged(format!("a chunk of {} has not the text it was stored with", document.path)));
    }
    Ok(StoredChunk {
        id,
        collection: document.collection.clone(),
        path: document.path.clone(),
        title: document.title.clone(),
        date: document.date,
        by: document.by.clone(),
        range,
        page: place.page,
        page_turns: place.page_turns,
        headings: place.headings,
        language: place.language,
        text,
    })
}

/// Returns bytes of a document's text, using a cache of unpacked blocks.
fn text_bytes(
    connection: &Connection,
    blocks: &mut HashMap<i64, Vec<u8>>,
    document: DocumentId,
    range: Range<usize>,
) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::with_capacity(range.len());
    let mut at = range.start;
    while at < range.end {
        let number = at / TEXT_BLOCK;
        let key = ((document.0 as i64) << TEXT_KEY_BITS) + number as i64;
        let block = match blocks.entry(key) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(text_block(connection, document, key)?),
        };
        let within = at - number * TEXT_BLOCK..range.end.min((number + 1) * TEXT_BLOCK) - number * TEXT_BLOCK;
        at += within.len();
        bytes.extend(block.get(within).ok_or_else(|| not_text(document))?);
        if range.len() > TEXT_BLOCK * 4 {
            // A long range is read once from front to back, so its blocks need not be kept.
            blocks.clear();
        }
    }
    Ok(bytes)
}

fn text_block(connection: &Connection, document: DocumentId, key: i64) -> Result<Vec<u8>, ReadError> {
    let packed: Option<Vec<u8>> = connection
        .prepare_cached("SELECT data FROM texts WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()?;
    let packed = packed
        .ok_or_else(|| ReadError::Damaged(format!("a part of the text of the document {document} is missing")))?;
    unpack_text(&packed, key)
        .map_err(|_| ReadError::Damaged(format!("a part of the text of the document {document} was changed or cut")))
}

fn record(row: &Row<'_>) -> Result<DocumentRecord, ReadError> {
    let path: String = row.get(2)?;
    let damaged = |what: &str| ReadError::Damaged(format!("the {what} of {path} cannot be read"));
    let format: String = row.get(4)?;
    let hash: Vec<u8> = row.get(8)?;
    Ok(DocumentRecord {
        id: DocumentId(unsigned(row, 0)?),
        collection: row.get(1)?,
        title: row.get(3)?,
        format: format.parse::<Format>().map_err(|_| damaged("format"))?,
        language: Language::from_code(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?),
        date: date(row, 6)?,
        authorship: authorship(row, 14)?,
        hash: ContentHash::from_bytes(&hash).ok_or_else(|| damaged("hash"))?,
        bytes: unsigned(row, 9)?,
        modified_ns: row.get(10)?,
        chunks: row.get(11)?,
        text_bytes: unsigned(row, 12)?,
        cut: row.get(13)?,
        path,
    })
}

/// Reads a date from two columns: the day and its origin.
fn date(row: &Row<'_>, at: usize) -> Result<Option<DocumentDate>, ReadError> {
    let (day, origin): (Option<String>, Option<String>) = (row.get(at)?, row.get(at + 1)?);
    let Some((day, origin)) = day.zip(origin) else {
        return Ok(None);
    };
    let date = self::day(&day)?;
    let origin = DateOrigin::named(&origin)
        .ok_or_else(|| ReadError::Damaged(format!("the origin `{origin}` of a date is unknown")))?;
    Ok(Some(DocumentDate { date, origin }))
}

fn authorship(row: &Row<'_>, at: usize) -> Result<Authorship, ReadError> {
    let kept: Option<String> = row.get(at)?;
    let unread = |error| ReadError::Damaged(format!("who wrote a document cannot be read ({error})"));
    kept.map_or_else(|| Ok(Authorship::default()), |kept| serde_json::from_str(&kept).map_err(unread))
}

pub(super) fn day(text: &str) -> Result<Date, ReadError> {
    text.parse().map_err(|error| ReadError::Damaged(format!("the date `{text}` cannot be read ({error})")))
}

pub(super) fn unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(at)? as u64)
}

fn ends_at_separator(path: &str, wanted: &str) -> bool {
    !wanted.is_empty()
        && path
            .strip_suffix(wanted)
            .is_some_and(|head| head.is_empty() || head.ends_with(['/', '\\']) || wanted.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_found_by_its_end() {
        fn check(path: &str, wanted: &str, found: bool) {
            assert_eq!(ends_at_separator(path, wanted), found, "{path} {wanted}");
        }
        check("/a/b.md", "b.md", true);
        check("/a/b.md", "a/b.md", true);
        check("/a/b.md", "/a/b.md", true);
        check("/a/b.md", "/b.md", true);
        check("/a/bb.md", "b.md", false);
        check("C:\\a\\b.md", "b.md", true);
        check("/a/b.md", "", false);
    }
}
