//! The documents that a report is checked against, found by their paths.

use std::collections::BTreeMap;

use crate::domain::DocumentDate;
use crate::report::shown_date;

/// A document without its text.
#[derive(Clone, Debug)]
pub struct LibraryDocument {
    /// Its path or URL.
    pub path: String,
    /// The collection's name; empty for a file outside of collections.
    pub collection: String,
    /// Its title.
    pub title: String,
    /// Its date.
    pub date: Option<DocumentDate>,
}

/// All documents, indexed by file name.
#[derive(Debug)]
pub struct Library {
    documents: Vec<LibraryDocument>,
    by_name: BTreeMap<String, Vec<usize>>,
}

impl Library {
    /// A library of these documents. The caller keeps their order, as documents are identified by their index in it.
    pub fn new(documents: Vec<LibraryDocument>) -> Self {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, document) in documents.iter().enumerate() {
            by_name.entry(name(&document.path).to_owned()).or_default().push(index);
        }
        Library { documents, by_name }
    }

    /// All documents.
    pub fn documents(&self) -> &[LibraryDocument] {
        &self.documents
    }

    /// The documents that a path of a report may mean: of those with the same file name, the ones whose folders agree
    /// most from the end.
    pub(super) fn meant(&self, path: &str, collection: &str) -> Vec<usize> {
        let Some(same_name) = self.by_name.get(name(path)) else { return Vec::new() };
        let agreeing = |index: usize| {
            let other = &self.documents[index];
            (common_end(&other.path, path), other.collection == collection)
        };
        let best = same_name.iter().map(|&index| agreeing(index)).max();
        let mut meant: Vec<usize> = same_name.iter().copied().filter(|&index| Some(agreeing(index)) == best).collect();
        // A document that shares only a common name, such as `README.md`, is a different one.
        let parts = parts(path).count();
        if meant.len() > 1 && best.is_some_and(|(common, _)| common < parts.min(2)) {
            meant.clear();
        }
        meant
    }

    /// A document's date in the form shown to people.
    pub(super) fn day(&self, index: usize) -> String {
        self.documents.get(index).and_then(|document| shown_date(document.date)).unwrap_or_default()
    }
}

fn parts(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".")
}

fn name(path: &str) -> &str {
    parts(path).next_back().unwrap_or(path)
}

fn common_end(one: &str, other: &str) -> usize {
    parts(one).rev().zip(parts(other).rev()).take_while(|(a, b)| a == b).count()
}
