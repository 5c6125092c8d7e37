//! The figures of running text that a sentence may calculate with: those whose clauses share words with it, in the
//! years that it names. [`super::derived`] compares the results with the sentence.

use std::collections::BTreeSet;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::derived::is_cue;
use super::scan::{Facts, Number};
use super::source::Read;
use crate::base::text::analysis::{TermKind, kind, term_set};
use crate::base::text::{Language, is_cjk, sentences};

/// If there are more figures than this, none is tried.
const MAX_FIGURES: usize = 24;

/// Marks between two clauses.
const MARKS: [char; 9] = [',', ';', ':', '、', '，', '；', '：', '|', '\n'];
/// Words between two clauses.
const JOINTS: [&str; 11] = ["and", "while", "whereas", "but", "und", "während", "aber", "sowie", "et", "y", "och"];

/// A figure of a passage, with what it is about.
#[derive(Debug)]
pub(super) struct Figure<'r> {
    pub value: f64,
    /// As written.
    pub words: &'r str,
    /// The words of its clause that the claim has too.
    names: BTreeSet<String>,
    year: Option<i32>,
}

/// The clause of a sentence that states the calculated figure.
pub(super) struct Claim {
    /// In lower case.
    pub lower: String,
    names: BTreeSet<String>,
    years: BTreeSet<i32>,
}

/// Two figures to compare: `new` is measured against `base`.
pub(super) struct Pair<'f, 'r> {
    pub base: &'f Figure<'r>,
    pub new: &'f Figure<'r>,
    /// Whether they are one thing in two years.
    pub is_dated: bool,
    /// Whether they have one name.
    pub is_same: bool,
}

impl Claim {
    pub fn of(sentence: &str, number: &Number, facts: &Facts, language: Language) -> Claim {
        let whole = 0..sentence.len();
        let clauses = clauses(sentence, &whole, facts);
        let own = clauses.iter().find(|clause| clause.contains(&number.range.start)).unwrap_or(&whole);
        let names = |range: &Range<usize>| names(sentence, range, facts, language);
        let years = |range: &Range<usize>| years(range, facts).collect::<BTreeSet<i32>>();
        // A clause without words or years of its own has those of the whole sentence.
        let told = Some(names(own)).filter(|names| !names.is_empty()).unwrap_or_else(|| names(&whole));
        let dated = Some(years(own)).filter(|years| !years.is_empty()).unwrap_or_else(|| years(&whole));
        Claim { lower: sentence[own.clone()].to_lowercase(), names: told, years: dated }
    }

    /// The first place where it names a figure.
    fn place_of(&self, figure: &Figure<'_>) -> usize {
        figure.names.iter().filter_map(|name| self.lower.find(name.as_str())).min().unwrap_or(usize::MAX)
    }

    /// Whether a figure may be compared with one of the same name: its year is named or, if only one year is named, is
    /// the year before that.
    fn compares(&self, figure: &Figure<'_>) -> bool {
        match self.years.len() {
            0 => true,
            1 => figure.year.is_none_or(|year| self.years.contains(&year) || self.years.contains(&(year + 1))),
            _ => figure.year.is_some_and(|year| self.years.contains(&year)),
        }
    }

    /// Whether a figure may be added to others: its year is named, or lies between years that are.
    fn spans(&self, figure: &Figure<'_>) -> bool {
        let span = self.years.first().zip(self.years.last());
        span.is_none_or(|(first, last)| match figure.year {
            Some(year) => (*first..=*last).contains(&year),
            None => first == last,
        })
    }
}

/// The figures of some passages that a claim may calculate with, each once. A figure is left out if another one has all
/// its words and more.
pub(super) fn figures<'r>(
    claim: &Claim,
    reads: &[&'r Read],
    language: Language,
    may_join: impl Fn(&Number) -> bool,
) -> Vec<Figure<'r>> {
    let mut found: Vec<Figure<'r>> = Vec::new();
    for &read in reads {
        for figure in figures_of(claim, read, language, &may_join) {
            let is_known = |other: &Figure<'_>| {
                (other.value, other.year, &other.names) == (figure.value, figure.year, &figure.names)
            };
            if !found.iter().any(is_known) {
                found.push(figure);
            }
        }
    }
    let all: Vec<BTreeSet<String>> = found.iter().map(|one| one.names.clone()).collect();
    let is_less =
        |names: &BTreeSet<String>| all.iter().any(|other| other.len() > names.len() && names.is_subset(other));
    found.retain(|one| !is_less(&one.names));
    if found.len() > MAX_FIGURES { Vec::new() } else { found }
}

fn figures_of<'r>(
    claim: &Claim,
    read: &'r Read,
    language: Language,
    may_join: &impl Fn(&Number) -> bool,
) -> Vec<Figure<'r>> {
    let text = read.whole();
    let mut found = Vec::new();
    let mut last: BTreeSet<String> = BTreeSet::new();
    for sentence in sentences(text) {
        let mut year = None;
        let clauses = clauses(text, &sentence, &read.facts);
        if clauses.is_empty() {
            last = names(text, &sentence, &read.facts, language);
        }
        for clause in clauses {
            let own = names(text, &clause, &read.facts, language);
            // A clause without words of its own has those of the one before it.
            if !own.is_empty() {
                last = own;
            }
            let told: BTreeSet<String> = last.intersection(&claim.names).cloned().collect();
            year = years(&clause, &read.facts).next().or(year).or_else(|| years(&sentence, &read.facts).next());
            let numbers = read.facts.numbers.iter().filter(|number| clause.contains(&number.range.start));
            let numbers: Vec<&Number> = numbers.filter(|number| !number.soft && may_join(number)).collect();
            // With several figures in a clause that also speaks of something else, it is unknown which one is meant.
            if told.is_empty() || numbers.len() > 1 && told.len() < last.len() {
                continue;
            }
            for number in numbers {
                let Some((value, _)) = number.values.first().copied() else { continue };
                let words = text.get(number.range.clone()).unwrap_or_default();
                found.push(Figure { value, words, names: told.clone(), year });
            }
        }
    }
    found
}

/// The figures that may be added up: all figures of one name, or one figure of each name.
pub(super) fn groups<'f, 'r>(claim: &Claim, figures: &'f [Figure<'r>]) -> Vec<&'f Figure<'r>> {
    let of_years: Vec<&Figure<'r>> = figures.iter().filter(|one| claim.spans(one)).collect();
    let group = if is_one_name(figures) { of_years } else { named_once(&of_years) };
    if group.len() > 1 { group } else { Vec::new() }
}

/// The pairs that may be compared: the figures of one name with each other, or those of several names.
pub(super) fn pairs<'f, 'r>(claim: &Claim, figures: &'f [Figure<'r>]) -> Vec<Pair<'f, 'r>> {
    let is_same = is_one_name(figures);
    let of_years: Vec<&Figure<'r>> = match is_same {
        true => figures.iter().filter(|one| claim.compares(one)).collect(),
        false => named_once(&figures.iter().filter(|one| claim.spans(one)).collect::<Vec<_>>()),
    };
    let mut found = Vec::new();
    for (at, &base) in of_years.iter().enumerate() {
        for &new in of_years.iter().skip(at + 1) {
            let years = base.year.zip(new.year).filter(|(a, b)| a != b);
            let pair = |base, new, is_dated| Pair { base, new, is_dated, is_same };
            match (is_same, years) {
                (true, Some((a, b))) if a > b => found.push(pair(new, base, true)),
                (true, Some(_)) => found.push(pair(base, new, true)),
                (true, None) => found.extend([pair(base, new, false), pair(new, base, false)]),
                (false, Some(_)) => {}
                // The figure named first is compared with the other.
                (false, None) if claim.place_of(base) < claim.place_of(new) => found.push(pair(new, base, false)),
                (false, None) => found.push(pair(base, new, false)),
            }
        }
    }
    found
}

fn is_one_name(figures: &[Figure<'_>]) -> bool {
    figures.windows(2).all(|two| two[0].names == two[1].names)
}

/// The figures whose name no other figure has.
fn named_once<'f, 'r>(figures: &[&'f Figure<'r>]) -> Vec<&'f Figure<'r>> {
    let is_alone = |one: &&Figure<'r>| figures.iter().filter(|other| other.names == one.names).count() == 1;
    figures.iter().copied().filter(is_alone).collect()
}

/// The clauses of a sentence that have a figure. A part without one belongs to the next clause, the end to the last.
fn clauses(text: &str, sentence: &Range<usize>, facts: &Facts) -> Vec<Range<usize>> {
    let inside = |at: usize| {
        let ranges = facts.numbers.iter().map(|one| &one.range).chain(facts.dates.iter().map(|one| &one.range));
        ranges.into_iter().any(|range| range.start < at && at < range.end)
    };
    let words = &text[sentence.clone()];
    let marks = words.char_indices().filter(|(_, c)| MARKS.contains(c)).map(|(at, _)| at);
    let joints = words.unicode_word_indices().filter(|(_, word)| JOINTS.contains(word)).map(|(at, _)| at);
    let mut cuts: Vec<usize> = marks.chain(joints).map(|at| sentence.start + at).filter(|at| !inside(*at)).collect();
    cuts.sort_unstable();
    cuts.push(sentence.end);
    let (mut found, mut start) = (Vec::<Range<usize>>::new(), sentence.start);
    for end in cuts {
        let is_figure = |number: &Number| !number.soft && (start..end).contains(&number.range.start);
        if facts.numbers.iter().any(is_figure) {
            found.push(start..end);
            start = end;
        }
    }
    if let Some(last) = found.last_mut() {
        last.end = sentence.end;
    }
    found
}

/// The years that a part of a text names, in order.
fn years<'f>(part: &Range<usize>, facts: &'f Facts) -> impl Iterator<Item = i32> + use<'f> {
    let part = part.clone();
    let dates = facts.dates.iter().filter(move |date| part.contains(&date.range.start));
    dates.filter_map(|date| date.readings.first()?.year)
}

/// The words of a part of a text that say what its figures are about: without figures, days, and words for a
/// calculation.
fn names(text: &str, part: &Range<usize>, facts: &Facts, language: Language) -> BTreeSet<String> {
    let mut plain = text[part.clone()].to_owned();
    let ranges = facts.numbers.iter().map(|one| &one.range).chain(facts.dates.iter().map(|one| &one.range));
    let mut ranges: Vec<&Range<usize>> =
        ranges.filter(|range| part.start <= range.start && range.end <= part.end).collect();
    ranges.sort_by_key(|range| std::cmp::Reverse(range.start));
    for range in ranges {
        let length = range.len();
        plain.replace_range(range.start - part.start..range.end - part.start, &" ".repeat(length));
    }
    let is_told = |word: &&str| word.contains(is_cjk) || !is_cue(&word.to_lowercase());
    let told: Vec<&str> = plain.split_word_bounds().filter(is_told).collect();
    let mut terms = term_set(&told.concat(), language);
    let is_name = |term: &str| matches!(kind(term), TermKind::Word | TermKind::Characters) && term.chars().count() > 1;
    terms.retain(|term| is_name(term) && !(term.contains(is_cjk) && is_cue(term)));
    terms
}
