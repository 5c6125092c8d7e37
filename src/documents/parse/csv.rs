//! Tables as comma-, semicolon-, tab- or bar-separated values.
//!
//! A row reads on its own, wherever a chunk cuts the table: each value stands behind its column's name, where that has
//! one. Columns that hold sentences are put on lines of their own without a name, so that these can be quoted as they stand,
//! and so is a remark that stands alone in its row.

use std::collections::BTreeSet;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use super::{ParseError, Parsed};
use crate::base::text::{excerpt, one_line};

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Rows that are enough to tell a delimiter from a character of the text.
const SNIFFED_ROWS: usize = 50;

/// A column may be prose when its filled cells have at least this many words on average.
const PROSE_WORDS: usize = 8;

/// A column is prose even if its cells do not end as sentences do when they have this many words on average: a text that was
/// cut, a description in notes.
const LONG_PROSE_WORDS: usize = 30;

const SENTENCE_ENDS: [char; 8] = ['.', '!', '?', '\u{2026}', '\u{3002}', '\u{ff0e}', '\u{ff01}', '\u{ff1f}'];

/// A column's name stands before each of its values, so a long one is cut.
const LONGEST_NAME: usize = 80;

/// A row with one cell of so many words is a remark.
const REMARK_WORDS: usize = 3;

/// Fewest different cells of a row of names that has others above it.
const NAMES: usize = 3;

/// Most rows above the names that belong to them.
const MOST_ABOVE: usize = 3;

/// Parses a table with a header row, and what stands above that. `path` only tells tab-separated files (`.tsv`, `.tab`);
/// elsewhere the delimiter is found in the content.
pub(super) fn parse(text: &str, path: &Path) -> Result<Parsed, ParseError> {
    let text = text.trim_start_matches('\u{feff}');
    let delimiter = if is_tab_separated(path) { b'\t' } else { sniff_delimiter(text) };
    let (mut rows, mut first) = (Rows::new(text, delimiter), Vec::new());
    while first.len() < SNIFFED_ROWS
        && let Some(row) = rows.read()?
    {
        first.push(row.clone());
    }
    let above = rows_above(&first);
    if first.len() <= above {
        return Err(ParseError::Empty { hint: "".into() });
    }
    let (header, taken) = header(&first[above..]);
    let mut parsed = Parsed::default();
    for row in &first[..above] {
        render_above(row, &mut parsed);
    }
    let alone = first[..above].first().filter(|row| filled(*row) == 1);
    parsed.title = alone.and_then(|row| super::label(&row[0]));
    // Twice, since what is known of the columns before the first row is written hangs on all rows, and a table of many
    // short rows takes far more memory as rows than as text.
    let mut counted = Counted::default();
    let mut rows = Rows::below(above + taken, text, delimiter)?;
    while let Some(row) = rows.read()? {
        counted.add(row);
    }
    let columns = counted.columns(&header, &mut parsed);
    let mut rows = Rows::below(above + taken, text, delimiter)?;
    while let Some(row) = rows.read()? {
        columns.render(row, &mut parsed);
    }
    if parsed.text.is_empty() {
        return Err(ParseError::Empty { hint: "".into() });
    }
    Ok(parsed)
}

/// Appends the rows of a table, each with the names of its columns.
pub(super) fn render_rows(header: &StringRecord, rows: &[StringRecord], parsed: &mut Parsed) {
    let mut counted = Counted::default();
    rows.iter().for_each(|row| counted.add(row));
    let columns = counted.columns(header, parsed);
    for row in rows {
        columns.render(row, parsed);
    }
}

fn is_tab_separated(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv") || ending.eq_ignore_ascii_case("tab"))
}

/// The rows that have something in them, each cell on one line, read one after the other into the same buffers: a large table
/// has millions.
struct Rows<'t> {
    reader: csv::Reader<&'t [u8]>,
    raw: StringRecord,
    row: StringRecord,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str, delimiter: u8) -> Self {
        Rows { reader: reader(text, delimiter), raw: StringRecord::new(), row: StringRecord::new() }
    }

    /// Those below the first `above`.
    fn below(above: usize, text: &'t str, delimiter: u8) -> Result<Self, ParseError> {
        let mut rows = Rows::new(text, delimiter);
        for _ in 0..above {
            rows.read()?;
        }
        Ok(rows)
    }

    /// The next one; `None` behind the last.
    fn read(&mut self) -> Result<Option<&StringRecord>, ParseError> {
        let broken = |error: csv::Error| ParseError::Broken { format: "CSV", reason: error.to_string() };
        while self.reader.read_record(&mut self.raw).map_err(broken)? {
            self.row.clear();
            self.raw.iter().for_each(|cell| self.row.push_field(&one_line(cell)));
            if filled(&self.row) > 0 {
                return Ok(Some(&self.row));
            }
        }
        Ok(None)
    }
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes())
}

/// The delimiter under which most rows have equally many cells; among equals the one that makes more cells, then the earlier
/// in [`DELIMITERS`].
fn sniff_delimiter(text: &str) -> u8 {
    let mut best = (b',', (0, 0));
    for delimiter in DELIMITERS {
        let widths: Vec<usize> =
            reader(text, delimiter).records().take(SNIFFED_ROWS).map_while(Result::ok).map(|row| row.len()).collect();
        let width = median(widths.clone());
        if width < 2 {
            continue;
        }
        let agreeing = widths.iter().filter(|&&other| other == width).count();
        let score = (agreeing, width);
        if score > best.1 {
            best = (delimiter, score);
        }
    }
    best.0
}

/// How many of the first rows stand above the names of the columns: a title, a unit, who made it. They have far fewer cells
/// than most rows, and the names are no numbers.
pub(super) fn rows_above(first: &[StringRecord]) -> usize {
    let typical = median(first.iter().map(filled::<&str>).collect());
    let is_above = |row: &&StringRecord| {
        let cells = filled(*row);
        // Rows may have names of their own, in a column without one.
        let begins = row.get(0).is_some_and(|cell| !cell.is_empty());
        begins && cells < typical && (cells == 1 || cells * 3 <= typical * 2)
    };
    let above = first.iter().take_while(is_above).count();
    if first.get(above).is_some_and(|names| names.iter().any(is_number)) { 0 } else { above }
}

/// The names of the columns, and how many rows hold them. Rows above the names have gaps, as those of units or years do, and
/// are told behind them: "Price GBP".
pub(super) fn header(rows: &[StringRecord]) -> (StringRecord, usize) {
    let begins = |row: &&StringRecord| row.get(0).is_some_and(|cell| !cell.is_empty());
    let above = rows.iter().take(MOST_ABOVE).take_while(|row| !begins(row)).count().max(1);
    let (upper, rest) = rows.split_at(above.min(rows.len()));
    let Some((lower, _)) = rest.split_first().filter(|(lower, below)| are_names(upper, lower, below)) else {
        return (rows.first().cloned().unwrap_or_default(), 1);
    };
    let mut names: Vec<String> = lower.iter().map(str::to_owned).collect();
    for row in upper.iter().rev() {
        let mut spanned = "";
        for (column, name) in lower.iter().enumerate() {
            let is_repeated = lower.iter().filter(|other| *other == name).count() > 1;
            let cell = row.get(column).unwrap_or_default();
            // "2024" over two columns stands above the first.
            spanned = if cell.is_empty() && is_repeated { spanned } else { cell };
            names[column] = one_line(&format!("{} {spanned}", names[column]));
        }
    }
    (names.into(), above + 1)
}

/// Whether `lower` names columns, too, and is not the first row of values: it fills gaps of `upper`, its cells are different
/// words, and numbers stand below several of them.
fn are_names(upper: &[StringRecord], lower: &StringRecord, below: &[StringRecord]) -> bool {
    let cells: Vec<&str> = lower.iter().filter(|cell| !cell.is_empty()).collect();
    let is_name = |cell: &&str| !is_number(cell) && word_count(cell) < PROSE_WORDS;
    let different: BTreeSet<&str> = cells.iter().copied().collect();
    let holds_numbers = |column: &usize| {
        let values: Vec<&str> =
            below.iter().filter_map(|row| row.get(*column)).filter(|cell| !cell.is_empty()).collect();
        values.iter().filter(|value| is_number(value)).count() * 2 > values.len()
    };
    upper.iter().all(|row| filled(row) < cells.len() && row.len() <= lower.len() && !row.iter().any(is_number))
        && different.len() >= cells.len().min(NAMES)
        && cells.iter().all(is_name)
        && (0..lower.len()).filter(holds_numbers).count() >= 2
}

/// Whether a cell is a number and not a year.
pub(super) fn is_number(cell: &str) -> bool {
    !cell.is_empty() && cell.replace(',', "").parse::<f64>().is_ok() && cell.len() != 4
}

/// How many cells of a row have something in them.
pub(super) fn filled<C: AsRef<str>>(row: impl IntoIterator<Item = C>) -> usize {
    row.into_iter().filter(|cell| !cell.as_ref().is_empty()).count()
}

fn median(mut counts: Vec<usize>) -> usize {
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or(0)
}

/// Appends a row above the table as a line: two cells beside each other are a name and its value.
pub(super) fn render_above(row: &StringRecord, parsed: &mut Parsed) {
    begin_block(parsed);
    let cells: Vec<&str> = row.iter().collect();
    let runs = cells.split(|cell| cell.is_empty()).filter(|run| !run.is_empty());
    let shown = runs.map(|run| run.join(if run.len() == 2 && !run[0].ends_with([':', '：']) { ": " } else { " " }));
    parsed.text.push_str(&shown.collect::<Vec<_>>().join("; "));
}

/// What the rows of a table say of its columns.
#[derive(Default)]
struct Counted {
    rows: usize,
    columns: Vec<Contents>,
}

/// What is counted of one column.
#[derive(Clone, Default)]
struct Contents {
    cells: usize,
    words: usize,
    /// Cells that end as a sentence does.
    sentences: usize,
}

impl Contents {
    fn add(&mut self, cell: &str) {
        self.cells += 1;
        self.words += word_count(cell);
        self.sentences += usize::from(cell.trim_end_matches(['"', '”', '’', ')', '」', '）']).ends_with(SENTENCE_ENDS));
    }

    /// A value of many words that is no sentence says nothing without its column's name: "Remedy: restart the service".
    fn is_prose(&self) -> bool {
        let words = if self.sentences * 2 > self.cells { PROSE_WORDS } else { LONG_PROSE_WORDS };
        self.cells > 0 && self.words >= words * self.cells
    }
}

impl Counted {
    fn add(&mut self, row: &StringRecord) {
        self.rows += 1;
        self.columns.resize(self.columns.len().max(row.len()), Contents::default());
        for (column, cell) in self.columns.iter_mut().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            column.add(cell);
        }
    }

    /// The columns; of a table of one row its names are the text, since nothing stands below them.
    fn columns(mut self, header: &StringRecord, parsed: &mut Parsed) -> Columns {
        let width = self.columns.len().max(header.len());
        self.columns.resize(width, Contents::default());
        // Cells beyond the header have no name.
        let name = |column| excerpt(header.get(column).unwrap_or_default(), LONGEST_NAME).into_owned();
        let names = (0..width).map(name).collect();
        let prose = self.columns.iter().map(Contents::is_prose).collect();
        let columns = Columns { names, prose };
        if self.rows == 0 {
            columns.render_names(parsed);
        }
        columns
    }
}

/// What is known of the columns before the first row is written.
struct Columns {
    names: Vec<String>,
    prose: Vec<bool>,
}

impl Columns {
    /// Appends one block: the short values on a line, then each prose cell on its own.
    fn render(&self, row: &StringRecord, parsed: &mut Parsed) {
        let filled = || row.iter().zip(&self.names).zip(&self.prose).filter(|((cell, _), _)| !cell.is_empty());
        begin_block(parsed);
        if let (Some(((remark, _), _)), None) = (filled().next(), filled().nth(1))
            && self.names.len() >= NAMES
            && word_count(remark) >= REMARK_WORDS
        {
            parsed.text.push_str(remark);
            return;
        }
        let start = parsed.text.len();
        for ((cell, name), _) in filled().filter(|(_, prose)| !**prose) {
            if parsed.text.len() > start {
                parsed.text.push_str("; ");
            }
            if !name.is_empty() {
                parsed.text.push_str(name);
                parsed.text.push_str(": ");
            }
            // A semicolon parts the cells of a row, so that none may stand within one.
            parsed.text.push_str(&cell.replace("; ", ", "));
        }
        if parsed.text.len() > start && !parsed.text.ends_with(['.', '!', '?', '\u{3002}']) {
            parsed.text.push('.');
        }
        for ((cell, _), _) in filled().filter(|(_, prose)| **prose) {
            if parsed.text.len() > start {
                parsed.text.push('\n');
            }
            parsed.text.push_str(cell);
        }
    }

    fn render_names(&self, parsed: &mut Parsed) {
        begin_block(parsed);
        let names: Vec<&str> = self.names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        parsed.text.push_str(&names.join("; "));
    }
}

pub(super) fn begin_block(parsed: &mut Parsed) {
    if !parsed.text.is_empty() {
        parsed.text.push_str("\n\n");
    }
    parsed.breaks.push(parsed.text.len());
}

/// Words where a script has spaces; elsewhere about two characters are a word.
fn word_count(cell: &str) -> usize {
    let wide = cell.chars().filter(|&character| u32::from(character) >= 0x2e80).count();
    cell.split_whitespace().count() + wide / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(path: &str, input: &str, expected: &str) {
        let parsed = parse(input, Path::new(path)).unwrap();
        assert_eq!(parsed.text, expected);
        let blocks: Vec<usize> =
            std::iter::once(0).chain(expected.match_indices("\n\n").map(|(at, _)| at + 2)).collect();
        assert_eq!(parsed.breaks, blocks);
        assert_eq!(parsed.title, None);
    }

    #[test]
    fn every_row_names_its_columns() {
        check(
            "a.csv",
            "year,film\n2007,The Simpsons Movie\n1999,\"Me, Myself?\"\n",
            "year: 2007; film: The Simpsons Movie.\n\nyear: 1999; film: Me, Myself?",
        );
    }

    #[test]
    fn what_stands_above_the_names_of_the_columns_is_text() {
        let parsed = parse(
            "図書館費,,,,\n単位：千円,,,,所管：図書係\n\n科目,令和5年度,令和6年度,増減,説明\n報酬,41,43,2,司書\n光熱水費,17,19,2,単価\n",
            Path::new("a.csv"),
        )
        .unwrap();
        assert_eq!(parsed.title.as_deref(), Some("図書館費"));
        assert_eq!(
            parsed.text,
            "図書館費\n\n単位：千円; 所管：図書係\n\n科目: 報酬; 令和5年度: 41; 令和6年度: 43; 増減: 2; 説明: 司書.\n\n\
             科目: 光熱水費; 令和5年度: 17; 令和6年度: 19; 増減: 2; 説明: 単価."
        );
        check("a.csv", ",red,blue\nsky,no,yes\nrose,yes,no\n", "sky; red: no; blue: yes.\n\nrose; red: yes; blue: no.");
        check("a.csv", "Prices\n1,2\n3,4\n", "Prices: 1; 2.\n\nPrices: 3; 4.");
    }

    #[test]
    fn two_rows_of_names_are_read_together() {
        check(
            "a.csv",
            ",,EUR,kg\nItem,Kind,Price,Weight\nBolt,M8,2,7\nNut,M8,1,3\n# Prices hold until May\n",
            "Item: Bolt; Kind: M8; Price EUR: 2; Weight kg: 7.\n\nItem: Nut; Kind: M8; Price EUR: 1; Weight kg: 3.\n\n\
             # Prices hold until May",
        );
        check(
            "a.csv",
            ",2023,,2024,\nShop,Q1,Q2,Q1,Q2\nBonn,1,2,3,4\nKöln,5,6,7,8\n",
            "Shop: Bonn; Q1 2023: 1; Q2 2023: 2; Q1 2024: 3; Q2 2024: 4.\n\n\
             Shop: Köln; Q1 2023: 5; Q2 2023: 6; Q1 2024: 7; Q2 2024: 8.",
        );
        check(
            "a.csv",
            ",,until May,from May\n,,EUR,EUR\nLine,Class,Single,Return\nA,1,2,4\n",
            "Line: A; Class: 1; Single EUR until May: 2; Return EUR from May: 4.",
        );
        // The first row of values may have no numbers either.
        check(
            "a.csv",
            ",2023,2024\nBonn,n/a,n/a\nKöln,5,6\n",
            "Bonn; 2023: n/a; 2024: n/a.\n\nKöln; 2023: 5; 2024: 6.",
        );
    }

    #[test]
    fn the_delimiter_is_found_in_the_content() {
        check("a.csv", "a;b\n1,5;2\n2,5;3\n", "a: 1,5; b: 2.\n\na: 2,5; b: 3.");
        check("a.csv", "a|b\n1|2\n", "a: 1; b: 2.");
        check("a.csv", "a\tb\n1, or so\t2\n", "a: 1, or so; b: 2.");
    }

    #[test]
    fn a_long_name_is_cut_where_it_is_repeated() {
        let name = "word ".repeat(100);
        let parsed = parse(&format!("{name},b\n1,2\n1,2\n"), Path::new("a.csv")).expect("a table");
        assert!(parsed.text.len() < 250 && parsed.text.contains("word\u{2026}: 1; b: 2."), "{}", parsed.text);
    }

    #[test]
    fn the_ending_tsv_wins_over_the_content() {
        check("a.TSV", "a,b\n1,2\n", "a,b: 1,2.");
    }

    #[test]
    fn rows_of_other_lengths_and_empty_cells_are_kept() {
        check("a.csv", "a,,c\n1\n1,,3,4\n,,\n", "a: 1.\n\na: 1; c: 3; 4.");
    }

    #[test]
    fn prose_columns_stand_without_their_name_below_the_rest() {
        check(
            "a.csv",
            "id,note,year\n7,\"It ran for a long time, and\nnobody in the town minded.\",1990\n",
            "id: 7; year: 1990.\nIt ran for a long time, and nobody in the town minded.",
        );
    }

    #[test]
    fn a_semicolon_within_a_cell_does_not_part_it() {
        check("a.csv", "name,keys\nsafe,Ann; Bo\n", "name: safe; keys: Ann, Bo.");
    }

    #[test]
    fn a_long_value_that_is_no_sentence_keeps_its_name() {
        check(
            "a.csv",
            "code,remedy\nE7,switch the unit off and on again after ten minutes\n",
            "code: E7; remedy: switch the unit off and on again after ten minutes.",
        );
        check(
            "a.csv",
            "コード,対処\nE-3008,分割キーを指定して再実行するか件数を減らす\n",
            "コード: E-3008; 対処: 分割キーを指定して再実行するか件数を減らす.",
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_name() {
        check("a.csv", "\u{feff}a,b\n1,2\n", "a: 1; b: 2.");
    }

    #[test]
    fn a_header_alone_is_text_and_nothing_is_empty() {
        check("a.csv", "a,b\n", "a; b");
        for blank in ["", "\n\n", ",,\n"] {
            assert!(matches!(parse(blank, Path::new("a.csv")), Err(ParseError::Empty { .. })), "{blank:?}");
        }
    }

    proptest! {
        #[test]
        fn breaks_are_valid_offsets_of_any_input(input in "[a-c,;|\t\"\n\u{e9}\u{6f22} .]{0,80}") {
            if let Ok(parsed) = parse(&input, Path::new("a.csv")) {
                prop_assert!(parsed.breaks.iter().all(|&at| parsed.text.is_char_boundary(at) && at < parsed.text.len()));
                prop_assert!(parsed.breaks.is_sorted());
            }
        }
    }
}
