//! A planner that knows the decomposition of each question of a set. It asks the set's own follow-up questions in
//! order, with the set's own answers filled in, so that a run measures the engine apart from the model.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;

use super::dataset::Dataset;
use super::gold_tools;
use crate::base::text::{estimate_tokens, one_line, short_line};
use crate::domain::SubQuery;
use crate::llm::purpose::{
    Choice, ChosenStrategy, EvidenceCard, Outlined, Plan, PlannedQuery, Quiz, ReflectInput, Reflection, Revised,
    WriteInput,
};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose};

/// The model's name in results.
pub const GOLD: &str = "gold";

/// Passages quoted in its report.
const QUOTED: usize = 20;
/// The most characters of each quote.
const QUOTE_CHARS: usize = 200;

/// Why a set gives no gold planner.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    /// A query's metadata has no usable decomposition.
    #[error(
        "the set {set} has no gold decomposition for the query {query} ({reason}); the gold planner needs \
         metadata.decomposition: a list of objects with `question` and `answer`, where #1 stands for the first answer"
    )]
    NoDecomposition {
        /// The set's name.
        set: String,
        /// The query's id.
        query: String,
        /// What is missing or wrong.
        reason: String,
    },
}

/// One follow-up question of a decomposition.
#[derive(Clone, Debug, Deserialize)]
struct Hop {
    question: String,
    answer: String,
}

#[derive(Deserialize)]
struct Notes {
    decomposition: Vec<Hop>,
}

/// One step: its question with earlier answers filled in, its answer, and the steps that must come before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub query: String,
    pub answer: String,
    pub after: Vec<usize>,
}

/// The planner of one set.
pub struct GoldModel {
    /// The steps of each question, by the question's words.
    steps: BTreeMap<String, Vec<Step>>,
    /// Whether it reads every passage that a search shows, when it has the tools.
    reads_all: bool,
}

impl GoldModel {
    /// Reads the decompositions of all queries of `set`.
    ///
    /// `reads_all`: whether it reads every passage that a search shows, when it has the tools.
    pub fn of(set: &Dataset, reads_all: bool) -> Result<Self, GoldError> {
        let mut steps = BTreeMap::new();
        for query in &set.queries {
            let refuse =
                |reason: String| GoldError::NoDecomposition { set: set.name.clone(), query: query.id.clone(), reason };
            let notes =
                Notes::deserialize(&query.metadata).map_err(|error| refuse(format!("its metadata: {error}")))?;
            if notes.decomposition.is_empty() {
                return Err(refuse("it is empty".to_owned()));
            }
            steps.insert(one_line(query.text.trim()), steps_of(&notes.decomposition).map_err(refuse)?);
        }
        Ok(GoldModel { steps, reads_all })
    }

    fn steps(&self, question: &str) -> &[Step] {
        self.steps.get(&one_line(question.trim())).map_or(&[], Vec::as_slice)
    }

    fn plan(&self, question: &str, most: usize) -> Plan {
        Plan { reason: "the set's first hops".to_owned(), sub_queries: open(self.steps(question), &[], most) }
    }

    fn reflect(&self, input: &ReflectInput) -> Reflection {
        let steps = self.steps(&input.question);
        let asked = asked(steps, &input.asked);
        let sub_queries = open(steps, &asked, input.max_sub_queries);
        Reflection {
            reason: format!("{} of {} hops are answered", asked.len(), steps.len()),
            helpful: helpful(steps, input),
            enough: sub_queries.is_empty(),
            sub_queries,
        }
    }
}

/// The steps with their references filled in. A reference is `#` and the number of an earlier step.
fn steps_of(hops: &[Hop]) -> Result<Vec<Step>, String> {
    let mut steps = Vec::with_capacity(hops.len());
    for (index, hop) in hops.iter().enumerate() {
        let (mut query, mut after) = (String::new(), Vec::new());
        let mut rest = hop.question.as_str();
        while let Some((before, from)) = rest.split_once('#') {
            query.push_str(before);
            let digits = from.len() - from.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, remaining) = from.split_at(digits);
            match number.parse::<usize>() {
                Ok(number) if (1..=index).contains(&number) => {
                    query.push_str(&hops[number - 1].answer);
                    after.push(number - 1);
                }
                Ok(number) => return Err(format!("step {} refers to #{number}, which is no earlier step", index + 1)),
                Err(_) => query.push('#'),
            }
            rest = remaining;
        }
        query.push_str(rest);
        steps.push(Step { query: one_line(&query), answer: hop.answer.clone(), after });
    }
    Ok(steps)
}

/// The steps that were asked. A step that the loop dropped, because an earlier search had the same words, counts if a
/// later step that builds on it was asked.
pub(super) fn asked(steps: &[Step], queries: &[SubQuery]) -> Vec<usize> {
    let mut asked: Vec<usize> = Vec::new();
    for (index, step) in steps.iter().enumerate().rev() {
        let builds_on = |later: &usize| steps[*later].after.contains(&index);
        if queries.iter().any(|query| query.text == step.query) || asked.iter().any(builds_on) {
            asked.push(index);
        }
    }
    asked
}

/// At most `most` steps that can be asked now: those whose references are all answered.
pub(super) fn open(steps: &[Step], asked: &[usize], most: usize) -> Vec<PlannedQuery> {
    steps
        .iter()
        .enumerate()
        .filter(|(index, step)| !asked.contains(index) && step.after.iter().all(|before| asked.contains(before)))
        .map(|(_, step)| PlannedQuery { query: step.query.clone(), collections: Vec::new() })
        .take(most)
        .collect()
}

/// The passages that the steps found, one of each step in turn, best first, so that all steps are among the first.
fn helpful(steps: &[Step], input: &ReflectInput) -> Vec<usize> {
    let by_step = |step: &Step| -> Vec<usize> {
        let query = input.asked.iter().position(|query| query.text == step.query);
        let standing = |card: &EvidenceCard| {
            let place = card.found_by.iter().position(|&other| Some(other) == query)?;
            Some((card.standings.get(place).copied()?, card.number))
        };
        let mut found: Vec<(f32, usize)> = input.evidence.iter().filter_map(standing).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(_, number)| number).collect()
    };
    let lists: Vec<Vec<usize>> = steps.iter().map(by_step).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut numbers = Vec::new();
    for turn in 0..longest {
        for number in lists.iter().filter_map(|list| list.get(turn)) {
            if !numbers.contains(number) {
                numbers.push(*number);
            }
        }
    }
    numbers
}

/// The report: quotes of the first passages.
fn report(input: &WriteInput) -> String {
    let quote = |card: &EvidenceCard| {
        let text = short_line(&card.text, QUOTE_CHARS).replace(['[', ']'], "");
        format!("- “{text}” [{}]\n", card.number)
    };
    let quotes: String = input.evidence.iter().take(QUOTED).map(quote).collect();
    format!("# {}\n\n{quotes}", one_line(&input.question))
}

#[async_trait]
impl ChatModel for GoldModel {
    fn name(&self, _purpose: Purpose) -> &str {
        GOLD
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let text = match &request.input {
            Input::Plan(input) => serde_json::to_string(&self.plan(&input.question, input.max_sub_queries)),
            Input::Reflect(input) => serde_json::to_string(&self.reflect(input)),
            Input::Follow(input) => serde_json::to_string(&gold_tools::follow(self.steps(&input.question), input)),
            Input::Choose(_) => serde_json::to_string(&Choice {
                reason: "the set's questions are planned".to_owned(),
                strategy: ChosenStrategy::Deep,
            }),
            // The reply is tool calls without text.
            Input::Act(_) => Ok(String::new()),
            // Without headings, a report is written in one call.
            Input::Outline(_) => serde_json::to_string(&Outlined { sections: Vec::new() }),
            Input::Write(input) => Ok(report(input)),
            Input::Describe(input) => Ok(format!("Documents of {}.", input.name)),
            Input::Quiz(_) => serde_json::to_string(&Quiz { questions: Vec::new() }),
            Input::Revise(_) => serde_json::to_string(&Revised { sentences: Vec::new() }),
        };
        let text = text.map_err(|error| LlmError::Unusable {
            model: GOLD.to_owned(),
            purpose: request.purpose().name(),
            reason: format!("the reply cannot be written as JSON: {error}"),
            usage: request.free_usage(0),
        })?;
        let tool_calls = match &request.input {
            Input::Act(input) => gold_tools::act(self.steps(&input.question), input, self.reads_all),
            _ => Vec::new(),
        };
        sink(Delta::Text(&text));
        Ok(ChatReply {
            usage: request.free_usage(estimate_tokens(&text)),
            text,
            reasoning: String::new(),
            finish: if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls },
            tool_calls,
            model: GOLD.to_owned(),
            elapsed: Duration::ZERO,
        })
    }

    fn reasons(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::base::text::Language;
    use crate::eval::Query;

    fn set(metadata: Value) -> Dataset {
        let query = Query {
            id: "q1".to_owned(),
            text: "Who led  the land of the writer?".to_owned(),
            judgements: BTreeMap::new(),
            metadata,
        };
        Dataset { name: "tiny".to_owned(), passages: vec![], queries: vec![query], warnings: vec![] }
    }

    fn hops(hops: &[(&str, &str)]) -> Value {
        let hops: Vec<Value> = hops.iter().map(|(q, a)| json!({ "question": q, "answer": a })).collect();
        json!({ "decomposition": hops })
    }

    fn queries(planned: Vec<PlannedQuery>) -> Vec<String> {
        planned.into_iter().map(|query| query.query).collect()
    }

    fn reflect_input(asked: &[&str], evidence: Vec<EvidenceCard>) -> ReflectInput {
        ReflectInput {
            question: "Who led the land of the writer?".to_owned(),
            language: "English".to_owned(),
            asked: asked.iter().map(|text| SubQuery { text: (*text).to_owned(), collections: vec![] }).collect(),
            evidence,
            collections: vec![],
            round: 1,
            max_sub_queries: 6,
            today: "2026-01-01".to_owned(),
        }
    }

    const FOUR: [(&str, &str); 4] = [
        ("Brand >> author", "Ibsen"),
        ("Peer >> place", "Oslo"),
        ("land of #1 in #2", "Norway"),
        ("who led #3 ?", "X"),
    ];

    #[test]
    fn hops_are_asked_once_their_references_are_answered() {
        let gold = GoldModel::of(&set(hops(&FOUR)), false).unwrap();
        let question = "Who led the land of the writer?";
        assert_eq!(queries(gold.plan(question, 6).sub_queries), ["Brand >> author", "Peer >> place"]);
        assert_eq!(queries(gold.plan(question, 1).sub_queries), ["Brand >> author"]);
        let check = |asked: &[&str], expected: &[&str]| {
            let reflection = gold.reflect(&reflect_input(asked, vec![]));
            assert_eq!(queries(reflection.sub_queries), expected, "{asked:?}");
            assert_eq!(reflection.enough, expected.is_empty());
        };
        check(&[question, "Brand >> author", "Peer >> place"], &["land of Ibsen in Oslo"]);
        check(&[question, "Brand >> author"], &["Peer >> place"]);
        check(&[question, "Brand >> author", "Peer >> place", "land of Ibsen in Oslo"], &["who led Norway ?"]);
        // The second hop was dropped as already asked, but the third was asked.
        check(&[question, "Brand >> author", "land of Ibsen in Oslo", "who led Norway ?"], &[]);
    }

    #[test]
    fn the_best_of_every_hop_helps_first() {
        let card = |number: usize, found_by: usize, standing: f32| EvidenceCard {
            number,
            found_by: vec![found_by],
            standings: vec![standing],
            behind: vec![1.0 - standing],
            collection: String::new(),
            title: String::new(),
            path: String::new(),
            place: String::new(),
            date: String::new(),
            text: String::new(),
            language: Language::UNKNOWN,
            headings: crate::domain::Headings::default(),
            at: 0,
            score: 0.0,
            known: String::new(),
            answer: String::new(),
            new: false,
        };
        let evidence = vec![card(1, 0, 1.0), card(2, 1, 0.5), card(3, 1, 1.0), card(4, 2, 0.9)];
        let gold = GoldModel::of(&set(hops(&FOUR)), false).unwrap();
        let input = reflect_input(&["the question", "Brand >> author", "Peer >> place"], evidence);
        assert_eq!(gold.reflect(&input).helpful, [3, 4, 2]);
    }

    #[test]
    fn sets_without_a_decomposition_are_refused() {
        let check = |metadata: Value, expected: &str| {
            let error = GoldModel::of(&set(metadata), false).err().expect("a refusal").to_string();
            assert!(error.contains(expected) && error.contains("tiny") && error.contains("q1"), "{error}");
        };
        check(Value::Null, "no gold decomposition");
        check(json!({ "answers": [] }), "missing field `decomposition`");
        check(hops(&[]), "it is empty");
        check(hops(&[("of #1", "x")]), "refers to #1");
        check(hops(&[("a", "x"), ("of #3", "y")]), "refers to #3");
    }
}
