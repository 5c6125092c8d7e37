//! Classifies lines of Markdown, as far as citations need it.

use crate::report::is_account_heading;

/// The kind of a line of Markdown, as far as citations need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Blank,
    /// A heading, with its level.
    Heading(usize),
    /// Opens or closes a code block: the mark and how many of it.
    Fence(char, usize),
    /// A rule, or a row of a table.
    Apart,
    /// A definition of a link: `[3]: target`.
    Definition,
    /// The first line of a list item or of a quoted paragraph; the text begins at the byte.
    Starts(usize),
    /// Continues a paragraph, or begins one; the text begins at the byte.
    Text(usize),
}

/// Classifies a line, which has no line break.
pub(super) fn classify(line: &str) -> Line {
    let body = line.trim_start();
    let indent = line.len() - body.len();
    if body.trim_end().is_empty() {
        return Line::Blank;
    }
    let run = |mark: char| body.chars().take_while(|&character| character == mark).count();
    for mark in ['`', '~'] {
        // Backticks after the opening run make it a code span in a paragraph.
        if run(mark) >= 3 && !(mark == '`' && body[run(mark)..].contains('`')) {
            return Line::Fence(mark, run(mark));
        }
    }
    let level = run('#');
    if (1..=6).contains(&level) && body[level..].chars().next().is_none_or(char::is_whitespace) {
        return Line::Heading(level);
    }
    if body.starts_with('|') || is_rule(body) {
        return Line::Apart;
    }
    if is_definition(body) {
        return Line::Definition;
    }
    match marks_length(body) {
        0 => Line::Text(indent),
        length if starts_item(body) => Line::Starts(indent + length),
        // `>` alone continues the quoted text.
        length => Line::Text(indent + length),
    }
}

fn is_rule(body: &str) -> bool {
    let mut marks = body.chars().filter(|character| !character.is_whitespace());
    let Some(first) = marks.next().filter(|mark| matches!(mark, '-' | '*' | '_' | '=')) else { return false };
    let mut count = 1;
    marks.all(|mark| {
        count += 1;
        mark == first
    }) && count >= 3
}

fn is_definition(body: &str) -> bool {
    let Some(rest) = body.strip_prefix('[') else { return false };
    let rest = rest.strip_prefix('^').unwrap_or(rest);
    let after = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    after.len() < rest.len() && after.starts_with("]:")
}

/// The length of list and quotation marks at the start, with the white space after them.
fn marks_length(body: &str) -> usize {
    let mut at = 0;
    while let Some(length) = mark_length(&body[at..]) {
        at += length;
    }
    at
}

fn mark_length(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.chars().next()? {
        '>' => return Some(1 + spaces(&text[1..])),
        '-' | '*' | '+' => 1,
        '•' => '•'.len_utf8(),
        _ if (1..=3).contains(&digits) && text[digits..].starts_with(['.', ')']) => digits + 1,
        _ => return None,
    };
    let space = spaces(&text[mark..]);
    (space > 0 || mark == text.len()).then_some(mark + space)
}

fn spaces(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

fn starts_item(body: &str) -> bool {
    body.trim_start_matches(['>', ' ']).len() > strip_marks(body).len()
}

/// The rest of a line after its list and quotation marks.
fn strip_marks(body: &str) -> &str {
    &body[marks_length(body)..]
}

/// Whether a heading announces a list of sources.
pub fn is_sources_heading(heading: &str) -> bool {
    const NAMES: [&str; 20] = [
        "sources",
        "source list",
        "references",
        "reference list",
        "citations",
        "bibliography",
        "works cited",
        "quellen",
        "quellenverzeichnis",
        "literatur",
        "sources citées",
        "références",
        "fuentes",
        "referencias",
        "出典",
        "参考文献",
        "参考資料",
        "参考资料",
        "来源",
        "資料來源",
    ];
    NAMES.contains(&words_of(heading).to_lowercase().as_str())
}

/// Whether the program itself adds a section with this heading: a list of sources, or the account of the research.
pub(super) fn is_programs_own(heading: &str) -> bool {
    is_sources_heading(heading) || is_account_heading(words_of(heading))
}

/// A heading without its marks.
fn words_of(heading: &str) -> &str {
    heading.trim_matches(|character: char| character.is_whitespace() || "#*_:：".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Line) {
        assert_eq!(classify(line), expected, "{line:?}");
    }

    #[test]
    fn lines_are_told_apart() {
        check("", Line::Blank);
        check("  \t\r", Line::Blank);
        check("## A", Line::Heading(2));
        check("#hashtag", Line::Text(0));
        check("```rust", Line::Fence('`', 3));
        check("~~~~", Line::Fence('~', 4));
        check("```code``` in a line", Line::Text(0));
        check("| a | b |", Line::Apart);
        check("---", Line::Apart);
        check("* * *", Line::Apart);
        check("[3]: http://x", Line::Definition);
        check("[3] says", Line::Text(0));
        check("- a", Line::Starts(2));
        check("  * a", Line::Starts(4));
        check("12. a", Line::Starts(4));
        check("1989. a", Line::Text(0));
        check("**bold** a", Line::Text(0));
        check("-5 degrees", Line::Text(0));
        check("> a", Line::Text(2));
        check("> - a", Line::Starts(4));
        check("> ", Line::Text(2));
        check("-", Line::Starts(1));
        check("  a", Line::Text(2));
    }

    #[test]
    fn a_list_of_sources_is_known_by_its_heading() {
        for (heading, expected) in
            [("## Sources", true), ("**References:**", true), ("## Sources of income", false), ("# 参考文献", true)]
        {
            assert_eq!(is_sources_heading(heading), expected, "{heading}");
        }
    }
}
