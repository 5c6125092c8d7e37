//! Which passages are about different bearers of one name: the brackets after the name tell them apart, as in `Harbour
//! Nights (Tilda Marsh album)`. Such passages do not contradict each other.

use crate::base::text::{is_cjk, month_number};
use crate::llm::purpose::EvidenceCard;

/// How far into a passage the brackets may stand, in bytes.
const WITHIN: usize = 240;
/// The most bytes of their content.
const LONGEST: usize = 48;
/// The fewest characters of a word that tells something apart.
const SHORTEST: usize = 3;

/// Whether two passages are about different bearers of a name that the question asks about.
pub(super) fn are_namesakes(question: &str, one: &EvidenceCard, other: &EvidenceCard) -> bool {
    let (a, b) = (qualifier(question, one), qualifier(question, other));
    match (&a, &b) {
        (Some(a), Some(b)) => a != b,
        (Some(words), None) => !holds(other, words),
        (None, Some(words)) => !holds(one, words),
        (None, None) => false,
    }
}

/// Whether a passage holds all of `words`.
fn holds(card: &EvidenceCard, words: &[String]) -> bool {
    let text = format!("{} {}", card.title, card.text).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Returns the words in brackets after the name that the question asks about, in lower case.
fn qualifier(question: &str, card: &EvidenceCard) -> Option<Vec<String>> {
    bearer(question, &card.title).or_else(|| bearer(question, &card.text)).map(words)
}

/// Returns the text in brackets after the name that the question asks about, if it tells its bearers apart.
pub(super) fn bearer<'t>(question: &str, text: &'t str) -> Option<&'t str> {
    let question = question.to_lowercase();
    let text = &text[..text.floor_char_boundary(WITHIN)];
    text.match_indices(['(', '（']).find_map(|(at, bracket)| {
        let inside = text[at + bracket.len()..].split([')', '）']).next().filter(|inside| inside.len() <= LONGEST)?;
        let mut last = text[..at].trim_end().rsplit(|c: char| !c.is_alphanumeric()).take(3);
        let is_name = last.any(|word| {
            let named = word.starts_with(|c: char| c.is_uppercase() || is_cjk(c));
            named && word.chars().count() >= SHORTEST && question.contains(&word.to_lowercase())
        });
        let says = words(inside).iter().any(|word| word.chars().any(char::is_alphabetic));
        (is_name && tells_apart(inside) && says).then_some(inside)
    })
}

/// Whether the text in brackets can tell bearers apart; days of birth and death, measures and the like do not.
fn tells_apart(inside: &str) -> bool {
    let is_range = inside.contains(['–', '—', ';', '/', '=', '%']) || inside.contains(" - ");
    let is_day = inside.split(|c: char| !c.is_alphabetic()).any(|word| month_number(word).is_some());
    !is_range && !is_day && inside.chars().any(char::is_alphabetic)
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= SHORTEST);
    words.filter(|word| !["the", "and", "born", "for"].contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    #[test]
    fn what_stands_behind_a_name_tells_its_bearers_apart() {
        let check = |question: &str, one: &str, other: &str, expected: bool| {
            let (one, other) = (card(1, "d1", "", one), card(2, "d2", "", other));
            assert_eq!(are_namesakes(question, &one, &other), expected, "{question}");
            assert_eq!(are_namesakes(question, &other, &one), expected, "{question}");
        };
        let nights = "Who recorded Harbour Nights?";
        let first = "Harbour Nights is the fifth studio album by Oskar Lind.";
        check(nights, first, "Harbour Nights (Tilda Marsh album) is their third album.", true);
        check(nights, first, "Harbour Nights (album) is by Ida Brandt.", false);
        check(
            "The Long Winter?",
            "The Long Winter (1949 film) is British.",
            "The Long Winter (1997 film) is American.",
            true,
        );
        let halloway = "When did Peter Halloway play?";
        check(
            halloway,
            "Peter Halloway (3 May 1811 – 9 June 1866) played.",
            "Peter Halloway (1839–1881) played.",
            false,
        );
        check(halloway, "Halloway (cricketer, born 1811) played.", "Halloway (cricketer, born 1839) played.", true);
        check("How long is the pier?", "The pier (212 m) is old.", "The pier is 231 m long (wood).", false);
    }
}
