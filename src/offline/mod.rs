//! The backend that needs no model and no network: it splits questions into parts, follows the names that passages
//! bring in, and writes reports of quoted sentences. It reads the typed inputs of a request and never its rendered
//! text, and the same input always gives the same reply.
//!
//! It does not reason, and says so: [`ChatModel::reasons`] is false, and every report ends with a note.

mod account;
mod act;
mod answer;
mod asking;
mod brief;
mod candidates;
mod change;
mod choose;
mod clauses;
mod compare;
mod describe;
mod disagreement;
mod entities;
mod follow;
mod force;
mod head;
mod hops;
mod joined;
mod leaning;
mod lookup;
mod named;
mod namesakes;
mod plan;
mod prose;
mod quiz;
mod reflect;
mod render;
mod revise;
mod route;
mod split;
mod statements;
mod tables;
mod terms;
#[cfg(test)]
mod testing;
mod unclear;
mod wanted;
mod write;

use std::time::Instant;

use async_trait::async_trait;

use crate::domain::Usage;
use crate::llm::{ChatModel, ChatReply, ChatRequest, Delta, DeltaSink, Finish, Input, LlmError, Purpose, ToolCall};
pub use force::may_amend;
pub use leaning::stands_alone;
pub use lookup::asks_for_whole_table;
pub use unclear::{Meaning, OpenPoint, open_points};

/// The backend's name in configurations, bills and reports.
pub const NAME: &str = "extractive";

/// How many times longer an account of a change is than other accounts.
const OF_CHANGE: usize = 3;

/// Limits of the offline backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtractiveOptions {
    /// Most searches for names that one reflection on a narrow question may ask for.
    pub bridges: usize,
    /// Approximate number of words of a report when the evidence is rich; disagreements come on top.
    pub report_words: usize,
    /// Most questions in a chain.
    pub rounds: usize,
    /// How often the names in a narrow question's passages are followed. Each hop leads further from the question, and
    /// names found through two other names seldom answer it.
    pub hops: usize,
}

impl Default for ExtractiveOptions {
    fn default() -> Self {
        ExtractiveOptions { bridges: 6, report_words: 230, rounds: 4, hops: 1 }
    }
}

/// The offline backend.
#[derive(Clone, Debug)]
pub struct ExtractiveModel {
    options: ExtractiveOptions,
}

impl ExtractiveModel {
    /// Creates a backend with these options.
    pub fn new(options: ExtractiveOptions) -> Self {
        ExtractiveModel { options }
    }

    /// Returns the reply to `input`, in the pieces in which it is streamed.
    fn reply(&self, input: &Input, words: usize) -> Result<Vec<String>, serde_json::Error> {
        Ok(match input {
            Input::Plan(input) => vec![serde_json::to_string(&plan::plan(input))?],
            Input::Reflect(input) => {
                vec![serde_json::to_string(&reflect::reflect(input, self.options))?]
            }
            Input::Follow(input) => vec![serde_json::to_string(&follow::follow(input, self.options))?],
            Input::Choose(input) => vec![serde_json::to_string(&choose::choose(input))?],
            // Its reply consists of tool calls, without text.
            Input::Act(_) => Vec::new(),
            Input::Outline(input) => vec![serde_json::to_string(&account::outline(input))?],
            Input::Write(input) => write::write(input, words),
            Input::Describe(input) => vec![serde_json::json!({ "description": describe::describe(input) }).to_string()],
            Input::Quiz(input) => vec![serde_json::to_string(&quiz::quiz(input))?],
            Input::Revise(input) => vec![serde_json::to_string(&revise::revise(input))?],
        })
    }

    /// Returns the tools that it calls in reply to `input`.
    fn calls(&self, input: &Input) -> Vec<ToolCall> {
        match input {
            Input::Act(input) => act::act(input, self.options),
            _ => Vec::new(),
        }
    }
}

#[async_trait]
impl ChatModel for ExtractiveModel {
    fn name(&self, _purpose: Purpose) -> &str {
        NAME
    }

    async fn chat(&self, request: &ChatRequest, sink: DeltaSink<'_>) -> Result<ChatReply, LlmError> {
        let started = Instant::now();
        // A word, with its share of citations and markup, takes about a token and a half.
        let allowed =
            request.max_tokens.map_or(usize::MAX, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX) / 3 * 2);
        let usual = self.options.report_words;
        let wanted = match &request.input {
            // An account of a change tells both the old and the new state.
            Input::Write(input) => {
                account::wanted(input).or_else(|| change::asks_for_change(&input.question).then_some(OF_CHANGE * usual))
            }
            _ => None,
        };
        let words = wanted.unwrap_or(usual).min(allowed);
        // The work is pure computation over a bounded prompt, but it still runs off the runtime's threads.
        let done = {
            let (model, input) = (self.clone(), request.input.clone());
            let work =
                move || -> Result<_, serde_json::Error> { Ok((model.reply(&input, words)?, model.calls(&input))) };
            tokio::task::spawn_blocking(work).await
        };
        let unusable = |reason: String| LlmError::Unusable {
            model: NAME.to_owned(),
            purpose: request.purpose().name(),
            reason,
            usage: Usage::free(0),
        };
        let (pieces, tool_calls) = done
            .map_err(|error| unusable(format!("the extraction was stopped: {error}")))?
            .map_err(|error| unusable(format!("the reply cannot be written as JSON: {error}")))?;
        for piece in &pieces {
            sink(Delta::Text(piece));
        }
        let text = pieces.concat();
        Ok(ChatReply {
            usage: Usage::free(0),
            text,
            reasoning: String::new(),
            finish: if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls },
            tool_calls,
            model: NAME.to_owned(),
            elapsed: started.elapsed(),
        })
    }

    fn reasons(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::purpose::{DescribeInput, Plan, PlanInput, ReflectInput, Reflection};

    fn ask(input: Input) -> (ChatReply, Vec<String>) {
        let request = ChatRequest {
            messages: vec![],
            input,
            schema: None,
            tools: vec![],
            max_tokens: None,
            max_requests: None,
            time_left: None,
        };
        let model = ExtractiveModel::new(ExtractiveOptions::default());
        let mut deltas = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let mut sink = |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                deltas.push(text.to_owned());
            }
        };
        let reply = runtime.block_on(model.chat(&request, &mut sink)).expect("a reply");
        (reply, deltas)
    }

    fn question() -> String {
        "How did the harbour of Arles grow?".to_owned()
    }

    #[test]
    fn structured_replies_are_the_json_of_their_types() {
        let today = "2026-01-01".to_owned();
        let (plan, _) = ask(Input::Plan(PlanInput {
            known: Vec::new(),
            question: question(),
            language: "English".to_owned(),
            collections: vec![],
            max_sub_queries: 4,
            today: today.clone(),
        }));
        assert_eq!(serde_json::from_str::<Plan>(&plan.text).expect("a plan").sub_queries[0].query, question());
        let (reflection, _) = ask(Input::Reflect(ReflectInput {
            question: question(),
            language: "English".to_owned(),
            asked: vec![],
            evidence: vec![],
            collections: vec![],
            round: 1,
            max_sub_queries: 4,
            today,
        }));
        assert!(serde_json::from_str::<Reflection>(&reflection.text).expect("a reflection").enough);
    }

    #[test]
    fn the_pieces_joined_are_the_reply_and_it_costs_nothing() {
        let evidence = vec![
            testing::card(1, "Arles", "", "The harbour of Arles grew with the salt trade of the north."),
            testing::card(2, "Salt", "", "Salt came down the river to the harbour of Arles in flat boats."),
        ];
        let (reply, deltas) = ask(Input::Write(testing::write_input(&question(), evidence)));
        assert!(deltas.len() > 1, "{deltas:?}");
        assert_eq!(deltas.concat(), reply.text);
        assert_eq!((reply.usage.calls, reply.usage.usd), (0, Some(0.0)));
    }

    #[test]
    fn descriptions_are_short() {
        let (reply, _) = ask(Input::Describe(DescribeInput {
            name: "docs".to_owned(),
            titles: vec!["The salt trade".to_owned()],
            vocabulary: vec!["salt".to_owned(), "harbour".to_owned()],
            samples: vec![],
        }));
        let told: serde_json::Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!(told["description"], "Documents on salt and harbour, such as “The salt trade”.");
    }
}
