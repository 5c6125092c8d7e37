//! What a load did: to every document, and in numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;

use super::request::{ArchiveRecord, PartialRecord};
use crate::sources::FailedFile;
use crate::sources::web::LeftOut;

/// What happened to a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there before.
    New,
    /// It replaced an older version.
    Changed,
    /// Its file is unchanged, but would now be cut into chunks differently.
    Reloaded,
    /// Its file has another path; everything that was made from it is kept.
    Moved,
    /// It was removed, because its file is gone or no source wants it any more.
    Removed,
}

/// A document that a load changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DocumentChange {
    /// What happened to it.
    pub change: ChangeKind,
    /// Its collection.
    pub collection: String,
    /// Its path; the new one, if it was moved.
    pub path: String,
    /// Its path before it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A place that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedPlace {
    /// The path as it was asked for.
    pub path: PathBuf,
    /// The collections that its documents are in.
    pub collections: Vec<String>,
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoadSummary {
    /// The names of the collections that were loaded into, sorted.
    pub collections: Vec<String>,
    /// The number of files and web pages found.
    pub files: u64,
    /// The number of web pages among them.
    #[serde(skip_serializing_if = "is_zero")]
    pub pages: u64,
    /// The number of documents that were not there before.
    pub new: u64,
    /// The number of documents that replaced an older version.
    pub changed: u64,
    /// The number of documents loaded again, from unchanged files, because they would now be cut differently.
    pub reloaded: u64,
    /// The number of documents whose files have another path.
    pub moved: u64,
    /// The number of files that are unchanged since they were stored.
    pub unchanged: u64,
    /// The number of documents removed because their files are gone.
    pub removed: u64,
    /// The number of documents whose files are gone and that stay, since the load was not asked to prune.
    pub gone: u64,
    /// The number of files skipped unread because their names say that they hold no text (pictures, archives of kinds
    /// that are not read, …).
    pub skipped: u64,
    /// The paths of the skipped files, in the order of the load.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// Files that hold nothing but white space, in the order of the load.
    pub empty: Vec<String>,
    /// Files and folders that could not be read, in the order of the load.
    pub failed: Vec<FailedFile>,
    /// What happened to each document that changed, in the order of the load.
    pub changes: Vec<DocumentChange>,
    /// The number of web pages found but not stored, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Whether a crawl was ended by its time limit; the next one continues it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub out_of_time: bool,
    /// The number of chunks committed.
    pub chunks: u64,
    /// The bytes of source files whose documents were committed.
    pub bytes: u64,
    /// The places that were asked for and exist, in the order asked.
    #[serde(skip)]
    pub places: Vec<LoadedPlace>,
    /// Archives whose members are all loaded, so that the next load need not open them.
    #[serde(skip)]
    pub archives: Vec<ArchiveRecord>,
    /// Documents that were stored in part; they are listed in `failed`, too.
    #[serde(skip)]
    pub partial: Vec<PartialRecord>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether it was stopped before the end; whatever is counted here is stored.
    pub interrupted: bool,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl LoadSummary {
    /// Adds the summary of another load.
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

    /// The number of documents that were stored.
    pub(super) fn stored(&self) -> u64 {
        self.new + self.changed + self.reloaded + self.moved
    }

    /// The number of files whose outcome is known. Those read in part are both stored and failed, but count once.
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

    /// Records files that were skipped unread.
    pub(super) fn skip(&mut self, paths: Vec<String>) {
        self.skipped += paths.len() as u64;
        self.skipped_files.extend(paths);
    }

    /// Reports again the documents that an earlier load could read only in part and that are unchanged.
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

    /// Records changes of documents, and counts them.
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

/// What happened to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Parsed, and on its way into the store.
    Parsed,
    /// The store already has it unchanged.
    Unchanged,
    /// It has no content.
    Empty,
    /// It cannot be loaded.
    Failed,
}

/// An event during a load, reported as it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadEvent {
    /// All files are known.
    Found {
        /// How many.
        files: u64,
        /// How many of them are new or may have changed, and will be read.
        to_read: u64,
        /// Their length in bytes, all together.
        bytes: u64,
    },
    /// An archive or site that is being read gave more files.
    MoreFound {
        /// How many.
        files: u64,
    },
    /// One file was handled; events come in the order of the files.
    File {
        /// Its path.
        path: String,
        /// What happened to it.
        outcome: FileOutcome,
        /// Its length in bytes.
        bytes: u64,
    },
    /// Passages were embedded.
    Embedded {
        /// How many.
        passages: u64,
    },
    /// A batch was committed to the store.
    Committed {
        /// The collection that it went to.
        collection: String,
        /// How many documents.
        documents: u64,
        /// How many chunks.
        chunks: u64,
    },
    /// Something that the user should know; the load goes on.
    Warning {
        /// What is wrong, where, and what follows from it.
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
