//! The history of documents, as loads recorded it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{Row, params};
use serde::Serialize;

use super::{Register, RegisterError};
use crate::ingest::{ChangeKind, DocumentChange};

/// The most events that one answer returns.
const MOST: usize = 10_000;

/// What happened to a document at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryEvent {
    /// It was seen for the first time, or again after it was gone.
    FirstSeen,
    /// Its content changed.
    Changed,
    /// Its path changed.
    Moved,
    /// Its file was gone, or no source wanted it any more.
    Gone,
}

impl HistoryEvent {
    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            HistoryEvent::FirstSeen => "first seen",
            HistoryEvent::Changed => "changed",
            HistoryEvent::Moved => "moved",
            HistoryEvent::Gone => "gone",
        }
    }

    /// Returns what happened in a change; `None` if the document was only cut into chunks again.
    fn of(change: ChangeKind) -> Option<Self> {
        match change {
            ChangeKind::New => Some(HistoryEvent::FirstSeen),
            ChangeKind::Changed => Some(HistoryEvent::Changed),
            ChangeKind::Reloaded => None,
            ChangeKind::Moved => Some(HistoryEvent::Moved),
            ChangeKind::Removed => Some(HistoryEvent::Gone),
        }
    }

    fn number(self) -> i64 {
        match self {
            HistoryEvent::FirstSeen => 1,
            HistoryEvent::Changed => 2,
            HistoryEvent::Moved => 3,
            HistoryEvent::Gone => 4,
        }
    }

    fn from_number(number: i64) -> Option<Self> {
        [HistoryEvent::FirstSeen, HistoryEvent::Changed, HistoryEvent::Moved, HistoryEvent::Gone]
            .into_iter()
            .find(|happening| happening.number() == number)
    }
}

/// An event of a document's history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentEvent {
    /// When a load noticed it.
    pub at: Timestamp,
    /// What happened.
    pub what: HistoryEvent,
    /// The document's collection.
    pub collection: String,
    /// Its path after the event.
    pub path: String,
    /// Its previous path, if it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A row: its number and the event.
type Numbered = (i64, DocumentEvent);

impl Register {
    /// Records what a load did to documents.
    pub fn note_changes(&mut self, changes: &[DocumentChange], at: Timestamp) -> Result<(), RegisterError> {
        self.write("noting what became of documents", |transaction| {
            let mut statement = transaction
                .prepare("INSERT INTO history(at, collection, path, what, origin) VALUES(?1, ?2, ?3, ?4, ?5)")?;
            for change in changes {
                let Some(happening) = HistoryEvent::of(change.change) else { continue };
                statement.execute(params![
                    at.as_microsecond(),
                    change.collection,
                    change.path,
                    happening.number(),
                    change.from.as_deref().unwrap_or_default(),
                ])?;
            }
            Ok(())
        })
    }

    /// Returns the events, in order of time, of the documents whose path equals `path` or ends with it at a separator,
    /// now or earlier. Events under the paths that those documents had before are included.
    pub fn history(&self, path: &str) -> Result<Vec<DocumentEvent>, RegisterError> {
        let mut events: Vec<Numbered> = self.read("reading a history", |connection| {
            let ending = format!("/{path}");
            connection
                .prepare(&format!(
                    "{EVENT} WHERE path = ?1 OR substr(path, -length(?2)) = ?2 OR origin = ?1
                         OR substr(origin, -length(?2)) = ?2 ORDER BY id LIMIT {MOST}"
                ))?
                .query_map([path, ending.as_str()], event)?
                .collect()
        })?;
        // Follow the moves backwards, to the events under the paths that the document had before.
        let mut known: BTreeSet<i64> = events.iter().map(|(id, _)| *id).collect();
        let mut trail: Vec<Numbered> = events.clone();
        while let Some((id, moved)) = trail.pop() {
            let Some(from) = moved.from.filter(|_| events.len() < MOST) else { continue };
            let before: Vec<Numbered> = self.read("reading a history", |connection| {
                connection
                    .prepare(&format!("{EVENT} WHERE path = ?1 AND collection = ?2 AND id < ?3 ORDER BY id"))?
                    .query_map(params![from, moved.collection, id], event)?
                    .collect()
            })?;
            for one in before {
                if known.insert(one.0) {
                    events.push(one.clone());
                    trail.push(one);
                }
            }
        }
        events.sort_by_key(|(id, _)| *id);
        Ok(events.into_iter().map(|(_, event)| event).collect())
    }

    /// Returns the paths, sorted, of the documents of these collections that were added or changed after a time. No
    /// collections means all.
    pub fn loaded_since(&self, since: Timestamp, collections: &[String]) -> Result<Vec<String>, RegisterError> {
        let events: Vec<Numbered> = self.read("reading what was loaded", |connection| {
            let asked =
                params![since.as_microsecond(), HistoryEvent::FirstSeen.number(), HistoryEvent::Changed.number()];
            connection
                .prepare(&format!("{EVENT} WHERE at > ?1 AND what IN (?2, ?3)"))?
                .query_map(asked, event)?
                .collect()
        })?;
        let is_asked = |event: &DocumentEvent| collections.is_empty() || collections.contains(&event.collection);
        let paths: BTreeSet<String> =
            events.into_iter().map(|(_, event)| event).filter(is_asked).map(|event| event.path).collect();
        Ok(paths.into_iter().collect())
    }

    /// Returns the last events of all documents, in order of time.
    pub fn last_events(&self, most: usize) -> Result<Vec<DocumentEvent>, RegisterError> {
        let mut events: Vec<Numbered> = self.read("reading the last events", |connection| {
            connection
                .prepare(&format!("{EVENT} ORDER BY id DESC LIMIT ?1"))?
                .query_map([most.min(MOST) as i64], event)?
                .collect()
        })?;
        events.reverse();
        Ok(events.into_iter().map(|(_, event)| event).collect())
    }
}

const EVENT: &str = "SELECT id, at, what, collection, path, origin FROM history";

fn event(row: &Row<'_>) -> rusqlite::Result<Numbered> {
    let bad = |column: usize, what: &'static str| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Integer, what.into())
    };
    let origin: String = row.get(5)?;
    let found = DocumentEvent {
        at: Timestamp::from_microsecond(row.get(1)?).map_err(|_| bad(1, "no time"))?,
        what: HistoryEvent::from_number(row.get(2)?).ok_or_else(|| bad(2, "an unknown event"))?,
        collection: row.get(3)?,
        path: row.get(4)?,
        from: (!origin.is_empty()).then_some(origin),
    };
    Ok((row.get(0)?, found))
}
