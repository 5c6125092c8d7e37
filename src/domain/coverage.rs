use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::SubQuery;

/// A document, named by its collection and its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentName {
    /// The collection's name.
    pub collection: String,
    /// Its path or URL.
    pub path: String,
}

/// Something that was asked and that nothing in the text answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotFound {
    /// The search that was made for it.
    pub searched: SubQuery,
    /// The number of passages that this search found; the text cites none of them.
    pub found: usize,
}

/// What became of every document that a run could have found, according to what was asked and answered during the run
/// and to the citations in its text. Each document is in one list, the first that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// Documents that the text cites.
    pub cited: Vec<DocumentName>,
    /// Documents of which a model was given a whole passage, and which the text does not cite.
    pub read: Vec<DocumentName>,
    /// Documents of which a search found passages that no model was given.
    pub matched: Vec<DocumentName>,
    /// Documents that no search found.
    pub unmatched: Vec<DocumentName>,
    /// The number of further documents that no search found, if there are too many to name them.
    pub unlisted: u64,
    /// What the loads of these collections could not read, each with the reason.
    pub unreadable: Vec<String>,
    /// Questions that are not answered.
    #[serde(skip_deserializing)]
    pub not_found: Vec<NotFound>,
}

impl Coverage {
    /// The number of documents that no search found.
    pub fn without_match(&self) -> u64 {
        self.unmatched.len() as u64 + self.unlisted
    }

    /// Merges the coverage of two runs of one report over the same documents.
    pub fn with(mut self, other: Coverage) -> Self {
        let all = |one: &Coverage| one.cited.len() + one.read.len() + one.matched.len();
        let known = all(&self) as u64 + self.without_match();
        let read = [&mut self.cited, &mut self.read].into_iter().flat_map(std::mem::take).chain(other.cited);
        let read: BTreeSet<DocumentName> = read.chain(other.read).collect();
        let mut matched: BTreeSet<DocumentName> = self.matched.into_iter().chain(other.matched).collect();
        matched.retain(|document| !read.contains(document));
        self.unlisted = known.saturating_sub((read.len() + matched.len()) as u64);
        self.unmatched = Vec::new();
        (self.read, self.matched) = (read.into_iter().collect(), matched.into_iter().collect());
        self
    }

    /// The same coverage after a document has got another name.
    pub fn renamed(mut self, from: &DocumentName, to: &DocumentName) -> Self {
        for list in [&mut self.cited, &mut self.read, &mut self.matched, &mut self.unmatched] {
            list.iter_mut().filter(|document| *document == from).for_each(|document| document.clone_from(to));
        }
        self
    }

    /// The same coverage with other citations; a document that the text no longer cites counts as read.
    pub fn recounted(mut self, cited: &[DocumentName]) -> Self {
        let cited: BTreeSet<DocumentName> = cited.iter().cloned().collect();
        let before = std::mem::take(&mut self.cited);
        let known = [&before, &self.read, &self.matched, &self.unmatched].into_iter().flatten();
        let known: BTreeSet<DocumentName> = known.cloned().collect();
        self.read.extend(before);
        for list in [&mut self.read, &mut self.matched, &mut self.unmatched] {
            list.retain(|document| !cited.contains(document));
            list.sort();
        }
        let unknown = cited.iter().filter(|document| !known.contains(document)).count() as u64;
        self.unlisted = self.unlisted.saturating_sub(unknown);
        self.cited = cited.into_iter().collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str]) -> Vec<DocumentName> {
        paths.iter().map(|path| DocumentName { collection: "c".to_owned(), path: (*path).to_owned() }).collect()
    }

    #[test]
    fn what_is_cited_no_more_was_read_all_the_same() {
        let coverage = Coverage {
            cited: named(&["a", "b"]),
            read: named(&["c"]),
            matched: named(&["d"]),
            unlisted: 3,
            ..Coverage::default()
        };
        let recounted = coverage.recounted(&named(&["d", "b", "new", "b"]));
        assert_eq!(recounted.cited, named(&["b", "d", "new"]));
        assert_eq!((recounted.read, recounted.matched), (named(&["a", "c"]), named(&[])));
        assert_eq!(recounted.unlisted, 2);
    }

    #[test]
    fn a_renamed_document_is_the_same_one() {
        let coverage = Coverage { cited: named(&["old", "b"]), unlisted: 3, ..Coverage::default() };
        let [old, new] = ["old", "new"].map(|path| named(&[path]).remove(0));
        let moved = coverage.renamed(&old, &new).recounted(&named(&["new", "b"]));
        assert_eq!((moved.cited, moved.read, moved.unlisted), (named(&["b", "new"]), named(&[]), 3));
    }

    #[test]
    fn two_runs_saw_what_either_saw() {
        let one = Coverage { cited: named(&["a"]), matched: named(&["b", "c"]), unlisted: 5, ..Coverage::default() };
        let other = Coverage { cited: named(&["b"]), matched: named(&["d"]), unlisted: 6, ..Coverage::default() };
        let both = one.with(other);
        assert_eq!(
            (both.cited.as_slice(), &both.read, &both.matched),
            (&[] as &[_], &named(&["a", "b"]), &named(&["c", "d"]))
        );
        assert_eq!(both.without_match(), 4);
    }
}
