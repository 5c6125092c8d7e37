//! Workbooks of Office Open XML: the values of every sheet, as the program that wrote them last computed and showed
//! them. Days are written with the year first, whatever their format.
//!
//! The library unpacks parts without a limit, so all are unpacked once beforehand, with a limit. Cells are taken one by
//! one: the library's own table of a sheet has a place for every cell between the first and the last.

mod notes;
mod shown;

use std::collections::BTreeMap;
use std::io::Cursor;

use calamine::{DataRef, ExcelDateTime, Reader, Style, Xlsx, XlsxError};

use jiff::Span;
use jiff::civil::Date;

use shown::NumberFormat;

use super::lost::LostParts;
use super::sheet::{MAX_COLUMNS, Workbook};
use super::writer::LONGEST_MERGED;
use super::zip::Package;
use super::{ParseError, Parsed, opc};
use crate::base::quiet;

const FORMAT: &str = "XLSX";

/// Extracts a workbook.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    let mut lost = LostParts::default();
    let properties = lost.or_default(opc::properties(&mut package, FORMAT), "its properties");
    package.unpack_once()?;
    let notes = lost.or_default(notes::read(&mut package), "the notes on its cells");
    // calamine may panic on a damaged workbook, which must not stop fuzzing.
    let read = quiet::catch(|| read(bytes, &notes));
    let mut parsed = read.map_err(broken)??.finish()?;
    properties.tell(&mut parsed);
    parsed.lost = lost.told();
    Ok(parsed)
}

fn broken(reason: String) -> ParseError {
    ParseError::Broken { format: FORMAT, reason }
}

fn fault(error: XlsxError) -> ParseError {
    match error {
        XlsxError::Password => ParseError::Encrypted,
        error => broken(error.to_string()),
    }
}

fn read(bytes: &[u8], notes: &BTreeMap<String, Vec<notes::Note>>) -> Result<Workbook, ParseError> {
    let mut source: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(fault)?;
    let mut book = Workbook::new(FORMAT);
    for name in source.sheet_names() {
        book.sheet(&name);
        let merged = source.merge_cells_by_sheet_name(&name).map_err(fault)?;
        let downwards = merged.into_iter().filter(|cells| cells.end.0 > cells.start.0);
        let mut row = Row { merged: downwards.map(|cells| (cells.start, cells.end.0)).collect(), ..Row::default() };
        let mut cells = match source.worksheet_cells_reader(&name) {
            Ok(cells) => cells,
            // A sheet that is a chart has no cells.
            Err(XlsxError::NotAWorksheet(_)) => continue,
            Err(error) => return Err(fault(error)),
        };
        let formats: Vec<NumberStyle> = cells.styles().iter().map(NumberStyle::of).collect();
        while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(fault)? {
            let (line, column) = cell.get_position();
            if line != row.line {
                row.end(&mut book)?;
                if line > row.line + 1 {
                    book.row(&[])?;
                }
                row.line = line;
            }
            row.put(column as usize, words(cell.get_value(), formats.get(style)))?;
        }
        row.end(&mut book)?;
        notes.get(&name).into_iter().flatten().try_for_each(|(cell, words)| book.note(cell, words))?;
    }
    Ok(book)
}

/// The row that is being read.
#[derive(Default)]
struct Row {
    line: u32,
    cells: Vec<String>,
    /// The last row of each cell that is merged downwards, by the row and the column of its first cell.
    merged: BTreeMap<(u32, u32), u32>,
    /// The words that reach into the rows below, with their last row, by column.
    reaching: BTreeMap<usize, (u32, String)>,
}

impl Row {
    fn put(&mut self, column: usize, words: String) -> Result<(), ParseError> {
        if column >= MAX_COLUMNS {
            return Err(broken(format!("it has a cell in column {}, and sheets have {MAX_COLUMNS}", column + 1)));
        }
        if !words.is_empty() {
            if self.cells.len() <= column {
                self.cells.resize(column + 1, String::new());
            }
            self.cells[column] = words;
        }
        Ok(())
    }

    /// Ends the row. A cell that is merged downwards is repeated in each row that has other cells, since a row reads on
    /// its own.
    fn end(&mut self, book: &mut Workbook) -> Result<(), ParseError> {
        let line = self.line;
        self.reaching.retain(|_, (last, _)| *last >= line);
        let has_cells = !self.cells.is_empty();
        for (&column, (_, words)) in self.reaching.iter().filter(|_| has_cells) {
            if self.cells.len() <= column {
                self.cells.resize(column + 1, String::new());
            }
            if self.cells[column].is_empty() {
                self.cells[column].clone_from(words);
            }
        }
        for (&(_, column), &last) in self.merged.range((line, 0)..=(line, u32::MAX)) {
            let words = self.cells.get(column as usize).filter(|words| (1..=LONGEST_MERGED).contains(&words.len()));
            self.reaching.extend(words.map(|words| (column as usize, (last, words.clone()))));
        }
        book.row(&self.cells)?;
        self.cells.clear();
        Ok(())
    }
}

/// How the numbers of a style are shown.
struct NumberStyle {
    numbers: Option<NumberFormat>,
    has_seconds: bool,
}

impl NumberStyle {
    fn of(style: &Style) -> NumberStyle {
        let code = style.number_format.as_ref().map_or("", |format| format.format_code.as_str());
        NumberStyle { numbers: NumberFormat::of(code), has_seconds: code.contains(['s', 'S']) }
    }
}

fn words(value: &DataRef<'_>, shown: Option<&NumberStyle>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => {
            let format = shown.and_then(|shown| shown.numbers.as_ref());
            format.and_then(|format| format.show(*number, decimal)).unwrap_or_else(|| decimal(*number))
        }
        DataRef::String(words) | DataRef::DateTimeIso(words) | DataRef::DurationIso(words) => words.clone(),
        DataRef::SharedString(words) => (*words).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(time) if time.is_duration() => {
            duration(time.as_f64(), shown.is_some_and(|shown| shown.has_seconds))
        }
        DataRef::DateTime(time) => moment(time),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

/// A number of days as hours and minutes, as in `36:00`.
fn duration(days: f64, has_seconds: bool) -> String {
    let seconds = (days.abs() * 86_400.0).round() as u64;
    let minus = if days < 0.0 { "-" } else { "" };
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match has_seconds {
        true => format!("{minus}{hours}:{minutes:02}:{seconds:02}"),
        false => format!("{minus}{hours}:{minutes:02}"),
    }
}

/// A number without the last digits of its binary form: 0.1 + 0.2 is 0.3, as in every program.
fn decimal(number: f64) -> String {
    let exact = number.to_string();
    let short = format!("{number:.14e}").parse::<f64>().map_or_else(|_| exact.clone(), |number| number.to_string());
    if short.len() < exact.len() { short } else { exact }
}

/// A day, a time of day, or both.
fn moment(time: &ExcelDateTime) -> String {
    let value = time.as_f64();
    if !(-657_434.0..2_958_466.0).contains(&value) {
        return decimal(value);
    }
    if value < 0.0 {
        // Excel knows no day before 1900; other programs count back from its first day.
        let day = Date::constant(1899, 12, 30).checked_add(Span::new().days(value.floor() as i32));
        return day.map_or_else(|_| decimal(value), |day| day.to_string());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    let clock =
        if second == 0 { format!("{hour:02}:{minute:02}") } else { format!("{hour:02}:{minute:02}:{second:02}") };
    match (value < 1.0, value.fract() == 0.0) {
        (true, _) => clock,
        (false, true) => date,
        (false, false) => format!("{date} {clock}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::zip::testing::archive;

    const KIND: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

    const NOTES: &str = "<comments><commentList><comment ref='B2'><text><t>Paid by the club.</t></text></comment></commentList></comments>";

    fn package(rows: &str) -> Vec<u8> {
        let root = format!(
            "<Relationships><Relationship Id='r' Type='{KIND}/officeDocument' Target='xl/workbook.xml'/></Relationships>"
        );
        let own = format!(
            "<Relationships><Relationship Id='r1' Type='{KIND}/worksheet' Target='worksheets/a.xml'/>\
             <Relationship Id='r2' Type='{KIND}/styles' Target='styles.xml'/></Relationships>"
        );
        let book = format!(
            "<workbook xmlns='{MAIN}' xmlns:r='{KIND}'><sheets><sheet name='Plan' sheetId='1' r:id='r1'/></sheets></workbook>"
        );
        let styles = format!(
            "<styleSheet xmlns='{MAIN}'><numFmts><numFmt numFmtId='164' formatCode='0000'/></numFmts><cellXfs>\
             <xf numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='10'/><xf numFmtId='46'/><xf numFmtId='164'/></cellXfs>\
             </styleSheet>"
        );
        let (rows, merged) = rows.split_once("<mergeCells>").unwrap_or((rows, ""));
        let merged = if merged.is_empty() { String::new() } else { format!("<mergeCells>{merged}") };
        let sheet = format!("<worksheet xmlns='{MAIN}'><sheetData>{rows}</sheetData>{merged}</worksheet>");
        let beside =
            format!("<Relationships><Relationship Id='n' Type='{KIND}/comments' Target='../n.xml'/></Relationships>");
        archive(&[
            ("_rels/.rels", root.as_bytes()),
            ("xl/worksheets/_rels/a.xml.rels", beside.as_bytes()),
            ("xl/n.xml", if rows.is_empty() { "<comments/>".as_bytes() } else { NOTES.as_bytes() }),
            ("xl/_rels/workbook.xml.rels", own.as_bytes()),
            ("xl/workbook.xml", book.as_bytes()),
            ("xl/styles.xml", styles.as_bytes()),
            ("xl/worksheets/a.xml", sheet.as_bytes()),
        ])
    }

    #[test]
    fn values_read_as_they_are_shown() {
        let rows = "<row r='1'><c r='A1' t='inlineStr'><is><t>day</t></is></c><c r='B1' t='inlineStr'><is><t>share</t></is></c></row>\
            <row r='2'><c r='A2' s='1'><v>44837</v></c><c r='B2'><v>0.30000000000000004</v></c></row>\
            <row r='3'><c r='A3' s='1'><v>-9213</v></c><c r='B3' t='e'><v>#DIV/0!</v></c></row>\
            <row r='1048576'><c r='B1048576'><v>9</v></c></row>";
        let parsed = parse(&package(rows)).expect("readable");
        assert_eq!(
            parsed.text,
            "Plan\n\nday: 2022-10-03; share: 0.3.\n\nday: 1874-10-09; share: #DIV/0!\n\n9\n\n[^B2]: Paid by the club."
        );
        assert_eq!((parsed.pages.as_slice(), parsed.headings.len()), (&[0][..], 1));
        let rows = "<row r='1'><c r='A1' t='inlineStr'><is><t>share</t></is></c><c r='B1' t='inlineStr'><is><t>length</t></is></c>\
            <c r='C1' t='inlineStr'><is><t>code</t></is></c></row>\
            <row r='2'><c r='A2' s='2'><v>0.1875</v></c><c r='B2' s='3'><v>1.75</v></c><c r='C2' s='4'><v>31</v></c></row>";
        let parsed = parse(&package(rows)).expect("readable");
        assert_eq!(parsed.text, "Plan\n\nshare: 18.75%; length: 42:00:00; code: 0031.\n\n[^B2]: Paid by the club.");
    }

    #[test]
    fn a_cell_that_is_merged_downwards_stands_in_each_row() {
        let text = |place: &str, words: &str| format!("<c r='{place}' t='inlineStr'><is><t>{words}</t></is></c>");
        let rows = [
            text("A1", "Coast") + &text("B1", "Pier"),
            text("A2", "West") + &text("B2", "Ayr"),
            text("B3", "Oban"),
            text("A4", "East") + &text("B4", "Crail"),
        ];
        let rows: String =
            rows.iter().enumerate().map(|(at, cells)| format!("<row r='{}'>{cells}</row>", at + 1)).collect();
        let parsed = parse(&package(&format!("{rows}<mergeCells><mergeCell ref='A2:A3'/></mergeCells>")));
        let expected = "Plan\n\nCoast: West; Pier: Ayr.\n\nCoast: West; Pier: Oban.\n\nCoast: East; Pier: Crail.\n\n\
            [^B2]: Paid by the club.";
        assert_eq!(parsed.expect("readable").text, expected);
    }

    #[test]
    fn what_is_broken_is_told() {
        let check = |bytes: &[u8], reason: &str| {
            let told = parse(bytes).expect_err("broken").to_string();
            assert!(told.contains(reason), "{told}");
        };
        let whole = package("<row r='1'><c r='A1'><v>1</v></c></row>");
        check(&whole[..whole.len() - 60], "broken XLSX: ");
        check(&package("<row r='1'><c r='A1'>"), "broken XLSX: ");
        check(&package("<row r='1'><c r='ZZZZZ1'><v>1</v></c></row>"), "broken XLSX: ");
        check(&package(""), "no text in it");
    }
}
