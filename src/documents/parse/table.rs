//! Writes the rows of tables in files or sheets as text.
//!
//! A row reads on its own, wherever a chunk cuts the table: each value follows its column's name, if that has one.
//! Cells of columns that hold sentences are put on lines of their own without a name, so that they can be quoted as
//! they stand, and so is a remark that stands alone in its row.

mod head;

use csv::StringRecord;

use head::{NAMES, word_count};
pub(super) use head::{PROSE_WORDS, SNIFFED_ROWS, filled, header, is_name, is_number, median, rows_above};

use super::Parsed;
use crate::base::text::excerpt;

/// A column of at least this many words per cell on average is prose even if its cells do not end as sentences do: text
/// that was cut off, or a description in notes.
const LONG_PROSE_WORDS: usize = 30;

const SENTENCE_ENDS: [char; 8] = ['.', '!', '?', '\u{2026}', '\u{3002}', '\u{ff0e}', '\u{ff01}', '\u{ff1f}'];

/// A column's name stands before each of its values, so a longer one is cut.
const LONGEST_NAME: usize = 80;

/// A row whose only cell has at least this many words is a remark.
const REMARK_WORDS: usize = 3;

/// Appends the rows of a table, each with the names of its columns.
pub(super) fn render_rows(header: &StringRecord, rows: &[StringRecord], parsed: &mut Parsed) {
    let mut counted = Counted::default();
    rows.iter().for_each(|row| counted.add(row));
    let columns = counted.columns(header, parsed);
    for row in rows {
        columns.render(row, parsed);
    }
}

/// Appends a row above the table as a line: two adjacent cells are a name and its value.
pub(super) fn render_above(row: &StringRecord, parsed: &mut Parsed) {
    begin_block(parsed);
    let cells: Vec<&str> = row.iter().collect();
    let runs = cells.split(|cell| cell.is_empty()).filter(|run| !run.is_empty());
    let shown = runs.map(|run| run.join(if run.len() == 2 && !run[0].ends_with([':', '：']) { ": " } else { " " }));
    parsed.text.push_str(&shown.collect::<Vec<_>>().join("; "));
}

/// Statistics on the columns of a table.
#[derive(Default)]
pub(super) struct Counted {
    rows: usize,
    columns: Vec<Contents>,
}

/// Statistics on one column.
#[derive(Clone, Default)]
struct Contents {
    cells: usize,
    words: usize,
    /// The number of cells that end as a sentence does.
    sentences: usize,
}

impl Contents {
    fn add(&mut self, cell: &str) {
        self.cells += 1;
        self.words += word_count(cell);
        self.sentences += usize::from(cell.trim_end_matches(['"', '”', '’', ')', '」', '）']).ends_with(SENTENCE_ENDS));
    }

    /// Whether the column is prose. A long value that is not a sentence needs its column's name: "Remedy: restart the
    /// service".
    fn is_prose(&self) -> bool {
        let words = if self.sentences * 2 > self.cells { PROSE_WORDS } else { LONG_PROSE_WORDS };
        self.cells > 0 && self.words >= words * self.cells
    }
}

impl Counted {
    pub(super) fn add(&mut self, row: &StringRecord) {
        self.rows += 1;
        self.columns.resize(self.columns.len().max(row.len()), Contents::default());
        for (column, cell) in self.columns.iter_mut().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            column.add(cell);
        }
    }

    /// The columns; if there are no rows, their names are written as the text.
    pub(super) fn columns(mut self, header: &StringRecord, parsed: &mut Parsed) -> Columns {
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
pub(super) struct Columns {
    names: Vec<String>,
    prose: Vec<bool>,
}

impl Columns {
    /// Appends a row as one block: the short values on a line, then each prose cell on its own.
    pub(super) fn render(&self, row: &StringRecord, parsed: &mut Parsed) {
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
            // Semicolons separate the cells of a row, so those within a cell become commas.
            parsed.text.push_str(&cell.replace("; ", ", "));
        }
        if parsed.text.len() > start {
            end_row(&mut parsed.text);
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

/// Ends a row as a sentence ends.
pub(super) fn end_row(text: &mut String) {
    if !text.ends_with(['.', '!', '?', '\u{3002}']) {
        text.push('.');
    }
}

/// Begins a block that a chunk should not cut.
pub(super) fn begin_block(parsed: &mut Parsed) {
    let start = parsed.begin_block();
    parsed.breaks.push(start);
}
