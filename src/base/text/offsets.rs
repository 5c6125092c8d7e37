use std::borrow::Cow;

use super::joins_without_space;

/// At most `max_chars` characters of `text`, cut at a word boundary in scripts that have words, with `…` if something
/// is missing.
pub fn excerpt(text: &str, max_chars: usize) -> Cow<'_, str> {
    let Some((cut, _)) = text.char_indices().nth(max_chars) else {
        return Cow::Borrowed(text);
    };
    let head = &text[..cut];
    // A word boundary in the last quarter is worth the characters; scripts without spaces have none and are cut at the
    // limit.
    let end = head.rfind(char::is_whitespace).filter(|&space| space * 4 >= cut * 3).unwrap_or(cut);
    Cow::Owned(format!("{}…", head[..end].trim_end()))
}

/// The letters and digits of a text, in lower case: the common part of two spellings of the same words.
pub fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The text with a capital at its beginning, in scripts that have capitals.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The text on one line. Runs of white space become a single space, or nothing where lines of Chinese or Japanese meet.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for wrapped in text.split('\n') {
        let mut begins = true;
        for word in wrapped.split_whitespace() {
            let joins = begins && line.ends_with(joins_without_space) && word.starts_with(joins_without_space);
            if !line.is_empty() && !joins {
                line.push(' ');
            }
            line.push_str(word);
            begins = false;
        }
    }
    line
}

/// The text on one line, cut to at most `max_chars` characters as by [`excerpt`].
pub fn short_line(text: &str, max_chars: usize) -> String {
    excerpt(&one_line(text), max_chars).into_owned()
}

/// The first place of `words` in `text` where they continue on neither side: no character of the kind is joined to
/// another of that kind, as the 8 of "8 pixels" is in "48 pixels".
pub fn place_of(text: &str, words: &str, is_of_kind: fn(char) -> bool) -> Option<usize> {
    let joins = |one: Option<char>, other: Option<char>| one.is_some_and(is_of_kind) && other.is_some_and(is_of_kind);
    text.match_indices(words).map(|(at, _)| at).find(|&at| {
        let (before, behind) = (&text[..at], &text[at + words.len()..]);
        !joins(before.chars().next_back(), words.chars().next())
            && !joins(words.chars().next_back(), behind.chars().next())
    })
}

/// Estimates how many tokens a language model counts in `text`: one for four ASCII bytes, one for each ideograph, kana
/// or Hangul syllable, one for two other characters. Used for budgets before the provider has counted.
pub fn estimate_tokens(text: &str) -> u64 {
    let (mut ascii, mut wide, mut other) = (0u64, 0u64, 0u64);
    for character in text.chars() {
        match u32::from(character) {
            0..=0x7f => ascii += 1,
            0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff => wide += 1,
            _ => other += 1,
        }
    }
    ascii.div_ceil(4) + wide + other.div_ceil(2)
}
