//! Questions for the number of a version, version numbers in a text, and the versions of documents that it names.

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

/// The numbers of the versions of documents that a folded text names, in its order: 2.1 of "version 2.1", 1 of "v1.0",
/// 5 of `第5版`, c of "revision C".
pub(super) fn numbers_of_versions(text: &str) -> Vec<String> {
    const NAMES: [&str; 16] = [
        "version",
        "ver",
        "v",
        "revision",
        "rev",
        "edition",
        "issue",
        "release",
        "fassung",
        "ausgabe",
        "édition",
        "versión",
        "versione",
        "versão",
        "versie",
        "バージョン",
    ];
    let of = |number: &str| {
        let number = number.trim_matches('.').trim_end_matches(".0");
        let is_number =
            number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let is_letter = number.len() == 1 && number.chars().all(|c| c.is_ascii_lowercase());
        (is_number || is_letter).then(|| number.to_owned())
    };
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        // "Version a" is no number, but "rev. c" is.
        let named = NAMES.contains(&word.trim_end_matches('.')).then(|| of(next)).flatten();
        let joined = || NAMES.iter().find_map(|name| word.strip_prefix(name)).filter(|rest| !rest.is_empty());
        let numbered = || joined().filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).and_then(of);
        let wide = || word.split_once('第').and_then(|(_, rest)| of(rest.split_once('版')?.0));
        found.extend(named.filter(|number| number != "a").or_else(numbered).or_else(wide));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::folded;

    #[test]
    fn versions_of_documents() {
        let check = |text: &str, expected: &[&str]| assert_eq!(numbers_of_versions(&folded(text)), expected, "{text}");
        check("Version 2.0, supersedes version 1 of 2021", &["2", "1"]);
        check("What does v1.10 say?", &["1.10"]);
        check("SOP 114, revision C", &["c"]);
        check("検査基準書 第5版", &["5"]);
        check("What does a version of clause 2 say?", &[]);
        check("Which version is valid?", &[]);
    }

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
