//! What holds for every parser: no bytes make it panic, and offsets lie on character boundaries.

use std::path::Path;

use proptest::prelude::*;

use super::sound::{TARGETS, check_parsed};
use super::*;

/// Checks a format whose text is its source: the text is kept whole, its title, and its headings with start and level.
pub(super) fn check_source(parsed: &Parsed, text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
    assert_eq!((parsed.text.as_str(), parsed.title.as_deref()), (text, title));
    let found: Vec<_> = parsed.headings.iter().map(|h| (h.start, h.level, h.text.as_str())).collect();
    assert_eq!(found, headings, "{text}");
}

fn check(name: &str, bytes: &[u8], format: Format, title: Option<&str>) {
    let (found, parsed) = parse(Path::new(name), bytes.to_vec()).unwrap();
    assert_eq!((found, parsed.title.as_deref()), (format, title), "{name}");
    check_parsed(&parsed, bytes.len());
}

#[test]
fn each_format_reaches_its_parser() {
    check("a.md", b"# T\n\nwords", Format::Markdown, Some("T"));
    check("a.txt", b"T\n\nwords", Format::Text, Some("T"));
    // Header lines that people copied from a mail do not make the file a mail.
    check("a.eml", b"Von: Anna\nBetreff: Wasser\n\nHallo", Format::Text, Some("Wasser"));
    check("a.txt", b"<!doctype html><title>T</title>words", Format::Html, Some("T"));
    check("a.rs", b"fn f() {}", Format::Code, None);
    check("latin.txt", b"Caf\xe9 cr\xe8me, d\xe9j\xe0 vu\n", Format::Text, Some("Café crème, déjà vu"));
}

#[test]
fn nothing_and_junk_are_refused() {
    let check = |bytes: &[u8]| parse(Path::new("a.txt"), bytes.to_vec()).unwrap_err().to_string();
    assert_eq!(check(b""), "it is empty");
    assert_eq!(check(b" \r\n\t\xc2\xa0"), "it is empty");
    assert_eq!(check(b"\xef\xbb\xbf"), "it is empty");
    assert_eq!(check(b"a\0b"), "not a text document (binary data)");
    let xz = b"\xfd7zXZ\0\x04\xe6\xd6\xb4\x46\x02\0\x21";
    assert_eq!(check(xz), "not a text document but packed by xz, which is not read: pack it as zip or tar.gz");
    let zip = super::zip::testing::archive(&[("a.txt", b"words")]);
    assert_eq!(check(&zip), "not a text document but a zip archive: it is read where its name ends in .zip");
}

#[test]
fn labels_are_one_short_line() {
    let check = |text: &str, expected: Option<&str>| assert_eq!(label(text).as_deref(), expected);
    check(" a\n\t b ", Some("a b"));
    check("\n", None);
    check(&"語".repeat(5000), Some("語".repeat(LABEL_CHARS).as_str()));
}

#[test]
fn lines_know_their_offsets() {
    let check = |text: &str, expected: &[(usize, &str)]| assert_eq!(lines(text).collect::<Vec<_>>(), expected);
    check("a\r\n\nb", &[(0, "a"), (3, ""), (4, "b")]);
    check("", &[]);
}

/// Pieces of markup in any order break a parser more readily than random bytes do.
fn markup() -> impl Strategy<Value = String> {
    let pieces = [
        "# ",
        "## ",
        "\n",
        "\r\n",
        "---\n",
        "===\n",
        "```\n",
        "title: é\n",
        "> ",
        "- ",
        "+++\n",
        "    ",
        "日本",
        "WORDS",
        "<h1>",
        "</h1>",
        "<table>",
        "<tr>",
        "<td>",
        "<pre>",
        "</pre>",
        "<li>",
        "<ul>",
        "</ul>",
        "<main>",
        "<form>",
        "<br>",
        "<!--",
        "-->",
        "<script>",
        "</",
        "<img alt='ü'>",
        "&amp;",
        "fn f",
        "\u{a0}",
        "2022-10-03",
        "October 3, ",
        "年",
        "|",
        "* ",
        "== ",
        ":date: ",
        "#+title: ",
        "#+begin_src\n",
        "....\n",
        "\\section{",
        "\\begin{document}",
        "{\\rtf1 ",
        "\\par ",
        "}",
        "`",
        "[[",
        "]]",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

fn is_its_own_text(format: Format) -> bool {
    use Format::{Asciidoc, Code, Markdown, Org, Rst, Text};
    matches!(format, Markdown | Text | Code | Org | Rst | Asciidoc)
}

/// Files made by other programs, cut short or with bytes lost on a disk or a line.
#[test]
fn damaged_packages_end_in_a_reason_or_in_sound_offsets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/files");
    let mut tried = 0;
    for name in
        ["tea.docx", "tea.odt", "tea.epub", "tea.rtf", "slides.pptx", "slides-office.odp", "book.xlsx", "book.ods"]
    {
        let whole = std::fs::read(folder.join(name)).expect("the file");
        for step in 1..16 {
            let at = whole.len() * step / 16;
            let mut flipped = whole.clone();
            flipped[at..(at + 3).min(whole.len())].iter_mut().for_each(|byte| *byte ^= 0x55);
            for damaged in [whole[..at].to_vec(), flipped] {
                tried += 1;
                let length = damaged.len();
                match parse(Path::new(name), damaged) {
                    Ok((_, parsed)) => check_parsed(&parsed, length),
                    Err(error) => assert!(error.to_string().len() > 10, "{name}: {error}"),
                }
            }
        }
    }
    assert_eq!(tried, 8 * 15 * 2);
}

proptest! {
    #[test]
    fn any_bytes_give_sound_offsets(bytes in prop::collection::vec(any::<u8>(), 0..300), target in 0..TARGETS.len()) {
        let length = bytes.len();
        if let Ok((_, parsed)) = parse(Path::new(TARGETS[target].1), bytes) {
            check_parsed(&parsed, length);
        }
    }

    #[test]
    fn any_markup_gives_sound_offsets(text in markup(), target in 0..TARGETS.len()) {
        if let Ok((format, parsed)) = parse(Path::new(TARGETS[target].1), text.clone().into_bytes()) {
            check_parsed(&parsed, text.len());
            if is_its_own_text(format) {
                prop_assert_eq!(parsed.text, text);
            }
        }
    }

    #[test]
    fn any_text_survives_as_utf_16(text in "[a-zé日]{1,80}") {
        let bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let (_, parsed) = parse(Path::new("a.txt"), bytes).unwrap();
        prop_assert_eq!(parsed.text, text);
    }
}
