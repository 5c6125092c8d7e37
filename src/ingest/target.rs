use std::collections::BTreeMap;
use std::sync::Arc;

use super::manifest::Manifest;
use crate::domain::CollectionSpec;
use crate::embed::Embedder;
use crate::sources::files::SourceFile;

/// A collection that documents go to.
pub(super) struct Target {
    pub(super) name: String,
    /// The files that are to be in it, by path; none for a crawl, which finds its pages as it goes.
    pub(super) files: Files,
    /// What it held when the load began.
    pub(super) manifest: Manifest,
    /// How to make it when its first document comes; `None` where it exists.
    pub(super) create: Option<CollectionSpec>,
    /// `None`: lexical only.
    pub(super) embedder: Option<Arc<dyn Embedder>>,
}

/// Files by path.
pub(super) type Files = BTreeMap<String, SourceFile>;
