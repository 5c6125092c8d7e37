use minijinja::context;

use super::queries::shortened_reason;
use super::run::{Next, Reply, Run, request};
use super::{AgentError, material};
use crate::domain::{Event, StopReason};
use crate::llm::purpose::{Plan, PlanInput, PlannedQuery};
use crate::llm::{ChatRequest, Input};
use crate::prompt::{PromptError, PromptName};

impl Run<'_> {
    /// What is searched first. Where the model cannot plan, it is the question itself.
    pub async fn plan(&mut self) -> Result<Next, AgentError> {
        let itself = PlannedQuery { query: self.question.to_owned(), collections: Vec::new() };
        match self.call::<Plan>(plan_request).await? {
            Reply::Done(plan) => {
                self.reason = shortened_reason(&plan.reason);
                if plan.sub_queries.iter().all(|planned| planned.query.trim().is_empty()) {
                    self.warn("the plan has no sub-query; the question itself is searched".to_owned());
                    return Ok(Next::Search(vec![itself]));
                }
                Ok(Next::Search(plan.sub_queries))
            }
            Reply::Failed(error) => {
                self.warn(format!("the plan failed, so the question itself is searched: {error}"));
                Ok(Next::Search(vec![itself]))
            }
            // Searching costs no call; only time and the user forbid it.
            Reply::Stop(StopReason::Budget) => {
                self.warn("the limits leave no call for a plan, so the question itself is searched".to_owned());
                Ok(Next::Search(vec![itself]))
            }
            Reply::Stop(reason) => Ok(Next::Stop(reason)),
        }
    }

    /// Tells of the sub-queries that are about to be searched first.
    pub(super) fn tell_plan(&self, queries: &[(usize, crate::domain::SubQuery)]) {
        let sub_queries = queries.iter().map(|(_, query)| query.clone()).collect();
        self.emit(&Event::Planned { sub_queries, reason: self.reason.clone() });
    }
}

fn plan_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let input = PlanInput {
        question: run.question.to_owned(),
        language: run.language.english_name().to_owned(),
        collections: run.cards_within(evidence_tokens),
        max_sub_queries: run.engine.options.max_sub_queries,
        known: run.known.clone(),
        today: run.today(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        max_sub_queries => input.max_sub_queries,
        collections => material::collections(&input.collections),
        single => input.collections.len() == 1,
        web => run.has_web(),
        known => material::known(&input.known),
    };
    Ok(request(run.engine.prompts.render(PromptName::Plan, variables)?, Input::Plan(input)))
}
