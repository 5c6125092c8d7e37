//! Corrections: where one says what an earlier text said, what it says behind that is right, and stands in its place.

use super::candidates::{Asked, Candidate, read_statements};
use super::prose::is_mostly_wide;
use super::statements::{Form, Statement, statements, statements_in};
use super::terms::{content_set, word_count};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::report::{is_correction, names_document, tells_earlier};

/// From this score of the reader on words of a correction say what is right of that which is asked for.
const RIGHT: f32 = -2.0;

/// Words that a correction which does not name a document shares with its statement, where it tells the same answer.
const SHARED: usize = 2;

/// Whether a statement stands in a correction, by the title and the headings above it.
pub(super) fn is_correcting(one: &Statement, card: &EvidenceCard) -> bool {
    is_correction(&format!("{} › {} › {}", card.title, card.place, one.headings()))
}

/// What a correction among `cards` says in the place of `older`, which is what the correction tells of an earlier text, or a
/// statement of that.
pub(super) fn corrected(older: &Candidate, cards: &[EvidenceCard], asked: Asked<'_>) -> Option<Candidate> {
    if older.answer.is_empty() {
        return None;
    }
    let old_card = &cards[older.card];
    if is_correcting(&older.statement, old_card) {
        return righted(older, cards, asked);
    }
    let said = content_set(&older.statement.shown(), asked.language);
    let tells_it = |one: &Statement, card: &EvidenceCard| {
        let told = one.shown();
        let shares = || content_set(&told, asked.language).intersection(&said).count() >= SHARED;
        place_of(&told, &older.answer).is_some()
            && (names_document(&format!("{} {told}", one.headings()), &old_card.edition()) || shares())
    };
    let is_later =
        |card: &EvidenceCard| card.path != old_card.path && (card.date.is_empty() || card.date >= old_card.date);
    cards.iter().enumerate().filter(|(_, card)| is_later(card)).find_map(|(index, card)| {
        let mut telling = statements(card).into_iter().filter(|one| is_correcting(one, card) && tells_it(one, card));
        telling.find_map(|one| righted(&older.replaced_by(index, one, older.answer.clone()), cards, asked))
    })
}

/// What a correction says is right, in the words behind `reported`, which it tells of an earlier text; `None` where that is no
/// such thing, or nothing behind it answers.
fn righted(reported: &Candidate, cards: &[EvidenceCard], asked: Asked<'_>) -> Option<Candidate> {
    let (card, statement) = (&cards[reported.card], &reported.statement);
    let told = statement.shown();
    let old = reported.answer.to_lowercase();
    let at = place_of(&told, &old)?;
    let (before, rest) = (told.get(..at)?, told.get(at + old.len()..)?);
    if !is_reported(before, rest) {
        return None;
    }
    let mut behind = vec![statement.clone()];
    behind.extend(behind_in_paragraph(statement, card, statements_in(cards, reported.card)));
    // Without the answer that it takes back, the sentence says what the others speak of.
    let blank = format!("{before}…{rest}");
    let as_read = |(at, one): (usize, &Statement)| match at {
        0 => Statement { lead: String::new(), text: blank.clone(), ..one.clone() },
        _ => Statement { heading: blank.clone(), ..one.clone() },
    };
    let read: Vec<Statement> = behind.iter().enumerate().map(as_read).collect();
    let texts: Vec<(&EvidenceCard, &Statement)> = read.iter().map(|one| (card, one)).collect();
    let is_right = |(at, (score, answer)): &(usize, (f32, String))| {
        let lower = answer.to_lowercase();
        let is_new = !lower.is_empty() && !lower.contains(&old) && !old.contains(&lower);
        *score > RIGHT && is_new && (*at > 0 || rest.contains(answer.as_str()))
    };
    let found = read_statements(asked, &texts).into_iter().enumerate().filter(is_right);
    let (at, (_, answer)) = found.max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
    Some(reported.replaced_by(reported.card, behind.swap_remove(at), answer))
}

/// Where a sentence has an answer, in capitals or not, and no figure that only ends or begins like it.
fn place_of(told: &str, answer: &str) -> Option<usize> {
    let (told, answer) = (told.to_lowercase(), answer.to_lowercase());
    let are_digits = |one: Option<char>, other: Option<char>| {
        one.zip(other).is_some_and(|(one, other)| one.is_numeric() && other.is_numeric())
    };
    told.match_indices(answer.as_str()).map(|(at, _)| at).find(|&at| {
        let (before, behind) = (&told[..at], &told[at + answer.len()..]);
        !are_digits(before.chars().next_back(), answer.chars().next())
            && !are_digits(answer.chars().next_back(), behind.chars().next())
    })
}

/// Whether the words around an answer say that an earlier text had it: those before it, as in "The article said that …", or
/// where the verb ends the clause those behind it, as in 「…としましたが、正しくは…」; or the label of what is wrong.
fn is_reported(before: &str, behind: &str) -> bool {
    let is_wide = is_mostly_wide(&format!("{before}{behind}"));
    let clause = behind.split(['、', '。']).next().unwrap_or_default();
    let label = before.trim_end_matches(|one: char| !one.is_alphanumeric());
    if is_wide { tells_earlier(clause) || label.ends_with(['誤', '误']) } else { tells_earlier(before) }
}

/// The statements of `all` behind `first` in its paragraph, or in its item of a list.
fn behind_in_paragraph(first: &Statement, card: &EvidenceCard, all: Vec<Statement>) -> Vec<Statement> {
    let end = first.range.end;
    let ends = if first.form == Form::Item { ["\n", "\n"] } else { ["\n\n", "\n\r\n"] };
    let is_in = |one: &Statement| {
        let between = card.text.get(end..one.range.start).unwrap_or("\n\n");
        first.form != Form::Row && !ends.iter().any(|end| between.contains(end))
    };
    all.into_iter().filter(|one| one.range.start >= end).take_while(is_in).collect()
}

/// The statements of a passage, those by which a correction tells what an earlier text said as one with what it says behind
/// them, up to `most` words: alone they would pass for what holds.
pub(super) fn with_what_is_right(card: &EvidenceCard, all: Vec<Statement>, most: usize) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for one in all {
        match found.last_mut() {
            Some(last) if goes_with(last, &one, card) && word_count(&last.text) + word_count(&one.text) <= most => {
                let space = if is_mostly_wide(&last.text) { "" } else { " " };
                last.text = format!("{}{space}{}", last.text, one.text);
                last.range.end = one.range.end;
            }
            _ => found.push(one),
        }
    }
    found
}

/// Whether `first` is told together with `next`, which stands behind it.
fn goes_with(first: &Statement, next: &Statement, card: &EvidenceCard) -> bool {
    is_correcting(first, card)
        && tells_earlier(&first.text)
        && next.lead.is_empty()
        && !behind_in_paragraph(first, card, vec![next.clone()]).is_empty()
}

/// Whether a statement of a correction tells what the document of `older` said, in words of `older` beside those that are
/// asked for anyway.
pub(super) fn corrects(
    one: (&Statement, &EvidenceCard),
    older: (&Statement, &EvidenceCard),
    is_asked: impl Fn(&str) -> bool,
    language: Language,
) -> bool {
    let told = one.0.shown();
    let shares = || {
        let said = content_set(&older.0.shown(), language);
        content_set(&told, language).intersection(&said).any(|term| !is_asked(term))
    };
    is_correcting(one.0, one.1)
        && tells_earlier(&told)
        && one.1.path != older.1.path
        && names_document(&format!("{} {told}", one.0.headings()), &older.1.edition())
        && shares()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    #[test]
    fn an_answer_stands_in_a_sentence_as_a_whole() {
        let check = |told: &str, answer: &str, expected: bool| {
            assert_eq!(place_of(told, answer).is_some(), expected, "{told} / {answer}");
        };
        check("The article said nine shops had closed.", "Nine", true);
        check("工費を12億円と記載しました。", "2億円", false);
        check("工費を2億円と記載しました。", "2億円", true);
    }

    #[test]
    fn what_was_said_before_is_told_by_the_words_around_it() {
        let check = |before: &str, behind: &str, expected: bool| {
            assert_eq!(is_reported(before, behind), expected, "{before}…{behind}");
        };
        check("The article said that the pier cost ", ".", true);
        check("The pier cost ", ", not £2 million as we reported.", false);
        check("It should have said ", ".", false);
        check("桟橋の工費を", "としましたが、正しくは3億円です。", true);
        check("桟橋の工費を2億円としましたが、正しくは", "です。", false);
        check("桟橋の工費は", "が正しく、2億円としたのは記者の間違いでした。", false);
        check("（誤）", "", true);
        check("（正）", "", false);
    }

    #[test]
    fn what_was_said_before_is_told_with_what_is_right() {
        let check = |title: &str, text: &str, expected: &[&str]| {
            let card = card(1, title, "", text);
            let told = with_what_is_right(&card, statements(&card), 60);
            assert_eq!(told.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), expected);
        };
        let text = "The notice gave his home as Hull. He lived in Leeds.\n\nThe clerk said so.\n\nIt is closed.";
        check(
            "Corrections",
            text,
            &["The notice gave his home as Hull. He lived in Leeds.", "The clerk said so.", "It is closed."],
        );
        let apart = ["The notice gave his home as Hull.", "He lived in Leeds.", "The clerk said so.", "It is closed."];
        check("Notices", text, &apart);
        let japanese = "5月号で工費を2億円と記載しました。正しくは3億円です。";
        check("お詫びと訂正", japanese, &[japanese]);
    }

    #[test]
    fn a_correction_names_the_document_that_it_corrects() {
        let notice = "The notice of 3 May gave his home as Hull. He lived in Leeds.";
        let check = |date: &str, said: &str, expected: bool| {
            let correction = card(1, "Corrections", "", notice);
            let mut older = card(2, "Notice", "", said);
            older.date = date.to_owned();
            let (one, other) = (statements(&correction).remove(0), statements(&older).remove(0));
            let found = corrects((&one, &correction), (&other, &older), |_| false, Language::ENGLISH);
            assert_eq!(found, expected, "{date}: {said}");
        };
        check("2024-05-03", "He came from Hull as a boy.", true);
        check("2024-05-03", "He sold boots.", false);
        check("2024-06-07", "He came from Hull as a boy.", false);
    }
}
