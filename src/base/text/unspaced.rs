//! Classes of characters in scripts without spaces between words. Other modules draw the line differently, each for its
//! own reason: what counts as a token (`offsets`), where a sentence may begin (`sentences`), and which characters the
//! analysis turns into pairs (`analysis`).

/// The ordinary form of a full-width Latin letter, digit or punctuation mark; other characters are returned unchanged.
pub fn half_width(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        _ => character,
    }
}

/// Whether a character is an ideograph, a kana or a Hangul syllable.
pub fn is_cjk(character: char) -> bool {
    is_kana(character)
        || matches!(u32::from(character), 0x3400..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Whether a character is hiragana or katakana.
pub fn is_kana(character: char) -> bool {
    matches!(u32::from(character), 0x3041..=0x30ff)
}

/// Whether a character is hiragana, in which Japanese writes endings and particles.
pub fn is_hiragana(character: char) -> bool {
    matches!(u32::from(character), 0x3041..=0x309f)
}

/// Whether a character is katakana, in which Japanese writes names and foreign words.
pub fn is_katakana(character: char) -> bool {
    matches!(u32::from(character), 0x30a1..=0x30ff)
}

/// Whether lines that meet at such a character are joined without a space: Chinese and Japanese characters, including
/// their punctuation. Korean has spaces.
pub fn joins_without_space(character: char) -> bool {
    matches!(u32::from(character), 0x2e80..=0x9fff | 0xf900..=0xfaff | 0xff00..=0xff65 | 0x20000..=0x3ffff)
}

/// Whether a character is Thai or Lao; both scripts lack spaces between words and a sign for the end of a sentence.
pub fn is_thai(character: char) -> bool {
    ('\u{0e00}'..='\u{0eff}').contains(&character)
}

/// Whether a sentence or a name may begin with a character: a capital, or a letter of a script without case, such as
/// Arabic or Thai.
pub fn may_open(character: char) -> bool {
    character.is_alphabetic() && !character.is_lowercase()
}
