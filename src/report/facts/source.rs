//! A passage that a report cites, with its contents: figures, days and words, the amounts of its table, and the factors
//! by which the table scales them. Whether a sentence holds is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use super::cells::{Table, is_row};
use super::scan::{Day, Facts, Number};
use super::units::{Unit, scale};
use crate::base::text::{Token, sentences, tokens};

/// A passage that a report cites, with what is known of its document.
#[derive(Debug, Default)]
pub struct Source {
    /// The words of the passage.
    pub text: String,
    /// Its document's title, day, path and headings, which a sentence may name.
    pub about: String,
    /// The bytes of the passage that are quoted for the report's statement; empty if unknown.
    quoted: Range<usize>,
    read: OnceLock<Read>,
}

/// The contents of a passage.
#[derive(Debug)]
pub(super) struct Read {
    text: String,
    /// The quoted bytes; empty if unknown.
    pub quoted: Range<usize>,
    table: OnceLock<Table>,
    /// The factors by which its table may scale its numbers, as its head says.
    pub scales: Vec<f64>,
    pub facts: Facts,
    /// The facts in what is known of the document.
    pub about: Facts,
    pub years: BTreeSet<i32>,
    pub days: Vec<Day>,
    /// The indices of the numbers by their value, in thousandths of their kind's first unit.
    pub by_value: BTreeMap<i128, Vec<usize>>,
    /// The words in lower case, those of the title and the headings included.
    pub words: BTreeSet<String>,
    /// The text and what is known of the document, in lower case.
    pub lower: String,
    pub tokens: Vec<Token>,
    /// The sentences, as ranges of `tokens`.
    pub sentences: Vec<Range<usize>>,
}

impl Source {
    /// A passage, and what is known of its document.
    pub fn new(text: impl Into<String>, about: impl Into<String>) -> Self {
        Source { text: text.into(), about: about.into(), quoted: 0..0, read: OnceLock::new() }
    }

    /// The same, with the bytes of the passage that are quoted for the report's statement.
    #[must_use]
    pub fn quoting(self, quoted: Range<usize>) -> Self {
        Source { quoted, ..self }
    }

    pub(super) fn read(&self) -> &Read {
        self.read.get_or_init(|| Read { quoted: self.quoted.clone(), ..Read::of(&self.text, &self.about) })
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Source::new(text, "")
    }
}

impl Read {
    fn of(text: &str, about: &str) -> Read {
        let (mut facts, about_facts) = (Facts::of(text), Facts::of(about));
        let scales = scales_of_table(text, about);
        // If the head gives several factors, it is unknown which one belongs to which number.
        if let [factor] = scales[..] {
            // Amounts of money are scaled, too.
            let is_amount = |number: &Number| number.unit.is_none_or(Unit::is_currency);
            for number in facts.numbers.iter_mut().filter(|number| !number.scaled && is_amount(number)) {
                let scaled: Vec<(f64, f64)> = number.values.iter().map(|(a, b)| (a * factor, b * factor)).collect();
                number.values.extend(scaled);
            }
        }
        let days: Vec<Day> =
            facts.dates.iter().chain(&about_facts.dates).flat_map(|date| date.readings.iter().copied()).collect();
        let mut by_value: BTreeMap<i128, Vec<usize>> = BTreeMap::new();
        for (index, number) in facts.numbers.iter().enumerate() {
            for value in number.amounts() {
                by_value.entry(key(value)).or_default().push(index);
            }
        }
        let words = text.unicode_words().chain(about.unicode_words()).map(str::to_lowercase).collect();
        let tokens = tokens(text);
        let place = |at: usize| tokens.partition_point(|token| token.range.start < at);
        let sentences = sentences(text).map(|range| place(range.start)..place(range.end)).collect();
        Read {
            text: text.to_owned(),
            quoted: 0..0,
            table: OnceLock::new(),
            scales,
            years: days.iter().filter_map(|day| day.year).collect(),
            days,
            by_value,
            words,
            lower: format!("{text}\n{about}").to_lowercase(),
            tokens,
            sentences,
            facts,
            about: about_facts,
        }
    }
}

impl Read {
    /// The passage.
    pub fn whole(&self) -> &str {
        &self.text
    }

    /// The amounts of its table.
    pub fn table(&self) -> &Table {
        self.table.get_or_init(|| Table::of(&self.text))
    }

    /// The passage's text from one byte to another.
    pub fn text(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }
}

/// Units of Japanese tables that scale their numbers.
const WIDE_UNITS: [(&str, f64); 7] =
    [("百万円", 1e6), ("億円", 1e8), ("万円", 1e4), ("千円", 1e3), ("百万ドル", 1e6), ("万人", 1e4), ("千人", 1e3)];

/// Units of other tables that scale their numbers.
const UNITS: [(&str, f64); 8] = [
    ("in thousands", 1e3),
    ("thousands of", 1e3),
    ("£000", 1e3),
    ("£'000", 1e3),
    ("£’000", 1e3),
    ("$000", 1e3),
    ("(£m)", 1e6),
    ("($m)", 1e6),
];

/// The factors by which a table scales all its numbers, as its head or its title says: `(million dollars)`. Empty if
/// the text is not a table.
fn scales_of_table(text: &str, about: &str) -> Vec<f64> {
    if !text.lines().any(is_row) {
        return Vec::new();
    }
    let mut found: Vec<f64> = Vec::new();
    for words in [text, about] {
        let lower = words.to_lowercase();
        for (at, word) in lower.unicode_word_indices() {
            // A word behind a number multiplies that number alone.
            let before = lower[..at].trim_end_matches([' ', '-', '\u{a0}']);
            let is_of_number = before.ends_with(|last: char| last.is_numeric());
            let says = |factor: &f64| *factor >= 1e3 && word.len() > 2 && word != "mil" && !is_of_number;
            found.extend(scale(word).filter(says));
        }
        for (unit, factor) in UNITS {
            found.extend(lower.contains(unit).then_some(factor));
        }
        for (unit, factor) in WIDE_UNITS {
            let is_head = |at: usize| {
                let last = words[..at].chars().next_back();
                last.is_none_or(|last| !last.is_numeric() && !"百千万億兆一二三四五六七八九十".contains(last))
            };
            found.extend(words.match_indices(unit).filter(|(at, _)| is_head(*at)).map(|_| factor));
        }
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// The key under which equal amounts are found.
pub(super) fn key(value: f64) -> i128 {
    (value * 1000.0).round() as i128
}

impl Number {
    /// Its readings in the first unit of its kind.
    pub(super) fn amounts(&self) -> impl Iterator<Item = f64> + '_ {
        let factor = self.unit.map_or(1.0, |unit| unit.factor);
        self.values.iter().map(move |(value, _)| value * factor)
    }
}
