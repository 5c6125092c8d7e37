//! Characters of scripts that put no spaces between words. Other places draw the border elsewhere, each for its own
//! reason: what counts as a token (`offsets`), where a sentence may begin (`sentences`), and what the analysis makes pairs
//! of (`analysis`).

/// Latin letters, digits and punctuation as they are written among ideographs are those of everywhere else.
pub fn half_width(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        _ => character,
    }
}

/// Ideographs, kana and Hangul syllables.
pub fn is_cjk(character: char) -> bool {
    is_kana(character)
        || matches!(u32::from(character), 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Hiragana and katakana.
pub fn is_kana(character: char) -> bool {
    matches!(u32::from(character), 0x3041..=0x30ff)
}

/// Hiragana, which Japanese writes endings and particles in.
pub fn is_hiragana(character: char) -> bool {
    matches!(u32::from(character), 0x3041..=0x309f)
}

/// Katakana, which Japanese writes names and words of other languages in.
pub fn is_katakana(character: char) -> bool {
    matches!(u32::from(character), 0x30a1..=0x30ff)
}

/// Whether two lines that meet at such characters are joined without a space: those of Chinese and Japanese, their
/// punctuation included. Korean has spaces.
pub fn joins_without_space(character: char) -> bool {
    matches!(u32::from(character), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0xff00..=0xff65 | 0x20000..=0x3ffff)
}

/// Whether a character is of Thai or Lao, which have neither spaces between words nor a sign for the end of a sentence.
pub fn is_thai(character: char) -> bool {
    ('\u{0e00}'..='\u{0eff}').contains(&character)
}

/// Whether a character is a capital, or a letter of a script that has none, as Arabic and Thai: a sentence or a name may
/// begin with it.
pub fn may_open(character: char) -> bool {
    character.is_alphabetic() && !character.is_lowercase()
}
