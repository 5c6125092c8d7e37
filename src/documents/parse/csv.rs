//! Tables as comma-, semicolon-, tab- or bar-separated values.
//!
//! This module finds the delimiter, the rows and their cells; `table` writes them.

use std::borrow::Cow;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use super::table::{Counted, SNIFFED_ROWS, filled, header, median, render_above, rows_above};
use super::{ParseError, Parsed};
use crate::base::text::one_line;

const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Parses a table with or without a header row, and the rows above it. `path` only identifies tab-separated files
/// (`.tsv`, `.tab`); otherwise the delimiter is derived from the content.
pub(super) fn parse(text: &str, path: &Path) -> Result<Parsed, ParseError> {
    let text = text.trim_start_matches('\u{feff}');
    let delimiter = if is_tab_separated(path) { b'\t' } else { sniff_delimiter(text) };
    let closed = without_unclosed(text, delimiter);
    let text: &str = &closed;
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
    // The rows are read twice: what must be known of the columns before the first row is written depends on all rows,
    // and a table of many short rows takes far more memory as rows than as text.
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

fn is_tab_separated(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv") || ending.eq_ignore_ascii_case("tab"))
}

/// The rows that are not empty, each cell on one line. They are read one after the other into the same buffers, since a
/// large table has millions.
struct Rows<'t> {
    reader: csv::Reader<&'t [u8]>,
    raw: StringRecord,
    row: StringRecord,
}

impl<'t> Rows<'t> {
    fn new(text: &'t str, delimiter: u8) -> Self {
        Rows { reader: reader(text, delimiter), raw: StringRecord::new(), row: StringRecord::new() }
    }

    /// The rows below the first `above`.
    fn below(above: usize, text: &'t str, delimiter: u8) -> Result<Self, ParseError> {
        let mut rows = Rows::new(text, delimiter);
        for _ in 0..above {
            rows.read()?;
        }
        Ok(rows)
    }

    /// Returns the next row; `None` after the last.
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

/// The text without quotes that open a cell and are never closed, each of which would take the rows below into its
/// cell. A quote that is only followed by the opening quote of a cell in a later row is not closed either.
fn without_unclosed(text: &str, delimiter: u8) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let ends_cell = |at: usize| bytes.get(at).is_none_or(|&byte| byte == delimiter || matches!(byte, b'\n' | b'\r'));
    let closes = |open: usize, close: usize| {
        let spaces = bytes[close + 1..].iter().take_while(|&&byte| byte == b' ').count();
        ends_cell(close + 1 + spaces) || !bytes[open..close].contains(&b'\n')
    };
    let mut kept = String::new();
    // Where the text that is not copied yet begins, and where the current cell does.
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if bytes[at] == b'"' {
            match closing_quote(bytes, at).filter(|&close| closes(at, close)) {
                Some(close) => at = close + 1,
                None => {
                    kept.push_str(&text[from..at]);
                    at += 1;
                    from = at;
                }
            }
        }
        while !ends_cell(at) {
            at += 1;
        }
        at += 1;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// The quote that closes the one at `open`; two next to each other stand for one in the value.
fn closing_quote(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += bytes[at..].iter().position(|&byte| byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The delimiter that gives most rows the same number of cells. Ties go to more cells, then to the earlier one in
/// [`DELIMITERS`].
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
    fn names_that_stand_over_several_columns_are_told_before_those_below_them() {
        check(
            "a.csv",
            "River,2020,,2021,\n,Licence,Volume,Licence,Volume\nAche,L-1,3400,L-7,2950\nInn,L-2,810,L-8,905\n",
            "River: Ache; 2020 Licence: L-1; 2020 Volume: 3400; 2021 Licence: L-7; 2021 Volume: 2950.\n\n\
             River: Inn; 2020 Licence: L-2; 2020 Volume: 810; 2021 Licence: L-8; 2021 Volume: 905.",
        );
        check(
            "a.csv",
            "Berth,Depth,,Keeper\nBerth,Low,High,\nNorth,3.10,6.60,Ann\n",
            "Berth: North; Depth Low: 3.10; Depth High: 6.60; Keeper: Ann.",
        );
        // The first value of a row may be missing.
        check("a.csv", "Shop,Rent,\n,5,7\nBonn,6,8\n", "Rent: 5; 7.\n\nShop: Bonn; Rent: 6; 8.");
    }

    #[test]
    fn a_first_row_of_values_names_no_columns() {
        check("a.csv", "Elm Row,1204,oak\nAsh Lane,987,elm\n", "Elm Row; 1204; oak.\n\nAsh Lane; 987; elm.");
        check(
            "a.csv",
            "2021-04-01,Bray,14.5\n2021-04-02,Bray,15.1\n",
            "2021-04-01; Bray; 14.5.\n\n2021-04-02; Bray; 15.1.",
        );
        check("a.csv", "1,2.5,3.5\n2,2.6,3.9\n", "1; 2.5; 3.5.\n\n2; 2.6; 3.9.");
        check("a.csv", "Shop,2023,2024\nBonn,1950,2010\n", "Shop: Bonn; 2023: 1950; 2024: 2010.");
        check("a.csv", "Tool,1,10\nSaw,5.40,4.85\n", "Tool: Saw; 1: 5.40; 10: 4.85.");
    }

    #[test]
    fn a_quote_that_is_never_closed_takes_no_other_row() {
        check("a.csv", "id,town\n3,\"Rexby\n4,Stowe\n", "id: 3; town: Rexby.\n\nid: 4; town: Stowe.");
        check("a.csv", "id,town\n3,\"Rexby\n4,\"Stowe, upper\"\n", "id: 3; town: Rexby.\n\nid: 4; town: Stowe, upper.");
        check("a.csv", "id,town\n3,\"Rex\"\"by\nand Ley\" \n4,\"\"\n", "id: 3; town: Rex\"by and Ley.\n\nid: 4.");
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
