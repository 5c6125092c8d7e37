//! Running heads, feet and page numbers, which would cut sentences that go over a page and be found in their place.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::Block;
use super::lines::CELL_MARK;

/// On so many pages a line at the edge is a running head.
const PAGES: usize = 3;

/// A head has no more parts, numbers included.
const CELLS: usize = 6;

/// So many numbers that count the pages are page numbers.
const NUMBERED_PAGES: usize = 2;

/// Heads stand within this share of a page's height from its top or its bottom.
const MARGIN: f64 = 0.15;

/// What a line at a page's edge says without the page's number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    /// A number alone, and by how much it is larger than the page's place in the file. Numbers of pages share that;
    /// numbers of a table do not.
    Number(i64),
    /// A number alone in small Roman letters, as front matter has it.
    Roman,
    /// A title.
    Text(String),
    /// Titles side by side, and where they stand, in units of a few points: the head of a table that goes over pages looks
    /// the same, and stands elsewhere on its first page.
    Row(String, i64),
    /// A title in large type, and where it stands: slides share one, too.
    Large(String, i64),
}

/// What is known of a head.
#[derive(Default)]
struct Seen {
    pages: usize,
    /// Of these, the ones where the row of a table is next to it.
    beside_rows: usize,
}

/// Takes out page numbers, and lines at the top or the bottom that several pages share; the first of these stays.
///
/// A page's only block is left alone, and so is what `is_heading` and stands on half of the pages or fewer.
pub(super) fn remove_running_heads(pages: &mut [Vec<Block>], is_heading: impl Fn(&Block) -> bool) {
    let head_at = |blocks: &[Block], page: usize, at: usize| {
        let block = Some(&blocks[at]).filter(|_| blocks.len() > 1)?;
        if is_heading(block) { Some(Head::Large(block.text.clone(), place(block))) } else { head(block, page) }
    };
    let mut seen: BTreeMap<Head, Seen> = BTreeMap::new();
    let extents = extents(pages);
    let edges = |blocks: &[Block]| {
        let mut edges = edges(blocks);
        edges.retain(|&at| at_edge(&blocks[at], &extents));
        edges
    };
    for (page, blocks) in pages.iter().enumerate() {
        for at in edges(blocks) {
            let Some(head) = head_at(blocks, page, at) else { continue };
            let inner = if at < 2 { at + 1 } else { at - 1 };
            let seen = seen.entry(head).or_default();
            seen.pages += 1;
            seen.beside_rows += usize::from(blocks.get(inner).is_some_and(|block| block.is_row));
        }
    }
    let mut kept: BTreeSet<Head> = BTreeSet::new();
    let count = pages.iter().filter(|blocks| !blocks.is_empty()).count();
    for (page, blocks) in pages.iter_mut().enumerate() {
        // The bottom goes first, so that the top's place stays what it is.
        for at in edges(blocks).into_iter().rev() {
            let Some(head) = head_at(blocks, page, at) else { continue };
            let Some(Seen { pages, beside_rows }) = seen.get(&head) else { continue };
            let goes = match head {
                Head::Number(_) | Head::Roman => *pages >= NUMBERED_PAGES,
                Head::Text(_) => *pages >= PAGES && !kept.insert(head),
                Head::Row(..) | Head::Large(..) => {
                    // The first page, and one without text, need no head.
                    let is_everywhere = matches!(head, Head::Row(..)) && pages + 1 >= count.max(NUMBERED_PAGES + 1);
                    let is_frequent = *pages > PAGES && pages * 2 > count;
                    (is_everywhere || is_frequent) && beside_rows * 2 < *pages && !kept.insert(head)
                }
            };
            if goes {
                blocks.remove(at);
            }
        }
    }
}

/// Where the highest and the lowest blocks of all pages stand, for those that are upright and those that are turned.
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

/// The places of the first two and the last two blocks: a head may stand beside a number of its own.
fn edges(blocks: &[Block]) -> Vec<usize> {
    let mut edges: Vec<usize> =
        [0, 1].into_iter().chain([blocks.len().saturating_sub(2), blocks.len().saturating_sub(1)]).collect();
    edges.retain(|&at| at < blocks.len());
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn head(block: &Block, page: usize) -> Option<Head> {
    let text = block.text.as_str();
    if text.contains('\n') || text.len() > 150 {
        return None;
    }
    if let Some(number) = page_number(text) {
        return Some(Head::Number(number - page as i64));
    }
    if text.len() <= 6 && text.bytes().all(|byte| b"ivxl".contains(&byte)) {
        return Some(Head::Roman);
    }
    if !block.is_row {
        return Some(Head::Text(text.to_owned()));
    }
    // A row of a table may stand at the edge as well: only a number at an end, or its place, makes a head of it.
    let cells: Vec<&str> = text.split(CELL_MARK).collect();
    let titles: Vec<&str> = cells.iter().copied().filter(|cell| page_number(cell).is_none()).collect();
    match titles[..] {
        [title] if cells.len() == 2 => Some(Head::Text(title.to_owned())),
        [_, _, ..] if cells.len() <= CELLS && block.depth != 0.0 => {
            Some(Head::Row(titles.join(CELL_MARK), place(block)))
        }
        _ => None,
    }
}

/// How far down the page a block stands, in units of a few points.
fn place(block: &Block) -> i64 {
    (block.depth / 4.0).round() as i64
}

/// The 12 of `12`, `- 12 -`, `Page 12`, `12/30` and `Page 12 of 30`.
pub(super) fn page_number(text: &str) -> Option<i64> {
    let bare = text.trim_matches(|character: char| matches!(character, '-' | '\u{2013}' | '[' | ']' | ' '));
    let bare = match bare.split_at_checked(5) {
        Some((page, rest)) if page.eq_ignore_ascii_case("page ") => rest,
        _ => bare,
    };
    let number = |word: &str| -> Option<i64> {
        let word = word.trim();
        (word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.parse().ok()).flatten()
    };
    match bare.split_once(" of ").or_else(|| bare.split_once('/')) {
        Some((page, all)) => number(all).and_then(|_| number(page)),
        None => number(bare),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pages: &[&[&str]], expected: &[&[&str]]) {
        let block =
            |text: &&str| Block { text: (*text).to_owned(), size: 10.0, is_row: text.contains(" | "), depth: 1.0 };
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
        let at = |depth: f64, text: &str| Block { text: text.to_owned(), size: 10.0, is_row: false, depth };
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
