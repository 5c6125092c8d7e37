use std::collections::BTreeMap;
use std::sync::Arc;

use super::archives::is_member_of_any;
use super::manifest::Manifest;
use super::request::PartialRecord;
use crate::domain::CollectionSpec;
use crate::embed::Embedder;
use crate::sources::files::SourceFile;

/// A collection that documents are loaded into.
pub(super) struct Target {
    pub(super) name: String,
    /// The files that should be in it, by path; empty for a crawl, which finds its pages as it goes.
    pub(super) files: Files,
    /// What it held when the load began.
    pub(super) manifest: Manifest,
    /// How to create it when its first document comes; `None` if it exists.
    pub(super) create: Option<CollectionSpec>,
    /// `None`: it is searched only by words.
    pub(super) embedder: Option<Arc<dyn Embedder>>,
}

impl Target {
    /// Whether the collection still has the version of a document that was read in part, and its file still exists.
    pub(super) fn holds(&self, partial: &PartialRecord) -> bool {
        let path = partial.path.as_str();
        let is_file = |path: &str| self.files.contains_key(path);
        self.manifest.known(path).is_some_and(|known| known.hash == partial.hash)
            && (is_file(path) || is_member_of_any(path, is_file))
    }
}

/// Files by path.
pub(super) type Files = BTreeMap<String, SourceFile>;
