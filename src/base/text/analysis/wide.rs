//! Scripts written without spaces between words.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Scan;
use crate::base::text::is_hiragana;

/// Scripts whose runs are cut into pairs. A pair never spans two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WideScript {
    /// Ideographs and kana, which Japanese mixes within a word.
    EastAsian,
    /// Written with spaces, but particles are attached to words.
    Hangul,
    /// Thai, Lao, Khmer, Burmese.
    SouthEastAsian,
}

/// The script of a character, if it is one without spaces.
pub(super) fn script(character: char) -> Option<WideScript> {
    match u32::from(character) {
        0..=0xdff => None,
        0x3005..=0x3007
        | 0x3041..=0x3096
        | 0x309d..=0x309f
        | 0x30a1..=0x30fa
        | 0x30fc..=0x30ff
        | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xf900..=0xfaff
        | 0xff66..=0xff9f
        | 0x20000..=0x3ffff => Some(WideScript::EastAsian),
        0x1100..=0x11ff | 0x3131..=0x318e | 0xac00..=0xd7fb => Some(WideScript::Hangul),
        0xe01..=0xe3a | 0xe40..=0xe5b | 0xe81..=0xedf | 0x1000..=0x109f | 0x1780..=0x17dd => {
            Some(WideScript::SouthEastAsian)
        }
        _ => None,
    }
}

fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character), 0x3005..=0x3007 | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// The kind of a search term, as far as it affects the weight of the term beside its rarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A word of a script with spaces, or a number.
    Word,
    /// A character or a pair of a script without spaces.
    Characters,
    /// A pair of which one is hiragana: often the border between a word and an ending.
    MixedPair,
    /// Hiragana alone: mostly endings and particles, the stop words of Japanese.
    Hiragana,
    /// A term with a character that asks, such as `何`: a question has it, its answer has not.
    Asking,
}

impl TermKind {
    /// The weight of the term beside its rarity. Tuned on Japanese questions; results are flat around these values.
    pub fn weight(self) -> f32 {
        match self {
            TermKind::Word | TermKind::Characters => 1.0,
            TermKind::MixedPair => 0.5,
            TermKind::Hiragana | TermKind::Asking => 0.2,
        }
    }
}

/// Whether a character mostly stands in question words: what, who, which.
fn is_interrogative(character: char) -> bool {
    matches!(character, '何' | '誰' | '谁' | '哪')
}

/// The kind of a term from the analysis.
pub fn kind(term: &str) -> TermKind {
    if !term.chars().any(|character| script(character).is_some()) {
        return TermKind::Word;
    }
    if term.chars().any(is_interrogative) {
        return TermKind::Asking;
    }
    let hiragana = term.chars().filter(|&character| is_hiragana(character)).count();
    match hiragana {
        0 => TermKind::Characters,
        _ if term.chars().all(is_hiragana) => TermKind::Hiragana,
        _ => TermKind::MixedPair,
    }
}

/// A character with its combining marks.
struct Unit {
    range: Range<usize>,
    /// In compatibility form.
    text: String,
}

impl Unit {
    fn at(text: &str, start: usize) -> Option<Unit> {
        let mut characters = text[start..].chars();
        let mut end = start + characters.next()?.len_utf8();
        for mark in characters.take(8) {
            // Half-width kana carry their voicing mark as a separate character.
            if !(is_combining_mark(mark) || matches!(mark, '\u{ff9e}' | '\u{ff9f}')) {
                break;
            }
            end += mark.len_utf8();
        }
        Some(Unit { range: start..end, text: text[start..end].nfkc().collect() })
    }

    /// Whether it is a term by itself, even beside others.
    fn stands_alone(&self) -> bool {
        self.text.chars().next().is_some_and(is_ideograph)
    }
}

impl<V: FnMut(&str, Range<usize>, usize)> Scan<'_, V> {
    /// Emits the pairs and the ideographs of the run at `start`; returns its end.
    pub(super) fn wide_run(&mut self, start: usize, run_script: WideScript) -> usize {
        let Some(mut unit) = Unit::at(self.text, start) else { return self.text.len() };
        let mut alone = true;
        let mut pair = String::new();
        loop {
            if unit.stands_alone() {
                (self.visit)(&unit.text, unit.range.clone(), self.position);
            }
            let end = unit.range.end;
            let follows = self.text[end..].chars().next().and_then(script) == Some(run_script);
            let next = if follows { Unit::at(self.text, end) } else { None };
            let Some(next) = next else {
                // A run of one character: a word in Korean, a stray particle in Japanese.
                let particle = unit.text.chars().all(is_hiragana);
                if alone && !unit.stands_alone() && !particle {
                    (self.visit)(&unit.text, unit.range, self.position);
                }
                self.position += 1;
                return end;
            };
            pair.clear();
            pair.push_str(&unit.text);
            pair.push_str(&next.text);
            (self.visit)(&pair, unit.range.start..next.range.end, self.position);
            self.position += 1;
            alone = false;
            unit = next;
        }
    }
}
