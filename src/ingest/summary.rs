//! What a load did: to every document, and in numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;

use super::request::{ArchiveRecord, PartialRecord};
use crate::sources::FailedFile;
use crate::sources::web::LeftOut;

/// What became of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there before.
    New,
    /// It replaced an older version.
    Changed,
    /// Its file is as it was, and was cut otherwise than it would be now.
    Reloaded,
    /// Its file has another path; it keeps all that was made from it.
    Moved,
    /// It was removed, because its file is gone or nobody wants it any more.
    Removed,
}

/// A document that a load changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentChange {
    /// What became of it.
    pub change: ChangeKind,
    /// Its collection.
    pub collection: String,
    /// Its path; where it is now.
    pub path: String,
    /// Where it was before it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A place that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedPlace {
    /// As it was asked for.
    pub path: PathBuf,
    /// The collections that its documents are in.
    pub collections: Vec<String>,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadSummary {
    /// The collections that were loaded into, by name.
    pub collections: Vec<String>,
    /// How many files were found, and web pages.
    pub files: u64,
    /// How many of them are web pages.
    #[serde(skip_serializing_if = "is_zero")]
    pub pages: u64,
    /// Documents that were not there before.
    pub new: u64,
    /// Documents that replaced an older version.
    pub changed: u64,
    /// Documents whose files are as they were, loaded again since they would be cut otherwise now.
    pub reloaded: u64,
    /// Documents whose files have another path.
    pub moved: u64,
    /// Files that the store knows as they are.
    pub unchanged: u64,
    /// Documents removed because their files are gone.
    pub removed: u64,
    /// Files left out unread because their names say that they hold no text (pictures, archives of kinds that are not
    /// read, …).
    pub skipped: u64,
    /// Their paths, in the order of the load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// Files without a character but white space, in the order of the load.
    pub empty: Vec<String>,
    /// Files and folders that could not be read, in the order of the load.
    pub failed: Vec<FailedFile>,
    /// What became of each document that is not as it was, in the order of the load.
    pub changes: Vec<DocumentChange>,
    /// Web pages that were met and are not stored, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Whether a crawl was ended by its time; the next one goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
    /// Chunks committed.
    pub chunks: u64,
    /// Bytes of source files whose documents were committed.
    pub bytes: u64,
    /// The places that were asked for and are there, in that order.
    #[serde(skip)]
    pub places: Vec<LoadedPlace>,
    /// Archives whose members are all loaded: what the next load need not open.
    #[serde(skip)]
    pub archives: Vec<ArchiveRecord>,
    /// Documents that were stored in part; they are among the failed, too.
    #[serde(skip)]
    pub partial: Vec<PartialRecord>,
    /// How long it took.
    pub seconds: f64,
    /// Whether it was stopped before the end; what is counted here is kept.
    pub interrupted: bool,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LoadSummary {
    /// Adds what another load did.
    pub fn add(&mut self, other: LoadSummary) {
        self.collections.extend(other.collections);
        self.collections.sort();
        self.collections.dedup();
        self.files += other.files;
        self.pages += other.pages;
        self.new += other.new;
        self.changed += other.changed;
        self.reloaded += other.reloaded;
        self.moved += other.moved;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.skip(other.skipped_files);
        self.empty.extend(other.empty);
        self.failed.extend(other.failed);
        self.changes.extend(other.changes);
        self.leave_out(other.left_out);
        self.places.extend(other.places);
        self.archives.extend(other.archives);
        self.partial.extend(other.partial);
        self.chunks += other.chunks;
        self.bytes += other.bytes;
        self.seconds += other.seconds;
        self.out_of_time |= other.out_of_time;
        self.interrupted |= other.interrupted;
    }

    /// How many documents were stored.
    pub(super) fn stored(&self) -> u64 {
        self.new + self.changed + self.reloaded + self.moved
    }

    /// How many files are known for what became of them. Those that were read in part are stored and failed.
    pub fn looked_at(&self) -> u64 {
        let without_document = (self.empty.len() + self.failed.len()).saturating_sub(self.partial.len());
        self.stored() + self.unchanged + without_document as u64
    }

    /// Counts web pages that are not stored.
    pub(super) fn leave_out(&mut self, pages: BTreeMap<LeftOut, u64>) {
        for (why, count) in pages {
            *self.left_out.entry(why).or_default() += count;
        }
    }

    /// Notes files that were left out unread.
    pub(super) fn skip(&mut self, paths: Vec<String>) {
        self.skipped += paths.len() as u64;
        self.skipped_files.extend(paths);
    }

    /// Names documents that an earlier load could read in part, and that are as they were.
    pub(super) fn name_again<'p>(&mut self, partial: impl Iterator<Item = &'p PartialRecord>) {
        let changed = self.changes.iter().map(|change| change.path.as_str());
        let told: BTreeSet<&str> = changed
            .chain(self.failed.iter().map(|one| one.path.as_str()))
            .chain(self.empty.iter().map(String::as_str))
            .collect();
        let again: Vec<PartialRecord> = partial.filter(|one| !told.contains(one.path.as_str())).cloned().collect();
        self.failed.extend(again.iter().map(|one| FailedFile { path: one.path.clone(), reason: one.reason.clone() }));
        self.partial.extend(again);
    }

    /// Counts what became of some documents, and keeps it.
    pub fn note(&mut self, changes: Vec<DocumentChange>) {
        for change in &changes {
            match change.change {
                ChangeKind::New => self.new += 1,
                ChangeKind::Changed => self.changed += 1,
                ChangeKind::Reloaded => self.reloaded += 1,
                ChangeKind::Moved => self.moved += 1,
                ChangeKind::Removed => self.removed += 1,
            }
        }
        self.changes.extend(changes);
    }
}

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Parsed, and on its way into the store.
    Parsed,
    /// The store has it as it is.
    Unchanged,
    /// There is nothing in it.
    Empty,
    /// It cannot be loaded.
    Failed,
}

/// What happens during a load, as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadEvent {
    /// All files are known.
    Found {
        /// How many.
        files: u64,
        /// How many of them are new or may have changed, and will be read.
        to_read: u64,
        /// How long those are together.
        bytes: u64,
    },
    /// An archive or a site that is being read gave further files.
    MoreFound {
        /// How many.
        files: u64,
    },
    /// One file was looked at; files come in their order.
    File {
        /// Its path.
        path: String,
        /// What became of it.
        outcome: FileOutcome,
        /// Its length in bytes.
        bytes: u64,
    },
    /// Passages were embedded.
    Embedded {
        /// How many.
        passages: u64,
    },
    /// A batch is in the store for good.
    Committed {
        /// Of which collection.
        collection: String,
        /// How many documents.
        documents: u64,
        /// How many chunks.
        chunks: u64,
    },
    /// Something that the user should know; the load goes on.
    Warning {
        /// What, on what, and what follows.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ContentHash;

    #[test]
    fn a_file_that_was_read_in_part_counts_once() {
        let partial = |path: &str| PartialRecord {
            path: path.to_owned(),
            hash: ContentHash::of(path.as_bytes()),
            reason: "page 3".to_owned(),
        };
        let failed = |path: &str| FailedFile { path: path.to_owned(), reason: "page 3".to_owned() };
        let mut summary = LoadSummary {
            new: 1,
            unchanged: 1,
            empty: vec!["/blank".to_owned()],
            failed: vec![failed("/broken"), failed("/part")],
            partial: vec![partial("/part")],
            ..LoadSummary::default()
        };
        assert_eq!(summary.looked_at(), 4, "/part is the new one");
        summary.name_again([partial("/part"), partial("/earlier")].iter());
        assert_eq!(summary.failed.len(), 3);
        assert_eq!(summary.looked_at(), 4, "/earlier is the unchanged one");
    }
}
