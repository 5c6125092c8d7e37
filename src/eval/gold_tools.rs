//! The gold planner for strategies without a plan: it uses the search tools, or follows a chain.
//!
//! With the tools it sends each open step to both searches. It then reads first the passages whose sentences contain
//! the step's answer, as a model that knows what it looks for would, and then others. Compared with reading every hit
//! whole, this measures what showing only sentences saves.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::agent::{holds, plain_words};
use super::gold::{Step, asked, open};
use crate::domain::SubQuery;
use crate::llm::ToolCall;
use crate::llm::purpose::{ActInput, FollowInput, Followed, PlannedQuery, ToolPassage, ToolResult};

/// Passages per search.
const WANTED: usize = 5;
/// The most passages read for a step: first those whose sentences contain its answer, then the others in order.
const READ: usize = 5;

/// The next tool calls.
pub(super) fn act(steps: &[Step], input: &ActInput, whole: bool) -> Vec<ToolCall> {
    ToolCall::tool_calls_of_turn(input.step + 1, next(steps, input, whole))
}

fn next(steps: &[Step], input: &ActInput, whole: bool) -> Vec<(&'static str, Value)> {
    let last: Vec<&ToolResult> = input.taken.iter().filter(|result| result.step == input.step).collect();
    let mut reading: Vec<(&str, u32)> = Vec::new();
    for step in steps.iter().filter(|step| last.iter().any(|result| is_search_of(result, step))) {
        for passage in to_read(step, input, whole) {
            let key = passage.key();
            if !reading.contains(&key) {
                reading.push(key);
            }
        }
    }
    if !reading.is_empty() {
        let read =
            |(doc_id, chunk_id)| ("chunk_read", json!({"doc_id": doc_id, "chunk_id": chunk_id, "neighbours": 0}));
        return reading.into_iter().map(read).collect();
    }
    let is_done = |step: &Step| input.taken.iter().any(|result| is_search_of(result, step));
    let done: Vec<usize> = (0..steps.len()).filter(|index| is_done(&steps[*index])).collect();
    let queries = open(steps, &done, usize::MAX);
    if queries.is_empty() {
        return vec![("finish", json!({"plan": "Every step was searched."}))];
    }
    let both = |planned: PlannedQuery| {
        let arguments = json!({"query": planned.query, "k": WANTED});
        [("semantic_search", arguments.clone()), ("keyword_search", arguments)]
    };
    queries.into_iter().flat_map(both).collect()
}

/// The passages worth reading among those that the searches of a step showed, merged by taking one of each search in
/// turn.
fn to_read<'i>(step: &Step, input: &'i ActInput, whole: bool) -> Vec<&'i ToolPassage> {
    let read: BTreeSet<(&str, u32)> = input.passages().filter(|passage| passage.whole).map(ToolPassage::key).collect();
    let lists: Vec<&Vec<ToolPassage>> =
        input.taken.iter().filter(|result| is_search_of(result, step)).map(|result| &result.passages).collect();
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let shown: Vec<&ToolPassage> = (0..longest)
        .flat_map(|turn| lists.iter().filter_map(move |list| list.get(turn)))
        .filter(|passage| seen.insert(passage.key()))
        .collect();
    let answer = plain_words(&step.answer);
    let answers =
        |passage: &&ToolPassage| holds(&plain_words(&format!("{} {}", passage.card.title, passage.card.text)), &answer);
    let mut sure: Vec<&ToolPassage> = shown.iter().copied().filter(answers).collect();
    // If many passages mention the answer, a document that the step names is the likeliest to state it.
    let asked = plain_words(&step.query);
    sure.sort_by_key(|passage| !holds(&asked, &plain_words(&passage.card.title)));
    let others = shown.iter().copied().filter(|passage| !answers(passage));
    let most = if whole { usize::MAX } else { READ };
    sure.iter().copied().chain(others).take(most).filter(|passage| !read.contains(&passage.key())).collect()
}

fn is_search_of(result: &ToolResult, step: &Step) -> bool {
    let arguments: Value = serde_json::from_str(&result.arguments).unwrap_or_default();
    result.tool.ends_with("_search") && arguments["query"] == step.query.as_str()
}

/// The set's answer to the step just searched, and the next step.
pub(super) fn follow(steps: &[Step], input: &FollowInput) -> Followed {
    let texts = input.steps.iter().map(|step| step.question.as_str()).chain([input.asked.as_str()]);
    let queries: Vec<SubQuery> =
        texts.map(|text| SubQuery { text: text.to_owned(), collections: Vec::new() }).collect();
    let next = open(steps, &asked(steps, &queries), 1).into_iter().next();
    let own = steps.iter().find(|step| step.query == input.asked);
    Followed {
        answer: own.map_or_else(|| "Not asked by the set.".to_owned(), |step| step.answer.clone()),
        // The whole question is not a step: its passages help only if a step finds them too.
        helpful: input.evidence.iter().filter(|_| own.is_some()).take(WANTED).map(|card| card.number).collect(),
        done: next.is_none(),
        next: next.unwrap_or(PlannedQuery { query: String::new(), collections: Vec::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Language;
    use crate::llm::purpose::EvidenceCard;

    fn steps() -> Vec<Step> {
        let step = |query: &str, answer: &str, after: &[usize]| Step {
            query: query.to_owned(),
            answer: answer.to_owned(),
            after: after.to_vec(),
        };
        vec![step("Who sang it?", "Hank Snow", &[]), step("Where did Hank Snow die?", "Tennessee", &[0])]
    }

    fn passage(doc: &str, whole: bool, text: &str) -> ToolPassage {
        let card = EvidenceCard {
            number: 0,
            collection: "set".to_owned(),
            title: String::new(),
            path: doc.to_owned(),
            place: String::new(),
            date: String::new(),
            text: text.to_owned(),
            language: Language::UNKNOWN,
            headings: crate::domain::Headings::default(),
            at: 0,
            score: 0.0,
            found_by: vec![],
            standings: vec![],
            behind: vec![],
            known: String::new(),
            answer: String::new(),
            new: false,
        };
        ToolPassage { doc_id: doc.to_owned(), chunk_id: 0, whole, card }
    }

    fn result(step: usize, tool: &str, query: &str, passages: Vec<ToolPassage>) -> ToolResult {
        ToolResult { step, tool: tool.to_owned(), arguments: json!({"query": query}).to_string(), passages }
    }

    fn check(taken: &[ToolResult], whole: bool, expected: &[(&str, &str)]) {
        let input = ActInput {
            question: "Where did the singer die?".to_owned(),
            language: "English".to_owned(),
            collections: vec![],
            taken: taken.to_vec(),
            step: taken.last().map_or(0, |result| result.step),
            max_steps: None,
            known: Vec::new(),
            today: String::new(),
        };
        let calls = act(&steps(), &input, whole);
        let found: Vec<(&str, &str)> = calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for ((name, arguments), (expected, part)) in found.iter().zip(expected) {
            assert!(name == expected && arguments.contains(part), "{name} {arguments}: {part}");
        }
    }

    #[test]
    fn it_reads_what_shows_the_answer_and_asks_on() {
        let ask = |query| [("semantic_search", query), ("keyword_search", query)];
        check(&[], false, &ask("Who sang it?"));
        let mut found: Vec<ToolPassage> =
            ["d1", "d3", "d4", "d5", "d6"].map(|doc| passage(doc, false, "A list of songs.")).to_vec();
        found.insert(1, passage("d2", false, "By Hank Snow in 1962."));
        let mut taken = vec![result(1, "semantic_search", "Who sang it?", found.clone())];
        let read = |docs: &[&'static str]| docs.iter().map(|doc| ("chunk_read", *doc)).collect::<Vec<_>>();
        // First the passage with the answer, then the others, up to the limit per step.
        check(&taken, false, &read(&["d2", "d1", "d3", "d4", "d5"]));
        check(&taken, true, &read(&["d2", "d1", "d3", "d4", "d5", "d6"]));
        let whole = ["d1", "d2", "d3", "d4", "d5"].map(|doc| passage(doc, true, "A list of songs.")).to_vec();
        taken.push(result(2, "chunk_read", "", whole));
        check(&taken, false, &ask("Where did Hank Snow die?"));
        found.truncate(1);
        found.push(passage("d7", false, "A town in Tennessee."));
        taken.push(result(3, "keyword_search", "Where did Hank Snow die?", found));
        // Nothing is read twice.
        check(&taken, false, &read(&["d7"]));
        taken.push(result(4, "chunk_read", "", vec![passage("d7", true, "A town in Tennessee.")]));
        check(&taken, false, &[("finish", "plan")]);
    }
}
