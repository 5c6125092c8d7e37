//! A planner that knows how each question of a set comes apart: it asks the set's own follow-up questions, in their order,
//! with the set's own answers filled in. What a run finds with it measures the engine apart from the model.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;

use super::dataset::Dataset;
use crate::base::text::{estimate_tokens, excerpt, one_line};
use crate::domain::{SubQuery, Usage};
use crate::llm::purpose::{EvidenceCard, Plan, PlannedQuery, Purpose, ReflectInput, Reflection, WriteInput};
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError};

/// The model's name in results.
pub const GOLD: &str = "gold";

/// Passages that its report quotes.
const QUOTED: usize = 20;
/// How much of each.
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

/// One step: what is asked, answers filled in, and which steps must come before.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    query: String,
    after: Vec<usize>,
}

/// The planner of one set.
pub struct GoldModel {
    /// The steps of each question, by its words.
    steps: BTreeMap<String, Vec<Step>>,
}

impl GoldModel {
    /// Reads the decompositions of all queries of `set`.
    pub fn of(set: &Dataset) -> Result<Self, GoldError> {
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
        Ok(GoldModel { steps })
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
        steps.push(Step { query: one_line(&query), after });
    }
    Ok(steps)
}

/// The steps that were asked. One that the loop dropped, since an earlier search had its words, counts when a later one
/// was asked.
fn asked(steps: &[Step], queries: &[SubQuery]) -> Vec<usize> {
    let is_asked = |step: &Step| queries.iter().any(|query| query.text == step.query);
    let last = steps.iter().rposition(is_asked);
    let is_before = |step: usize| last.is_some_and(|last| steps[last].after.contains(&step));
    (0..steps.len()).filter(|&step| is_asked(&steps[step]) || is_before(step)).collect()
}

/// What can be asked now: steps whose references are all answered.
fn open(steps: &[Step], asked: &[usize], most: usize) -> Vec<PlannedQuery> {
    steps
        .iter()
        .enumerate()
        .filter(|(index, step)| !asked.contains(index) && step.after.iter().all(|before| asked.contains(before)))
        .map(|(_, step)| PlannedQuery { query: step.query.clone(), collections: Vec::new() })
        .take(most)
        .collect()
}

/// The passages that the steps found, the best of each in turn, so that the first of them are of all steps.
fn helpful(steps: &[Step], input: &ReflectInput) -> Vec<usize> {
    let by_step = |step: &Step| -> Vec<usize> {
        let query = input.asked.iter().position(|query| query.text == step.query);
        let found = |card: &&EvidenceCard| query.is_some_and(|query| card.found_by.contains(&query));
        let mut cards: Vec<&EvidenceCard> = input.evidence.iter().filter(found).collect();
        cards.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number)));
        cards.into_iter().map(|card| card.number).collect()
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

/// The first passages, quoted.
fn report(input: &WriteInput) -> String {
    let quote = |card: &EvidenceCard| {
        let text = one_line(&excerpt(&card.text, QUOTE_CHARS)).replace(['[', ']'], "");
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
            Input::Write(input) => Ok(report(input)),
            Input::Describe(input) => Ok(format!("Documents of {}.", input.name)),
            Input::Act(_) | Input::Follow(_) | Input::Choose(_) => {
                return Err(LlmError::Unscripted {
                    script: GOLD.to_owned(),
                    purpose: request.purpose().name(),
                    reason: "it plans and reflects, as the strategy `deep` asks it to".to_owned(),
                });
            }
        };
        let prompt_tokens = request.messages.iter().map(|message| estimate_tokens(&message.content)).sum();
        let usage = |completion_tokens| Usage {
            calls: 1,
            prompt_tokens,
            completion_tokens,
            usd: Some(0.0),
            estimated: true,
            ..Usage::default()
        };
        let text = text.map_err(|error| LlmError::Unusable {
            model: GOLD.to_owned(),
            purpose: request.purpose().name(),
            reason: format!("the reply cannot be written as JSON: {error}"),
            usage: usage(0),
        })?;
        sink(Delta::Text(&text));
        Ok(ChatReply {
            usage: usage(estimate_tokens(&text)),
            text,
            reasoning: String::new(),
            tool_calls: Vec::new(),
            finish: Finish::Stop,
            model: GOLD.to_owned(),
            elapsed: Duration::ZERO,
        })
    }

    fn reasons(&self) -> bool {
        false
    }
}
