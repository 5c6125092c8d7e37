//! Writes the sheets of a workbook as text: each is a page under its name.
//!
//! Empty rows divide a sheet into parts. Rows of one cell at the start of a part are its title or a remark. If the next
//! row names the columns, the rows below it are written like those of a CSV table; otherwise bars separate the cells.

use csv::StringRecord;

use super::table::{self, filled};
use super::writer::is_invisible;
use super::{ParseError, Parsed};
use crate::base::text::{one_line, without_controls};
use crate::domain::Heading;

/// The most that a workbook may hold; programs allow more cells than fit into any memory.
const MAX_CELLS: usize = 5_000_000;
const MAX_TEXT_BYTES: usize = 256 << 20;
/// The most columns of a sheet in any program.
pub(super) const MAX_COLUMNS: usize = 16_384;

/// The sheets of a workbook as they are read.
#[derive(Default)]
pub(super) struct Workbook {
    format: &'static str,
    sheets: Vec<Sheet>,
    cells: usize,
    text_bytes: usize,
}

#[derive(Default)]
struct Sheet {
    name: String,
    rows: Vec<Vec<String>>,
    /// The notes on its cells.
    notes: Vec<String>,
}

impl Workbook {
    /// Creates a workbook without sheets.
    pub(super) fn new(format: &'static str) -> Self {
        Workbook { format, ..Workbook::default() }
    }

    /// Begins a sheet.
    pub(super) fn sheet(&mut self, name: &str) {
        self.sheets.push(Sheet { name: one_line(&without_controls(name)), ..Sheet::default() });
    }

    /// Adds a row to the last sheet; a row without cells ends a part of it.
    pub(super) fn row(&mut self, cells: &[String]) -> Result<(), ParseError> {
        let cells = &cells[..cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1)];
        self.fill(cells.len(), cells.iter().map(String::len).sum())?;
        if let Some(sheet) = self.sheets.last_mut() {
            // Any number of empty rows makes one border.
            let mut row: Vec<String> = cells.iter().map(|cell| one_line(&without_controls(cell))).collect();
            while row.last().is_some_and(String::is_empty) {
                row.pop();
            }
            if !row.is_empty() || sheet.rows.last().is_some_and(|last| !last.is_empty()) {
                sheet.rows.push(row);
            }
        }
        Ok(())
    }

    /// Adds a note on a cell of the last sheet; notes are written below the rows.
    pub(super) fn note(&mut self, cell: &str, words: &str) -> Result<(), ParseError> {
        self.fill(1, words.len())?;
        if let Some(sheet) = self.sheets.last_mut() {
            sheet.notes.push(format!("[^{}]: {}", one_line(cell), one_line(&without_controls(words))));
        }
        Ok(())
    }

    fn fill(&mut self, cells: usize, text_bytes: usize) -> Result<(), ParseError> {
        self.cells += cells;
        self.text_bytes += text_bytes;
        if self.cells > MAX_CELLS || self.text_bytes > MAX_TEXT_BYTES {
            let reason = format!("it holds more than {MAX_CELLS} cells or {MAX_TEXT_BYTES} bytes of text: split it");
            return Err(ParseError::Broken { format: self.format, reason });
        }
        Ok(())
    }

    /// The text of all sheets.
    pub(super) fn finish(self) -> Result<Parsed, ParseError> {
        let mut parsed = Parsed::default();
        for sheet in self.sheets {
            let rows = sheet.rows;
            let mut start = parsed.text.len();
            if !sheet.notes.is_empty() || rows.iter().any(|row| !row.is_empty()) {
                start = parsed.begin_block();
                if !sheet.name.is_empty() {
                    parsed.text.push_str(&sheet.name);
                    parsed.headings.extend(super::label(&sheet.name).map(|text| Heading { start, level: 1, text }));
                }
                for part in rows.split(Vec::is_empty).filter(|part| !part.is_empty()) {
                    write_part(part, &mut parsed);
                }
                for note in &sheet.notes {
                    table::begin_block(&mut parsed);
                    parsed.text.push_str(note);
                }
            }
            parsed.pages.push(start);
        }
        if parsed.headings.is_empty() {
            return Err(ParseError::Empty { hint: " (its sheets are empty)".into() });
        }
        Ok(parsed)
    }
}

fn write_part(rows: &[Vec<String>], parsed: &mut Parsed) {
    // The columns before the first one with a filled cell are left out.
    let first = rows.iter().filter_map(|row| row.iter().position(|cell| !cell.is_empty())).min().unwrap_or(0);
    let rows: Vec<StringRecord> = rows.iter().map(|row| row.iter().skip(first).collect()).collect();
    let remarks = rows.iter().take_while(|row| filled(*row) == 1).count();
    let above = table::rows_above(&rows).max(if remarks == rows.len() { 0 } else { remarks });
    let (above, rows) = rows.split_at(above);
    for row in above {
        table::render_above(row, parsed);
    }
    if rows.is_empty() {
        return;
    }
    let (header, taken) = table::header(rows);
    let body = &rows[taken..];
    // Two columns without names hold names and their values.
    let has_no_names = taken == 0 && filled(&rows[0]) > 2;
    if has_no_names || !body.is_empty() && is_header(&header, body) {
        table::render_rows(&header, body, parsed);
        return;
    }
    table::begin_block(parsed);
    let cells = |row: &StringRecord| {
        let shown = row.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.replace(is_invisible, ""));
        shown.collect::<Vec<_>>().join(" | ")
    };
    parsed.text.push_str(&rows.iter().map(cells).collect::<Vec<_>>().join("\n"));
}

/// The name of a cell, as in `B2`, from its row and column, counted from 0.
pub(super) fn cell_name(row: usize, column: usize) -> String {
    let mut letters = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    format!("{letters}{}", row.saturating_add(1))
}

/// Whether a row names columns: its cells are words, and there are about as many as the rows below have cells.
fn is_header(header: &StringRecord, body: &[StringRecord]) -> bool {
    let names = filled(header);
    let widest = body.iter().map(filled::<&str>).max().unwrap_or(0);
    names >= 2 && widest >= 2 && names * 2 > widest && !header.iter().any(table::is_number) && !is_form(header, body)
}

/// Whether the rows are a form: each has a name and a value, and only some of the values have figures, or the first one
/// does.
fn is_form(header: &StringRecord, body: &[StringRecord]) -> bool {
    let has_figure =
        |row: &StringRecord| row.iter().next_back().is_some_and(|value| value.contains(|c: char| c.is_numeric()));
    let figures = body.iter().filter(|row| has_figure(row)).count();
    filled(header) == 2
        && body.iter().all(|row| filled(row) <= 2)
        && (has_figure(header) || (1..body.len()).contains(&figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sheets: &[(&str, &[&[&str]])], text: &str, pages: &[usize]) {
        let mut book = Workbook::new("test");
        for (name, rows) in sheets {
            book.sheet(name);
            for row in *rows {
                book.row(&row.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>()).expect("within the limits");
            }
        }
        let parsed = book.finish().expect("not empty");
        assert_eq!((parsed.text.as_str(), parsed.pages.as_slice()), (text, pages));
        assert!(parsed.headings.iter().all(|heading| parsed.text[heading.start..].starts_with(&heading.text)));
        assert!(parsed.breaks.is_sorted());
    }

    #[test]
    fn rows_of_a_table_name_their_columns() {
        check(
            &[("Fruit", &[&["Harvest"], &["fruit", "2021", "kg"], &["apple", "", "7"], &["pear", "3", "8", "late"]])],
            "Fruit\n\nHarvest\n\nfruit: apple; kg: 7.\n\nfruit: pear; 2021: 3; kg: 8; late.",
            &[0],
        );
    }

    #[test]
    fn cells_hold_nothing_that_a_terminal_obeys() {
        check(&[("A\u{7}", &[&["a\u{1b}[2Jb"]])], "A\n\nab", &[0]);
    }

    #[test]
    fn a_head_has_two_rows_or_none() {
        check(
            &[(
                "Water",
                &[
                    &["River", "2020", "", "2021"],
                    &["", "Licence", "Volume", "Licence", "Volume"],
                    &["Ache", "L-1", "3400", "L-7", "2950"],
                    &["Inn", "L-2", "810", "L-8", "905"],
                ],
            )],
            "Water\n\nRiver: Ache; 2020 Licence: L-1; 2020 Volume: 3400; 2021 Licence: L-7; 2021 Volume: 2950.\n\n\
             River: Inn; 2020 Licence: L-2; 2020 Volume: 810; 2021 Licence: L-8; 2021 Volume: 905.",
            &[0],
        );
        check(
            &[("Trees", &[&["Elm Row", "1204", "oak"], &["Ash Lane", "987", "elm"]])],
            "Trees\n\nElm Row; 1204; oak.\n\nAsh Lane; 987; elm.",
            &[0],
        );
    }

    #[test]
    fn other_rows_keep_their_cells_apart() {
        check(
            &[
                ("One", &[&["1", "2"], &["3", "", "4"]]),
                ("Empty", &[]),
                ("Two", &[&["a line"], &["an\u{ad}other"], &["\u{1b}"], &["", " "], &["x"]]),
            ],
            "One\n\n1 | 2\n3 | 4\n\nTwo\n\na line\nanother\n\nx",
            &[0, 16, 18],
        );
    }

    #[test]
    fn a_form_has_names_and_values() {
        check(
            &[("Quote", &[&["Client", "Acme"], &["Due", "", "14 May"], &["Agent", "Li"]])],
            "Quote\n\nClient | Acme\nDue | 14 May\nAgent | Li",
            &[0],
        );
        check(&[("Fruit", &[&["fruit", "kg"], &["apple", "7"]])], "Fruit\n\nfruit: apple; kg: 7.", &[0]);
    }

    #[test]
    fn cells_have_names() {
        let check = |row: usize, column: usize, expected: &str| assert_eq!(cell_name(row, column), expected);
        check(1, 1, "B2");
        check(0, 25, "Z1");
        check(9, 26, "AA10");
        check(0, 16_383, "XFD1");
    }

    #[test]
    fn limits_hold() {
        let mut book = Workbook::new("test");
        book.sheet("a");
        let row = vec!["x".to_owned(); MAX_COLUMNS];
        let told = (0..=MAX_CELLS / MAX_COLUMNS).find_map(|_| book.row(&row).err()).expect("refused").to_string();
        assert!(told.contains("more than 5000000 cells"), "{told}");
        let mut book = Workbook::new("test");
        book.sheet("a");
        assert!(matches!(book.finish(), Err(ParseError::Empty { .. })));
    }
}
