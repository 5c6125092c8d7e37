//! Removes running heads, feet and page numbers: they would interrupt sentences that continue on the next page and be
//! found in their place.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Block;
use super::lines::CELL_MARK;

/// A line at the edge is a running head if at least this many pages have it.
const PAGES: usize = 3;

/// The most rounds of the search: heads may stand above each other, so more are looked for behind those that were
/// found.
const ROUNDS: usize = 4;

/// A block behind a head is a head itself only on at least this share of the pages, since a section may begin there.
const INNER_SHARE: f64 = 0.4;

/// The longest head in bytes. One of several lines or of more than `LONGEST_TITLE` bytes is a head only with its page
/// number.
const LONGEST: usize = 300;
const LONGEST_TITLE: usize = 150;

/// A number after at least this many words is the page's number; after fewer words it may number a part.
const LONG_TITLE: usize = 4;

/// Words that programs write before a page's number.
const BEFORE_NUMBER: [&str; 14] = [
    "page",
    "p",
    "pg",
    "seite",
    "s",
    "p\u{e1}gina",
    "pagina",
    "strona",
    "str",
    "sida",
    "side",
    "oldal",
    "\u{441}\u{442}\u{440}",
    "\u{441}\u{442}\u{440}\u{430}\u{43d}\u{438}\u{446}\u{430}",
];

/// Words that programs write between a page's number and the number of pages.
const BEFORE_COUNT: [&str; 6] = ["of", "/", "von", "de", "di", "sur"];

/// The most cells of a row that is a head, numbers included.
const CELLS: usize = 6;

/// A number alone is a page number if at least this many pages have one that counts the pages.
const NUMBERED_PAGES: usize = 2;

/// Heads stand within this share of a page's height from its top or its bottom.
const MARGIN: f64 = 0.15;

/// The text of a line at a page's edge without the page's number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    /// A number alone, as its difference from the page's index in the file. Page numbers share it; numbers of a table
    /// do not.
    Number(i64),
    /// A number alone in small Roman letters, as in front matter.
    Roman,
    /// A title.
    Text(String),
    /// A row with a number at one end, as that number's difference from the page's index.
    Counted(i64),
    /// Titles side by side, and their depth in units of a few points: the header of a table that continues over pages
    /// looks the same, but stands elsewhere on its first page.
    Row(String, i64),
    /// A title in large type, and its depth: slides share such titles, too.
    Large(String, i64),
}

/// How often a head was seen.
#[derive(Default)]
struct HeadCounts {
    pages: usize,
    /// The number of these pages on which a table's row is next to the head.
    beside_rows: usize,
}

/// Removes page numbers, and lines at the top or the bottom that several pages share; the first of these stays.
///
/// A page's only block stays, and so does a heading (`is_heading`) that stands on half of the pages or fewer.
pub(super) fn remove_running_heads(pages: &mut [Vec<Block>], is_heading: impl Fn(&Block) -> bool) {
    let extents = extents(pages);
    let mut marks: Vec<Vec<Mark>> = pages.iter().map(|blocks| vec![Mark::Text; blocks.len()]).collect();
    for round in 0..ROUNDS {
        if !mark_outermost(pages, &mut marks, &extents, round == 0, &is_heading) {
            break;
        }
    }
    for (blocks, marks) in pages.iter_mut().zip(marks) {
        let mut marks = marks.into_iter();
        blocks.retain(|_| marks.next() != Some(Mark::Gone));
    }
}

/// The verdict on a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Text,
    /// The first of several identical heads.
    Kept,
    Gone,
}

/// Marks the heads among the outermost blocks that are not marked yet, and returns whether any is to be removed.
/// `is_first`: nothing was marked before.
fn mark_outermost(
    pages: &[Vec<Block>],
    marks: &mut [Vec<Mark>],
    extents: &[(f64, f64); 2],
    is_first: bool,
    is_heading: &impl Fn(&Block) -> bool,
) -> bool {
    let heads_at = |block: &Block, page: usize| match is_heading(block) {
        true => vec![Head::Large(block.text.clone(), place(block))],
        false => heads(block, page),
    };
    let mut seen: BTreeMap<Head, HeadCounts> = BTreeMap::new();
    // Page, block, and its forms as a head; the bottom of a page comes first.
    let mut outermost: Vec<(usize, usize, Vec<Head>)> = Vec::new();
    for (page, blocks) in pages.iter().enumerate().filter(|(_, blocks)| blocks.len() > 1) {
        let mut of_page: BTreeSet<Head> = BTreeSet::new();
        for (at, inner) in edges(&marks[page]).into_iter().rev().filter(|&(at, _)| at_edge(&blocks[at], extents)) {
            let heads = heads_at(&blocks[at], page);
            // Counted once per page, since two lines of a table of contents may lead to the same page.
            for head in heads.iter().filter(|head| of_page.insert((*head).clone())) {
                let seen = seen.entry(head.clone()).or_default();
                seen.pages += 1;
                seen.beside_rows += usize::from(inner.is_some_and(|inner| blocks[inner].is_row));
            }
            outermost.push((page, at, heads));
        }
    }
    let mut kept: BTreeSet<Head> = BTreeSet::new();
    let count = pages.iter().filter(|blocks| !blocks.is_empty()).count();
    let least = if is_first { 0 } else { (count as f64 * INNER_SHARE).ceil() as usize };
    let mut found = false;
    for (page, at, heads) in outermost {
        let marks = &mut marks[page];
        if marks.iter().filter(|mark| **mark != Mark::Gone).count() <= 1 {
            continue;
        }
        for head in heads {
            let Some(&HeadCounts { pages, beside_rows }) = seen.get(&head) else { continue };
            let is_head = match head {
                Head::Number(_) | Head::Roman => pages >= NUMBERED_PAGES,
                Head::Text(_) | Head::Counted(_) => pages >= PAGES,
                Head::Row(..) | Head::Large(..) => {
                    // The first page may lack the head, and pages without text are not counted.
                    let is_everywhere = matches!(head, Head::Row(..)) && pages + 1 >= count.max(NUMBERED_PAGES + 1);
                    let is_frequent = pages > PAGES && pages * 2 > count;
                    (is_everywhere || is_frequent) && beside_rows * 2 < pages
                }
            };
            if is_head && pages >= least && marks[at] != Mark::Gone {
                let is_number = matches!(head, Head::Number(_) | Head::Roman);
                marks[at] = if is_number || !kept.insert(head) { Mark::Gone } else { Mark::Kept };
                found |= marks[at] == Mark::Gone;
            }
        }
    }
    found
}

/// The depths of the highest and the lowest blocks of all pages, for upright and for turned blocks.
fn extents(pages: &[Vec<Block>]) -> [(f64, f64); 2] {
    let mut extents = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    for block in pages.iter().flatten() {
        let extent = &mut extents[usize::from(block.depth > 0.0)];
        *extent = (extent.0.min(block.depth), extent.1.max(block.depth));
    }
    extents
}

fn at_edge(block: &Block, extents: &[(f64, f64); 2]) -> bool {
    let (top, bottom) = extents[usize::from(block.depth > 0.0)];
    let margin = (bottom - top) * MARGIN;
    block.depth <= top + margin || block.depth >= bottom - margin
}

/// The first two and the last two blocks not marked as heads yet, each with its neighbour towards the middle. Two at
/// each end, since the number of a head may be a block of its own.
fn edges(marks: &[Mark]) -> Vec<(usize, Option<usize>)> {
    let left: Vec<usize> = (0..marks.len()).filter(|&at| marks[at] == Mark::Text).collect();
    let edges = (0..left.len()).filter(|at| *at < 2 || at + 2 >= left.len());
    let inner = |at: usize| if at < 2 { Some(at + 1) } else { at.checked_sub(1) };
    edges.map(|at| (left[at], inner(at).and_then(|inner| left.get(inner)).copied())).collect()
}

/// The forms of a block as a head: as it stands, and without its page number.
fn heads(block: &Block, page: usize) -> Vec<Head> {
    let text = block.text.as_str();
    if text.len() > LONGEST {
        return Vec::new();
    }
    if let Some(number) = page_number(text) {
        return vec![Head::Number(number - page as i64)];
    }
    if text.len() <= 6 && text.bytes().all(|byte| b"ivxl".contains(&byte)) {
        return vec![Head::Roman];
    }
    let is_title = text.len() <= LONGEST_TITLE && !text.contains('\n');
    if !block.is_row {
        let plain = Some(text.to_owned()).filter(|_| is_title);
        return plain.into_iter().chain(normalize_page_number(text, page, false)).map(Head::Text).collect();
    }
    // A row of a table may stand at the edge as well: only a number at one end, or its place, makes it a head.
    let ends: &[char] = &['|', ' '];
    let cells: Vec<&str> = text.trim_matches(ends).split(CELL_MARK).filter(|cell| !cell.is_empty()).collect();
    let titles: Vec<&str> = cells.iter().copied().filter(|cell| page_number(cell).is_none()).collect();
    // A page number in the first or the last cell marks a head, whatever the chapter.
    let ends = [cells.first(), cells.last()];
    let counted = ends.into_iter().flatten().filter_map(|cell| page_number(cell)).map(|number| number - page as i64);
    let by_number = counted.map(Head::Counted).filter(|_| is_title && !titles.is_empty() && cells.len() <= CELLS);
    let by_title = match titles[..] {
        [title] if cells.len() == 2 && is_title => vec![Head::Text(title.to_owned())],
        [_, _, ..] if cells.len() <= CELLS && is_title && block.depth != 0.0 => {
            let counted =
                |title: &&str| normalize_page_number(title, page, true).unwrap_or_else(|| (*title).to_owned());
            let mut rows = vec![titles.join(CELL_MARK), titles.iter().map(counted).collect::<Vec<_>>().join(CELL_MARK)];
            rows.dedup();
            rows.into_iter().map(|row| Head::Row(row, place(block))).collect()
        }
        _ => Vec::new(),
    };
    by_title.into_iter().chain(by_number).collect()
}

/// A title in which the number of its page is replaced by that of the first page, so that all pages have the same
/// title. The number begins the title, is marked as a page's number, or ends the title. A number after few words, with
/// no other title beside it (`is_beside`), may belong to the title of a part, as in `Season 1`.
fn normalize_page_number(title: &str, page: usize, is_beside: bool) -> Option<String> {
    let words: Vec<&str> = title.split_whitespace().collect();
    let number = |word: &str| number(word.trim_end_matches([',', '.']));
    let is_number_of_page = |at: usize| {
        let is_said = at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| is_before_number(word));
        let has_count = words.get(at + 1).is_some_and(|word| is_before_count(word))
            && words.get(at + 2).is_some_and(|word| number(word).is_some());
        is_said
            || has_count
            || at == 0 && words.len() > 1
            || at + 1 == words.len() && (is_beside && at > 0 || at >= LONG_TITLE)
    };
    let (at, number) = words.iter().enumerate().find_map(|(at, word)| {
        let number = number(word)?;
        is_number_of_page(at).then_some((at, number))
    })?;
    let (before, after) = (words[..at].join(" "), words[at + 1..].join(" "));
    Some(format!("{before} #{} {after}", number - page as i64))
}

/// The depth of a block on its page, in units of four points.
fn place(block: &Block) -> i64 {
    (block.depth / 4.0).round() as i64
}

/// The page number in a text such as `12`, `- 12 -`, `Page 12`, `12/30` and `Seite 12 von 30`.
pub(super) fn page_number(text: &str) -> Option<i64> {
    let bare = text.trim_matches(|character: char| matches!(character, '-' | '\u{2013}' | '[' | ']' | ' '));
    let bare = bare.replace('/', " / ");
    // No page number has more than four words, so five are enough to tell.
    let words: Vec<&str> = bare.split_whitespace().take(5).collect();
    match words.as_slice() {
        [before, words @ ..] if is_before_number(before) => counted(words),
        words => counted(words),
    }
}

/// The page number in `12` and `12 of 30`.
fn counted(words: &[&str]) -> Option<i64> {
    match words {
        [page] => number(page),
        [page, of, all] if is_before_count(of) => number(all).and_then(|_| number(page)),
        _ => None,
    }
}

fn is_before_number(word: &str) -> bool {
    BEFORE_NUMBER.contains(&word.trim_end_matches(['.', ':']).to_lowercase().as_str())
}

fn is_before_count(word: &str) -> bool {
    BEFORE_COUNT.contains(&word.to_lowercase().as_str())
}

/// The value of a word that can be a page's number: up to four digits.
fn number(word: &str) -> Option<i64> {
    (word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pages: &[&[&str]], expected: &[&[&str]]) {
        let block = |text: &&str| Block {
            text: (*text).to_owned(),
            size: 10.0,
            is_row: text.contains(" | "),
            depth: 1.0,
            ..Block::default()
        };
        let mut blocks: Vec<Vec<Block>> = pages.iter().map(|page| page.iter().map(block).collect()).collect();
        remove_running_heads(&mut blocks, |block| block.text.starts_with('#'));
        let left: Vec<Vec<&str>> =
            blocks.iter().map(|page| page.iter().map(|block| block.text.as_str()).collect()).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn shared_heads_go_and_the_first_stays() {
        check(
            &[
                &["The Town", "a", "b", "c", "1"],
                &["The Town", "d", "e", "f", "Page 2 of 3"],
                &["The Town", "g", "h", "k", "- 3 -"],
            ],
            &[&["The Town", "a", "b", "c"], &["d", "e", "f"], &["g", "h", "k"]],
        );
        check(
            &[&["Part | 1", "a", "b", "c"], &["2 | Part", "d", "e", "f"], &["Part | 3", "g", "h", "k"]],
            &[&["Part | 1", "a", "b", "c"], &["d", "e", "f"], &["g", "h", "k"]],
        );
    }

    #[test]
    fn numbers_of_pages_are_told_in_several_languages() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(page_number(text), expected, "{text}");
        for text in
            ["12", "- 12 -", "Page 12", "PAGE 12 of 30", "Seite 12 von 30", "12/30", "p. 12", "12 de 30", "str. 12"]
        {
            check(text, Some(12));
        }
        for text in ["", "12.", "Page", "12 of", "12 of many", "Season 12", "12 30", "12345"] {
            check(text, None);
        }
    }

    #[test]
    fn two_titles_on_one_line_are_a_head_where_nearly_every_page_has_them() {
        check(
            &[&["Tides | Board", "a", "b", "c"], &["Tides | Board", "d", "e", "f"], &["Tides | Board", "g", "h", "k"]],
            &[&["Tides | Board", "a", "b", "c"], &["d", "e", "f"], &["g", "h", "k"]],
        );
        let table: &[&[&str]] = &[&["a", "No | Name", "1 | x"], &["No | Name", "2 | y"], &["b", "c"], &["d", "e"]];
        check(table, table);
    }

    #[test]
    fn feet_of_slides_and_large_heads_go_where_most_pages_have_them() {
        let foot = ["Ada | Tides | 1 | 9", "Ada | Tides | 2 | 9", "Ada | Tides | 3 | 9", "Ada | Tides | 4 | 9"];
        check(
            &[
                &["a", "b", foot[0]],
                &["c", "d", foot[1]],
                &["e", "f", foot[2]],
                &["g", "h", foot[3]],
                &["k", "m"],
                &["n"],
            ],
            &[&["a", "b", foot[0]], &["c", "d"], &["e", "f"], &["g", "h"], &["k", "m"], &["n"]],
        );
        check(
            &[&["# T", "a", "b"], &["# T", "c", "d"], &["# T", "e", "f"], &["# T", "g", "h"], &["# U", "k", "m"]],
            &[&["# T", "a", "b"], &["c", "d"], &["e", "f"], &["g", "h"], &["# U", "k", "m"]],
        );
    }

    #[test]
    fn heads_with_the_number_of_their_page_go() {
        let heads: [fn(usize) -> String; 5] = [
            |number| format!("Tides, Page {number} of 9"),
            |number| format!("{number} Tides"),
            |number| format!("Tides | by Ada \u{2013} {number}"),
            |number| format!("Tides of the Northern Harbour {number}"),
            |number| format!("Tides, page {number}\nHarbour Board"),
        ];
        for head in heads {
            let (one, two, three) = (head(1), head(2), head(3));
            check(
                &[&["a", "b", "c", &one], &["d", "e", "f", &two], &["g", "h", "k", &three]],
                &[&["a", "b", "c", &one], &["d", "e", "f"], &["g", "h", "k"]],
            );
        }
        let chapters = ["8 | Chapter 1. | Tides", "Ships | 9", "10 | Chapter 2. | Harbours"];
        check(
            &[&["a", "b", "c", chapters[0]], &["d", "e", "f", chapters[1]], &["g", "h", "k", chapters[2]]],
            &[&["a", "b", "c", chapters[0]], &["d", "e", "f"], &["g", "h", "k"]],
        );
        let notes: &[&[&str]] = &[
            &["a", "b", "c", "2 Tides\nof the north"],
            &["d", "e", "f", "3 Tides\nof the north"],
            &["g", "h", "k", "7 Tides\nof the north"],
        ];
        check(notes, notes);
    }

    #[test]
    fn heads_above_each_other_go() {
        let page = |one, two, three| ["Board", "Tides", "North", "Pier", one, two, three];
        check(
            &[&page("a", "b", "c"), &page("d", "e", "f"), &page("g", "h", "k")],
            &[&page("a", "b", "c"), &["d", "e", "f"], &["g", "h", "k"]],
        );
        // A line that follows the heads on only a few of the pages begins a section.
        let section = |one, two| ["Board", "Tides", "Name", one, two];
        let page = |one, two| ["Board", "Tides", one, two];
        check(
            &[
                &section("a", "b"),
                &section("c", "d"),
                &section("e", "f"),
                &page("g", "h"),
                &page("k", "m"),
                &page("n", "o"),
                &page("p", "q"),
                &page("r", "s"),
            ],
            &[
                &section("a", "b"),
                &["Name", "c", "d"],
                &["Name", "e", "f"],
                &["g", "h"],
                &["k", "m"],
                &["n", "o"],
                &["p", "q"],
                &["r", "s"],
            ],
        );
    }

    #[test]
    fn what_only_looks_like_a_head_stays() {
        let twice: &[&[&str]] =
            &[&["Season 1", "a", "b", "c"], &["Season 2", "d", "e", "f"], &["Season 3", "g", "h", "k"]];
        check(twice, twice);
        let headings: &[&[&str]] = &[&["# T", "a", "b", "c"], &["# T", "d", "e", "f"], &["# T", "g", "h", "k"]];
        check(headings, headings);
        let rows: &[&[&str]] = &[
            &["No | Name | 1", "1 | 2", "a"],
            &["No | Name | 1", "1 | 2", "b"],
            &["1990"],
            &["No | Name | 1", "x", "c"],
        ];
        check(rows, rows);
    }

    #[test]
    fn numbers_that_do_not_count_the_pages_stay() {
        let figures: &[&[&str]] = &[&["a", "b", "c", "14"], &["d", "e", "f", "27"], &["g", "h", "k", "9"]];
        check(figures, figures);
        check(&[&["a", "7"], &["b", "8"], &["c", "iv"], &["d", "v"]], &[&["a"], &["b"], &["c"], &["d"]]);
    }

    #[test]
    fn lines_that_are_first_far_below_the_top_stay() {
        let at = |depth: f64, text: &str| Block { text: text.to_owned(), size: 10.0, depth, ..Block::default() };
        let slide = |last: &str| vec![at(-800.0, "Tides"), at(-500.0, "They rise."), at(-300.0, last), at(-50.0, "7")];
        let mut pages = vec![slide("a"), slide("b"), slide("c")];
        remove_running_heads(&mut pages, |_| false);
        let left: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(left, [4, 3, 3]);
        assert!(pages.iter().all(|blocks| blocks.iter().any(|block| block.text == "They rise.")), "{pages:?}");
    }

    #[test]
    fn shared_lines_in_the_middle_stay() {
        let pages: &[&[&str]] =
            &[&["a", "b", "Yes.", "c", "d"], &["e", "f", "Yes.", "g", "h"], &["m", "n", "Yes.", "k", "p"]];
        check(pages, pages);
    }
}
