//! Cards for the tests of this module.

use super::statements::{Statement, statements};
use crate::base::text::Language;
use crate::domain::Headings;
use crate::llm::purpose::{CollectionCard, EvidenceCard, WriteInput};

/// An evidence card of the collection `docs`; its document is named after its title.
pub(super) fn card(number: usize, title: &str, place: &str, text: &str) -> EvidenceCard {
    EvidenceCard {
        known: String::new(),
        answer: String::new(),
        number,
        collection: "docs".to_owned(),
        title: title.to_owned(),
        path: format!("{title}.md"),
        place: place.to_owned(),
        date: String::new(),
        text: text.to_owned(),
        language: Language::UNKNOWN,
        headings: Headings::default(),
        at: 0,
        score: 1.0,
        found_by: vec![0],
        standings: vec![1.0],
        behind: vec![0.0],
        new: true,
    }
}

/// The statements of a passage with this text.
pub(super) fn stated(text: &str) -> Vec<Statement> {
    statements(&card(1, "", "", text))
}

/// A collection without samples.
pub(super) fn collection(name: &str, vocabulary: &str) -> CollectionCard {
    CollectionCard {
        name: name.to_owned(),
        description: String::new(),
        documents: 1,
        vocabulary: vocabulary.split_whitespace().map(str::to_owned).collect(),
        samples: Vec::new(),
    }
}

/// The input of a report on a question in English, without known searches.
pub(super) fn write_input(question: &str, evidence: Vec<EvidenceCard>) -> WriteInput {
    WriteInput {
        question: question.to_owned(),
        language: "English".to_owned(),
        asked: vec![],
        evidence,
        plan: None,
        incomplete: None,
        words: None,
        outline: Default::default(),
        earlier: Default::default(),
        today: "2026-01-01".to_owned(),
    }
}
