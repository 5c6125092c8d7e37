//! Lines in scripts that are written to the left, such as Arabic and Hebrew.
//!
//! Most programs draw all glyphs from left to right, so such a line begins with its last letter. It is put into reading
//! order, and the forms that letters take beside others become the letters themselves.

use std::iter::once;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Joins the characters of one glyph until the order of its line is known.
pub(super) const JOINER: char = '\u{2060}';

/// Whether a character is a letter of a script that is written to the left.
pub(super) fn is_right_to_left_letter(one: char) -> bool {
    matches!(one, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}') && one.is_alphabetic()
}

/// Whether a character is a vowel or another mark over or under such a letter.
pub(super) fn is_mark(one: char) -> bool {
    matches!(one, '\u{590}'..='\u{8ff}') && is_combining_mark(one)
}

/// The text of a line in reading order. `is_visual` says that it was drawn from left to right.
pub(super) fn in_order(text: &str, is_visual: bool) -> String {
    let ordered = if is_visual { logical(text) } else { text.to_owned() };
    ordered.chars().filter(|&one| one != JOINER).flat_map(plain).collect()
}

/// A letter without the form that it has at the beginning, in the middle or at the end of a word.
fn plain(one: char) -> Box<dyn Iterator<Item = char>> {
    let is_form = matches!(one, '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}');
    if is_form { Box::new(once(one).nfkc()) } else { Box::new(once(one)) }
}

/// The role of a character in the order of a line.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Leftward,
    Rightward,
    Digit,
    Neutral,
}

fn class(cluster: &str) -> Class {
    match cluster.chars().next() {
        Some(one) if is_right_to_left_letter(one) || is_mark(one) => Class::Leftward,
        Some(one) if one.is_numeric() => Class::Digit,
        Some(one) if one.is_alphabetic() => Class::Rightward,
        _ => Class::Neutral,
    }
}

/// The reading order of a line that was drawn from left to right.
fn logical(text: &str) -> String {
    let clusters = clusters(text);
    let classes: Vec<Class> = clusters.iter().map(|cluster| class(cluster)).collect();
    let mut out = String::with_capacity(text.len());
    if reads_leftward(&classes) {
        write_leftward(&mut out, &clusters, &classes);
        return out;
    }
    let mut at = 0;
    while at < clusters.len() {
        let end = match classes[at] {
            // Words of the script, and the characters between them.
            Class::Leftward => {
                let stop =
                    classes[at..].iter().position(|&one| one == Class::Rightward).map_or(classes.len(), |n| at + n);
                let last = classes[at..stop].iter().rposition(|&one| one == Class::Leftward);
                at + last.unwrap_or(0) + 1
            }
            _ => at,
        };
        if end > at {
            write_leftward(&mut out, &clusters[at..end], &classes[at..end]);
            at = end;
        } else {
            out.push_str(clusters[at]);
            at += 1;
        }
    }
    out
}

/// Whether a line as a whole reads to the left, and not only some words in it: the letters at its ends decide or, if
/// they differ, the majority.
fn reads_leftward(classes: &[Class]) -> bool {
    let mut letters = classes.iter().filter(|one| matches!(one, Class::Leftward | Class::Rightward));
    match (letters.next(), letters.next_back()) {
        (Some(first), Some(last)) if first != last => {
            let leftward = classes.iter().filter(|&&one| one == Class::Leftward).count();
            let rightward = classes.iter().filter(|&&one| one == Class::Rightward).count();
            leftward >= rightward
        }
        (first, _) => first == Some(&Class::Leftward),
    }
}

/// Writes clusters that read to the left, from the end; words and numbers that read to the right stay as they are.
fn write_leftward(out: &mut String, clusters: &[&str], classes: &[Class]) {
    let mut end = clusters.len();
    while end > 0 {
        let start = match classes[end - 1] {
            Class::Rightward | Class::Digit => start_of_run(clusters, classes, end),
            Class::Leftward | Class::Neutral => end - 1,
        };
        match clusters[start..end] {
            [one] => out.push_str(mirrored(one)),
            ref run => out.extend(run.iter().copied()),
        }
        end = start;
    }
}

/// The start of the words or the number that end before `end`.
fn start_of_run(clusters: &[&str], classes: &[Class], end: usize) -> usize {
    let mut start = end - 1;
    let mut has_words = classes[start] == Class::Rightward;
    for at in (0..end - 1).rev() {
        match classes[at] {
            Class::Leftward => break,
            Class::Rightward => (start, has_words) = (at, true),
            // The digits of one number.
            Class::Digit if !has_words => {
                let is_near =
                    at + 1 == start || at + 2 == start && matches!(clusters[at + 1], "." | "," | ":" | "/" | "-");
                if is_near {
                    start = at;
                }
            }
            Class::Digit => {
                if at + 1 == start {
                    start = at;
                }
            }
            Class::Neutral => {}
        }
    }
    start
}

/// The bracket that is meant in text that reads to the left.
fn mirrored(cluster: &str) -> &str {
    match cluster {
        "(" => ")",
        ")" => "(",
        "[" => "]",
        "]" => "[",
        "{" => "}",
        "}" => "{",
        "<" => ">",
        ">" => "<",
        "\u{ab}" => "\u{bb}",
        "\u{bb}" => "\u{ab}",
        one => one,
    }
}

/// The characters of a text, with those of one glyph together.
fn clusters(text: &str) -> Vec<&str> {
    let mut clusters = Vec::new();
    let mut begin = 0;
    let mut is_joined = true;
    for (at, one) in text.char_indices() {
        if one == JOINER || is_joined {
            is_joined = one == JOINER;
            continue;
        }
        clusters.push(&text[begin..at]);
        begin = at;
    }
    if begin < text.len() {
        clusters.push(&text[begin..]);
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(drawn: &str, expected: &str) {
        assert_eq!(in_order(drawn, true), expected, "{drawn}");
    }

    #[test]
    fn a_line_drawn_from_left_to_right_is_read_to_the_left() {
        check("\u{5d3}\u{5d2} \u{5d1}\u{5d0}", "\u{5d0}\u{5d1} \u{5d2}\u{5d3}");
        check(".\u{5d1} Tide 2 table \u{5d0}", "\u{5d0} Tide 2 table \u{5d1}.");
        check("2024 ,1.5 \u{5d0}", "\u{5d0} 1.5, 2024");
        check("(\u{5d1}) \u{5d0}", "\u{5d0} (\u{5d1})");
        check("the word \u{5d1}\u{5d0} of two letters", "the word \u{5d0}\u{5d1} of two letters");
        check("A (\u{5d1} 12 \u{5d0}) and B", "A (\u{5d0} 12 \u{5d1}) and B");
        check("1 | \u{5d1}\u{5d0} | 2", "2 | \u{5d0}\u{5d1} | 1");
    }

    #[test]
    fn forms_and_ligatures_become_letters() {
        // lam with alef, once as one character and once as two of one glyph.
        check("\u{fefb}\u{633}", "\u{633}\u{644}\u{627}");
        check("\u{644}\u{2060}\u{627}\u{633}", "\u{633}\u{644}\u{627}");
        assert_eq!(in_order("\u{fe91}\u{fea4}\u{fead}", false), "\u{628}\u{62d}\u{631}");
        assert_eq!(in_order("plain (text)", false), "plain (text)");
    }
}
