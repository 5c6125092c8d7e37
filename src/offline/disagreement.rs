//! Sentences of different documents that are about the same thing and contradict each other.

use std::collections::BTreeSet;

use super::account::told::QuotableStatement;
use super::terms::Rarity;
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::report::facts::{ParsedStatement, compare};
use crate::report::{are_parallel_documents, is_amendment_of, is_newer_version};

/// The lowest likeness, numbers aside, of two sentences on the same thing.
const SAME_THING: f32 = 0.4;

/// Most disagreements that are shown.
const MOST: usize = 4;

/// The fewest words that they must have in common.
const SHARED: usize = 3;

/// Two candidates that contradict each other, and on what.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Disagreement {
    /// The index of the one from the earlier evidence.
    pub first: usize,
    /// The index of the other one.
    pub second: usize,
    /// What the first one says, as written: a figure, a day, a name, a state.
    pub first_figure: String,
    /// What the other one says.
    pub second_figure: String,
    /// The likeness of the sentences.
    pub likeness: f32,
}

/// Returns the few clearest disagreements among `candidates`.
pub(super) fn disagreements(
    candidates: &[QuotableStatement],
    cards: &[EvidenceCard],
    rarity: &Rarity,
    language: Language,
) -> Vec<Disagreement> {
    let subjects: Vec<BTreeSet<String>> = candidates
        .iter()
        .map(|candidate| candidate.terms.iter().filter(|term| !term.chars().any(char::is_numeric)).cloned().collect())
        .collect();
    let mut stated: Vec<Option<ParsedStatement<'_>>> = candidates.iter().map(|_| None).collect();
    let mut found = Vec::new();
    for first in 0..candidates.len() {
        for second in first + 1..candidates.len() {
            if candidates[first].document == candidates[second].document
                || subjects[first].intersection(&subjects[second]).count() < SHARED
            {
                continue;
            }
            let likeness = rarity.overlap(&subjects[first], &subjects[second]);
            let card = |index: usize| &cards[candidates[index].card];
            let (one, other) = (card(first), card(second));
            if likeness < SAME_THING || are_parallel_documents(&one.edition(), &other.edition()) {
                continue;
            }
            for index in [first, second] {
                stated[index].get_or_insert_with(|| ParsedStatement::of(&candidates[index].text, language));
            }
            if let (Some(first_stated), Some(second_stated)) = (&stated[first], &stated[second])
                && let Some((first_figure, second_figure)) = compare(first_stated, second_stated)
                // What a newer version or an amendment says is a change, and not another opinion.
                && [(one, other), (other, one)].iter().all(|(newer, older)| {
                    !is_newer_version(&newer.edition(), &older.edition())
                        && !is_amendment_of(&newer.edition(), &older.edition())
                })
            {
                found.push(Disagreement { first, second, first_figure, second_figure, likeness });
            }
        }
    }
    found.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then((a.first, a.second).cmp(&(b.first, b.second))));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::account::told;
    use crate::offline::testing::card;

    fn figures(sentences: &[&str]) -> Vec<(String, String)> {
        let cards: Vec<_> =
            sentences.iter().enumerate().map(|(i, text)| card(i + 1, &format!("T{i}"), "", text)).collect();
        let candidates = told(&cards, &BTreeSet::new(), Language::ENGLISH);
        let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
        disagreements(&candidates, &cards, &rarity, Language::ENGLISH)
            .into_iter()
            .map(|one| (one.first_figure, one.second_figure))
            .collect()
    }

    fn check(sentences: &[&str], expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(figures(sentences), expected, "{sentences:?}");
    }

    #[test]
    fn different_figures_for_the_same_thing_are_found() {
        check(
            &[
                "By the end of its run the film Blue Harbour had grossed about 527 million dollars worldwide, on a budget of 75 million dollars.",
                "The film Blue Harbour grossed 536 million dollars worldwide, by the final count of the distributor in 2008.",
                "The harbour itself is blue because of the algae that live in its water.",
            ],
            &[("527 million dollars", "536 million dollars")],
        );
        check(
            &[
                "The old bridge of Arles was finished by the masons in 1871.",
                "Masons finished the old bridge of Arles in 1874.",
            ],
            &[("1871", "1874")],
        );
    }

    #[test]
    fn the_same_figure_another_time_or_another_thing_is_no_disagreement() {
        check(
            &[
                "The town of Arles counted 9,000 voters in the spring.",
                "The town of Arles counted 9000 voters in the spring.",
            ],
            &[],
        );
        check(
            &[
                "In 1990 the town of Arles counted 9,000 voters in the spring.",
                "In 2010 the town of Arles counted 12,000 voters in the spring.",
            ],
            &[],
        );
        check(&["The mill employs 40 workers in all.", "The famous theatre of Arles seats 900 guests."], &[]);
    }

    #[test]
    fn neither_versions_nor_papers_on_different_cases_disagree() {
        let check = |one: &str, other: &str, expected: usize| {
            let dated = |number: usize, date: &str, text: &str| EvidenceCard {
                path: format!("{number}.md"),
                date: date.to_owned(),
                ..card(number, "Staff meals", "", text)
            };
            let cards = [dated(1, "2024-06-01", one), dated(2, "2026-01-01", other)];
            let candidates = told(&cards, &BTreeSet::new(), Language::ENGLISH);
            let rarity = Rarity::of(candidates.iter().map(|candidate| &candidate.terms));
            let found = disagreements(&candidates, &cards, &rarity, Language::ENGLISH);
            assert_eq!(found.len(), expected, "{one} / {other}");
        };
        let [old, new] = ["The daily meal allowance is £38.", "The daily meal allowance is £42."];
        check(old, new, 0);
        check(&format!("Case no.: 12\n\n{old}"), &format!("Case no.: 17\n\n{new}"), 0);
    }

    #[test]
    fn one_document_does_not_disagree_with_itself() {
        check(&["The old bridge of Arles has 9 wide arches. The old bridge of Arles has 12 wide arches."], &[]);
    }
}
