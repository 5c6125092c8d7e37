//! Chooses a PDF's title: the one that its information states, or text in large type on its first page.
//!
//! Programs state the title of a template, of a file or of a font, so a heading about something else is preferred to a
//! stated title that does not appear on the first page.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Block;
use super::{Parsed, is_unreadable_character, running};
use crate::base::text::{joins_without_space, letters, one_line};
use crate::domain::Heading;

/// The same words in large type on at least this many pages are a logo or a running head.
const LOGO_PAGES: usize = 3;

/// The number of words that a first line has if only its place makes it the title.
const WORDS: std::ops::RangeInclusive<usize> = 3..=14;

/// Below a title in plain type, one of the next `BLOCKS_BELOW` blocks is running text of at least this many bytes.
const RUNNING_TEXT: usize = 120;
const BLOCKS_BELOW: usize = 6;

/// Headings of parts, which may be set in larger type than the title itself.
const PARTS: [&str; 16] = [
    "abstract",
    "acknowledgements",
    "acknowledgments",
    "contents",
    "inhalt",
    "inhaltsverzeichnis",
    "introduction",
    "notes",
    "references",
    "sommaire",
    "summary",
    "table of contents",
    "zusammenfassung",
    "\u{306f}\u{3058}\u{3081}\u{306b}",
    "\u{76ee}\u{6b21}",
    "\u{76ee}\u{5f55}",
];

/// Chooses between the title that the document's information states and the one that its first page shows.
pub(super) fn title(stated: Option<String>, parsed: &Parsed, pages: &[Vec<Block>]) -> Option<String> {
    let shown = heading(parsed, pages).map(|shown| without_marks(&shown));
    match (stated.map(|stated| without_marks(&stated)), shown) {
        (Some(stated), Some(shown))
            if is_unrelated_title(&stated, &shown)
                && !letters(first_page(parsed)).contains(letters(&stated).as_str()) =>
        {
            Some(shown)
        }
        (Some(stated), _) => Some(stated),
        (None, Some(shown)) => Some(shown),
        (None, None) => first_line(pages),
    }
}

/// A title without the marks of its footnotes, and without the text after the first of them.
fn without_marks(title: &str) -> String {
    let is_mark =
        |one: char| matches!(one, '\u{2217}' | '*' | '\u{2020}' | '\u{2021}' | '\u{a7}' | '\u{b6}' | '\u{fffd}');
    let ends = |at: usize, one: char| {
        let (before, behind) = (&title[..at], &title[at + one.len_utf8()..]);
        before.ends_with(char::is_alphanumeric)
            && before.contains(' ')
            && (behind.is_empty() || behind.starts_with([' ', ',']))
    };
    let title = match title.char_indices().find(|&(at, one)| is_mark(one) && ends(at, one)) {
        Some((at, _)) => &title[..at],
        None => title,
    };
    let number = title.trim_end_matches(|one: char| one.is_ascii_digit());
    let title = title.trim_end_matches(|one| is_mark(one) && !title.starts_with(one));
    number.strip_suffix('^').unwrap_or(title).trim_end().to_owned()
}

/// The text of the first page that has any.
fn first_page(parsed: &Parsed) -> &str {
    let end = parsed.pages.iter().copied().find(|&start| start > 0).unwrap_or(parsed.text.len());
    &parsed.text[..end]
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The largest heading of the first page.
fn heading(parsed: &Parsed, pages: &[Vec<Block>]) -> Option<String> {
    let end = first_page(parsed).len();
    let all: Vec<&Heading> = parsed.headings.iter().take_while(|heading| heading.start < end).collect();
    let mut shown: BTreeMap<&str, usize> = all.iter().map(|heading| (heading.text.as_str(), 0)).collect();
    // Most blocks begin with another word than any heading.
    let begins: BTreeSet<&str> = all.iter().map(|heading| first_word(&heading.text)).collect();
    for blocks in pages {
        let alike = blocks.iter().filter(|block| begins.contains(first_word(&block.text)));
        let said: BTreeSet<String> = alike.map(|block| one_line(&block.text)).collect();
        for text in said {
            if let Some(pages) = shown.get_mut(text.as_str()) {
                *pages += 1;
            }
        }
    }
    let is_logo = |heading: &Heading| shown.get(heading.text.as_str()).is_some_and(|pages| *pages >= LOGO_PAGES);
    let own: Vec<&Heading> = all.iter().copied().filter(|heading| !is_logo(heading)).collect();
    let whole: Vec<&Heading> = own.iter().copied().filter(|heading| !is_part_heading(&heading.text)).collect();
    let among = [whole, own, all].into_iter().find(|some| !some.is_empty())?;
    let largest = among.iter().min_by_key(|heading| (heading.level, heading.start))?;
    // A logo beside the title may repeat the last of its words in larger type.
    let longer = among.iter().find(|heading| heading.start < largest.start && heading.text.contains(&largest.text));
    let title = longer.unwrap_or(largest).text.trim_start_matches(|one| is_unreadable_character(one) || one == ' ');
    // The number of a part is dropped.
    let words = title.trim_start_matches(|first: char| first.is_ascii_digit() || first == '.');
    let is_numbered = is_part_heading(title) && words.contains(char::is_alphabetic);
    Some(if is_numbered { words.trim_start() } else { title }.to_owned()).filter(|title| !title.is_empty())
}

/// Whether a heading names a part: `1 Introduction`, `Contents`.
fn is_part_heading(heading: &str) -> bool {
    let words = heading.trim_start_matches(|first: char| first.is_ascii_digit() || first == '.');
    let is_numbered = words.len() < heading.len() && words.starts_with(' ');
    is_numbered || PARTS.contains(&words.trim().to_lowercase().as_str())
}

/// Whether a stated title and a heading are about different things, so that the stated one names a file, a template or
/// a font.
fn is_unrelated_title(stated: &str, heading: &str) -> bool {
    let (stated_words, heading_words) = (words(stated), words(heading));
    let shared = stated_words.intersection(&heading_words).count();
    let fewer = stated_words.len().min(heading_words.len());
    let is_one_word = !stated.contains(' ') && stated.is_ascii();
    let says_enough = heading_words.len() >= 3 || is_one_word;
    says_enough && !heading.contains(is_unreadable_character) && shared * 2 < fewer.max(1)
}

/// The words of a title in lower case, and the single characters of scripts without spaces.
fn words(title: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in title.to_lowercase().split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.contains(joins_without_space) {
            words.extend(word.chars().map(String::from));
        } else {
            words.insert(word.to_owned());
        }
    }
    words
}

/// The first line of a document, if running text follows it, for first pages on which nothing is set in larger type.
fn first_line(pages: &[Vec<Block>]) -> Option<String> {
    let (first, below) = pages.first()?.split_first()?;
    let text = first.text.as_str();
    let count = if text.contains(joins_without_space) { text.chars().count() / 2 } else { text.split(' ').count() };
    let is_title = !first.is_row
        && WORDS.contains(&count)
        && text.starts_with(char::is_alphabetic)
        && !text.ends_with(['.', ',', ';', ':', '\u{3002}'])
        && !text.contains(['\n', '@', '/'])
        && !text.contains(is_unreadable_character)
        && !is_part_heading(text)
        && running::page_number(text).is_none();
    let is_above_text = below.iter().take(BLOCKS_BELOW).any(|block| !block.is_row && block.text.len() >= RUNNING_TEXT);
    (is_title && is_above_text).then(|| one_line(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stated: &str, heading: &str, expected: bool) {
        assert_eq!(is_unrelated_title(stated, heading), expected, "{stated} / {heading}");
    }

    #[test]
    fn a_stated_title_is_believed_unless_the_page_says_something_else() {
        check("CMR10", "Conducting Meta-Analyses in R", true);
        check("manualA4", "Manual", true);
        check("Annual report", "The harbour in the winter of the flood", true);
        check("Using the harbour", "Using the harbour: a guide", false);
        check("A guide to the harbour", "North Press", false);
        check("LaTeX2e for all", "LATEX2\u{3b5} for all", false);
        check("The harbour", "\u{fffd}\u{fffd} of three words", false);
        check("\u{6e2f}\u{306e}\u{6848}\u{5185}", "\u{6e2f}\u{6848}\u{5185}", false);
    }

    fn chosen(headings: &[(u8, &str)], later: &str) -> Option<String> {
        let block = |text: &str| Block { text: text.to_owned(), size: 10.0, ..Block::default() };
        let mut parsed = Parsed { pages: vec![0, 1_000], text: " ".repeat(2_000), ..Parsed::default() };
        for (at, &(level, text)) in headings.iter().enumerate() {
            parsed.headings.push(Heading { start: at * 100, level, text: text.to_owned() });
        }
        let first = headings.iter().map(|(_, text)| block(text)).collect();
        let pages = [first, vec![block(later)], vec![block(later)]];
        title(None, &parsed, &pages)
    }

    #[test]
    fn marks_of_notes_are_no_part_of_a_title() {
        let check = |title: &str, expected: &str| assert_eq!(without_marks(title), expected);
        check("The harbour\u{2217}\u{2020}", "The harbour");
        check("Trees of the harbour^1", "Trees of the harbour");
        check("A guide to tides\u{fffd} Version 4 Harbour Board", "A guide to tides");
        check("A* search in C*-algebras", "A* search in C*-algebras");
        check("Growth of 10^12 cells", "Growth of 10^12 cells");
        check("\u{2020}", "\u{2020}");
    }

    #[test]
    fn parts_and_logos_are_no_titles() {
        let check = |headings: &[(u8, &str)], expected: &str| {
            assert_eq!(chosen(headings, "Harbour Press").as_deref(), Some(expected), "{headings:?}");
        };
        check(&[(2, "The tides"), (1, "1 Introduction")], "The tides");
        check(&[(2, "The tides"), (1, "Contents")], "The tides");
        check(&[(1, "Harbour Press"), (2, "The tides")], "The tides");
        check(&[(2, "A guide to the tides"), (1, "the tides")], "A guide to the tides");
        check(&[(1, "Harbour Press")], "Harbour Press");
        check(&[(1, "1 The tides of the north")], "The tides of the north");
        check(&[(1, "\u{fffd} The tides")], "The tides");
    }

    #[test]
    fn a_line_above_running_text_is_a_title() {
        let check = |lines: &[&str], expected: Option<&str>| {
            let text = "The harbour was built in the nineteenth century. ".repeat(4);
            let blocks = lines.iter().copied().chain([text.as_str()]).map(|text| Block {
                text: text.to_owned(),
                size: 10.0,
                ..Block::default()
            });
            assert_eq!(title(None, &Parsed::default(), &[blocks.collect()]).as_deref(), expected, "{lines:?}");
        };
        check(&["Changes in the table of tides"], Some("Changes in the table of tides"));
        check(&["14 March 2024"], None);
        check(&["Rhea Castellanos\n12 Pier Road"], None);
        check(&["Dear Sir,"], None);
        check(&["Contents"], None);
        check(&["Page 1 of 3"], None);
        check(&[], None);
    }
}
