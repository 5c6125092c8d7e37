//! A chain without reasoning: the answer is the sentence that holds most of what was asked, and the next question is
//! the first that reflection would ask.

use std::collections::BTreeSet;

use super::ExtractiveOptions;
use super::reflect::reflect;
use super::statements::statements;
use super::terms::{Rarity, content_set, language_of};
use crate::base::text::{Language, excerpt};
use crate::domain::SubQuery;
use crate::llm::purpose::{FollowInput, Followed, PlannedQuery, ReflectInput};

/// The longest answer to one question, in characters; a longer sentence is cut.
const MAX_ANSWER_CHARS: usize = 300;

/// Answers the question that was searched last and asks the next one, for at most `options.rounds` questions.
pub(super) fn follow(input: &FollowInput, options: ExtractiveOptions) -> Followed {
    let language = language_of(&input.language, &input.question);
    let asked = input.steps.iter().map(|step| step.question.as_str()).chain([input.asked.as_str()]);
    let reflection = reflect(
        &ReflectInput {
            question: input.question.clone(),
            language: input.language.clone(),
            asked: asked.map(|text| SubQuery { text: text.to_owned(), collections: Vec::new() }).collect(),
            evidence: input.evidence.clone(),
            collections: input.collections.clone(),
            round: input.steps.len() + 1,
            max_sub_queries: 1,
            today: input.today.clone(),
        },
        // One name per step, and as many steps as there may be rounds.
        ExtractiveOptions { bridges: 1, hops: options.rounds, ..options },
    );
    let none = PlannedQuery { query: String::new(), collections: Vec::new() };
    let next = reflection.sub_queries.into_iter().next().filter(|_| input.left != Some(0));
    Followed {
        answer: answer(input, language).unwrap_or_else(|| reflection.reason.clone()),
        helpful: reflection.helpful,
        done: next.is_none(),
        next: next.unwrap_or(none),
    }
}

/// Returns the sentence that holds most of the question's telling words; ties go to the first.
fn answer(input: &FollowInput, language: Language) -> Option<String> {
    let statements: Vec<(String, BTreeSet<String>)> = input
        .evidence
        .iter()
        .flat_map(|card| {
            let title = content_set(&card.title, language);
            statements(card).into_iter().map(move |statement| (title.clone(), statement.text))
        })
        .map(|(title, statement)| {
            let terms = content_set(&statement, language).union(&title).cloned().collect();
            (statement, terms)
        })
        .collect();
    let rarity = Rarity::of(statements.iter().map(|(_, terms)| terms));
    let wanted = content_set(&input.asked, language);
    let mut best: Option<(f32, &str)> = None;
    for (statement, terms) in &statements {
        let share = rarity.coverage(&wanted, terms);
        if share > best.map_or(0.0, |(most, _)| most) {
            best = Some((share, statement));
        }
    }
    best.map(|(_, statement)| excerpt(statement, MAX_ANSWER_CHARS).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::ChainStep;
    use crate::offline::testing::card;

    fn input(asked: &str, steps: Vec<ChainStep>) -> FollowInput {
        FollowInput {
            question: "Who was the first president of the association which published the Salt Journal?".to_owned(),
            language: "English".to_owned(),
            steps,
            asked: asked.to_owned(),
            evidence: vec![
                card(1, "Potatoes", "", "A potato is a starchy tuber that grows underground in most climates."),
                card(
                    2,
                    "Salt Journal",
                    "",
                    "The Salt Journal is old. It is published by the Harbour Association of Arles.",
                ),
            ],
            collections: vec![],
            left: None,
            known: Vec::new(),
            today: "2026-01-01".to_owned(),
        }
    }

    #[test]
    fn the_answer_is_quoted_and_its_name_is_asked_for() {
        let first = input("Who was the first president of the association which published the Salt Journal?", vec![]);
        let followed = follow(&first, ExtractiveOptions::default());
        assert_eq!(followed.answer, "It is published by the Harbour Association of Arles.");
        assert!(!followed.done && followed.next.query.contains("Harbour Association"), "{followed:?}");
        assert_eq!(followed.helpful, [2]);
    }

    #[test]
    fn it_ends_where_no_more_may_be_asked() {
        let mut last = input("Who published the Salt Journal?", vec![]);
        last.left = Some(0);
        let followed = follow(&last, ExtractiveOptions::default());
        assert!(followed.done && followed.next.query.is_empty(), "{followed:?}");
    }
}
