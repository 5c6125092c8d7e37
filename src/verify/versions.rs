//! Finds documents that have replaced cited ones and say otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::library::Library;
use super::near::Words;
use super::plain::plain;
use crate::base::text::sentences;
use crate::report::facts::differ_in_facts;
use crate::report::{
    Edition, amending_sentence, amendment_named, amends, clauses, clauses_at, deletes, edition_words, is_amendment_of,
    is_newer_version, repealing,
};

/// From this number on, documents whose titles have the same words are a series, not versions of one document.
const SERIES: usize = 12;
/// The least share of sentences that two versions of one document have in common.
const SHARED: f64 = 0.25;
/// The characters at the beginning of a sentence that may hold its own number, such as "Section 9. ".
const NUMBERED: usize = 16;
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
#[derive(Clone, PartialEq)]
pub(super) struct Newer {
    pub document: usize,
    /// Why it counts as newer.
    pub why: &'static str,
    /// What it says and where, if known.
    pub words: Option<(Range<usize>, String)>,
}

/// The newer documents that say otherwise in one place.
pub(super) struct Superseding {
    /// One of them, or each that changes some of several sentences.
    pub by: Vec<Newer>,
    /// The cited words that they leave in force, if different sentences have different fates.
    pub kept: Option<String>,
}

impl Candidates {
    /// Finds candidates by their titles and days alone: titles of the same words may be versions, a document whose title
    /// has half of the other's words may say that it repeals it, and an amendment may name it in other words.
    pub fn of(library: &Library, cited: &BTreeSet<usize>) -> Self {
        let titles: Vec<BTreeSet<String>> = library.documents().iter().map(|one| edition_words(&one.title)).collect();
        let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, words) in titles.iter().enumerate() {
            for word in words {
                having.entry(word).or_default().push(index);
            }
        }
        let is_amending = |index: &usize| amendment_named(&library.documents()[*index].title).is_some();
        let amendments: Vec<usize> = (0..titles.len()).filter(is_amending).collect();
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
            let names = |index: usize| {
                let [new, old] = [index, older].map(|index| (&library.documents()[index], library.day(index)));
                let [new, old] = [&new, &old].map(|(document, date)| Edition {
                    title: &document.title,
                    path: &document.path,
                    date,
                    text: "",
                });
                is_amendment_of(&new, &old)
            };
            let is_known = |index: &usize| *index == older || versions.contains(index) || others.contains(index);
            let unknown = amendments.iter().copied().filter(|index| !is_known(index) && !is_earlier(*index));
            let amending: Vec<usize> = unknown.filter(|&index| names(index)).collect();
            let few = [versions, others, amending].into_iter().filter(|group| group.len() + 1 < SERIES);
            by_older.insert(older, few.flatten().collect());
        }
        Candidates { by_older }
    }

    /// The documents whose texts are needed.
    pub fn documents(&self) -> impl Iterator<Item = usize> + '_ {
        self.by_older.values().flatten().copied()
    }

    /// Returns the uncited candidates that do replace a cited document, by the texts of both, from the earliest day on.
    /// A copy of a cited document, such as that of another collection, counts as cited.
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
            match repealing.iter().all(|sentence| is_of_place(sentence)) {
                _ if repealing.is_empty() && is_amendment_of(&new, &old) => Some(Why::Amends),
                _ if repealing.is_empty() => {
                    let is_newer = is_newer_version(&new, &old) && is_mostly_same(older_text, newer_text);
                    is_newer.then_some(Why::IsNewer)
                }
                true => Some(Why::Amends),
                false => Some(Why::Repeals),
            }
        };
        let is_copy = |newer: usize, cited: usize| {
            let path = |index: usize| &library.documents()[index].path;
            path(newer) == path(cited) || texts.get(&newer).is_some_and(|text| texts.get(&cited) == Some(text))
        };
        let is_cited = |newer: usize| cited.iter().any(|&cited| is_copy(newer, cited));
        let of_older = |(&older, candidates): (&usize, &Vec<usize>)| {
            let uncited = candidates.iter().filter(|newer| !is_cited(**newer));
            let mut found: Vec<(usize, Why)> = uncited.filter_map(|&newer| Some((newer, why(newer, older)?))).collect();
            found.sort_by_key(|(newer, _)| library.day(*newer));
            (older, found)
        };
        Replacements { by_older: self.by_older.iter().map(of_older).collect() }
    }
}

impl Replacements {
    /// What says something else in the place of a range of a cited document: the latest document that replaces it as a
    /// whole, or the amendments of its sentences.
    pub fn otherwise(&self, older: usize, bytes: [usize; 2], texts: &BTreeMap<usize, String>) -> Option<Superseding> {
        let old = texts.get(&older)?;
        let quote = old.get(bytes[0]..bytes[1])?;
        let is_other = |text: &&String| !plain(text).contains(&plain(quote));
        let newer = self.by_older.get(&older)?.iter();
        let newer: Vec<(usize, Why, &str)> = newer
            .filter_map(|&(newer, why)| Some((newer, why, texts.get(&newer).filter(is_other)?.as_str())))
            .collect();
        let (amending, replacing): (Vec<_>, Vec<_>) = newer.into_iter().partition(|(_, why, _)| *why == Why::Amends);
        let says_otherwise = |&(document, why, text): &(usize, Why, &str)| {
            let near = Words::of(text).nearest(quote, 0..text.len()).filter(|near| near.share >= SAME_STATEMENT);
            let words = near.and_then(|near| Some((near.bytes.clone(), text.get(near.bytes)?.to_owned())));
            let differs = words.as_ref().is_some_and(|(_, words)| differ_in_facts(quote, words));
            let told = match why {
                Why::Repeals | Why::Amends => "says that it takes the place of this document",
                Why::IsNewer => "is a newer version and says otherwise",
            };
            let by = vec![Newer { document, why: told, words }];
            (why == Why::Repeals || differs).then_some(Superseding { by, kept: None })
        };
        let replaced = replacing.iter().rev().find_map(says_otherwise);
        let texts: Vec<(usize, &str)> = amending.iter().map(|&(document, _, text)| (document, text)).collect();
        replaced.or_else(|| amended(&texts, old, bytes)).or_else(|| amending.iter().rev().find_map(says_otherwise))
    }
}

/// Whether a sentence that repeals speaks only of a place in the document that it names: of an article other than the
/// one whose number it begins with, or of words.
fn is_of_place(sentence: &str) -> bool {
    let numbered = [". ", ": ", "\u{3000}"].into_iter().find_map(|mark| {
        let (number, rest) = sentence.split_once(mark)?;
        (number.chars().count() < NUMBERED && !clauses(number).is_empty()).then_some(rest)
    });
    !clauses(numbered.unwrap_or(sentence)).is_empty() || amends(sentence) && !deletes(sentence)
}

/// Returns the last sentence of the amendments, which are in the order of their days, that changes each sentence in a
/// range of the document `old`, and the sentences there that they leave in force, if there are any.
fn amended(amendments: &[(usize, &str)], old: &str, bytes: [usize; 2]) -> Option<Superseding> {
    let quote = &old[bytes[0]..bytes[1]];
    let (mut by, mut kept) = (Vec::new(), Vec::new());
    for range in sentences(quote) {
        let places = clauses_at(old, bytes[0] + range.start);
        let mut last: Option<Newer> = None;
        for &(document, text) in amendments {
            // A later amendment may name the words of the one before.
            let words = last.as_ref().and_then(|last| last.words.as_ref()).map_or("", |(_, words)| words.as_str());
            if let Some(range) = amending_sentence(text, [&quote[range.clone()], words], &places) {
                let words = Some((range.clone(), text[range].to_owned()));
                last = Some(Newer { document, why: "amends this place", words });
            }
        }
        match last {
            Some(last) if by.contains(&last) => {}
            Some(last) => by.push(last),
            None => kept.push(&quote[range]),
        }
    }
    let kept = kept.join("\n");
    let is_split = by.len() > 1 || kept.contains(char::is_alphabetic);
    (!by.is_empty()).then_some(Superseding { by, kept: is_split.then_some(kept) })
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
    fn what_an_amendment_leaves_is_kept() {
        let old = "# Lease\n\n## 6. Delay\nOn delay, 5 per cent is due.\n\n## 7. Notice\nThe notice is 90 days.\n";
        let found = amended(&[(1, "1. Clause 6 is deleted.")], old, [9, old.len()]);
        let kept = found.and_then(|found| found.kept).unwrap_or_default();
        assert!(kept.contains("90 days") && !kept.contains("5 per cent"), "{kept}");
    }

    #[test]
    fn each_sentence_has_its_last_amendment() {
        let old = "# Cleaning\n\n## 5. Fees\n\nThe fee is £100. Notice is given 30 days before. Keys are returned.\n";
        let first = "1. In clause 5, the fee is increased from £100 to £120.";
        let second = "1. Clause 5 is amended: the words \"30 days\" are replaced by the words \"90 days\".";
        let third = "1. In clause 5, the fee is increased from £120 to £130.";
        let check = |amendments: &[&str], expected: &[(usize, &str)], kept: Option<&str>| {
            let texts: Vec<(usize, &str)> = amendments.iter().copied().enumerate().collect();
            let found = amended(&texts, old, [old.find("The fee").unwrap_or(0), old.len() - 1]);
            let found = found.unwrap_or(Superseding { by: Vec::new(), kept: None });
            let by = found.by.iter().filter_map(|one| Some((one.document, one.words.as_ref()?.1.as_str())));
            assert_eq!(by.collect::<Vec<_>>(), expected);
            assert_eq!(found.kept.as_deref(), kept);
        };
        let keys = "Keys are returned.";
        let kept = format!("Notice is given 30 days before.\n{keys}");
        check(&[first], &[(0, first)], Some(&kept));
        check(&[first, second], &[(0, first), (1, second)], Some(keys));
        check(&[first, second, third], &[(2, third), (1, second)], Some(keys));
        check(&["1. Clause 5 is deleted."], &[(0, "1. Clause 5 is deleted.")], None);
        check(&["1. Clause 6 is deleted."], &[], None);
    }

    #[test]
    fn a_repeal_may_speak_of_one_place() {
        let check = |sentence: &str, expected: bool| assert_eq!(is_of_place(sentence), expected, "{sentence}");
        check("Section 6 of the Storage Act 2019 is repealed.", true);
        check("Section 9. The Storage Act 2019 is repealed.", false);
        check("The Storage Act 2019 is repealed.", false);
        check("In the Storage Act 2019, the word “keeper” is replaced by “owner”.", true);
        check("§ 6 der Lagerordnung 2019 wird aufgehoben.", true);
        check("Die Lagerordnung 2019 wird aufgehoben.", false);
        check("L'article 6 de la loi de 2019 est abrogé.", true);
        check("Queda derogado el artículo 6 de la Ley de 2019.", true);
        check("倉庫規程第6条を廃止する。", true);
        check("第9条　倉庫規程は廃止する。", false);
    }
}
