//! Questions that a passage answers by itself: a heading asks for the text below it, a definition for what is defined,
//! a table for its cells, and a sentence with one of its parts removed for that part.

use std::ops::Range;

use crate::base::text::{one_line, sentences};
use crate::llm::purpose::{Quiz, QuizInput, QuizQuestion};

/// Shorter sentences say too little about what is asked, and longer ones too much.
const SENTENCE_WORDS: Range<usize> = 6..40;

/// The words of a heading that is asked about: a single word asks for nothing particular.
const HEADING_WORDS: Range<usize> = 2..12;

/// The words of the name of what is defined.
const SUBJECT_WORDS: Range<usize> = 1..7;

/// Returns at most `input.questions` questions, taking the kinds in turn.
pub(super) fn quiz(input: &QuizInput) -> Quiz {
    let text = &input.text;
    let (definitions, gaps) = (sentence_questions(text, definition), sentence_questions(text, cloze));
    let mut kinds = [heading_questions(input), definitions, table_questions(text), gaps].map(Vec::into_iter);
    let mut questions: Vec<QuizQuestion> = Vec::new();
    while questions.len() < input.questions {
        let before = questions.len();
        for kind in &mut kinds {
            let next = kind.find(|one| !questions.iter().any(|other| other.sentence == one.sentence));
            questions.extend(next.filter(|_| questions.len() < input.questions));
        }
        if questions.len() == before {
            break;
        }
    }
    Quiz { questions }
}

/// A function from a sentence to the question that it answers, and the place of the answer in it.
type Asked = fn(&str) -> Option<(String, Range<usize>)>;

fn sentence_questions(text: &str, asked: Asked) -> Vec<QuizQuestion> {
    let question = |range: Range<usize>| {
        let sentence = text.get(range)?.trim();
        let (question, answer) = asked(sentence)?;
        let answer = sentence.get(answer)?.to_owned();
        Some(QuizQuestion { question, sentence: sentence.to_owned(), answer })
    };
    sentences(text).filter_map(question).collect()
}

/// Asks with the innermost heading for the first sentence below it.
fn heading_questions(input: &QuizInput) -> Vec<QuizQuestion> {
    let question = || {
        let heading = one_line(input.headings.last()?.trim_start_matches(['#', ' ']));
        if !HEADING_WORDS.contains(&words(&heading).len()) {
            return None;
        }
        let said = sentences(&input.text).filter_map(|range| input.text.get(range)).map(str::trim);
        let first = said
            .map(|sentence| sentence.strip_prefix(&heading).map_or(sentence, str::trim_start))
            .find(|sentence| SENTENCE_WORDS.contains(&words(sentence).len()) && !sentence.starts_with(['#', '|']))?;
        let subject =
            Some(one_line(&input.title)).filter(|title| !title.is_empty() && !heading.contains(title.as_str()));
        let question = subject.map_or_else(|| format!("{heading}?"), |title| format!("{title}: {heading}?"));
        Some(QuizQuestion { question, sentence: first.to_owned(), answer: first.to_owned() })
    };
    question().into_iter().collect()
}

/// Turns "X is a Y" into a question for what X is.
fn definition(sentence: &str) -> Option<(String, Range<usize>)> {
    let words = words(sentence);
    if !SENTENCE_WORDS.contains(&words.len()) {
        return None;
    }
    let word = |at: usize| words.get(at).and_then(|range| sentence.get(range.clone())).unwrap_or_default();
    let verb =
        SUBJECT_WORDS.map(|at| (at, word(at))).find(|(_, word)| matches!(*word, "is" | "are" | "was" | "were"))?;
    if !matches!(word(verb.0 + 1), "a" | "an" | "the") {
        return None;
    }
    let subject = sentence.get(words.first()?.start..words.get(verb.0)?.start)?.trim();
    // A text that begins with one of these is not a name.
    let pronouns =
        ["it", "he", "she", "they", "this", "that", "these", "those", "there", "what", "which", "who", "one"];
    if subject.contains([',', ';', ':']) || pronouns.contains(&word(0).to_lowercase().as_str()) {
        return None;
    }
    let end = sentence.trim_end_matches(['.', '!', '?', ' ']).len();
    Some((format!("What {} {subject}?", verb.1), words.get(verb.0 + 1)?.start..end))
}

/// Asks for one cell of each row, by the column's name and the row's first cell.
fn table_questions(text: &str) -> Vec<QuizQuestion> {
    let mut found = Vec::new();
    let mut header: Option<Vec<&str>> = None;
    for line in text.lines().map(str::trim) {
        let Some(inside) = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) else {
            header = None;
            continue;
        };
        let cells: Vec<&str> = inside.split('|').map(str::trim).collect();
        if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            continue;
        }
        let Some(names) = &header else {
            header = Some(cells);
            continue;
        };
        let of_row = names.iter().zip(&cells).skip(1).find(|(name, cell)| !name.is_empty() && !cell.is_empty());
        if let (Some(row), Some((name, cell))) = (cells.first().filter(|row| !row.is_empty()), of_row) {
            let question = format!("{name} of {row}?");
            found.push(QuizQuestion { question, sentence: line.to_owned(), answer: (*cell).to_owned() });
        }
    }
    found
}

/// Asks for a date, a number or a name that is removed from its sentence.
fn cloze(said: &str) -> Option<(String, Range<usize>)> {
    let words: Vec<Range<usize>> = words(said);
    if !SENTENCE_WORDS.contains(&words.len()) || said.starts_with(['#', '|']) {
        return None;
    }
    let (interrogative, answer) = number(said, &words).or_else(|| name(said, &words))?;
    let before = said[..answer.start].trim();
    let after = said[answer.end..].trim().trim_end_matches(['.', '!', '?']);
    // The interrogative comes first, as in a question; the rest keeps the order of the sentence.
    let words = [interrogative, before, after].into_iter().flat_map(str::split_whitespace);
    Some((format!("{}?", words.collect::<Vec<_>>().join(" ")), answer))
}

/// Returns runs of letters and digits.
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

/// Returns the first number: a year asks when, another number how many.
fn number(text: &str, words: &[Range<usize>]) -> Option<(&'static str, Range<usize>)> {
    let digits = |word: &&Range<usize>| text[(*word).clone()].chars().all(|c| c.is_ascii_digit());
    let found = words.iter().skip(1).find(digits)?.clone();
    let is_year = found.len() == 4 && (text[found.clone()].starts_with('1') || text[found.clone()].starts_with('2'));
    Some((if is_year { "When" } else { "How many" }, found))
}

/// Returns the last name that does not begin the sentence: capitalised words side by side.
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

    fn check_under(headings: &[&str], text: &str, expected: &[(&str, &str)]) {
        let headings = headings.iter().map(|heading| (*heading).to_owned()).collect();
        let input = QuizInput { title: "Harbour".to_owned(), headings, text: text.to_owned(), questions: 3 };
        let found = quiz(&input).questions;
        for one in &found {
            assert!(text.contains(&one.sentence) && one.sentence.contains(&one.answer), "{one:?}");
        }
        let found: Vec<(&str, &str)> = found.iter().map(|one| (one.question.as_str(), one.answer.as_str())).collect();
        assert_eq!(found, expected);
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        check_under(&[], text, expected);
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
    fn definitions_headings_and_tables_ask() {
        check(
            "A lock gate is a door that holds the water back.",
            &[("What is A lock gate?", "a door that holds the water back")],
        );
        check(
            "It is a door that holds the water of 12 rivers back.",
            &[("How many It is a door that holds the water of rivers back?", "12")],
        );
        check_under(
            &["History", "Opening of the docks"],
            "Opening of the docks\n\nBarges came from the upper valley with stone.",
            &[("Harbour: Opening of the docks?", "Barges came from the upper valley with stone.")],
        );
        check("| Dock | Depth |\n|---|---|\n| East | 9 m |\n| West | |\n", &[("Depth of East?", "9 m")]);
    }

    #[test]
    fn sentences_without_a_part_to_take_are_passed_over() {
        check("Nothing here has a part that could be taken out at all.", &[]);
        check("Too short 12.", &[]);
        check("", &[]);
        check("| |\n|", &[]);
    }
}
