//! Turns text into search terms: one analysis for documents and queries, whichever index keeps the terms.
//!
//! Words are put into lower case and compatibility form, stop words are dropped, words are stemmed by language, and
//! accents are folded. Scripts without spaces give overlapping pairs of characters, and single ideographs too.
//! Identifiers and hyphenated words give the whole and the parts at one position. A script that the text's language
//! does not use is analysed by its own rules, so that English names in a Japanese text are found.

mod compound;
mod wide;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use whatlang::Lang;

use super::Language;
use super::folding::{fold_accents, lower_into};
use super::stems::{SHORT_BYTES, ShortWord, WordForms};

pub use wide::{TermKind, kind};

/// A search term and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Normalized: lower case, accents folded, stemmed.
    pub text: String,
    /// Its bytes in the analysed text.
    pub range: Range<usize>,
    /// Its position, counted in words; a phrase is a run of positions.
    pub position: usize,
}

/// A run of letters longer than this is data, not a word, and gives no term.
pub const MAX_WORD_BYTES: usize = 128;

/// The terms of `text` in `language`, stop words dropped.
pub fn terms(text: &str, language: Language) -> Vec<Term> {
    let mut terms = Vec::new();
    for_each_term(text, language, |term, range, position| terms.push(Term { text: term.to_owned(), range, position }));
    terms
}

/// The distinct terms of `text`, as [`terms`] returns them.
pub fn term_set(text: &str, language: Language) -> BTreeSet<String> {
    terms(text, language).into_iter().map(|term| term.text).collect()
}

/// Calls `visit` with each term of `text`, its byte range and its position, in order of position: [`terms`] without
/// an allocation for each.
pub fn for_each_term(text: &str, language: Language, visit: impl FnMut(&str, Range<usize>, usize)) {
    // Taken out while it is used, so that a visitor may analyse something itself.
    let mut forms = FORMS.take().unwrap_or_default();
    let latin = language_of("a", language);
    Scan { text, language, latin, forms: &mut forms, visit, position: 0, lower: String::new() }.run();
    FORMS.set(Some(forms));
}

thread_local! {
    static FORMS: Cell<Option<Box<Forms>>> = const { Cell::new(None) };
}

/// The word forms of the languages that this thread has met.
#[derive(Default)]
struct Forms {
    by_lang: Vec<(Option<Lang>, WordForms)>,
}

impl Forms {
    fn of(&mut self, lang: Option<Lang>) -> &mut WordForms {
        let place = self.by_lang.iter().position(|(known, _)| *known == lang).unwrap_or_else(|| {
            self.by_lang.push((lang, WordForms::new(lang)));
            self.by_lang.len() - 1
        });
        &mut self.by_lang[place].1
    }
}

struct Scan<'a, V> {
    text: &'a str,
    language: Language,
    /// The language of the words in ASCII, which are most.
    latin: Option<Lang>,
    forms: &'a mut Forms,
    visit: V,
    position: usize,
    lower: String,
}

impl<V: FnMut(&str, Range<usize>, usize)> Scan<'_, V> {
    fn run(mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at].is_ascii() {
                at = if !bytes[at].is_ascii_alphanumeric() {
                    at + 1
                } else if let Some(end) = self.plain_word(at) {
                    end
                } else {
                    self.compound(at)
                };
                continue;
            }
            let Some(character) = self.text[at..].chars().next() else { break };
            at = if let Some(script) = wide::script(character) {
                self.wide_run(at, script)
            } else if character.is_alphanumeric() {
                self.compound(at)
            } else {
                at + character.len_utf8()
            };
        }
    }

    /// A fast path for most English words. Emits the word at `start` and returns its end, if the word is short, in
    /// ASCII, without capitals beyond its first letter, and nothing can join it to what follows. [`Scan::compound`]
    /// would give the same.
    fn plain_word(&mut self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let rest = &bytes[start..];
        let mut word: ShortWord = [0; SHORT_BYTES + 1];
        word[0] = rest.first()?.to_ascii_lowercase();
        let mut digits = word[0].is_ascii_digit();
        let mut length = 1;
        while let Some(&byte) = rest.get(length) {
            if byte.is_ascii_lowercase() {
                digits = false;
            } else if !byte.is_ascii_digit() {
                break;
            }
            *word.get_mut(length).filter(|_| length < SHORT_BYTES)? = byte;
            length += 1;
        }
        match rest.get(length) {
            Some(b'_' | b'+' | b'#' | 0x80..) => return None,
            Some(b'-' | b'.' | b'\'' | b',') => match rest.get(length + 1) {
                Some(next) if next.is_ascii_alphanumeric() || !next.is_ascii() => return None,
                _ => {}
            },
            Some(byte) if byte.is_ascii_uppercase() => return None,
            _ => {}
        }
        let range = start..start + length;
        if digits {
            (self.visit)(&self.text[range.clone()], range, self.position);
        } else if let Some(term) = self.forms.of(self.latin).short_term(&word, length) {
            (self.visit)(term, range, self.position);
        }
        self.position += 1;
        Some(start + length)
    }

    /// Emits the word at `range`, which has no inner structure, as a term at the current position; a stop word gives
    /// none.
    fn word(&mut self, range: Range<usize>) {
        let word = &self.text[range.clone()];
        if word.len() > MAX_WORD_BYTES {
            return;
        }
        lower_into(word, &mut self.lower);
        if self.lower.bytes().all(|byte| byte.is_ascii_digit()) {
            (self.visit)(&self.lower, range, self.position);
            return;
        }
        let lang = if word.is_ascii() { self.latin } else { language_of(word, self.language) };
        if let Some(term) = self.forms.of(lang).term(&self.lower) {
            let name = (lang == Some(Lang::Rus) && may_be_name(word)).then(|| fold_accents(&self.lower));
            let name = name.filter(|name| **name != *term);
            (self.visit)(term, range.clone(), self.position);
            if let Some(name) = name {
                (self.visit)(&name, range, self.position);
            }
        }
    }
}

/// The language by whose rules a word is analysed: the text's if it uses the word's script, or else a default of the
/// script.
fn language_of(word: &str, language: Language) -> Option<Lang> {
    let letter = if word.is_ascii() { Some('a') } else { word.chars().find(|character| character.is_alphabetic()) };
    let (script, default) = match u32::from(letter.unwrap_or('a')) {
        0..=0x24f | 0x1e00..=0x1eff | 0x2c60..=0x2c7f | 0xa720..=0xa7ff | 0xfb00..=0xfb06 | 0xff21..=0xff5a => {
            (whatlang::Script::Latin, Some(Lang::Eng))
        }
        0x370..=0x3ff | 0x1f00..=0x1fff => (whatlang::Script::Greek, Some(Lang::Ell)),
        0x400..=0x52f => (whatlang::Script::Cyrillic, Some(Lang::Rus)),
        0x530..=0x58f => (whatlang::Script::Armenian, Some(Lang::Hye)),
        0x600..=0x6ff | 0x750..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfeff => {
            (whatlang::Script::Arabic, Some(Lang::Ara))
        }
        0x900..=0x97f => (whatlang::Script::Devanagari, Some(Lang::Hin)),
        0xb80..=0xbff => (whatlang::Script::Tamil, Some(Lang::Tam)),
        _ => return None,
    };
    match language.0 {
        Some(lang) if script.langs().contains(&lang) => Some(lang),
        _ => default,
    }
}

/// Whether a Russian word may be the nominative of a surname or a town: `Гусев`, `Киев`. The stemmer cuts its end off as
/// that of a plural, but not that of its other forms: `Гусева`, `Гусеву`. So the whole word is another term for it.
fn may_be_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && ["ов", "ев", "ёв"].iter().any(|end| word.ends_with(end))
}

/// Whether a character continues a word of a script with spaces.
fn continues_word(character: char) -> bool {
    (character.is_alphanumeric() || is_combining_mark(character) || character == '\u{ad}')
        && wide::script(character).is_none()
}

#[cfg(test)]
mod tests;
