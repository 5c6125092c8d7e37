//! Joins lines into paragraphs, table rows and headings.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::items::{opens_with_bullet, opens_with_number};
use super::lines::Line;
use crate::base::text::joins_without_space;

/// A line that is lower than the usual step by this factor begins a paragraph.
const PARAGRAPH_STEP: f64 = 1.3;

/// A word in capitals that was cut at a hyphen has at least this many letters; shorter ones are two abbreviations, as
/// in `HIV-AIDS`.
const LONG_IN_CAPITALS: usize = 8;

/// Lines whose middles are no further apart than this, in units of the font's size, are centred.
const CENTRED: f64 = 0.2;

/// A line is indented if it begins this much further to the right, in units of the font's size.
const INDENT: Range<f64> = 0.9..6.0;

/// How many sentences must continue at the same indent for it to be that of a list.
const HANGING: usize = 2;

/// Lines that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Block {
    /// The joined lines, with a line feed where a line was ended on purpose.
    pub(super) text: String,
    /// The size of its largest line's glyphs.
    pub(super) size: f64,
    /// Whether it is a row of a table.
    pub(super) is_row: bool,
    /// How far down the page it begins.
    pub(super) depth: f64,
    /// Whether all of it is bold.
    pub(super) is_bold: bool,
    /// Whether it is a heading because it is bold.
    pub(super) is_bold_heading: bool,
}

/// Joins a page's lines into blocks.
pub(super) fn blocks(lines: &[Line]) -> Vec<Block> {
    let step = usual_step(lines);
    let hanging = hanging(lines);
    let mut blocks = Vec::new();
    let mut begin = 0;
    for at in 1..=lines.len() {
        if at == lines.len()
            || begins_block(&lines[at - 1], &lines[at], step, &hanging)
            || ends_hanging(&lines[begin..at], &lines[at])
        {
            blocks.push(block(&lines[begin..at]));
            begin = at;
        }
    }
    blocks
}

/// The usual distance between two lines of running text, in units of the font's size.
fn usual_step(lines: &[Line]) -> f64 {
    let mut steps: Vec<f64> = lines
        .windows(2)
        .filter(|pair| !pair[0].is_row && !pair[1].is_row && same_size(&pair[0], &pair[1]))
        .map(|pair| (pair[1].depth - pair[0].depth) / pair[1].size)
        .filter(|step| (0.5..3.0).contains(step))
        .collect();
    steps.sort_unstable_by(f64::total_cmp);
    // The lower third, since with short paragraphs most steps are between paragraphs.
    steps.get(steps.len().saturating_sub(1) / 3).copied().unwrap_or(1.2)
}

/// Whether two lines have about the same size: the tolerance covers names in a slightly smaller typewriter face, but no
/// headings.
fn same_size(one: &Line, other: &Line) -> bool {
    (one.size - other.size).abs() <= 0.13 * one.size.max(other.size)
}

/// The indents of lines that continue a sentence, as in references and glossaries: the start of the line above, and the
/// indent, in whole points.
fn hanging(lines: &[Line]) -> BTreeSet<(i64, i64)> {
    let mut found: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for pair in
        lines.windows(2).filter(|pair| goes_on_below(&pair[0], &pair[1]) && continues_sentence(&pair[0], &pair[1]))
    {
        *found.entry(indent(&pair[0], &pair[1])).or_default() += 1;
    }
    found.into_iter().filter(|(_, times)| *times >= HANGING).map(|(place, _)| place).collect()
}

fn indent(above: &Line, line: &Line) -> (i64, i64) {
    (above.start.round() as i64, (line.start - above.start).round() as i64)
}

/// Whether a line is indented below one that had no room for its first word.
fn goes_on_below(above: &Line, line: &Line) -> bool {
    INDENT.contains(&((line.start - above.start) / line.size)) && was_wrapped(above, line)
}

/// Whether a line begins again where a block began whose other lines are indented.
fn ends_hanging(block: &[Line], line: &Line) -> bool {
    let [first, rest @ ..] = block else { return false };
    let is_indented = |one: &Line| INDENT.contains(&((one.start - first.start) / first.size));
    // All lines are checked last, since a block may be long.
    (line.start - first.start).abs() <= CENTRED * line.size
        && rest.last().is_some_and(|above| !continues_sentence(above, line))
        && rest.iter().all(is_indented)
}

fn begins_block(above: &Line, line: &Line, step: f64, hanging: &BTreeSet<(i64, i64)>) -> bool {
    let down = (line.depth - above.depth) / line.size;
    if line.is_row || !same_size(above, line) {
        return true;
    }
    let is_hyphenated = is_hyphenated(&above.text, &line.text);
    let is_next = (0.0..=PARAGRAPH_STEP).contains(&(down / step));
    let continues_cell = above.is_row && continues_cell(above, line, down / step);
    if above.is_row && !(is_hyphenated && is_next) && !continues_cell {
        return true;
    }
    if is_hyphenated && down <= 3.0 * step {
        return false;
    }
    if down <= 0.0 || down > 8.0 * step {
        // This is the next column, or text below a figure: a sentence may continue.
        return !continues_sentence(above, line);
    }
    let is_backwards = line.is_drawn_backwards() && above.is_drawn_backwards();
    let indent = if is_backwards { above.end - line.end } else { line.start - above.start } / line.size;
    // Shorter lines of a centred title look indented.
    let centre = |line: &Line| (line.start + line.end) / 2.0;
    let is_centred = (centre(line) - centre(above)).abs() <= CENTRED * line.size;
    // A line that hangs below an item's words belongs to the item.
    let goes_on = || {
        goes_on_below(above, line) && (continues_sentence(above, line) || hanging.contains(&self::indent(above, line)))
    };
    let hangs = opens_with_bullet(&above.text) || hangs_below_number(above, line) || !is_backwards && goes_on();
    let is_indented =
        !hangs && !continues_cell && !opens_with_bullet(&line.text) && !is_centred && INDENT.contains(&indent);
    down > PARAGRAPH_STEP * step || is_indented
}

/// Whether the last cell of a row continues on a line of its own, `down` steps below.
fn continues_cell(above: &Line, line: &Line, down: f64) -> bool {
    let begins = above.gaps.iter().rfind(|gap| gap.is_cell).map(|gap| gap.right);
    begins.is_some_and(|begins| (line.start - begins).abs() <= CENTRED * line.size)
        && (0.0..=PARAGRAPH_STEP).contains(&down)
        && (continues_sentence(above, line) || above.only_gap().is_some_and(|gap| explains(&above.text[gap.at..])))
}

/// Whether the cell after a term is text.
fn explains(cell: &str) -> bool {
    cell.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).nth(2).is_some()
}

/// Whether a sentence continues from `above` to `line`.
fn continues_sentence(above: &Line, line: &Line) -> bool {
    let ended = above.text.chars().next_back().is_none_or(|last| !(last.is_alphanumeric() || last == ','));
    is_hyphenated(&above.text, &line.text) || !ended && line.text.chars().next().is_some_and(char::is_lowercase)
}

fn block(lines: &[Line]) -> Block {
    let right = lines.iter().map(|line| line.end).fold(f64::NEG_INFINITY, f64::max);
    let left = lines.iter().map(|line| line.start).fold(f64::INFINITY, f64::min);
    let mut block = Block { depth: lines.first().map_or(0.0, |line| line.depth), is_bold: true, ..Block::default() };
    for (index, line) in lines.iter().enumerate() {
        if let Some(above) = index.checked_sub(1).map(|above| &lines[above]) {
            let word = line.first_word.unwrap_or(line.end - line.start);
            // If the next word would have fitted, the line was ended on purpose: a list, an address, a verse.
            let room = if above.is_drawn_backwards() { above.start - left } else { right - above.end };
            let has_room = word + 0.6 * line.size < room;
            let is_code = above.is_fixed() && line.is_fixed();
            let ends = (has_room || is_code) && line.depth > above.depth && !continues_sentence(above, line);
            let on_purpose = opens_with_bullet(&line.text) || above.has_leader || ends;
            join(&mut block.text, &line.text, on_purpose);
        } else {
            block.text.push_str(&line.text);
        }
        block.size = block.size.max(line.size);
        block.is_row |= line.is_row;
        block.is_bold &= line.is_bold();
    }
    block
}

/// Appends a line to the text above it.
pub(super) fn join(text: &mut String, line: &str, on_purpose: bool) {
    if on_purpose {
        text.push('\n');
    } else if text.ends_with('\u{ad}') || is_hyphenated(text, line) {
        text.pop();
    } else if !text.ends_with(['-', '\u{2010}']) && !meet_without_space(text, line) {
        text.push(' ');
    }
    text.push_str(line);
}

/// Whether a hyphen only comes from the end of the line: letters before it, a letter of the same case after it, and no
/// other hyphen in the word, as in "state-of-the-". Short parts in capitals are two abbreviations.
fn is_hyphenated(text: &str, line: &str) -> bool {
    let Some(word) = text.strip_suffix(['-', '\u{2010}', '\u{ad}']) else {
        return false;
    };
    let mut before = word.rsplit(char::is_whitespace);
    let word = before.next().unwrap_or(word);
    let rest = line.split(|one: char| !one.is_alphabetic()).next().unwrap_or(line);
    let in_capitals = |text: &str| text.chars().filter(|one| one.is_alphabetic()).all(char::is_uppercase);
    // Between words in capitals, capitals do not show an abbreviation.
    let has_capitals =
        |word: &str| in_capitals(word) && word.chars().filter(|one| one.is_alphabetic()).nth(1).is_some();
    let is_between_capitals =
        before.next().is_some_and(has_capitals) && line.split_whitespace().nth(1).is_some_and(has_capitals);
    word.chars().next_back().is_some_and(char::is_alphabetic)
        && !word.contains(['-', '\u{2010}'])
        && (rest.starts_with(char::is_lowercase)
            || in_capitals(word)
                && in_capitals(rest)
                && (word.len().min(rest.len()) >= 3 && word.len() + rest.len() >= LONG_IN_CAPITALS
                    || rest.len() >= 2 && is_between_capitals))
}

/// Whether two lines meet without a space, as in Chinese and Japanese.
fn meet_without_space(text: &str, line: &str) -> bool {
    text.chars().next_back().is_some_and(joins_without_space) && line.chars().next().is_some_and(joins_without_space)
}

/// Whether a line continues one that begins with a number and had no room for its first word.
fn hangs_below_number(above: &Line, line: &Line) -> bool {
    opens_with_number(&above.text)
        && !opens_with_number(&line.text)
        && above.is_bold() == line.is_bold()
        && was_wrapped(above, line)
}

/// Whether the first word of a line had no room at the end of the line above, as far as the line itself reaches.
fn was_wrapped(above: &Line, line: &Line) -> bool {
    let word = line.first_word.unwrap_or(line.end - line.start);
    above.end + word + 0.3 * line.size > line.end
}

#[cfg(test)]
mod tests {
    use hayro_font::kurbo::Affine;

    use super::super::lines::{LineCollector, arranged};
    use super::*;

    fn check_join(above: &str, line: &str, expected: &str) {
        let mut text = above.to_owned();
        join(&mut text, line, false);
        assert_eq!(text, expected);
    }

    #[test]
    fn words_cut_at_the_line_end_are_whole_again() {
        check_join("the audi-", "ence grew", "the audience grew");
        check_join("the audi\u{ad}", "ence", "the audience");
        check_join("a state-of-the-", "art set", "a state-of-the-art set");
        check_join("the Simpson-", "Bouvier wedding", "the Simpson-Bouvier wedding");
        check_join("in 1990-", "91", "in 1990-91");
    }

    #[test]
    fn lines_meet_with_a_space_where_the_script_has_spaces() {
        check_join("it ran", "for years", "it ran for years");
        check_join("\u{6f22}\u{5b57}", "\u{304c}", "\u{6f22}\u{5b57}\u{304c}");
        check_join("\u{d55c}\u{ad6d}", "\u{c5b4}", "\u{d55c}\u{ad6d} \u{c5b4}");
    }

    /// A page drawn with glyphs half as wide as high, given as (x, depth, size, text).
    fn page(lines: &[(f64, f64, f64, &str)]) -> Vec<Block> {
        let mut collector = LineCollector::default();
        for &(x, depth, size, text) in lines {
            for (index, character) in text.chars().enumerate() {
                let matrix =
                    Affine::new([1.0, 0.0, 0.0, 1.0, x + index as f64 * 0.5 * size, -depth]) * Affine::scale(size);
                collector.put(matrix, 0.5, &character.to_string());
            }
        }
        blocks(&arranged(collector.drawn()))
    }

    fn check(lines: &[(f64, f64, f64, &str)], expected: &[&str]) {
        assert_eq!(page(lines).iter().map(|block| block.text.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_wider_step_or_an_indent_begins_a_paragraph() {
        let lines = [
            (50.0, 100.0, 10.0, "one one one one"),
            (50.0, 112.0, 10.0, "two two two two"),
            (50.0, 132.0, 10.0, "three three thr"),
            (65.0, 144.0, 10.0, "Four four fo"),
            (50.0, 156.0, 10.0, "five five five"),
        ];
        check(&lines, &["one one one one two two two two", "three three thr", "Four four fo five five five"]);
    }

    #[test]
    fn a_hyphen_holds_a_word_together_over_any_step() {
        let step =
            |depth: f64, x: f64| [(50.0, 100.0, 10.0, "one one floating-point num-"), (x, depth, 10.0, "ber two")];
        for (depth, x) in [(112.0, 50.0), (125.0, 50.0), (112.0, 75.0)] {
            check(&step(depth, x), &["one one floating-point number two"]);
        }
        check(&[(50.0, 100.0, 10.0, "MERCHANTABIL-"), (50.0, 112.0, 10.0, "ITY AND")], &["MERCHANTABILITY AND"]);
        check(&[(50.0, 100.0, 10.0, "by HIV-"), (50.0, 112.0, 10.0, "AIDS and")], &["by HIV-AIDS and"]);
        check(&[(50.0, 100.0, 10.0, "DAMAGES, IN-"), (50.0, 112.0, 10.0, "CLUDING ANY")], &["DAMAGES, INCLUDING ANY"]);
    }

    #[test]
    fn the_last_cell_of_a_row_goes_on_below_it() {
        let row =
            [(50.0, 100.0, 10.0, "gets"), (150.0, 100.0, 10.0, "The long ver-"), (150.0, 112.0, 10.0, "sion of it")];
        check(&row, &["gets | The long version of it"]);
        let term =
            [(50.0, 100.0, 10.0, "gets"), (150.0, 100.0, 10.0, "The long ver-"), (80.0, 112.0, 10.0, "sion of it")];
        check(&term, &["gets | The long version of it"]);
        let cell = [(50.0, 100.0, 10.0, "1"), (150.0, 100.0, 10.0, "27"), (150.0, 112.0, 10.0, "28")];
        check(&cell, &["1 | 27", "28"]);
        let option = [
            (50.0, 100.0, 10.0, "-c"),
            (150.0, 100.0, 10.0, "The number of rates."),
            (150.0, 112.0, 10.0, "DEFAULT: 25"),
        ];
        check(&option, &["-c | The number of rates. DEFAULT: 25"]);
    }

    #[test]
    fn the_lines_of_a_numbered_item_hang_below_its_words() {
        let item = [(50.0, 100.0, 10.0, "1. The long words of the item"), (65.0, 112.0, 10.0, "end here")];
        check(&item, &["1. The long words of the item end here"]);
        let heading = [(50.0, 100.0, 10.0, "2. Tides"), (65.0, 112.0, 10.0, "They rise and fall twice a day")];
        check(&heading, &["2. Tides", "They rise and fall twice a day"]);
    }

    #[test]
    fn items_whose_further_lines_are_indented_are_whole() {
        let references = [
            (50.0, 100.0, 10.0, "Abril and Plant. The patent"),
            (65.0, 112.0, 10.0, "holder's dilemma and more"),
            (65.0, 124.0, 10.0, "of it in 2007."),
            (50.0, 136.0, 10.0, "Cohen. A system for proofs,"),
            (65.0, 148.0, 10.0, "done with paper and pencil"),
            (50.0, 160.0, 10.0, "Douglass. An overview of the"),
            (65.0, 172.0, 10.0, "Norwegian forests."),
        ];
        let expected = [
            "Abril and Plant. The patent holder's dilemma and more of it in 2007.",
            "Cohen. A system for proofs, done with paper and pencil",
            "Douglass. An overview of the Norwegian forests.",
        ];
        check(&references, &expected);
    }

    #[test]
    fn a_cell_with_nothing_in_it_keeps_its_place() {
        let cells = |depth: f64, cells: [&'static str; 4]| {
            let places = cells.into_iter().enumerate().filter(|(_, cell)| !cell.is_empty());
            places.map(move |(at, cell)| (50.0 + 100.0 * at as f64, depth, 10.0, cell)).collect::<Vec<_>>()
        };
        let table = [
            ["", "spring", "summer", "autumn"],
            ["open", "9", "8", "10"],
            ["late", "", "22", ""],
            ["shut", "17", "", "16"],
        ];
        let lines: Vec<_> =
            table.into_iter().enumerate().flat_map(|(at, row)| cells(100.0 + 12.0 * at as f64, row)).collect();
        let more = cells(148.0, ["once", "1", "2", "3"]);
        let lines: Vec<_> = lines.into_iter().chain(more).collect();
        let expected = [
            "| spring | summer | autumn",
            "open | 9 | 8 | 10",
            "late |  | 22 |",
            "shut | 17 |  | 16",
            "once | 1 | 2 | 3",
        ];
        check(&lines, &expected);
    }

    #[test]
    fn a_centred_title_is_one() {
        let lines = [(50.0, 100.0, 20.0, "The Lighthouse at the"), (75.0, 124.0, 20.0, "Harbour of Skerr")];
        check(&lines, &["The Lighthouse at the Harbour of Skerr"]);
    }

    #[test]
    fn a_line_ended_on_purpose_stays_a_line() {
        let lines = [
            (50.0, 100.0, 10.0, "742 Evergreen Terrace in the town"),
            (50.0, 112.0, 10.0, "Springfield"),
            (50.0, 124.0, 10.0, "USA"),
        ];
        check(&lines, &["742 Evergreen Terrace in the town Springfield\nUSA"]);
    }

    #[test]
    fn items_are_lines_and_their_lines_hang_below() {
        let lines = [
            (50.0, 100.0, 10.0, "It has:"),
            (50.0, 112.0, 10.0, "\u{2022}"),
            (70.0, 112.0, 10.0, "a long line of words that goes on"),
            (70.0, 124.0, 10.0, "below it"),
            (50.0, 136.0, 10.0, "\u{2022} another"),
        ];
        check(&lines, &["It has:\n\u{2022} a long line of words that goes on below it\n\u{2022} another"]);
    }

    #[test]
    fn leaders_are_short_and_end_their_entry() {
        let lines = [(50.0, 100.0, 10.0, "One . . . . . . . . 1"), (50.0, 112.0, 10.0, "Two words........ 12")];
        check(&lines, &["One \u{2026} 1\nTwo words \u{2026} 12"]);
    }

    #[test]
    fn a_wide_gap_makes_a_row() {
        let lines = [
            (50.0, 100.0, 10.0, "Season"),
            (150.0, 100.0, 10.0, "Viewers"),
            (50.0, 112.0, 10.0, "1"),
            (150.0, 112.0, 10.0, "27.8"),
        ];
        check(&lines, &["Season | Viewers", "1 | 27.8"]);
        assert!(page(&lines).iter().all(|block| block.is_row));
    }

    #[test]
    fn words_set_wide_to_fill_a_line_are_no_row() {
        let words = |words: [&'static str; 4]| {
            let at = |index: usize| 50.0 + 43.3 * index as f64;
            words.into_iter().enumerate().map(move |(index, word)| (at(index), 112.0, 10.0, word))
        };
        let around = |middle: Vec<(f64, f64, f64, &'static str)>| {
            let above = (50.0, 100.0, 10.0, "The harbour of the north is here");
            let below = (50.0, 124.0, 10.0, "and so is the town of the south.");
            [vec![above], middle, vec![below]].concat()
        };
        let whole = "The harbour of the north is here that's where ships moored and so is the town of the south.";
        check(
            &around(words(["that's", "where.", "ships.", "moored"]).collect()),
            &[&whole.replace("where ships", "where. ships.")],
        );
        // After a point there is more room.
        let apart = [(50.0, "that's"), (92.2, "where."), (137.8, "vessel"), (180.0, "moored")];
        let apart = apart.map(|(at, word)| (at, 112.0, 10.0, word)).to_vec();
        check(&around(apart), &[&whole.replace("where ships", "where. vessel")]);
        let figures = around(words(["101.25", "102.25", "103.25", "104.25"]).collect());
        assert!(page(&figures)[1].is_row);
    }

    #[test]
    fn columns_drawn_across_the_page_are_taken_apart() {
        let left = [
            "The northern harbour was built in",
            "the nineteenth century by people who",
            "knew the sea around it very well,",
            "and they kept a record of the height",
            "of each tide in a book of their own",
            "that is kept in the town to this day.",
            "Nobody else has one.",
        ];
        let right = [
            "   Each page of the book is a month",
            "and each line of it is a day of that",
            "month with two heights and two times,",
            "written in ink by the harbourmaster",
            "or by whoever stood in for him then,",
            "even in the year of the great flood.",
        ];
        let mut lines =
            vec![(50.0, 80.0, 10.0, "A heading that goes across both of the columns of this page, as titles do")];
        for (row, words) in left.iter().enumerate() {
            let depth = 100.0 + 12.0 * row as f64;
            lines.push((50.0, depth, 10.0, words));
            if let Some(words) = right.get(row) {
                lines.push((270.0, depth, 10.0, words));
            }
        }
        let found = page(&lines);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[1].text.starts_with("The northern harbour was built in the nineteenth"), "{found:?}");
        assert!(found[1].text.ends_with("to this day. Nobody else has one."), "{found:?}");
        assert!(found[2].text.starts_with("Each page of the book is a month and each line"), "{found:?}");
        // The same lines with few words are a table.
        let short: Vec<(f64, f64, f64, &str)> = (0..8)
            .flat_map(|row| {
                let depth = 100.0 + 12.0 * f64::from(row);
                [(50.0, depth, 10.0, "North pier"), (270.0, depth, 10.0, "1.25 metres")]
            })
            .collect();
        assert!(page(&short).iter().all(|block| block.is_row && block.text == "North pier | 1.25 metres"));
    }

    #[test]
    fn a_sentence_runs_on_in_the_next_column() {
        let lines = [
            (50.0, 700.0, 10.0, "the show that ran"),
            (300.0, 100.0, 10.0, "for many years."),
            (50.0, 750.0, 10.0, "Next"),
        ];
        check(&lines, &["the show that ran for many years.", "Next"]);
    }
}
