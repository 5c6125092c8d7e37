//! Which passages speak of others of one name: what stands in brackets behind it tells them apart, as in `Giant Steps
//! (The Boo Radleys album)`. They do not contradict each other.

use crate::base::text::{is_cjk, month_number};
use crate::llm::purpose::EvidenceCard;

/// How far into a passage the brackets may stand, and how long they may be.
const WITHIN: usize = 240;
const LONGEST: usize = 48;
/// The shortest word that tells something apart.
const SHORTEST: usize = 3;

/// Whether two passages speak of different bearers of a name that the question asks about.
pub(super) fn are_namesakes(question: &str, one: &EvidenceCard, other: &EvidenceCard) -> bool {
    let (a, b) = (qualifier(question, one), qualifier(question, other));
    match (&a, &b) {
        (Some(a), Some(b)) => a != b,
        (Some(words), None) => !holds(other, words),
        (None, Some(words)) => !holds(one, words),
        (None, None) => false,
    }
}

/// Whether a passage has all of some words.
fn holds(card: &EvidenceCard, words: &[String]) -> bool {
    let text = format!("{} {}", card.title, card.text).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

/// The words in brackets behind the name that the question asks about, in lower case.
fn qualifier(question: &str, card: &EvidenceCard) -> Option<Vec<String>> {
    let question = question.to_lowercase();
    let of = |text: &str| {
        let text = &text[..text.floor_char_boundary(WITHIN)];
        text.match_indices(['(', '（']).find_map(|(at, bracket)| {
            let inside =
                text[at + bracket.len()..].split([')', '）']).next().filter(|inside| inside.len() <= LONGEST)?;
            let mut last = text[..at].trim_end().rsplit(|c: char| !c.is_alphanumeric()).take(3);
            let is_name = last.any(|word| {
                let named = word.starts_with(|c: char| c.is_uppercase() || is_cjk(c));
                named && word.chars().count() >= SHORTEST && question.contains(&word.to_lowercase())
            });
            let said = |words: &Vec<String>| words.iter().any(|word| word.chars().any(char::is_alphabetic));
            (is_name && tells_apart(inside)).then(|| words(inside)).filter(said)
        })
    };
    of(&card.title).or_else(|| of(&card.text))
}

/// Days of birth and death, measures and the like tell nobody apart.
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
        let steps = "Who recorded Giant Steps?";
        let coltrane = "Giant Steps is the fifth studio album by John Coltrane.";
        check(steps, coltrane, "Giant Steps (The Boo Radleys album) is their third album.", true);
        check(steps, coltrane, "Giant Steps (album) is by Sonny Rollins.", false);
        check(
            "Fools Rush In?",
            "Fools Rush In (1949 film) is British.",
            "Fools Rush In (1997 film) is American.",
            true,
        );
        let oscroft = "When did John Oscroft play?";
        check(
            oscroft,
            "John Oscroft (21 July 1807 – 28 September 1857) played.",
            "John Oscroft (1846–1885) played.",
            false,
        );
        check(oscroft, "Oscroft (cricketer, born 1807) played.", "Oscroft (cricketer, born 1846) played.", true);
        check("How long is the pier?", "The pier (212 m) is old.", "The pier is 231 m long (wood).", false);
    }
}
