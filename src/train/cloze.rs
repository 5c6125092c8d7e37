//! Questions that the documents answer by themselves: a sentence with one of its parts taken out asks for that part.

use std::ops::Range;

use crate::base::text::sentences;

/// Shorter sentences say too little of what is asked, and longer ones too much.
const SENTENCE_WORDS: Range<usize> = 6..40;

/// Questions of one passage: more of the same sentences would teach the same.
const OF_A_PASSAGE: usize = 3;

/// A question made of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cloze {
    /// The sentence with an interrogative in the place of the answer.
    pub question: String,
    /// The answer, as bytes of the passage.
    pub answer: Range<usize>,
}

/// Questions for dates, numbers and names in a passage, at most one a sentence.
pub fn clozes(text: &str) -> Vec<Cloze> {
    let made = sentences(text).filter_map(|sentence| cloze(text, sentence));
    made.take(OF_A_PASSAGE).collect()
}

fn cloze(text: &str, sentence: Range<usize>) -> Option<Cloze> {
    let said = text.get(sentence.clone())?;
    let words: Vec<Range<usize>> = words(said);
    if !SENTENCE_WORDS.contains(&words.len()) {
        return None;
    }
    let (interrogative, answer) = number(said, &words).or_else(|| name(said, &words))?;
    let before = said[..answer.start].trim();
    let after = said[answer.end..].trim().trim_end_matches(['.', '!', '?']);
    // The interrogative first, as in a question; the rest in the order of the sentence.
    let question = format!("{interrogative} {before} {after}?");
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Cloze { question, answer: sentence.start + answer.start..sentence.start + answer.end })
}

/// Runs of letters and digits, with what joins them inside.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if character.is_alphanumeric() {
            match found.last_mut().filter(|word| word.end == at) {
                Some(word) => word.end = end,
                None => found.push(at..end),
            }
        }
    }
    found
}

/// The first number: a year asks when, another how many.
fn number(text: &str, words: &[Range<usize>]) -> Option<(&'static str, Range<usize>)> {
    let digits = |word: &&Range<usize>| text[(*word).clone()].chars().all(|c| c.is_ascii_digit());
    let found = words.iter().skip(1).find(digits)?.clone();
    let is_year = found.len() == 4 && (text[found.clone()].starts_with('1') || text[found.clone()].starts_with('2'));
    Some((if is_year { "When" } else { "How many" }, found))
}

/// The last name that is not the sentence's first word: words with a capital letter side by side.
fn name(text: &str, words: &[Range<usize>]) -> Option<(&'static str, Range<usize>)> {
    let capital = |word: &Range<usize>| text[word.clone()].chars().next().is_some_and(char::is_uppercase);
    let last = words.iter().skip(1).rposition(capital)? + 1;
    let mut first = last;
    while first > 1 && capital(&words[first - 1]) && text[words[first - 1].end..words[first].start].trim().is_empty() {
        first -= 1;
    }
    Some(("Who or what", words[first].start..words[last].end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = clozes(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|cloze| (cloze.question.as_str(), &text[cloze.answer.clone()])).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn years_numbers_and_names_are_asked_for() {
        check(
            "The bridge over the river was opened in 1894 by the mayor.",
            &[("When The bridge over the river was opened in by the mayor?", "1894")],
        );
        check(
            "The old library holds about 300 books on many shelves.",
            &[("How many The old library holds about books on many shelves?", "300")],
        );
        check(
            "The first director of the museum was Élise de Montréal.",
            &[("Who or what The first director of the museum was Élise de?", "Montréal")],
        );
        check(
            "The tower was drawn by the architect Anna Keller of the town.",
            &[("Who or what The tower was drawn by the architect of the town?", "Anna Keller")],
        );
    }

    #[test]
    fn sentences_without_a_part_to_take_are_passed_over() {
        check("Nothing here has a part that could be taken out at all.", &[]);
        check("Too short 12.", &[]);
        check("", &[]);
    }
}
