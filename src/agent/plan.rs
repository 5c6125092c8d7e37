use minijinja::context;

use super::call::{self, Reply, request};
use super::queries::{Next, shortened_reason};
use super::run::Run;
use super::{AgentError, prompt_text};
use crate::domain::StopReason;
use crate::llm::purpose::{Plan, PlanInput, PlannedQuery};
use crate::llm::{ChatRequest, Input};
use crate::prompt::PromptError;

/// The first searches: the plan that a person has accepted, or else the model's. If the model cannot plan, the question
/// itself is searched.
pub(super) async fn plan(run: &mut Run<'_>) -> Result<Next, AgentError> {
    let given: Vec<PlannedQuery> = run.engine.options.plan.iter().cloned().map(PlannedQuery::from).collect();
    if !given.is_empty() {
        return Ok(Next::Search(given));
    }
    let itself = PlannedQuery { query: run.question.text.to_owned(), collections: Vec::new() };
    make_plan(run, vec![itself], "the question itself is searched").await
}

/// Makes another plan, in view of a person's words on the plan `before`, which stays if the model has no other.
pub(super) async fn plan_again(
    run: &mut Run<'_>,
    words: String,
    before: Vec<PlannedQuery>,
) -> Result<Next, AgentError> {
    run.history.wishes.push(words);
    let failed = run.history.failed;
    let next = make_plan(run, before, "the plan stays as it was").await;
    run.history.failed = failed;
    next
}

/// Makes the model's plan. If there is none, `instead` is searched, which warnings describe as `what_then`.
async fn make_plan(run: &mut Run<'_>, instead: Vec<PlannedQuery>, what_then: &str) -> Result<Next, AgentError> {
    match call::structured::<Plan>(run, plan_request).await? {
        Reply::Done(plan) => {
            run.history.reason = shortened_reason(&plan.reason);
            if plan.sub_queries.iter().all(|planned| planned.query.trim().is_empty()) {
                run.warn(format!("the plan has no sub-query; {what_then}"));
                return Ok(Next::Search(instead));
            }
            Ok(Next::Search(plan.sub_queries))
        }
        Reply::Failed(error) => {
            run.history.failed = true;
            run.warn(format!("the plan failed, so {what_then}: {error}"));
            Ok(Next::Search(instead))
        }
        // Searching costs no call; only the time limit and the user forbid it.
        Reply::Stop(StopReason::Budget) => {
            run.warn(format!("the limits leave no call for a plan, so {what_then}"));
            Ok(Next::Search(instead))
        }
        // The user was told when the model failed.
        Reply::Stop(StopReason::ModelFailed) => Ok(Next::Search(instead)),
        Reply::Stop(reason) => Ok(Next::Stop(reason)),
    }
}

fn plan_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let told = run.history.wishes.iter().map(|words| format!("\n(About the plan: {words})"));
    let input = PlanInput {
        question: run.question.for_prompt() + &told.collect::<String>(),
        language: run.question.language.english_name().to_owned(),
        collections: run.overview.cards_within(evidence_tokens),
        max_sub_queries: run.engine.options.max_sub_queries,
        known: run.evidence.known.clone(),
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        max_sub_queries => input.max_sub_queries,
        collections => prompt_text::collections(&input.collections),
        single => input.collections.len() == 1,
        web => run.scope.has_web,
        known => prompt_text::known(&input.known),
    };
    request(&run.engine.prompts, variables, Input::Plan(input))
}
