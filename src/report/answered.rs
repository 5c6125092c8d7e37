//! Whether a report answers, or says that the documents don't.

use super::cite::cited_numbers;
use super::words;
use crate::base::text::Language;

/// Whether anything in a report's text answers: a block with a citation that doesn't stand below "not found in these
/// documents", where only the nearest passages are cited. A text without such a block answers unless it is empty or
/// says that nothing was found.
pub fn answers(body: &str, language: Language) -> bool {
    let not_found = words(language).not_found;
    // The level of the heading below which nothing was found.
    let mut unanswered: Option<usize> = None;
    let (mut level, mut says_not_found) = (0, false);
    for block in body.split("\n\n").map(str::trim) {
        match block.bytes().take_while(|&byte| byte == b'#').count() {
            0 if block.starts_with(not_found) => (unanswered, says_not_found) = (Some(level), true),
            0 if unanswered.is_none() && !cited_numbers(block).is_empty() => return true,
            0 => {}
            deeper if unanswered.is_some_and(|above| above < deeper) => {}
            other => (level, unanswered) = (other, None),
        }
    }
    !says_not_found && !body.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearest_passage_is_no_answer_and_an_answered_part_is_one() {
        let check = |body: &str, expected: bool| assert_eq!(answers(body, Language::ENGLISH), expected, "{body}");
        check("# Q\n\nIt opened **in May** [1].\n", true);
        check("# Q\n\nNot found in these documents.\n\n## Nearest passage\n\n- It closed in May [1].\n", false);
        check("# Q\n\n## One\n\nNot found in these documents.\n\n### Nearest passage\n\n- It closed [1].\n", false);
        check("# Q\n\n## One\n\nNot found in these documents.\n\n## Two\n\nIn May [1].\n", true);
        check("# Q\n\nThese passages come nearest.\n\nIt closed in May [1].\n", true);
        check("# Q\n\nNobody knows.\n", true);
    }
}
