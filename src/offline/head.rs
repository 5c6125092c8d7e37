//! The lines with a name and a value above a paper or a saved mail: its number, its day, its author, who was there.
//! They are about the paper and not about its matter.

use std::collections::BTreeSet;
use std::ops::Range;

use super::prose::is_prose;
use super::statements::{Form, Statement};
use super::terms::{content_set, word_count};
use crate::base::text::{Language, is_mail_header, is_sender_header};
use crate::llm::purpose::EvidenceCard;
use crate::report::facts::{Day, days};
use crate::report::repeats_title;

/// A line of this many words, or a whole sentence, does not stand above a paper.
const HEADLESS: usize = 8;

/// The most words of a day.
const DAY: usize = 6;

/// Returns how many of a passage's statements stand above its paper, including the values in its head; 0 if nothing
/// follows them.
fn head_statement_count(card: &EvidenceCard, all: &[Statement]) -> usize {
    let is_body = |one: &Statement| match one.form {
        Form::Pair => !one.heading.is_empty() && !repeats_title(&one.heading, &card.title),
        Form::Sentence => is_prose(&one.text) && (word_count(&one.text) >= HEADLESS || one.text.ends_with(['.', '。'])),
        _ => true,
    };
    if card.at > 0 { 0 } else { all.iter().position(is_body).unwrap_or(0) }
}

/// Returns the ranges of the values in the head of a passage's paper that are not on what is asked: their names are not
/// asked for, and they hold no asked word that is missing below.
pub(super) fn of_paper(
    card: &EvidenceCard,
    all: &[Statement],
    asked: &BTreeSet<String>,
    language: Language,
) -> Vec<Range<usize>> {
    let (head, body) = all.split_at(head_statement_count(card, all));
    let of_head = head.iter().filter(|one| one.form == Form::Pair);
    let mut of_paper = of_head.chain(body.iter().filter(|one| is_own_day(one, card))).peekable();
    if of_paper.peek().is_none() {
        return Vec::new();
    }
    let below: BTreeSet<String> = body.iter().flat_map(|one| content_set(&one.text, language)).collect();
    let is_asked = |one: &Statement| {
        !content_set(one.name(), language).is_disjoint(asked)
            || content_set(&one.text, language).iter().any(|term| asked.contains(term) && !below.contains(term))
    };
    of_paper.filter(|one| !is_asked(one)).map(|one| one.range.clone()).collect()
}

/// Returns the ranges of the lines at the beginning of a saved mail that are only about the mail; empty if it is not a
/// mail.
pub(super) fn mail_head_ranges(all: &[Statement]) -> Vec<Range<usize>> {
    let is_mail = all.iter().any(|one| one.is_named(is_sender_header));
    all.iter().filter(|one| is_mail && one.is_named(is_mail_header)).map(|one| one.range.clone()).collect()
}

/// Writes a day as dates of documents are kept: `2025-03-01`.
fn iso_date(day: &Day) -> Option<String> {
    Some(format!("{:04}-{:02}-{:02}", day.year?, day.month?, day.day?))
}

/// Whether a value is only the day of its own document.
fn is_own_day(one: &Statement, card: &EvidenceCard) -> bool {
    one.form == Form::Pair
        && one.text.split_once([':', '：']).is_some_and(|(_, value)| word_count(value) <= DAY)
        && matches!(days(&one.text).as_slice(), [day] if iso_date(day).as_ref() == Some(&card.date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn the_day_of_a_paper_tells_nothing_of_its_matter() {
        let check = |text: &str, asked: &str, expected: &[&str]| {
            let card = EvidenceCard { date: "2021-03-08".to_owned(), ..card(1, "Rules", "", text) };
            let asked = content_set(asked, Language::ENGLISH);
            let untold = of_paper(&card, &statements(&card), &asked, Language::ENGLISH);
            assert_eq!(untold.into_iter().map(|range| &text[range]).collect::<Vec<_>>(), expected, "{asked:?}");
        };
        let text = "RULES\n\nIssued: 8 March 2021\nDeposit: 30 pounds\nPaid on: 9 March 2021";
        check(text, "deposit", &["Issued: 8 March 2021"]);
        check(text, "issued", &[]);
    }

    #[test]
    fn a_head_ends_where_the_matter_begins() {
        let check = |text: &str, expected: usize| {
            let card = card(1, "Report", "", text);
            assert_eq!(head_statement_count(&card, &statements(&card)), expected, "{text}");
        };
        check("# Report\n\nNumber: 12\nDate: 3 May\n\nThe rope was worn out at its upper end in June.", 2);
        check("# Report\n\nNumber: 12\n\n## Rope\n\nLength: 12 m", 1);
        check("# Report\n\nNumber: 12\nLength: 12 m", 0);
        check("The rope was worn out at its upper end in June.\n\nLength: 12 m", 0);
    }
}
