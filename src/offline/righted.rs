//! What a correction says is right in the place of what it tells of an earlier text, or of a statement of that text.

use super::candidates::{Asked, Candidate, read_statements};
use super::corrections::{behind_in_paragraph, is_correcting};
use super::prose::is_mostly_wide;
use super::statements::{Statement, statements, statements_in};
use super::terms::{self, content_set};
use crate::llm::purpose::EvidenceCard;
use crate::report::{names_document, tells_earlier};

/// From this score of the reader on words of a correction say what is right of that which is asked for.
const RIGHT: f32 = -2.0;

/// Words that a correction which does not name a document shares with its title and its statement, where it tells the same
/// answer.
const SHARED: usize = 2;

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
    let said = content_set(&format!("{} {}", old_card.title, older.statement.shown()), asked.language);
    let tells_it = |one: &Statement| {
        let told = format!("{} {}", one.headings(), one.shown());
        let shares = || content_set(&told, asked.language).intersection(&said).count() >= SHARED;
        place_of(&one.shown(), &older.answer).is_some() && (names_document(&told, &old_card.edition()) || shares())
    };
    let is_later =
        |card: &EvidenceCard| card.path != old_card.path && (card.date.is_empty() || card.date >= old_card.date);
    cards.iter().enumerate().filter(|(_, card)| is_later(card)).find_map(|(index, card)| {
        let mut telling = statements(card).into_iter().filter(|one| is_correcting(one, card) && tells_it(one));
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
    terms::place_of(&told.to_lowercase(), &answer.to_lowercase(), char::is_numeric)
}

/// Whether the words around an answer say that an earlier text had it: those before it, as in "The article said that …", or
/// where the verb ends the clause those behind it, as in 「…としましたが、正しくは…」; or the label of what is wrong.
fn is_reported(before: &str, behind: &str) -> bool {
    let is_wide = is_mostly_wide(&format!("{before}{behind}"));
    let clause = behind.split(['、', '。']).next().unwrap_or_default();
    let label = before.trim_end_matches(|one: char| !one.is_alphanumeric());
    if is_wide { tells_earlier(clause) || label.ends_with(['誤', '误']) } else { tells_earlier(before) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
