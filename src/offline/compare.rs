//! What changed between two versions of one document: their statements side by side, each change with its old and its
//! new wording.

mod pair;

use std::collections::BTreeSet;

use super::force::{amending_statement, key};
use super::prose::is_prose;
use super::render::{cited, dated_title, safe};
use super::statements::{Form, Statement, statements_of};
use super::terms::{Rarity, content_set, is_informative_term, question_terms, word_count};
use crate::base::text::Language;
use crate::llm::purpose::{EvidenceCard, WriteInput};
use crate::report::{Words, amends, asks_what_changed, stated_changes};

use pair::{Kind, Pair, asked_pairs};

/// Statements less alike than this are about different things.
const ALIKE: f32 = 0.34;

/// The bonus in likeness for a common heading.
const SAME_HEADING: f32 = 0.15;

/// The most words of the whole list.
const WORDS: usize = 420;

/// A statement of one of the versions.
struct VersionStatement {
    card: usize,
    statement: Statement,
    text: String,
    terms: BTreeSet<String>,
}

/// Returns the changes between the two versions that the question is about, or those of each amendment; `None` if it
/// asks for no changes, or if no two documents of the evidence are versions of one and none amends another.
pub(super) fn changes(input: &WriteInput, language: Language, phrases: &Words) -> Option<String> {
    let cards = &input.evidence;
    let pairs = asked_pairs(&input.question, language, cards);
    let told = pairs.into_iter().map(|pair| {
        let both = SideBySide::of(pair, cards, language);
        let told = both.told(&input.question, phrases);
        let text: String = within(told, WORDS).iter().map(|change| change.line.as_str()).collect();
        let [new, old] = both.titles();
        if text.is_empty() { String::new() } else { format!("## {old} → {new}\n\n{text}\n") }
    });
    let text: String = told.collect();
    (!text.is_empty()).then_some(text)
}

/// The statements of two documents side by side.
struct SideBySide<'c> {
    pair: Pair,
    cards: &'c [EvidenceCard],
    language: Language,
    new: Vec<VersionStatement>,
    old: Vec<VersionStatement>,
    /// For each of `new`, the one of `old` that it replaces.
    partner: Vec<Option<usize>>,
}

impl<'c> SideBySide<'c> {
    fn of(pair: Pair, cards: &'c [EvidenceCard], language: Language) -> Self {
        let mut new = said(cards, &cards[pair.newer].path, language);
        let mut old = said(cards, &cards[pair.older].path, language);
        if pair.kind == Kind::Amendment {
            // Its items may also add something: "3. The tenant may use four parking spaces."
            new.retain(|one| {
                one.statement.form == Form::Item || amends(&one.text) || !stated_changes(&one.text).is_empty()
            });
        }
        if pair.kind == Kind::Issues {
            // Only figures of the same things can be compared; much more in each issue is about its own time.
            let has_key = |one: &VersionStatement| {
                key(&one.statement).is_some() && one.text.contains(|c: char| c.is_ascii_digit())
            };
            new.retain(has_key);
            old.retain(has_key);
        }
        let partner = match pair.kind {
            Kind::Amendment => amended(&new, &old, cards),
            kind => partners(&new, &old, kind == Kind::Issues),
        };
        SideBySide { pair, cards, language, new, old, partner }
    }

    /// The titles of the newer and of the older document.
    fn titles(&self) -> [String; 2] {
        [self.pair.newer, self.pair.older].map(|card| dated_title(&self.cards[card], self.cards))
    }

    /// Returns all changes: statements that are changed or new, then those that are gone.
    fn told(&self, question: &str, phrases: &Words) -> Vec<Change> {
        let [before, added, dropped] = [phrases.before, phrases.added, phrases.dropped].map(Words::spaced);
        let subject = self.subject(question);
        let is_asked = |one: &VersionStatement| {
            let heading = content_set(&one.statement.heading, self.language);
            subject.iter().any(|term| one.terms.contains(term) || heading.contains(term))
        };
        let quote = |one: &VersionStatement| cited(&safe(&one.text), self.cards[one.card].number);
        let (new, old, partner) = (&self.new, &self.old, &self.partner);
        let kind = self.pair.kind;
        let is_told =
            |index: usize| partner[index].map_or(kind != Kind::Issues, |other| old[other].text != new[index].text);
        let changed = (0..new.len()).filter(|&index| is_told(index)).map(|index| match partner[index] {
            Some(other) => Change {
                line: format!("- {}\n  - {before}{}\n", quote(&new[index]), quote(&old[other])),
                words: word_count(&new[index].text) + word_count(&old[other].text),
                is_asked: is_asked(&new[index]) || is_asked(&old[other]),
                weight: 2,
            },
            None => {
                let quote = quote(&new[index]);
                let line =
                    if amends(&new[index].text) { format!("- {quote}\n") } else { format!("- {added}{quote}\n") };
                Change { line, words: word_count(&new[index].text), is_asked: is_asked(&new[index]), weight: 1 }
            }
        });
        // What an amendment does not mention stays in force.
        let is_gone = |index: &usize| kind == Kind::Versions && !partner.contains(&Some(*index));
        let gone = (0..old.len()).filter(is_gone).map(|index| Change {
            line: format!("- {dropped}{}\n", quote(&old[index])),
            words: word_count(&old[index].text),
            is_asked: is_asked(&old[index]),
            weight: 0,
        });
        changed.chain(gone).collect()
    }

    /// Returns the terms asked for beyond those that name the documents.
    fn subject(&self, question: &str) -> BTreeSet<String> {
        let named = content_set(&self.titles().join(" "), self.language);
        let mut asked = question_terms(question, self.language);
        asked.retain(|term| !named.contains(term) && !asks_what_changed(term) && is_informative_term(term));
        asked
    }
}

/// For each statement of an amendment, finds the one of the amended document that it gives new words.
fn amended(new: &[VersionStatement], old: &[VersionStatement], cards: &[EvidenceCard]) -> Vec<Option<usize>> {
    let by: Vec<Option<(usize, Statement)>> =
        old.iter().map(|one| amending_statement(&one.statement, one.card, cards)).collect();
    let is_by = |one: &VersionStatement, by: &Option<(usize, Statement)>| {
        by.as_ref().is_some_and(|(card, statement)| *card == one.card && statement.range == one.statement.range)
    };
    new.iter().map(|one| by.iter().position(|by| is_by(one, by))).collect()
}

/// For each of `new`, finds the one of `old` on the same thing, if there is one. Each is matched once, the most alike
/// first.
fn partners(new: &[VersionStatement], old: &[VersionStatement], are_issues: bool) -> Vec<Option<usize>> {
    let rarity = Rarity::of(new.iter().chain(old).map(|one| &one.terms));
    let mut pairs: Vec<(f32, usize, usize)> = Vec::new();
    for (a, one) in new.iter().enumerate() {
        for (b, other) in old.iter().enumerate() {
            let heading = !one.statement.heading.is_empty() && one.statement.heading == other.statement.heading;
            let likeness = rarity.overlap(&one.terms, &other.terms) + if heading { SAME_HEADING } else { 0.0 };
            if likeness >= ALIKE && (!are_issues || key(&one.statement) == key(&other.statement)) {
                pairs.push((likeness, a, b));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    let mut matched = vec![false; old.len()];
    for (_, a, b) in pairs {
        if partner[a].is_none() && !matched[b] {
            (partner[a], matched[b]) = (Some(b), true);
        }
    }
    partner
}

/// A change as it is told.
struct Change {
    line: String,
    words: usize,
    /// Whether it is on what the question asks for.
    is_asked: bool,
    /// A changed statement weighs more than a new one, and a new one more than one that is gone.
    weight: u8,
}

/// Keeps the changes that weigh most within `most` words: those on what is asked, then the others, each in their order.
fn within(changes: Vec<Change>, most: usize) -> Vec<Change> {
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse((changes[index].is_asked, changes[index].weight)));
    let mut left = most;
    let mut kept = BTreeSet::new();
    for index in order {
        if changes[index].words <= left {
            left -= changes[index].words;
            kept.insert(index);
        }
    }
    let kept = changes.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, change)| change);
    let (asked, others): (Vec<Change>, Vec<Change>) = kept.partition(|change| change.is_asked);
    asked.into_iter().chain(others).collect()
}

/// Returns the meaningful statements of one document, each once, in the order of its passages.
fn said(cards: &[EvidenceCard], path: &str, language: Language) -> Vec<VersionStatement> {
    let mut found: Vec<VersionStatement> = Vec::new();
    for (card, statement) in statements_of(cards, path) {
        let text = statement.shown();
        let terms = content_set(&text, language);
        // A number followed by one word is the heading of a clause; a sentence may be as short: "Smoking is forbidden."
        let is_whole = || is_prose(&statement.text) && !statement.text.starts_with(|c: char| c.is_numeric());
        let least = match statement.form {
            Form::Sentence if !is_whole() => 4,
            Form::Sentence => 2,
            Form::Item => 2,
            _ => 1,
        };
        if word_count(&text) >= least && !terms.is_empty() && found.iter().all(|other| other.text != text) {
            found.push(VersionStatement { card, statement, text, terms });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::SubQuery;
    use crate::offline::testing::{card, write_input};
    use crate::report::words;

    fn asked(question: &str, language: &str, evidence: Vec<EvidenceCard>) -> WriteInput {
        WriteInput {
            language: language.to_owned(),
            asked: vec![SubQuery { text: question.to_owned(), collections: vec![] }],
            ..write_input(question, evidence)
        }
    }

    fn told(question: &str, old: &str, new: &str) -> Option<String> {
        let version = |number: usize, date: &str, text: &str| EvidenceCard {
            path: format!("travel-{date}.md"),
            date: date.to_owned(),
            ..card(number, "Travel policy", "", text)
        };
        let input = asked(question, "English", vec![version(1, "2021-02-01", old), version(2, "2024-04-01", new)]);
        changes(&input, Language::ENGLISH, words(Language::ENGLISH))
    }

    #[test]
    fn changes_on_what_is_asked_come_first() {
        let old = "Meals are paid up to 20 euros.\n\nHotels are paid up to 90 euros a night.";
        let new = "Meals are paid up to 25 euros.\n\nHotels are paid up to 110 euros a night.";
        let first = |question: &str| {
            let told = told(question, old, new).unwrap();
            told.lines().find(|line| line.starts_with("- ")).unwrap_or_default().to_owned()
        };
        assert!(first("What changed in the travel policy?").starts_with("- Meals"));
        assert!(first("What changed in the travel policy for hotels?").starts_with("- Hotels"));
    }

    #[test]
    fn changes_are_told_with_their_old_and_their_new_wording() {
        let old =
            "A hotel night may cost up to £95. Taxis need the approval of the office. Receipts are kept for a year.";
        let new = "A hotel night may cost up to £120. Receipts are kept for a year. Bicycles are paid by the mile.";
        let told = told("What changed in the travel policy?", old, new).expect("changes");
        assert!(
            told.contains(
                "- A hotel night may cost up to £120 [2].\n  - Before: A hotel night may cost up to £95 [1]."
            ),
            "{told}"
        );
        assert!(told.contains("- New: Bicycles are paid by the mile [2]."), "{told}");
        assert!(told.contains("- No longer there: Taxis need the approval"), "{told}");
        assert!(!told.contains("Receipts"), "{told}");
    }

    #[test]
    fn a_short_sentence_changes_too() {
        let told = told("What changed in the travel policy?", "Smoking is permitted.", "Smoking is forbidden.");
        assert!(told.is_some_and(|told| told.contains("Smoking is forbidden [2]")));
    }

    #[test]
    fn two_issues_of_a_series_compare_in_their_figures() {
        let issue = |number: usize, quarter: &str, text: &str| EvidenceCard {
            path: format!("quarterly_report_2026-{quarter}.md"),
            date: format!("2026-{quarter}"),
            ..card(number, &format!("Quarterly report, {quarter} 2026"), "", text)
        };
        let table = |revenue: &str| {
            format!("Figures:\n\n| | EUR m |\n|---|---|\n| Revenue | {revenue} |\n\nSix people of {revenue} were new.")
        };
        let check = |question: &str, expected: Option<&str>| {
            let evidence =
                vec![issue(1, "q1", &table("5.6")), issue(2, "q2", &table("6.6")), issue(3, "q3", &table("7"))];
            let told = changes(&asked(question, "English", evidence), Language::ENGLISH, words(Language::ENGLISH));
            assert_eq!(told.as_deref().and_then(|told| told.split_once("\n\n")).map(|(_, told)| told.trim()), expected);
        };
        check(
            "How did revenue change from the first to the second quarter of 2026?",
            Some("- Revenue; EUR m: 6.6 [2].\n  - Before: Revenue; EUR m: 5.6 [1]."),
        );
        check(
            "What changed between Q2 and Q3?",
            Some("- Revenue; EUR m: 7 [3].\n  - Before: Revenue; EUR m: 6.6 [2]."),
        );
        check("How did revenue change in the second quarter?", None);
    }

    #[test]
    fn other_questions_and_equal_versions_have_no_changes() {
        assert_eq!(
            told("How much may a hotel cost?", "A night costs £95 at most.", "A night costs £120 at most."),
            None
        );
        assert_eq!(told("What changed?", "A night costs £95 at most.", "A night costs £95 at most."), None);
    }
}
