//! Packages and archives: parts that unpack to gigabytes, too many parts, archives in archives.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const MIB: usize = 1 << 20;

/// A part of a package: its name, its beginning, the repeated text, the number of repetitions, and its end.
type Part<'p> = (&'p str, &'p str, &'p str, usize, &'p str);

fn package(parts: &[Part<'_>]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for &(name, head, again, times, tail) in parts {
        writer.start_file(name, SimpleFileOptions::default().compression_level(Some(9))).unwrap();
        writer.write_all(head.as_bytes()).unwrap();
        let at_once = (MIB / again.len().max(1)).clamp(1, times.max(1));
        let block = again.repeat(at_once);
        (0..times / at_once).for_each(|_| writer.write_all(block.as_bytes()).unwrap());
        writer.write_all(tail.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzip(block: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    (0..times).for_each(|_| encoder.write_all(block).unwrap());
    encoder.finish().unwrap()
}

fn tar(members: usize, bytes: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for member in 0..members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, format!("{member}.txt"), bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

const WORD: &str = "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>";
const TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Override PartName=\"/KIND\" \
                     ContentType=\"application/vnd.openxmlformats-officedocument.MAIN.main+xml\"/></Types>";
const TEXT: &str = "<office:document-content xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
                    xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" \
                    xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\"><office:body>";

const ROOT: &str = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r\" \
                    Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
                    Target=\"KIND\"/></Relationships>";

/// A Word document with this text.
fn word(head: &str, again: &str, times: usize, tail: &str) -> Vec<u8> {
    let types = TYPES.replace("KIND", "word/document.xml").replace("MAIN", "wordprocessingml.document");
    let head = format!("{WORD}{head}");
    let root = ROOT.replace("KIND", "word/document.xml");
    package(&[
        ("[Content_Types].xml", &types, "", 0, ""),
        ("_rels/.rels", &root, "", 0, ""),
        ("word/document.xml", &head, again, times, tail),
    ])
}

/// A workbook with this sheet and these strings.
fn sheet(row: &str, times: usize, strings: &str, string_times: usize) -> Vec<u8> {
    let types = TYPES.replace("KIND", "xl/workbook.xml").replace("MAIN", "spreadsheetml.sheet");
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let book = format!(
        "<workbook xmlns=\"{main}\" xmlns:r=\"{links}\"><sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
    );
    let relations = format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" \
         Type=\"{links}/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" \
         Type=\"{links}/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>"
    );
    package(&[
        ("[Content_Types].xml", &types, "", 0, ""),
        ("_rels/.rels", &ROOT.replace("KIND", "xl/workbook.xml"), "", 0, ""),
        ("xl/workbook.xml", &book, "", 0, ""),
        ("xl/_rels/workbook.xml.rels", &relations, "", 0, ""),
        (
            "xl/worksheets/sheet1.xml",
            &format!("<worksheet xmlns=\"{main}\"><sheetData>"),
            row,
            times,
            "</sheetData></worksheet>",
        ),
        ("xl/sharedStrings.xml", &format!("<sst xmlns=\"{main}\">"), strings, string_times, "</sst>"),
    ])
}

pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let kind = ("mimetype", "application/vnd.oasis.opendocument.text", "", 0, "");
    let table_kind = ("mimetype", "application/vnd.oasis.opendocument.spreadsheet", "", 0, "");
    let text = |head: &str, again: &str, times, tail: &str| {
        package(&[kind, ("content.xml", &format!("{TEXT}<office:text>{head}"), again, times, tail)])
    };
    let zeros = vec![0; MIB];
    let inner = gzip(&zeros, 1024);
    let paragraph = "<w:p><w:r><w:t>word</w:t></w:r></w:p>";
    let book = |chapter: Part<'_>| {
        let container = "<container><rootfiles><rootfile full-path=\"a.opf\"/></rootfiles></container>";
        let list = "<package><manifest><item id=\"c\" href=\"c.xhtml\" media-type=\"application/xhtml+xml\"/></manifest><spine>";
        package(&[
            ("mimetype", "application/epub+zip", "", 0, ""),
            ("META-INF/container.xml", container, "", 0, ""),
            ("a.opf", list, "<itemref idref=\"c\"/>", 2000, "</spine></package>"),
            chapter,
        ])
    };
    vec![
        ("bomb.docx", word("", paragraph, 30_000_000, "</w:body></w:document>")),
        ("below-the-ratio.docx", word("", paragraph, 400_000, "</w:body></w:document>")),
        ("nested.docx", word("", "<w:p>", 500_000, "")),
        ("nested-tables.docx", word("", "<w:tbl><w:tr><w:tc>", 200_000, "")),
        ("one-attribute.docx", word("<w:p w:a=\"", "a", 100 * MIB, "\"/></w:body></w:document>")),
        ("bomb.odt", text("", "<text:p>word</text:p>", 50_000_000, "")),
        (
            "spaces.odt",
            text(
                "",
                "<text:p><text:s text:c=\"2000000000\"/>a</text:p>",
                1000,
                "</office:text></office:body></office:document-content>",
            ),
        ),
        ("nested.odt", text("", "<text:list><text:list-item>", 300_000, "")),
        (
            "repeated.ods",
            package(&[
                table_kind,
                (
                    "content.xml",
                    &format!("{TEXT}<office:spreadsheet><table:table table:name=\"A\">"),
                    "<table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell \
             table:number-columns-repeated=\"16000\"><text:p>x</text:p></table:table-cell></table:table-row>",
                    200,
                    "</table:table></office:spreadsheet></office:body></office:document-content>",
                ),
            ]),
        ),
        ("cells.xlsx", sheet("<row><c t=\"inlineStr\"><is><t>x</t></is></c></row>", 10_000_000, "", 0)),
        (
            "far-cell.xlsx",
            sheet(
                "<row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>",
                1,
                "",
                0,
            ),
        ),
        (
            "strings.xlsx",
            sheet("<row><c t=\"s\"><v>0</v></c></row>", 100_000, "<si><t>xxxxxxxxxxxxxxxx</t></si>", 5_000_000),
        ),
        (
            "one-long-string.xlsx",
            sheet("<row><c t=\"s\"><v>0</v></c></row>", 50_000, &format!("<si><t>{}</t></si>", "x".repeat(30_000)), 1),
        ),
        ("bomb.epub", book(("c.xhtml", "<html><body>", "<p>word</p>", 30_000_000, "</body></html>"))),
        ("one-chapter-many-times.epub", book(("c.xhtml", "<html><body>", "<p>word</p>", 20_000, "</body></html>"))),
        ("many-parts.docx", {
            let names: Vec<String> = (0..70_000).map(|part| format!("{part}.xml")).collect();
            let parts: Vec<Part<'_>> = names.iter().map(|name| (name.as_str(), "", "", 0, "")).collect();
            package(&parts)
        }),
        ("bomb.zip", package(&[("a.txt", "", "word ", 400_000_000, "")])),
        ("bomb.txt.gz", gzip(&b"word ".repeat(MIB / 5), 4096)),
        ("bomb-in-bomb.gz", gzip(&inner, 1)),
        ("bomb.tar.gz", gzip(&tar(1, &b"word ".repeat(60 * MIB / 5)), 8)),
        ("members.tar.gz", gzip(&tar(30_000, b"a"), 1)),
        ("bomb.txt.zst", zstd::bulk::compress(&vec![b'a'; 900 * MIB], 3).unwrap()),
    ]
}
