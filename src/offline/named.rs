//! Which documents a question names, by their titles or their folders. Other documents are not asked for, unless they
//! speak of the named ones.

use std::collections::{BTreeMap, BTreeSet};

use super::prose::TITLE_PARTS;
use super::terms::{content_set, question_terms};
use crate::base::text::Language;
use crate::llm::purpose::EvidenceCard;
use crate::report::case_numbers;

/// The documents that a question names.
pub(super) struct NamedDocuments {
    /// The names that the question holds, each as its terms.
    names: Vec<BTreeSet<String>>,
}

impl NamedDocuments {
    pub(super) fn of(question: &str, cards: &[EvidenceCard], language: Language) -> Self {
        let asked = question_terms(question, language);
        let mut documents: BTreeMap<&str, &EvidenceCard> = BTreeMap::new();
        for card in cards {
            documents.entry(&card.path).or_insert(card);
        }
        let mut held: BTreeMap<BTreeSet<String>, BTreeSet<&str>> = BTreeMap::new();
        let mut numbered: BTreeSet<&str> = BTreeSet::new();
        for (&path, card) in &documents {
            for name in names(card, language).into_iter().filter(|name| name.is_subset(&asked)) {
                held.entry(name).or_default().insert(path);
            }
            let is_asked = |number: &String| content_set(number, language).is_subset(&asked);
            numbered.extend(Some(path).filter(|_| case_numbers(path).iter().any(is_asked)));
        }
        // A name that most documents have does not tell them apart, and neither does one that papers of other cases
        // than the named one have.
        let is_wider = |of: &BTreeSet<&str>| !of.is_disjoint(&numbered) && !of.is_subset(&numbered);
        held.retain(|_, of| of.len() * 2 <= documents.len() && !is_wider(of));
        NamedDocuments { names: held.into_keys().collect() }
    }

    /// Whether a passage belongs to a named document or speaks of it; true if the question names none.
    pub(super) fn concerns(&self, card: &EvidenceCard, language: Language) -> bool {
        self.names.is_empty() || {
            let [_, folder] = names_in(&card.path);
            let around = format!("{} {} {folder}", title_and_file(card), card.place);
            let held = content_set(&format!("{around} {}", card.text), language);
            self.names.iter().any(|name| name.is_subset(&held))
        }
    }
}

/// Returns a document's title and the words of its file's name.
pub(super) fn title_and_file(card: &EvidenceCard) -> String {
    format!("{} {}", card.title, card.file_name().replace(['_', '.'], " "))
}

/// Returns the names of a document: its title, the part of the title before a colon or a dash, its folder, and the
/// numbers of cases after which its file is named.
fn names(card: &EvidenceCard, language: Language) -> BTreeSet<BTreeSet<String>> {
    let first = card.title.split(TITLE_PARTS).next().unwrap_or_default();
    let [_, folder] = names_in(&card.path);
    let numbers = case_numbers(&card.path);
    let names = [card.title.as_str(), first, folder].into_iter().chain(numbers.iter().map(String::as_str));
    let terms = names.map(|name| content_set(name, language));
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

    #[test]
    fn a_number_names_the_paper_of_its_case() {
        let paper = |number: usize, path: &str| EvidenceCard {
            path: path.to_owned(),
            ..card(number, "稟議書", "", "決裁者: 鈴木一郎")
        };
        let others = [card(3, "旅費規程", "", "x"), card(4, "会則", "", "x")];
        let cards: Vec<_> =
            [paper(1, "稟議書_R7-042.md"), paper(2, "稟議書_R7-031.md")].into_iter().chain(others).collect();
        let check = |question: &str, expected: [bool; 4]| {
            let named = NamedDocuments::of(question, &cards, Language::from_code("jpn"));
            let found: Vec<bool> = cards.iter().map(|card| named.concerns(card, Language::from_code("jpn"))).collect();
            assert_eq!(found, expected, "{question}");
        };
        check("稟議書R7-042を決裁したのは誰ですか", [true, false, false, false]);
        check("稟議書を決裁したのは誰ですか", [true, true, false, false]);
    }
}
