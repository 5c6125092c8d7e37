use proptest::prelude::*;

use super::*;

fn check(body: &str, text: &str, headings: &[(usize, u8, &str)]) {
    let parsed = parse(format!("{{\\rtf1\\ansi\\ansicpg1252 {body}}}").as_bytes()).expect("readable");
    assert_eq!(parsed.text, text);
    let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
    assert_eq!(found, headings, "{text}");
}

#[test]
fn paragraphs_and_headings() {
    check(
        "{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 heading 1;}{\\s7 Title;}{\\s8 toc 1;}}\
         \\pard\\s7 The plan\\par\\pard\\s8 One 3\\par\\pard\\s1{\\b One}\\par\\pard\\plain Words {\\i and}\nmore.\\par\
         \\pard\\outlinelevel1 Two\\par\\pard End",
        "The plan\n\nOne\n\nWords andmore.\n\nTwo\n\nEnd",
        &[(10, 1, "One"), (31, 2, "Two")],
    );
}

#[test]
fn characters_of_every_kind() {
    check("Caf\\'e9 \\u26085?\\u26412 ?\\u-10179?\\u-8704? \\emdash\\~\\{x\\}", "Café 日本😀 — {x}", &[]);
    check("{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset128 B;}}{\\f1\\'93\\'fa\\'96\\'7b}", "日本", &[]);
    check("{\\uc2\\u233\\'c3\\'a9}a{\\upr{x}{\\*\\ud{y}z}}", "éayz", &[]);
}

#[test]
fn lists_tables_and_breaks() {
    check(
        "\\pard{\\listtext 1.\\tab}\\ls1 one\\par\\pard\\ls1\\ilvl1 deep\\par{\\pard\\li360\\bullet\\tab two\\par}\\pard x\\line y\\par\
         \\trowd\\pard\\intbl a\\cell b\\cell\\row\\pard\\intbl 1\\cell 2\\cell\\row\\pard after",
        "- one\n  - deep\n- two\n\nx\ny\n\na | b\n1 | 2\n\nafter",
        &[],
    );
}

#[test]
fn notes_fields_and_what_is_not_shown() {
    check(
        "Claim{\\super\\chftn}{\\*\\footnote\\chftn\\~A note.} made.\\par{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt link}}\
         {\\v hidden}{\\*\\unknown junk}{\\header head}{\\pict 0a0b}{\\bin4 }}}}}",
        "Claim[^1] made.\n\n[^1]: A note.\n\nlink",
        &[],
    );
}

#[test]
fn title_day_and_pages() {
    let of = |body: &str| parse(format!("{{\\rtf1{body}}}").as_bytes()).expect("readable");
    let parsed =
        of("{\\info{\\title The plan}{\\creatim\\yr2022\\mo10\\dy3}{\\revtim\\yr2023\\mo1\\dy1}\\nofpages2} a\\page b");
    assert_eq!((parsed.title.as_deref(), parsed.pages.as_slice()), (Some("The plan"), &[0, 2][..]));
    assert_eq!(parsed.date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
    assert_eq!(of("{\\info\\nofpages3} a\\page b").pages, [0_usize; 0]);
    let styled = of("{\\stylesheet{\\s7 Title;}}\\pard\\s7 A\\line B\\par C\\par\\pard D");
    assert_eq!(styled.title.as_deref(), Some("A B C"));
}

#[test]
fn what_is_broken_is_told() {
    let check = |text: &str, reason: &str| {
        let told = parse(text.as_bytes()).expect_err("broken").to_string();
        assert!(told.contains(reason), "{told}");
    };
    check("words", "broken RTF: it does not begin");
    check("{\\rtf1 words", "the file is cut short");
    check("{\\rtf1}", "no text in it");
}

proptest! {
    #[test]
    fn any_words_give_sound_offsets(pieces in prop::collection::vec(prop::sample::select(vec![
        "{", "}", "\\par ", "\\cell ", "\\row ", "\\intbl ", "\\pard ", "\\u-10179?", "\\'83", "\\*", "{\\footnote ", "é",
        "\\outlinelevel0 ", "\\ls1 ", "\\ilvl9 ", "\\page ", "\\bin9 ", "words", "{\\stylesheet", "\\s1 ", "{\\listtext", "\\line ",
    ]), 0..40)) {
        if let Ok(parsed) = parse(format!("{{\\rtf1{}}}", pieces.concat()).as_bytes()) {
            prop_assert!(parsed.headings.iter().all(|it| it.start < parsed.text.len() && parsed.text.is_char_boundary(it.start)));
            prop_assert!(parsed.pages.iter().all(|&at| parsed.text.is_char_boundary(at)));
        }
    }
}
