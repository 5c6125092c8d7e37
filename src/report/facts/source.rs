use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use unicode_segmentation::UnicodeSegmentation;

use super::scan::{Day, Facts, Number};
use crate::base::text::{Token, sentences, tokens};

/// A passage that a report cites, with what is known of its document.
#[derive(Debug, Default)]
pub struct Source {
    /// The words of the passage.
    pub text: String,
    /// Its document's title, day, path and headings: a sentence may name them.
    pub about: String,
    read: OnceLock<Read>,
}

/// What stands in a passage.
#[derive(Debug)]
pub(super) struct Read {
    text: String,
    pub facts: Facts,
    /// Of what is known of the document.
    pub about: Facts,
    pub years: BTreeSet<i32>,
    pub days: Vec<Day>,
    /// Numbers by their value in thousandths of their kind's first unit.
    pub by_value: BTreeMap<i128, Vec<usize>>,
    /// Words in lower case, those of the title and the headings among them.
    pub words: BTreeSet<String>,
    /// Text and what is known of the document in lower case.
    pub lower: String,
    pub tokens: Vec<Token>,
    /// The sentences, as ranges of `tokens`.
    pub sentences: Vec<std::ops::Range<usize>>,
}

impl Source {
    /// A passage, and what is known of its document.
    pub fn new(text: impl Into<String>, about: impl Into<String>) -> Self {
        Source { text: text.into(), about: about.into(), read: OnceLock::new() }
    }

    pub(super) fn read(&self) -> &Read {
        self.read.get_or_init(|| Read::of(&self.text, &self.about))
    }
}

impl From<String> for Source {
    fn from(text: String) -> Self {
        Source::new(text, "")
    }
}

impl Read {
    fn of(text: &str, about: &str) -> Read {
        let (facts, about_facts) = (Facts::of(text), Facts::of(about));
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

    /// The passage's words from one byte to another.
    pub fn text(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }
}

/// The value by which equal amounts meet.
pub(super) fn key(value: f64) -> i128 {
    (value * 1000.0).round() as i128
}

impl Number {
    /// Its readings in its kind's first unit.
    pub(super) fn amounts(&self) -> impl Iterator<Item = f64> + '_ {
        let factor = self.unit.map_or(1.0, |unit| unit.factor);
        self.values.iter().map(move |(value, _)| value * factor)
    }
}
