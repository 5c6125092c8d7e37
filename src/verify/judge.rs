//! Judges whether the sentences of a report still agree with their sources.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;

use super::library::Library;
use super::place::{CheckedCitation, Verdict};
use super::plain::plain;
use super::read::{ReadCitation, ReadReport};
use crate::base::text::{sentences, tokens};
use crate::report::cite::{self, CitationChecker, MARK, footnotes};
use crate::report::facts::{Kind, Problem, Source};
use crate::report::wording;

/// Bytes on each side of a quote that are taken as its passage, if the report does not record how much its writer saw.
const AROUND: usize = 1_500;
/// A sentence rests on each part of a quote that shares at least this fraction of the words that the best part shares
/// with it.
const AS_GOOD: f64 = 0.8;

/// The verdict on a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceVerdict {
    /// Its citations support it.
    Holds,
    /// Its citations do not support it, or no longer do.
    Fails,
    /// It states something but cites nothing.
    Uncited,
    /// Words in quotation marks are missing from what it cites.
    QuotationMissing,
}

/// A sentence of the report, checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedSentence {
    /// The line of the report on which it begins, from 1.
    pub line: usize,
    /// The verdict.
    pub verdict: SentenceVerdict,
    /// Its words, without citations.
    pub text: String,
    /// The numbers of its citations.
    pub citations: Vec<usize>,
    /// Why it fails.
    pub reasons: Vec<String>,
    /// Its parts that its citations do not contain.
    pub problems: Vec<Problem>,
    /// Its figures that were computed from cited ones, each with its formula.
    pub derived: Vec<String>,
    /// Whether somebody has approved it in its present wording.
    pub approved: bool,
    /// Whether all of its citations have one origin: one document, or copies of one.
    pub one_origin: bool,
    /// Its range in the report, citations included.
    #[serde(skip)]
    pub range: Range<usize>,
    /// The citations that it rests on and that no longer hold.
    #[serde(skip)]
    pub changed: Vec<usize>,
}

impl CheckedSentence {
    /// Whether a citation that it rests on no longer holds.
    pub fn rests_on_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Whether the check alone finds no fault with it. A sentence that cites nothing cannot be checked, and passes.
    pub fn passes(&self) -> bool {
        matches!(self.verdict, SentenceVerdict::Holds | SentenceVerdict::Uncited)
    }

    /// Whether nothing speaks against it. An approval holds until something that the sentence rests on changes.
    pub fn is_sound(&self) -> bool {
        self.passes() || (self.approved && !self.rests_on_changed())
    }
}

/// Checks each sentence of the body against the passages as they are now, by the same check that reports pass while
/// they are written.
pub(super) fn judge(
    report: &ReadReport,
    citations: &[CheckedCitation],
    places: &[Option<usize>],
    library: &Library,
    texts: &BTreeMap<usize, String>,
) -> Vec<CheckedSentence> {
    let sources: BTreeMap<usize, Source> = report
        .citations
        .iter()
        .zip(citations)
        .zip(places)
        .map(|((read, checked), place)| (read.number, source(read, checked, *place, library, texts)))
        .collect();
    let old: BTreeMap<usize, Support> = report
        .citations
        .iter()
        .zip(citations)
        .filter(|(_, checked)| checked.verdict == Verdict::Edited || checked.kept.is_some())
        .map(|(read, checked)| {
            let now = checked.kept.as_ref().or(checked.now.as_ref());
            (read.number, Support::of(&read.quote, now.map_or("", String::as_str)))
        })
        .collect();
    let verdicts: BTreeMap<usize, Verdict> = citations.iter().map(|one| (one.number, one.verdict)).collect();
    let body = &report.markdown[report.body.clone()];
    // The mark of a missing citation is not part of the report's words. It is blanked out, so that the rest keeps its
    // place.
    let mut body = without_struck(&body.replace(MARK, &" ".repeat(MARK.len())));
    // Nor is the mark of a footnote that somebody has added. The definition is no sentence of the text.
    let marks = footnotes(&body);
    for mark in marks.into_iter().filter(|mark| !body[mark.end..].starts_with(':')).collect::<Vec<_>>() {
        body.replace_range(mark.clone(), &" ".repeat(mark.len()));
    }
    let mut checker = CitationChecker::new(sources, report.language);
    checker.push(&body);
    let (_, found) = checker.finish();
    let approved: BTreeSet<String> = report.approved.iter().map(|one| wording(one)).collect();
    let mut lines = Lines { text: &body, at: 0, line: 1 };
    found
        .sentences
        .into_iter()
        .map(|sentence| {
            let line = lines.of(sentence.range.start);
            let range = report.body.start + sentence.range.start..report.body.start + sentence.range.end;
            let approved = approved.contains(&wording(&sentence.text));
            CheckedSentence { approved, ..judged(sentence, &verdicts, &old, line, range) }
        })
        .collect()
}

fn judged(
    sentence: cite::CheckedSentence,
    verdicts: &BTreeMap<usize, Verdict>,
    old: &BTreeMap<usize, Support>,
    line: usize,
    range: Range<usize>,
) -> CheckedSentence {
    let cite::CheckedSentence { text, mut citing, unknown, problems, derived, .. } = sentence;
    let mut reasons: Vec<String> =
        unknown.iter().map(|number| format!("it cites [{number}], which the list of sources does not have")).collect();
    let mut seen = BTreeSet::new();
    citing.retain(|number| seen.insert(*number));
    let mut changed = Vec::new();
    for number in &citing {
        let has_changed = || old.get(number).is_none_or(|support| support.has_changed(&text));
        let what = match verdicts.get(number) {
            Some(Verdict::Vanished) => "is gone",
            Some(Verdict::Superseded) if has_changed() => "is superseded",
            Some(Verdict::Edited) if has_changed() => "was edited",
            _ => continue,
        };
        changed.push(*number);
        reasons.push(format!("what it cites {what}: [{number}]"));
    }
    let verdict =
        if !problems.is_empty() && problems.iter().all(|one| one.kind == Kind::Quotation) && reasons.is_empty() {
            SentenceVerdict::QuotationMissing
        } else if !problems.is_empty() || !reasons.is_empty() {
            SentenceVerdict::Fails
        } else if citing.is_empty() {
            SentenceVerdict::Uncited
        } else {
            SentenceVerdict::Holds
        };
    citing.extend(unknown);
    let (approved, one_origin, citations) = (false, false, citing);
    CheckedSentence { line, verdict, text, citations, reasons, problems, derived, approved, one_origin, range, changed }
}

/// The text with blanks in the place of struck words, which state nothing. They are no plain spaces, which would make
/// code at the beginning of a line.
fn without_struck(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        // "~~~" opens code.
        while !line.trim_start().starts_with("~~~")
            && let Some((before, (struck, behind))) =
                rest.split_once("~~").and_then(|(before, inner)| Some((before, inner.split_once("~~")?)))
        {
            out.push_str(before);
            let blank = struck.len() + 2 * "~~".len();
            out.push_str(&"\u{a0}".repeat(blank / 2));
            out.push_str(&" ".repeat(blank % 2));
            rest = behind;
        }
        out.push_str(rest);
    }
    out
}

/// The passage of a citation as it is now; the quoted words if there is no such passage any more.
fn source(
    read: &ReadCitation,
    checked: &CheckedCitation,
    place: Option<usize>,
    library: &Library,
    texts: &BTreeMap<usize, String>,
) -> Source {
    let document = place.and_then(|index| library.documents().get(index));
    let about = match document {
        Some(document) => crate::report::about(&document.title, &document.path, document.date, &[]),
        None => String::new(),
    };
    let about = format!("{about}\n{}\n{}", read.listed, read.path);
    let text = place.and_then(|index| texts.get(&index));
    let (Some(text), Some(bytes)) = (text, checked.bytes) else { return Source::new(read.quote.clone(), about) };
    let [from, to] = passage(read, bytes, text);
    Source::new(text[from..to].to_owned(), about).quoting(bytes[0].max(from) - from..bytes[1].max(from) - from)
}

/// The passage around the words of a citation, as far as its writer saw it.
pub(super) fn passage(read: &ReadCitation, bytes: [usize; 2], text: &str) -> [usize; 2] {
    let (before, after) = match &read.place {
        Some(place) => {
            (place.bytes[0].saturating_sub(place.passage[0]), place.passage[1].saturating_sub(place.bytes[1]))
        }
        None => (AROUND, AROUND),
    };
    [text.floor_char_boundary(bytes[0].saturating_sub(before)), text.ceil_char_boundary(bytes[1].saturating_add(after))]
}

/// The sentences of an edited quote, each with whether it has changed and whether it is a row of a table.
struct Support {
    parts: Vec<(BTreeSet<String>, bool, bool)>,
}

impl Support {
    fn of(quote: &str, now: &str) -> Self {
        let now = plain(now);
        let words = |part: &str| tokens(part).into_iter().map(|token| token.text).collect();
        let part = |range: Range<usize>| {
            let part = &quote[range];
            (words(part), !now.contains(&plain(part)), part.starts_with('|'))
        };
        Support { parts: sentences(quote).map(part).collect() }
    }

    /// Whether a sentence rests on a changed part. One that tells all cells of a row rests on that row, however many
    /// words of the table's head other parts share with it.
    fn has_changed(&self, sentence: &str) -> bool {
        let words: BTreeSet<String> = tokens(sentence).into_iter().map(|token| token.text).collect();
        let mut told = self.parts.iter().filter(|(part, _, is_row)| *is_row && part.is_subset(&words)).peekable();
        if told.peek().is_some() {
            return told.any(|(_, changed, _)| *changed);
        }
        let shared: Vec<usize> = self.parts.iter().map(|(part, ..)| part.intersection(&words).count()).collect();
        let best = shared.iter().copied().max().unwrap_or(0);
        let is_good = |shared: usize| shared as f64 >= AS_GOOD * best as f64;
        self.parts.iter().zip(&shared).any(|((_, changed, _), shared)| *changed && is_good(*shared))
    }
}

/// Counts lines up to ascending positions.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, place: usize) -> usize {
        let place = place.min(self.text.len());
        if place >= self.at {
            self.line += self.text.as_bytes()[self.at..place].iter().filter(|byte| **byte == b'\n').count();
            self.at = place;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_not_changed_with_the_paragraph_below() {
        let table = |density: f64, below: &str| {
            format!("| Oxide | 91.4 | 0.92 |\n| Polyamide | 96.8 | {density} |\n\n{below}\n")
        };
        let check = |sentence: &str, expected: bool| {
            let old = table(1.74, "The density and the strength of each material were measured in May.");
            let now = table(1.47, "The density and the strength of each material were measured in June.");
            assert_eq!(Support::of(&old, &now).has_changed(sentence), expected, "{sentence}");
        };
        check("Material: Oxide; Strength: 91.4; Density: 0.92.", false);
        check("Material: Polyamide; Strength: 96.8; Density: 1.74.", true);
        check("The strength of each material was measured in May.", true);
    }

    #[test]
    fn struck_words_state_nothing() {
        let check = |text: &str, expected: &str| {
            let found = without_struck(text);
            assert_eq!(
                (found.len(), found.split_whitespace().collect::<Vec<_>>().join(" ").as_str()),
                (text.len(), expected)
            );
        };
        check("~~Notice is 30 days.~~ Keys are returned [1].", "Keys are returned [1].");
        check("Rent [1]. ~~It is £9.~~\n\n~~Gone.~~ And ~~x~~.\n", "Rent [1]. And .");
        check("~~~\na ~~b~~\n~~~\n", "~~~ a ~~~");
        check("It is ~~ 5.", "It is ~~ 5.");
    }
}
