//! A text in a form that a new layout does not change: without white space and invisible characters, with marks in one
//! form, and without the Markdown marks of headings and bold words, which quotes in a list of sources lack too.

use unicode_normalization::UnicodeNormalization;

use crate::base::text::mark_length;

/// A text in plain form, with the original position of each of its bytes.
pub(super) struct Plain {
    pub text: String,
    /// For each byte of `text`, the start of its character in the original.
    places: Vec<u32>,
    /// For each byte of `text`, the end of its character in the original.
    ends: Vec<u32>,
}

impl Plain {
    pub fn of(text: &str) -> Plain {
        let mut plain = Plain { text: String::with_capacity(text.len()), places: Vec::new(), ends: Vec::new() };
        for (at, character) in unmarked(text) {
            let (from, to) = (at as u32, (at + character.len_utf8()) as u32);
            let before = plain.text.len();
            push(character, &mut plain.text);
            for _ in before..plain.text.len() {
                plain.places.push(from);
                plain.ends.push(to);
            }
        }
        plain
    }

    /// The range of the original for a range of `text`.
    pub fn original(&self, from: usize, to: usize) -> [usize; 2] {
        let start = self.places.get(from).copied().unwrap_or_default() as usize;
        let end = to.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or_default() as usize;
        [start, end.max(start)]
    }
}

/// The plain form without positions.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    unmarked(text).for_each(|(_, character)| push(character, &mut out));
    out
}

/// The characters of a text with their positions, without Markdown marks.
fn unmarked(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let mut behind = 0;
    text.char_indices().filter(move |&(at, character)| {
        if at >= behind && matches!(character, '#' | '*') {
            behind = at + mark_length(text, at);
        }
        at >= behind
    })
}

fn push(character: char, out: &mut String) {
    if character.is_ascii() {
        if !character.is_ascii_whitespace() && !character.is_ascii_control() {
            out.push(character);
        }
        return;
    }
    match character {
        _ if character.is_whitespace() || character.is_control() => {}
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
        '‘' | '’' | '‚' => out.push('\''),
        '“' | '”' | '„' => out.push('"'),
        '‐' | '‑' | '–' | '—' | '−' => out.push('-'),
        _ => out.extend(std::iter::once(character).nfkc().filter(|c| !c.is_whitespace())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_without_marks_is_found_where_it_stands() {
        let text = "## Part 2\n\nIt is **very** old, x**2.";
        assert_eq!(plain(text), plain("Part 2 It is very old, x**2."));
        assert_eq!(plain(text), plain("## Part 2 It is **very** old, x**2."));
        let found = Plain::of(text);
        let at = found.text.find("very").unwrap();
        assert_eq!(found.original(at, at + "very".len()), [19, 23]);
    }
}
