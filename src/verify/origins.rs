//! Finds cited documents of one origin, and the sentences that a report would lose without some documents.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::judge::CheckedSentence;
use super::place::CheckedCitation;
use crate::base::text::Language;
use crate::domain::DocumentFilter;
use crate::report::origins;

/// The sentences that would be lost without some documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WithoutDocuments {
    /// The pattern of their paths, as given.
    pub path: String,
    /// The number of documents checked against that have such a path.
    pub documents: usize,
    /// The citations of these documents.
    pub citations: Vec<usize>,
    /// Sentences that cite nothing else.
    pub lost: Vec<LostSentence>,
    /// Sentences whose other citations are only copies of these documents.
    pub copies_only: Vec<LostSentence>,
}

/// A sentence that would be lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LostSentence {
    /// The line of the report on which it begins, from 1.
    pub line: usize,
    /// Its words, without citations.
    pub text: String,
}

/// For each citation, the number of the first one whose document has the same origin. `places` are their documents, and
/// `texts` has the words of these.
pub(super) fn first_of_origin(
    citations: &[CheckedCitation],
    places: &[Option<usize>],
    texts: &BTreeMap<usize, String>,
) -> BTreeMap<usize, usize> {
    let cited: BTreeSet<usize> = places.iter().flatten().copied().filter(|place| texts.contains_key(place)).collect();
    let cited: Vec<usize> = cited.into_iter().collect();
    let firsts = origins(cited.iter().filter_map(|place| texts.get(place)).map(String::as_str));
    let origin: BTreeMap<usize, usize> =
        cited.iter().zip(firsts).map(|(place, first)| (*place, cited[first])).collect();
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for (citation, place) in citations.iter().zip(places) {
        let of = match place.and_then(|place| origin.get(&place)) {
            Some(origin) => *first.entry(*origin).or_insert(citation.number),
            None => citation.number,
        };
        found.insert(citation.number, of);
    }
    found
}

/// The sentences that would be lost without the documents that `filter` admits, by their paths; `documents` are the
/// paths of all documents.
pub(super) fn without<'d>(
    path: &str,
    filter: &DocumentFilter,
    documents: impl Iterator<Item = &'d str>,
    citations: &[CheckedCitation],
    sentences: &[CheckedSentence],
    first: &BTreeMap<usize, usize>,
) -> WithoutDocuments {
    let leads = |path: &str| filter.admits(path, Language::UNKNOWN, None);
    let gone: BTreeSet<usize> = citations
        .iter()
        .filter(|one| leads(&one.path) || one.document.as_deref().is_some_and(leads))
        .map(|one| one.number)
        .collect();
    let origin = |number: &usize| first.get(number).copied();
    let gone_origins: BTreeSet<usize> = gone.iter().filter_map(origin).collect();
    let (mut lost, mut copies_only) = (Vec::new(), Vec::new());
    for sentence in sentences.iter().filter(|one| one.citations.iter().any(|number| gone.contains(number))) {
        let one = || LostSentence { line: sentence.line, text: sentence.text.clone() };
        let mut left = sentence.citations.iter().filter(|number| !gone.contains(number)).peekable();
        if left.peek().is_none() {
            lost.push(one());
        } else if left.all(|number| origin(number).is_some_and(|origin| gone_origins.contains(&origin))) {
            copies_only.push(one());
        }
    }
    let documents = documents.filter(|path| leads(path)).count();
    WithoutDocuments { path: path.to_owned(), documents, citations: gone.into_iter().collect(), lost, copies_only }
}
