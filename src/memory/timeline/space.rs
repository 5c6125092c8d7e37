//! Spaces: the sets of collections that events belong to.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};

/// Returns the number of a set of collections, written as by [`super::super::event::joined`]; a set without a number
/// gets a new one.
pub(super) fn number_of(connection: &Connection, names: &str) -> rusqlite::Result<i64> {
    let known = connection
        .prepare_cached("SELECT id FROM spaces WHERE names = ?1")?
        .query_row([names], |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => {
            connection.prepare_cached("INSERT INTO spaces(names) VALUES(?1)")?.execute([names])?;
            Ok(connection.last_insert_rowid())
        }
    }
}

/// Returns the sets that lie within `asked`; all sets if `asked` is `None`.
pub(super) fn within(connection: &Connection, asked: Option<&[String]>) -> rusqlite::Result<BTreeSet<i64>> {
    let mut statement = connection.prepare_cached("SELECT id, names FROM spaces")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let mut inside = BTreeSet::new();
    for row in rows {
        let (id, names) = row?;
        let holds = |asked: &[String]| split(&names).iter().all(|name| asked.contains(name));
        if asked.is_none_or(holds) {
            inside.insert(id);
        }
    }
    Ok(inside)
}

/// Undoes [`super::super::event::joined`].
pub(super) fn split(names: &str) -> Vec<String> {
    names.split('\n').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
