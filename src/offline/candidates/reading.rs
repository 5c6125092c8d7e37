//! How the reader and the encoder judge passages and single statements.

use super::{Asked, Field, READ, standing};
use crate::base::text::{Language, is_cjk};
use crate::embed::{Text, minilm};
use crate::llm::purpose::EvidenceCard;
use crate::offline::change::current_value;
use crate::offline::prose::plain;
use crate::offline::statements::{Form, Statement};
use crate::read::{self, Pair, Reading};

/// Words for the present at the beginning of Japanese questions. In English the reader does not mind them.
const AT_PRESENT: [&str; 4] = ["現在の", "現在、", "現行の", "今の"];

/// The number of first lines of a passage among which its headings may stand.
const BEGINNING: usize = 4;

/// The bytes of a statement that are compared: its beginning says what it is about.
const COMPARED: usize = 280;

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
        .map(|(reading, ((_, statement), text))| {
            let answer = answer_in(reading, statement, text);
            let current = current_value(&statement.shown(), &answer, asked.question, asked.language).map(str::to_owned);
            (reading.score(), current.unwrap_or(answer))
        })
        .collect();
    found.resize(chosen.len(), (0.0, String::new()));
    found
}

/// Returns the words of a statement that answer, as shown; empty if the reading of `text`, the statement below its
/// heading, points to none of them.
pub(super) fn answer_in(reading: &Reading, statement: &Statement, text: &str) -> String {
    // The words of a question are not its answer.
    let is_answer = statement.answers_question();
    let from = text.len() - if is_answer { statement.text.len() } else { statement.shown().len() };
    let elsewhere = || reading.within(from..text.len()).filter(|_| is_answer).map(|(span, _)| span);
    let span = reading.answer.clone().filter(|span| span.start >= from).or_else(elsewhere);
    let answer = span.map_or_else(String::new, |span| trim_answer(&plain(&text[span])));
    // A value does not extend over two columns.
    match answer.split_once("; ").filter(|_| statement.form == Form::Row) {
        Some((first, _)) => first.split_once(": ").map_or(first, |(_, value)| value).to_owned(),
        None => answer,
    }
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

/// Pairs the question with a text of a passage. A question about the present state is read without the word that says
/// so: texts that state what holds seldom say "at present", and the reader would miss it.
pub(super) fn pair(asked: Asked<'_>, card: &EvidenceCard, text: &str) -> Pair {
    let question = AT_PRESENT.iter().find_map(|word| asked.question.strip_prefix(word)).unwrap_or(asked.question);
    Pair::new((question, asked.language), (without_marks(text).as_str(), card.language))
}

/// Returns a text with blanks in place of the marks of Markdown before headings and around words in bold, so that every
/// byte keeps its place. The reader learnt from text without marks and is unsure where they stand.
fn without_marks(text: &str) -> String {
    let line = |line: &str| {
        let marks = line.len() - line.trim_start_matches('#').len();
        format!("{}{}", " ".repeat(marks), line[marks..].replace("**", "  "))
    };
    text.split_inclusive('\n').map(line).collect()
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
