//! The steps of a check.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;
use serde::Serialize;

use super::judge::{CheckedSentence, judge, passage};
use super::library::Library;
use super::near::Words;
use super::origins::{WithoutDocuments, first_of_origin, without};
use super::place::{CheckedCitation, PlaceMatch, Verdict, look};
use super::plain::{Plain, plain};
use super::read::{ReadCitation, ReadReport};
use super::versions::{Candidates, Newer};
use crate::base::text::one_line;
use crate::domain::{Coverage, DocumentFilter, PathPattern};
use crate::report::{Record, RecordedCitation, shared_origins};

/// An edited quote at least this near counts as edited, even if its old words stand elsewhere too.
const SURELY_EDITED: f64 = 0.8;
/// The first bytes of a quote that the search in all documents hashes, by the quote's length; a shorter quote is
/// searched for as a whole.
const WINDOWS: [usize; 2] = [32, 8];
/// The multiplier of the rolling hash.
const BASE: u64 = 1_099_511_628_211;

/// The result of checking a report.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// Whether every citation and every sentence that cites something holds.
    pub holds: bool,
    /// The question of the report.
    pub question: String,
    /// The number of documents to check against.
    pub documents: usize,
    /// The checked citations, by number.
    pub citations: Vec<CheckedCitation>,
    /// Sentences that cite something, and claims that do not, in order.
    pub sentences: Vec<CheckedSentence>,
    /// Groups of citations whose documents have one origin, such as copies; each group counts as one source.
    pub origins: Vec<Vec<usize>>,
    /// The sentences that would be lost without the documents that were asked about.
    pub without: Vec<WithoutDocuments>,
    /// The coverage of the documents, counted from the citations in the text; `None` if the report does not tell.
    pub coverage: Option<Coverage>,
    /// What the check does not cover.
    pub not_checked: Vec<String>,
    /// Changes to the report since it was written, if its form shows them, as a page with a seal does.
    pub altered: Vec<String>,
    /// Whether words are missing and none of the cited documents is known. Then the words may be gone, or only not
    /// here.
    #[serde(skip)]
    pub is_elsewhere: bool,
}

/// A check under way.
pub struct Check<'l> {
    report: ReadReport,
    library: &'l Library,
    /// For each citation, the documents that its path may mean.
    meant: Vec<Vec<usize>>,
    candidates: Candidates,
    /// Documents to imagine away, by the pattern of their paths.
    without: Vec<(String, DocumentFilter)>,
    /// The best match of each citation in the documents that it may mean.
    found: Vec<Option<(usize, PlaceMatch)>>,
}

/// Looks for words in all other documents.
pub struct Search {
    /// For each window, the indices in `wanted` by the hash of the quote's beginning.
    by_hash: [HashMap<u64, Vec<usize>>; 2],
    short: Vec<usize>,
    /// Citations, with their words in plain form.
    wanted: Vec<(usize, String)>,
    hits: BTreeMap<usize, (usize, [usize; 2])>,
}

impl<'l> Check<'l> {
    /// Begins a check; no document is read yet.
    pub fn new(report: ReadReport, library: &'l Library) -> Self {
        let meant: Vec<Vec<usize>> =
            report.citations.iter().map(|citation| library.meant(&citation.path, &citation.collection)).collect();
        let cited: BTreeSet<usize> = meant.iter().flatten().copied().collect();
        let candidates = Candidates::of(library, &cited);
        let found = vec![None; report.citations.len()];
        Check { report, library, meant, candidates, without: Vec::new(), found }
    }

    /// The same check, which also lists the sentences that would be lost without the documents of these paths.
    pub fn with_excluded_paths(self, paths: &[(String, PathPattern)]) -> Self {
        let filter = |path: &PathPattern| DocumentFilter { path: Some(path.clone()), ..DocumentFilter::default() };
        Check { without: paths.iter().map(|(text, path)| (text.clone(), filter(path))).collect(), ..self }
    }

    /// The documents whose texts are needed: those cited by the report, and possible newer versions of them.
    pub fn wanted(&self) -> BTreeSet<usize> {
        self.meant.iter().flatten().copied().chain(self.candidates.documents()).collect()
    }

    /// Looks for the citations where the report says. Those not found are to be looked for in all other documents.
    pub fn look(&mut self, texts: &BTreeMap<usize, String>) -> Search {
        let mut citing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (citation, meant) in self.meant.iter().enumerate() {
            for &document in meant {
                citing.entry(document).or_default().push(citation);
            }
        }
        let in_document = |(document, citations): (usize, Vec<usize>)| {
            let Some(text) = texts.get(&document) else { return Vec::new() };
            let (whole, words) = (Plain::of(text), OnceCell::<Words<'_>>::new());
            let look = |citation: usize| {
                let found = look(&self.report.citations[citation], text, &whole, &words)?;
                Some((citation, (document, found)))
            };
            citations.into_iter().filter_map(look).collect()
        };
        // In the order of the documents, whichever is read first.
        let found: Vec<(usize, (usize, PlaceMatch))> = citing.into_par_iter().flat_map_iter(in_document).collect();
        for (citation, found) in found {
            if found.1.rank() > self.found[citation].as_ref().map_or(0, |(_, found)| found.rank()) {
                self.found[citation] = Some(found);
            }
        }
        let is_missing = |found: &Option<(usize, PlaceMatch)>| {
            !matches!(found, Some((_, PlaceMatch::Same(_) | PlaceMatch::Elsewhere(_) | PlaceMatch::InPlace(_))))
        };
        let missing = (0..self.found.len()).filter(|&citation| is_missing(&self.found[citation]));
        Search::new(missing.map(|citation| (citation, plain(&self.report.citations[citation].quote))).collect())
    }

    /// Returns the verdicts. `texts` must also hold the documents with hits of the search; `unread` names those that
    /// could not be read.
    pub fn finish(self, texts: &BTreeMap<usize, String>, search: &Search, unread: &[String]) -> Verification {
        let cited: BTreeSet<usize> = self.meant.iter().flatten().copied().collect();
        let replacements = self.candidates.replacing(self.library, texts, &cited);
        let mut citations: Vec<CheckedCitation> = Vec::new();
        let mut places: Vec<Option<usize>> = Vec::new();
        let mut held: Vec<(Verdict, String)> = Vec::new();
        for (index, read) in self.report.citations.iter().enumerate() {
            let (mut checked, mut document) = self.checked(index, read, texts, search);
            held.push((checked.verdict, checked.note.clone()));
            if checked.verdict.holds()
                && let (Some(older), Some(bytes)) = (document, checked.bytes)
                && let Some(newer) = replacements.otherwise(older, bytes, texts)
            {
                checked.verdict = Verdict::Superseded;
                let note = |one: &Newer| {
                    let day = self.library.day(one.document);
                    let day = if day.is_empty() { day } else { format!(" of {day}") };
                    let note = format!("`{}`{day} {}", self.library.documents()[one.document].path, one.why);
                    // The citation goes on to support other sentences.
                    let words = one.words.as_ref().filter(|_| newer.kept.is_some());
                    words.map(|(_, words)| format!("{note}: “{}”", one_line(words))).unwrap_or(note)
                };
                checked.note = newer.by.iter().map(note).collect::<Vec<_>>().join("; ");
                checked.kept = newer.kept.clone();
                if newer.kept.is_none()
                    && let [Newer { document: other, words: Some((bytes, words)), .. }] = newer.by.as_slice()
                {
                    let newer = &self.library.documents()[*other];
                    checked.document = Some(newer.path.clone());
                    checked.newer = (newer.title.clone(), self.library.day(*other));
                    (checked.bytes, checked.now) = (Some([bytes.start, bytes.end]), Some(words.clone()));
                    document = Some(*other);
                }
            }
            if let (Some(text), Some(bytes)) = (document.and_then(|index| texts.get(&index)), checked.bytes) {
                checked.passage = passage(read, bytes, text);
                checked.around = RecordedCitation::around(text, bytes);
            }
            citations.push(checked);
            places.push(document);
        }
        let mut sentences = judge(&self.report, &citations, &places, self.library, texts);
        // An amendment of words on which no sentence rests does not matter.
        for (one, held) in citations.iter_mut().zip(held) {
            if one.kept.is_some() && !sentences.iter().any(|sentence| sentence.changed.contains(&one.number)) {
                (one.verdict, one.note, one.kept) = (held.0, held.1, None);
            }
        }
        let first = first_of_origin(&citations, &places, texts);
        for sentence in &mut sentences {
            let origins: BTreeSet<_> = sentence.citations.iter().filter_map(|number| first.get(number)).collect();
            sentence.one_origin = origins.len() == 1;
        }
        let cited = citations.iter().zip(&places);
        let origins = shared_origins(cited.map(|(one, place)| (one.number, *place, first[&one.number])));
        let without = self.without.iter().map(|(path, filter)| {
            let documents = self.library.documents().iter().map(|document| document.path.as_str());
            without(path, filter, documents, &citations, &sentences, &first)
        });
        let without = without.collect();
        let mut not_checked = not_checked(&self.report, &citations, &sentences);
        not_checked.extend(unread.iter().map(|file| format!("a file that could not be read: {file}")));
        let is_elsewhere = citations.iter().any(|one| one.verdict == Verdict::Vanished)
            && self.meant.iter().all(Vec::is_empty)
            && places.iter().all(Option::is_none);
        let holds = citations.iter().all(|one| one.verdict.holds()) && sentences.iter().all(CheckedSentence::is_sound);
        Verification {
            holds,
            question: self.report.question,
            documents: self.library.documents().len(),
            citations,
            sentences,
            origins,
            without,
            coverage: self.report.coverage,
            not_checked,
            altered: Vec::new(),
            is_elsewhere,
        }
    }

    fn checked(
        &self,
        index: usize,
        read: &ReadCitation,
        texts: &BTreeMap<usize, String>,
        search: &Search,
    ) -> (CheckedCitation, Option<usize>) {
        let path = |document: usize| self.library.documents()[document].path.clone();
        let verdict = |verdict, place: Option<(usize, [usize; 2])>, now: Option<String>, note: String| {
            let checked = CheckedCitation {
                number: read.number,
                verdict,
                path: read.path.clone(),
                document: place.map(|(document, _)| path(document)),
                bytes: place.map(|(_, bytes)| bytes),
                quote: read.quote.clone(),
                now,
                note,
                collection: place
                    .map(|(document, _)| self.library.documents()[document].collection.clone())
                    .unwrap_or_default(),
                newer: Default::default(),
                kept: None,
                passage: [0, 0],
                around: Default::default(),
            };
            (checked, place.map(|(document, _)| document))
        };
        let elsewhere = search.hits.get(&index).copied();
        match &self.found[index] {
            Some((document, PlaceMatch::Same(bytes))) => {
                verdict(Verdict::Unchanged, Some((*document, *bytes)), None, String::new())
            }
            Some((document, PlaceMatch::Elsewhere(bytes))) => {
                verdict(Verdict::Moved, Some((*document, *bytes)), None, "elsewhere in the document".to_owned())
            }
            Some((document, PlaceMatch::InPlace(near) | PlaceMatch::Near(near)))
                if elsewhere.is_none()
                    || near.share >= SURELY_EDITED
                    || matches!(self.found[index], Some((_, PlaceMatch::InPlace(_)))) =>
            {
                let bytes = [near.bytes.start, near.bytes.end];
                let now = texts.get(document).and_then(|text| text.get(near.bytes.clone())).map(str::to_owned);
                let note = elsewhere.map(|(other, _)| format!("the old words stand in `{}`", path(other)));
                verdict(Verdict::Edited, Some((*document, bytes)), now, note.unwrap_or_default())
            }
            _ => match elsewhere {
                Some((document, bytes)) => {
                    let gone = if self.meant[index].is_empty() {
                        "the document has another name now"
                    } else {
                        "in another document"
                    };
                    verdict(Verdict::Moved, Some((document, bytes)), None, gone.to_owned())
                }
                None if self.meant[index].is_empty() && read.path.contains("://") => {
                    verdict(Verdict::Unchecked, None, None, "a page of the web that is not loaded".to_owned())
                }
                None if self.meant[index].is_empty() => {
                    verdict(Verdict::Vanished, None, None, "there is no such document any more".to_owned())
                }
                None => verdict(Verdict::Vanished, None, None, "nothing like it stands in the document".to_owned()),
            },
        }
    }
}

fn not_checked(report: &ReadReport, citations: &[CheckedCitation], sentences: &[CheckedSentence]) -> Vec<String> {
    let mut list = Vec::new();
    if let Some(reason) = &report.unrecorded {
        list.push(format!("where exactly the words stood: {reason}, so the visible list of sources was used"));
    }
    for citation in citations.iter().filter(|one| one.verdict == Verdict::Unchecked) {
        list.push(format!("[{}] {}: {}", citation.number, citation.path, citation.note));
    }
    let uncited = sentences.iter().filter(|sentence| sentence.citations.is_empty()).count();
    match uncited {
        0 => {}
        1 => list.push("1 sentence that cites nothing (listed above)".to_owned()),
        many => list.push(format!("{many} sentences that cite nothing (listed above)")),
    }
    list.push(
        "whether a sentence follows from what it cites beyond its figures, days, units, names and quotations"
            .to_owned(),
    );
    list
}

impl Search {
    fn new(wanted: Vec<(usize, String)>) -> Self {
        // A quote of marks alone is never found.
        let wanted = wanted.into_iter().filter(|(_, words)| !words.is_empty()).collect();
        let mut search = Search { by_hash: Default::default(), short: Vec::new(), wanted, hits: BTreeMap::new() };
        for (place, (_, words)) in search.wanted.iter().enumerate() {
            match WINDOWS.iter().position(|window| words.len() >= *window) {
                Some(at) => {
                    let hash = words.bytes().take(WINDOWS[at]).fold(0, roll);
                    search.by_hash[at].entry(hash).or_default().push(place);
                }
                None => search.short.push(place),
            }
        }
        search
    }

    /// Whether nothing is left to look for.
    pub fn is_done(&self) -> bool {
        self.wanted.iter().all(|(citation, _)| self.hits.contains_key(citation))
    }

    /// Looks in a document. Returns whether its text is needed at the end. A report is no place for words to have moved
    /// to: it only repeats what documents said.
    pub fn look(&mut self, document: usize, text: &str) -> bool {
        if Record::split(text).1.is_some() {
            return false;
        }
        let whole = Plain::of(text);
        let mut found = Vec::new();
        for (at, window) in WINDOWS.into_iter().enumerate() {
            if !self.by_hash[at].is_empty() {
                self.scan(&whole, at, window, &mut found);
            }
        }
        for &place in &self.short {
            found.extend(whole.text.find(&self.wanted[place].1).map(|start| (place, start)));
        }
        let mut needed = false;
        for (place, start) in found {
            let (citation, words) = &self.wanted[place];
            let bytes = whole.original(start, start + words.len());
            // Documents come in order, and the first hit is as good as any.
            needed |= *self.hits.entry(*citation).or_insert((document, bytes)) == (document, bytes);
        }
        needed
    }

    fn scan(&self, whole: &Plain, at: usize, window: usize, found: &mut Vec<(usize, usize)>) {
        let bytes = whole.text.as_bytes();
        if bytes.len() < window {
            return;
        }
        let leading = (1..window).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let mut hash = bytes[..window].iter().copied().fold(0, roll);
        for start in 0..=bytes.len() - window {
            if let Some(places) = self.by_hash[at].get(&hash) {
                for &place in places {
                    if bytes[start..].starts_with(self.wanted[place].1.as_bytes()) {
                        found.push((place, start));
                    }
                }
            }
            if let Some(next) = bytes.get(start + window) {
                hash = roll(hash.wrapping_sub(u64::from(bytes[start]).wrapping_mul(leading)), *next);
            }
        }
    }
}

fn roll(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(byte))
}
