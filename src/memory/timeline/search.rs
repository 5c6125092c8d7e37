//! Finds the events that are most similar to a question, by meaning or by words. `recall` decides which of them come to
//! mind.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::read::time;
use super::{Timeline, signs, space};
use crate::memory::MemoryError;
use crate::memory::words::{likeness, words_of};

/// The number of events compared in full: those with the nearest signs.
const COMPARED: usize = 1024;

/// A question to the memory.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The question's words.
    pub text: &'a str,
    /// The question's vector and its embedder; `None` if no embedder makes one.
    pub vector: Option<(&'a str, &'a [f32])>,
    /// Events that belong to any collection other than these are skipped; `None`: no event is skipped.
    pub collections: Option<&'a [String]>,
}

/// How similar an event's text and the question are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Similarity {
    /// The cosine of their vectors.
    Meaning(f64),
    /// The similarity by shared words, from 0 to 1.
    Words(f64),
}

/// An event that may be relevant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventCandidate {
    /// Its number.
    pub id: u64,
    /// Its similarity to the question.
    pub similarity: Similarity,
    /// When it was last needed, or else made.
    pub last: Timestamp,
    /// Its consolidation.
    pub g: f64,
}

impl Timeline {
    /// Returns the events most similar to the question: by meaning those that have a vector of the question's embedder,
    /// by words the others. At most about a thousand of each, sorted by number.
    pub fn alike(&self, asked: &Asked<'_>) -> Result<Vec<EventCandidate>, MemoryError> {
        self.read("searching", |connection| {
            let spaces = space::within(connection, asked.collections)?;
            let embedder = match asked.vector {
                None => 0,
                Some((identity, _)) => connection
                    .prepare_cached("SELECT id FROM embedders WHERE identity = ?1")?
                    .query_row([identity], |row| row.get::<_, i64>(0))
                    .optional()?
                    .unwrap_or(0),
            };
            let mut alike = BTreeMap::new();
            if let Some((_, vector)) = asked.vector.filter(|_| embedder != 0) {
                by_meaning(connection, embedder, vector, &spaces, &mut alike)?;
            }
            by_words(connection, embedder, asked.text, &mut alike)?;
            let mut found = Vec::with_capacity(alike.len());
            let mut statement = connection.prepare_cached("SELECT recalled, g, space FROM events WHERE id = ?1")?;
            for (id, similarity) in alike {
                let state = |row: &rusqlite::Row<'_>| {
                    let found = EventCandidate { id, similarity, last: time(0, row.get(0)?)?, g: row.get(1)? };
                    Ok((found, row.get::<_, i64>(2)?))
                };
                let row = statement.query_row([id as i64], state).optional()?;
                found.extend(row.filter(|(_, space)| spaces.contains(space)).map(|(found, _)| found));
            }
            Ok(found)
        })
    }
}

fn by_meaning(
    connection: &Connection,
    embedder: i64,
    vector: &[f32],
    spaces: &BTreeSet<i64>,
    alike: &mut BTreeMap<u64, Similarity>,
) -> rusqlite::Result<()> {
    let query = signs::signs_of(vector.iter().copied());
    let mut nearest: Vec<(u32, u64)> = Vec::new();
    let mut statement = connection.prepare_cached("SELECT data FROM signs WHERE embedder = ?1")?;
    let mut blocks = statement.query([embedder])?;
    while let Some(row) = blocks.next()? {
        let block = row.get_ref(0)?.as_blob()?;
        signs::distances(block, &query, |event, space, distance| {
            if spaces.contains(&space) {
                nearest.push((distance, event));
            }
        });
    }
    if nearest.len() > COMPARED {
        nearest.select_nth_unstable(COMPARED);
        nearest.truncate(COMPARED);
    }
    let mut statement = connection.prepare_cached("SELECT scale, data FROM vectors WHERE event = ?1")?;
    for (_, event) in nearest {
        let cosine = |row: &rusqlite::Row<'_>| {
            let scale: f64 = row.get(0)?;
            let bytes = row.get_ref(1)?.as_blob()?;
            let product: f32 =
                bytes.iter().zip(vector).map(|(byte, value)| f32::from(i8::from_ne_bytes([*byte])) * value).sum();
            Ok(f64::from(product) * scale)
        };
        if let Some(cosine) = statement.query_row([event as i64], cosine).optional()? {
            alike.insert(event, Similarity::Meaning(cosine));
        }
    }
    Ok(())
}

/// Compares events that have no vector of this embedder. Their words are indexed apart from those of the events that
/// have one, so that a memory with a single embedder costs nothing here.
fn by_words(
    connection: &Connection,
    embedder: i64,
    text: &str,
    alike: &mut BTreeMap<u64, Similarity>,
) -> rusqlite::Result<()> {
    let words = words_of(text);
    let mut statement = connection.prepare_cached("SELECT id FROM embedders WHERE id <> ?1")?;
    let others = statement.query_map([embedder], |row| row.get(0))?;
    let mut others: Vec<i64> = others.collect::<rusqlite::Result<_>>()?;
    // 0 stands for events without a vector.
    others.push(0);
    let mut shared: BTreeMap<i64, (usize, i64)> = BTreeMap::new();
    let mut statement =
        connection.prepare_cached("SELECT event, total FROM terms WHERE embedder = ?1 AND term = ?2")?;
    for other in others {
        for word in &words {
            let mut rows = statement.query([other, *word])?;
            while let Some(row) = rows.next()? {
                shared.entry(row.get(0)?).or_insert((0, row.get(1)?)).0 += 1;
            }
        }
    }
    let mut best: Vec<(f64, i64)> = shared
        .into_iter()
        .map(|(event, (shared, total))| (likeness(shared, words.len(), total as usize), event))
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    alike.extend(best.into_iter().take(COMPARED).map(|(likeness, event)| (event as u64, Similarity::Words(likeness))));
    Ok(())
}
