//! Blocks of code in Markdown: a report that a model has wrapped in one, and the text outside of them.

use super::blocks::{Line, classify};

/// The names that models give to a block of Markdown.
const NAMES: [&str; 5] = ["", "markdown", "md", "text", "txt"];

/// The block of code, as its mark and the length of its fence, that is open after a line if `open` is before it.
pub(super) fn open_fence_after(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    match (open, classify(line)) {
        (Some(fence), _) => Some(fence).filter(|fence| !is_closing_fence(*fence, line)),
        (None, Line::Fence(mark, length)) => Some((mark, length)),
        (None, _) => None,
    }
}

/// Whether a line ends the block of code that `length` of `mark` began.
fn is_closing_fence((mark, length): (char, usize), content: &str) -> bool {
    matches!(classify(content), Line::Fence(other, more) if other == mark && more >= length)
        && content.trim().chars().all(|character| character == mark)
}

/// The lines of a Markdown text, each with whether it belongs to a block of code.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut open: Option<(char, usize)> = None;
    text.split('\n').map(move |line| {
        let was_open = open.is_some();
        open = open_fence_after(open, line.trim_end_matches('\r'));
        (line, was_open || open.is_some())
    })
}

/// A Markdown text whose headings have the levels that `level` returns for theirs; a heading without a new level is
/// left out. Comments in code are not headings.
pub fn with_levels(text: &str, level: impl Fn(usize) -> Option<usize>) -> String {
    let releveled = |(line, is_code): (&str, bool)| match classify(line) {
        Line::Heading(own) if !is_code => {
            let words = line.trim_start().trim_start_matches('#');
            level(own).map(|new| format!("{}{words}", "#".repeat(new)))
        }
        _ => Some(line.to_owned()),
    };
    lines(text).filter_map(releveled).collect::<Vec<_>>().join("\n")
}

/// The text in the first block of code, if that may be a report: up to the last line that closes such a block, or to
/// the end if none does. `None` if there is no such block.
pub fn inside(text: &str) -> Option<&str> {
    let mut at = 0;
    let mut opened: Option<(char, usize, usize)> = None;
    let mut end = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if let Line::Fence(mark, length) = classify(line.trim_end_matches(['\n', '\r'])) {
            let name = content.trim_start_matches(mark).trim();
            match opened {
                None if !NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) => return None,
                None => opened = Some((mark, length, at + line.len())),
                Some((of, least, _)) if is_closing_fence((of, least), content) => end = Some(at),
                _ => {}
            }
        }
        at += line.len();
    }
    let (_, _, start) = opened?;
    text.get(start..end.unwrap_or(text.len()).max(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_in_code_is_no_heading() {
        let check = |text: &str, expected: &str| {
            assert_eq!(with_levels(text, |level| (level > 1).then_some(level + 1)), expected, "{text}");
        };
        check("# T\n\nA [1].\n\n## B\nC", "\nA [1].\n\n### B\nC");
        check("```sh\n# fetch\n## then\n```\n## B", "```sh\n# fetch\n## then\n```\n### B");
        check("~~~\n```\n# a\n~~~\n### B", "~~~\n```\n# a\n~~~\n#### B");
    }

    #[test]
    fn a_wrapped_report_is_taken_out() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(inside(text), expected, "{text}");
        check("```markdown\n# A\n\nB [1].\n```\n", Some("# A\n\nB [1].\n"));
        check("Here it is:\n\n~~~\nB [1].\n~~~\nI hope this helps.", Some("B [1].\n"));
        check("```md\nA [1].\n\n```python\nx\n```\n\nB [2].\n```", Some("A [1].\n\n```python\nx\n```\n\nB [2].\n"));
        check("````Markdown\nA [1].\n```\nx\n```\n````", Some("A [1].\n```\nx\n```\n"));
        check("```\nA [1]", Some("A [1]"));
        check("```", Some(""));
        check("```json\n{}\n```", None);
        check("A [1]. `code`", None);
        check("", None);
    }
}
