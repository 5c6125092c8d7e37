//! OpenDocument workbooks: the values of every sheet as they were shown. Days are written year first, whatever their
//! format.
//!
//! The spreadsheet library makes a place for every cell that a file declares as repeated, and a few bytes can declare
//! any number of these. The XML is therefore read here.

use std::collections::BTreeMap;

use super::lost::LostParts;
use super::opendocument::{Annotation, properties, refuse_encrypted};
use super::sheet::{MAX_COLUMNS, Workbook, cell_name};
use super::writer::LONGEST_MERGED;
use super::xml::{self, Element, Node, Skipping};
use super::zip::Package;
use super::{ParseError, Parsed};

const FORMAT: &str = "ODS";

/// The most times that a repeated row is kept: a longer run is a filled-down column, worth reading once or a few times.
const MAX_REPEATED_ROWS: usize = 100;

/// Elements whose content is skipped.
const SKIPPED: &[&str] = &["tracked-changes", "forms", "shapes", "automatic-styles", "named-expressions"];

/// Extracts a workbook.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    refuse_encrypted(&mut package, FORMAT)?;
    let mut lost = LostParts::default();
    let properties = lost.or_default(properties(&mut package, FORMAT), "its properties");
    let mut reader = Reader { book: Workbook::new(FORMAT), ..Reader::default() };
    xml::walk(package.require("content.xml")?, FORMAT, |node| reader.visit(&node))?;
    let mut parsed = reader.book.finish()?;
    properties.tell(&mut parsed);
    parsed.lost = lost.told();
    Ok(parsed)
}

#[derive(Default)]
struct Reader {
    book: Workbook,
    row: Vec<String>,
    repeated_rows: usize,
    /// Whether the row has words other than those that reach into it from above.
    has_own: bool,
    /// The cells that reach into rows below, by column: into how many, and with which words.
    reaching: BTreeMap<usize, (usize, String)>,
    repeated_cells: usize,
    spanned_rows: usize,
    /// The day in the cell, however it is shown.
    day: Option<String>,
    /// The words of the open cell.
    cell: Option<String>,
    /// The open row, from 0.
    line: usize,
    /// The open note.
    note: Option<Annotation>,
    /// How many paragraphs are open.
    paragraphs: usize,
    skipping: Skipping,
}

impl Reader {
    fn visit(&mut self, node: &Node<'_>) -> Result<(), ParseError> {
        match node {
            _ if self.skipping.skips(node, SKIPPED) => {}
            Node::Open(element) => self.open(element),
            Node::Close("creator") => self.note.iter_mut().for_each(|note| note.in_author = false),
            Node::Close("annotation") => self.close_note()?,
            Node::Close("p") => self.paragraphs = self.paragraphs.saturating_sub(1),
            Node::Close("table-cell") => self.close_cell(false)?,
            Node::Close("covered-table-cell") => self.close_cell(true)?,
            Node::Close("table-row") => self.close_row()?,
            Node::Text(words) if self.note.is_some() => {
                let is_told = self.paragraphs > 0;
                self.note.iter_mut().for_each(|note| note.add_words(words, is_told));
            }
            Node::Text(words) if self.paragraphs > 0 => {
                if let Some(cell) = &mut self.cell {
                    cell.push_str(words);
                }
            }
            Node::Close(_) | Node::Text(_) => {}
        }
        Ok(())
    }

    fn open(&mut self, element: &Element<'_>) {
        let times = |name: &str| element.attribute(name).and_then(|times| times.parse().ok()).unwrap_or(1).max(1);
        match element.name() {
            "table" => {
                self.book.sheet(&element.attribute("name").unwrap_or_default());
                self.line = 0;
                self.reaching.clear();
            }
            "annotation" => self.note = Some(Annotation::default()),
            "creator" => self.note.iter_mut().for_each(|note| note.in_author = true),
            "table-row" => {
                self.row.clear();
                self.has_own = false;
                self.repeated_rows = times("number-rows-repeated");
            }
            "table-cell" | "covered-table-cell" => {
                self.cell = Some(String::new());
                self.day = element.attribute("date-value").map(|moment| day(&moment));
                self.spanned_rows = times("number-rows-spanned");
                self.repeated_cells = times("number-columns-repeated");
            }
            "p" | "s" | "tab" | "line-break" => {
                self.paragraphs += usize::from(element.name() == "p");
                if let Some(note) = &mut self.note {
                    note.words.push(' ');
                } else if let Some(cell) = &mut self.cell {
                    cell.push(' ');
                }
            }
            _ => {}
        }
    }

    /// Ends a cell; `covered` says whether another cell reaches over it.
    fn close_cell(&mut self, covered: bool) -> Result<(), ParseError> {
        let words = self.cell.take().unwrap_or_default();
        let words = self.day.take().unwrap_or_else(|| words.trim().to_owned());
        // Programs fill a row with empty cells up to the last column.
        let places = self.repeated_cells.min(MAX_COLUMNS.saturating_sub(self.row.len()));
        if !words.is_empty() && self.repeated_cells > places {
            let reason = format!("it has a row of more than {MAX_COLUMNS} cells, and sheets have no more");
            return Err(ParseError::Broken { format: FORMAT, reason });
        }
        self.has_own |= !words.is_empty();
        if self.spanned_rows > 1 && (1..=LONGEST_MERGED).contains(&words.len()) {
            self.reaching.insert(self.row.len(), (self.spanned_rows - 1, words.clone()));
        }
        if covered && words.is_empty() {
            (0..places).for_each(|_| self.add_covered_cell());
        } else {
            self.row.extend(std::iter::repeat_n(words, places));
        }
        Ok(())
    }

    fn close_note(&mut self) -> Result<(), ParseError> {
        let note = self.note.take().unwrap_or_default();
        let words = note.told();
        if words.is_empty() { Ok(()) } else { self.book.note(&cell_name(self.line, self.row.len()), &words) }
    }

    /// Adds a covered cell. The words of a cell that is merged downwards are repeated in each row, since a row is read
    /// on its own.
    fn add_covered_cell(&mut self) {
        let reaching = self.reaching.get_mut(&self.row.len()).filter(|(rows, _)| *rows > 0);
        let words = reaching.map(|(rows, words)| {
            *rows -= 1;
            words.clone()
        });
        self.row.push(words.unwrap_or_default());
    }

    fn close_row(&mut self) -> Result<(), ParseError> {
        self.line = self.line.saturating_add(self.repeated_rows);
        if !self.has_own {
            self.row.clear();
        }
        let times = if self.has_own { self.repeated_rows.min(MAX_REPEATED_ROWS) } else { 1 };
        for _ in 0..times {
            self.book.row(&self.row)?;
        }
        self.row.clear();
        Ok(())
    }
}

/// A day or a time as `2024-05-01` or `2024-05-01 10:30`.
fn day(moment: &str) -> String {
    let moment = moment.split('.').next().unwrap_or_default();
    match moment.split_once('T') {
        Some((day, "00:00:00")) => day.to_owned(),
        Some((day, clock)) => format!("{day} {}", clock.strip_suffix(":00").unwrap_or(clock)),
        None => moment.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::zip::testing::archive;

    fn package(sheets: &str) -> Vec<u8> {
        let content = format!(
            "<o:document-content><o:body><o:spreadsheet>{sheets}</o:spreadsheet></o:body></o:document-content>"
        );
        archive(&[("content.xml", content.as_bytes())])
    }

    #[test]
    fn repeated_cells_are_as_many_and_layout_is_none() {
        let sheet = "<table:table table:name='Plan'><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>\
            <table:table-cell><text:p>b</text:p></table:table-cell><table:table-cell table:number-columns-repeated='16382'/>\
            </table:table-row><table:table-row><table:table-cell table:number-columns-repeated='2'><text:p>x</text:p>\
            <text:p>y</text:p><office:annotation><dc:creator>Bo</dc:creator>\
            <dc:date>2020</dc:date><text:p>hm</text:p></office:annotation></table:table-cell></table:table-row>\
            <table:table-row table:number-rows-repeated='1048000'><table:table-cell table:number-columns-repeated='16384'/>\
            </table:table-row></table:table><table:table table:name='Empty'/>";
        let parsed = parse(&package(sheet)).expect("readable");
        assert_eq!(parsed.text, "Plan\n\na: x y; b: x y.\n\n[^A2]: Bo: hm");
        assert_eq!(parsed.pages, [0, 36]);
    }

    #[test]
    fn days_are_ordered_and_what_is_merged_downwards_stands_in_each_row() {
        let cell = |attributes: &str, words: &str| {
            format!("<table:table-cell {attributes}><text:p>{words}</text:p></table:table-cell>")
        };
        let rows = [
            cell("", "Coast") + &cell("", "Pier") + &cell("", "Opened"),
            cell("table:number-rows-spanned='2'", "West")
                + &cell("", "Ayr")
                + &cell("office:value-type='date' office:date-value='1951-03-02'", "02/03/51"),
            "<table:covered-table-cell/>".to_owned()
                + &cell("", "Oban")
                + &cell("office:value-type='date' office:date-value='1950-06-01T09:30:00'", "01/06/50"),
            cell("", "East") + &cell("", "Crail") + &cell("calcext:value-type='error'", "#DIV/0!"),
        ];
        let rows: String = rows.iter().map(|cells| format!("<table:table-row>{cells}</table:table-row>")).collect();
        let parsed =
            parse(&package(&format!("<table:table table:name='Plan'>{rows}</table:table>"))).expect("readable");
        assert_eq!(
            parsed.text,
            "Plan\n\nCoast: West; Pier: Ayr; Opened: 1951-03-02.\n\n\
             Coast: West; Pier: Oban; Opened: 1950-06-01 09:30.\n\nCoast: East; Pier: Crail; Opened: #DIV/0!"
        );
    }

    #[test]
    fn what_is_broken_is_told() {
        let check = |bytes: &[u8], reason: &str| {
            let told = parse(bytes).expect_err("broken").to_string();
            assert!(told.contains(reason), "{told}");
        };
        check(&package("<table:table>"), "broken ODS: ");
        check(&package(""), "no text in it");
        check(
            &package(
                "<t:table><t:table-row><t:table-cell t:number-columns-repeated='99999999999'><p>x</p></t:table-cell>\
                 </t:table-row></t:table>",
            ),
            "more than 16384 cells",
        );
    }
}
