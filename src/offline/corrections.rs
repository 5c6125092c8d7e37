//! Corrections: which statements stand in one, and which of them tell what an earlier text said. What is right stands behind
//! those; which words of it answer is read in [`super::righted`].

use super::statements::{Form, Statement};
use super::terms::{content_set, word_count};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::report::{is_correction, names_document, tells_earlier};

/// Whether a statement stands in a correction, by the title and the headings above it.
pub(super) fn is_correcting(one: &Statement, card: &EvidenceCard) -> bool {
    is_correction(&format!("{} › {} › {}", card.title, card.place, one.headings()))
}

/// The statements of `all` behind `first` in its paragraph, or in its item of a list.
pub(super) fn behind_in_paragraph(first: &Statement, card: &EvidenceCard, all: Vec<Statement>) -> Vec<Statement> {
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
                last.take_in(&one);
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
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

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
