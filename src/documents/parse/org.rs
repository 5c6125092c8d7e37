//! Org: the text is the source; headings, title and date come from its marks.

use super::{Parsed, date, label, lines};
use crate::base::text::Language;
use crate::domain::{DocumentDate, Heading};

/// Task states, which stand before a heading's words.
const STATES: [&str; 8] = ["TODO", "DONE", "NEXT", "WAIT", "WAITING", "HOLD", "CANCELED", "CANCELLED"];

/// Parses a document. Keywords before its first words stay in the text, and the body begins after them.
pub(super) fn parse(text: String) -> Parsed {
    let mut parsed = Parsed::default();
    let mut block: Option<String> = None;
    let mut in_drawer = false;
    let mut body = None;
    for (start, line) in lines(&text) {
        let words = line.trim();
        let low = words.get(..words.len().min(64)).unwrap_or_default().to_lowercase();
        if let Some(name) = &block {
            if low.strip_prefix("#+end_").is_some_and(|end| end.trim() == name) {
                block = None;
            }
            continue;
        }
        if let Some(name) = low.strip_prefix("#+begin_") {
            block = name.split_whitespace().next().map(str::to_owned);
        }
        let is_keyword = low.starts_with("#+") && block.is_none();
        // Drawers hold properties, like front matter.
        in_drawer |= low == ":properties:";
        let is_about = is_keyword || in_drawer || words.is_empty() || low.starts_with("# ") || low.starts_with("-*-");
        in_drawer &= low != ":end:";
        if !is_about && body.is_none() {
            body = Some(start);
        }
        if let Some((key, value)) = words.strip_prefix("#+").and_then(|keyword| keyword.split_once(':')) {
            match key.to_ascii_lowercase().as_str() {
                "title" if parsed.title.is_none() => parsed.title = label(&plain(value)),
                "date" if parsed.date.is_none() => {
                    parsed.date = date::find(value).map(DocumentDate::front_matter);
                }
                "language" => parsed.language = Language::tagged(value),
                _ => {}
            }
        }
        if let Some((level, words)) = headline(line) {
            parsed.headings.extend(label(&plain(words)).map(|text| Heading { start, level, text }));
        }
    }
    // The keywords of a document without anything else are its text.
    parsed.body_start = body.unwrap_or(0);
    parsed.title = parsed.title.take().or_else(|| parsed.first_heading());
    parsed.text = text;
    parsed
}

/// The level and the words of `** TODO [#A] Words :tag:`.
fn headline(line: &str) -> Option<(u8, &str)> {
    let rest = line.trim_start_matches('*');
    let stars = line.len() - rest.len();
    if stars == 0 || !rest.starts_with(' ') {
        return None;
    }
    let mut words = rest.trim();
    if let Some((first, rest)) = words.split_once(' ')
        && STATES.contains(&first)
    {
        words = rest.trim_start();
    }
    if let Some(rest) = words.strip_prefix("[#").and_then(|rest| rest.get(1..)?.strip_prefix(']')) {
        words = rest.trim_start();
    }
    if let Some((before, tags)) = words.rsplit_once(' ')
        && tags.len() > 2
        && tags.starts_with(':')
        && tags.ends_with(':')
    {
        words = before.trim_end();
    }
    Some((u8::try_from(stars).unwrap_or(6).min(6), words))
}

/// Words without the marks of links and emphasis.
fn plain(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, link)) = rest.split_once("[[") {
        let Some((inside, after)) = link.split_once("]]") else { break };
        out.push_str(before);
        out.push_str(inside.rsplit("][").next().unwrap_or(inside));
        rest = after;
    }
    out.push_str(rest);
    super::without_emphasis(&out, &['*', '/', '_', '=', '~', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::tests::check_source;
    use crate::domain::DateOrigin;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        check_source(&parse(text.to_owned()), text, title, headings);
    }

    #[test]
    fn headings_lose_their_marks() {
        check("* One\n** TODO [#A] Two /three/ :work:late:\n", Some("One"), &[(0, 1, "One"), (6, 2, "Two three")]);
        check("é\n* [[https://example.org][a link]] =x_y=\n", Some("a link x_y"), &[(3, 1, "a link x_y")]);
        check("*bold* text\n**\n - * item", None, &[]);
        check("******** Deep", None, &[(0, 6, "Deep")]);
    }

    #[test]
    fn blocks_hold_no_headings() {
        check("#+begin_src c\n* no\n#+end_example\n#+END_SRC\n* yes\n", Some("yes"), &[(43, 1, "yes")]);
    }

    #[test]
    fn keywords_are_read_and_skipped() {
        let text = ":PROPERTIES:\n:ID: 7\n:END:\n#+TITLE: The *plan*\n#+date: <2022-10-03 Mon>\n\nWords.\n";
        let parsed = parse(text.to_owned());
        assert_eq!(parsed.title.as_deref(), Some("The plan"));
        assert_eq!(&text[parsed.body_start..], "Words.\n");
        let date = parsed.date.map(|date| (date.date.to_string(), date.origin));
        assert_eq!(date, Some(("2022-10-03".to_owned(), DateOrigin::FrontMatter)));
        assert_eq!(parse("#+title: x\n".to_owned()).body_start, 0);
    }
}
