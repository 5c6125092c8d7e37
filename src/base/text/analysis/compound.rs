//! Words of scripts with spaces, and compounds, which are written as one word but read as several.

use std::ops::Range;

use super::super::folding::{fold_accents, lower_into};
use super::{MAX_WORD_BYTES, Scan, continues_word, language_of};
use whatlang::Lang;

/// The features seen while a compound was scanned.
#[derive(Default)]
struct Shape {
    connectors: usize,
    apostrophes: usize,
    /// A lower-case letter or digit before an upper-case one, or two upper-case ones before a lower-case one.
    camel: bool,
    letters: bool,
    /// Whether dots and commas are the only connectors.
    numeric_connectors: bool,
}

impl<V: FnMut(&str, Range<usize>, usize)> Scan<'_, V> {
    /// Emits the terms of the word at `start`; returns its end. The position moves on by one.
    pub(super) fn compound(&mut self, start: usize) -> usize {
        let (end, shape) = self.measure(start);
        let suffix = self.symbol_suffix(start..end);
        if suffix > 0 {
            lower_into(&self.text[start..end + suffix], &mut self.lower);
            (self.visit)(&self.lower, start..end + suffix, self.position);
            self.word(start..end);
        } else if shape.connectors == 0 {
            self.word(start..end);
            if shape.camel {
                self.parts(start..end);
            }
        } else {
            self.joined(start..end, &shape);
        }
        self.position += 1;
        end + suffix
    }

    /// The end of the compound at `start`, and its shape.
    fn measure(&self, start: usize) -> (usize, Shape) {
        let bytes = self.text.as_bytes();
        let mut shape = Shape { numeric_connectors: true, ..Shape::default() };
        let mut at = start;
        let (mut before, mut last) = (0u8, 0u8);
        loop {
            while let Some(&byte) = bytes.get(at) {
                if byte.is_ascii_alphanumeric() {
                    if byte.is_ascii_uppercase() {
                        shape.camel |= last.is_ascii_lowercase() || last.is_ascii_digit();
                    } else if byte.is_ascii_lowercase() {
                        shape.camel |= last.is_ascii_uppercase() && before.is_ascii_uppercase();
                    }
                    shape.letters |= byte.is_ascii_alphabetic();
                    (before, last) = (last, byte);
                    at += 1;
                } else if byte.is_ascii() {
                    break;
                } else {
                    let Some(character) = self.text[at..].chars().next().filter(|&next| continues_word(next)) else {
                        break;
                    };
                    shape.letters = true;
                    (before, last) = (last, b'x');
                    if character.is_uppercase() {
                        last = b'X';
                    }
                    at += character.len_utf8();
                }
            }
            let Some(length) = self.connector(at).filter(|_| at - start <= MAX_WORD_BYTES) else {
                return (at, shape);
            };
            shape.connectors += 1;
            match &self.text[at..at + length] {
                "'" | "’" => {
                    shape.apostrophes += 1;
                    shape.numeric_connectors = false;
                }
                "." | "," => {}
                _ => shape.numeric_connectors = false,
            }
            (before, last) = (0, 0);
            at += length;
        }
    }

    /// The length of the connector at `at`, if it joins the word before it to one after it.
    fn connector(&self, at: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let length = match bytes.get(at)? {
            b'_' => bytes[at..].iter().take(MAX_WORD_BYTES).take_while(|&&byte| byte == b'_').count(),
            b'-' | b'.' | b'\'' => 1,
            b',' => {
                // A thousands separator: exactly three digits follow.
                let digits = bytes[at + 1..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
                let before = at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_digit());
                return (before && digits == 3).then_some(1);
            }
            0xE2 if matches!(self.text[at..].chars().next(), Some('’' | '‐' | '‑')) => 3,
            _ => return None,
        };
        let next = self.text[at + length..].chars().next()?;
        (next.is_ascii_alphanumeric() || (!next.is_ascii() && next.is_alphanumeric() && continues_word(next)))
            .then_some(length)
    }

    /// The length of `++` or `#` after a name of one or two letters: C++, C#, F#.
    fn symbol_suffix(&self, range: Range<usize>) -> usize {
        let bytes = self.text.as_bytes();
        if range.len() > 2 || !bytes[range.clone()].iter().all(u8::is_ascii_alphabetic) {
            return 0;
        }
        let rest = &bytes[range.end..];
        let length = if rest.starts_with(b"++") { 2 } else { usize::from(rest.starts_with(b"#")) };
        if rest.get(length).is_some_and(u8::is_ascii_alphanumeric) { 0 } else { length }
    }

    fn joined(&mut self, range: Range<usize>, shape: &Shape) {
        if !shape.letters && shape.numeric_connectors {
            self.number(range);
            return;
        }
        lower_into(&self.text[range.clone()], &mut self.lower);
        let lang = language_of(&self.text[range.clone()], self.language);
        if shape.apostrophes > 0 {
            if self.forms.of(lang).is_stop_word(&self.lower) {
                return;
            }
            if let Some(stem_end) = possessive_stem(&self.text[range.clone()]) {
                let stem = range.start..range.start + stem_end;
                let (end, shape) = self.measure(stem.start);
                // Without its ending the word may still be joined (`jean-luc's`).
                if shape.connectors > 1 && end == range.end {
                    self.whole_and_parts(stem);
                } else {
                    self.word(stem);
                }
                return;
            }
            if shape.connectors == 1 && lang != Some(Lang::Eng) {
                // An elided article or pronoun (`l'homme`): the word after it is the one that counts.
                if let Some((head, apostrophe)) = split_apostrophe(&self.text[range.clone()])
                    && head <= 5
                {
                    self.word(range.start + head + apostrophe..range.end);
                    return;
                }
            }
        }
        if is_acronym(&self.lower) {
            // `U.S.A` and `USA` are one term.
            let joined: String = self.lower.chars().filter(|&character| character != '.').collect();
            let term = self.forms.of(lang).term(&joined).unwrap_or(&joined).to_owned();
            (self.visit)(&term, range, self.position);
            return;
        }
        self.whole_and_parts(range);
    }

    /// Emits a number: thousands separators are removed, the decimal point stays.
    fn number(&mut self, range: Range<usize>) {
        self.lower.clear();
        self.lower.extend(self.text[range.clone()].chars().filter(|&character| character != ','));
        (self.visit)(&self.lower, range, self.position);
    }

    fn whole_and_parts(&mut self, range: Range<usize>) {
        if range.len() <= MAX_WORD_BYTES {
            lower_into(&self.text[range.clone()], &mut self.lower);
            if self.lower.is_ascii() {
                (self.visit)(&self.lower, range.clone(), self.position);
            } else {
                (self.visit)(&fold_accents(&self.lower), range.clone(), self.position);
            }
        }
        self.parts(range);
    }

    /// Emits each word within `range`, cut at connectors and at changes of case.
    fn parts(&mut self, range: Range<usize>) {
        let text = self.text;
        let mut part = range.start;
        let (mut before, mut last) = (' ', ' ');
        let mut last_at = range.start;
        for (offset, character) in text[range.clone()].char_indices() {
            let at = range.start + offset;
            if !continues_word(character) {
                self.part(part..at);
                part = at + character.len_utf8();
                (before, last) = (' ', ' ');
                continue;
            }
            if character.is_uppercase() && (last.is_lowercase() || last.is_ascii_digit()) {
                self.part(part..at);
                part = at;
            } else if character.is_lowercase() && last.is_uppercase() && before.is_uppercase() && last_at > part {
                self.part(part..last_at);
                part = last_at;
            }
            (before, last) = (last, character);
            last_at = at;
        }
        self.part(part..range.end);
    }

    fn part(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.word(range);
        }
    }
}

/// The length of a word without a final `'s`.
fn possessive_stem(word: &str) -> Option<usize> {
    let stem = word.strip_suffix(['s', 'S'])?;
    let stem = stem.strip_suffix(['\'', '’'])?;
    Some(stem.len())
}

/// The length of the text before the first apostrophe, and of the apostrophe.
fn split_apostrophe(word: &str) -> Option<(usize, usize)> {
    word.char_indices().find(|(_, character)| matches!(character, '\'' | '’')).map(|(at, mark)| (at, mark.len_utf8()))
}

/// Whether a word consists of single letters with dots between them.
fn is_acronym(lower: &str) -> bool {
    lower.split('.').all(|part| {
        let mut characters = part.chars();
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
    })
}
