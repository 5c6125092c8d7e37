//! A report as chat programs show it: its citations are links, and are also given separately from its text.

use std::ops::Range;

use serde_json::{Value, json};

use crate::domain::DocumentId;
use crate::report::Record;
use crate::serve::library::address;

/// Longer numbers in brackets are not citations.
const MAX_CITATION_BYTES: usize = 8;

/// Converts a report's text for display, piece by piece: each citation becomes a link to its evidence in the server's
/// page, and the record at the end is left out. The links are inline, since some programs interpret `[1]` in their own
/// way, do not support link definitions, and show comments.
#[derive(Debug)]
pub(super) struct CitationStream {
    /// The prefix of the addresses of the evidence.
    run: String,
    /// The beginning of a possible citation.
    held: String,
    /// The number of backticks read immediately before.
    ticks: usize,
    in_code: bool,
    in_block: bool,
    after_backslash: bool,
}

impl CitationStream {
    /// Creates the converter for the report of a run; `base` is the server's address.
    pub fn of(run: &str, base: &str) -> Self {
        CitationStream {
            run: format!("{base}/#run/{run}"),
            held: String::new(),
            ticks: 0,
            in_code: false,
            in_block: false,
            after_backslash: false,
        }
    }

    /// Converts a whole report.
    pub fn whole(mut self, markdown: &str) -> String {
        self.piece(markdown) + &self.rest()
    }

    /// Converts the next piece of the text.
    pub fn piece(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for sign in Record::split(piece).0.chars() {
            self.take(sign, &mut shown);
        }
        shown
    }

    /// The rest of the text that was held back.
    pub fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }

    fn take(&mut self, sign: char, shown: &mut String) {
        if !self.held.is_empty() {
            if sign.is_ascii_digit() && self.held.len() < MAX_CITATION_BYTES {
                return self.held.push(sign);
            }
            let held = self.rest();
            match held.strip_prefix('[').filter(|number| sign == ']' && !number.is_empty()) {
                Some(number) => return shown.push_str(&format!("[[{number}]]({}/{number})", self.run)),
                None => shown.push_str(&held),
            }
        }
        if sign == '`' && !self.after_backslash {
            self.ticks += 1;
            return shown.push(sign);
        }
        match std::mem::take(&mut self.ticks) {
            0 => {}
            1 | 2 => self.in_code = !self.in_code,
            _ => self.in_block = !self.in_block,
        }
        // An unmatched backtick spoils at most one line.
        self.in_code &= sign != '\n';
        let is_plain = !self.in_code && !self.in_block && !std::mem::take(&mut self.after_backslash);
        self.after_backslash = is_plain && sign == '\\';
        match sign {
            '[' if is_plain => self.held.push(sign),
            _ => shown.push(sign),
        }
    }
}

/// The text of an answer without the links that [`CitationStream`] made, for a language model.
pub(super) fn unlinked(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    for link in links(text) {
        plain.push_str(&text[at..link.range.start]);
        plain.push_str(&format!("[{}]", link.number));
        at = link.range.end;
    }
    plain.push_str(&text[at..]);
    plain
}

/// A citation in a converted text.
struct Link {
    range: Range<usize>,
    number: u64,
}

/// The maximum length of a link target that [`CitationStream`] makes, in bytes; a longer one is text.
const LONGEST_TARGET: usize = 4096;

fn links(text: &str) -> impl Iterator<Item = Link> {
    text.match_indices("[[").filter_map(|(start, open)| {
        let inside = start + open.len();
        let digits = text[inside..].find(|sign: char| !sign.is_ascii_digit())?;
        let target = text[inside + digits..].strip_prefix("]](")?;
        let near = &target[..target.floor_char_boundary(LONGEST_TARGET)];
        let length = near.find([')', '\n']).filter(|at| near[*at..].starts_with(')'))?;
        let end = text.len() - target.len() + length + 1;
        Some(Link { range: start..end, number: text[inside..inside + digits].parse().ok()? })
    })
}

/// A source of a report, with its link.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    pub number: u64,
    pub title: String,
    pub url: String,
}

/// The sources of a report. Files on this machine are read through the server's own interface, since browsers do not
/// follow links from a page to a file.
pub(super) fn sources(report: &Value, base: &str) -> Vec<Source> {
    let one = |citation: &Value| {
        let document = DocumentId(citation["chunk"]["document"].as_u64().unwrap_or_default());
        let path = citation["path"].as_str().unwrap_or_default();
        let url = match document.page() {
            Some(_) => address(path, None, document),
            None if crate::base::is_url(path) => path.to_owned(),
            None => format!("{base}/#read/{document}/{}", citation["chunk"]["ordinal"]),
        };
        Source {
            number: citation["number"].as_u64().unwrap_or_default(),
            title: citation["title"].as_str().unwrap_or_default().to_owned(),
            url,
        }
    };
    report["citations"].as_array().into_iter().flatten().map(one).collect()
}

/// The positions of the citations in a converted text, in characters, as OpenAI's clients count.
pub(super) fn annotations(text: &str, sources: &[Source]) -> Vec<Value> {
    let mut found = Vec::new();
    let (mut byte, mut character) = (0, 0);
    for Link { range, number } in links(text) {
        character += text[byte..range.start].chars().count();
        byte = range.start;
        let Some(source) = sources.iter().find(|one| one.number == number) else { continue };
        found.push(json!({
            "type": "url_citation",
            "start_index": character,
            "end_index": character + text[range].chars().count(),
            "url": source.url,
            "title": source.title,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_are_links_however_the_text_is_cut() {
        let check = |text: &str, expected: &str| {
            let expected = expected.replace("](/", "](http://h/#run/a-1/");
            let mut shown = CitationStream::of("a-1", "http://h");
            let by_sign: String = text.chars().map(|sign| shown.piece(&sign.to_string())).collect();
            assert_eq!(by_sign + &shown.rest(), expected);
            assert_eq!(CitationStream::of("a-1", "http://h").whole(text), expected);
            assert_eq!(unlinked(&expected), text);
        };
        check("It grew [1][2], then fell [34].", "It grew [[1]](/1)[[2]](/2), then fell [[34]](/34).");
        check("批評[1]。[a] [] [x1] [1", "批評[[1]](/1)。[a] [] [x1] [1");
        check("“It began \\[1\\]” \\\\[2]", "“It began \\[1\\]” \\\\[[2]](/2)");
        check("`a [1].md` [2] ``b [3]``", "`a [1].md` [[2]](/2) ``b [3]``");
        check("```\nx[1]\n\n```\n[2] a ` b\n[3]", "```\nx[1]\n\n```\n[[2]](/2) a ` b\n[[3]](/3)");
        check("\\`[1]\\` [12345678901]", "\\`[[1]](/1)\\` [12345678901]");
    }

    #[test]
    fn the_record_is_not_shown() {
        let report = "It grew [1].\n\n<!-- deepsearch-record {\"format\":1} -->\n";
        assert_eq!(CitationStream::of("r", "").whole(report), "It grew [[1]](/#run/r/1).\n\n");
        assert_eq!(CitationStream::of("r", "").piece("\n<!-- deepsearch-record {\"format\":1} -->\n"), "\n");
    }

    #[test]
    fn annotations_stand_where_the_citations_do() {
        let source = |number| Source { number, title: "A \"b\"".to_owned(), url: "http://h/x".to_owned() };
        let text = CitationStream::of("r", "http://h").whole("批評家 praised [1] it [9], [2]. [[3](x");
        let found = annotations(&text, &[source(1), source(2)]);
        let cut = |one: &Value| {
            let range = |name: &str| one[name].as_u64().unwrap() as usize;
            text.chars().take(range("end_index")).skip(range("start_index")).collect::<String>()
        };
        let expected = ["[[1]](http://h/#run/r/1)", "[[2]](http://h/#run/r/2)"];
        assert_eq!(found.iter().map(cut).collect::<Vec<_>>(), expected);
    }
}
