//! Describes what a collection holds, in one sentence of its own telling words and titles.

use std::collections::BTreeSet;

use super::terms::is_function_word;
use crate::base::text::{excerpt, one_line};
use crate::llm::purpose::DescribeInput;

/// Most words that are named.
const WORDS: usize = 8;
/// Most titles that are named.
const TITLES: usize = 3;

/// Returns one sentence for `input`.
pub(super) fn describe(input: &DescribeInput) -> String {
    let mut seen = BTreeSet::new();
    let words: Vec<String> = input
        .vocabulary
        .iter()
        .map(|word| one_line(word))
        .filter(|word| !word.is_empty() && !is_function_word(word) && seen.insert(word.to_lowercase()))
        .take(WORDS)
        .collect();
    let mut seen = BTreeSet::new();
    let titles: Vec<String> = input
        .titles
        .iter()
        .map(|title| one_line(title))
        .filter(|title| !title.is_empty() && seen.insert(title.to_lowercase()))
        .take(TITLES)
        .map(|title| format!("“{}”", excerpt(&title, 70)))
        .collect();
    match (words.is_empty(), titles.is_empty()) {
        (false, false) => format!("Documents on {}, such as {}.", listed(&words), listed(&titles)),
        (false, true) => format!("Documents on {}.", listed(&words)),
        (true, false) => format!("Documents such as {}.", listed(&titles)),
        (true, true) => match input.samples.iter().map(|sample| one_line(sample)).find(|sample| !sample.is_empty()) {
            Some(sample) => format!("Documents that begin like “{}”.", excerpt(&sample, 100)),
            None => format!("The documents of {}.", input.name),
        },
    }
}

/// Joins items: `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_words_and_titles_once() {
        let check = |titles: &[&str], vocabulary: &[&str], expected: &str| {
            let owned = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
            let input = DescribeInput {
                name: "docs".to_owned(),
                titles: owned(titles),
                vocabulary: owned(vocabulary),
                samples: vec![],
            };
            assert_eq!(describe(&input), expected);
        };
        check(
            &["Salt", "salt", "Wool"],
            &["trade", "the", "Trade", "river", "sea"],
            "Documents on trade, river and sea, such as “Salt” and “Wool”.",
        );
        check(&["Salt"], &[], "Documents such as “Salt”.");
        check(&[], &["sea"], "Documents on sea.");
        check(&[], &[], "The documents of docs.");
    }
}
