//! Writes words and the spaces between them, for formats that say what an element is and leave its layout to the
//! writer.
//!
//! Breaks, list marks and cell borders are held back until the next word, so that empty elements leave no trace.

mod table;

use super::label;
use crate::base::text::without_controls;
use crate::domain::Heading;
pub(super) use table::LONGEST_MERGED;
use table::Table;

/// Opens a block of code. The word after the marks keeps it from being taken for the end of a block.
const CODE: &str = "```text\n";

/// Deeper lists are not indented further.
const MAX_INDENT: usize = 8;

/// What an element does to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: its words run on.
    Inline,
    /// Stands apart, with a blank line before and after.
    Block,
    /// Stands on lines of its own.
    Line,
    /// A term that the lines after it explain.
    Term,
    /// A line break.
    Break,
    /// A heading of this level, which is a block.
    Heading(u8),
    /// A list of items.
    List,
    /// One item.
    Item,
    /// A table.
    Table,
    /// A row of a table.
    Row,
    /// A cell of a row.
    Cell,
    /// Keeps its white space.
    Preformatted,
    /// Source code or commands, which stand between fences as in Markdown.
    Code,
    /// An image, written as its alternative text.
    Image,
}

impl Kind {
    pub(super) fn is_heading(self) -> bool {
        matches!(self, Kind::Heading(_))
    }
}

#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// Newlines due before the next word: 2 make a blank line.
    newlines: usize,
    /// Whether a space is due.
    space: bool,
    /// The number of lists around an item whose mark is due; `None` if no mark is due.
    item: Option<usize>,
    /// The item's mark if it is not a dash.
    mark: String,
    /// The number of cell borders due.
    borders: usize,
    lists: usize,
    preformatted: usize,
    code: Code,
    /// How many headings are open.
    open_headings: usize,
    /// The level of the heading opened last, and where its words begin.
    heading: Option<(u8, Option<usize>)>,
    headings: Vec<Heading>,
    /// The state of the terms that are not explained yet.
    term: Term,
    tables: Vec<Table>,
    /// Bytes of cells that were repeated where they span rows or columns.
    repeated: usize,
}

/// The state of a block of code.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Code {
    #[default]
    None,
    /// Its fence is due before its first word.
    Due,
    /// It is being written.
    Open,
}

/// The state of a term.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Term {
    #[default]
    None,
    /// It is being written from an offset on; after `others` that have the same explanation, a comma is due.
    Open { others: bool, from: usize },
    /// It is written, and a colon is due before its explanation.
    Due,
}

impl Writer {
    /// Writes words; returns the offset of the first, or `None` if there are none.
    pub(super) fn text(&mut self, words: &str) -> Option<usize> {
        let mut first = None;
        for char in without_controls(words).chars() {
            if self.preformatted > 0 && !self.is_in_cell() {
                let start = self.flush_before_preformatted(char);
                first = first.or(start);
            } else if char.is_whitespace() {
                self.space = true;
            } else if !is_invisible(char) {
                self.flush();
                first = first.or(Some(self.out.len()));
                self.out.push(char);
            }
        }
        if let Some((_, start @ None)) = &mut self.heading {
            *start = first;
        }
        first
    }

    /// Begins an element; the `alternative` text of an image is written at once.
    pub(super) fn open(&mut self, kind: Kind, is_layout: bool, alternative: &str) {
        match kind {
            Kind::Inline => {}
            Kind::Break if self.preformatted > 0 => {
                self.text("\n");
            }
            // A heading set in two lines is one line of text.
            Kind::Break if self.open_headings > 0 => self.space = true,
            Kind::Break => self.end_line(1),
            Kind::Block => self.end_line(2),
            Kind::Heading(level) => {
                self.end_line(2);
                self.open_headings += 1;
                self.heading = Some((level, None));
                self.tables.iter_mut().for_each(Table::keep_places);
            }
            Kind::Line => self.end_line(1),
            Kind::Term => {
                self.end_line(1);
                self.term = Term::Open { others: self.term == Term::Due, from: self.out.len() };
            }
            Kind::List => {
                self.end_line(if self.lists > 0 { 1 } else { 2 });
                self.lists += 1;
            }
            Kind::Item => {
                self.end_line(1);
                self.item = Some(self.lists);
                self.mark.clear();
            }
            Kind::Table => {
                self.end_line(2);
                // A heading around the table must keep its offset.
                self.tables.push(Table::new(is_layout, self.open_headings > 0));
            }
            Kind::Row => self.open_row(),
            Kind::Cell => self.open_cell(),
            Kind::Preformatted | Kind::Code => {
                self.end_line(2);
                if kind == Kind::Code && self.preformatted == 0 && !self.is_in_cell() {
                    self.code = Code::Due;
                }
                self.preformatted += 1;
            }
            Kind::Image => {
                self.space = true;
                self.text(alternative);
                self.space = true;
            }
        }
    }

    /// Ends an element.
    pub(super) fn close(&mut self, kind: Kind) {
        match kind {
            Kind::Inline | Kind::Break | Kind::Image => {}
            Kind::Block => self.end_line(2),
            Kind::Heading(_) => {
                self.open_headings = self.open_headings.saturating_sub(1);
                self.end_line(2);
                if let Some((level, Some(start))) = self.heading.take() {
                    let text = label(&self.out[start..]);
                    let start = self.line_start(start);
                    self.headings.extend(text.map(|text| Heading { start, level, text }));
                }
            }
            Kind::Line => self.end_line(1),
            Kind::Term => {
                let is_written = matches!(self.term, Term::Open { others, from } if others || self.out.len() > from);
                self.term = if is_written { Term::Due } else { Term::None };
                self.end_line(1);
            }
            Kind::List => {
                self.lists = self.lists.saturating_sub(1);
                self.end_line(if self.lists > 0 { 1 } else { 2 });
            }
            Kind::Item => {
                self.item = None;
                self.end_line(1);
            }
            Kind::Table => {
                self.tables.pop();
                self.borders = 0;
                self.end_line(2);
            }
            Kind::Row => self.close_row(),
            Kind::Cell => self.close_cell(),
            Kind::Preformatted | Kind::Code => {
                self.preformatted = self.preformatted.saturating_sub(1);
                if self.preformatted == 0 && std::mem::take(&mut self.code) == Code::Open {
                    self.out.truncate(self.out.trim_end().len());
                    match self.out.strip_suffix(CODE.trim_end()) {
                        Some(before) => self.out.truncate(before.trim_end().len()),
                        None => self.out.push_str("\n```"),
                    }
                }
                self.end_line(2);
            }
        }
    }

    /// Sets the mark of the open item.
    pub(super) fn mark(&mut self, mark: String) {
        self.mark = mark;
    }

    /// Whether the next word begins a line.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.newlines > 0 || self.out.is_empty() || self.out.ends_with('\n')
    }

    /// The start of the line that contains `at`.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.out[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The whole text, and its headings.
    pub(super) fn finish(mut self) -> (String, Vec<Heading>) {
        self.out.truncate(self.out.trim_end().len());
        (self.out, self.headings)
    }

    /// Whether the next word stands in a cell of a data table.
    pub(super) fn is_in_cell(&self) -> bool {
        self.tables.last().is_some_and(Table::is_in_cell)
    }

    /// Requests line breaks before the next word; within a data cell they become a space.
    fn end_line(&mut self, newlines: usize) {
        if self.is_in_cell() {
            self.space = true;
        } else {
            self.newlines = self.newlines.max(newlines);
        }
    }

    /// Writes the breaks, marks and borders that are due before a word.
    fn flush(&mut self) {
        match self.term {
            Term::Due => {
                // A term that ends in punctuation, as a question does, needs no colon.
                let ends = self.out.ends_with(|c: char| c.is_ascii_punctuation() && !"])>}\"'`*_%$".contains(c));
                let ends = ends || self.out.ends_with(['：', '。', '？', '！', '、']);
                self.out.push_str(if ends || self.is_in_cell() { "" } else { ":" });
                self.term = Term::None;
            }
            Term::Open { others: true, from } => {
                self.out.push(',');
                (self.newlines, self.space) = (0, true);
                self.term = Term::Open { others: false, from };
            }
            Term::Open { others: false, .. } | Term::None => {}
        }
        let (newlines, space) = (std::mem::take(&mut self.newlines), std::mem::take(&mut self.space));
        if newlines > 0 && !self.out.is_empty() {
            let present = self.out.bytes().rev().take_while(|&byte| byte == b'\n').count();
            self.out.extend(std::iter::repeat_n('\n', newlines.saturating_sub(present)));
        }
        let starts_line = self.out.is_empty() || self.out.ends_with('\n');
        if let Some(lists) = self.item.take()
            && !self.is_in_cell()
        {
            let indent = lists.saturating_sub(1).min(MAX_INDENT);
            self.out.extend(std::iter::repeat_n("  ", indent));
            self.out.push_str(if self.mark.is_empty() { "-" } else { &self.mark });
            self.out.push(' ');
        } else if self.borders > 0 {
            for border in 0..std::mem::take(&mut self.borders) {
                self.out.push_str(if starts_line && border == 0 { "| " } else { " | " });
            }
        } else if space && !starts_line {
            self.out.push(' ');
        }
    }

    /// Preformatted text keeps its white space, but line breaks before its first word belong to the block, not to it.
    fn flush_before_preformatted(&mut self, char: char) -> Option<usize> {
        if matches!(char, '\n' | '\r') && (self.newlines > 0 || self.out.is_empty()) {
            return None;
        }
        if self.code == Code::Due {
            // A block of code cannot follow the mark of an item.
            self.item = None;
            self.flush();
            self.out.push_str(CODE);
            self.code = Code::Open;
        } else if self.newlines > 0 || self.item.is_some() {
            self.flush();
        }
        self.space = false;
        let start = self.out.len();
        self.out.push(char);
        (!char.is_whitespace()).then_some(start)
    }
}

/// Whether a character only tells a browser where it may break a word.
pub(super) fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}
