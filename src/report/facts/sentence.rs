//! Checks one sentence of a report against the passages that it cites.
//!
//! A sentence that stands word for word in a passage holds. If one is nearly a sentence of a passage, a figure, day,
//! name or unit that replaces another is a mistake, even if the passage has it elsewhere. All other sentences are
//! reworded: their figures, days and names must stand somewhere in the passages that they cite.

use std::ops::Range;

use serde::Serialize;

use super::derived::{Derivation, Sentence};
use super::names;
use super::scan::{Date, Day, Facts, Number, close, same_value};
use super::source::{Read, Source, key};
use super::units::{UnitKind, taxes};
use crate::base::text::{Language, Token, common_tokens, is_cjk, is_katakana, month_number, one_line, tokens};

/// The share of a sentence's words, replaced ones aside, that a sentence of the source must have in the same order for
/// the two to be compared place by place.
const NEARLY: f64 = 0.8;
/// With fewer common words than this the two are not compared.
const LEAST_COMMON: usize = 3;
/// The least share of all words of the sentence that must be common.
const COMMON: f64 = 0.6;
/// The most words that may replace others in one place.
const MAX_REPLACED: usize = 6;

const NEGATIONS: [&str; 12] =
    ["not", "no", "never", "cannot", "without", "nicht", "kein", "keine", "keinen", "nie", "pas", "non"];
const WIDE_NEGATIONS: [&str; 4] = ["ない", "ません", "なかった", "禁止"];

/// The kind of a fact that a sentence states and its sources do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An amount, a count, a share.
    Figure,
    /// A day, a month, a year.
    Date,
    /// Somebody or something named.
    Name,
    /// Another unit, or another basis, as with and without tax.
    Unit,
    /// A sum, difference, share or growth that its own figures do not give.
    Derived,
    /// Words in quotation marks.
    Quotation,
}

/// Something that the passages cited by its sentence do not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Its kind.
    pub kind: Kind,
    /// The words of the sentence.
    pub words: String,
    /// What the source says in that place, or the result of the calculation; empty if unknown.
    pub source: String,
}

impl Problem {
    /// The problem in words, for a warning.
    pub fn told(&self) -> String {
        let words = &self.words;
        let said = match self.source.as_str() {
            "" => String::new(),
            source => format!(": the source has “{source}”"),
        };
        match self.kind {
            Kind::Figure => format!("the figure “{words}” does not stand in what is cited for it{said}"),
            Kind::Date => format!("the date “{words}” does not stand in what is cited for it{said}"),
            Kind::Name => format!("the name “{words}” does not stand in what is cited for it{said}"),
            Kind::Unit => format!("“{words}” has another unit or basis in what is cited for it{said}"),
            Kind::Derived => format!("“{words}” is not what its figures give: {}", self.source),
            Kind::Quotation => format!("the quoted words “{words}” do not stand in what is cited for them"),
        }
    }
}

/// The result of checking one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentenceCheck {
    /// The parts of it that its sources do not have.
    pub problems: Vec<Problem>,
    /// Figures that were recalculated and are right, each with its formula.
    pub derived: Vec<String>,
}

/// Checks a sentence, without its citations, against the passages that it cites.
pub fn check(sentence: &str, sources: &[&Source], language: Language) -> SentenceCheck {
    let mut checked = SentenceCheck::default();
    let reads: Vec<&Read> = sources.iter().map(|source| source.read()).collect();
    if reads.is_empty() {
        return checked;
    }
    let words = tokens(sentence);
    let from = match own_words(sentence, &words, &reads) {
        Some(0) => return checked,
        Some(end) => end,
        None => words.len(),
    };
    // Text that stands word for word in a passage is left out of the checks below.
    let end = words.get(from).map_or(sentence.len(), |word| word.range.start);
    let (sentence, words) = (&sentence[..end], &words[..from]);
    let facts = Facts::of(sentence);
    let near = nearest(words, &reads).filter(|near| !is_row(sentence) || is_row(&near.own.text));
    let told = Sentence::new(sentence, &facts, &reads, language);
    for number in &facts.numbers {
        check_number(number, &told, near.as_ref(), &mut checked);
    }
    for date in &facts.dates {
        let stands = reads.iter().any(|read| is_date_in_passage(date, read));
        let replaced = near.as_ref().and_then(|near| {
            let theirs = near.in_place_of(&date.range, is_date_like)?;
            let is_said = is_date_in_passage(date, near.own.read()) && !is_other_year(date, &theirs);
            (!is_said).then_some(theirs)
        });
        if stands && replaced.is_none() {
            continue;
        }
        let said = replaced.unwrap_or_default();
        let elsewhere = near.as_ref().is_some_and(|near| {
            let of_document = near.read.about.dates.iter().flat_map(|date| &date.readings);
            reads.len() > 1 && is_date_elsewhere(date, near, &reads)
                || !near.is_quoted && of_document.clone().any(|theirs| date.readings.contains(theirs))
        });
        if !(stands && elsewhere) {
            push(&mut checked, Kind::Date, &sentence[date.range.clone()], said);
        }
    }
    for name in names::missing(sentence, &reads, language) {
        let inside = |range: &Range<usize>| range.start <= name.start && name.end <= range.end;
        let of_fact =
            facts.dates.iter().map(|date| &date.range).chain(facts.numbers.iter().map(|number| &number.range));
        if !of_fact.into_iter().any(inside) {
            let said = near.as_ref().and_then(|near| near.in_place_of(&name, |_| true)).unwrap_or_default();
            push(&mut checked, Kind::Name, &sentence[name], said);
        }
    }
    if let Some(near) = &near {
        for (ours, theirs) in near.replaced_names(sentence, language) {
            if !names::stands(&ours, &reads) || near.swapped(&ours) {
                push(&mut checked, Kind::Name, &ours, theirs);
            }
        }
    }
    let lower = sentence.to_lowercase();
    for (tax, name) in taxes(&lower) {
        let theirs: Vec<_> = reads.iter().flat_map(|read| taxes(&read.lower)).collect();
        if !theirs.is_empty() && theirs.iter().all(|(other, _)| *other != tax) {
            let said = theirs.first().map(|(_, name)| (*name).to_owned()).unwrap_or_default();
            push(&mut checked, Kind::Unit, name, said);
        }
    }
    checked
}

/// Whether two wordings of one statement say different things: another figure, or a negation that the other lacks. If
/// they speak of different years, both may be right.
pub fn differ_in_facts(one: &str, other: &str) -> bool {
    let (one, other) = (Source::new(one, ""), Source::new(other, ""));
    let (a, b) = (one.read(), other.read());
    if a.years != b.years && !a.years.is_empty() && !b.years.is_empty() {
        return false;
    }
    let lacks =
        |a: &Read, b: &Read| a.facts.numbers.iter().any(|number| standing(number, &[b]) == FigureMatch::Missing);
    let negations = |read: &Read| {
        read.tokens.iter().filter(|token| NEGATIONS.contains(&token.text.as_str())).count()
            + WIDE_NEGATIONS.iter().map(|word| read.lower.matches(word).count()).sum::<usize>()
    };
    lacks(a, b) && lacks(b, a) || negations(a) != negations(b)
}

fn push(checked: &mut SentenceCheck, kind: Kind, words: &str, source: String) {
    let words = one_line(words);
    let known = |problem: &Problem| problem.words.contains(&words) || words.contains(&problem.words);
    if !checked.problems.iter().any(known) {
        checked.problems.push(Problem { kind, words, source: one_line(&source) });
    }
}

/// The number of tokens at the beginning that are the report's own, if the rest stands word for word in a passage:
/// none, or those before a colon. `None` if it does not.
fn own_words(sentence: &str, words: &[Token], reads: &[&Read]) -> Option<usize> {
    let stands = |from: usize| {
        let wanted = &words[from..];
        !wanted.is_empty()
            && reads.iter().any(|read| {
                read.tokens.windows(wanted.len()).any(|window| window.iter().zip(wanted).all(|(a, b)| a.text == b.text))
            })
    };
    if stands(0) {
        return Some(0);
    }
    let colons = sentence.char_indices().filter(|(_, c)| matches!(c, ':' | '：')).map(|(at, c)| at + c.len_utf8());
    colons
        .map(|at| words.partition_point(|word| word.range.start < at))
        .find(|from| *from < words.len() && stands(*from))
}

fn check_number(
    number: &Number,
    sentence: &Sentence<'_>,
    near: Option<&NearSentence<'_>>,
    checked: &mut SentenceCheck,
) {
    let Sentence { text, facts, reads, .. } = *sentence;
    let words = &text[number.range.clone()];
    let standing = standing(number, reads);
    let replaced = near.and_then(|near| {
        let theirs = near.in_place_of(&number.range, |text| has_other_number(text, number))?;
        // A figure in another order still stands there; two figures that have changed places do not.
        let is_said = is_in_passage(number, near.own.read()) && !holds_one_of(facts, &theirs);
        (!is_said).then_some(theirs)
    });
    if let Some(theirs) = replaced {
        let of_document = near.is_some_and(|near| near.has_in_about(number));
        let elsewhere = standing == FigureMatch::Holds && (reads.len() > 1 || of_document);
        if !elsewhere {
            if let Some(derivation) = sentence.derivation(number).filter(Derivation::is_right) {
                return checked.derived.push(derivation.formula);
            }
            return push(checked, Kind::Figure, words, theirs);
        }
    }
    if number.soft {
        return;
    }
    match standing {
        FigureMatch::Holds => {}
        FigureMatch::OtherUnit(theirs) => push(checked, Kind::Unit, words, theirs),
        // 1泊 is "a night" in another language.
        FigureMatch::Missing if is_article(number, text, reads) => {}
        FigureMatch::Missing => match sentence.derivation(number) {
            Some(derivation) if derivation.is_right() => checked.derived.push(derivation.formula),
            Some(derivation) => push(checked, Kind::Derived, words, derivation.formula),
            None => push(checked, Kind::Figure, words, String::new()),
        },
    }
}

/// Whether a number is the "one" before a Japanese or Chinese counter, for which the passages, all in another script,
/// may have an article.
fn is_article(number: &Number, text: &str, reads: &[&Read]) -> bool {
    number.values.first().is_some_and(|(value, _)| close(*value, 1.0))
        && text[number.range.clone()].ends_with(|c: char| c.is_numeric() || is_cjk(c))
        && text[number.range.start..].chars().nth(1).is_some_and(is_cjk)
        && reads.iter().all(|read| !read.whole().contains(is_cjk))
}

#[derive(PartialEq)]
enum FigureMatch {
    Holds,
    /// The number stands there with another unit: the amount as written.
    OtherUnit(String),
    Missing,
}

/// Whether a number stands in one of the passages.
fn standing(number: &Number, reads: &[&Read]) -> FigureMatch {
    let mut other = None;
    for read in reads {
        for amount in number.amounts().chain(number.values.iter().map(|(value, _)| *value)) {
            // Neighbouring keys too, since rounding may separate equal values.
            for index in (-1..=1).filter_map(|step| read.by_value.get(&(key(amount) + step))).flatten() {
                let theirs = &read.facts.numbers[*index];
                if is_equal(number, theirs) {
                    return FigureMatch::Holds;
                }
                if same_value(number, theirs) {
                    other = Some(read.text(theirs.range.start, theirs.range.end).to_owned());
                }
            }
        }
        if read.about.numbers.iter().any(|theirs| is_equal(number, theirs)) || rounds(number, read) {
            return FigureMatch::Holds;
        }
        if has_year(number, read) || in_decade(number, read) || is_label(number, read) {
            return FigureMatch::Holds;
        }
    }
    other.map_or(FigureMatch::Missing, FigureMatch::OtherUnit)
}

/// Whether two numbers are equal amounts of the same kind. If one has no unit, its table or its sentence may tell it
/// elsewhere.
fn is_equal(ours: &Number, theirs: &Number) -> bool {
    match (ours.unit, theirs.unit) {
        (Some(a), Some(b)) if a.kind == b.kind => ours.amounts().any(|a| theirs.amounts().any(|b| close(a, b))),
        (Some(a), Some(b)) if a.is_strict() && b.is_strict() => false,
        // A multiple of something is not an amount of it.
        (Some(a), Some(b)) if a.kind == UnitKind::Times && b.is_strict() && b.kind != UnitKind::Time => false,
        // Only the first reading counts: `2,810` may be read as 2.81, but is not that multiple.
        (Some(a), None) if a.kind == UnitKind::Times => {
            ours.values.iter().any(|(a, _)| theirs.values.first().is_some_and(|(b, _)| close(*a, *b)))
        }
        (Some(a), None) if a.kind == UnitKind::Percent => {
            // `0.25` is 25 %.
            same_value(ours, theirs)
                || ours.values.iter().any(|(a, _)| theirs.values.iter().any(|(b, _)| close(*a, b * 100.0)))
        }
        _ => same_value(ours, theirs),
    }
}

/// Whether a number is the rounded form of a longer one in the passage.
fn rounds(number: &Number, read: &Read) -> bool {
    let decimals = number.values.first().is_some_and(|(_, step)| *step < 1.0);
    // `2,813` may be read as 2.813, but is not that multiple.
    let is_relative = number.unit.is_some_and(|unit| matches!(unit.kind, UnitKind::Times | UnitKind::Percent));
    let readings = if is_relative { 1 } else { usize::MAX };
    (number.scaled || decimals)
        && read.facts.numbers.iter().filter(|theirs| !theirs.soft).any(|theirs| {
            let kinds = match (number.unit, theirs.unit) {
                (Some(a), Some(b)) => a.kind == b.kind,
                _ => true,
            };
            kinds
                && number.values.iter().any(|(ours, step)| {
                    theirs
                        .values
                        .iter()
                        .take(readings)
                        .any(|(other, finer)| finer < step && (ours - other).abs() <= 0.5 * step * 1.000_001)
                })
        })
}

/// Whether a number is a year, month or day of the passage. A count such as `2000` may be read as a year, and the other
/// way round.
fn has_year(number: &Number, read: &Read) -> bool {
    let is_year = |value: f64| value.fract() == 0.0 && read.years.contains(&(value as i32));
    (number.unit.is_none() || number.unit.is_some_and(|unit| unit.kind == UnitKind::Time))
        && number.values.iter().any(|(value, _)| is_year(*value))
        || number.unit.is_none()
            && number.values.iter().any(|(value, _)| {
                read.days.iter().any(|day| {
                    day.day.is_some_and(|day| close(f64::from(day), *value))
                        || day.month.is_some_and(|month| close(f64::from(month), *value))
                })
            })
}

fn in_decade(number: &Number, read: &Read) -> bool {
    is_decade(number)
        && number.values.iter().any(|(value, _)| {
            let first = *value as i32;
            read.years.range(first..first + 10).next().is_some()
                || read.facts.numbers.iter().any(|theirs| is_decade(theirs) && same_value(number, theirs))
        })
}

fn is_decade(number: &Number) -> bool {
    number.unit.is_some_and(|unit| unit.kind == UnitKind::Decade)
}

/// Whether a number is a part of a name in the passage, as in `Q3` or `v1.2`.
fn is_label(number: &Number, read: &Read) -> bool {
    number.unit.is_none() && read.facts.numbers.iter().any(|theirs| theirs.soft && same_value(number, theirs))
}

/// Whether a passage has a date, as far as the sentence states it.
fn is_date_in_passage(date: &Date, read: &Read) -> bool {
    let bare_year = |day: &Day| {
        day.month.is_none() && day.year.is_some_and(|year| read.by_value.contains_key(&key(f64::from(year))))
    };
    let in_decade = |day: &Day| {
        let decade = day.year.filter(|year| day.month.is_none() && year % 10 == 0).map(f64::from);
        let mut decades = read.facts.numbers.iter().filter(|number| is_decade(number));
        decade.is_some_and(|first| decades.any(|one| one.values.iter().any(|(value, _)| close(*value, first))))
    };
    date.readings.iter().any(|ours| {
        bare_year(ours)
            || in_decade(ours)
            || read.days.iter().any(|theirs| {
                let same = |a: Option<u32>, b: Option<u32>| a.is_none() || a == b;
                let year = ours.year.is_none()
                    || ours.year == theirs.year
                    || theirs.year.is_none() && ours.year.is_some_and(|year| read.years.contains(&year));
                let day = same(ours.day, theirs.day)
                    || theirs.day.is_none()
                        && ours.day.is_some_and(|day| read.by_value.contains_key(&key(f64::from(day))));
                year && same(ours.month, theirs.month) && day
            })
    })
}

fn is_date_elsewhere(date: &Date, near: &NearSentence<'_>, reads: &[&Read]) -> bool {
    reads.iter().any(|read| !std::ptr::eq(*read, near.read) && is_date_in_passage(date, read))
}

fn has_other_number(text: &str, number: &Number) -> bool {
    let theirs = Facts::of(text);
    let year =
        |day: &Day| day.year.is_some_and(|year| number.values.iter().any(|(value, _)| close(*value, f64::from(year))));
    if theirs.dates.iter().any(|date| date.readings.iter().any(year)) {
        return false;
    }
    !theirs.numbers.is_empty() && !theirs.numbers.iter().any(|theirs| is_equal(number, theirs))
}

fn is_in_passage(number: &Number, read: &Read) -> bool {
    standing(number, &[read]) == FigureMatch::Holds
}

/// Whether the sentence has a figure of `theirs` in another place.
fn holds_one_of(facts: &Facts, theirs: &str) -> bool {
    Facts::of(theirs).numbers.iter().any(|other| facts.numbers.iter().any(|number| is_equal(number, other)))
}

/// Whether a year alone replaces another year alone of the source.
fn is_other_year(date: &Date, theirs: &str) -> bool {
    let alone = |date: &Date| match date.readings.as_slice() {
        [Day { year: Some(year), month: None, .. }] => Some(*year),
        _ => None,
    };
    let year = alone(date);
    year.is_some() && Facts::of(theirs).dates.iter().filter_map(alone).any(|other| Some(other) != year)
}

/// Whether a sentence is a row of a table.
fn is_row(sentence: &str) -> bool {
    sentence.trim_start().starts_with('|') || sentence.contains("; ") && sentence.contains(": ")
}

fn is_date_like(text: &str) -> bool {
    let facts = Facts::of(text);
    !facts.dates.is_empty()
        || !facts.numbers.is_empty()
        || text.split_whitespace().any(|word| month_number(word.trim_matches(|c: char| !c.is_alphabetic())).is_some())
}

/// A sentence of a passage that says nearly the same, with the places where it differs.
struct NearSentence<'a> {
    read: &'a Read,
    /// The replaced bytes of the report's sentence, and the words that stand there in the source.
    replaced: Vec<(Range<usize>, String)>,
    /// The source's sentence alone.
    own: Source,
    /// Whether the report's statement quotes it.
    is_quoted: bool,
}

fn nearest<'a>(words: &[Token], reads: &[&'a Read]) -> Option<NearSentence<'a>> {
    let mut best: Option<(f64, NearSentence<'a>)> = None;
    for read in reads {
        for range in &read.sentences {
            let theirs = &read.tokens[range.clone()];
            let pairs = common_tokens(words, theirs);
            if pairs.len() < LEAST_COMMON.min(words.len()) || (pairs.len() as f64) < COMMON * words.len() as f64 {
                continue;
            }
            let replaced = replaced(words, theirs, &pairs);
            let own: usize = replaced.iter().map(|(ours, _)| ours.len()).sum();
            let share = pairs.len() as f64 / (words.len() - own).max(1) as f64;
            // In a tie, the sentence with fewer differing words.
            let score = share + 0.001 * pairs.len() as f64 / theirs.len().max(1) as f64 - 0.01 * own as f64;
            if share < NEARLY || own * 2 > words.len() || best.as_ref().is_some_and(|(other, _)| *other >= score) {
                continue;
            }
            let bytes = |part: &Range<usize>| words[part.start].range.start..words[part.end - 1].range.end;
            let source_words = |part: &Range<usize>| {
                let (from, to) = (theirs[part.start].range.start, theirs[part.end - 1].range.end);
                read.text(from, to).to_owned()
            };
            let replaced = replaced.iter().map(|(ours, theirs)| (bytes(ours), source_words(theirs))).collect();
            let bytes = match (theirs.first(), theirs.last()) {
                (Some(first), Some(last)) => first.range.start..last.range.end,
                _ => 0..0,
            };
            let is_quoted = bytes.start < read.quoted.end && read.quoted.start < bytes.end;
            let own = Source::new(read.text(bytes.start, bytes.end), "");
            best = Some((score, NearSentence { read, replaced, own, is_quoted }));
        }
    }
    best.map(|(_, near)| near)
}

/// Runs of words that replace each other between two common words.
fn replaced(ours: &[Token], theirs: &[Token], pairs: &[(usize, usize)]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let (mut a, mut b) = (0, 0);
    for (next_a, next_b) in pairs.iter().copied().chain([(ours.len(), theirs.len())]) {
        let (gap_a, gap_b) = (a..next_a, b..next_b);
        if !gap_a.is_empty() && !gap_b.is_empty() && gap_a.len() <= MAX_REPLACED && gap_b.len() <= MAX_REPLACED {
            found.push((gap_a, gap_b));
        }
        (a, b) = (next_a + 1, next_b + 1);
    }
    found
}

impl NearSentence<'_> {
    /// Whether a number of the report's sentence names the document, as `3` in “Expense rules, version 3” does, and
    /// the sentence that is merely like it is not the one that is quoted.
    fn has_in_about(&self, number: &Number) -> bool {
        !self.is_quoted && self.read.about.numbers.iter().any(|theirs| is_equal(number, theirs))
    }

    /// The words of the source in the place of some bytes of the sentence, if they differ and are of the kind.
    fn in_place_of(&self, range: &Range<usize>, is_kind: impl Fn(&str) -> bool) -> Option<String> {
        let touches = |ours: &Range<usize>| ours.start < range.end && range.start < ours.end;
        self.replaced.iter().find(|(ours, theirs)| touches(ours) && is_kind(theirs)).map(|(_, theirs)| theirs.clone())
    }

    /// The names in the sentence that replace others, each with the source's words.
    fn replaced_names(&self, sentence: &str, language: Language) -> Vec<(String, String)> {
        let german = language.code() == "deu";
        let is_name = |text: &str| {
            let latin = !german
                && text
                    .split_whitespace()
                    .all(|word| word.chars().next().is_some_and(char::is_uppercase) && month_number(word).is_none());
            latin || names::is_known_wide(text) || is_katakana_word(text)
        };
        let widened = |range: &Range<usize>| widen(sentence, range);
        let opens = |range: &Range<usize>| {
            !sentence[..range.start].contains(char::is_alphanumeric) && !sentence[range.clone()].contains(' ')
        };
        self.replaced
            .iter()
            .map(|(ours, theirs)| (widened(ours), theirs))
            .filter(|(ours, theirs)| {
                let text = &sentence[ours.clone()];
                is_name(text) && (is_name(theirs) || text.chars().any(is_cjk)) && !opens(ours)
            })
            .map(|(ours, theirs)| (sentence[ours].to_owned(), theirs.clone()))
            .collect()
    }

    /// Whether the sentence that this one repeats lacks a name.
    fn swapped(&self, name: &str) -> bool {
        !self.own.text.to_lowercase().contains(&name.to_lowercase())
    }
}

fn is_katakana_word(text: &str) -> bool {
    text.chars().count() >= 3 && text.chars().all(is_katakana)
}

/// The whole run of katakana around a part of it; any other range stays as it is.
fn widen(sentence: &str, range: &Range<usize>) -> Range<usize> {
    if !sentence[range.clone()].starts_with(is_katakana) {
        return range.clone();
    }
    let start = sentence[..range.start].trim_end_matches(is_katakana).len();
    let end = sentence.len() - sentence[range.end..].trim_start_matches(is_katakana).len();
    start..end
}
