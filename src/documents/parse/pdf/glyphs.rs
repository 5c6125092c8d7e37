//! Characters as fonts draw them: accents separate from their letters, and ligatures.

use std::iter::once;

use unicode_normalization::UnicodeNormalization;

use super::leftward;

/// The combining form of an accent that stands alone.
pub(super) fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | '\u{2cb}' => '\u{300}',
        '\u{b4}' | '\u{2ca}' => '\u{301}',
        '^' | '\u{2c6}' => '\u{302}',
        '~' | '\u{2dc}' => '\u{303}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{a8}' => '\u{308}',
        '\u{2da}' => '\u{30a}',
        '\u{2dd}' => '\u{30b}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        _ => return None,
    })
}

/// Appends a character: a ligature as its letters, so that a search finds the word; control characters are dropped.
pub(super) fn push_glyph(text: &mut String, character: char) {
    match character {
        '\u{fb00}'..='\u{fb06}' => text.extend(once(character).nfkc()),
        character if character.is_whitespace() => text.push(' '),
        character if character.is_control() || matches!(character, '\u{feff}' | leftward::JOINER) => {}
        character => text.push(character),
    }
}
