//! Questions for the number of a version, and version numbers in a text.

use crate::offline::terms::words_of;

/// The number of words before "version" among which a question word is looked for.
const ASKED_BEFORE: usize = 6;

/// Whether a question, folded, asks for the number of a version: "What is the minimum supported version of …?".
pub(super) fn asks_for_version(question: &str) -> bool {
    if question.contains("どのバージョン") || question.contains("バージョンはいくつ") {
        return true;
    }
    let words: Vec<&str> = words_of(question).collect();
    let Some(at) = words.iter().position(|word| ["version", "versions", "release"].contains(word)) else {
        return false;
    };
    let is_numbered = words.get(at + 1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
    let before = words[..at].iter().rev().take(ASKED_BEFORE);
    let mut between = before.take_while(|word| !["in", "of", "with", "about", "for"].contains(word));
    !is_numbered && between.any(|word| ["which", "what", "welche", "welcher", "quelle"].contains(word))
}

/// The first version number in a text: two numbers or more with dots between them.
pub(super) fn version_in(text: &str) -> Option<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    words.map(|word| word.trim_start_matches(['v', 'V'])).find(|word| {
        word.contains('.') && word.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::folded;

    #[test]
    fn versions_that_are_asked_for() {
        let check = |question: &str, expected: bool| {
            assert_eq!(asks_for_version(&folded(question)), expected, "{question}");
        };
        check("In which axum version did the path syntax change?", true);
        check("What is the minimum supported Rust version of tokio?", true);
        check("What changed in version 2.0?", false);
        check("What is new in the latest version?", false);
        check("どのバージョンで追加されましたか", true);
        assert_eq!(version_in("[v0.10.3] - 2025-01-04"), Some("0.10.3"));
        assert_eq!(version_in("in 3 years, or 4."), None);
    }
}
