//! Plain text: the source itself.

use super::Parsed;

/// A longer first line is a paragraph.
const TITLE_MAX_BYTES: usize = 120;

/// Takes the text as it is. Its title is a short first line with a blank line beneath it.
pub(super) fn parse(text: String) -> Parsed {
    Parsed { title: title(&text), text, ..Parsed::default() }
}

fn title(text: &str) -> Option<String> {
    let start = text.trim_start();
    let (first, rest) = start.split_once('\n')?;
    let first = first.trim_end();
    let blank_beneath = rest.lines().next().is_some_and(|line| line.trim().is_empty());
    let sentence = first.ends_with(['.', ',', ';', ':', '。']);
    let fits = first.len() <= TITLE_MAX_BYTES && first.chars().any(char::is_alphabetic);
    (blank_beneath && fits && !sentence && !rest.trim_start().is_empty()).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(parse(text.to_owned()).title.as_deref(), expected, "of {text:?}");
    }

    #[test]
    fn a_short_line_alone_is_the_title() {
        check("The Title\n\nBody.", Some("The Title"));
        check("\n\nThe Title\r\n\r\nBody.", Some("The Title"));
        check("Not a title\nBody.", None);
        check("A sentence.\n\nBody.", None);
        check("-----\n\nBody.", None);
        check("Only line", None);
    }
}
