//! Calls tools by rule: searches the question by keywords and by meaning, reads the best passages, searches for the
//! names that reflection finds open in them, and so on for a few rounds.

use std::collections::BTreeSet;

use serde_json::json;

use super::ExtractiveOptions;
use super::reflect::reflect;
use super::terms::{Rarity, content_set, language_of};
use crate::domain::SubQuery;
use crate::llm::ToolCall;
use crate::llm::purpose::{ActInput, EvidenceCard, ReflectInput, ToolPassage};

/// The number of passages that each search asks for.
const WANTED: usize = 10;
/// The number of passages read after a round of searches.
const READ: usize = 5;
/// The most searches that follow from what was read.
const FOLLOW_UPS: usize = 3;

/// Returns the next calls: searches and readings alternate until nothing is left to ask or `options.rounds` rounds of
/// searches were made.
pub(super) fn act(input: &ActInput, options: ExtractiveOptions) -> Vec<ToolCall> {
    ToolCall::tool_calls_of_turn(input.step + 1, next(input, options))
}

type Call = (&'static str, serde_json::Value);

fn next(input: &ActInput, options: ExtractiveOptions) -> Vec<Call> {
    let last = input.taken.iter().filter(|result| result.step == input.step);
    let has_searched = last.clone().any(|result| result.tool.ends_with("_search"));
    if input.taken.is_empty() {
        return keyword_and_semantic_calls(&input.question);
    }
    let done = input.taken.iter().filter(|result| result.tool.ends_with("_search")).map(|result| result.step);
    let done = done.collect::<BTreeSet<_>>().len();
    if has_searched {
        let reading = passages_to_read(input);
        if !reading.is_empty() {
            return reading;
        }
    }
    let last_chance = input.max_steps.is_some_and(|most| input.step + 2 > most);
    let follow_ups = if last_chance || done >= options.rounds { Vec::new() } else { follow_ups(input, done, options) };
    if follow_ups.is_empty() {
        return vec![("finish", json!({"plan": "The passages that were read."}))];
    }
    follow_ups.iter().flat_map(|query| keyword_and_semantic_calls(query)).collect()
}

fn keyword_and_semantic_calls(query: &str) -> Vec<Call> {
    let arguments = json!({"query": query, "k": WANTED});
    vec![("keyword_search", arguments.clone()), ("semantic_search", arguments)]
}

/// Of the passages that the last searches showed, picks those that hold most of what was asked.
fn passages_to_read(input: &ActInput) -> Vec<Call> {
    let shown: Vec<(&ToolPassage, String)> = input
        .taken
        .iter()
        .filter(|result| result.step == input.step)
        .flat_map(|result| result.passages.iter().map(|passage| (passage, query_of(&result.arguments))))
        .filter(|(passage, _)| !passage.whole)
        .collect();
    let read: BTreeSet<(&str, u32)> = input.passages().filter(|passage| passage.whole).map(ToolPassage::key).collect();
    let language = language_of(&input.language, &input.question);
    let terms: Vec<BTreeSet<String>> = shown
        .iter()
        .map(|(passage, _)| content_set(&format!("{}\n{}", passage.card.title, passage.card.text), language))
        .collect();
    let rarity = Rarity::of(&terms);
    let question = content_set(&input.question, language);
    let mut scored: Vec<(f32, usize)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, ((passage, query), terms)) in shown.iter().zip(&terms).enumerate() {
        if read.contains(&passage.key()) {
            continue;
        }
        let asked = rarity.coverage(&content_set(query, language), terms);
        scored.push((asked + 0.5 * rarity.coverage(&question, terms), index));
    }
    // Ties go to the passage that the search ranked higher.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = scored.into_iter().map(|(_, index)| shown[index].0).filter(|passage| seen.insert(passage.key()));
    best.take(READ)
        .map(|passage| ("chunk_read", json!({"doc_id": passage.doc_id, "chunk_id": passage.chunk_id, "neighbours": 0})))
        .collect()
}

/// Returns the queries that reflection on the passages read would search next.
fn follow_ups(input: &ActInput, done: usize, options: ExtractiveOptions) -> Vec<String> {
    let mut asked: Vec<String> = vec![input.question.clone()];
    for result in input.taken.iter().filter(|result| result.tool.ends_with("_search")) {
        let query = query_of(&result.arguments);
        if !asked.contains(&query) {
            asked.push(query);
        }
    }
    let newest = input.taken.iter().map(|result| result.step).max().unwrap_or(0);
    let evidence: Vec<EvidenceCard> = input
        .taken
        .iter()
        .flat_map(|result| result.passages.iter().map(move |passage| (result.step, passage)))
        .filter(|(_, passage)| passage.whole)
        .map(|(step, passage)| EvidenceCard { new: step == newest, ..passage.card.clone() })
        .collect();
    let input = ReflectInput {
        question: input.question.clone(),
        language: input.language.clone(),
        asked: asked.into_iter().map(|text| SubQuery { text, collections: Vec::new() }).collect(),
        evidence,
        collections: input.collections.clone(),
        round: done,
        max_sub_queries: FOLLOW_UPS,
        today: input.today.clone(),
    };
    reflect(&input, ExtractiveOptions { bridges: FOLLOW_UPS, ..options })
        .sub_queries
        .into_iter()
        .map(|planned| planned.query)
        .collect()
}

/// The query in a search's arguments, which this backend wrote itself.
fn query_of(arguments: &str) -> String {
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    arguments["query"].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::ToolResult;
    use crate::offline::testing::card;

    const QUESTION: &str = "Who was the first president of the association which published the Salt Journal?";

    fn passage(doc: u64, whole: bool, title: &str, text: &str) -> ToolPassage {
        let number = if whole { doc as usize } else { 0 };
        ToolPassage { doc_id: format!("d{doc}"), chunk_id: 0, whole, card: card(number, title, "", text) }
    }

    fn result(step: usize, tool: &str, query: &str, passages: Vec<ToolPassage>) -> ToolResult {
        ToolResult { step, tool: tool.to_owned(), arguments: json!({"query": query}).to_string(), passages }
    }

    fn input(step: usize, taken: Vec<ToolResult>) -> ActInput {
        ActInput {
            question: QUESTION.to_owned(),
            language: "English".to_owned(),
            collections: vec![],
            taken,
            step,
            max_steps: None,
            known: Vec::new(),
            today: "2026-01-01".to_owned(),
        }
    }

    fn check(input: &ActInput, expected: &[(&str, &str)]) {
        let calls = act(input, ExtractiveOptions::default());
        let found: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(found, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for (call, (_, part)) in calls.iter().zip(expected) {
            assert!(call.arguments.contains(part), "{part}: {}", call.arguments);
        }
        let ids: BTreeSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids.len(), calls.len());
    }

    #[test]
    fn it_searches_reads_follows_and_finishes() {
        let journal = "The Salt Journal is published by the Harbour Association of Arles.";
        let potato = "A potato is a starchy tuber.";
        let searched = result(
            1,
            "keyword_search",
            QUESTION,
            vec![passage(2, false, "Potatoes", potato), passage(1, false, "Salt Journal", journal)],
        );
        check(&input(0, vec![]), &[("keyword_search", "Salt Journal"), ("semantic_search", "Salt Journal")]);
        check(&input(1, vec![searched.clone()]), &[("chunk_read", "d1"), ("chunk_read", "d2")]);
        let read = result(2, "chunk_read", "", vec![passage(1, true, "Salt Journal", journal)]);
        let so_far = vec![searched, read];
        check(&input(2, so_far.clone()), &[("keyword_search", "Harbour Association"), ("semantic_search", "Harbour")]);
        let last = ActInput { max_steps: Some(3), ..input(2, so_far) };
        check(&last, &[("finish", "plan")]);
        check(&input(1, vec![result(1, "keyword_search", QUESTION, vec![])]), &[("finish", "plan")]);
    }
}
