//! The cells of a table that is being written: the place of each, and those that span several columns or rows.
//!
//! A row reads on its own, so a cell that spans several rows is written in each of them, and one that spans several
//! columns in each of those. Rows of names, one of which spans others, are written as one: "Electricity 2023".

use super::Writer;
use crate::documents::parse::table::is_name;

/// The most columns that a cell can span.
const MOST_COLUMNS: usize = 64;

/// The longest words of a merged cell that are repeated, in bytes; longer ones are neither a name nor a value.
pub(in super::super) const LONGEST_MERGED: usize = 200;

/// The most rows of names that are written as one.
const MOST_NAMES: usize = 3;

/// The rule below the names of two columns.
const RULE: &str = "--- | ---";

/// Bytes that any document may repeat, in addition to as many as it has itself.
const FREE: usize = 4096;

/// A table that is open.
pub(super) struct Table {
    /// Whether its rows and cells only serve the layout, and are written as blocks.
    is_layout: bool,
    /// The number of the row's cells so far, including those that reach into it from above.
    cells: usize,
    cell: Cell,
    /// The number of these that are the row's own.
    own: usize,
    /// Where the words of the first own cell end.
    first: usize,
    /// The words of the row's cells by column.
    row: Vec<String>,
    /// The words of the cells of the row above.
    above: Vec<String>,
    /// The cells that reach into the rows below, by column: into how many, and their words.
    reaching: Vec<(usize, String)>,
    names: Names,
}

/// The cell that is open.
#[derive(Default)]
struct Cell {
    /// Where its words begin, with the border before them.
    start: usize,
    rows: usize,
    columns: usize,
    is_name: bool,
    continues: bool,
}

/// The rows of names at the top of a table.
#[derive(Default)]
struct Names {
    /// Whether all rows so far are such rows, and whether the open one may still be one.
    are_open: bool,
    in_row: bool,
    /// Whether one of the names spans others.
    reach: bool,
    looks: Looks,
    rows: Vec<Vec<String>>,
    /// Where the first of these rows begins, and the newlines that are due before it.
    start: (usize, usize),
}

/// What the cells of the open row are like, in a document that does not mark names.
struct Looks {
    /// Whether each may be a name.
    are_names: bool,
    /// Whether one spans several columns.
    span: bool,
    /// Whether the first one continues the one above.
    go_on: bool,
}

impl Default for Looks {
    fn default() -> Self {
        Looks { are_names: true, span: false, go_on: false }
    }
}

impl Names {
    /// Whether the open row names columns. An unmarked one does if it is the first and one of its names spans others,
    /// or if it is the second and its first cell continues the one above, while the others subdivide those above.
    fn are_in_row(&self) -> bool {
        let has_place = match self.rows.len() {
            0 => self.looks.span,
            1 => self.reach && self.looks.go_on,
            _ => false,
        };
        self.in_row || has_place && self.looks.are_names
    }
}

impl Table {
    /// Creates a table. If `places_stay`, its first rows are not rewritten.
    pub(super) fn new(is_layout: bool, places_stay: bool) -> Self {
        let names = Names { are_open: !is_layout && !places_stay, ..Names::default() };
        let (row, above, reaching) = Default::default();
        Table { is_layout, cells: 0, cell: Cell::default(), own: 0, first: 0, row, above, reaching, names }
    }

    /// Whether words that are written now stand in a data cell.
    pub(super) fn is_in_cell(&self) -> bool {
        !self.is_layout && self.cells > 0
    }

    /// Says that a heading begins, whose offset must stay.
    pub(super) fn keep_places(&mut self) {
        self.names.are_open = false;
    }

    /// The words of a cell above, if it reaches down to the next cell.
    fn reaches_here(&mut self) -> Option<String> {
        let (rows, words) = self.reaching.get_mut(self.cells).filter(|(rows, _)| *rows > 0)?;
        *rows -= 1;
        Some(words.clone())
    }
}

impl Writer {
    /// Sets how many rows and columns the open cell spans, and whether it names them.
    pub(in super::super) fn spans(&mut self, rows: usize, columns: usize, is_name: bool) {
        if let Some(table) = self.tables.last_mut() {
            let (rows, columns) = (rows.max(1), columns.clamp(1, MOST_COLUMNS));
            table.cell = Cell { rows, columns, is_name, ..std::mem::take(&mut table.cell) };
        }
    }

    /// Says that the open cell continues the one above.
    pub(in super::super) fn continues(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.cell.continues = true;
        }
    }

    pub(super) fn open_row(&mut self) {
        self.borders = 0;
        self.end_row();
        // A mark written before the row's first word would be lost if the row were rewritten.
        let is_plain = self.item.is_none() && self.term == super::Term::None;
        let start = (self.out.len(), self.newlines);
        if let Some(table) = self.tables.last_mut() {
            (table.names.in_row, table.names.looks) = (true, Looks::default());
            table.names.are_open &= is_plain || !table.names.rows.is_empty();
            if table.names.rows.is_empty() {
                table.names.start = start;
            }
        }
    }

    pub(super) fn open_cell(&mut self) {
        self.write_spanning_cells();
        let start = self.out.len();
        match self.tables.last_mut() {
            Some(table) if !table.is_layout => {
                self.borders += usize::from(table.cells > 0);
                table.cells += 1;
                table.cell = Cell { start, rows: 1, columns: 1, ..Cell::default() };
            }
            _ => self.end_line(2),
        }
    }

    pub(super) fn close_cell(&mut self) {
        self.space = true;
        let Some(table) = self.tables.last_mut().filter(|table| !table.is_layout) else { return };
        let cell = std::mem::take(&mut table.cell);
        let column = table.cells.saturating_sub(1);
        table.own += 1;
        if table.own == 1 {
            table.first = self.out.len();
        }
        let own = self.out.get(cell.start..).unwrap_or_default().trim_start_matches(['|', ' ', '\n']);
        let mut words = if own.len() <= LONGEST_MERGED { own.trim_end().to_owned() } else { String::new() };
        table.names.in_row &= cell.is_name || own.is_empty();
        table.names.reach |= table.names.in_row && cell.columns > 1;
        let looks = &mut table.names.looks;
        looks.are_names &= own.is_empty() || is_name(&words);
        looks.span |= cell.columns > 1;
        looks.go_on |= cell.continues && column == 0;
        if cell.continues && words.is_empty() {
            words = table.above.get(column).cloned().unwrap_or_default();
            self.repeat_text(&words);
        }
        // "Total" over the first columns is not a value of the second one.
        let is_repeated = cell.is_name || column > 0;
        for further in 0..cell.columns {
            if further > 0 {
                self.next_cell();
                if is_repeated {
                    self.repeat_text(&words);
                }
            }
            let Some(table) = self.tables.last_mut() else { return };
            let words = if further == 0 || is_repeated { words.as_str() } else { "" };
            table.keep(words, cell.rows.saturating_sub(1));
        }
    }

    pub(super) fn close_row(&mut self) {
        let is_begun = self.tables.last().is_some_and(|table| table.cells > 0);
        while is_begun && self.tables.last().is_some_and(Table::is_reached_further) {
            self.write_spanning_cells();
            if let Some(table) = self.tables.last_mut().filter(|table| table.is_reached_further()) {
                table.keep("", 0);
                self.next_cell();
            }
        }
        self.borders = 0;
        if let Some(table) = self.tables.last_mut().filter(|table| table.own == 1 && table.is_of_one()) {
            // A title over all columns is written once.
            self.out.truncate(table.first);
            table.row.truncate(1);
        }
        let names_two = self.tables.last().is_some_and(Table::names_two_columns);
        self.names_in_one();
        self.end_row();
        if names_two {
            // By its looks, a row of two cells is a name and its value.
            self.text(RULE);
            self.end_line(1);
        }
    }

    fn end_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            (table.cells, table.own) = (0, 0);
            // The next row may end a row again.
            if !table.row.is_empty() {
                table.above = std::mem::take(&mut table.row);
            }
        }
        self.end_line(1);
    }

    /// Writes the cells that reach down to the next place.
    fn write_spanning_cells(&mut self) {
        while let Some(table) = self.tables.last_mut().filter(|table| !table.is_layout)
            && let Some(words) = table.reaches_here()
        {
            self.next_cell();
            self.repeat_text(&words);
            if let Some(table) = self.tables.last_mut() {
                let column = table.cells - 1;
                let left = table.reaching[column].0;
                table.keep(&words, left);
            }
        }
    }

    fn next_cell(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            self.borders += usize::from(table.cells > 0);
            table.cells += 1;
            self.space = true;
        }
    }

    /// Repeats words, within a limit: a page of one long word in a cell over all rows of a long table is not written a
    /// thousand times.
    fn repeat_text(&mut self, words: &str) {
        self.repeated += words.len();
        if self.repeated <= FREE + self.out.len() / 2 {
            self.text(words);
            self.space = true;
        }
    }

    /// Writes the rows of names as one, if a name spans others.
    fn names_in_one(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let names = &mut table.names;
        if !names.are_open || table.row.len() < 2 {
            return;
        }
        names.are_open = names.are_in_row() && names.rows.len() < MOST_NAMES;
        if !names.are_open {
            return;
        }
        names.reach |= names.looks.span;
        names.rows.push(table.row.clone());
        if names.rows.len() < 2 || !names.reach {
            return;
        }
        let columns = names.rows.iter().map(Vec::len).max().unwrap_or(0);
        let name = |column: usize| {
            let mut parts: Vec<&str> =
                names.rows.iter().filter_map(|row| row.get(column)).map(String::as_str).collect();
            parts.retain(|part| !part.is_empty());
            parts.dedup();
            parts.join(" ")
        };
        let all: Vec<String> = (0..columns).map(name).collect();
        let (start, newlines) = names.start;
        self.out.truncate(start);
        (self.newlines, self.space, table.cells) = (newlines, false, 0);
        for name in all {
            self.next_cell();
            self.text(&name);
        }
    }
}

impl Table {
    /// Records the words of the next column, and into how many rows they reach.
    fn keep(&mut self, words: &str, rows: usize) {
        let column = self.row.len();
        self.row.push(words.to_owned());
        if rows > 0 || self.reaching.len() > column {
            if self.reaching.len() <= column {
                self.reaching.resize(column + 1, (0, String::new()));
            }
            self.reaching[column] = (rows, words.to_owned());
        }
    }

    /// Whether all columns of the row hold the same words.
    fn is_of_one(&self) -> bool {
        self.row.iter().all(|words| *words == self.row[0])
    }

    /// Whether the row is the first one of a table and names its two columns by markup.
    fn names_two_columns(&self) -> bool {
        let names = &self.names;
        names.are_open && names.in_row && !names.reach && names.rows.is_empty() && self.row.len() == 2
    }

    /// Whether a cell above reaches down to the next place or to a later one.
    fn is_reached_further(&self) -> bool {
        self.reaching.get(self.cells..).is_some_and(|further| further.iter().any(|(rows, _)| *rows > 0))
    }
}
