//! What the store knows of the files, against what the disk shows.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use super::source::files::{Root, SourceFile};
use crate::base::ContentHash;
use crate::domain::{DateOrigin, DocumentId, DocumentRecord};

/// The stored version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) id: DocumentId,
    pub(super) hash: ContentHash,
    pub(super) modified_ns: i64,
    /// Whether the file's time is all that dates it, so that another time means another date.
    pub(super) dated_by_file: bool,
}

impl Known {
    fn of(record: &DocumentRecord) -> Self {
        Known {
            id: record.id,
            hash: record.hash,
            modified_ns: record.modified_ns,
            dated_by_file: record.date.is_none_or(|date| date.origin == DateOrigin::FileTime),
        }
    }
}

/// What one stat tells of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing is stored under its path.
    New,
    /// Size and time are as stored: it is taken as unchanged without being read.
    None,
    /// It must be read; the same hash would still mean unchanged.
    Perhaps(Known),
}

/// The documents of one collection by path.
#[derive(Default)]
pub(super) struct Manifest(BTreeMap<String, DocumentRecord>);

impl Manifest {
    pub(super) fn new(records: Vec<DocumentRecord>) -> Self {
        Manifest(records.into_iter().map(|record| (record.path.clone(), record)).collect())
    }

    /// Compares by size and modification time. A file without a time is always read.
    pub(super) fn compare(&self, file: &SourceFile) -> Change {
        match self.0.get(&file.path) {
            None => Change::New,
            Some(record)
                if record.modified_ns != 0 && record.modified_ns == file.modified_ns && record.bytes == file.size =>
            {
                Change::None
            }
            Some(record) => Change::Perhaps(Known::of(record)),
        }
    }

    /// What is stored under a path.
    pub(super) fn known(&self, path: &str) -> Option<Known> {
        self.0.get(path).map(Known::of)
    }

    /// The stored documents of some paths.
    pub(super) fn records(&self, paths: &[String]) -> Vec<DocumentRecord> {
        paths.iter().filter_map(|path| self.0.get(path)).cloned().collect()
    }

    /// The stored paths that begin with `start`, sorted.
    pub(super) fn below(&self, start: &str) -> Vec<String> {
        let from = self.0.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        from.map(|(path, _)| path).take_while(|path| path.starts_with(start)).cloned().collect()
    }

    /// The stored paths that `roots` would hold and, by `present`, do not; sorted. `belongs` tells whether such a
    /// path would go to this collection at all.
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
