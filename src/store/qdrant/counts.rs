//! The number of chunks that hold each term, from which rarities are computed. A server counts within one shard, and
//! also counts versions that are being replaced; so the counts are kept here, as tables stored beside the states.
//!
//! Whoever puts or removes documents writes one table with the resulting differences, and the state says which tables
//! are current: the counts are their sum. A table never changes. A new table absorbs the last ones if they are not much
//! larger, so that there are few tables, and each entry is rewritten about as often as the collection doubles.
//!
//! A store reads each table once and keeps it. The first search of a process reads some five bytes per distinct term
//! and field; later ones request no counts.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use qdrant_client::qdrant::{Condition, Filter, PointStruct, RetrievedPoint, SparseVector};

use super::Server;
use super::error::damaged;
use super::layout::{self, COUNTS, KIND, VERSION, is_number, is_text};
use super::sparse;
use super::state::{CollectionState, CollectionStates};
use crate::base::locked;
use crate::store::StoreError;

/// The entries in one point, which take some half a megabyte.
const PART: u64 = 100_000;

/// The points of tables in one answer.
const PARTS_AT_ONCE: usize = 32;

/// A table absorbs the one before it unless that has more than this many times its entries.
const LARGER: u64 = 2;

/// How many times a reader looks again if its tables have been merged meanwhile.
const LOOKS: u32 = 8;

/// The field that names the collection in a table's point.
pub(super) const COLLECTION_FIELD: &str = "of";

/// By how much the number of chunks that hold each entry changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Change(HashMap<u32, i64>);

impl Change {
    /// Adds a chunk that is added (1) or removed (-1).
    pub(super) fn add(&mut self, words: &SparseVector, chunks: i64) {
        for &entry in &words.indices {
            *self.0.entry(entry).or_default() += chunks;
        }
    }

    pub(super) fn join(&mut self, other: Change) {
        for (entry, chunks) in other.0 {
            *self.0.entry(entry).or_default() += chunks;
        }
    }
}

/// A table as it is stored: ascending entries with their counts.
pub(super) type Table = Vec<(u32, i64)>;

fn table_of(change: Change) -> Table {
    let mut table: Table = change.0.into_iter().filter(|&(_, chunks)| chunks != 0).collect();
    table.sort_unstable();
    table
}

fn merged(a: &[(u32, i64)], b: &[(u32, i64)]) -> Table {
    let mut sums: BTreeMap<u32, i64> = a.iter().copied().collect();
    for &(entry, chunks) in b {
        *sums.entry(entry).or_default() += chunks;
    }
    sums.into_iter().filter(|&(_, chunks)| chunks != 0).collect()
}

fn count_in(table: &[(u32, i64)], entry: u32) -> i64 {
    table.binary_search_by_key(&entry, |&(entry, _)| entry).map_or(0, |at| table[at].1)
}

fn parts(entries: u64) -> u64 {
    entries.div_ceil(PART)
}

/// Writes seven bits per byte, the lowest first; the eighth bit is set if more bytes follow.
fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Encodes entries as differences from the previous one, and counts with the sign in the lowest bit.
fn encoded(part: &[(u32, i64)]) -> String {
    let mut bytes = Vec::with_capacity(part.len() * 4);
    let mut before = 0;
    for &(entry, chunks) in part {
        write_number(&mut bytes, u64::from(entry) - before);
        before = u64::from(entry);
        write_number(&mut bytes, (chunks.unsigned_abs() << 1) | u64::from(chunks < 0));
    }
    BASE64.encode(bytes)
}

fn decoded(text: &str) -> Option<Table> {
    let mut bytes = BASE64.decode(text).ok()?.into_iter().peekable();
    let mut table = Vec::new();
    let mut entry = 0;
    while bytes.peek().is_some() {
        entry += read_number(&mut bytes)?;
        let chunks = read_number(&mut bytes)?;
        let size = i64::try_from(chunks >> 1).ok()?;
        table.push((u32::try_from(entry).ok()?, if chunks & 1 == 1 { -size } else { size }));
    }
    Some(table)
}

/// The tables read so far, by collection and version.
pub(super) type Kept = Mutex<HashMap<(u64, u64), Arc<Table>>>;

/// The current tables of some collections.
pub(super) struct Counts(Vec<Arc<Table>>);

impl Counts {
    /// Returns how many chunks hold a term in a field.
    pub(super) fn holding(&self, field: usize, term: &str) -> u64 {
        let entry = sparse::entry(field, term);
        let sum: i64 = self.0.iter().map(|table| count_in(table, entry)).sum();
        u64::try_from(sum).unwrap_or(0)
    }
}

fn kept(kept: &Kept, key: (u64, u64)) -> Option<Arc<Table>> {
    locked(kept).get(&key).cloned()
}

fn keep(kept: &Kept, key: (u64, u64), table: Table) {
    locked(kept).insert(key, Arc::new(table));
}

impl Server {
    /// Returns the states of all collections, and the current tables of those in `names` (if empty: of all).
    pub(super) async fn counted(&self, names: &[String]) -> Result<(CollectionStates, Counts), StoreError> {
        for _ in 0..LOOKS {
            let states = self.states().await?;
            let some = states.clone().named(names)?;
            self.read_tables(&some).await?;
            let wanted: Vec<(u64, u64)> = keys(&some).collect();
            let found: Vec<Arc<Table>> = wanted.iter().filter_map(|&key| kept(&self.tables, key)).collect();
            if found.len() == wanted.len() {
                self.forget_tables(&states);
                return Ok((states, Counts(found)));
            }
            // Another process merged the tables after the state was read.
            self.look_again().await;
        }
        Err(damaged(self.client.url(), "a table of how many chunks hold each word is missing"))
    }

    /// Reads the current tables that are not cached yet.
    async fn read_tables(&self, states: &[CollectionState]) -> Result<(), StoreError> {
        let sizes =
            states.iter().flat_map(|state| state.counts.iter().map(|&(version, size)| (state.number, version, size)));
        let missing: Vec<(u64, u64, u64)> =
            sizes.filter(|&(number, version, _)| kept(&self.tables, (number, version)).is_none()).collect();
        let ids: Vec<u64> = missing
            .iter()
            .flat_map(|&(number, version, size)| {
                (0..parts(size)).map(move |part| layout::counts_point(number, version, part))
            })
            .collect();
        let mut points: HashMap<u64, RetrievedPoint> = HashMap::new();
        for ids in ids.chunks(PARTS_AT_ONCE) {
            let found = self.client.get(&self.meta(), ids, &[COUNTS], &[]).await?;
            points
                .extend(found.into_iter().filter_map(|point| Some((super::client::number(point.id.as_ref())?, point))));
        }
        for (number, version, size) in missing {
            let mut table = Vec::new();
            let mut complete = true;
            for part in 0..parts(size) {
                match points.get(&layout::counts_point(number, version, part)) {
                    Some(point) => {
                        let part = layout::text(&point.payload, COUNTS).and_then(decoded);
                        table.extend(part.ok_or_else(|| damaged(self.client.url(), "how many chunks hold each word"))?);
                    }
                    None => complete = false,
                }
            }
            if complete && table.len() as u64 == size {
                keep(&self.tables, (number, version), table);
            }
        }
        Ok(())
    }

    /// Removes tables from the cache that are no longer current.
    fn forget_tables(&self, states: &CollectionStates) {
        let in_force: std::collections::HashSet<(u64, u64)> = keys(&states.all).collect();
        locked(&self.tables).retain(|key, _| in_force.contains(key));
    }

    /// Writes a change of the counts as the table of `version`, which may absorb earlier tables. Returns the tables
    /// that are then current, and the versions of those that no longer are.
    pub(super) async fn write_counts(
        &self,
        state: &CollectionState,
        version: u64,
        change: Change,
    ) -> Result<(Vec<(u64, u64)>, Vec<u64>), StoreError> {
        let mut table = table_of(change);
        let mut tables = state.counts.clone();
        let mut gone = Vec::new();
        if table.is_empty() {
            return Ok((tables, gone));
        }
        while let Some(&(last, size)) = tables.last()
            && size <= LARGER * table.len() as u64
        {
            let only = CollectionState { counts: vec![(last, size)], ..state.clone() };
            self.read_tables(&[only]).await?;
            let before = kept(&self.tables, (state.number, last))
                .ok_or_else(|| damaged(self.client.url(), "a table of how many chunks hold each word is missing"))?;
            table = merged(&before, &table);
            tables.pop();
            gone.push(last);
        }
        if !table.is_empty() {
            let points = table.chunks(PART as usize).zip(0..).map(|(part, nth)| {
                let payload = layout::fields([
                    (KIND, COUNTS.into()),
                    (COLLECTION_FIELD, layout::integer(state.number)),
                    (VERSION, layout::integer(version)),
                    (COUNTS, encoded(part).into()),
                ]);
                layout::bare(layout::counts_point(state.number, version, nth), payload)
            });
            for point in points.collect::<Vec<PointStruct>>() {
                self.client.upsert(&self.meta(), vec![point]).await?;
            }
            tables.push((version, table.len() as u64));
            keep(&self.tables, (state.number, version), table);
        }
        Ok((tables, gone))
    }

    /// Deletes the tables of a collection, or those that a condition selects.
    pub(super) async fn delete_counts(&self, number: u64, which: Option<Condition>) -> Result<(), StoreError> {
        let mut filter = Filter::must([is_text(KIND, COUNTS), is_number(COLLECTION_FIELD, number)]);
        filter.must.extend(which);
        self.client.delete(&self.meta(), filter).await
    }
}

fn keys(states: &[CollectionState]) -> impl Iterator<Item = (u64, u64)> + '_ {
    states.iter().flat_map(|state| state.counts.iter().map(|&(version, _)| (state.number, version)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_back_as_it_was() {
        fn check(table: Table) {
            assert_eq!(decoded(&encoded(&table)), Some(table));
        }
        check(Vec::new());
        check(vec![(0, 1)]);
        check(vec![(0, -1), (1, 63), (2, -64), (127, 64), (128, i64::from(u32::MAX)), (u32::MAX, -5_000_000_000)]);
        assert_eq!(decoded("gA=="), None, "a number that does not end");
        assert_eq!(decoded("no base64"), None);
    }

    #[test]
    fn tables_add_up() {
        let words = |indices: &[u32]| SparseVector { indices: indices.to_vec(), values: vec![1.0; indices.len()] };
        let mut change = Change::default();
        change.add(&words(&[1, 5, 9]), 1);
        change.add(&words(&[5, 9]), 1);
        change.add(&words(&[9]), -2);
        let table = table_of(change);
        assert_eq!(table, [(1, 1), (5, 2)], "what comes and goes is left out");
        let sum = merged(&table, &[(0, 3), (5, -2), (7, 1)]);
        assert_eq!(sum, [(0, 3), (1, 1), (7, 1)]);
        assert_eq!([0, 1, 5, 8].map(|entry| count_in(&sum, entry)), [3, 1, 0, 0]);
    }
}
