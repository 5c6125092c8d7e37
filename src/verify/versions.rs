//! Finds documents that have replaced cited ones and say otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::library::Library;
use super::near::Words;
use super::plain::plain;
use crate::base::text::{place_of, sentences};
use crate::report::facts::differ_in_facts;
use crate::report::{
    Edition, amends, clauses, clauses_at, deletes, edition_words, is_amendment_of, is_newer_version, repealing,
    stated_changes,
};

/// From this number on, documents whose titles have the same words are a series, not versions of one document.
const SERIES: usize = 12;
/// The least share of sentences that two versions of one document have in common.
const SHARED: f64 = 0.25;
/// The least similarity to the cited sentence at which a sentence of the newer version is about the same thing.
const SAME_STATEMENT: f64 = 0.7;

/// The documents that may replace cited ones, by the cited document.
pub(super) struct Candidates {
    by_older: BTreeMap<usize, Vec<usize>>,
}

/// The documents that replace cited ones.
pub(super) struct Replacements {
    by_older: BTreeMap<usize, Vec<(usize, Why)>>,
}

/// Why a document replaces another one.
#[derive(Clone, Copy, PartialEq)]
enum Why {
    /// It says so, of the document as a whole.
    Repeals,
    /// It says so, perhaps of a part only, or is an amendment by its title.
    Amends,
    /// It is a newer version.
    IsNewer,
}

/// A newer document that says otherwise.
pub(super) struct Superseding {
    pub document: usize,
    /// Why it counts as newer.
    pub why: &'static str,
    /// What it says and where, if known.
    pub words: Option<(Range<usize>, String)>,
    /// The cited words that it leaves in force, if it changes only some of several sentences.
    pub kept: Option<String>,
}

impl Candidates {
    /// Finds candidates by their titles and days alone: titles of the same words may be versions, and a document whose
    /// title has half of the other's words may say that it repeals it.
    pub fn of(library: &Library, cited: &BTreeSet<usize>) -> Self {
        let titles: Vec<BTreeSet<String>> = library.documents().iter().map(|one| edition_words(&one.title)).collect();
        let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, words) in titles.iter().enumerate() {
            for word in words {
                having.entry(word).or_default().push(index);
            }
        }
        let mut by_older = BTreeMap::new();
        for &older in cited {
            let (own, day) = (&titles[older], library.day(older));
            let mut shared = vec![0; titles.len()];
            for &index in own.iter().filter_map(|word| having.get(word.as_str())).flatten() {
                shared[index] += 1;
            }
            // A document with an earlier day repeals nothing, so its text is not needed.
            let is_earlier = |index: usize| {
                let other = library.day(index);
                !other.is_empty() && other < day
            };
            let alike = (0..titles.len()).filter(|&index| index != older && shared[index] > 0);
            let (versions, mut others): (Vec<usize>, Vec<usize>) =
                alike.filter(|&index| 2 * shared[index] >= own.len()).partition(|&index| titles[index] == *own);
            others.retain(|&index| !is_earlier(index));
            let few = [versions, others].into_iter().filter(|group| group.len() + 1 < SERIES);
            by_older.insert(older, few.flatten().collect());
        }
        Candidates { by_older }
    }

    /// The documents whose texts are needed.
    pub fn documents(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_older.values().flatten().copied()
    }

    /// Returns the uncited candidates that do replace a cited document, by the texts of both.
    pub fn replacing(
        &self,
        library: &Library,
        texts: &BTreeMap<usize, String>,
        cited: &BTreeSet<usize>,
    ) -> Replacements {
        let why = |newer: usize, older: usize| {
            let (newer_text, older_text) = (texts.get(&newer)?, texts.get(&older)?);
            let days = [library.day(newer), library.day(older)];
            let edition = |index: usize, date, text| {
                let document = &library.documents()[index];
                Edition { title: &document.title, path: &document.path, date, text }
            };
            let new = edition(newer, &days[0], newer_text);
            let old = edition(older, &days[1], older_text);
            let repealing = repealing(&new, &old);
            match repealing.iter().all(|sentence| amends(sentence)) {
                _ if repealing.is_empty() && is_amendment_of(&new, &old) => Some(Why::Amends),
                _ if repealing.is_empty() => {
                    let is_newer = is_newer_version(&new, &old) && is_mostly_same(older_text, newer_text);
                    is_newer.then_some(Why::IsNewer)
                }
                true => Some(Why::Amends),
                false => Some(Why::Repeals),
            }
        };
        let of_older = |(&older, candidates): (&usize, &Vec<usize>)| {
            let uncited = candidates.iter().filter(|newer| !cited.contains(newer));
            (older, uncited.filter_map(|&newer| Some((newer, why(newer, older)?))).collect())
        };
        Replacements { by_older: self.by_older.iter().map(of_older).collect() }
    }
}

impl Replacements {
    /// A document that says something else in the place of a range of a cited one.
    pub fn otherwise(&self, older: usize, bytes: [usize; 2], texts: &BTreeMap<usize, String>) -> Option<Superseding> {
        let old = texts.get(&older)?;
        let quote = old.get(bytes[0]..bytes[1])?;
        for &(newer, why) in self.by_older.get(&older)? {
            let Some(text) = texts.get(&newer).filter(|text| !plain(text).contains(&plain(quote))) else { continue };
            if why == Why::Amends
                && let Some((range, kept)) = amended(text, old, bytes)
            {
                let words = Some((range.clone(), text[range].to_owned()));
                return Some(Superseding { document: newer, why: "amends this place", words, kept });
            }
            let near = Words::of(text).nearest(quote, 0..text.len()).filter(|near| near.share >= SAME_STATEMENT);
            let words = near.and_then(|near| Some((near.bytes.clone(), text.get(near.bytes)?.to_owned())));
            let says_otherwise = words.as_ref().is_some_and(|(_, words)| differ_in_facts(quote, words));
            if why == Why::Repeals || says_otherwise {
                let why = match why {
                    Why::Repeals | Why::Amends => "says that it takes the place of this document",
                    Why::IsNewer => "is a newer version and says otherwise",
                };
                return Some(Superseding { document: newer, why, words, kept: None });
            }
        }
        None
    }
}

/// Returns the first sentence of an amendment that changes some sentence in a range of the document `old`, and the
/// sentences there that it leaves in force, if there are any.
fn amended(amending: &str, old: &str, bytes: [usize; 2]) -> Option<(Range<usize>, Option<String>)> {
    let quote = &old[bytes[0]..bytes[1]];
    let (mut changes, mut kept) = (Vec::new(), Vec::new());
    for range in sentences(quote) {
        let places = clauses_at(old, bytes[0] + range.start);
        match amendment(amending, &quote[range.clone()], &places) {
            Some(change) => changes.push(change),
            None => kept.push(&quote[range]),
        }
    }
    let kept = kept.join("\n");
    let is_any = kept.contains(char::is_alphabetic);
    Some((changes.into_iter().next()?, is_any.then_some(kept)))
}

/// Returns the sentence of an amendment that deletes a quote's place, one of `places`, or gives it other words.
fn amendment(text: &str, quote: &str, places: &BTreeSet<String>) -> Option<Range<usize>> {
    let holds = |value: &str| place_of(quote, value, |c| c.is_ascii_digit()).is_some();
    sentences(text).find(|range| {
        let sentence = &text[range.clone()];
        if clauses(sentence).is_disjoint(places) {
            return false;
        }
        let changes = stated_changes(sentence);
        changes.iter().any(|[old, new]| holds(old) && !holds(new))
            || deletes(sentence)
            || changes.is_empty() && amends(sentence) && differ_in_facts(quote, sentence)
    })
}

fn is_mostly_same(old: &str, new: &str) -> bool {
    let whole = plain(new);
    let all: Vec<String> = sentences(old).map(|range| plain(&old[range])).collect();
    let shared = all.iter().filter(|sentence| whole.contains(sentence.as_str())).count();
    all.len() <= 2 || shared as f64 >= SHARED * all.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amendment_gives_a_place_other_words() {
        let check = |text: &str, expected: Option<&str>| {
            let quote = "Either party may terminate by giving 90 days' notice.";
            let found = amendment(text, quote, &BTreeSet::from(["7".to_owned()])).map(|range| &text[range]);
            assert_eq!(found, expected, "{text}");
        };
        let changed = "In clause 7, the notice is changed from 90 days to 180 days.";
        check(changed, Some(changed));
        check("Clause 6 is deleted.\n\nClause 7 is deleted.", Some("Clause 7 is deleted."));
        check("Clause 6 is deleted.", None);
        check("In clause 7, the fee is changed from £5 to £6.", None);
        let old = "# Lease\n\n## 6. Delay\nOn delay, 5 per cent is due.\n\n## 7. Notice\nThe notice is 90 days.\n";
        let found = amended("1. Clause 6 is deleted.", old, [9, old.len()]);
        let kept = found.and_then(|(_, kept)| kept).unwrap_or_default();
        assert!(kept.contains("90 days") && !kept.contains("5 per cent"), "{kept}");
        let replaced = "Clause 7 is replaced by: Either party may terminate by giving 120 days' notice.";
        check(replaced, Some(replaced));
    }
}
