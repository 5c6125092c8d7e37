//! Removes the sentences that a report repeats.

use std::collections::BTreeSet;

use super::cite::fence::lines;
use crate::base::text::sentences;

/// Shorter sentences may well occur twice.
const LEAST_CHARS: usize = 24;

/// `markdown` without the sentences that it repeats, and without the paragraphs and items that this empties. Citations
/// do not make two sentences different. Headings, tables and code are left as they are.
pub fn without_repeats(markdown: &str) -> String {
    let mut seen = BTreeSet::new();
    let mut kept: Vec<String> = Vec::new();
    for (line, is_code) in lines(markdown) {
        let trimmed = line.trim_start();
        // A removed paragraph leaves one blank line behind, not two.
        let is_blank = |line: &String| line.is_empty();
        if !is_code && line.is_empty() && kept.last().is_some_and(is_blank) {
            continue;
        }
        if is_code || trimmed.is_empty() || trimmed.starts_with(['#', '|', '`', '>']) {
            kept.push(line.to_owned());
            continue;
        }
        let pieces: Vec<&str> = sentences(line).map(|range| &line[range]).collect();
        let left: Vec<&str> = pieces.iter().copied().filter(|piece| is_new(piece, &mut seen)).collect();
        match (left.len() == pieces.len(), left.is_empty()) {
            (true, _) => kept.push(line.to_owned()),
            (false, true) => {}
            (false, false) => {
                let space = if line.contains('。') { "" } else { " " };
                kept.push(left.iter().map(|piece| piece.trim()).collect::<Vec<_>>().join(space));
            }
        }
    }
    kept.join("\n")
}

fn is_new(sentence: &str, seen: &mut BTreeSet<String>) -> bool {
    let key = wording(sentence);
    key.chars().count() < LEAST_CHARS || seen.insert(key)
}

/// The letters and digits of a sentence in lower case, without its citations: sentences of one wording say the same.
pub fn wording(sentence: &str) -> String {
    let mut key = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('[') {
        let citation = after.split_once(']').filter(|(inside, _)| inside.chars().all(|c| !c.is_alphabetic()));
        key.extend(before.chars().filter(|c| c.is_alphanumeric()));
        rest = citation.map_or(after, |(_, after)| after);
    }
    key.extend(rest.chars().filter(|c| c.is_alphanumeric()));
    key.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, expected: &str) {
        assert_eq!(without_repeats(markdown), expected);
    }

    #[test]
    fn a_sentence_is_said_once_whatever_it_cites() {
        check(
            "# T\n\nThe harbour grew with the salt trade [1]. It was small.\n\n## A\n\nThe harbour grew with the salt \
             trade [2][3]. Boats came down the river every spring [4].\n\n- The harbour grew with the salt trade.\n",
            "# T\n\nThe harbour grew with the salt trade [1]. It was small.\n\n## A\n\nBoats came down the river every \
             spring [4].\n",
        );
        let plain = "One [1].\n\n| a | b |\n|---|---|\n\n```\nx\n\n\nx\n```\n";
        check(plain, plain);
    }
}
