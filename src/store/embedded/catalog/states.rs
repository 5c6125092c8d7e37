//! Token states: one row per chunk. A search reads those of some fifty chunks from all over the file, mostly from the
//! disk. A row takes one or two pages; rows of eight chunks took five to thirteen, and reading them took five times as
//! long. The cost is up to half as much space again, because a page seldom holds two rows.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::codec::{OLD_STATES_IN_ROW, decode_states, encode_states, sealed, unsealed};
use super::read::{CatalogReader, ReadError, bad_row};
use super::sizes::{add_up, note};
use super::{OLD_STATES_KEY_BITS, SLOT_BIT, STATES_FORMAT, STATES_KEY_BITS};
use crate::base::schema_version;
use crate::domain::{ChunkId, ChunkVectors};
use crate::store::StoreError;

const OF_CHUNK: &str = "SELECT data FROM chunk_states WHERE key = ?1";

const OF_EIGHT: &str = "SELECT data FROM states WHERE key = ?1";

impl CatalogReader {
    /// Returns the token states for each id, in order.
    pub(in crate::store::embedded) fn states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError> {
        self.read("reading token states", |connection| {
            // A catalog of an older version has only the old rows, and no table for the new ones.
            let has_rows_of_chunks = schema_version(connection)? >= STATES_FORMAT;
            let common = common_slot(connection)?;
            let of_one = |&id: &ChunkId| match common.map_or_else(|| slot_of(connection, id), |slot| Ok(Some(slot)))? {
                Some(slot) => states_of(connection, id, slot << SLOT_BIT, has_rows_of_chunks),
                None => Ok(Vec::new()),
            };
            ids.iter().map(of_one).collect()
        })
    }
}

/// Returns the slot that is active in every collection; `None` if they differ. With a common slot, the usual case, a
/// document's collection need not be looked up: a document that was removed has no rows in it.
fn common_slot(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT slot FROM collections LIMIT 2")?;
    let slots: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(if let [slot] = slots[..] { Some(slot) } else { None })
}

/// Returns the slot that is active in a chunk's collection; `None` if its document is no longer there.
fn slot_of(connection: &Connection, id: ChunkId) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT c.slot FROM documents d JOIN collections c ON c.id = d.collection WHERE d.id = ?1";
    connection.prepare_cached(sql)?.query_row([id.document.0 as i64], |row| row.get(0)).optional()
}

/// Returns the states of a chunk; `slot` is already shifted into place.
fn states_of(connection: &Connection, id: ChunkId, slot: i64, has_rows_of_chunks: bool) -> Result<Vec<u8>, ReadError> {
    let document = id.document.0 as i64;
    let read = |sql: &str, key: i64, within: u32| -> Result<Option<Vec<u8>>, ReadError> {
        let mut statement = connection.prepare_cached(sql)?;
        let key = slot | key;
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        let states = unsealed(data, key, b"").and_then(|row| decode_states(row, within));
        Ok(Some(states.map_err(|error| bad_row(id.document, &error))?.to_vec()))
    };
    let own = (document << STATES_KEY_BITS) + i64::from(id.ordinal);
    if has_rows_of_chunks && let Some(states) = read(OF_CHUNK, own, 0)? {
        return Ok(states);
    }
    let eight = (document << OLD_STATES_KEY_BITS) + i64::from(id.ordinal / OLD_STATES_IN_ROW);
    Ok(read(OF_EIGHT, eight, id.ordinal % OLD_STATES_IN_ROW)?.unwrap_or_default())
}

/// Writes the states of a document's chunks; `slot` is already shifted into place.
pub(super) fn put_states(
    transaction: &Transaction<'_>,
    document: i64,
    slot: i64,
    vectors: &[Option<ChunkVectors>],
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("INSERT INTO chunk_states VALUES(?1, ?2)")?;
    let mut bytes = 0;
    for (vector, key) in vectors.iter().zip(slot | (document << STATES_KEY_BITS)..) {
        if let Some(vector) = vector.as_ref().filter(|vector| !vector.states.is_empty()) {
            statement.execute(params![key, sealed(encode_states(&[&vector.states]), key, b"")])?;
            bytes += vector.states.len() as i64;
        }
    }
    note(transaction, document, usize::from(slot != 0), bytes)
}

/// Deletes the states of a document's chunks in a slot, in the new and the old rows.
pub(super) fn delete_states(transaction: &Transaction<'_>, document: i64, slot: i64) -> rusqlite::Result<()> {
    let mut bytes = 0;
    for (table, bits) in [("chunk_states", STATES_KEY_BITS), ("states", OLD_STATES_KEY_BITS)] {
        let sql =
            format!("DELETE FROM {table} WHERE key >= ?1 AND key < ?2 RETURNING length(data), substr(data, 1, 5)");
        bytes += add_up(transaction, &sql, &[slot | (document << bits), slot | ((document + 1) << bits)])?;
    }
    note(transaction, document, usize::from(slot != 0), -bytes)
}

/// Converts a catalog to the form that it had before [`STATES_FORMAT`].
#[cfg(test)]
pub(in crate::store::embedded) fn downgrade(folder: &std::path::Path) -> rusqlite::Result<()> {
    let connection = Connection::open(super::path_in(folder))?;
    let rows = "SELECT key, data FROM chunk_states ORDER BY key";
    let rows: Vec<(i64, Vec<u8>)> =
        connection.prepare(rows)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut groups: std::collections::BTreeMap<i64, Vec<Vec<u8>>> = std::collections::BTreeMap::new();
    for (key, row) in rows {
        let row = unsealed(&row, key, b"").unwrap_or_default();
        let (document, ordinal) = (key >> STATES_KEY_BITS, (key & ((1 << STATES_KEY_BITS) - 1)) as u32);
        let old = (document << OLD_STATES_KEY_BITS) + i64::from(ordinal / OLD_STATES_IN_ROW);
        let group = groups.entry(old).or_default();
        group.resize((ordinal % OLD_STATES_IN_ROW) as usize, Vec::new());
        group.push(decode_states(row, 0).unwrap_or_default().to_vec());
    }
    for (key, group) in groups {
        let group: Vec<&[u8]> = group.iter().map(Vec::as_slice).collect();
        connection.execute("INSERT INTO states VALUES(?1, ?2)", params![key, encode_states(&group)])?;
    }
    connection.execute_batch(
        "DROP TABLE chunk_states; ALTER TABLE collections DROP COLUMN state_bytes_0;
         ALTER TABLE collections DROP COLUMN state_bytes_1; ALTER TABLE documents DROP COLUMN cut;
         ALTER TABLE documents DROP COLUMN authorship;
         PRAGMA user_version=2; PRAGMA wal_checkpoint(TRUNCATE);",
    )
}
