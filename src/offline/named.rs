//! Which documents a question names, by their titles or their folders. Other documents are not asked for, unless they
//! speak of the named ones.

use std::collections::{BTreeMap, BTreeSet};

use super::prose::TITLE_PARTS;
use super::terms::{content_set, question_terms};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;

/// The documents that a question names.
pub(super) struct NamedDocuments {
    /// The names that the question holds, each as its terms.
    names: Vec<BTreeSet<String>>,
}

impl NamedDocuments {
    pub(super) fn of(question: &str, cards: &[EvidenceCard], language: Language) -> Self {
        let asked = question_terms(question, language);
        let mut documents: BTreeMap<&str, BTreeSet<BTreeSet<String>>> = BTreeMap::new();
        for card in cards {
            documents.entry(&card.path).or_insert_with(|| names(card, language));
        }
        let mut held: BTreeMap<&BTreeSet<String>, usize> = BTreeMap::new();
        for name in documents.values().flatten().filter(|name| name.is_subset(&asked)) {
            *held.entry(name).or_default() += 1;
        }
        // A name that most documents have does not tell them apart.
        let named = held.iter().filter(|(_, of)| **of * 2 <= documents.len()).map(|(name, _)| (*name).clone());
        NamedDocuments { names: named.collect() }
    }

    /// Whether a passage belongs to a named document or speaks of it; true if the question names none.
    pub(super) fn concerns(&self, card: &EvidenceCard, language: Language) -> bool {
        self.names.is_empty() || {
            let [file, folder] = names_in(&card.path);
            let held = content_set(&format!("{} {} {folder} {file} {}", card.title, card.place, card.text), language);
            self.names.iter().any(|name| name.is_subset(&held))
        }
    }
}

/// Returns a document's title and the words of its file's name.
pub(super) fn title_and_file(card: &EvidenceCard) -> String {
    format!("{} {}", card.title, card.file_name().replace(['_', '.'], " "))
}

/// Returns the names of a document: its title, the part of the title before a colon or a dash, and its folder.
fn names(card: &EvidenceCard, language: Language) -> BTreeSet<BTreeSet<String>> {
    let first = card.title.split(TITLE_PARTS).next().unwrap_or_default();
    let [_, folder] = names_in(&card.path);
    let terms = [card.title.as_str(), first, folder].into_iter().map(|name| content_set(name, language));
    terms.filter(|terms| terms.iter().any(|term| term.contains(char::is_alphabetic))).collect()
}

/// Returns the names of a document's file and of its folder.
fn names_in(path: &str) -> [&str; 2] {
    let mut parts = path.rsplit(['/', '\\']);
    [(); 2].map(|()| parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::testing::card;

    #[test]
    fn what_others_say_of_something_else_is_not_asked_for() {
        let cards = [
            card(1, "Tokio", "", "The current MSRV is 1.85."),
            card(2, "rand: Changelog", "", "Bump the MSRV to 1.63."),
            card(3, "reqwest", "", "An HTTP client. It needs tokio 1.0."),
            card(4, "Guide", "", "The MSRV is 1.60."),
        ];
        let check = |question: &str, expected: [bool; 4]| {
            let named = NamedDocuments::of(question, &cards, Language::ENGLISH);
            let found: Vec<bool> = cards.iter().map(|card| named.concerns(card, Language::ENGLISH)).collect();
            assert_eq!(found, expected, "{question}");
        };
        check("What is the MSRV of tokio?", [true, false, true, false]);
        check("What is the MSRV of rand?", [false, true, false, false]);
        check("How do rand and reqwest differ?", [false, true, true, false]);
        check("What is the MSRV?", [true; 4]);
    }
}
