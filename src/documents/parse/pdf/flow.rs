//! Rejoins sentences that a table, a figure's caption, a footnote or the end of a page has cut.
//!
//! Floating blocks are set where there is room for them, often in the middle of a sentence. A paragraph that ends
//! within a sentence is joined with the next one that begins with a small letter, if only floating blocks stand
//! between.

use super::layout::{Block, join};

/// The most blocks that may float between two parts of a sentence: the rows of a table, a caption, footnotes.
const MOST_FLOATS: usize = 60;

/// A line of fewer bytes is a label or an item rather than the beginning of a sentence.
const SHORTEST: usize = 30;

/// Sizes that differ by less than this share belong to one text.
const SAME_SIZE: f64 = 0.06;

/// Joins the parts that were cut on each page, and returns for each page whether its first paragraph continues one of
/// the page before; that one is then the last block of its page.
pub(super) fn rejoin(pages: &mut [Vec<Block>], is_heading: impl Fn(&Block) -> bool) -> Vec<bool> {
    for blocks in pages.iter_mut() {
        let mut at = 0;
        while at < blocks.len() {
            while let Some(next) = continuation(blocks, at, &is_heading).filter(|&next| next > at + 1) {
                let rest = blocks.remove(next);
                join(&mut blocks[at].text, &rest.text, false);
            }
            at += 1;
        }
    }
    let mut goes_on = vec![false; pages.len()];
    for (page, goes_on) in goes_on.iter_mut().enumerate().skip(1) {
        let (before, here) = pages.split_at_mut(page);
        let (Some(before), Some(first)) = (before.last_mut(), here.first().and_then(|blocks| blocks.first())) else {
            continue;
        };
        let Some(last) = before.iter().rposition(|block| !floats(block, first.size)) else { continue };
        if before.len() - last <= MOST_FLOATS && cut(&before[last], first, &is_heading) {
            // Footnotes go before the paragraph that is continued.
            before[last..].rotate_left(1);
            *goes_on = true;
        }
    }
    goes_on
}

/// The block that continues the sentence at the end of block `at`.
fn continuation(blocks: &[Block], at: usize, is_heading: &impl Fn(&Block) -> bool) -> Option<usize> {
    let block = &blocks[at];
    let after = blocks.iter().enumerate().skip(at + 1).take(MOST_FLOATS);
    let (next, rest) = after.into_iter().find(|(_, other)| !floats(other, block.size))?;
    cut(block, rest, is_heading).then_some(next)
}

/// Whether a sentence was cut between two blocks of running text.
fn cut(block: &Block, rest: &Block, is_heading: &impl Fn(&Block) -> bool) -> bool {
    let is_text = |block: &Block| !block.is_row && !is_heading(block);
    let last = block.text.chars().next_back();
    is_text(block)
        && is_text(rest)
        && is_same(block.size, rest.size)
        && block.text.len() >= SHORTEST
        && last.is_some_and(|last| last.is_alphanumeric() || matches!(last, ',' | '-' | '\u{2010}' | '\u{ad}'))
        && rest.text.chars().next().is_some_and(char::is_lowercase)
}

/// Whether a block is one of those that are set where there is room.
fn floats(block: &Block, running: f64) -> bool {
    block.is_row || (block.size < running && !is_same(block.size, running)) || is_caption(&block.text)
}

fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME_SIZE * one.max(other)
}

/// Whether a text is a caption, such as `Table 1: …` or `Fig. 2.3 …`.
pub(super) fn is_caption(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let kind = words.next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let number = words.next().unwrap_or_default();
    matches!(
        kind.as_str(),
        "table" | "figure" | "fig" | "listing" | "algorithm" | "plate" | "tab" | "abbildung" | "tabelle"
    ) && number.starts_with(|first: char| first.is_ascii_digit())
        && number.ends_with([':', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks blocks by their marks: `|` rows, `^` footnotes, `#` headings.
    fn check(pages: &[&[&str]], expected: &[&[&str]], expected_on: &[bool]) {
        let block = |text: &&str| Block {
            text: (*text).to_owned(),
            size: if text.starts_with('^') { 8.0 } else { 10.0 },
            is_row: text.contains('|'),
            ..Block::default()
        };
        let mut blocks: Vec<Vec<Block>> = pages.iter().map(|page| page.iter().map(block).collect()).collect();
        let on = rejoin(&mut blocks, |block| block.text.starts_with('#'));
        let left: Vec<Vec<&str>> =
            blocks.iter().map(|page| page.iter().map(|block| block.text.as_str()).collect()).collect();
        assert_eq!(left, expected);
        assert_eq!(on, expected_on);
    }

    #[test]
    fn a_sentence_goes_on_behind_a_table_and_its_caption() {
        check(
            &[&[
                "The differences between the stations of the",
                "a | b",
                "1 | 2",
                "Table 1: Levels.",
                "break\u{2010}",
                "End.",
            ]],
            &[&[
                "The differences between the stations of the break\u{2010}",
                "a | b",
                "1 | 2",
                "Table 1: Levels.",
                "End.",
            ]],
            &[false],
        );
        check(
            &[&["The differences between the sta-", "^1 A note.", "tions are small."]],
            &[&["The differences between the stations are small.", "^1 A note."]],
            &[false],
        );
    }

    #[test]
    fn a_sentence_goes_on_on_the_next_page() {
        check(
            &[&["One.", "The transformation of the observatory into", "^1 A note."], &["a centre.", "Two."]],
            &[&["One.", "^1 A note.", "The transformation of the observatory into"], &["a centre.", "Two."]],
            &[false, true],
        );
    }

    #[test]
    fn what_is_complete_stays_apart() {
        let whole: &[&[&str]] = &[
            &["The differences between the stations.", "a | b", "small letters begin this", "Short", "a | b", "and so"],
            &["Capitals begin the page after it."],
            &["# a heading of the part that is long", "a | b", "small letters"],
            &[],
        ];
        check(whole, whole, &[false, false, false, false]);
    }
}
