//! Finds the words of a text: they end at characters that are not letters; in Vietnamese, which puts spaces between
//! syllables, they are the longest listed sequences; in Chinese and Thai, which have no spaces, and in Korean, whose
//! particles attach to words, they are the listed parts of a run.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::base::text::{is_cjk, is_thai};
use crate::bundled::segmentation::likeliest;

/// The most syllables of a word with spaces, and the most characters of a word in a run.
const SYLLABLES: usize = 4;
const CHARACTERS: usize = 24;

/// The fewest characters for a listed word to stand beside unlisted ones: of ideographs and syllables, and of Thai
/// letters.
const LEAST: usize = 2;
const LEAST_OF_THAI: usize = 3;

/// Log-likelihoods of the parts of a run: a listed word, a listed word of one character, an unlisted character.
const OF_WORD: f32 = -2.0;
const OF_SINGLE: f32 = -3.0;
const OF_NONE: f32 = -6.0;

/// The words of a text; `is_listed` tells whether the list contains a lower-case word.
pub(super) fn of<'t>(text: &'t str, is_listed: impl Fn(&str) -> bool + 't) -> impl Iterator<Item = Range<usize>> + 't {
    let mut at = 0;
    let mut parts: Vec<Range<usize>> = Vec::new();
    std::iter::from_fn(move || {
        loop {
            if let Some(part) = parts.pop() {
                return Some(part);
            }
            let word = next(text, at)?;
            at = word.end;
            let letters = &text[word.clone()];
            if letters.starts_with(is_of_run) {
                parts = split_run(letters, &is_listed);
                parts.iter_mut().for_each(|part| *part = word.start + part.start..word.start + part.end);
                parts.reverse();
            } else if !letters.contains(char::is_numeric) {
                at = end_with_spaces(text, word.clone(), &is_listed).unwrap_or(word.end);
                return Some(word.start..at);
            }
        }
    })
}

/// Whether the next word may follow a character without a space.
fn is_of_run(character: char) -> bool {
    is_thai(character) || is_cjk(character)
}

/// The next sequence of letters, digits and combining marks in one kind of script.
fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].find(char::is_alphanumeric)?;
    let in_run = text[start..].starts_with(is_of_run);
    let is_within = |one: char| is_of_run(one) == in_run && (one.is_alphanumeric() || is_combining_mark(one));
    Some(start..text[start..].find(|one| !is_within(one)).map_or(text.len(), |length| start + length))
}

/// The end of the longest listed word with spaces that begins with the syllable `first`.
fn end_with_spaces(text: &str, first: Range<usize>, is_listed: &impl Fn(&str) -> bool) -> Option<usize> {
    let mut end = first.end;
    let mut longest = None;
    for _ in 1..SYLLABLES {
        let Some(word) = next(text, end).filter(|word| text[end..word.start] == *" ") else { break };
        end = word.end;
        if is_listed(&text[first.start..end].to_lowercase()) {
            longest = Some(end);
        }
    }
    longest
}

/// The parts of a run: listed words and what lies between them. A very short word beside unlisted characters is merged
/// with them, since together they are probably a name.
fn split_run(run: &str, is_listed: &impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let of_part = |part: &str, length: usize| match is_listed(part) {
        true if length > 1 => Some((true, OF_WORD)),
        true => Some((true, OF_SINGLE)),
        false => (length == 1).then_some((false, OF_NONE)),
    };
    let mut parts = likeliest(run, CHARACTERS, of_part);
    let least = if run.starts_with(is_thai) { LEAST_OF_THAI } else { LEAST };
    let is_hardly_word = |part: &Range<usize>| run[part.clone()].chars().nth(least - 1).is_none();
    parts.dedup_by(|(part, is_word), (before, was_word)| {
        let is_one = match (*was_word, *is_word) {
            (true, true) => false,
            (true, false) => is_hardly_word(before),
            (false, true) => is_hardly_word(part),
            (false, false) => true,
        };
        if is_one {
            (before.end, *was_word) = (part.end, false);
        }
        is_one
    });
    parts.into_iter().map(|(part, _)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        let check = |text: &str, listed: &[&str], expected: &[&str]| {
            let found: Vec<&str> = of(text, |word| listed.contains(&word)).map(|word| &text[word]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("l'école, 3a", &["école"], &["l", "école"]);
        check("हिन्दी में", &[], &["हिन्दी", "में"]);
        // The longest listed sequence of syllables, and none across a comma.
        let listed = ["hợp đồng", "hợp", "thời hạn hợp đồng"];
        check("Thời hạn hợp đồng, hợp  đồng", &listed, &["Thời hạn hợp đồng", "hợp", "đồng"]);
        check("thời hạn thuê", &listed, &["thời", "hạn", "thuê"]);
        check("hợp đồng", &listed, &["hợp đồng"]);
        // The fewest parts; single letters of a name are not words.
        check("계약기간은", &["계약", "기간", "은"], &["계약", "기간", "은"]);
        check("물은 이순신", &["물", "은", "이", "신"], &["물", "은", "이순신"]);
        check("สัญญาเช่าบ้าน", &["สัญญา", "เช่า", "บ้าน", "สัญญาเช่า"], &["สัญญาเช่า", "บ้าน"]);
        check("ทักษิณ", &["ทัก"], &["ทัก", "ษิณ"]);
        check("2019年的GDP", &["年", "的"], &["年", "的", "GDP"]);
        check("", &[], &[]);
    }
}
