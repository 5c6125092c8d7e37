//! Finds the citations in a text, and the numbers that they name.

use std::collections::BTreeSet;
use std::ops::Range;

/// How many bytes are searched for the end of code, of a link's target or of a tag.
const MAX_TARGET_BYTES: usize = 2000;
/// The longest name of a source behind a dagger.
const MAX_LABEL_CHARS: usize = 200;
/// A longer range of numbers is a span of years or pages, not a list of sources.
const MAX_RANGE: usize = 50;

/// A citation in a text: one pair of brackets, or several that stand together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub range: Range<usize>,
    /// The numbers as written, with ranges spelled out.
    pub numbers: Vec<usize>,
}

/// The citations of `text`, in order. Numbers of four or more digits that are greater than `largest` are years.
pub(super) fn markers(text: &str, largest: usize) -> Vec<Marker> {
    let protected = protected(text, largest);
    let mut found: Vec<Marker> = Vec::new();
    let mut next_protected = 0;
    for (start, open) in text.char_indices() {
        if found.last().is_some_and(|last| start < last.range.end) || !matches!(open, '[' | '【' | '［') {
            continue;
        }
        while protected.get(next_protected).is_some_and(|range| range.end <= start) {
            next_protected += 1;
        }
        if protected.get(next_protected).is_some_and(|range| range.start <= start) {
            continue;
        }
        let cited = citation_link(text, start, largest).or_else(|| numbers_in_brackets(text, start, largest));
        let Some((end, numbers)) = cited else { continue };
        match found.last_mut() {
            Some(last) if text[last.range.end..start].chars().all(|between| matches!(between, ' ' | '\u{a0}')) => {
                last.range.end = end;
                last.numbers.extend(numbers);
            }
            _ => found.push(Marker { range: start..end, numbers }),
        }
    }
    found
}

/// The marks `[^3]` of the footnotes that a text defines itself, in order; the mark of a definition is one, too. Where
/// nothing defines it, `[^3]` is how some models cite.
pub fn footnotes(text: &str) -> Vec<Range<usize>> {
    let mark = |(start, _): (usize, &str)| {
        let digits = text[start + 2..].bytes().take_while(u8::is_ascii_digit).count();
        let end = start + 2 + digits;
        (digits > 0 && text[end..].starts_with(']')).then_some(start..end + 1)
    };
    let mut marks: Vec<Range<usize>> = text.match_indices("[^").filter_map(mark).collect();
    let starts_line =
        |at: usize| text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| c == '\n');
    let is_definition = |mark: &&Range<usize>| text[mark.end..].starts_with(':') && starts_line(mark.start);
    let defined: BTreeSet<&str> = marks.iter().filter(is_definition).map(|mark| &text[mark.clone()]).collect();
    marks.retain(|mark| defined.contains(&text[mark.clone()]));
    marks
}

/// `text` with its own footnotes escaped, so that they are neither citations nor links.
pub fn with_escaped_footnotes(text: &str) -> String {
    let mut escaped = text.to_owned();
    footnotes(text).into_iter().rev().for_each(|mark| escaped.insert(mark.start, '\\'));
    escaped
}

/// The numbers that a text cites.
pub fn cited_numbers(text: &str) -> BTreeSet<usize> {
    markers(text, usize::MAX).into_iter().flat_map(|marker| marker.numbers).collect()
}

/// `text` with other numbers in its citations.
pub fn renumbered(text: &str, by: impl Fn(usize) -> usize) -> String {
    with_citations(text, |number| format!("[{}]", by(number)))
}

/// `text` with each number of its citations replaced by what `written` returns, without the brackets.
pub fn with_citations(text: &str, written: impl Fn(usize) -> String) -> String {
    let mut other = String::with_capacity(text.len());
    let mut at = 0;
    for marker in markers(text, usize::MAX) {
        other.push_str(&text[at..marker.range.start]);
        marker.numbers.iter().for_each(|&number| other.push_str(&written(number)));
        at = marker.range.end;
    }
    other.push_str(&text[at..]);
    other
}

/// Reads a link at `start` that is a citation and returns its end and the numbers: one whose text is a citation in its
/// own brackets, `[[3]](target)`, or one that leads to a place on the same page, `[3](#target)`.
pub(super) fn citation_link(text: &str, start: usize, largest: usize) -> Option<(usize, Vec<usize>)> {
    let wrapped = text[start..].starts_with("[[");
    let (mut end, numbers) = numbers_in_brackets(text, start + usize::from(wrapped), largest)?;
    if wrapped {
        end += text[end..].starts_with(']').then_some(1)?;
    }
    let target = &text[end..];
    let is_link = target.starts_with(if wrapped { "(" } else { "(#" });
    let length = is_link.then(|| closing(target, b'(', b')'))??;
    Some((end + length, numbers))
}

/// Reads a citation like `[3, 5-7]` at `start` and returns the end of the brackets and the numbers.
fn numbers_in_brackets(text: &str, start: usize, largest: usize) -> Option<(usize, Vec<usize>)> {
    let mut characters = text[start..].char_indices().skip(1).peekable();
    let mut numbers = Vec::new();
    let mut range_from: Option<usize> = None;
    let mut wants_number = true;
    // `[^3]` is how some models write a footnote.
    characters.next_if(|(_, character)| *character == '^');
    loop {
        while characters.next_if(|(_, character)| matches!(character, ' ' | '\u{a0}' | '　')).is_some() {}
        let (at, character) = characters.next()?;
        if let Some(digit) = digit(character) {
            let (mut number, mut digits) = (digit, 1);
            while let Some((_, more)) = characters.next_if(|(_, character)| self::digit(*character).is_some()) {
                number = number * 10 + self::digit(more)?;
                digits += 1;
                if digits > 6 {
                    return None;
                }
            }
            // No source has the number 0: `[0-9]` is a class of characters.
            if !wants_number || number == 0 || (digits >= 4 && number > largest) {
                return None;
            }
            match range_from.take() {
                Some(from) if from <= number && number - from < MAX_RANGE => numbers.extend(from + 1..=number),
                Some(_) => return None,
                None => numbers.push(number),
            }
            wants_number = false;
        } else if wants_number && matches!(character, 'p' | 'P') {
            // `[passage 3]`: the prompt calls it so.
            let mut word = String::from(character);
            while let Some((_, letter)) = characters.next_if(|(_, character)| character.is_alphabetic()) {
                word.push(letter);
            }
            if !["passage", "passages"].contains(&word.to_lowercase().as_str()) {
                return None;
            }
        } else if wants_number {
            return None;
        } else {
            match character {
                ',' | ';' | '，' | '、' | '；' => wants_number = true,
                '-' | '‐' | '‑' | '–' | '—' | '～' | '〜' | '－' => {
                    range_from = numbers.last().copied();
                    wants_number = true;
                }
                ']' | '】' | '］' => return Some((start + at + character.len_utf8(), numbers)),
                // `【3†source】` is how some models are trained to cite.
                '†' => {
                    let mut rest = characters.take(MAX_LABEL_CHARS).take_while(|(_, one)| !matches!(one, '[' | '\n'));
                    let (at, end) = rest.find(|(_, one)| matches!(one, ']' | '】' | '］'))?;
                    return Some((start + at + end.len_utf8(), numbers));
                }
                _ => return None,
            }
        }
    }
}

fn digit(character: char) -> Option<usize> {
    let full_width = u32::from(character).checked_sub(u32::from('０')).filter(|digit| *digit < 10);
    character.to_digit(10).or(full_width).map(|digit| digit as usize)
}

/// Where brackets are not citations: code spans, other links and images, tags, escaped characters. Sorted, not
/// overlapping.
fn protected(text: &str, largest: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut open_brackets: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = match bytes[at] {
            b'\\' => Some(at + 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            b'`' => code_span_end(text, at),
            b'<' if rest[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '/') => {
                closing(rest, b'<', b'>').map(|length| at + length)
            }
            b'[' => {
                if let Some((end, _)) = citation_link(text, at, largest) {
                    at = end;
                    continue;
                }
                open_brackets.push(at);
                None
            }
            b']' => match open_brackets.pop() {
                Some(open) if rest[1..].starts_with('(') => closing(&rest[1..], b'(', b')').map(|length| {
                    // The range of the link replaces those inside its text.
                    while ranges.last().is_some_and(|range| range.start >= open) {
                        ranges.pop();
                    }
                    ranges.push(open..at + 1);
                    at + 1 + length
                }),
                _ => None,
            },
            _ => None,
        };
        match end {
            Some(end) => {
                ranges.push(at..end);
                at = end;
            }
            // A run of backticks that nothing closes is skipped as a whole.
            None if bytes[at] == b'`' => at += run_of_backticks(&bytes[at..]),
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    ranges
}

fn run_of_backticks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| **byte == b'`').count()
}

fn code_span_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let fence = run_of_backticks(&bytes[start..]);
    let mut at = start + fence;
    let text = &text[..text.floor_char_boundary(at + MAX_TARGET_BYTES)];
    let bytes = &bytes[..text.len()];
    while let Some(found) = text[at..].find('`') {
        at += found;
        let run = run_of_backticks(&bytes[at..]);
        at += run;
        if run == fence {
            return Some(at);
        }
    }
    None
}

/// The length of the bracketed piece that `text` begins with, if it ends on the same line.
fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let text = &text[..text.floor_char_boundary(MAX_TARGET_BYTES)];
    // Mostly there is no closing bracket, and a plain search finds that out faster than counting the depth.
    text.find(char::from(close))?;
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => return None,
            byte if byte == open => depth += 1,
            byte if byte == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &[usize])]) {
        let found = markers(text, 999);
        let found: Vec<(&str, &[usize])> =
            found.iter().map(|marker| (&text[marker.range.clone()], marker.numbers.as_slice())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_form_of_a_citation_is_read() {
        check("a [3].", &[("[3]", &[3])]);
        check("a [3, 4]; b [5;6]", &[("[3, 4]", &[3, 4]), ("[5;6]", &[5, 6])]);
        check("a [3][4] [5]", &[("[3][4] [5]", &[3, 4, 5])]);
        check("a [3-5, 9]", &[("[3-5, 9]", &[3, 4, 5, 9])]);
        check("a [3–5]", &[("[3–5]", &[3, 4, 5])]);
        check("日本【3】語［４、５］", &[("【3】", &[3]), ("［４、５］", &[4, 5])]);
        check("a[３]", &[("[３]", &[3])]);
        check("a [^7]", &[("[^7]", &[7])]);
        check("a [passage 3] [Passages 3, 4]", &[("[passage 3] [Passages 3, 4]", &[3, 3, 4])]);
        check("a【3†source】b【4†L1-L9】", &[("【3†source】", &[3]), ("【4†L1-L9】", &[4])]);
        check("a [3](#3)[[4]](http://x/(y)).", &[("[3](#3)[[4]](http://x/(y))", &[3, 4])]);
    }

    #[test]
    fn a_footnote_of_the_text_is_no_citation() {
        let check = |text: &str, expected: &[usize]| {
            assert_eq!(
                cited_numbers(&with_escaped_footnotes(text)).into_iter().collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        };
        check("Rent [1].[^2] See.[^3]\n\n[^2]: A remark.\n", &[1, 3]);
        check("Rent.[1][^2]\n\n[^2]: A remark [4].\n", &[1, 4]);
        check("Rent.[^2]\n\nSee [^2]: it is high.\n", &[2]);
    }

    #[test]
    fn other_brackets_are_left_alone() {
        for text in [
            "[x]",
            "[]",
            "[3",
            "3]",
            "[3,]",
            "[,3]",
            "[3 4]",
            "[1989-2024]",
            "[2019]",
            "[1-900]",
            "[5-3]",
            "[3x]",
            "[12345678901234567890]",
            "`[3]`",
            "``a ` [3]``",
            "[3](http://x)",
            "[see [3] here](http://x/(y))",
            "![a [3]](b)",
            "\\[3]",
            "<a href=\"[3]\">",
            "[-3]",
            "[3-]",
            "[page 3]",
            "[3†a",
            "`[[3]](x)`",
            "[see [[3]](x) here](y)",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn a_citation_beside_code_or_a_link_is_found() {
        check("`x` [3]", &[("[3]", &[3])]);
        check("a ` b [3]", &[("[3]", &[3])]);
        check("[a](b) [3] [c](d)", &[("[3]", &[3])]);
        check("[3] (see)", &[("[3]", &[3])]);
        check("a < b [3] > c", &[("[3]", &[3])]);
        check("[[3]]", &[("[3]", &[3])]);
    }

    #[test]
    fn thousands_of_brackets_take_no_time() {
        let text = format!("{}{}", "[".repeat(100_000), "](".repeat(20_000));
        assert!(markers(&text, 999).is_empty());
    }
}
