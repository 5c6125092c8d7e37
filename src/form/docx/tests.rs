//! Documents written, opened again, and edited.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::form::{Form, parse_report, text_of, written};
use crate::report::Record;
use crate::verify::read;

const REPORT: &str = "# A *tale*\n\nIt began in 1989 [1]. **Then** more came [1][2].\n\n## Part & <b>\n\n- One [1].\n  1. Two\n\n\
    | a | b |\n|---|---|\n| c [2] | d |\n\n- **5** against **6**:\n  - *A*: it was 5 [1].\n  - *B*: it was 6 [2].\n\n\
    ## Sources\n\n1. **T**, `docs/a.md`, p. 2: “It began in 1989. It was 5.”\n2. **U**, <https://a.example/x>: “More came. It was 6.”\n";

fn document(markdown: &str) -> Vec<u8> {
    written(&parse_report(markdown).unwrap(), Form::Docx, None).unwrap()
}

fn part(document: &[u8], name: &str) -> String {
    let mut archive = ZipArchive::new(Cursor::new(document)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The document with its text changed, as a person would change it.
fn edited(document: &[u8], from: &str, to: &str) -> Vec<u8> {
    edited_in(document, "word/document.xml", from, to)
}

fn edited_in(document: &[u8], changed: &str, from: &str, to: &str) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(document)).unwrap();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut text = String::new();
        let mut part = archive.by_index(at).unwrap();
        part.read_to_string(&mut text).unwrap();
        let name = part.name().unwrap().into_owned();
        if name == changed {
            assert!(text.contains(from), "{from} in {text}");
            text = text.replacen(from, to, 1);
        }
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn sources_are_footnotes_and_evidence_comments() {
    let document = document(REPORT);
    let body = part(&document, "word/document.xml");
    for expected in [
        "<w:pStyle w:val=\"Title\"></w:pStyle>",
        "<w:pStyle w:val=\"Heading1\"></w:pStyle></w:pPr><w:r><w:rPr></w:rPr><w:t xml:space=\"preserve\">Part &amp; &lt;b&gt;</w:t>",
        "<w:vanish/></w:rPr><w:t>[1]</w:t></w:r><w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteReference w:id=\"1\">",
        "<w:commentRangeStart w:id=\"100001\">",
        "<w:b/><w:bCs/></w:rPr><w:t xml:space=\"preserve\">Then</w:t>",
        "<w:tblHeader/>",
        "r:id=\"link0\"",
    ] {
        assert!(body.contains(expected), "{expected} in {body}");
    }
    let footnotes = part(&document, "word/footnotes.xml");
    assert!(footnotes.contains(", docs/a.md, p. 2: “It began in 1989. It was 5.”"), "{footnotes}");
    let comments = part(&document, "word/comments.xml");
    let supporting = "<w:b/><w:bCs/></w:rPr><w:t xml:space=\"preserve\">It began in 1989.</w:t>";
    assert!(comments.contains(supporting) && comments.contains("w:author=\"deepsearch\""), "{comments}");
    assert!(
        part(&document, "word/_rels/document.xml.rels").contains("TargetMode=\"External\"")
            || !body.contains("w:hyperlink")
    );
    // Every part is XML that a strict reader accepts.
    let mut archive = ZipArchive::new(Cursor::new(&document)).unwrap();
    for at in 0..archive.len() {
        let mut text = String::new();
        archive.by_index(at).unwrap().read_to_string(&mut text).unwrap();
        let mut reader = quick_xml::Reader::from_str(&text);
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{at}: {error}")) {
                quick_xml::events::Event::Eof => break,
                _ => continue,
            }
        }
    }
}

#[test]
fn a_document_comes_back_as_the_report_that_it_is_now() {
    let document = document(REPORT);
    assert_eq!(text_of(document.clone()).unwrap(), REPORT);

    let back = text_of(edited(&document, "One ", "Some ")).unwrap();
    let report = read(&back).unwrap();
    let body = &back[report.body.clone()];
    assert!(body.starts_with("# A tale\n"), "{body}");
    assert!(body.contains("It began in 1989 [1]. Then more came [1][2]."), "{body}");
    assert!(
        body.contains("\n## Part & <b>\n") && body.contains("- Some [1].\n") && body.contains("1. Two\n"),
        "{body}"
    );
    assert!(body.ends_with("\n\n") && !body.contains("docs/a.md"), "{body}");
    assert_eq!(report.citations.len(), 2);
    assert!(back.ends_with(&REPORT[REPORT.find("## Sources").unwrap()..]), "{back}");

    let rewritten = edited(&document, "It began in 1989 ", "It began in 1998 ");
    assert!(text_of(rewritten).unwrap().contains("It began in 1998 [1]."));
    let struck = edited(
        &document,
        "<w:t xml:space=\"preserve\">It began in 1989 </w:t>",
        "<w:delText>It</w:delText></w:r><w:ins><w:r><w:t>He</w:t></w:r></w:ins><w:r><w:t xml:space=\"preserve\"> began in 1990 </w:t>",
    );
    assert!(text_of(struck).unwrap().contains("He began in 1990 [1]."));
    let told = text_of(b"PK\x03\x04 broken".to_vec()).unwrap_err().to_string();
    assert!(told.contains("cannot be read"), "{told}");
}

#[test]
fn a_resolved_comment_approves_its_sentence() {
    let record = Record {
        format: 1,
        written: None,
        question: "When?".to_owned(),
        language: "eng".to_owned(),
        citations: Vec::new(),
        coverage: None,
        approved: vec!["It began in 1989 [1].".to_owned()],
    };
    let report = format!("{REPORT}{}", record.comment());
    let approved = |document: &[u8]| Record::split(&text_of(document.to_vec()).unwrap()).1.unwrap().unwrap().approved;
    let written = document(&report);
    let extended = part(&written, "word/commentsExtended.xml");
    assert_eq!(extended.matches("w15:done=\"1\"").count(), 1, "{extended}");
    assert_eq!(approved(&written), ["It began in 1989 [1]."]);
    assert!(part(&written, "[Content_Types].xml").contains("commentsExtended+xml"));
    // A changed sentence whose comment stays resolved is approved in its new wording; reopening the comment ends that.
    let changed = edited(&written, "It began in 1989 ", "It began in 1998 ");
    assert_eq!(approved(&changed), ["It began in 1998 [1]."]);
    let open = edited_in(&written, "word/commentsExtended.xml", "w15:done=\"1\"", "w15:done=\"0\"");
    assert_eq!(approved(&open), [""; 0]);
    let second = edited_in(&written, "word/commentsExtended.xml", "w15:done=\"0\"", "w15:done=\"true\"");
    assert_eq!(approved(&second), ["It began in 1989 [1].", "Then more came [1][2]."]);
    // If no comment is resolved, the part about them is not written.
    let none = document(&format!("{REPORT}{}", Record { approved: Vec::new(), ..record }.comment()));
    assert!(!part(&none, "[Content_Types].xml").contains("Extended"));
    assert_eq!(approved(&none), [""; 0]);
}

#[test]
fn nothing_in_a_document_acts() {
    let attack =
        "</w:t></w:r><w:instrText>DDEAUTO</w:instrText><![CDATA[x]]> & \u{1b}\u{202e}\u{0}\u{fffe} <!DOCTYPE x>";
    let mut report = parse_report(REPORT).unwrap();
    report.title = attack.to_owned();
    for one in &mut report.evidence {
        for field in [&mut one.title, &mut one.path, &mut one.quote, &mut one.before, &mut one.headings] {
            *field = attack.to_owned();
        }
        one.address = Some(crate::form::address_of_file("\"/><Relationship Target=\"https://evil.example\"", None));
    }
    let document = written(&report, Form::Docx, None).unwrap();
    for name in ["word/document.xml", "word/footnotes.xml", "word/comments.xml", "docProps/core.xml"] {
        let text = part(&document, name);
        assert!(
            !text.contains("<w:instrText>DDE") && !text.contains("<!DOCTYPE") && !text.contains("<![CDATA"),
            "{name}"
        );
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\0', '\u{fffe}']), "{name}");
    }
    let links = part(&document, "word/_rels/document.xml.rels");
    assert_eq!(links.matches("<Relationship ").count(), 6 + 2, "{links}");
    assert!(!links.contains("\"https://evil"), "{links}");
}
