//! A report that a model has wrapped in a code block.

use super::blocks::{Line, classify};

/// What models call a block of Markdown.
const NAMES: [&str; 5] = ["", "markdown", "md", "text", "txt"];

/// Whether a line ends the block of code that so many of a mark have begun.
pub(super) fn ends((mark, length): (char, usize), content: &str) -> bool {
    matches!(classify(content), Line::Fence(other, more) if other == mark && more >= length)
        && content.trim().chars().all(|character| character == mark)
}

/// What stands in the first block of code that may be a report: up to the last line that ends such a block, or up to
/// the end where none does. `None` where there is no such block.
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
                Some((of, least, _)) if ends((of, least), content) => end = Some(at),
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
