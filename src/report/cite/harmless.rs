//! Makes Markdown of unknown origin harmless: nothing is fetched, run or followed, except links to known addresses.
//!
//! The text is not parsed as a viewer would parse it, since viewers differ. Whatever could begin a tag, an image or a
//! link to elsewhere is escaped, and is then shown as words. Code in backticks is kept only where every viewer sees
//! code: on one line, and not in a row of a table.

use std::collections::BTreeSet;

use super::fence;
use super::markers::citation_link;

/// Longer code is treated as words.
const LONGEST_CODE: usize = 2000;

/// Longer addresses are not linked.
const LONGEST_ADDRESS: usize = 2000;

/// The addresses that may be linked.
#[derive(Debug, Default)]
pub(super) struct Addresses(BTreeSet<String>);

impl Addresses {
    /// The addresses in these texts, which may be Markdown.
    pub(super) fn of<'t>(texts: impl Iterator<Item = &'t str>) -> Self {
        let mut addresses = Addresses::default();
        addresses.add(texts);
        addresses
    }

    /// Adds the addresses in these texts.
    pub(super) fn add<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        for text in texts {
            for (at, _) in text.match_indices("://") {
                self.0.extend(address_around(text, at).map(unescaped));
            }
        }
    }

    fn has(&self, address: &str) -> bool {
        address.len() <= LONGEST_ADDRESS && self.0.contains(&unescaped(address))
    }
}

/// The web address whose `://` stands at byte `at`.
fn address_around(text: &str, at: usize) -> Option<&str> {
    let ends_with = |scheme: &&str| {
        let before = &text.as_bytes()[..at];
        before.len() >= scheme.len() && before[at - scheme.len()..].eq_ignore_ascii_case(scheme.as_bytes())
    };
    let scheme = ["https", "http"].into_iter().find(ends_with)?;
    let rest = &text[at + 3..];
    // A longer address is not linked.
    let rest = &rest[..rest.floor_char_boundary(LONGEST_ADDRESS + 1)];
    let is_end = |character: char| {
        character.is_whitespace()
            || character.is_control()
            || matches!(character, '<' | '>' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '|')
            || matches!(character, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
    };
    let length = rest.find(is_end).unwrap_or(rest.len());
    let length = rest[..length].trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '_', '\\']).len();
    (length > 0).then(|| &text[at - scheme.len()..at + 3 + length])
}

fn unescaped(address: &str) -> String {
    address.replace('\\', "")
}

/// `text`, a block of Markdown, made harmless.
pub(super) fn harmless(text: &str, addresses: &Addresses) -> String {
    neutralize_markup(text, addresses, true)
}

/// Like [`harmless`], but a line may still define a link, since `[3]:` may be a citation; and links that are citations
/// stay.
pub(super) fn sanitize_except_definitions(text: &str, addresses: &Addresses) -> String {
    neutralize_markup(text, addresses, false)
}

/// A whole report in which nothing acts except links to addresses in `sources`. Its folded list of documents stays
/// folded.
pub fn sanitize_report<'t>(report: &str, sources: impl Iterator<Item = &'t str>) -> String {
    let addresses = Addresses::of(sources);
    let mut out = String::with_capacity(report.len());
    let mut open: Option<(char, usize)> = None;
    // Whether every viewer sees code within the fence: the fence is not part of a list.
    let mut is_code = false;
    for line in report.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let was_open = open.is_some();
        open = fence::open_fence_after(open, content);
        if let Some((mark, _)) = open.filter(|_| !was_open) {
            is_code = content.starts_with(mark);
        }
        let summary = content.strip_prefix("<summary>").and_then(|rest| rest.strip_suffix("</summary>"));
        match summary {
            _ if is_code && (was_open || open.is_some()) => out.push_str(line),
            _ if matches!(content, "<details>" | "</details>") => out.push_str(line),
            Some(words) => {
                out.extend(["<summary>", &harmless(words, &addresses), "</summary>", &line[content.len()..]])
            }
            None => out.push_str(&harmless(line, &addresses)),
        }
    }
    out
}

fn neutralize_markup(text: &str, addresses: &Addresses, names_too: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        // The number of bytes that stay as they are; `None` if the character is escaped.
        let stays = match bytes[at] {
            b'\\' => Some(1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            b'`' => Some(code(rest)),
            b'<' if next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?') => {
                find_near(rest, b'>').filter(|end| addresses.has(&rest[1..*end])).map(|end| end + 1)
            }
            // Once its `!` is escaped, an image's brackets would still make a link; the first bracket is escaped
            // instead.
            b'[' if at > 0 && bytes[at - 1] == b'!' && !is_citation(rest) => None,
            b'[' if !names_too && let Some((end, _)) = citation_link(text, at, usize::MAX) => Some(end - at),
            // The end of the name in the definition of a link.
            b']' if next == b':' && names_too && !is_footnote(text, at) => None,
            b']' if next == b'(' => {
                find_near(rest, b')').filter(|end| addresses.has(&rest[2..*end])).map(|end| end + 1)
            }
            // An address in running text, which many viewers link.
            b':' if rest.starts_with("://") => {
                address_around(text, at).filter(|address| addresses.has(address)).map(|_| 3)
            }
            _ => Some(rest.chars().next().map_or(1, char::len_utf8)),
        };
        match stays {
            Some(length) => {
                out.push_str(&rest[..length]);
                at += length;
            }
            // All escaped characters are ASCII.
            None => {
                out.push('\\');
                out.push(char::from(bytes[at]));
                at += 1;
            }
        }
    }
    out
}

/// Whether the bracket at `end` closes the mark of a footnote, `[^3]: words`, that no viewer takes for a link: the
/// definition of a link has an address alone, or one with a title.
fn is_footnote(text: &str, end: usize) -> bool {
    let mark = text[..end].trim_end_matches(|one: char| one.is_ascii_digit());
    let mut words = text[end + 2..].lines().next().unwrap_or_default().split_whitespace();
    mark.len() < end
        && mark.ends_with("[^")
        && words.next().is_some_and(|first| !first.starts_with('<'))
        && words.next().is_some_and(|second| !second.starts_with(['"', '\'', '(']))
}

/// The place of an ASCII character in the part of `text` that an address may take.
fn find_near(text: &str, wanted: u8) -> Option<usize> {
    text[..text.floor_char_boundary(LONGEST_ADDRESS + 3)].find(char::from(wanted))
}

/// Whether the bracket that `text` begins with holds only numbers and begins no link, as in `Really![3]`.
fn is_citation(text: &str) -> bool {
    let inside = text[1..].trim_start_matches(|one: char| one.is_numeric() || " ,;-–^".contains(one));
    inside.strip_prefix(']').is_some_and(|after| !after.starts_with('('))
}

/// The length of the code in backticks that `text` begins with, or of the backticks alone.
fn code(text: &str) -> usize {
    let run = |text: &str| text.bytes().take_while(|byte| *byte == b'`').count();
    let length = run(text);
    let near = &text[..text.floor_char_boundary(length + LONGEST_CODE)];
    let mut at = length;
    while let Some(found) = near[at..].find('`').filter(|found| !near[at..at + found].contains(['\n', '|'])) {
        at += found;
        let closing = run(&near[at..]);
        at += closing;
        if closing == length {
            return at;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    #[test]
    fn a_whole_report_keeps_its_code_and_its_folded_list() {
        let check = |report: &str, expected: &str| {
            assert_eq!(sanitize_report(report, ["https://a.example/x"].into_iter()), expected);
            assert_eq!(sanitize_report(expected, ["https://a.example/x"].into_iter()), expected);
        };
        check(
            "A [1].\n\n```html\n<b>\n```\n<script>x</script>\n",
            "A [1].\n\n```html\n<b>\n```\n\\<script>x\\</script>\n",
        );
        check("- a\n  ```\n  <b>\n  ```\n", "- a\n  ```\n  \\<b>\n  ```\n");
        check("1. **T**, <https://a.example/x>: “q”\n", "1. **T**, <https://a.example/x>: “q”\n");
        check(
            "[a](javascript:x) ![i](https://b.example/i.png)",
            "[a\\](javascript:x) !\\[i\\](https\\://b.example/i.png)",
        );
        let folded = "<details>\n<summary>All</summary>\n\n- a\n\n</details>\n";
        check(folded, folded);
        check(
            "<details open>\n<summary><img src=x></summary>\n",
            "\\<details open>\n<summary>\\<img src=x></summary>\n",
        );
    }

    fn check(text: &str, expected: &str) {
        let addresses = Addresses::of(["See https://a.example/x_y?z=1, or (http://b.example)."].into_iter());
        let written = harmless(text, &addresses);
        assert_eq!(written, expected);
        assert_eq!(harmless(&written, &addresses), written, "a second time nothing changes");
        for event in Parser::new_ext(&written, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{html} in {written}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("an image of {dest_url} in {written}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(addresses.has(&dest_url), "{dest_url} in {written}")
                }
                _ => {}
            }
        }
    }

    #[test]
    fn what_acts_becomes_words() {
        check("a <script>x</script> b", r"a \<script>x\</script> b");
        check("![p](http://b.example)", r"!\[p](http://b.example)");
        check("![p][q]\n\n[q]: https://evil.example", "!\\[p][q]\n\n[q\\]: https\\://evil.example");
        check("[a](javascript:alert(1))", r"[a\](javascript:alert(1))");
        check("[a](data:text/html,x) [b](//evil)", r"[a\](data:text/html,x) [b\](//evil)");
        check("[a]( https://evil.example )", r"[a\]( https\://evil.example )");
        check("[![p](x)](http://b.example)", r"[!\[p\](x)](http://b.example)");
        check("<https://evil.example> <javascript:x>", r"\<https\://evil.example> \<javascript:x>");
        check("<!-- x --> <?php ?> <a\nhref=x>", "\\<!-- x --> \\<?php ?> \\<a\nhref=x>");
        check("`\n<script>\n`", "`\n\\<script>\n`");
        check("| ` | <img src=x> ` |\n|---|---|\n", "| ` | \\<img src=x> ` |\n|---|---|\n");
        check(r"\`<b>`", r"\`\<b>`");
        check("go to HTTPS://evil.example/?q=1 now", r"go to HTTPS\://evil.example/?q=1 now");
    }

    #[test]
    fn words_links_and_code_stay() {
        for text in [
            "a < b, 3 <4, x > y",
            "It began in 1989 [1][2] (see below). Really![3]",
            "`Vec<String>` and ``a ` <b>``",
            "[here](https://a.example/x_y?z=1) and <http://b.example>, https://a.example/x_y?z=1.",
            "- [x] done",
            r"\<b\> \[a\](b)",
            "日本語（注）【１】",
        ] {
            check(text, text);
        }
    }
}
