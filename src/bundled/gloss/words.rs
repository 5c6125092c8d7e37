//! Where the words of a text are: between what is no letter; in Vietnamese, which puts spaces between syllables, the longest
//! that a list has; in Chinese and Thai, which have none, and in Korean, whose particles cling to words, the parts that a list has.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::base::text::{is_cjk, is_thai};

/// Syllables of the longest word with spaces, and characters of the longest in a run.
const SYLLABLES: usize = 4;
const CHARACTERS: usize = 24;

/// Characters of a part of a run that is a word also beside letters of none: of syllables and ideographs, and of letters.
const LEAST: usize = 2;
const LEAST_OF_THAI: usize = 3;

/// What a part of a run costs that is a word, one that is a single character, and each character that is in none.
const COSTS: [u32; 3] = [2, 3, 6];

/// The words of a text; `is_listed` tells whether the list has a word, in lower case.
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
                parts = of_run(letters, &is_listed);
                parts.iter_mut().for_each(|part| *part = word.start + part.start..word.start + part.end);
                parts.reverse();
            } else if !letters.contains(char::is_numeric) {
                at = end_with_spaces(text, word.clone(), &is_listed).unwrap_or(word.end);
                return Some(word.start..at);
            }
        }
    })
}

/// Whether no space need stand between a character and the next word.
fn is_of_run(character: char) -> bool {
    is_thai(character) || is_cjk(character)
}

/// The next letters, digits and their marks in one kind of script.
fn next(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].find(char::is_alphanumeric)?;
    let in_run = text[start..].starts_with(is_of_run);
    let is_within = |one: char| is_of_run(one) == in_run && (one.is_alphanumeric() || is_combining_mark(one));
    Some(start..text[start..].find(|one| !is_within(one)).map_or(text.len(), |length| start + length))
}

/// Where the longest word ends that begins with a syllable and has spaces.
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

/// The parts of a run that cost the least together, and what is between them. What is hardly a word beside letters that
/// are in none is likely a part of a name with these.
fn of_run(run: &str, is_listed: &impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let borders: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    // The cheapest way to each border: its cost, how many characters its last part has, and whether that is a word.
    let mut best = vec![(u32::MAX, 0, false); borders.len()];
    best[0].0 = 0;
    for first in 0..borders.len() - 1 {
        for (last, &end) in borders.iter().enumerate().skip(first + 1).take(CHARACTERS) {
            let part = &run[borders[first]..end];
            let length = last - first;
            let is_word = is_listed(part);
            if !is_word && length > 1 {
                continue;
            }
            let cost = best[first].0 + if is_word { COSTS[usize::from(length == 1)] } else { COSTS[2] };
            if cost < best[last].0 {
                best[last] = (cost, length, is_word);
            }
        }
    }
    let mut parts: Vec<(Range<usize>, usize, bool)> = Vec::new();
    let mut last = borders.len() - 1;
    while last > 0 {
        let (_, length, is_word) = best[last];
        parts.push((borders[last - length]..borders[last], length, is_word));
        last -= length;
    }
    parts.reverse();
    let least = if run.starts_with(is_thai) { LEAST_OF_THAI } else { LEAST };
    let joins = |one: &(Range<usize>, usize, bool), other: &(Range<usize>, usize, bool)| {
        !(one.2 && other.2) && [one, other].iter().all(|part| !part.2 || part.1 < least)
    };
    parts.dedup_by(|part, before| {
        let is_one = joins(before, part);
        if is_one {
            *before = (before.0.start..part.0.end, 0, false);
        }
        is_one
    });
    parts.into_iter().map(|(part, ..)| part).collect()
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
        // The longest of several syllables, and none across a comma.
        let listed = ["hợp đồng", "hợp", "thời hạn hợp đồng"];
        check("Thời hạn hợp đồng, hợp  đồng", &listed, &["Thời hạn hợp đồng", "hợp", "đồng"]);
        check("thời hạn thuê", &listed, &["thời", "hạn", "thuê"]);
        check("hợp đồng", &listed, &["hợp đồng"]);
        // The fewest parts; letters of a name are no words.
        check("계약기간은", &["계약", "기간", "은"], &["계약", "기간", "은"]);
        check("물은 이순신", &["물", "은", "이", "신"], &["물", "은", "이순신"]);
        check("สัญญาเช่าบ้าน", &["สัญญา", "เช่า", "บ้าน", "สัญญาเช่า"], &["สัญญาเช่า", "บ้าน"]);
        check("ทักษิณ", &["ทัก"], &["ทัก", "ษิณ"]);
        check("2019年的GDP", &["年", "的"], &["年", "的", "GDP"]);
        check("", &[], &[]);
    }
}
