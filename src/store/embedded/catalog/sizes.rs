//! How many bytes the token states of a collection take. The number is stored with the collection, one for each slot,
//! because the rows of a million chunks are gigabytes to walk through.

use rusqlite::{Connection, Transaction, params};

use super::codec::states_overhead;
use super::read::CatalogReader;
use super::{OLD_STATES_KEY_BITS, SIZES_FORMAT, SLOT_BIT, STATES_FORMAT, STATES_KEY_BITS};
use crate::base::schema_version;
use crate::store::StoreError;

/// The columns that a catalog from before [`SIZES_FORMAT`] lacks.
const COLUMNS: &str = "ALTER TABLE collections ADD COLUMN state_bytes_0 INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE collections ADD COLUMN state_bytes_1 INTEGER NOT NULL DEFAULT 0;";

const NOTE: [&str; 2] = [
    "UPDATE collections SET state_bytes_0 = state_bytes_0 + ?1
         WHERE id = (SELECT collection FROM documents WHERE id = ?2)",
    "UPDATE collections SET state_bytes_1 = state_bytes_1 + ?1
         WHERE id = (SELECT collection FROM documents WHERE id = ?2)",
];

impl CatalogReader {
    /// Returns the bytes of the token states in the active slot.
    pub(in crate::store::embedded) fn state_bytes(&self, collection: u64) -> Result<u64, StoreError> {
        let collection = collection as i64;
        self.read("adding up token states", |connection| {
            let version = schema_version(connection)?;
            let bytes: i64 = if version >= SIZES_FORMAT {
                let sql = "SELECT CASE slot WHEN 0 THEN state_bytes_0 ELSE state_bytes_1 END
                    FROM collections WHERE id = ?1";
                connection.prepare_cached(sql)?.query_row([collection], |row| row.get(0))?
            } else {
                let sql = "SELECT slot FROM collections WHERE id = ?1";
                let slot = connection.query_row(sql, [collection], |row| row.get(0))?;
                of_collection(connection, collection, slot, version >= STATES_FORMAT)?
            };
            Ok(bytes.cast_unsigned())
        })
    }
}

/// Adds the columns, and counts once what is stored.
pub(super) fn add_columns(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(COLUMNS)?;
    let collections: Vec<i64> =
        connection.prepare("SELECT id FROM collections")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for collection in collections {
        let counted =
            [of_collection(connection, collection, 0, true)?, of_collection(connection, collection, 1, true)?];
        let sql = "UPDATE collections SET state_bytes_0 = ?2, state_bytes_1 = ?3 WHERE id = ?1";
        connection.execute(sql, params![collection, counted[0], counted[1]])?;
    }
    Ok(())
}

/// Records that the states of a document in a slot (0 or 1) take `more` bytes more.
pub(super) fn note(transaction: &Transaction<'_>, document: i64, slot: usize, more: i64) -> rusqlite::Result<()> {
    if more != 0 {
        transaction.prepare_cached(NOTE[slot.min(1)])?.execute([more, document])?;
    }
    Ok(())
}

fn of_collection(
    connection: &Connection,
    collection: i64,
    slot: i64,
    has_rows_of_chunks: bool,
) -> rusqlite::Result<i64> {
    let sum = |table: &str, bits: u32| {
        let sql = format!(
            "SELECT length(s.data), substr(s.data, 1, 5) FROM documents d JOIN {table} s
                 ON s.key >= (d.id << {bits}) | (?2 << {SLOT_BIT}) AND s.key < ((d.id + 1) << {bits}) | (?2 << {SLOT_BIT})
                 WHERE d.collection = ?1"
        );
        add_up(connection, &sql, &[collection, slot])
    };
    let of_chunks = if has_rows_of_chunks { sum("chunk_states", STATES_KEY_BITS)? } else { 0 };
    Ok(of_chunks + sum("states", OLD_STATES_KEY_BITS)?)
}

/// Adds up the bytes of states from a query that returns the length and the first five bytes of each row. SQLite knows
/// the length without reading the rest.
pub(super) fn add_up(connection: &Connection, sql: &str, parameters: &[i64; 2]) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(*parameters)?;
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let (length, start): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        // A damaged row is reported when it is read.
        bytes += (length - states_overhead(&start).unwrap_or(length)).max(0);
    }
    Ok(bytes)
}
