//! The lines with a name and a value above a paper: its number, its day, who wrote it, who was there. They tell of the paper
//! and not of its matter.

use std::collections::BTreeSet;
use std::ops::Range;

use super::prose::is_prose;
use super::statements::{Form, Statement};
use super::terms::{content_set, word_count};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::report::wording;

/// A line of so many words does not stand above a paper, nor does a sentence.
const HEADLESS: usize = 8;

/// How many of the statements of a passage stand above its paper, the values among them in its head; none where nothing
/// follows.
pub(super) fn length_of_head(card: &EvidenceCard, all: &[Statement]) -> usize {
    let is_body = |one: &Statement| match one.form {
        Form::Pair => !one.heading.is_empty() && wording(&one.heading) != wording(&card.title),
        Form::Sentence => is_prose(&one.text) && (word_count(&one.text) >= HEADLESS || one.text.ends_with(['.', '。'])),
        _ => true,
    };
    if card.at > 0 { 0 } else { all.iter().position(is_body).unwrap_or(0) }
}

/// Where the values in the head of a passage's paper stand that tell nothing of what is asked for: neither is one called so,
/// nor does it hold a word of it that stands nowhere below.
pub(super) fn of_paper(
    card: &EvidenceCard,
    all: &[Statement],
    asked: &BTreeSet<String>,
    language: Language,
) -> Vec<Range<usize>> {
    let (head, body) = all.split_at(length_of_head(card, all));
    if head.is_empty() {
        return Vec::new();
    }
    let below: BTreeSet<String> = body.iter().flat_map(|one| content_set(&one.text, language)).collect();
    let is_asked = |one: &Statement| {
        !content_set(one.name(), language).is_disjoint(asked)
            || content_set(&one.text, language).iter().any(|term| asked.contains(term) && !below.contains(term))
    };
    let untold = head.iter().filter(|one| one.form == Form::Pair && !is_asked(one));
    untold.map(|one| one.range.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::statements::statements;
    use crate::offline::testing::card;

    #[test]
    fn a_head_ends_where_the_matter_begins() {
        let check = |text: &str, expected: usize| {
            let card = card(1, "Report", "", text);
            assert_eq!(length_of_head(&card, &statements(&card)), expected, "{text}");
        };
        check("# Report\n\nNumber: 12\nDate: 3 May\n\nThe rope was worn out at its upper end in June.", 2);
        check("# Report\n\nNumber: 12\n\n## Rope\n\nLength: 12 m", 1);
        check("# Report\n\nNumber: 12\nLength: 12 m", 0);
        check("The rope was worn out at its upper end in June.\n\nLength: 12 m", 0);
    }
}
