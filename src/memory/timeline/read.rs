use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{Timeline, space};
use crate::memory::event::{Basis, EventKind, MemoryEvent, Recall};
use crate::memory::{Calibration, MemoryError};

/// Which events are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Made at this instant or later.
    pub from: Option<Timestamp>,
    /// Made before this instant.
    pub to: Option<Timestamp>,
    /// Only events of this kind.
    pub kind: Option<EventKind>,
    /// Only events known to be stale.
    pub stale: bool,
    /// Only events that belong to no collections other than these.
    pub collections: Option<Vec<String>>,
    /// Only this many, the newest.
    pub newest: Option<usize>,
}

const COLUMNS: &str = "e.id, e.kind, e.text, e.made, s.names, e.citations, e.run, e.stale, e.recalls";

impl Timeline {
    /// Returns events in order of time.
    pub fn events(&self, filter: &EventFilter) -> Result<Vec<MemoryEvent>, MemoryError> {
        self.read("reading events", |connection| {
            let spaces = space::within(connection, filter.collections.as_deref())?;
            let query = format!(
                "SELECT {COLUMNS}, e.space FROM events e JOIN spaces s ON s.id = e.space
                 WHERE e.made >= ?1 AND e.made < ?2 ORDER BY e.made DESC, e.id DESC"
            );
            let bound = |instant: Option<Timestamp>, open| instant.map_or(open, Timestamp::as_microsecond);
            let mut statement = connection.prepare_cached(&query)?;
            let mut rows = statement.query([bound(filter.from, i64::MIN), bound(filter.to, i64::MAX)])?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                let wanted_kind = filter.kind.is_none_or(|kind| Some(kind) == kind_of(row).ok());
                let stale: i64 = row.get(7)?;
                if wanted_kind && (!filter.stale || stale != 0) && spaces.contains(&row.get(9)?) {
                    if filter.newest.is_some_and(|newest| events.len() >= newest) {
                        break;
                    }
                    events.push(event(connection, row)?);
                }
            }
            events.reverse();
            Ok(events)
        })
    }

    /// Returns the events with these numbers, in the order asked for; missing ones are left out.
    pub fn by_id(&self, ids: &[u64]) -> Result<Vec<MemoryEvent>, MemoryError> {
        self.read("reading events", |connection| {
            let mut events = Vec::with_capacity(ids.len());
            for &id in ids {
                events.extend(one(connection, id)?);
            }
            Ok(events)
        })
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> Result<bool, MemoryError> {
        self.read("looking for events", |connection| {
            connection.query_row("SELECT NOT EXISTS(SELECT 1 FROM events)", [], |row| row.get(0))
        })
    }

    /// Returns the number of events, and the number of those known to be stale.
    pub fn counts(&self) -> Result<(u64, u64), MemoryError> {
        self.read("counting events", |connection| {
            connection.query_row(
                "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM events WHERE stale <> 0)",
                [],
                |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)),
            )
        })
    }

    /// Returns the stored calibration of an embedder.
    pub fn calibration(&self, embedder: &str) -> Result<Option<Calibration>, MemoryError> {
        self.read("reading a calibration", |connection| {
            let query = "SELECT unrelated, border, related FROM embedders
                         WHERE identity = ?1 AND related IS NOT NULL";
            let mut statement = connection.prepare_cached(query)?;
            let read =
                |row: &Row<'_>| Ok(Calibration { unrelated: row.get(0)?, border: row.get(1)?, related: row.get(2)? });
            statement.query_row([embedder], read).optional()
        })
    }
}

/// Returns the event with a number.
pub(super) fn one(connection: &Connection, id: u64) -> rusqlite::Result<Option<MemoryEvent>> {
    let query = format!("SELECT {COLUMNS} FROM events e JOIN spaces s ON s.id = e.space WHERE e.id = ?1");
    connection.prepare_cached(&query)?.query_row([id as i64], |row| event(connection, row)).optional()
}

/// Reads the citations in a column.
pub(super) fn citations(column: usize, text: &str) -> rusqlite::Result<Vec<Basis>> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, error.into()))
}

fn kind_of(row: &Row<'_>) -> rusqlite::Result<EventKind> {
    let number: i64 = row.get(1)?;
    let kind = usize::try_from(number).ok().and_then(|number| EventKind::ALL.get(number)).copied();
    kind.ok_or(rusqlite::Error::IntegralValueOutOfRange(1, number))
}

fn event(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<MemoryEvent> {
    let id: i64 = row.get(0)?;
    let stale: i64 = row.get(7)?;
    let recalls: i64 = row.get(8)?;
    Ok(MemoryEvent {
        id: id as u64,
        kind: kind_of(row)?,
        text: row.get(2)?,
        made: time(3, row.get(3)?)?,
        collections: space::split(&row.get::<_, String>(4)?),
        citations: citations(5, &row.get::<_, String>(5)?)?,
        run: row.get(6)?,
        stale: if stale == 0 { None } else { Some(time(7, stale)?) },
        recalls: if recalls == 0 { Vec::new() } else { history(connection, id)? },
    })
}

fn history(connection: &Connection, id: i64) -> rusqlite::Result<Vec<Recall>> {
    let mut statement = connection.prepare_cached("SELECT at, g, run FROM recalls WHERE event = ?1 ORDER BY n")?;
    let recalls =
        statement.query_map([id], |row| Ok(Recall { at: time(0, row.get(0)?)?, g: row.get(1)?, run: row.get(2)? }))?;
    recalls.collect()
}

/// Reads the instant in a column.
pub(super) fn time(column: usize, microseconds: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(microseconds)
        .map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, microseconds))
}
