//! DOCX packages around made-up bodies: their text, headings, lists, tables, notes and titles.

use super::*;
use crate::documents::parse::zip::testing::archive;

/// A package around a body, with the parts that most packages have.
fn package(body: &str, pages: Option<u32>) -> Vec<u8> {
    damaged_package(body, pages, &[])
}

/// A package in which some parts have lost their last byte.
fn damaged_package(body: &str, pages: Option<u32>, damaged: &[&str]) -> Vec<u8> {
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let root = format!(
        "<Relationships><Relationship Id='1' Type='{kind}/officeDocument' Target='word/document.xml'/>\
         <Relationship Id='2' Type='http://x/metadata/core-properties' Target='docProps/core.xml'/>\
         <Relationship Id='3' Type='{kind}/extended-properties' Target='/docProps/app.xml'/></Relationships>"
    );
    let own = format!(
        "<Relationships><Relationship Id='1' Type='{kind}/styles' Target='styles.xml'/>\
         <Relationship Id='2' Type='{kind}/footnotes' Target='footnotes.xml'/>\
         <Relationship Id='3' Type='{kind}/comments' Target='comments.xml'/>\
         <Relationship Id='4' Type='{kind}/numbering' Target='numbering.xml'/></Relationships>"
    );
    let core = "<c><dc:title>The plan</dc:title><dcterms:created>2022-10-03T00:00:00Z</dcterms:created></c>";
    let app = pages.map_or_else(String::new, |pages| format!("<Properties><Pages>{pages}</Pages></Properties>"));
    let styles = "<w:styles>\
        <w:style w:styleId='H1'><w:name w:val='heading 1'/></w:style>\
        <w:style w:styleId='Sub'><w:basedOn w:val='H2'/></w:style>\
        <w:style w:styleId='H2'><w:name w:val='Heading 2'/><w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr></w:style>\
        <w:style w:styleId='Round'><w:basedOn w:val='Round'/></w:style>\
        <w:style w:styleId='T'><w:name w:val='Title'/></w:style>\
        <w:style w:styleId='Toc'><w:name w:val='toc 1'/></w:style></w:styles>";
    let notes = "<w:footnotes><w:footnote w:id='-1'><w:p/></w:footnote>\
        <w:footnote w:id='2'><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let comments = "<w:comments><w:comment w:id='2' w:author='Ann Roe'><w:p><w:r><w:t>Is it so?</w:t></w:r></w:p></w:comment>\
        <w:comment w:id='3'><w:p><w:r><w:t>Yes.</w:t></w:r></w:p></w:comment></w:comments>";
    let numbering = "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:numFmt w:val='decimal'/>\
        <w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%2)'/></w:lvl>\
        </w:abstractNum><w:num w:numId='9'><w:abstractNumId w:val='0'/></w:num></w:numbering>";
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let parts: [(&str, &str); 9] = [
        ("_rels/.rels", &root),
        ("word/_rels/document.xml.rels", &own),
        ("docProps/core.xml", core),
        ("docProps/app.xml", if app.is_empty() { "<Properties/>" } else { &app }),
        ("word/styles.xml", styles),
        ("word/footnotes.xml", notes),
        ("word/comments.xml", comments),
        ("word/numbering.xml", numbering),
        ("word/document.xml", &document),
    ];
    archive(&parts.map(|(name, text)| (name, &text.as_bytes()[..text.len() - usize::from(damaged.contains(&name))])))
}

fn paragraph(properties: &str, words: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{words}</w:t></w:r></w:p>")
}

fn check(body: &str, text: &str, headings: &[(usize, u8, &str)]) {
    let parsed = parse(&package(body, None)).expect("readable");
    assert_eq!(parsed.text, text);
    let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
    assert_eq!(found, headings, "{text}");
}

#[test]
fn a_second_title_heads_what_is_bound_behind() {
    let body = [
        paragraph("<w:pStyle w:val='T'/>", "Agreement"),
        paragraph("", "A price."),
        paragraph("<w:pStyle w:val='T'/>", "Amendment"),
        paragraph("", "Another."),
    ];
    check(&body.concat(), "Agreement\n\nA price.\n\nAmendment\n\nAnother.", &[(21, 1, "Amendment")]);
}

#[test]
fn a_title_of_two_lines_is_one_and_spaces_are_none() {
    let body = [
        paragraph("<w:pStyle w:val='T'/>", " "),
        paragraph("<w:pStyle w:val='T'/>", "Annual Report</w:t><w:br/><w:t>2024"),
        paragraph("", "Words."),
    ];
    let untitled = damaged_package(&body.concat(), None, &["docProps/core.xml"]);
    let parsed = parse(&untitled).expect("readable");
    assert_eq!(parsed.text, "Annual Report\n2024\n\nWords.");
    assert_eq!(parsed.title.as_deref(), Some("Annual Report 2024"));
    assert!(parsed.lost.is_some_and(|lost| lost.starts_with("its properties (broken DOCX: ")));
}

#[test]
fn paragraphs_and_headings() {
    let body = [
        paragraph("<w:pStyle w:val='T'/>", "The plan"),
        paragraph("<w:pStyle w:val='H1'/>", "One"),
        paragraph("", "Words &amp; <w/>").replace("<w/>", "</w:t></w:r><w:r><w:t>more."),
        paragraph("<w:pStyle w:val='Sub'/>", "Two"),
        paragraph("<w:outlineLvl w:val='2'/>", "Three"),
        paragraph("<w:pStyle w:val='Round'/>", "Last."),
    ];
    let text = "The plan\n\nOne\n\nWords & more.\n\nTwo\n\nThree\n\nLast.";
    check(&body.concat(), text, &[(10, 1, "One"), (30, 2, "Two"), (35, 3, "Three")]);
}

#[test]
fn lists_tables_and_breaks() {
    let item = |level: u8, words| {
        paragraph(&format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='1'/></w:numPr>"), words)
    };
    let cell = |words: &str| format!("<w:tc>{}</w:tc>", paragraph("", words));
    let table =
        format!("<w:tbl><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>", cell("a"), cell("b"), cell("1"), cell("2"));
    let body = [item(0, "one"), item(1, "deep"), item(0, "two"), table, paragraph("", "x</w:t><w:br/><w:tab/><w:t>y")];
    check(&body.concat(), "- one\n  - deep\n- two\n\na | b\n1 | 2\n\nx\ny", &[]);
}

#[test]
fn numbers_stand_before_what_the_program_numbers() {
    let numbered = |style: &str, level: u8, words: &str| {
        let list = format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='9'/></w:numPr>");
        paragraph(&format!("{style}{list}"), words)
    };
    let body = [
        numbered("", 0, "one"),
        numbered("", 0, "two:"),
        numbered("", 1, "deep"),
        numbered("", 1, "deeper"),
        numbered("", 0, ""),
        paragraph("", "See rule 2 (b)."),
        numbered("<w:pStyle w:val='H1'/>", 0, "Four"),
    ];
    let text = "1. one\n2. two:\n  - (a) deep\n  - (b) deeper\n\nSee rule 2 (b).\n\n4. Four";
    check(&body.concat(), text, &[(text.len() - 7, 1, "4. Four")]);
}

#[test]
fn comments_are_notes_and_what_is_hidden_is_left_out() {
    let body = [
        paragraph("", "Claim</w:t></w:r><w:r><w:commentReference w:id='2'/></w:r><w:r><w:t>. End."),
        paragraph("", "More.</w:t><w:commentReference w:id='3'/><w:commentReference w:id='8'/><w:t>"),
        "<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>not</w:t></w:r><w:r>\
         <w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen</w:t></w:r></w:p>"
            .to_owned(),
    ];
    check(&body.concat(), "Claim[^1]. End.\n\n[^1]: Ann Roe: Is it so?\n\nMore.[^2]\n\n[^2]: Yes.\n\nseen", &[]);
}

#[test]
fn merged_cells_stand_where_they_reach() {
    let cell =
        |properties: &str, words: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", paragraph("", words));
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let table = [
        row(&[cell("<w:vMerge w:val='restart'/>", "a"), cell("", "b"), cell("", "c")]),
        row(&[cell("<w:vMerge/>", ""), cell("<w:gridSpan w:val='2'/>", "d")]),
        row(&[cell("", "e"), cell("", "f"), cell("", "g")]),
    ];
    check(&format!("<w:tbl>{}</w:tbl>", table.concat()), "a | b | c\na | d | d\ne | f | g", &[]);
    let table = |values: [&str; 3]| {
        let rows = [
            row(&[cell("<w:vMerge w:val='restart'/>", "Post"), cell("<w:gridSpan w:val='2'/>", "Hotel")]),
            row(&[cell("<w:vMerge/>", ""), cell("", values[0]), cell("", "Elsewhere")]),
            row(&[cell("", "Clerk"), cell("", values[1]), cell("", values[2])]),
        ];
        format!("<w:tbl>{}</w:tbl>", rows.concat())
    };
    check(&table(["London", "90", "70"]), "Post | Hotel London | Hotel Elsewhere\nClerk | 90 | 70", &[]);
    check(&table(["9", "8", "7"]), "Post | Hotel | Hotel\nPost | 9 | Elsewhere\nClerk | 8 | 7", &[]);
}

#[test]
fn notes_stand_below_and_what_was_deleted_is_gone() {
    let body = [
        paragraph("", "Claim</w:t><w:footnoteReference w:id='2'/><w:t>. End."),
        "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>\
         <w:r><w:instrText>PAGE</w:instrText><w:t>new</w:t></w:r></w:p>"
            .to_owned(),
        paragraph("<w:pStyle w:val='Toc'/>", "Contents 3"),
        paragraph(
            "<w:pPrChange><w:pPr><w:pStyle w:val='H1'/></w:pPr></w:pPrChange>",
            "now</w:t><w:ruby><w:rt><w:r><w:t>x</w:t></w:r></w:rt></w:ruby><w:t>here",
        ),
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>\
         </mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r></w:p>"
            .to_owned(),
    ];
    check(&body.concat(), "Claim[^1]. End.\n\n[^1]: A note.\n\nnew\n\nnowhere\n\nbox", &[]);
}

#[test]
fn properties_are_read() {
    let parsed = parse(&package(&paragraph("", "Words."), None)).expect("readable");
    assert_eq!(parsed.title.as_deref(), Some("The plan"));
    assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
}

#[test]
fn pages_are_those_that_were_laid_out() {
    let check = |body: &str, told: Option<u32>, expected: &[usize]| {
        assert_eq!(parse(&package(body, told)).expect("readable").pages, expected, "{body}");
    };
    let set = paragraph("", "one</w:t><w:br w:type='page'/><w:t>two");
    check(&set, Some(2), &[0, 4]);
    check(&set, Some(3), &[]);
    check(&set, None, &[]);
    // A program that lays nothing out gives every file 1 page.
    check(&paragraph("", "one"), Some(1), &[]);
    let rendered = paragraph("", "one</w:t><w:br w:type='page'/><w:lastRenderedPageBreak/><w:t>two");
    check(&rendered, Some(9), &[0, 4]);
    check(&[paragraph("", "one"), paragraph("<w:pageBreakBefore/>", "two")].concat(), Some(2), &[0, 5]);
}

#[test]
fn damage_beside_the_text_costs_no_text() {
    let number = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='9'/></w:numPr>";
    let body =
        [paragraph(number, "Oil it."), paragraph("", "Daily.</w:t><w:commentReference w:id='2'/><w:t>")].concat();
    check(&body, "1. Oil it.\n\nDaily.[^1]\n\n[^1]: Ann Roe: Is it so?", &[]);
    let parsed = parse(&damaged_package(&body, None, &["word/numbering.xml", "word/comments.xml"])).expect("readable");
    assert_eq!(parsed.text, "- Oil it.\n\nDaily.");
    let lost = parsed.lost.expect("told");
    assert!(lost.starts_with("the numbers of its lists (broken DOCX: ") && lost.contains("; its comments ("), "{lost}");
    let body = [paragraph("<w:pStyle w:val='H1'/>", "one"), paragraph("<w:pageBreakBefore/>", "two")].concat();
    let parsed = parse(&damaged_package(&body, Some(2), &["word/styles.xml", "docProps/app.xml"])).expect("readable");
    assert_eq!((parsed.text.as_str(), parsed.headings.len(), parsed.pages.len()), ("one\n\ntwo", 0, 0));
    let lost = parsed.lost.expect("told");
    assert!(lost.starts_with("its styles (") && lost.contains("; the number of its pages ("), "{lost}");
}

#[test]
fn what_is_broken_is_told() {
    let check = |bytes: &[u8], reason: &str| {
        let told = parse(bytes).expect_err("broken").to_string();
        assert!(told.contains(reason), "{told}");
    };
    let whole = package(&paragraph("", "Words."), None);
    check(&whole[..whole.len() / 2], "broken DOCX: it is cut short or damaged");
    check(&archive(&[("a", b"b")]), "does not say which of its parts");
    check(&package("<w:p>", None), "broken DOCX: ");
    check(&package("", None), "no text in it");
}
