//! reStructuredText: the text is kept as the source; its markup gives headings, title and date.
//!
//! A heading is underlined, and perhaps overlined, with any punctuation mark; the order in which the marks first occur
//! gives their levels.

use super::{Parsed, columns, date, label, lines};
use crate::domain::{DocumentDate, Heading};

/// An underline shorter than its title counts only from this length on, in characters.
const SHORT_UNDERLINE: usize = 4;

/// A line without trailing white space, and its offset.
type Line<'a> = (usize, &'a str);

/// Parses a document.
pub(super) fn parse(text: String) -> Parsed {
    let mut parsed = Parsed::default();
    // The marks of underlines, each with whether there is an overline, in the order of their first use.
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut window: [Option<Line<'_>>; 3] = [None; 3];
    // The line after an underline is needed, too: lines in a table's grid look like underlines.
    let all = lines(&text).map(|(start, line)| (start, line.trim_end())).map(Some).chain([None]);
    for next in all {
        let [before, above, line] = window;
        if let (Some((at, title)), Some((_, under))) = (above, line)
            && let Some(mark) = adornment(under)
            && is_title(title, under, before.map(|(_, line)| line))
            && next.is_none_or(|(_, next)| next != under || next.is_empty())
        {
            let is_overlined = before.is_some_and(|(_, over)| over == under);
            let style = (mark, is_overlined);
            let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            let start = if is_overlined { before.map_or(at, |(start, _)| start) } else { at };
            let level = u8::try_from(level + 1).unwrap_or(6).min(6);
            parsed.headings.extend(label(&plain(title)).map(|text| Heading { start, level, text }));
            window = [None, None, None];
        }
        window = [window[1], window[2], next];
    }
    parsed.title = parsed.headings.first().filter(|heading| heading.level == 1).map(|heading| heading.text.clone());
    parsed.date = day(&text, parsed.headings.first());
    parsed.text = text;
    parsed
}

/// The mark that a line consists of.
fn adornment(line: &str) -> Option<char> {
    let mark = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 2 && line.chars().all(|char| char == mark)).then_some(mark)
}

/// Whether a line over an adornment is a title: the only line of its paragraph, not wider than the adornment.
fn is_title(title: &str, under: &str, before: Option<&str>) -> bool {
    let width = columns(title.trim());
    let is_overlined = before == Some(under);
    let stands_alone = is_overlined || before.is_none_or(str::is_empty);
    // Only an overlined title may be indented.
    let begins_line = is_overlined || !title.starts_with(char::is_whitespace);
    let is_covered = under.len() >= width || (under.len() >= SHORT_UNDERLINE && under.len() * 2 >= width);
    stands_alone && begins_line && is_covered && adornment(title).is_none() && title.chars().any(char::is_alphanumeric)
}

/// The day in the field `:Date:` of the list that follows the title.
fn day(text: &str, title: Option<&Heading>) -> Option<DocumentDate> {
    let start = title.map_or(0, |title| title.start);
    let field = lines(&text[start..]).take(30).map(|(_, line)| line.trim()).find_map(|line| {
        let (name, value) = line.strip_prefix(':')?.split_once(':')?;
        name.eq_ignore_ascii_case("date").then_some(value)
    })?;
    date::find(field).map(DocumentDate::front_matter)
}

/// Words without the markup of roles, links and emphasis.
fn plain(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    // `text <target>`_ and :role:`text`.
    while let Some((before, marked)) = rest.split_once('`') {
        let Some((inside, after)) = marked.split_once('`') else { break };
        let role = before.strip_suffix(':').and_then(|head| head.rfind(':'));
        out.push_str(role.map_or(before, |at| &before[..at]));
        out.push_str(inside.split(" <").next().unwrap_or(inside));
        rest = after.trim_start_matches('_');
    }
    out.push_str(rest);
    super::without_emphasis(&out, &['*', '|'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::parse::tests::check_source;

    fn check(text: &str, title: Option<&str>, headings: &[(usize, u8, &str)]) {
        check_source(&parse(text.to_owned()), text, title, headings);
    }

    #[test]
    fn levels_follow_the_order_of_the_marks() {
        check(
            "####\nPlan\n####\n\nOne\n~~~\n\nTwo\n...\n\nThree\n~~~~~\n",
            Some("Plan"),
            &[(0, 1, "Plan"), (16, 2, "One"), (25, 3, "Two"), (34, 2, "Three")],
        );
        check("====\n Me\n====\n\nYou\n===", Some("Me"), &[(0, 1, "Me"), (15, 2, "You")]);
        check("日本語\n======", Some("日本語"), &[(0, 1, "日本語")]);
    }

    #[test]
    fn headings_lose_their_marks() {
        check(
            "The :mod:`os` *module* `here <x>`_\n==================================\n",
            Some("The os module here"),
            &[(0, 1, "The os module here")],
        );
    }

    #[test]
    fn tables_and_rules_are_no_headings() {
        check("=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n", None, &[]);
        check("Text.\n\n-----\n\nMore text\nof two lines\n------------\n", None, &[]);
        check("A paragraph that is much longer\n---\n", None, &[]);
    }

    #[test]
    fn the_field_gives_the_day() {
        let date = parse("Plan\n====\n\n:Author: A\n:Date: 3 October 2022\n".to_owned()).date;
        assert_eq!(date.map(|date| date.date.to_string()).as_deref(), Some("2022-10-03"));
    }
}
