//! AsciiDoc: the text is the source; headings, title and date come from its marks.

use super::{Parsed, columns, date, label, lines};
use crate::domain::{DocumentDate, Heading};

/// Characters of which four or more on a line begin and end a verbatim block.
const VERBATIM: [char; 4] = ['-', '.', '/', '+'];

/// Parses a document. Its header (authors, revision, attributes) stays in the text, and the body begins at its title.
pub(super) fn parse(text: String) -> Parsed {
    let mut parsed = Parsed::default();
    let mut fence: Option<&str> = None;
    // The header runs from the title to the first empty line.
    let mut in_header = false;
    let mut body = None;
    let mut above: Option<(usize, &str)> = None;
    for (start, line) in lines(&text) {
        let words = line.trim_end();
        if let Some(mark) = fence {
            if words == mark {
                fence = None;
            }
            continue;
        }
        if let Some((at, title)) = above.take()
            && let Some(level) = underline(words, title)
        {
            parsed.headings.extend(label(&plain(title)).map(|text| Heading { start: at, level, text }));
            in_header |= level == 1 && parsed.headings.len() == 1;
            continue;
        }
        if is_fence(words) {
            fence = Some(words);
            body = body.or(Some(start));
            continue;
        }
        if let Some((level, title)) = section(words) {
            body = body.or(Some(start));
            parsed.headings.extend(label(&plain(title)).map(|text| Heading { start, level, text }));
            in_header = level == 1 && parsed.headings.len() == 1;
            continue;
        }
        in_header &= !words.is_empty();
        if in_header && parsed.date.is_none() && (!words.starts_with(':') || words.starts_with(":revdate:")) {
            parsed.date = date::find(words).map(DocumentDate::front_matter);
        }
        let is_about = words.is_empty() || words.starts_with("//") || attribute(words).is_some();
        if let Some(("revdate", value)) = attribute(words).filter(|_| parsed.date.is_none() && body.is_none()) {
            parsed.date = date::find(value).map(DocumentDate::front_matter);
        }
        if !is_about {
            body = body.or(Some(start));
            above = Some((start, words));
        }
    }
    parsed.title = parsed.first_heading();
    parsed.body_start = body.unwrap_or(0);
    parsed.text = text;
    parsed
}

fn is_fence(line: &str) -> bool {
    let mut chars = line.chars();
    let Some(first) = chars.next() else { return false };
    let is_run = line.len() >= 4 && VERBATIM.contains(&first) && chars.all(|char| char == first);
    is_run || line.starts_with("```")
}

/// The level and the words of `== Words ==`; Markdown's `#` is also allowed. A single `=` marks the document's own
/// title.
fn section(line: &str) -> Option<(u8, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '=' | '#'))?;
    let rest = line.trim_start_matches(mark);
    let level = line.len() - rest.len();
    let words = rest.strip_prefix(' ')?.trim();
    let closing: String = std::iter::repeat_n(mark, level).collect();
    let words = words.strip_suffix(&closing).map_or(words, str::trim_end);
    (level <= 6 && !words.is_empty()).then(|| (u8::try_from(level).unwrap_or(6), words))
}

/// The level that an underline gives to the title above it; the two are about equally long.
fn underline(line: &str, title: &str) -> Option<u8> {
    let mark = line.chars().next()?;
    let level = ['=', '-', '~', '^', '+'].iter().position(|known| *known == mark)?;
    let width = columns(title);
    let is_run = line.len() >= 3 && line.chars().all(|char| char == mark) && line.len().abs_diff(width) <= 2;
    (is_run && title.chars().any(char::is_alphanumeric)).then(|| u8::try_from(level + 1).unwrap_or(6))
}

/// `:name: value`.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name =
        !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '!'));
    is_name.then(|| (name, value.trim()))
}

/// Words without the marks of anchors, links and emphasis.
fn plain(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, anchor)) = rest.split_once("[[") {
        let Some((_, after)) = anchor.split_once("]]") else { break };
        out.push_str(before);
        rest = after;
    }
    out.push_str(rest);
    super::without_emphasis(&out, &['*', '_', '`', '#', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::tests::check_source;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        check_source(&parse(text.to_owned()), text, title, headings);
    }

    #[test]
    fn sections_of_both_styles() {
        check(
            "= The plan\n\n== One ==\n\n=== *Two* `x`\n",
            Some("The plan"),
            &[(0, 1, "The plan"), (12, 2, "One"), (23, 3, "Two x")],
        );
        check(
            "The plan\n========\n\n日本語\n------\n\nText.\n",
            Some("The plan"),
            &[(0, 1, "The plan"), (19, 2, "日本語")],
        );
    }

    #[test]
    fn blocks_and_rules_are_no_sections() {
        check("== One\n\n----\n== no\n----\n\n....\n== no\n....\n", None, &[(0, 2, "One")]);
        check("==\n======= seven\n|===\n|a |b\n|===\n", None, &[]);
        check("A line of text that is long.\n----\ncode\n----\n", None, &[]);
    }

    #[test]
    fn the_header_gives_the_day() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse(text.to_owned()).date.map(|date| date.date.to_string()).as_deref(), Some(expected));
        };
        check("= The plan\nA. Writer\nv1.0, 2022-10-03\n:toc:\n\nWords on 2023-01-01.", "2022-10-03");
        check(":revdate: 2022-10-03\n\n= The plan\n", "2022-10-03");
        let text = "// comment\n:toc:\n\n= The plan\n\nWords on 2023-01-01.";
        let parsed = parse(text.to_owned());
        assert_eq!((parsed.date, &text[parsed.body_start..parsed.body_start + 3]), (None, "= T"));
    }
}
