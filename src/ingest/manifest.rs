//! Compares what the store knows of the files with what the disk shows.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use super::fingerprint::is_outdated;
use super::libraries::Libraries;
use super::request::LoadOptions;
use crate::base::ContentHash;
use crate::domain::{DateOrigin, DocumentId, DocumentRecord};
use crate::sources::files::{Root, SourceFile};

/// The stored version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredFile {
    pub(super) id: DocumentId,
    pub(super) hash: ContentHash,
    pub(super) modified_ns: i64,
    /// Whether the file's time is its only date, so that a new time means a new date.
    pub(super) dated_by_file: bool,
    /// Whether it would be stored differently now: then the same hash does not mean unchanged.
    pub(super) is_outdated: bool,
}

impl StoredFile {
    fn of((record, is_outdated): &(DocumentRecord, bool)) -> Self {
        StoredFile {
            id: record.id,
            hash: record.hash,
            modified_ns: record.modified_ns,
            dated_by_file: record.date.is_none_or(|date| date.origin == DateOrigin::FileTime),
            is_outdated: *is_outdated,
        }
    }

    /// Whether a load of bytes with this hash would store exactly what is stored.
    pub(super) fn is_as_loaded(&self, hash: ContentHash) -> bool {
        self.hash == hash && !self.is_outdated
    }
}

/// What one stat shows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing is stored under its path.
    New,
    /// Size and time are as stored: it counts as unchanged without being read.
    None,
    /// It must be read; the same hash would still mean unchanged.
    Perhaps(StoredFile),
}

/// The documents of one collection by path, each with whether it would be stored differently now.
#[derive(Default)]
pub(super) struct Manifest(BTreeMap<String, (DocumentRecord, bool)>);

impl Manifest {
    pub(super) fn new(records: Vec<DocumentRecord>, options: &LoadOptions, libraries: &Libraries) -> Self {
        let entry = |record: DocumentRecord| {
            let is_outdated = is_outdated(&record, options, libraries);
            (record.path.clone(), (record, is_outdated))
        };
        Manifest(records.into_iter().map(entry).collect())
    }

    /// Compares by size and modification time. A file without a time is always read, as is one that would be stored
    /// differently now.
    pub(super) fn compare(&self, file: &SourceFile) -> Change {
        match self.0.get(&file.path) {
            None => Change::New,
            Some((record, false))
                if record.modified_ns != 0 && record.modified_ns == file.modified_ns && record.bytes == file.size =>
            {
                Change::None
            }
            Some(stored) => Change::Perhaps(StoredFile::of(stored)),
        }
    }

    /// The stored version of a path.
    pub(super) fn known(&self, path: &str) -> Option<StoredFile> {
        self.0.get(path).map(StoredFile::of)
    }

    /// The stored documents of some paths, except those that would be stored differently now.
    pub(super) fn current(&self, paths: &[String]) -> Vec<DocumentRecord> {
        let current = |path: &String| self.0.get(path).filter(|(_, is_outdated)| !is_outdated);
        paths.iter().filter_map(current).map(|(record, _)| record.clone()).collect()
    }

    /// Whether a document whose path begins with `start` would be stored differently now.
    pub(super) fn is_outdated_below(&self, start: &str) -> bool {
        self.beginning_with(start).any(|(_, (_, is_outdated))| *is_outdated)
    }

    /// The stored paths that begin with `start`, sorted.
    pub(super) fn below(&self, start: &str) -> Vec<String> {
        self.beginning_with(start).map(|(path, _)| path.clone()).collect()
    }

    fn beginning_with(&self, start: &str) -> impl Iterator<Item = (&String, &(DocumentRecord, bool))> {
        let from = self.0.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        from.take_while(move |(path, _)| path.starts_with(start))
    }

    /// The stored paths that `roots` cover and that, by `present`, no longer exist; sorted. `belongs` tells whether
    /// such a path would go into this collection at all.
    pub(super) fn vanished(
        &self,
        roots: &[Root],
        present: impl Fn(&str) -> bool,
        belongs: impl Fn(&Root, &Path) -> bool,
    ) -> Vec<String> {
        let gone = |path: &str| {
            let place = Path::new(path);
            !present(path) && roots.iter().any(|root| root.covers(place) && belongs(root, place))
        };
        self.0.keys().filter(|path| gone(path)).cloned().collect()
    }
}
