//! Decides what the gaps of a line stand for. Only the whole line tells: letters spaced out for emphasis look like
//! words, and words set tight look like one.

use std::iter::once;

/// A gap this wide, in units of the font's size, separates words.
pub(super) const WORD_GAP: f64 = 0.15;

/// A gap this wide separates words where no spaces are drawn.
pub(super) const FAINT_GAP: f64 = 0.11;

/// In a line of spaced letters, a gap between words is wider than the usual gap by this factor.
const WIDER: f64 = 1.9;

/// In a line of spaced letters at least this many of ten words are single letters.
const LETTERS_OF_TEN: usize = 8;

/// The fewest letters of a spaced line; fewer in a row may be a list of letters.
const LETTERS: usize = 6;

/// The widest usual gap between spaced letters, in units of the font's size.
const BETWEEN_LETTERS: f64 = 0.3;

/// A gap between words or cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// The offset of the space or the cell mark in the text.
    pub(super) at: usize,
    /// Where the glyphs before the gap end, and where those after it begin.
    pub(super) left: f64,
    pub(super) right: f64,
    /// In units of the font's size.
    pub(super) width: f64,
    /// Whether the mark between cells stands for it.
    pub(super) is_cell: bool,
    /// Whether a space was drawn in it.
    pub(super) is_drawn: bool,
}

impl Gap {
    /// Whether the text has nothing for the gap so far.
    fn is_faint(&self) -> bool {
        !self.is_drawn && self.width <= WORD_GAP
    }
}

/// Decides what stands for the gaps of a complete line, and returns whether dots lead from its words to a page number.
pub(super) fn settle(text: &mut String, gaps: &mut Vec<Gap>) -> bool {
    settle_faint(text, gaps);
    close_letters(text, gaps);
    shorten_leader(text, gaps)
}

/// Settles the gaps too small to be spaces. Programs that draw spaces show where words end, so the gaps are dropped.
/// Where none are drawn, they separate words, unless half of them or more adjoin single letters: then the letters are
/// spaced out.
fn settle_faint(text: &mut String, gaps: &mut Vec<Gap>) {
    if !gaps.iter().any(Gap::is_faint) {
        return;
    }
    let parts: Vec<usize> = once(0).chain(gaps.iter().map(|gap| gap.at)).chain(once(text.len())).collect();
    let is_letter = |part: &[usize]| {
        let mut signs = text[part[0]..part[1]].chars().filter(|one| !one.is_whitespace());
        signs.next().is_some_and(|one| !one.is_numeric()) && signs.next().is_none()
    };
    let faint = gaps.iter().zip(parts.windows(3)).filter(|(gap, _)| gap.is_faint());
    let (letters, count) = faint.fold((0, 0), |(letters, count), (_, parts)| {
        (letters + usize::from(is_letter(&parts[..2]) || is_letter(&parts[1..])), count + 1)
    });
    let opens = letters * 2 < count && !gaps.iter().any(|gap| gap.is_drawn);
    let mut opened = 0;
    for mut gap in std::mem::take(gaps) {
        gap.at += opened;
        if gap.is_faint() && opens {
            text.insert(gap.at, ' ');
            opened += 1;
        }
        if !gap.is_faint() || opens {
            gaps.push(gap);
        }
    }
}

/// Joins spaced letters into words, if wider gaps tell where a word ends.
fn close_letters(text: &mut String, gaps: &mut Vec<Gap>) {
    if gaps.len() + 1 < LETTERS {
        return;
    }
    let is_letter = |word: &str| word.chars().nth(1).is_none() && word.chars().all(char::is_alphabetic);
    let (letters, words) =
        text.split(' ').fold((0, 0), |(letters, words), word| (letters + usize::from(is_letter(word)), words + 1));
    if letters < LETTERS || letters * 10 < words * LETTERS_OF_TEN {
        return;
    }
    let mut widths: Vec<f64> = gaps.iter().map(|gap| gap.width).collect();
    widths.sort_unstable_by(f64::total_cmp);
    let Some(&usual) = widths.get(widths.len() / 2) else { return };
    let is_wider = |width: f64| width > WIDER * usual;
    if usual > BETWEEN_LETTERS || !widths.last().is_some_and(|&width| is_wider(width)) {
        return;
    }
    let mut closed = 0;
    for mut gap in std::mem::take(gaps) {
        gap.at -= closed;
        if gap.is_cell || is_wider(gap.width) {
            gaps.push(gap);
        } else {
            text.remove(gap.at);
            closed += 1;
        }
    }
}

/// Whether a text ends with dots that lead to a page number.
pub(super) fn ends_with_leader(text: &str) -> bool {
    text.ends_with(". . .") || text.ends_with("....")
}

/// Replaces the dots of a leader by one `…`, and returns whether there was one.
fn shorten_leader(text: &mut String, gaps: &mut Vec<Gap>) -> bool {
    let Some(begin) = text.find(". . . .").or_else(|| text.find(".....")) else {
        return false;
    };
    let is_dot = |character| character == '.' || character == ' ';
    let rest = text.split_off(begin);
    text.truncate(text.trim_end_matches(is_dot).len());
    gaps.retain(|gap| gap.at < text.len() && !gap.is_cell);
    text.push_str(" \u{2026} ");
    text.push_str(rest.trim_start_matches(is_dot));
    text.truncate(text.trim_end().len());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks words as they are drawn, each with the gap before it; `~` marks a drawn space.
    fn check(words: &[(f64, &str)], expected: &str) {
        let (mut text, mut gaps, mut right) = (String::new(), Vec::new(), 0.0);
        for &(width, word) in words {
            let (is_drawn, word) = (word.starts_with('~'), word.trim_start_matches('~'));
            let left = right;
            right += width;
            if width > FAINT_GAP {
                gaps.push(Gap { at: text.len(), left, right, width, is_cell: false, is_drawn });
                text.push_str(if is_drawn || width > WORD_GAP { " " } else { "" });
            }
            text.push_str(word);
        }
        settle(&mut text, &mut gaps);
        assert_eq!(text, expected);
        for gap in gaps {
            assert_eq!(text.get(gap.at..=gap.at), Some(" "), "{text}");
        }
    }

    #[test]
    fn small_gaps_part_words_where_no_spaces_are_drawn() {
        check(&[(0.0, "words"), (0.13, "set"), (0.13, "tight")], "words set tight");
        check(&[(0.0, "the"), (0.3, "c"), (0.13, "l"), (0.13, "a"), (0.13, "ss")], "the class");
        check(&[(0.0, "ker"), (0.13, "ning"), (0.3, "~only")], "kerning only");
    }

    #[test]
    fn letters_moved_apart_are_words() {
        let apart = |word: &'static str, first: f64| {
            word.split("")
                .filter(|letter| !letter.is_empty())
                .enumerate()
                .map(move |(at, letter)| (if at == 0 { first } else { 0.2 }, letter))
        };
        check(&apart("the", 0.0).chain(apart("harbour", 0.6)).collect::<Vec<_>>(), "the harbour");
        check(&apart("abcdefg", 0.0).collect::<Vec<_>>(), "a b c d e f g");
    }
}
