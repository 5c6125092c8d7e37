//! Updates the files of vectors from the catalog: new rows become new files, and files that are small or mostly dead
//! are merged. Only the one writer does this.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use super::manifest::{self, CollectionEntry, Manifest};
use super::segment::{Segment, SegmentBuilder, merge};
use super::{damaged, folder_in, io_error};
use crate::base::create_private_folder;
use crate::domain::{ChunkId, DocumentId};
use crate::store::StoreError;
use crate::store::embedded::catalog::{CatalogReader, Change};
use crate::store::embedded::session::sound;

/// The bytes of new segments' values that are held in memory; beyond it, segments are written and new ones begun.
const BYTES_IN_MEMORY: usize = 32 << 20;

/// If a collection has more segments than this, all are merged into one.
const MOST_SEGMENTS: usize = 8;

/// A collection's segments are rewritten when more than one in this many of its rows is dead.
const DEAD_PART: usize = 4;

/// Updates the vectors to the catalog's change `seq`, from the catalog alone. Damaged files are rebuilt.
pub(in crate::store::embedded) fn update(data: &Path, catalog: &CatalogReader, seq: u64) -> Result<(), StoreError> {
    let folder = folder_in(data);
    let known = match manifest::read_bytes(data)? {
        Some(bytes) => match Manifest::parse(data, &bytes) {
            Ok(manifest) => Some(manifest),
            Err(error) => {
                tracing::warn!(%error, "the vectors are damaged and are made anew");
                None
            }
        },
        None => None,
    };
    if known.as_ref().is_some_and(|known| known.seq == seq && openable(data, known)) {
        return Ok(());
    }
    create_private_folder(&folder).map_err(|error| io_error(data, "cannot make", &folder, error))?;
    let mut next = None;
    if let Some(known) = known
        && let Some(changes) = catalog.changes_after(known.seq)?
    {
        match apply(data, catalog, known, &changes, seq) {
            Ok(manifest) => next = Some(manifest),
            Err(error @ (StoreError::Damaged { .. } | StoreError::Io { .. })) => {
                tracing::warn!(%error, "the vectors are damaged and are made anew");
            }
            Err(error) => return Err(error),
        }
    }
    let manifest = match next {
        Some(manifest) => manifest,
        None => {
            let all: Vec<Change> = catalog.document_ids()?.into_iter().map(Change::Added).collect();
            apply(data, catalog, Manifest::new(0, Vec::new()), &all, seq)?
        }
    };
    manifest.write(data)?;
    remove_others(data, &manifest)
}

fn openable(data: &Path, manifest: &Manifest) -> bool {
    let mut names = manifest.collections.iter().flat_map(|entry| &entry.segments);
    names.all(|name| Segment::open(data, name).is_ok())
}

fn apply(
    data: &Path,
    catalog: &CatalogReader,
    known: Manifest,
    changes: &[Change],
    seq: u64,
) -> Result<Manifest, StoreError> {
    let mut entries: BTreeMap<u64, CollectionEntry> =
        known.collections.into_iter().map(|entry| (entry.id, entry)).collect();
    let mut added = BTreeSet::new();
    let mut removed = BTreeSet::new();
    for change in changes {
        match *change {
            Change::Added(document) => drop(added.insert(document)),
            Change::Renamed(_) => {}
            Change::Removed(document) => {
                if !added.remove(&document) {
                    removed.insert(document);
                }
            }
            Change::Dropped(collection) => drop(entries.remove(&collection)),
            Change::Reembedded(collection) => {
                entries.remove(&collection);
                added.extend(catalog.sizes(collection)?.into_iter().map(|(document, _)| document.0));
            }
        }
    }
    let mut writer = NewSegments { data, seq, made: 0, open: BTreeMap::new() };
    for document in added {
        // A document that was removed after the log was read, or with its collection, is not found and is skipped.
        if let Some((collection, vectors)) = sound(catalog.vectors(document))? {
            let id = DocumentId(document);
            for (ordinal, scale, values) in vectors {
                let chunk = ChunkId { document: id, ordinal }.pack();
                writer.push(&mut entries, collection, chunk, scale, &values)?;
            }
        }
    }
    writer.finish(&mut entries)?;
    for entry in entries.values_mut() {
        tidy(data, entry, &removed, &mut writer)?;
    }
    entries.retain(|_, entry| !entry.segments.is_empty());
    Ok(Manifest::new(seq, entries.into_values().collect()))
}

/// Writes rows as they arrive, with one open segment per collection.
struct NewSegments<'a> {
    data: &'a Path,
    seq: u64,
    made: usize,
    open: BTreeMap<u64, SegmentBuilder>,
}

impl NewSegments<'_> {
    /// Returns a name that no existing file has. The numbers of changes increase with every flush that writes; a
    /// rebuild at the same change uses the next free number.
    fn name(&mut self, collection: u64) -> String {
        self.made += 1;
        loop {
            let name = format!("{collection}-{}-{}.vec", self.seq, self.made);
            if !folder_in(self.data).join(&name).exists() {
                return name;
            }
            self.made += 1;
        }
    }

    fn push(
        &mut self,
        entries: &mut BTreeMap<u64, CollectionEntry>,
        collection: u64,
        chunk: u64,
        scale: f32,
        values: &[u8],
    ) -> Result<(), StoreError> {
        let builder = self.open.entry(collection).or_insert_with(|| SegmentBuilder::new(values.len()));
        if builder.dimension() != values.len() {
            return Err(damaged(self.data, "vectors of one collection differ in dimension"));
        }
        builder.push(chunk, scale, values);
        if self.open.values().map(SegmentBuilder::bytes).sum::<usize>() > BYTES_IN_MEMORY {
            self.finish(entries)?;
        }
        Ok(())
    }

    fn finish(&mut self, entries: &mut BTreeMap<u64, CollectionEntry>) -> Result<(), StoreError> {
        for (collection, builder) in std::mem::take(&mut self.open) {
            if builder.len() > 0 {
                let name = self.name(collection);
                builder.write(self.data, &name)?;
                let entry = entries
                    .entry(collection)
                    .or_insert_with(|| CollectionEntry { id: collection, ..CollectionEntry::default() });
                entry.segments.push(name);
            }
        }
        Ok(())
    }
}

/// Records the removed documents, and merges segments if they are small, many, or mostly dead.
fn tidy(
    data: &Path,
    entry: &mut CollectionEntry,
    removed: &BTreeSet<u64>,
    writer: &mut NewSegments<'_>,
) -> Result<(), StoreError> {
    let segments: Vec<Segment> =
        entry.segments.iter().map(|name| Segment::open(data, name)).collect::<Result<_, _>>()?;
    let here = |document: &u64| segments.iter().any(|segment| segment.rows_of(*document).is_some());
    let mut dead: BTreeSet<u64> = entry.dead.iter().copied().collect();
    dead.extend(removed.iter().copied().filter(here));
    let dead: Vec<u64> = dead.into_iter().collect();

    let alive: Vec<_> = segments.iter().map(|segment| segment.rows_without(0..segment.len(), &dead)).collect();
    let living: Vec<usize> = alive.iter().map(|rows| rows.iter().map(ExactSizeIterator::len).sum()).collect();
    let lengths: Vec<usize> = segments.iter().map(Segment::len).collect();
    let all: usize = lengths.iter().sum();
    let mostly_gone = (all - living.iter().sum::<usize>()) * DEAD_PART > all;
    let first = if mostly_gone { 0 } else { first_to_merge(&lengths) };
    if !mostly_gone && first + 1 >= segments.len() {
        entry.dead = dead;
        return Ok(());
    }
    let (kept, merged) = segments.split_at(first);
    entry.segments.truncate(first);
    if living[first..].iter().sum::<usize>() > 0 {
        let name = writer.name(entry.id);
        let parts: Vec<_> = merged.iter().zip(alive.into_iter().skip(first)).collect();
        merge(data, &name, &parts)?;
        entry.segments.push(name);
    }
    entry.dead =
        dead.into_iter().filter(|document| kept.iter().any(|segment| segment.rows_of(*document).is_some())).collect();
    Ok(())
}

/// Returns the first segment from which on all are merged into one. A segment less than twice as long as all after it
/// joins them, so that lengths at least halve and each row is rewritten a logarithmic number of times.
fn first_to_merge(lengths: &[usize]) -> usize {
    if lengths.len() > MOST_SEGMENTS {
        return 0;
    }
    let mut first = lengths.len().saturating_sub(1);
    let mut after = lengths.last().copied().unwrap_or(0);
    while first > 0 && lengths[first - 1] < after * 2 {
        first -= 1;
        after += lengths[first];
    }
    first
}

/// Deletes files that the manifest does not name: merged ones, and those that a killed process left.
fn remove_others(data: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let folder = folder_in(data);
    let named: HashSet<&str> =
        manifest.collections.iter().flat_map(|entry| &entry.segments).map(String::as_str).collect();
    let fail = |error| io_error(data, "cannot tidy", &folder, error);
    for entry in std::fs::read_dir(&folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ours = name.ends_with(".vec") || name.ends_with(".tmp");
        if ours && !named.contains(name) {
            std::fs::remove_file(&path).map_err(fail)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_neighbours_of_like_size_are_merged() {
        fn check(lengths: &[usize], first: usize) {
            assert_eq!(first_to_merge(lengths), first, "{lengths:?}");
        }
        check(&[], 0);
        check(&[5], 0);
        check(&[1000, 10], 1);
        check(&[1000, 10, 10], 1);
        check(&[1000, 510, 10, 10], 2);
        check(&[15, 10], 0);
        check(&[1 << 20, 1 << 18, 1 << 16, 1 << 14, 1 << 12, 1 << 10, 1 << 8, 1 << 6, 1 << 4], 0);
    }
}
