//! The content of PDFs, read by this program's own parser.

use std::path::Path;

use hayro_syntax::object::{Array, Dict, String as Bytes};

use super::*;
use crate::documents::parse::parse;
use crate::form::parse_report;

const REPORT: &str = "# How the show changed\n\nIt began in 1989 [1]. *It goes on* to this day [1][2]. A third of them left.\n\n\
    ## Drawing Springfield\n\nThe colours #were $painted$ by \\*hand\\* and \\_not\\_ by `#machines` [2].\n\n- One\n  1. nested\n\n\
    ## Where the sources disagree\n\n- **527** against **536**:\n  - *A*: it made 527 [1].\n  - *B*: it made 536 [2].\n\n\
    ## Money\n\n| Season | Viewers |\n|---|---|\n| Ninth | thirty [1] |\n\n> Quoted words.\n\n```\n#let x = read(\"/etc/passwd\")\n```\n\n\
    ## Sources\n\n1. **From shorts**, `docs/a.md`, p. 3, 2001-02-03: “It began in 1989. So it was.”\n\
    2. **Money**, <https://a.example/x>, 2003-02-03: “#panic(\"x\") \\$x\\$ ]; #include \"y\" @s1 // \\\\”\n";

/// The text of a PDF, and that of each page, with single spaces.
fn read(report: &FormedReport) -> (String, Vec<String>) {
    let bytes = pdf(report).unwrap();
    let (_, parsed) = parse(Path::new("report.pdf"), bytes).unwrap();
    let ends = parsed.pages.iter().copied().skip(1).chain([parsed.text.len()]);
    let pages = parsed.pages.iter().zip(ends).map(|(start, end)| single(&parsed.text[*start..end]));
    (single(&parsed.text), pages.collect())
}

fn single(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_the_report_says_stands_in_it_and_nothing_acts() {
    let (text, _) = read(&parse_report(REPORT).unwrap());
    for part in [
        "How the show changed",
        "It goes on to this day",
        "The colours #were $painted$ by *hand* and _not_ by #machines",
        "nested",
        "527 against 536:",
        "Season Viewers",
        "#let x = read(\"/etc/passwd\")",
        "From shorts, docs/a.md, p. 3, 2001-02-03",
        "“#panic(\"x\") $x$ ]; #include \"y\" @s1 // \\”",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    // The footnote has the words that its sentence rests on, and the list has all words of the quote.
    assert!(
        text.contains("From shorts, p. 3: “It began in 1989.”") && text.contains("“It began in 1989. So it was.”"),
        "{text}"
    );
}

#[test]
fn contents_name_the_pages_of_their_headings() {
    let chapters: String = (1..=20)
        .map(|number| {
            format!("## Chapter {number} of it\n\n{}\n\n", "It began in the year 1989 and went on [1]. ".repeat(45))
        })
        .collect();
    let report = format!("# T\n\n{chapters}## Sources\n\n1. **A**, `a.md`: “It began in 1989.”\n");
    let (_, pages) = read(&parse_report(&report).unwrap());
    assert!(pages.len() > 8, "{}", pages.len());
    let contents: Vec<&str> = pages[0].split("Chapter ").skip(1).collect();
    for number in [1, 2, 13, 20] {
        let entry = contents.iter().find(|entry| entry.starts_with(&format!("{number} of it"))).unwrap();
        let named = entry.split(|one: char| !one.is_ascii_digit()).filter(|digits| !digits.is_empty()).nth(1);
        let page: usize = named.and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("{entry}"));
        assert!(pages[page - 1].contains(&format!("Chapter {number} of it")), "{number} is not on page {page}");
    }
}

/// The addresses that a PDF links to, in order.
fn addresses(bytes: Vec<u8>) -> Vec<String> {
    let pdf = hayro_syntax::Pdf::new(bytes).expect("a PDF");
    let mut found = Vec::new();
    for page in pdf.pages().iter() {
        let Some(marks) = page.raw().get::<Array<'_>>("Annots") else { continue };
        for mark in marks.iter::<Dict<'_>>() {
            let address = mark.get::<Dict<'_>>("A").and_then(|action| action.get::<Bytes<'_>>("URI"));
            found.extend(address.map(|address| String::from_utf8_lossy(address.as_bytes()).into_owned()));
        }
    }
    found
}

#[test]
fn a_source_leads_to_its_page_its_words_and_its_file() {
    let paper: String = (1..=3)
        .map(|page| format!("{page}. **Paper**, `docs/a paper.pdf`, p. {page}: “Page {page} says it.”\n"))
        .collect();
    let others = "4. **Page**, <https://a.example/x>: “The web says it.”\n5. **Notes**, `docs/notes.md`: “Notes say it.”\n\
                  6. **Gone**, `gone.md`: “It said it.”\n";
    let body =
        "One says it [1]. Two says it [2]. Three says it [3]. The web says it [4]. Notes say it [5]. It said it [6].";
    let mut report = parse_report(&format!("# T\n\n{body}\n\n## Sources\n\n{paper}{others}")).unwrap();
    for one in report.evidence.iter_mut().filter(|one| one.path.starts_with("docs/")) {
        one.address = Some(crate::form::address_of_file(&one.path, one.page));
    }
    let expected = [
        "./docs/a%20paper.pdf#page=1",
        "./docs/a%20paper.pdf#page=2",
        "./docs/a%20paper.pdf#page=3",
        "https://a.example/x#:~:text=The%20web%20says%20it.",
        "./docs/notes.md",
    ];
    let mut found = addresses(pdf(&report).unwrap());
    found.sort();
    let mut twice: Vec<&str> = expected.iter().flat_map(|one| [*one, *one]).collect();
    twice.sort_unstable();
    assert_eq!(found, twice, "each once in its footnote, and once in the list");
}

#[test]
fn no_box_is_printed_in_silence() {
    let mut report = parse_report(REPORT).unwrap();
    // A private-use character, which no font should have.
    report.title = "Sign \u{f1234} of nothing".to_owned();
    assert!(read(&report).0.contains("Sign [U+F1234] of nothing"));
    // A letter of a script that hardly any font has.
    report.title = "Letter \u{1e5d0}".to_owned();
    match pdf(&report) {
        Err(FormError::Font { scripts }) => assert!(scripts.contains("a rare script"), "{scripts}"),
        // Some font has it after all.
        other => assert!(read(&report).0.contains('\u{1e5d0}'), "{other:?}"),
    }
}

#[test]
fn a_report_has_the_same_bytes_every_time() {
    let report = parse_report(REPORT).unwrap();
    assert_eq!(pdf(&report).unwrap(), pdf(&report).unwrap());
}
