//! Pages of hostile, large and foreign reports.

use std::collections::BTreeSet;

use scraper::{Html, Node};

use crate::form::{Form, FormedReport, ResearchRound, ResearchSearch, altered, html, parse_report, written};

/// Texts that try to act, in the ways that pages allow.
const ATTACKS: [&str; 12] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "<!--<script>",
    "]]><iframe src=//evil.example>",
    "[a](javascript:alert(1)) <javascript:alert(1)>",
    "![p](https://evil.example/p.png)",
    "<style>@import '//evil.example'</style><link rel=stylesheet href=//evil.example>",
    "\u{1b}[31m\u{202e}\u{2066}\u{0}\u{fffe}",
    "</mark></blockquote></main><base href=//evil.example><meta http-equiv=refresh content=0>",
];

/// A report with hostile documents, paths, addresses and text.
fn hostile() -> FormedReport {
    let body: String = ATTACKS.iter().map(|attack| format!("{attack} says 1989 [1][2].\n\n")).collect();
    let markdown = format!(
        "# {0}\n\n{body}\n\n```\n{0}\n```\n\n| {0} | b |\n|---|---|\n| x | {1} |\n\n## Sources\n\n\
         1. **T**, `a`: “q”\n2. **T**, <https://a.example/>: “q”\n",
        ATTACKS[0], ATTACKS[2]
    );
    let mut report = parse_report(&markdown).unwrap();
    for one in &mut report.evidence {
        for field in [&mut one.title, &mut one.headings, &mut one.before, &mut one.quote, &mut one.after] {
            *field = ATTACKS.concat();
        }
    }
    report.evidence[0].path = ATTACKS.concat();
    report.evidence[0].address = Some(crate::form::address_of_file("javascript:alert(1)", None));
    report.evidence[1].address =
        crate::form::address::web_page_url("https://a.example/\"><script>alert(1)</script>", None, ATTACKS[3]);
    report.evidence[1].date = Some("2001-02-03".to_owned());
    report.evidence[0].date = Some("2002-02-03".to_owned());
    report.question = ATTACKS.concat();
    report.research.rounds = vec![ResearchRound {
        name: ATTACKS[0].to_owned(),
        brought: ATTACKS[1].to_owned(),
        searches: ATTACKS
            .iter()
            .map(|one| ResearchSearch { words: (*one).to_owned(), place: vec![1], ..Default::default() })
            .collect(),
        ..Default::default()
    }];
    report
}

#[test]
fn searches_hang_on_those_that_led_to_them() {
    let markdown = "# T\n\nIt is so [1].\n\n## Sources\n\n1. **T**, `a`: “q”\n\n## How this was researched\n\n\
        - **Round 1**: 3 passages found, 3 new\n\
        \x20 - **1** A (all; 1 passage found, 1 new)\n\
        \x20 - **2** B (all; 2 passages found, 2 new)\n\
        - **Round 2**: 1 passage found, 0 new\n\
        \x20 - **2.1** C (all; 1 passage found, 0 new)\n";
    let page = html(&parse_report(markdown).unwrap());
    let below = "2 B (all; 2 passages found, 2 new)<ul><li dir=\"auto\">2.1 C (all; 1 passage found, 0 new)</li></ul>";
    assert!(page.contains(below), "{page}");
}

#[test]
fn nothing_in_a_page_acts_but_its_own_script() {
    let page = html(&hostile());
    let parsed = Html::parse_document(&page);
    let mut scripts = 0;
    for node in parsed.tree.nodes() {
        let Node::Element(element) = node.value() else { continue };
        let harmless = BTreeSet::from([
            "a",
            "bdi",
            "blockquote",
            "body",
            "br",
            "caption",
            "circle",
            "cite",
            "code",
            "details",
            "div",
            "em",
            "figcaption",
            "figure",
            "h1",
            "h2",
            "h3",
            "head",
            "header",
            "html",
            "li",
            "main",
            "mark",
            "meta",
            "nav",
            "ol",
            "p",
            "path",
            "pre",
            "rect",
            "s",
            "script",
            "span",
            "strong",
            "style",
            "summary",
            "svg",
            "table",
            "tbody",
            "td",
            "text",
            "th",
            "thead",
            "title",
            "tr",
            "ul",
        ]);
        assert!(harmless.contains(element.name()), "<{}>", element.name());
        scripts += usize::from(element.name() == "script");
        for (name, value) in element.attrs() {
            assert!(
                !name.starts_with("on") && !matches!(name, "src" | "style" | "srcdoc" | "action"),
                "{name}={value}"
            );
            if name == "href" {
                let known = ["#", "./", "https://a.example/"].iter().any(|start| value.starts_with(start));
                assert!(known, "{value}");
            }
            if name == "http-equiv" {
                assert_eq!(value, "Content-Security-Policy");
            }
        }
    }
    assert_eq!(scripts, 3, "the report, the seal and the program's own");
    assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{2066}', '\0']));
    assert!(parsed.root_element().text().any(|text| text.contains("alert(1)")), "it is shown as words");
    assert_eq!(altered(&page), Some(Vec::new()));
}

#[test]
fn a_report_with_many_citations_stays_small() {
    let quote =
        "It was said that the programme had begun in the winter of 1989, after three years of shorts. ".repeat(3);
    let body: String =
        (1..=200).map(|n| format!("The programme began in the winter of 1989, said number {n} [{n}].\n\n")).collect();
    let list: String =
        (1..=200).map(|n| format!("{n}. **Title {n}**, `docs/file-{n}.md`, 2001-02-03: “{quote}”\n")).collect();
    let mut report = parse_report(&format!("# T\n\n{body}\n## Sources\n\n{list}")).unwrap();
    for one in &mut report.evidence {
        one.before = quote.clone();
        one.after = quote.clone();
    }
    let page = written(&report, Form::Html, None).unwrap();
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
}

#[test]
fn contents_lead_to_their_headings() {
    let body = "## One\n\n> # Quoted\n\n- # Listed\n\n## Two\n\n### Below\n\n## Three\n";
    let page =
        html(&parse_report(&format!("# T\n\n{body}\nIt is so [1].\n\n## Sources\n\n1. **T**, `a`: “q”\n")).unwrap());
    let parsed = Html::parse_document(&page);
    let words = |selector: &str| -> Vec<String> {
        parsed.select(&scraper::Selector::parse(selector).unwrap()).map(|one| one.text().collect()).collect()
    };
    assert_eq!(words("nav a"), ["One", "Two", "Three"]);
    for link in parsed.select(&scraper::Selector::parse("nav a").unwrap()) {
        let expected: String = link.text().collect();
        assert_eq!(words(link.attr("href").unwrap()), [expected]);
    }
}

#[test]
fn a_page_is_set_in_its_language() {
    let check = |sentence: &str, expected: &str| {
        let page =
            html(&parse_report(&format!("# T\n\n{sentence} [1]\n\n## Sources\n\n1. **T**, `a`: “q”\n")).unwrap());
        assert!(page.contains(expected), "{}", &page[..200]);
    };
    check("The programme began in the winter of 1989 and has been shown ever since.", "<html lang=\"en\" dir=\"ltr\">");
    check("番組は1989年の冬に始まり、それ以来ずっと放送されている。", "<html lang=\"ja\" dir=\"ltr\">");
    check("بدأ البرنامج في شتاء عام 1989 وما زال يعرض منذ ذلك الحين.", "<html lang=\"ar\" dir=\"rtl\">");
}

#[test]
fn a_sentence_and_its_passage_know_each_other() {
    let report = "# T\n\nIt began in 1989 [1]. It ended. It was long ago [1][2], and more [9].\n\n## Sources\n\n\
                  1. **One**, `a.md`: “It began in 1989. It was long ago.”\n2. **Two**, `b.md`: “Long ago.”\n";
    let page = html(&parse_report(report).unwrap());
    for part in [
        "<span class=\"claim\" id=\"c1\" data-part=\"c1\" data-cites=\"1\">",
        "<a class=\"cite\" href=\"#e1-1\">[1]</a>",
        "<mark>It began in 1989.</mark><span class=\"rest\"> It was long ago.</span>",
        "data-cites=\"1 2\"",
        "<a class=\"cite\" href=\"#e2-1\">[2]</a>",
        ", and more [9].",
        "cited in <a href=\"#c1\">1</a>, <a href=\"#c2\">2</a>",
        "1 of 2 sentences with a citation rest on one document only",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert_eq!(page.matches("aria-label=\"one source only\"").count(), 1);
}
