//! Reads a report from disk, in any form that keeps its Markdown, into the model.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::account::research;
use super::address::web_page_url;
use super::model::{Block, Disagreement, Evidence, FormedReport, Inline, Sentence, Side, plain};
use super::seal;
use super::{FormError, docx};
use crate::base::text::{Language, sentences};
use crate::report::cite::{MARK, with_citations, with_escaped_footnotes};
use crate::report::{Record, is_account_heading, is_folded_list, words};
use crate::verify::{ReadCitation, read};

/// Stand around a citation's number while Markdown is parsed, since the parser would interpret brackets.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';
/// Deeper nesting is flattened to this level: no report needs more, and the stack is finite.
const DEEPEST: usize = 24;
/// Stands for the mark of a missing citation.
const UNCITED: char = '\u{e002}';

/// The text of a report's file: Markdown, JSON or a page as it is, and of a document the Markdown that it holds.
pub fn text_of(bytes: Vec<u8>) -> Result<String, FormError> {
    if docx::is_document(&bytes) {
        return docx::markdown(&bytes).map_err(|reason| FormError::Document { reason });
    }
    if bytes.starts_with(b"%PDF-") {
        return Err(FormError::Printed);
    }
    String::from_utf8(bytes).map_err(|_| FormError::Encoding)
}

/// The Markdown of a report: the text itself, or what a page keeps of it.
pub fn markdown_of(text: &str) -> Result<String, FormError> {
    let Some(altered) = seal::altered(text) else { return Ok(text.to_owned()) };
    Ok(seal::bundled(text).map_err(|reason| FormError::Page { reason, altered })?.markdown)
}

/// Takes a report apart, from Markdown, JSON or a page.
pub fn parse_report(text: &str) -> Result<FormedReport, FormError> {
    let report = read(&markdown_of(text)?)?;
    let (visible, _) = Record::split(&report.markdown);
    let mut blocks = blocks(&report.markdown[report.body.clone()]);
    let title = match blocks.first() {
        Some(Block::Heading { level: 1, words }) => {
            let title = plain(words);
            blocks.remove(0);
            title
        }
        _ => report.question.clone(),
    };
    let account = without_folded(account_of(visible));
    let account = account.as_str();
    Ok(FormedReport {
        title: if title.is_empty() { words(report.language).evidence_only.to_owned() } else { title },
        blocks,
        body_end: report.body.end,
        evidence: report.citations.iter().map(|one| evidence(one, report.language)).collect(),
        references: Vec::new(),
        account: self::blocks(account),
        research: research(account, report.language),
        coverage: report.coverage,
        approved: report.approved,
        written: report.written,
        question: report.question.clone(),
        language: report.language,
        markdown: report.markdown,
    })
}

/// The account of the research and everything below it.
fn account_of(visible: &str) -> &str {
    let account = headings(visible).into_iter().find(|(_, heading)| is_account_heading(heading));
    account.map_or("", |(at, _)| &visible[at..])
}

/// The headings of the second level, with the offsets at which they begin.
pub(super) fn headings(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        found.extend(line.strip_prefix("## ").map(|heading| (start, heading.trim())));
        start += line.len();
    }
    found
}

/// The account without the list of all documents, which is folded away in Markdown and drawn in other forms.
fn without_folded(account: &str) -> String {
    let start = account.match_indices("\n<details>").map(|(at, _)| at + 1).find(|at| is_folded_list(&account[*at..]));
    let Some(start) = start else { return account.to_owned() };
    let end = account[start..].find("</details>").map_or(account.len(), |at| start + at + "</details>".len());
    format!("{}{}", &account[..start], &account[end..])
}

/// A citation as the report lists it.
fn evidence(read: &ReadCitation, language: Language) -> Evidence {
    let (title, about) = read.listed.split_once('\n').unwrap_or((&read.listed, ""));
    let mut parts: Vec<&str> = about.split(", ").filter(|part| !part.is_empty()).collect();
    let label = words(language).page;
    // The authors come before the page, the headings and the dated parts.
    let is_other = |part: &str| part.starts_with("§ ") || part.starts_with(label) || ends_in_day(part);
    let by = parts.first().copied().filter(|part| !is_other(part));
    if by.is_some() {
        parts.remove(0);
    }
    let page = parts.first().and_then(|part| part.strip_prefix(label)?.trim().parse().ok());
    if page.is_some() {
        parts.remove(0);
    }
    // Dated parts are at the end; a heading may contain commas.
    let dated = parts.iter().rev().take_while(|part| ends_in_day(part)).count();
    let notes = parts.split_off(parts.len() - dated);
    let (days, notes): (Vec<&str>, Vec<&str>) = notes.into_iter().partition(|note| note.len() == "2001-02-03".len());
    let (before, after) = read.place.as_ref().map_or(("", ""), |place| (&place.before, &place.after));
    Evidence {
        number: read.number,
        title: if title.is_empty() { read.path.clone() } else { title.to_owned() },
        path: read.path.clone(),
        collection: read.collection.clone(),
        page,
        headings: parts.join(", ").trim_start_matches("§ ").to_owned(),
        date: days.first().map(|day| (*day).to_owned()),
        notes: by.into_iter().chain(notes).map(str::to_owned).collect(),
        bytes: read.place.as_ref().map(|place| place.bytes),
        before: before.to_owned(),
        quote: read.quote.clone(),
        after: after.to_owned(),
        address: web_page_url(&read.path, page, &read.quote),
        ..Evidence::default()
    }
}

fn ends_in_day(part: &str) -> bool {
    let day = part.get(part.len().saturating_sub("2001-02-03".len())..).unwrap_or_default();
    day.parse::<jiff::civil::Date>().is_ok()
}

/// The blocks of a piece of a report's Markdown.
fn blocks(markdown: &str) -> Vec<Block> {
    let bare: String =
        markdown.chars().map(|one| if matches!(one, OPEN..=UNCITED) { '\u{fffd}' } else { one }).collect();
    let marked = with_citations(&with_escaped_footnotes(&bare), |number| format!("{OPEN}{number}{CLOSE}"));
    let marked = marked.replace(MARK, &UNCITED.to_string());
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    Reader { events: Parser::new_ext(&marked, options), depth: 0 }.blocks()
}

struct Reader<'m> {
    events: Parser<'m>,
    depth: usize,
}

impl<'m> Reader<'m> {
    /// Reads blocks up to the end of the block that holds them. Words without a block of their own, as in a list
    /// without empty lines, become a paragraph.
    fn blocks(&mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut loose = Vec::new();
        let flush = |blocks: &mut Vec<Block>, loose: &mut Vec<Inline>| {
            if !loose.is_empty() {
                blocks.push(Block::Paragraph(into_sentences(std::mem::take(loose))));
            }
        };
        self.depth += 1;
        while let Some(event) = self.events.next() {
            let block = match event {
                Event::End(_) => break,
                Event::Rule => Block::Rule,
                Event::Start(Tag::Paragraph | Tag::HtmlBlock) => Block::Paragraph(into_sentences(self.inlines())),
                Event::Start(Tag::Heading { level, .. }) => {
                    Block::Heading { level: level as u8, words: self.inlines() }
                }
                Event::Start(Tag::CodeBlock(_)) => Block::Code(restored(&self.inlines())),
                Event::Start(tag) if is_inline(&tag) => {
                    push(&mut loose, Event::Start(tag), self);
                    continue;
                }
                Event::Start(_) if self.depth > DEEPEST => Block::Paragraph(into_sentences(self.inlines())),
                Event::Start(Tag::BlockQuote(_)) => Block::Quote(self.blocks()),
                Event::Start(Tag::List(first)) => self.list(first),
                Event::Start(Tag::Table(_)) => self.table(),
                Event::Start(_) => Block::Quote(self.blocks()),
                other => {
                    push(&mut loose, other, self);
                    continue;
                }
            };
            flush(&mut blocks, &mut loose);
            blocks.push(block);
        }
        flush(&mut blocks, &mut loose);
        self.depth -= 1;
        blocks
    }

    fn list(&mut self, first: Option<u64>) -> Block {
        let mut items = Vec::new();
        while let Some(Event::Start(_)) = self.events.next() {
            items.push(self.blocks());
        }
        // Items that set two figures against each other, each with its source, are disagreements.
        match items.iter().map(disagreement).collect::<Option<Vec<Disagreement>>>() {
            Some(all) if first.is_none() && !all.is_empty() => Block::Disagreements(all),
            _ => Block::List { first, items },
        }
    }

    fn table(&mut self) -> Block {
        let mut rows: Vec<Vec<Vec<Sentence>>> = Vec::new();
        while let Some(event) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
                Event::Start(Tag::TableCell) => {
                    let cell = into_sentences(self.inlines());
                    if let Some(row) = rows.last_mut() {
                        row.push(cell);
                    }
                }
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        Block::Table(rows)
    }

    /// Reads the inline pieces up to the end of the element that holds them.
    fn inlines(&mut self) -> Vec<Inline> {
        let mut words = Vec::new();
        self.depth += 1;
        let mut passed_over = 0_usize;
        while let Some(event) = self.events.next() {
            match event {
                Event::Start(_) if self.depth > DEEPEST => passed_over += 1,
                Event::End(_) if passed_over > 0 => passed_over -= 1,
                Event::End(_) => break,
                other => push(&mut words, other, self),
            }
        }
        self.depth -= 1;
        words
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// Adds the content of an event to a line.
fn push(words: &mut Vec<Inline>, event: Event<'_>, reader: &mut Reader<'_>) {
    match event {
        // Tags are text: nothing that a report quotes acts.
        Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => push_text(words, &text),
        Event::Code(text) => words.push(Inline::Code(restored_text(&text))),
        Event::SoftBreak => push_text(words, " "),
        Event::HardBreak => words.push(Inline::Break),
        Event::Start(tag) => {
            let inner = reader.inlines();
            match tag {
                Tag::Emphasis => words.push(Inline::Emphasis(inner)),
                Tag::Strong => words.push(Inline::Strong(inner)),
                Tag::Strikethrough => words.push(Inline::Struck(inner)),
                Tag::Link { dest_url, .. } => match web_page_url(&dest_url, None, "") {
                    Some(to) => words.push(Inline::Link { to, words: inner }),
                    None => words.extend(inner),
                },
                Tag::Image { dest_url, .. } => {
                    words.extend(inner);
                    push_text(words, &format!(" ({dest_url})"));
                }
                _ => words.extend(inner),
            }
        }
        _ => {}
    }
}

/// Adds text in which citations are marked.
fn push_text(words: &mut Vec<Inline>, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find([OPEN, UNCITED]) {
        push_plain(words, &rest[..at]);
        let mark = &rest[at..];
        if let Some(after) = mark.strip_prefix(UNCITED) {
            words.push(Inline::Uncited);
            rest = after;
            continue;
        }
        let end = mark.find(CLOSE).unwrap_or(mark.len());
        let number = mark.get(OPEN.len_utf8()..end).and_then(|number| number.parse().ok());
        words.extend(number.map(Inline::Cite));
        rest = mark.get(end + CLOSE.len_utf8()..).unwrap_or_default();
    }
    push_plain(words, rest);
}

fn push_plain(words: &mut Vec<Inline>, text: &str) {
    match words.last_mut() {
        _ if text.is_empty() => {}
        Some(Inline::Text(last)) => last.push_str(text),
        _ => words.push(Inline::Text(text.to_owned())),
    }
}

/// The text with everything that looked like a citation as it was before.
fn restored_text(text: &str) -> String {
    text.replace(OPEN, "[").replace(CLOSE, "]").replace(UNCITED, MARK)
}

fn restored(words: &[Inline]) -> String {
    let one = |word: &Inline| match word {
        Inline::Cite(number) => format!("[{number}]"),
        Inline::Uncited => MARK.to_owned(),
        other => plain(std::slice::from_ref(other)),
    };
    words.iter().map(one).collect()
}

/// A line's sentences. A citation belongs to the sentence in which it occurs, or which it directly follows.
fn into_sentences(words: Vec<Inline>) -> Vec<Sentence> {
    let text = plain(&words);
    let mut borders: Vec<usize> = sentences(&text).map(|range| range.start).skip(1).collect();
    borders.reverse();
    let mut found = vec![Sentence::default()];
    let mut at = 0;
    for word in words {
        let length = plain(std::slice::from_ref(&word)).len();
        // Words in bold or in a link are not split.
        let Inline::Text(mut rest) = word else {
            if borders.last() == Some(&at) && length > 0 {
                borders.pop();
                found.push(Sentence::default());
            }
            borders.truncate(borders.partition_point(|border| *border >= at + length));
            at += length;
            if let Some(last) = found.last_mut() {
                last.words.push(word);
            }
            continue;
        };
        while let Some(border) = borders.last().copied().filter(|border| *border < at + rest.len()) {
            borders.pop();
            let tail = rest.split_off(border - at);
            at = border;
            if let Some(last) = found.last_mut().filter(|_| !rest.is_empty()) {
                last.words.push(Inline::Text(rest));
            }
            found.push(Sentence::default());
            rest = tail;
        }
        at += rest.len();
        if let Some(last) = found.last_mut().filter(|_| !rest.is_empty()) {
            last.words.push(Inline::Text(rest));
        }
    }
    found.retain(|sentence| !sentence.words.is_empty());
    for sentence in &mut found {
        cited(&sentence.words, &mut sentence.cites);
    }
    found
}

fn cited(words: &[Inline], numbers: &mut Vec<usize>) {
    for word in words {
        match word {
            Inline::Cite(number) if !numbers.contains(number) => numbers.push(*number),
            Inline::Strong(inner) | Inline::Emphasis(inner) | Inline::Struck(inner) => cited(inner, numbers),
            Inline::Link { words, .. } => cited(words, numbers),
            _ => {}
        }
    }
}

/// Reads an item such as `**527** against **536**:` with a list below it whose items have citations.
fn disagreement(item: &Vec<Block>) -> Option<Disagreement> {
    let [Block::Paragraph(on), Block::List { first: None, items }] = item.as_slice() else { return None };
    let on: Vec<Inline> = on.iter().flat_map(|sentence| sentence.words.clone()).collect();
    let figures: Vec<String> = on
        .iter()
        .filter_map(|word| match word {
            Inline::Strong(inner) => Some(plain(inner)),
            _ => None,
        })
        .collect();
    if figures.len() < 2 || figures.len() != items.len() {
        return None;
    }
    let side = |(figure, item): (String, &Vec<Block>)| match item.as_slice() {
        [Block::Paragraph(sentences)] if sentences.iter().any(|sentence| !sentence.cites.is_empty()) => {
            Some(Side { figure, sentences: sentences.clone() })
        }
        _ => None,
    };
    let sides: Option<Vec<Side>> = figures.into_iter().zip(items).map(side).collect();
    Some(Disagreement { on, sides: sides? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(markdown: &str) -> Vec<Block> {
        parse_report(&format!("{markdown}\n\n## Sources\n\n1. **T**, `a`: “q”\n")).unwrap().blocks
    }

    fn sentences_of(markdown: &str) -> Vec<(String, Vec<usize>)> {
        match body(markdown).into_iter().next() {
            Some(Block::Paragraph(sentences)) => {
                sentences.into_iter().map(|one| (plain(&one.words).trim().to_owned(), one.cites)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sentences_know_what_they_cite() {
        let check = |markdown: &str, expected: &[(&str, &[usize])]| {
            let expected: Vec<(String, Vec<usize>)> =
                expected.iter().map(|(words, cites)| ((*words).to_owned(), cites.to_vec())).collect();
            assert_eq!(sentences_of(markdown), expected, "{markdown}");
        };
        check("It began [1]. It ended [2][3].", &[("It began .", &[1]), ("It ended .", &[2, 3])]);
        check("It began. [1] It ended. [2]", &[("It began.", &[1]), ("It ended.", &[2])]);
        check("**It began. It ended** [1]. Then.", &[("It began. It ended .", &[1]), ("Then.", &[])]);
        check("始まった[1]。終わった[2]。", &[("始まった。", &[1]), ("終わった。", &[2])]);
        check("See `[1]` and \\[2\\] of 1989.", &[("See [1] and [2] of 1989.", &[])]);
        check("It began [citation needed]. So.", &[("It began .", &[]), ("So.", &[])]);
        check("A \u{e000}7\u{e001} b.", &[("A \u{fffd}7\u{fffd} b.", &[])]);
        check("A <b>bold</b> ![p](http://x) [q](javascript:x).", &[("A <b>bold</b> p (http://x) q.", &[])]);
    }

    #[test]
    fn blocks_are_told_apart() {
        let blocks = body(
            "## H *e*\n\n> Q\n\n1. a\n   - b\n2. c\n\n```\n[1] <x>\n```\n\n| a | b |\n|--|--|\n| c [1] | d |\n\n---\n",
        );
        let kinds: Vec<&str> = blocks
            .iter()
            .map(|block| match block {
                Block::Heading { .. } => "heading",
                Block::Paragraph(_) => "paragraph",
                Block::List { .. } => "list",
                Block::Quote(_) => "quote",
                Block::Code(text) => {
                    assert_eq!(text, "[1] <x>\n");
                    "code"
                }
                Block::Table(rows) => {
                    assert_eq!((rows.len(), rows[1].len(), rows[1][0][0].cites.clone()), (2, 2, vec![1]));
                    "table"
                }
                Block::Disagreements(_) => "disagreements",
                Block::Rule => "rule",
            })
            .collect();
        assert_eq!(kinds, ["heading", "quote", "list", "code", "table", "rule"]);
    }

    #[test]
    fn figures_against_each_other_are_a_disagreement() {
        let written = "- **527** against **536**:\n  - *A* (2007): it made 527 [1].\n  - *B*: it made 536 [2].\n";
        let blocks = body(written);
        let [Block::Disagreements(all)] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!(all[0].sides[1].figure, "536");
        assert_eq!(all[0].sides[1].sentences[0].cites, [2]);
        assert!(matches!(body("- **a** and **b**:\n  - c\n  - d\n").as_slice(), [Block::List { .. }]));
    }

    #[test]
    fn a_source_is_read_with_all_that_is_said_of_it() {
        let report = "# T\n\nA [1].\n\n## Sources\n\n1. **The \\*show\\***, <https://a.example/x>, Groening \\& Oda (1989), p. 3, § A, b › C, 2001-02-03, \
                      accessed 2026-03-04: “It “began” so.”\n";
        let one = parse_report(report).unwrap().evidence.remove(0);
        assert_eq!((one.title.as_str(), one.path.as_str(), one.page), ("The *show*", "https://a.example/x", Some(3)));
        assert_eq!((one.headings.as_str(), one.date.as_deref()), ("A, b › C", Some("2001-02-03")));
        assert_eq!(
            (one.notes.as_slice(), one.quote.as_str()),
            (&["Groening & Oda (1989)".to_owned(), "accessed 2026-03-04".to_owned()][..], "It “began” so.")
        );
    }

    #[test]
    fn nesting_has_an_end() {
        for deep in [">".repeat(20_000), "- ".repeat(20_000), "**a *".repeat(5_000), "[".repeat(20_000)] {
            body(&format!("{deep}x [1]"));
        }
    }
}
