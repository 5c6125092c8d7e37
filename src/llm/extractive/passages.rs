//! The sentences of a card that could stand in a report: no headings, no tables, no fragments, and no sentence that
//! hangs on the one before it without that one.

use super::entities::years;
use super::terms::{is_cjk, word_count};
use crate::base::text::{one_line, sentences};
use crate::llm::purpose::EvidenceCard;

/// Fewest and most words of a sentence that is quoted.
const WORDS: std::ops::RangeInclusive<usize> = 5..=60;

/// A sentence that could be quoted, with its predecessor where it needs one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Passage {
    /// Index of its card in the evidence.
    pub card: usize,
    /// Its place in the card, from 0.
    pub place: usize,
    /// As it will be quoted, on one line.
    pub text: String,
    /// The years that it names.
    pub years: Vec<u16>,
}

/// Openings that point to something said before.
const DANGLING: [&str; 32] = [
    "he",
    "she",
    "it",
    "they",
    "his",
    "her",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "both",
    "such",
    "there",
    "however",
    "but",
    "and",
    "also",
    "thus",
    "therefore",
    "er",
    "sie",
    "dies",
    "diese",
    "dieser",
    "il",
    "elle",
    "ils",
    "cela",
    "ello",
    "esto",
];

/// The sentences of `card`, which is number `index` of the evidence.
pub(super) fn of_card(index: usize, card: &EvidenceCard) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut place = 0;
    for block in blocks(&card.text) {
        let block = plain(&block);
        // A CSV cell or a JSON value is prose only where a sentence stands in it.
        let mut before: Option<String> = None;
        for range in sentences(&block) {
            let sentence = one_line(&block[range]);
            place += 1;
            if !is_prose(&sentence) {
                before = None;
                continue;
            }
            let text = match before.take() {
                Some(before) if dangles(&sentence) && word_count(&before) + word_count(&sentence) <= *WORDS.end() => {
                    format!("{before} {sentence}")
                }
                _ => sentence.clone(),
            };
            before = Some(sentence);
            if WORDS.contains(&word_count(&text)) {
                found.push(Passage { card: index, place, years: years(&text), text });
            }
        }
    }
    found
}

/// Whether the sentence leans on the one before it.
pub(super) fn dangles(sentence: &str) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    DANGLING.contains(&first.to_lowercase().as_str())
        || ["彼は", "彼女", "これ", "それ", "この", "その", "また", "しかし", "他们", "这", "它"]
            .iter()
            .any(|opening| sentence.starts_with(opening))
}

/// The paragraphs of `text`, each on its own, list items apart, headings and tables left out.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = vec![String::new()];
    let mut fenced = false;
    let mut front_matter = text.trim_start().starts_with("---\n");
    let mut rules = 0;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("---") && line.chars().all(|c| c == '-') {
            rules += 1;
            front_matter &= rules < 2;
            blocks.push(String::new());
            continue;
        }
        if line.starts_with("```") {
            fenced = !fenced;
            continue;
        }
        let table = line.matches('|').count() > 1 || line.matches('\t').count() > 1;
        if fenced || front_matter || line.is_empty() || line.starts_with('#') || table || is_shouted(line) {
            blocks.push(String::new());
            continue;
        }
        let (item, is_item) = strip_bullet(line);
        let value = field_value(item);
        if is_item || value.is_some() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut() {
            if !block.is_empty() {
                block.push(' ');
            }
            block.push_str(value.unwrap_or(item));
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A heading of plain text: several capital letters and no lower-case one.
fn is_shouted(line: &str) -> bool {
    line.chars().filter(|c| c.is_uppercase()).count() > 3 && !line.chars().any(char::is_lowercase)
}

fn strip_bullet(line: &str) -> (&str, bool) {
    for bullet in ["- ", "* ", "+ ", "• ", "> "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return (rest.trim_start(), true);
        }
    }
    (line, false)
}

/// The sentence in a line like `note: The film earned more.`, which is how rows and records are written out.
fn field_value(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(": ")?;
    let is_name = name.len() <= 24
        && name.chars().next().is_some_and(char::is_lowercase)
        && name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c))
        && name.split_whitespace().count() <= 2;
    is_name.then_some(value.trim().trim_matches('"'))
}

/// `text` without images, link targets, reference numbers and unbalanced emphasis. A reference number of the source
/// would pass for a citation of the report.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, from) = rest.split_at(open);
        let Some(close) = from.find(']') else { break };
        let inner = &from[1..close];
        let after = &from[close + 1..];
        let target = after.strip_prefix('(').and_then(|after| after.find(')').map(|end| (end, after)));
        match target {
            Some((end, after)) => {
                let is_image = before.ends_with('!');
                out.push_str(before.strip_suffix('!').unwrap_or(before));
                out.push_str(if is_image { "" } else { inner });
                rest = &after[end + 1..];
            }
            None => {
                let is_reference =
                    !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || ", –-^".contains(c));
                out.push_str(if is_reference { before.trim_end() } else { before });
                out.push_str(if is_reference { "" } else { inner });
                rest = after;
            }
        }
    }
    out.push_str(rest);
    let out = out.replace("**", "").replace("__", "").replace('`', "");
    if out.matches('*').count() % 2 == 1 { out.replace('*', "") } else { out }
}

/// Whether `sentence` reads as a sentence: it ends like one, and it is made of words.
fn is_prose(sentence: &str) -> bool {
    let ends = sentence.trim_end_matches(['"', '”', '’', '\'', ')', '»', '」', '』', '*', ']']);
    let ended = ends.ends_with(['.', '!', '?', '。', '！', '？', '…']);
    let total = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let begins = sentence.chars().find(|c| c.is_alphanumeric());
    let opens = begins.is_some_and(|c| c.is_uppercase() || c.is_numeric() || is_cjk(c));
    let cells = sentence.matches(',').count() * 4 > sentence.split_whitespace().count().max(4) * 3;
    ended && opens && !cells && letters * 10 >= total * 6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::extractive::testing::card;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = of_card(0, &card(1, "T", "", text)).into_iter().map(|passage| passage.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sentences_that_could_be_quoted() {
        check(
            "# A heading here\n\nThe show began in the winter of 1989.\nIt was drawn by hand in Korea.",
            &[
                "The show began in the winter of 1989.",
                "The show began in the winter of 1989. It was drawn by hand in Korea.",
            ],
        );
        check(
            "WHO RAN THE SHOW, AND WHEN\nThe first two seasons had three leaders.",
            &["The first two seasons had three leaders."],
        );
        check("| a | b |\n|---|---|\n| some words in a cell. | and more words |", &[]);
        check("Too short here.", &[]);
        check("and a fragment from the middle of some sentence.", &[]);
        check("This is a line that never comes to an end", &[]);
        check("```\nThis is code and not a real sentence.\n```", &[]);
        check(
            "---\ntitle: This is a title of some page.\n---\nThe body of the page is quoted.",
            &["The body of the page is quoted."],
        );
    }

    #[test]
    fn lists_and_records_give_their_sentences() {
        check(
            "- The first item has enough words.\n- The second item has them too.",
            &["The first item has enough words.", "The second item has them too."],
        );
        check(
            "item: Gross\namount: 536\nnote: The film grossed 536 million dollars worldwide.",
            &["The film grossed 536 million dollars worldwide."],
        );
    }

    #[test]
    fn reference_numbers_and_links_do_not_pass_for_citations() {
        check(
            "The [first film](http://x.y/z) earned a lot[12] in the year 2007 [3].",
            &["The first film earned a lot in the year 2007."],
        );
        check("An ![alt](http://x.y/p.png) image stands in this sentence.", &["An image stands in this sentence."]);
    }

    #[test]
    fn sentences_without_spaces_are_measured_by_characters() {
        check(
            "東京は日本の首都であり、世界最大級の都市の一つである。短い。",
            &["東京は日本の首都であり、世界最大級の都市の一つである。"],
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[\\PC\n\\[\\]()*`|#-]{0,120}") {
            of_card(0, &card(1, "T", "", &text));
        }
    }
}
