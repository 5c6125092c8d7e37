//! Follows the sources of findings when they move: a finding that rests on a document continues to rest on it.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::{Timeline, read};
use crate::memory::{Basis, MemoryError};

/// A document that has moved with unchanged content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedDocument {
    /// The collection's name.
    pub collection: String,
    /// Its old path.
    pub from: String,
    /// Its new path.
    pub to: String,
}

impl Timeline {
    /// Follows documents that have moved, all at once, since one may now have another's old path. Returns the number of
    /// events that rest on them.
    pub fn move_documents(&self, moved: &[MovedDocument]) -> Result<usize, MemoryError> {
        let to: BTreeMap<(&str, &str), &str> =
            moved.iter().map(|one| ((one.collection.as_str(), one.from.as_str()), one.to.as_str())).collect();
        self.write("following documents that have moved", |transaction| {
            let mut followed = 0;
            for (id, mut citations) in with_citations(transaction)? {
                let mut has_moved = false;
                for basis in &mut citations {
                    if let Some(to) = to.get(&(basis.collection.as_str(), basis.path.as_str())).copied() {
                        to.clone_into(&mut basis.path);
                        has_moved = true;
                    }
                }
                if has_moved {
                    let citations = serde_json::to_string(&citations)
                        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                    transaction
                        .prepare_cached("UPDATE events SET citations = ?2 WHERE id = ?1")?
                        .execute(params![id, citations])?;
                    identify(transaction, id)?;
                    followed += 1;
                }
            }
            Ok(followed)
        })
    }
}

fn with_citations(transaction: &Transaction<'_>) -> rusqlite::Result<Vec<(i64, Vec<Basis>)>> {
    let mut statement = transaction.prepare_cached("SELECT id, citations FROM events WHERE citations <> '[]'")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, read::citations(1, &row.get::<_, String>(1)?)?)))?;
    rows.collect()
}

/// Gives an event the identity of its present content, so that it is recognised when it is found again. If another
/// event has that identity already, the event keeps its own.
pub(super) fn identify(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    let Some(event) = read::one(transaction, id as u64)? else { return Ok(()) };
    transaction
        .prepare_cached("UPDATE OR IGNORE events SET identity = ?2 WHERE id = ?1")?
        .execute(params![id, event.as_new().identity().as_bytes()])?;
    Ok(())
}
