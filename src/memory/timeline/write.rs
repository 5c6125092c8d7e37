//! Changes of the timeline, each in one transaction.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::follow::identify;
use super::signs::{self, Row};
use super::{Timeline, space};
use crate::memory::event::{EventKind, MemoryEvent, NewEvent, joined};
use crate::memory::recall::{FIRST_G, TimeUnit, consolidated};
use crate::memory::words::words_of;
use crate::memory::{Calibration, MemoryError};

/// The vector of an event's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    /// The embedder that made it, named with everything that makes its vectors comparable.
    pub embedder: String,
    /// The values, of length 1.
    pub values: Vec<f32>,
}

/// The result of adding an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// Its number.
    pub id: u64,
    /// Whether it was not known before. A known event is recalled instead.
    pub new: bool,
}

impl Timeline {
    /// Remembers events, all or none. An event that is already known was needed again: it is recalled at the time at
    /// which it would have been made.
    pub fn add(&self, events: &[(NewEvent, Option<Vector>)], unit: TimeUnit) -> Result<Vec<Remembered>, MemoryError> {
        self.write("adding events", |transaction| {
            let mut placed = Vec::with_capacity(events.len());
            for (event, vector) in events {
                placed.push(match insert(transaction, event, vector.as_ref())? {
                    Some(id) => Remembered { id, new: true },
                    None => {
                        let id = known(transaction, event)?;
                        recall(transaction, id, &event.run, event.made, unit)?;
                        // A finding that a run has found again is not stale.
                        transaction
                            .prepare_cached("UPDATE events SET stale = 0 WHERE id = ?1")?
                            .execute([id as i64])?;
                        Remembered { id, new: false }
                    }
                });
            }
            Ok(placed)
        })
    }

    /// Puts back events of an export with their history, all or none, under new numbers; returns how many were not
    /// known.
    pub fn restore(&self, events: &[(MemoryEvent, Option<Vector>)]) -> Result<usize, MemoryError> {
        self.write("importing events", |transaction| {
            let mut restored = 0;
            for (event, vector) in events {
                let Some(id) = insert(transaction, &event.as_new(), vector.as_ref())? else { continue };
                let stale = event.stale.map_or(0, Timestamp::as_microsecond);
                transaction
                    .prepare_cached("UPDATE events SET recalled = ?2, recalls = ?3, g = ?4, stale = ?5 WHERE id = ?1")?
                    .execute(params![
                        id as i64,
                        event.last().as_microsecond(),
                        event.recalls.len() as i64,
                        event.g(),
                        stale
                    ])?;
                for (n, recall) in event.recalls.iter().enumerate() {
                    log(transaction, id, n as i64, recall.at.as_microsecond(), recall.g, &recall.run)?;
                }
                restored += 1;
            }
            Ok(restored)
        })
    }

    /// Records that a run needed events again; returns how many it had not needed before. Skips events that are gone by
    /// now and events that this run made or recalled itself, so that a run that continues after being killed counts
    /// once.
    pub fn recall(&self, ids: &[u64], run: &str, at: Timestamp, unit: TimeUnit) -> Result<usize, MemoryError> {
        self.write("noting a recall", |transaction| {
            let mut noted = 0;
            for &id in ids {
                noted += usize::from(recall(transaction, id, run, at, unit)?);
            }
            Ok(noted)
        })
    }

    /// Marks findings that their sources no longer support.
    pub fn mark_stale(&self, ids: &[u64], at: Timestamp) -> Result<(), MemoryError> {
        self.write("marking stale findings", |transaction| {
            let mut statement =
                transaction.prepare_cached("UPDATE events SET stale = ?2 WHERE id = ?1 AND stale = 0")?;
            for &id in ids {
                statement.execute(params![id as i64, at.as_microsecond()])?;
            }
            Ok(())
        })
    }

    /// Forgets events by their numbers; if one of them does not exist, nothing is forgotten.
    pub fn forget(&self, ids: &[u64]) -> Result<(), MemoryError> {
        let missing = self.write("forgetting", |transaction| {
            for &id in ids {
                let known = "SELECT 1 FROM events WHERE id = ?1";
                if !transaction.prepare_cached(known)?.exists([id as i64])? {
                    return Ok(Some(id));
                }
            }
            delete(transaction, ids)?;
            Ok(None)
        })?;
        missing.map_or(Ok(()), |id| Err(MemoryError::NoEvent { id }))
    }

    /// Forgets events made before an instant; returns their number.
    pub fn forget_before(&self, before: Timestamp) -> Result<usize, MemoryError> {
        self.write("forgetting", |transaction| {
            let mut statement = transaction.prepare_cached("SELECT id FROM events WHERE made < ?1")?;
            let ids = statement.query_map([before.as_microsecond()], |row| row.get::<_, i64>(0))?;
            let ids: Vec<u64> = ids.map(|id| id.map(|id| id as u64)).collect::<rusqlite::Result<_>>()?;
            delete(transaction, &ids)?;
            Ok(ids.len())
        })
    }

    /// Follows the renaming of a collection. What is remembered of a dropped collection that had the new name stays
    /// under that name.
    pub fn rename_collection(&self, from: &str, to: &str) -> Result<(), MemoryError> {
        self.write("renaming a collection", |transaction| {
            let mut statement = transaction.prepare_cached("SELECT id, names FROM spaces")?;
            let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
            let mut renamed: Vec<i64> = Vec::new();
            for row in rows.collect::<rusqlite::Result<Vec<_>>>()? {
                let mut names = space::split(&row.1);
                if let Some(name) = names.iter_mut().find(|name| *name == from) {
                    to.clone_into(name);
                    renamed.push(rename_space(transaction, row.0, &joined(&names))?);
                }
            }
            // The store refuses a name that is taken, so the citations of other collections are not touched.
            let (from, to) = (json_name(from), json_name(to));
            transaction.execute("UPDATE events SET citations = replace(citations, ?1, ?2)", [from, to])?;
            for space in renamed {
                let mut statement = transaction.prepare_cached("SELECT id FROM events WHERE space = ?1")?;
                let ids = statement.query_map([space], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
                for id in ids {
                    identify(transaction, id)?;
                }
            }
            Ok(())
        })
    }

    /// Stores the calibration of an embedder.
    pub fn set_calibration(&self, embedder: &str, measured: &Calibration) -> Result<(), MemoryError> {
        self.write("keeping a calibration", |transaction| {
            let id = embedder_number(transaction, embedder)?;
            transaction.execute(
                "UPDATE embedders SET unrelated = ?2, border = ?3, related = ?4 WHERE id = ?1",
                params![id, measured.unrelated, measured.border, measured.related],
            )?;
            Ok(())
        })
    }
}

/// Renames a space; if another space has the new names, its events join those. Returns the number of their space.
fn rename_space(transaction: &Transaction<'_>, space: i64, names: &str) -> rusqlite::Result<i64> {
    let taken = "SELECT id FROM spaces WHERE names = ?1 AND id <> ?2";
    let other = transaction.query_row(taken, params![names, space], |row| row.get::<_, i64>(0)).optional()?;
    let Some(other) = other else {
        transaction.execute("UPDATE spaces SET names = ?2 WHERE id = ?1", params![space, names])?;
        return Ok(space);
    };
    let mut statement = transaction.prepare_cached(
        "SELECT e.id, e.embedder, length(v.data) FROM events e JOIN vectors v ON v.event = e.id WHERE e.space = ?1",
    )?;
    let vectors = statement.query_map([space], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?)))?;
    let mut blocks: BTreeSet<(i64, i64, i64)> = BTreeSet::new();
    for vector in vectors {
        let (event, embedder, bytes) = vector?;
        blocks.insert((embedder, signs::block_of(event as u64), bytes));
    }
    for (embedder, block, bytes) in blocks {
        let rows: Vec<u8> = transaction
            .prepare_cached("SELECT data FROM signs WHERE embedder = ?1 AND block = ?2")?
            .query_row([embedder, block], |row| row.get(0))?;
        let rows = signs::in_other_space(&rows, (bytes as usize).div_ceil(64), space, other);
        transaction
            .prepare_cached("UPDATE signs SET data = ?3 WHERE embedder = ?1 AND block = ?2")?
            .execute(params![embedder, block, rows])?;
    }
    transaction.execute("UPDATE events SET space = ?2 WHERE space = ?1", [space, other])?;
    transaction.execute("DELETE FROM spaces WHERE id = ?1", [space])?;
    Ok(other)
}

/// Returns a collection's name as it appears in the citations of an event.
fn json_name(name: &str) -> String {
    format!("{{\"collection\":{},", serde_json::Value::from(name))
}

/// Inserts an event; `None` if it is already known.
fn insert(transaction: &Transaction<'_>, event: &NewEvent, vector: Option<&Vector>) -> rusqlite::Result<Option<u64>> {
    let identity = event.identity();
    if transaction.prepare_cached("SELECT 1 FROM events WHERE identity = ?1")?.exists([identity.as_bytes()])? {
        return Ok(None);
    }
    let space = space::number_of(transaction, &joined(&event.collections))?;
    let embedder = vector.map(|vector| embedder_number(transaction, &vector.embedder)).transpose()?;
    let citations = serde_json::to_string(&event.citations)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let made = event.made.as_microsecond();
    let kind = EventKind::ALL.iter().position(|kind| *kind == event.kind).unwrap_or_default() as i64;
    transaction
        .prepare_cached(
            "INSERT INTO events(identity, kind, space, made, recalled, g, embedder, run, text, citations)
             VALUES(?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            identity.as_bytes(),
            kind,
            space,
            made,
            FIRST_G,
            embedder.unwrap_or(0),
            event.run,
            event.text,
            citations
        ])?;
    let id = transaction.last_insert_rowid() as u64;
    let words = words_of(&event.text);
    let mut statement =
        transaction.prepare_cached("INSERT INTO terms(embedder, term, event, total) VALUES(?1, ?2, ?3, ?4)")?;
    for word in &words {
        statement.execute(params![embedder.unwrap_or(0), word, id as i64, words.len() as i64])?;
    }
    if let Some((vector, embedder)) = vector.zip(embedder) {
        let (scale, bytes) = quantized(&vector.values);
        transaction
            .prepare_cached("INSERT INTO vectors(event, scale, data) VALUES(?1, ?2, ?3)")?
            .execute(params![id as i64, scale, bytes])?;
        let row = Row { event: id, space, signs: signs::signs_of(vector.values.iter().copied()) };
        let block = signs::block_of(id);
        let mut rows: Vec<u8> = transaction
            .prepare_cached("SELECT data FROM signs WHERE embedder = ?1 AND block = ?2")?
            .query_row([embedder, block], |row| row.get(0))
            .optional()?
            .unwrap_or_default();
        signs::push(&mut rows, &row);
        transaction
            .prepare_cached("INSERT OR REPLACE INTO signs(embedder, block, data) VALUES(?1, ?2, ?3)")?
            .execute(params![embedder, block, rows])?;
    }
    Ok(Some(id))
}

fn known(transaction: &Transaction<'_>, event: &NewEvent) -> rusqlite::Result<u64> {
    let id: i64 = transaction
        .prepare_cached("SELECT id FROM events WHERE identity = ?1")?
        .query_row([event.identity().as_bytes()], |row| row.get(0))?;
    Ok(id as u64)
}

/// Records a recall; returns whether it is a new one.
fn recall(transaction: &Transaction<'_>, id: u64, run: &str, at: Timestamp, unit: TimeUnit) -> rusqlite::Result<bool> {
    let state: Option<(i64, i64, f64, String)> = transaction
        .prepare_cached("SELECT recalled, recalls, g, run FROM events WHERE id = ?1")?
        .query_row([id as i64], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((recalled, recalls, g, made_by)) = state else { return Ok(false) };
    let counted = "SELECT 1 FROM recalls WHERE event = ?1 AND run = ?2";
    let same = made_by == run || transaction.prepare_cached(counted)?.exists(params![id as i64, run])?;
    if !run.is_empty() && same {
        return Ok(false);
    }
    let last = Timestamp::from_microsecond(recalled).unwrap_or(at);
    let g = consolidated(g, unit.between(last, at));
    let at = at.as_microsecond().max(recalled);
    let changed = transaction
        .prepare_cached(
            "UPDATE events SET recalled = ?2, recalls = recalls + 1, g = ?3 WHERE id = ?1 AND recalls = ?4",
        )?
        .execute(params![id as i64, at, g, recalls])?;
    if changed == 1 {
        log(transaction, id, recalls, at, g, run)?;
    }
    Ok(changed == 1)
}

fn log(transaction: &Transaction<'_>, id: u64, n: i64, at: i64, g: f64, run: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("INSERT INTO recalls(event, n, at, g, run) VALUES(?1, ?2, ?3, ?4, ?5)")?
        .execute(params![id as i64, n, at, g, run])?;
    Ok(())
}

fn delete(transaction: &Transaction<'_>, ids: &[u64]) -> rusqlite::Result<()> {
    for &id in ids {
        let (embedder, text): (i64, String) = transaction
            .prepare_cached("SELECT embedder, text FROM events WHERE id = ?1")?
            .query_row([id as i64], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for word in words_of(&text) {
            transaction
                .prepare_cached("DELETE FROM terms WHERE embedder = ?1 AND term = ?2 AND event = ?3")?
                .execute(params![embedder, word, id as i64])?;
        }
        if embedder != 0 {
            let block = signs::block_of(id);
            let bytes: i64 = transaction
                .prepare_cached("SELECT length(data) FROM vectors WHERE event = ?1")?
                .query_row([id as i64], |row| row.get(0))?;
            let rows: Vec<u8> = transaction
                .prepare_cached("SELECT data FROM signs WHERE embedder = ?1 AND block = ?2")?
                .query_row([embedder, block], |row| row.get(0))?;
            let rows = signs::without(&rows, (bytes as usize).div_ceil(64), &[id]);
            transaction
                .prepare_cached("UPDATE signs SET data = ?3 WHERE embedder = ?1 AND block = ?2")?
                .execute(params![embedder, block, rows])?;
            transaction.prepare_cached("DELETE FROM vectors WHERE event = ?1")?.execute([id as i64])?;
        }
        transaction.prepare_cached("DELETE FROM recalls WHERE event = ?1")?.execute([id as i64])?;
        transaction.prepare_cached("DELETE FROM events WHERE id = ?1")?.execute([id as i64])?;
    }
    Ok(())
}

/// Returns the number of an embedder; one without a number gets a new one. 0 stands for none.
fn embedder_number(transaction: &Transaction<'_>, identity: &str) -> rusqlite::Result<i64> {
    transaction.prepare_cached("INSERT OR IGNORE INTO embedders(identity) VALUES(?1)")?.execute([identity])?;
    transaction.prepare_cached("SELECT id FROM embedders WHERE identity = ?1")?.query_row([identity], |row| row.get(0))
}

/// Returns a vector with 8 bits a dimension, and the factor to multiply the values by.
fn quantized(values: &[f32]) -> (f64, Vec<u8>) {
    let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    let bytes = values.iter().map(|value| ((value / scale).round() as i8).to_ne_bytes()[0]).collect();
    (f64::from(scale), bytes)
}
