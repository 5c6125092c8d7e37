//! Workbooks of Office Open XML: the values of every sheet, as the program that wrote them last computed them.
//!
//! The library unpacks parts without a limit, so all are unpacked once before, with ours. Cells are taken one by one:
//! the library's own table of a sheet has a place for every cell between the first and the last.

mod notes;

use std::collections::BTreeMap;
use std::io::Cursor;

use calamine::{Cell, DataRef, ExcelDateTime, Reader, Xlsx, XlsxError};

use jiff::Span;
use jiff::civil::Date;

use super::sheet::{MAX_COLUMNS, Workbook};
use super::zip::Package;
use super::{ParseError, Parsed, opc};
use crate::base::quiet;

const FORMAT: &str = "XLSX";

/// Extracts a workbook.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, FORMAT)?;
    let properties = opc::properties(&mut package, FORMAT)?;
    package.check()?;
    let notes = notes::read(&mut package)?;
    // The library promises no panic, and is given what anybody sends.
    let read = quiet::catch(|| read(bytes, &notes));
    let mut parsed = read.map_err(broken)??.finish()?;
    parsed.title = properties.title;
    parsed.date = properties.date;
    parsed.language = properties.language;
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
        let mut cells = match source.worksheet_cells_reader(&name) {
            Ok(cells) => cells,
            // A sheet that is a chart has no cells.
            Err(XlsxError::NotAWorksheet(_)) => continue,
            Err(error) => return Err(fault(error)),
        };
        let mut row: (u32, Vec<String>) = (0, Vec::new());
        while let Some(cell) = cells.next_cell().map_err(fault)? {
            let (line, column) = cell.get_position();
            if line != row.0 {
                book.row(&row.1)?;
                row.1.clear();
                if line > row.0 + 1 {
                    book.row(&[])?;
                }
                row.0 = line;
            }
            put(&mut row.1, column as usize, &cell)?;
        }
        book.row(&row.1)?;
        notes.get(&name).into_iter().flatten().try_for_each(|(cell, words)| book.note(cell, words))?;
    }
    Ok(book)
}

fn put(row: &mut Vec<String>, column: usize, cell: &Cell<DataRef<'_>>) -> Result<(), ParseError> {
    if column >= MAX_COLUMNS {
        return Err(broken(format!("it has a cell in column {}, and sheets have {MAX_COLUMNS}", column + 1)));
    }
    let words = words(cell.get_value());
    if !words.is_empty() {
        if row.len() <= column {
            row.resize(column + 1, String::new());
        }
        row[column] = words;
    }
    Ok(())
}

fn words(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => decimal(*number),
        DataRef::String(words) | DataRef::DateTimeIso(words) | DataRef::DurationIso(words) => words.clone(),
        DataRef::SharedString(words) => (*words).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(time) => moment(time),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// A number without the last digits of its binary form: 0.1 + 0.2 is 0.3 in every program.
fn decimal(number: f64) -> String {
    let exact = number.to_string();
    let short = format!("{number:.14e}").parse::<f64>().map_or_else(|_| exact.clone(), |number| number.to_string());
    if short.len() < exact.len() { short } else { exact }
}

/// A day, a time of day, or both.
fn moment(time: &ExcelDateTime) -> String {
    let value = time.as_f64();
    if time.is_duration() || !(-657_434.0..2_958_466.0).contains(&value) {
        return decimal(value);
    }
    if value < 0.0 {
        // Excel knows no day before 1900; other programs count back from its first.
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
        let styles =
            format!("<styleSheet xmlns='{MAIN}'><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>");
        let sheet = format!("<worksheet xmlns='{MAIN}'><sheetData>{rows}</sheetData></worksheet>");
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
            "Plan\n\nday: 2022-10-03; share: 0.3.\n\nday: 1874-10-09.\n\n9\n\n[^B2]: Paid by the club."
        );
        assert_eq!((parsed.pages.as_slice(), parsed.headings.len()), (&[0][..], 1));
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
