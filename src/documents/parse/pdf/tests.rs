//! PDFs built here byte by byte, intact and damaged, and files made by other programs.

use std::path::Path;

use proptest::prelude::*;

use super::information::usable_title;
use super::*;

/// A small PDF with one content stream per page, Helvetica as `/F1`, and `information` as the entries of its
/// information dictionary.
fn pdf(contents: &[&str], information: &str) -> Vec<u8> {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned();
    let kids: Vec<String> = (0..contents.len()).map(|page| format!("{} 0 R", 5 + 2 * page)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{}]/Count {}/Resources<</Font<</F1 3 0 R>>>>>>", kids.join(" "), kids.len()),
        font,
        format!("<<{information}>>"),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R>>", 6 + 2 * page));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    assemble(&objects)
}

fn assemble(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let table = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for offset in offsets {
        file.push_str(&format!("{offset:010} 00000 n \n"));
    }
    let size = objects.len() + 1;
    file.push_str(&format!("trailer\n<</Size {size}/Root 1 0 R/Info 4 0 R>>\nstartxref\n{table}\n%%EOF\n"));
    file.into_bytes()
}

/// Lines at 12 points, 14 apart, from `top` downwards.
fn lines(top: i32, lines: &[&str]) -> String {
    let shown: Vec<String> = lines.iter().map(|line| format!("({line}) Tj T*")).collect();
    format!("BT /F1 12 Tf 14 TL 72 {top} Td {} ET", shown.join(" "))
}

fn check(contents: &[&str], expected: &str) -> Parsed {
    let parsed = parse(&pdf(contents, "")).unwrap();
    assert_eq!(parsed.text, expected);
    assert_eq!(parsed.pages.len(), contents.len());
    parsed
}

/// Two pages with these contents, the first with remarks.
fn remarked(remarks: &str, contents: [&str; 2]) -> Parsed {
    remarked_on_both([remarks, ""], contents)
}

/// Two pages with these contents, both with remarks.
fn remarked_on_both(remarks: [&str; 2], contents: [&str; 2]) -> Parsed {
    let stream = |content: &str| format!("<</Length {}>>\nstream\n{content}\nendstream", content.len());
    let file = assemble(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[5 0 R 7 0 R]/Count 2/Resources<</Font<</F1 3 0 R>>>>>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        "<<>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots[{}]>>", remarks[0]),
        stream(contents[0]),
        format!("<</Type/Page/Parent 2 0 R/Contents 9 0 R/Annots[{}]>>", remarks[1]),
        "<</Subtype/Highlight/Contents(Yes.)>>".to_owned(),
        stream(contents[1]),
        "<</Subtype/Text/Contents(Yes.)>>".to_owned(),
    ]);
    parse(&file).unwrap()
}

const REMARK: &str = "<</Subtype/Text/T(Ann Roe)/Contents(Is it so?)>>";

#[test]
fn remarks_stand_below_the_words_of_their_page() {
    let parsed = remarked(
        &format!("{REMARK} <</Subtype/Link/Contents(no)>> 8 0 R 8 0 R"),
        [&lines(700, &["One line of text."]), &lines(500, &["Another page has this."])],
    );
    let text = "One line of text.\n\n[^1]: Ann Roe: Is it so?\n\n[^2]: Yes.\n\nAnother page has this.";
    assert_eq!((parsed.text.as_str(), parsed.pages), (text, vec![0, text.len() - 22]));
}

#[test]
fn a_remark_on_each_of_two_pages_stands_on_both() {
    let text = |remarks: [&str; 2]| {
        remarked_on_both(remarks, [&lines(700, &["One line of text."]), &lines(500, &["Another page has this."])]).text
    };
    let both = "One line of text.\n\n[^1]: Yes.\n\nAnother page has this.\n\n[^2]: Yes.";
    assert_eq!(
        text(["8 0 R 10 0 R", "10 0 R"]),
        both.replace("\n\n[^2]: Yes.", ""),
        "what was read before is not read again"
    );
    assert_eq!(text(["8 0 R", "10 0 R"]), both);
    assert_eq!(text(["8 0 R", "8 0 R"]), both.replace("\n\n[^2]: Yes.", ""));
}

#[test]
fn remarks_stand_behind_a_paragraph_that_goes_on_overleaf() {
    let parsed = remarked(
        REMARK,
        [&lines(700, &["The old pump house beside the river became"]), &lines(700, &["a school in the end."])],
    );
    let text = "The old pump house beside the river became a school in the end.\n\n[^1]: Ann Roe: Is it so?";
    assert_eq!(parsed.text, text);
}

#[test]
fn hidden_remarks_and_copies_of_what_they_mark_are_left_out() {
    let parsed = remarked(
        "<</Subtype/Text/F 2/Contents(hidden)>> <</Subtype/Highlight/T(Ann Roe)/Contents(line of text)>> \
         <</Subtype/Highlight/F 4/Contents(text)>>",
        [&lines(700, &["One line of text."]), &lines(500, &["Another page has this."])],
    );
    assert_eq!(parsed.text, "One line of text.\n\n[^1]: text\n\nAnother page has this.");
}

#[test]
fn bold_lines_above_paragraphs_are_headings() {
    let font = |name: &str| format!("<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>");
    let paragraph =
        "(The harbour was built in the nineteenth century by many hands,) Tj T* (and it was too small.) Tj T*";
    let content = format!(
        "BT 14 TL 72 700 Td /F2 12 Tf (1.2 The harbour) Tj 0 -20 Td /F1 12 Tf {paragraph} 0 -20 Td /F2 12 Tf (Note:) Tj \
         /F1 12 Tf ( it is old.) Tj 0 -20 Td {paragraph} 0 -20 Td {paragraph} /F2 12 Tf 0 -20 Td (Total) Tj ET"
    );
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[6 0 R]/Count 1/Resources<</Font<</F1 3 0 R/F2 5 0 R>>>>>>".to_owned(),
        font("Times-Roman"),
        "<<>>".to_owned(),
        font("ABCDEF+Times-Bold"),
        "<</Type/Page/Parent 2 0 R/Contents 7 0 R>>".to_owned(),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
    ];
    let headings: Vec<String> = parse(&assemble(&objects)).unwrap().headings.into_iter().map(|one| one.text).collect();
    assert_eq!(headings, ["1.2 The harbour"]);
}

fn reason(bytes: &[u8]) -> String {
    parse(bytes).unwrap_err().to_string()
}

#[test]
fn a_paper_says_who_wrote_it() {
    let page = lines(700, &["A tale of engines", "arXiv:1706.03762v5 [cs.CL] 6 Dec 2017", "It began in the winter."]);
    let said = parse(&pdf(&[&page], "/Author (Ada Lovelace and Charles Babbage)/Subject (doi:10.1000/182)"));
    let said = said.unwrap().authorship;
    assert_eq!(said.authors, ["Ada Lovelace", "Charles Babbage"]);
    assert_eq!((said.doi.as_deref(), said.arxiv.as_deref()), (Some("10.1000/182"), Some("1706.03762")));
}

#[test]
fn a_paper_without_metadata_says_it_below_its_title() {
    let title = "BT /F1 20 Tf 72 740 Td (A tale of engines) Tj ET".to_owned();
    let author = "BT /F1 12 Tf 72 710 Td (Ada Lovelace) Tj ET".to_owned();
    let page = format!(
        "{title} {author} {}",
        lines(680, &["Abstract. It began in the winter", "and went on until the spring", "of the year."])
    );
    assert_eq!(parse(&pdf(&[&page], "")).unwrap().authorship.authors, ["Ada Lovelace"]);
}

#[test]
fn the_values_of_fields_are_read() {
    let check = |form: &str, field: &str, expected: &str| {
        let page = lines(700, &["Name of the ship:"]);
        let place = if field.contains("/Rect") { "" } else { "/Rect[72 600 300 620]" };
        let objects = [
            format!("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[8 0 R]{form}>>>>"),
            "<</Type/Pages/Kids[5 0 R]/Count 1/Resources<</Font<</F1 3 0 R>>>>>>".to_owned(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
            "<<>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots[7 0 R]>>".to_owned(),
            format!("<</Length {}>>\nstream\n{page}\nendstream", page.len()),
            format!("<</Subtype/Widget/Parent 8 0 R{place}{field}>>"),
            "<</FT/Tx/T(ship)/V(Flying Dutchman)/Kids[7 0 R]>>".to_owned(),
            "<</Subtype/Form/BBox[0 0 228 20]/Length 34>>\nstream\nBT /F1 12 Tf 2 5 Td (as drawn) Tj ET\nendstream"
                .to_owned(),
        ];
        assert_eq!(parse(&assemble(&objects)).unwrap().text, format!("Name of the ship:{expected}"), "{form} {field}");
    };
    check("", "", "\n\nFlying Dutchman");
    check("", "/AP<</N 9 0 R>>", "\n\nas drawn");
    check("/NeedAppearances true", "/AP<</N 9 0 R>>", "\n\nFlying Dutchman");
    check("", "/Rect[2072 600 2300 620]", "");
    // The value of a password field is not read.
    check("", "/Ff 8192", "");
}

#[test]
fn paragraphs_are_whole_and_pages_are_marked() {
    let first = lines(700, &["The audience of the show fell in every sea-", "son after the first  one."]);
    let second = lines(700, &["Then it rose."]);
    let parsed = check(
        &[&first, &second],
        "The audience of the show fell in every season after the first one.\n\nThen it rose.",
    );
    assert_eq!(parsed.pages, [0, 68]);
}

#[test]
fn larger_type_is_a_heading_and_the_title_where_none_is_given() {
    let page =
        format!("BT /F1 20 Tf 72 740 Td (Ratings) Tj ET {}", lines(700, &["A line of text that is long enough."]));
    let parsed = check(&[&page], "Ratings\n\nA line of text that is long enough.");
    assert_eq!(parsed.headings, [Heading { start: 0, level: 1, text: "Ratings".to_owned() }]);
    assert_eq!(parsed.title.as_deref(), Some("Ratings"));
}

#[test]
fn an_empty_page_keeps_its_number() {
    let (one, three) = (lines(700, &["One."]), lines(700, &["Three."]));
    assert_eq!(check(&[&one, "", &three], "One.\n\nThree.").pages, [0, 4, 6]);
    assert_eq!(check(&["", &one], "One.").pages, [0, 0]);
}

#[test]
fn a_bad_page_does_not_take_the_others_along() {
    let (one, three) = (lines(700, &["One."]), lines(700, &["Three."]));
    // Without its font these bytes cannot be decoded. Other text on the page stays, and plain letters are read.
    let lost = "BT /Missing 12 Tf (\\377\\001) Tj ET";
    let bad = format!("{lost} {}", lines(700, &["Kept."]));
    let parsed = check(&[&one, &bad, &three], "One.\n\nKept.\n\nThree.");
    let said = parsed.lost.unwrap();
    assert_eq!(said, "page 2, not to the end; the rest is stored (page 2: a font of it is missing or broken)");
    check(&["BT /Missing 12 Tf 72 700 Td (plain) Tj ET"], "plain");
    let message = reason(&pdf(&[lost], ""));
    assert_eq!(message, "broken PDF: no page can be read; page 1: a font of it is missing or broken");
}

#[test]
fn title_and_date_come_from_the_information() {
    let page = lines(700, &["Text."]);
    let parsed = parse(&pdf(&[&page], "/Title <FEFF6F225B57>/CreationDate (D:20190405120000Z)")).unwrap();
    assert_eq!(parsed.title.as_deref(), Some("\u{6f22}\u{5b57}"));
    assert_eq!(
        parsed.date,
        Some(DocumentDate { date: jiff::civil::date(2019, 4, 5), origin: crate::domain::DateOrigin::Metadata })
    );
    let parsed = parse(&pdf(&[&page], "/Title (untitled)/CreationDate (yesterday)/ModDate (D:2020)")).unwrap();
    assert_eq!(parsed.title, None);
    assert_eq!(parsed.date.map(|known| known.date), Some(jiff::civil::date(2020, 1, 1)));
}

#[test]
fn a_file_name_is_no_title() {
    let check = |title: &str, expected: bool| assert_eq!(usable_title(title).is_some(), expected, "{title}");
    check("paper.dvi", false);
    check("data/abortions", false);
    check("Microsoft Word - Bericht 2.DOC", false);
    check("A study of AC/DC", true);
    check("Node.js in action", true);
}

#[test]
fn marks_without_letters_are_no_text() {
    assert!(is_unreadable_text("\u{e012}\u{e013} \u{fffd}\u{1}ab"));
    assert!(!is_unreadable_text("Words with one \u{fffd} and a bullet \u{f0b7}."));
    assert!(!is_unreadable_text(""));
}

#[test]
fn pages_without_text_need_recognition() {
    assert_eq!(reason(&pdf(&["0 0 100 100 re f"], "")), "no text in it (its pages are empty)");
    let image = "q 100 0 0 100 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let scan = pdf(&[image, image], "/Title (Old letters)");
    assert_eq!(reason(&scan), "no text in it (its pages are images: it needs OCR, see `load.ocr` in the settings)");
    match parse(&scan) {
        Err(ParseError::Scanned(known)) => {
            assert_eq!(
                (known.title.as_deref(), &known.pages[..], &known.pictures[..]),
                (Some("Old letters"), &[0, 0][..], &[0, 1][..])
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn single_pages_that_are_pictures_are_told() {
    let image = "q 100 0 0 100 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let words = lines(700, &["Words of the page."]);
    let (both, stamped) = (format!("{image} {words}"), format!("{image} {}", lines(20, &["p. 4"])));
    let parsed = parse(&pdf(&[&words, image, &both, &stamped, ""], "")).unwrap();
    assert_eq!(parsed.pictures, [1, 3]);
    assert_eq!(parsed.text, "Words of the page.\n\nWords of the page.\n\np. 4");
}

#[test]
fn images_are_not_read_as_content_and_forms_do_not_draw_themselves() {
    let stream =
        |entries: &str, content: &str| format!("<<{entries}/Length {}>>\nstream\n{content}\nendstream", content.len());
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[5 0 R]/Count 1>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<<>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 6 0 R/Resources<</Font<</F1 3 0 R>>/XObject<</I 7 0 R/X 8 0 R/N 9 0 R>>>>>>"
            .to_owned(),
        stream("", "/I Do /X Do /N Do BT /F1 12 Tf 72 700 Td (Seen at last) Tj ET"),
        stream("/Subtype/Image", "(noise) Tj"),
        stream("/Subtype/Form/Resources<</XObject<</X 8 0 R>>>>", "/X Do"),
        stream("/Subtype/Form/Resources<</Font<</F1 3 0 R>>>>", "BT /F1 12 Tf 72 740 Td (In a form.) Tj ET"),
    ];
    assert_eq!(parse(&assemble(&objects)).unwrap().text, "In a form.\n\nSeen at last");
}

/// A page with `resources` that shows `content`; `more` are the objects from the seventh on, its annotations first.
fn page_of(resources: &str, content: &str, more: &[&str]) -> Vec<u8> {
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[5 0 R]/Count 1>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<<>>".to_owned(),
        format!("<</Type/Page/Parent 2 0 R/Contents 6 0 R/Annots 7 0 R/Resources<<{resources}>>>>"),
        format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()),
    ];
    objects.extend(more.iter().map(|&object| object.to_owned()));
    assemble(&objects)
}

#[test]
fn what_lies_beyond_the_crop_box_is_not_on_the_page() {
    let words = "BT /F1 12 Tf 72 700 Td (The tide.) Tj 0 80 Td (tides.doc) Tj ET";
    let file = String::from_utf8(page_of("/Font<</F1 3 0 R>>", words, &["[]"])).unwrap();
    let cropped = file.replace("/Annots 7 0 R", "/CropBox[0 0 595 750]/MediaBox[0 0 595 842]");
    assert_eq!(parse(cropped.as_bytes()).unwrap().text, "The tide.");
}

#[test]
fn shadows_and_marks_that_nobody_sees_are_no_words() {
    let shadow = "BT /F1 20 Tf 73 699 Td (Tides) Tj ET BT /F1 20 Tf 72 700 Td (Tides) Tj ET";
    check(&[shadow], "Tides");
    check(&["BT /F1 20 Tf 72 700 Td (-) Tj -1 -1 Td (- Tides) Tj 13 1 Td (Tides) Tj ET"], "- Tides");
    let bold = "BT /F1 12 Tf 72 700 Td (T) Tj .4 0 Td (T) Tj 7.3 0 Td (o) Tj .4 0 Td (o) Tj ET";
    check(&[bold], "To");
    check(&["BT /F1 12 Tf 72 700 Td (x) Tj /F1 1 Tf (B) Tj /F1 8 Tf -2 Ts (0) Tj ET"], "x0");
    // At another place the same words are not a copy.
    check(&["BT /F1 12 Tf 72 700 Td (Tides) Tj 0 -14 Td (Tides) Tj ET"], "Tides Tides");
}

#[test]
fn fonts_without_a_table_for_readers_are_read() {
    let check = |font: &str, shown: &str, expected: &str| {
        let content = format!("BT /F1 12 Tf 72 700 Td {shown} Tj ET");
        let parsed = parse(&page_of("/Font<</F1 8 0 R>>", &content, &["[]", font])).unwrap();
        assert_eq!((parsed.text.as_str(), parsed.lost), (expected, None), "{font}");
    };
    let japanese = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 6>>";
    let inner = format!("/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light{japanese}>>]");
    for (encoding, codes) in [("UniJIS-UCS2-H", "<65e5672c>"), ("90ms-RKSJ-H", "<93fa967b>"), ("EUC-H", "<c6fccbdc>")] {
        check(
            &format!("<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/{encoding}{inner}>>"),
            codes,
            "\u{65e5}\u{672c}",
        );
    }
    check(
        &format!("<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/Identity-H{inner}>>"),
        "<034b034d>",
        "\u{3042}\u{3044}",
    );
    let named = "/Encoding<</Differences[1/Adieresis/f_f_i/uni20AC/a.sc/a246]>>";
    check(&format!("<</Type/Font/Subtype/Type1/BaseFont/Helvetica{named}>>"), "<01020304>", "\u{c4}ffi\u{20ac}a");
    let drawn = "/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 1/LastChar 5/Widths[1 1 1 1 1]/CharProcs<<>>";
    check(&format!("<</Type/Font/Subtype/Type3{drawn}{named}>>"), "<0105>", "\u{c4}\u{f6}");
}

#[test]
fn a_code_that_draws_nothing_leaves_a_gap() {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[1/.notdef]>>\
                /FirstChar 1/LastChar 1/Widths[300]>>";
    let content = "BT /F1 12 Tf 72 700 Td (by) Tj /F2 12 Tf <01> Tj /F1 12 Tf (sea) Tj ET";
    let parsed = parse(&page_of("/Font<</F1 3 0 R/F2 8 0 R>>", content, &["[]", font])).unwrap();
    assert_eq!(parsed.text, "by sea");
}

#[test]
fn letters_drawn_upside_down_stand_on_the_lines_of_others() {
    let drawn = "/FontBBox[0 0 1 1]/FontMatrix[1 0 0 -1 0 0]/FirstChar 1/LastChar 2/Widths[.5 .5]/CharProcs<<>>";
    let font = format!("<</Type/Font/Subtype/Type3{drawn}/Encoding<</Differences[1/m/f]>>>>");
    let line = |y: i32| format!("/F2 12 Tf 1 0 0 -1 72 {y} Tm <01> Tj /F1 12 Tf 1 0 0 1 82 {y} Tm (un) Tj");
    let content = format!("BT {} {} ET", line(700), line(686));
    let parsed = parse(&page_of("/Font<</F1 3 0 R/F2 8 0 R>>", &content, &["[]", &font])).unwrap();
    assert_eq!(parsed.text, "m un m un");
}

#[test]
fn text_that_stands_for_glyphs_and_fields_of_forms_are_read() {
    let content = "BT /F1 12 Tf 72 700 Td /P BMC /Span<</ActualText(fine)>>BDC /Span<</ActualText(no)>>BDC (xy) Tj EMC \
                   (zw) Tj EMC EMC /P BMC ( print) Tj EMC ET";
    let field = "<</Subtype/Widget/Rect[72 600 172 620]/AP<</N 9 0 R>>>>";
    let hidden = "<</Subtype/Widget/F 2/Rect[72 500 172 520]/AP<</N 9 0 R>>>>";
    let drawn = "BT /F1 12 Tf 2 4 Td (Ada Lovelace) Tj ET";
    let form = format!(
        "<</Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F1 3 0 R>>>>/Length {}>>\nstream\n{drawn}\nendstream",
        drawn.len()
    );
    let file = page_of("/Font<</F1 3 0 R>>", content, &["[8 0 R 10 0 R]", field, &form, hidden]);
    assert_eq!(parse(&file).unwrap().text, "fine print\n\nAda Lovelace");
}

#[test]
fn parts_that_call_each_other_for_ever_and_pages_in_a_circle_come_to_an_end() {
    let calls = "/X Do ".repeat(10);
    let forms: Vec<String> = (8..28)
        .map(|at| {
            let next = format!("/Resources<</XObject<</X {} 0 R>>>>", at + 1);
            format!("<</Subtype/Form{next}/Length {}>>\nstream\n{calls}\nendstream", calls.len())
        })
        .collect();
    let mut more = vec!["[]"];
    more.extend(forms.iter().map(String::as_str));
    more.push("<</Subtype/Form/Length 0>>\nstream\n\nendstream");
    let content = format!("{} /X Do", lines(700, &["Kept."]));
    let parsed = parse(&page_of("/Font<</F1 3 0 R>>/XObject<</X 8 0 R>>", &content, &more)).unwrap();
    assert_eq!(parsed.text, "Kept.");
    assert!(parsed.lost.unwrap().contains("draws its parts too often"));
    let circle =
        ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 9>>", "<</Type/Pages/Kids[2 0 R]>>"];
    let message = reason(&assemble(&circle.map(str::to_owned)));
    assert!(message.starts_with("broken PDF: "), "{message}");
}

#[test]
fn pages_that_cannot_be_found_are_counted() {
    let file = String::from_utf8(pdf(&[&lines(700, &["One."])], "")).unwrap();
    let parsed = parse(file.replace("/Count 1", "/Count 4").as_bytes()).unwrap();
    assert_eq!(parsed.lost.as_deref(), Some("3 of its 4 pages, which cannot be found"));
}

#[test]
fn encrypted_and_cut_short_and_foreign_files_are_told_apart() {
    let page = lines(700, &["A secret."]);
    let bytes = pdf(&[&page], "");
    for (name, readable) in [("open", true), ("closed", false)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pdf/encrypted-{name}.pdf"));
        match parse(&std::fs::read(path).unwrap()) {
            Ok(parsed) => assert!(readable && parsed.text == "A secret.", "{name}"),
            Err(error) => assert!(!readable && matches!(error, ParseError::Encrypted), "{name}: {error}"),
        }
    }
    let message = reason(&bytes[..bytes.len() / 2]);
    assert!(message.starts_with("broken PDF: ") && message.contains("cut short"), "{message}");
    let cut = parse(&bytes[..bytes.len() - 60]).unwrap();
    assert_eq!(cut.text, "A secret.");
    assert!(cut.lost.unwrap().contains("cut short"));
    let message = reason(b"no PDF at all, but it ends in %%EOF");
    assert!(message.starts_with("broken PDF: ") && !message.contains("cut short"), "{message}");
}

#[test]
fn a_real_report_reads_well() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/simpsons/audience/02-ratings-1990-2024.pdf");
    let parsed = parse(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(parsed.title.as_deref(), Some("Thirty-five years of Sunday nights: the audience of The Simpsons"));
    assert_eq!(parsed.pages.len(), 2);
    let headings: Vec<&str> = parsed.headings.iter().map(|heading| heading.text.as_str()).collect();
    let parts = ["A slow fall", "Who watches", "Peaks after the fall", "What the figures mean"];
    assert_eq!(headings, [&["Thirty-five years of Sunday nights"][..], &parts[..]].concat());
    let whole = [
        "Season | Years | Average viewers\n2 | 1990 to 1991 | more than 20 million\n12 | 2000 to 2001 | 14.7 million\n",
        "\n\nIn 1990 the typical viewer was a child or a teenager. More than half of the audience of the second season \
         was under eighteen. By 2005 the median age had passed thirty, and by 2020 it stood in the middle of the forties: ",
    ];
    for part in whole {
        assert!(parsed.text.contains(part), "{part:?} in {}", parsed.text);
    }
}

#[test]
fn an_article_in_two_columns_reads_in_order() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pdf/columns.pdf");
    let parsed = parse(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(parsed.title.as_deref(), Some("Tides of the Northern Harbour"));
    assert_eq!(parsed.date.map(|known| known.date), Some(jiff::civil::date(2023, 4, 5)));
    let headings: Vec<&str> =
        parsed.headings.iter().filter(|heading| heading.level == 2).map(|heading| heading.text.as_str()).collect();
    let parts = ["1 Introduction", "2 Measurements", "3 Conclusions", "4 Outlook", "5 Acknowledgements"];
    assert_eq!(headings, [&["Abstract"][..], &parts[..]].concat());
    // In reading order: words hyphenated at the end of a line are joined, a true hyphen stays, and neither the table
    // nor the note nor the page break interrupts a sentence.
    let whole = [
        "the harbourmaster\u{2019}s measurements of four decades say about extraordinarily high floods.",
        "surrounding environment exceptionally well. They recognised that the regularity of the tides",
        "well-known electronic transducers whose characteristics were documented extensively.\n\n2.1 Instruments\n\nTable 1 summarises",
        "Station | Mean | Highest\nNorth pier | 1.25 | 3.80\nSouth pier | 1.31 | 4.02\nLighthouse | 0.98 | 2.75\n\nTable 1: Water",
        "Interpretation of these differences requires consideration of meteorological circumstances.",
        "the periodical re-examination of evacuation arrangements.",
        "were acknowledged unanimously, notwithstanding considerable reservations about the availability of sufficient appropriations.",
        "The harbourmaster generously provided accommodation, transportation",
    ];
    let mut from = 0;
    for part in whole {
        let found = parsed.text[from..].find(part);
        assert!(found.is_some(), "{part:?} behind {from} in {}", parsed.text);
        from += found.unwrap();
    }
    assert_eq!(parsed.text.matches("Harbour Board").count(), 1, "{}", parsed.text);
    assert_eq!(parsed.pages.len(), 2);
    assert!(parsed.text[parsed.pages[1]..].starts_with("reservations about"), "{}", &parsed.text[parsed.pages[1]..]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damage_never_panics(at in 0_usize..900, byte in any::<u8>(), cut in 0_usize..900) {
        let page = lines(700, &["One line of it,", "and another."]);
        let mut bytes = pdf(&[&page, &page], "/Title (T)");
        let at = at % bytes.len();
        bytes[at] = byte;
        if cut % 3 == 0 {
            bytes.truncate(cut);
        }
        if let Ok(parsed) = parse(&bytes) {
            prop_assert!(parsed.pages.iter().all(|&start| parsed.text.is_char_boundary(start)));
            prop_assert!(parsed.pages.is_sorted() && parsed.pages.first() == Some(&0));
        }
    }
}
