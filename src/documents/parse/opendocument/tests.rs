use super::*;
use crate::documents::parse::zip::testing::archive;

const STYLES: &str = "<o><style:style style:name='Title' style:family='paragraph'/>\
    <style:style style:name='P1' style:family='paragraph' style:parent-style-name='Title'/>\
    <style:style style:name='P2' style:family='paragraph'><style:paragraph-properties fo:break-before='page'/></style:style></o>";

fn package(content: &str) -> Vec<u8> {
    let meta = "<m><dc:title>The plan</dc:title><meta:creation-date>2022-10-03T10:00:00</meta:creation-date></m>";
    let content = format!("<office:document-content><office:body>{content}</office:body></office:document-content>");
    archive(&[("styles.xml", STYLES.as_bytes()), ("meta.xml", meta.as_bytes()), ("content.xml", content.as_bytes())])
}

fn check(content: &str, text: &str, headings: &[(usize, u8, &str)], pages: &[usize]) {
    let parsed = parse(&package(content), "ODT").expect("readable");
    assert_eq!(parsed.text, text);
    let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
    assert_eq!((found.as_slice(), parsed.pages.as_slice()), (headings, pages), "{text}");
}

#[test]
fn paragraphs_headings_and_spaces() {
    check(
        "<office:text><text:p text:style-name='P1'>The plan</text:p>\n<text:h text:outline-level='2'>One <text:span>more</text:span></text:h>\
         <text:p>a<text:s text:c='3'/>b<text:tab/>c<text:line-break/>d</text:p></office:text>",
        "The plan\n\nOne more\n\na b c\nd",
        &[(10, 2, "One more")],
        &[],
    );
}

#[test]
fn lists_tables_and_notes() {
    check(
        "<text:list><text:list-item><text:p>one</text:p><text:p>still one</text:p><text:list><text:list-item>\
         <text:p>deep</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p>\
         </text:list-item></text:list><text:p>Claim<text:note><text:note-citation>1</text:note-citation><text:note-body>\
         <text:p>A note.</text:p></text:note-body></text:note>.</text:p><table:table><table:table-row>\
         <table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell>\
         </table:table-row></table:table>",
        "- one\nstill one\n  - deep\n- two\n\nClaim[^1].\n\n[^1]: A note.\n\na | b",
        &[],
        &[],
    );
}

#[test]
fn comments_are_notes_behind_the_names_of_their_authors() {
    check(
        "<text:p>Flour<office:annotation><dc:creator>Ann Roe</dc:creator><dc:date>2020-01-01</dc:date><text:p>Of rye?</text:p>\
         <text:list><text:list-item><text:p>Yes.</text:p></text:list-item></text:list></office:annotation> comes.</text:p>\
         <text:p>More<office:annotation><text:p>Or less.</text:p></office:annotation></text:p>",
        "Flour[^1] comes.\n\n[^1]: Ann Roe: Of rye? Yes.\n\nMore[^2]\n\n[^2]: Or less.",
        &[],
        &[],
    );
}

#[test]
fn merged_cells_stand_where_they_reach() {
    check(
        "<table:table><table:table-row><table:table-cell table:number-rows-spanned='2'><text:p>a</text:p></table:table-cell>\
         <table:table-cell><text:p>b</text:p></table:table-cell><table:table-cell><text:p>c</text:p></table:table-cell>\
         </table:table-row><table:table-row><table:covered-table-cell/><table:table-cell \
         table:number-columns-spanned='2'><text:p>d</text:p></table:table-cell><table:covered-table-cell/>\
         </table:table-row></table:table>",
        "a | b | c\na | d | d",
        &[],
        &[],
    );
}

#[test]
fn what_is_not_the_text_is_left_out() {
    check(
        "<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:table-of-content><text:p>One 3</text:p>\
         </text:table-of-content><text:p>a<office:annotation><text:p>hm</text:p></office:annotation>b</text:p>",
        "a[^1]b\n\n[^1]: hm",
        &[],
        &[],
    );
}

#[test]
fn pages_are_where_they_were_broken() {
    check(
        "<office:text text:use-soft-page-breaks='true'><text:p>one</text:p><text:p text:style-name='P2'>two</text:p>\
         <text:p>three <text:soft-page-break/>four</text:p></office:text>",
        "one\n\ntwo\n\nthree four",
        &[],
        &[0, 5, 16],
    );
    check("<office:text text:use-soft-page-breaks='true'><text:p>one</text:p></office:text>", "one", &[], &[0]);
}

#[test]
fn slides_are_pages() {
    check(
        "<office:presentation><draw:page><draw:frame presentation:class='title'><text:p>First</text:p></draw:frame>\
         <draw:frame presentation:class='outline'><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>\
         </draw:frame><presentation:notes><draw:frame presentation:class='page-number'><text:p>7</text:p></draw:frame>\
         <draw:frame presentation:class='notes'><text:p>Say this.</text:p></draw:frame></presentation:notes></draw:page>\
         <draw:page><draw:frame><text:p text:style-name='P2'>box</text:p></draw:frame></draw:page></office:presentation>",
        "First\n\n- one\n\nSay this.\n\nbox",
        &[(0, 1, "First")],
        &[0, 25],
    );
}

#[test]
fn properties_are_read_and_what_is_broken_is_told() {
    let parsed = parse(&package("<text:p>Words.</text:p>"), "ODT").expect("readable");
    assert_eq!(parsed.title.as_deref(), Some("The plan"));
    assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
    let untitled =
        |words: &[u8]| archive(&[("styles.xml", STYLES.as_bytes()), ("meta.xml", b"<m>"), ("content.xml", words)]);
    let parsed = parse(&untitled(b"<t><p style-name='P1'> </p><p style-name='P1'>A<line-break/>B</p></t>"), "ODT");
    let parsed = parsed.expect("readable");
    assert_eq!((parsed.text.as_str(), parsed.title.as_deref()), ("A\nB", Some("A B")));
    assert!(parsed.lost.is_some_and(|lost| lost.starts_with("its properties (broken ODT: ")));
    let parsed =
        parse(&archive(&[("styles.xml", b"<s>"), ("content.xml", b"<t><p>A</p></t>")]), "ODT").expect("readable");
    assert!(parsed.lost.is_some_and(|lost| lost.starts_with("its styles (broken ODT: ")));
    let check = |bytes: &[u8], reason: &str| {
        let told = parse(bytes, "ODT").expect_err("broken").to_string();
        assert!(told.contains(reason), "{told}");
    };
    check(&archive(&[("styles.xml", b"<a/>")]), "its part `content.xml` is missing");
    check(&package("<text:p>"), "broken ODT: ");
    check(&package(""), "no text in it");
    let manifest: &[u8] = b"<m:manifest><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    check(&archive(&[("META-INF/manifest.xml", manifest)]), "encrypted");
}
