//! How the reader and the encoder judge passages and single statements.

use std::collections::BTreeSet;

use super::{Asked, Field, READ, standing};
use crate::base::text::{Language, is_cjk};
use crate::embed::{Text, minilm};
use crate::llm::purpose::EvidenceCard;
use crate::offline::clauses::new_words;
use crate::offline::prose::plain;
use crate::offline::statements::{Form, Statement};
use crate::offline::terms::content_set;
use crate::read::{self, Pair, Reading};
use crate::report::amends;

/// The number of first lines of a passage among which its headings may stand.
const BEGINNING: usize = 4;

/// The bytes of a statement that are compared: its beginning says what it is about.
const COMPARED: usize = 280;

/// Separators of the clauses of a sentence.
const CLAUSE_ENDS: [&str; 8] = ["、", "，", ", ", "; ", "；", " and ", " und ", " et "];

/// Returns a passage as it is read: below those of its headings that it does not begin with.
pub(super) fn text_with_headings(card: &EvidenceCard) -> String {
    let begins: Vec<String> =
        card.text.lines().take(BEGINNING).map(|line| plain(line.trim_matches(['#', ' ']))).collect();
    let shared = card.headings.shared.iter();
    let above: Vec<&str> = shared.filter(|one| !begins.contains(&plain(one))).map(String::as_str).collect();
    if above.is_empty() { card.text.clone() } else { format!("{}\n{}", above.join(" › "), card.text) }
}

/// Returns a statement as it is read and compared: below its title and its headings.
pub(super) fn named(card: &EvidenceCard, statement: &Statement) -> String {
    let headings = statement.headings();
    let shared = card.headings.shared.iter().map(String::as_str);
    let mut above: Vec<&str> = shared.filter(|one| !headings.starts_with(one)).collect();
    above.insert(0, &card.title);
    above.push(&headings);
    above.retain(|one| !one.is_empty());
    above.dedup();
    format!("{}\n{}", above.join(" › "), statement.shown())
}

/// The likeness in meaning of each text to the question: "bicycle" may answer "bike".
pub(super) fn likenesses(asked: Asked<'_>, texts: &[Text]) -> Vec<f32> {
    let found = likeness(&[asked.question], asked.language, texts);
    found.into_iter().next().unwrap_or_else(|| vec![0.0; texts.len()])
}

/// The likeness in meaning of each text to each question, all questions in one language; one list per question. Empty
/// if the encoder does not know the language or fails.
pub(in crate::offline) fn likeness(questions: &[&str], language: Language, texts: &[Text]) -> Vec<Vec<f32>> {
    if !minilm::knows(language) {
        return Vec::new();
    }
    let questions = questions.iter().map(|&text| Text { text: text.to_owned(), language }).collect();
    let beginning = |text: &Text| {
        // A text whose language cannot be recognised is mostly a row of a table.
        let language = if text.language == Language::UNKNOWN { language } else { text.language };
        Text { text: text.text[..text.text.floor_char_boundary(COMPARED)].to_owned(), language }
    };
    minilm::likeness_blocking(questions, texts.iter().map(beginning).collect()).unwrap_or_else(|error| {
        tracing::warn!(%error, "the report is written without regard to meaning");
        Vec::new()
    })
}

/// Returns the reader's score of each statement, read below its heading, and the words that answer; zero and nothing if
/// the reader cannot be asked.
pub(in crate::offline) fn read_statements(
    asked: Asked<'_>,
    chosen: &[(&EvidenceCard, &Statement)],
) -> Vec<(f32, String)> {
    let texts: Vec<String> = chosen.iter().map(|(card, statement)| named(card, statement)).collect();
    let pairs: Vec<Pair> =
        chosen.iter().zip(&texts).map(|((card, _), text)| pair(asked, card, text.as_str())).collect();
    let read = if read::can_read(asked.language) { read_all(&pairs) } else { Vec::new() };
    let mut found: Vec<(f32, String)> = read
        .iter()
        .zip(chosen.iter().zip(&texts))
        .map(|(reading, ((_, statement), text))| (reading.score(), answer_in(reading, statement, text)))
        .collect();
    found.resize(chosen.len(), (0.0, String::new()));
    found
}

/// Returns the words of a statement that answer, as shown; empty if the reading of `text`, the statement below its
/// heading, points to none of them. In an amendment, the words that it puts in the place of others are the answer.
pub(super) fn answer_in(reading: &Reading, statement: &Statement, text: &str) -> String {
    let from = text.len() - statement.shown().len();
    let span = reading.answer.clone().filter(|span| span.start >= from);
    let answer = span.map_or_else(String::new, |span| trim_answer(&plain(&text[span])));
    // A value does not extend over two columns.
    let answer = match answer.split_once("; ").filter(|_| statement.form == Form::Row) {
        Some((first, _)) => first.split_once(": ").map_or(first, |(_, value)| value).to_owned(),
        None => answer,
    };
    let new = if amends(&statement.text) { new_words(&statement.text, &answer) } else { None };
    new.unwrap_or(answer)
}

/// If a statement has a figure of one kind for each of several things and `answer` is not the one asked for, returns
/// that one: for "Members pay £5, guests £8" the one of guests. `None` if `answer` is right, or if it cannot be told.
pub(super) fn figure_of_asked_clause<'t>(
    text: &'t str,
    answer: &str,
    asked: &BTreeSet<String>,
    language: Language,
) -> Option<&'t str> {
    let digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let (before, behind) = (answer.split(digits).next()?, answer.rsplit(digits).next()?);
    let figure = answer.strip_prefix(before)?.strip_suffix(behind).filter(|figure| !figure.is_empty())?;
    if !figure.chars().all(digits) || before.is_empty() && behind.is_empty() {
        return None;
    }
    let clauses =
        CLAUSE_ENDS.iter().fold(vec![text], |parts, end| parts.iter().flat_map(|part| part.split(end)).collect());
    let own = *clauses.iter().find(|clause| clause.contains(answer))?;
    let held = |clause: &str| content_set(clause, language).intersection(asked).count();
    // Such a clause has one figure with the same unit, and no second one.
    let of_kind = |clause: &'t str| {
        let starts = clause.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
        let figure = |at: usize| {
            let end = clause[at..].find(|c| !digits(c)).map_or(clause.len(), |length| at + length);
            let is_of_kind = clause[..at].ends_with(before) && clause[end..].starts_with(behind);
            is_of_kind.then(|| &clause[at - before.len()..end + behind.len()])
        };
        let mut found = starts.filter(|&at| !clause[..at].ends_with(digits)).filter_map(figure);
        found.next().filter(|_| found.next().is_none())
    };
    of_kind(own)?;
    let others = clauses.iter().filter(|clause| **clause != own);
    let mut others: Vec<(usize, &str)> = others.filter_map(|clause| Some((held(clause), of_kind(clause)?))).collect();
    others.sort_by_key(|other| std::cmp::Reverse(other.0));
    let best = *others.first().filter(|best| best.0 > held(own))?;
    others.get(1).is_none_or(|next| next.0 < best.0).then_some(best.1)
}

/// Returns the words of an answer without the end of the sentence before; nothing for the mark of a note.
pub(super) fn trim_answer(words: &str) -> String {
    let mut rest = words;
    while let Some(next) = [". ", ", ", "; ", "。", "、", "，"].iter().find_map(|end| rest.strip_prefix(end)) {
        rest = next.trim_start();
    }
    let is_mark = rest.strip_prefix('^').is_some_and(|mark| mark.chars().all(|one| one.is_ascii_digit()));
    if is_mark { String::new() } else { rest.to_owned() }
}

/// Returns the readings of texts, each with the rank of its passage before it; `None` if the reader does not know a
/// language.
pub(super) fn readings(field: &Field<'_>, texts: &[(usize, String)]) -> Vec<Option<Reading>> {
    let is_read: Vec<bool> = (0..field.cards.len()).map(|rank| field.is_read(rank)).collect();
    let asked = texts.iter().filter(|(rank, _)| is_read[*rank]);
    let pairs: Vec<Pair> = asked.map(|(rank, text)| pair(field.asked, field.card(*rank), text.as_str())).collect();
    let mut read = read_all(&pairs).into_iter();
    texts.iter().map(|(rank, _)| if is_read[*rank] { read.next() } else { None }).collect()
}

/// Of the passages that the search ranks highest, each read as a whole, returns the one that answers best and the
/// reader's score. `None` if the reader cannot be asked.
pub(in crate::offline) fn best_of_passages<'c>(
    mut cards: Vec<&'c EvidenceCard>,
    asked: Asked<'_>,
) -> Option<(&'c EvidenceCard, f32)> {
    if !read::can_read(asked.language) {
        return None;
    }
    cards.sort_by(|a, b| standing(b, asked.search).total_cmp(&standing(a, asked.search)));
    let pairs: Vec<Pair> = cards.iter().take(READ).map(|card| pair(asked, card, &text_with_headings(card))).collect();
    let scores: Vec<f32> = read_all(&pairs).iter().map(Reading::score).collect();
    cards.into_iter().zip(scores).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Pairs the question with a text of a passage.
pub(super) fn pair(asked: Asked<'_>, card: &EvidenceCard, text: &str) -> Pair {
    Pair::new((asked.question, asked.language), (text, card.language))
}

/// Returns the readings of `pairs`; empty, with a warning, if the reader fails.
pub(super) fn read_all(pairs: &[Pair]) -> Vec<Reading> {
    read::read_blocking(pairs).unwrap_or_else(|error| {
        tracing::warn!(%error, "the report is written without the reader");
        Vec::new()
    })
}

/// Whether the reader knows the language of a passage. The language of one with mostly names and figures may not be
/// recognisable; it counts as the question's if its script allows that.
pub(super) fn is_readable(card: &EvidenceCard, asked_in: Language) -> bool {
    let in_its_script = || card.text.contains(is_cjk) == (asked_in != Language::ENGLISH);
    read::knows(card.language) || card.language == Language::UNKNOWN && in_its_script()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::terms::question_terms;

    #[test]
    fn the_figure_of_the_clause_that_is_asked_for() {
        let check = |code: &str, question: &str, text: &str, answer: &str, expected: Option<&str>| {
            let language = Language::from_code(code);
            let found = figure_of_asked_clause(text, answer, &question_terms(question, language), language);
            assert_eq!(found, expected, "{question}");
        };
        let fees = "Members pay £5, guests £8 and children £2.50 at the door.";
        check("eng", "How much do guests pay?", fees, "£5", None);
        check("eng", "What does it cost for guests?", fees, "£5", Some("£8"));
        check("eng", "What does it cost for guests?", fees, "£8", None);
        check("eng", "What does it cost for children?", fees, "£5", Some("£2.50"));
        check("eng", "What does it cost?", fees, "£5", None);
        let microscope = "利用料は学内者1時間1,500円、学外者1時間6,800円とする。";
        check("jpn", "電子顕微鏡は学内の人なら1時間いくらで使えますか。", microscope, "6,800円", Some("1,500円"));
        check("jpn", "電子顕微鏡は学外の人なら1時間いくらで使えますか。", microscope, "6,800円", None);
        check("eng", "When was it built?", "It was built in 1901, and sold in 1955.", "1901", None);
    }
}
