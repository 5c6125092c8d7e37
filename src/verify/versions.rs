//! Finds documents that have replaced cited ones and say otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::library::Library;
use super::near::Words;
use super::plain::plain;
use crate::base::text::sentences;
use crate::report::facts::differ_in_facts;
use crate::report::{Edition, edition_words, is_newer_version, repeals_by_name};

/// From this number on, documents whose titles have the same words are a series, not versions of one document.
const SERIES: usize = 12;
/// The least share of sentences that two versions of one document have in common.
const SHARED: f64 = 0.25;
/// The least similarity to the cited sentence at which a sentence of the newer version is about the same thing.
const SAME_STATEMENT: f64 = 0.7;

/// The documents that may be newer versions of cited ones.
pub(super) struct Newer {
    by_older: BTreeMap<usize, Vec<usize>>,
}

/// A newer document that says otherwise.
pub(super) struct Superseding {
    pub document: usize,
    /// Why it counts as newer.
    pub why: String,
    /// What it says and where, if known.
    pub words: Option<(Range<usize>, String)>,
}

impl Newer {
    /// Finds candidates by their titles alone.
    pub fn of(library: &Library, cited: &BTreeSet<usize>) -> Self {
        let mut by_title: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (index, document) in library.documents().iter().enumerate() {
            let words: Vec<String> = edition_words(&document.title).into_iter().collect();
            if !words.is_empty() {
                by_title.entry(words).or_default().push(index);
            }
        }
        let mut by_older = BTreeMap::new();
        for group in by_title.into_values().filter(|group| group.len() > 1 && group.len() < SERIES) {
            for older in group.iter().copied().filter(|index| cited.contains(index)) {
                by_older.insert(older, group.iter().copied().filter(|index| *index != older).collect());
            }
        }
        Newer { by_older }
    }

    /// All possible newer versions.
    pub fn candidates(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_older.values().flatten().copied()
    }

    /// A newer, uncited document that says something else in the place of a range of a cited one.
    pub fn otherwise(
        &self,
        library: &Library,
        older: usize,
        bytes: [usize; 2],
        texts: &BTreeMap<usize, String>,
        cited: &BTreeSet<usize>,
    ) -> Option<Superseding> {
        let old_text = texts.get(&older)?;
        let quote = old_text.get(bytes[0]..bytes[1])?;
        let day = |index: usize| library.day(index);
        let (old_document, old_day) = (&library.documents()[older], day(older));
        let old = Edition { title: &old_document.title, path: &old_document.path, date: &old_day, text: old_text };
        for &newer in self.by_older.get(&older)?.iter().filter(|newer| !cited.contains(newer)) {
            let Some(text) = texts.get(&newer) else { continue };
            let (document, date) = (&library.documents()[newer], day(newer));
            let new = Edition { title: &document.title, path: &document.path, date: &date, text };
            let repeals = repeals_by_name(&new, &old);
            if !(repeals || is_newer_version(&new, &old) && is_mostly_same(old_text, text)) {
                continue;
            }
            if plain(text).contains(&plain(quote)) {
                continue;
            }
            let near = Words::of(text).nearest(quote, 0..text.len()).filter(|near| near.share >= SAME_STATEMENT);
            let words = near.and_then(|near| Some((near.bytes.clone(), text.get(near.bytes)?.to_owned())));
            let says_otherwise = words.as_ref().is_some_and(|(_, words)| differ_in_facts(quote, words));
            if repeals || says_otherwise {
                let why = if repeals {
                    "says that it takes the place of this document"
                } else {
                    "is a newer version and says otherwise"
                };
                return Some(Superseding { document: newer, why: why.to_owned(), words });
            }
        }
        None
    }
}

fn is_mostly_same(old: &str, new: &str) -> bool {
    let whole = plain(new);
    let all: Vec<String> = sentences(old).map(|range| plain(&old[range])).collect();
    let shared = all.iter().filter(|sentence| whole.contains(sentence.as_str())).count();
    all.len() <= 2 || shared as f64 >= SHARED * all.len() as f64
}
