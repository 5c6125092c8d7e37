use minijinja::context;

use super::call::{self, Reply, request};
use super::run::Run;
use super::{AgentError, prompt_text};
use crate::domain::{Event, StopReason, Strategy};
use crate::llm::purpose::{Choice, ChooseInput};
use crate::llm::{ChatRequest, Input};
use crate::prompt::PromptError;

/// Asks the model which strategy suits the question. If the call fails, the strategy is `deep`, which suits the most
/// questions. If no call may be made, it is `naive`, the cheapest, and the reason for stopping is returned.
pub(super) async fn choose(run: &mut Run<'_>) -> Result<(Strategy, Option<StopReason>), AgentError> {
    let mut cut = None;
    let (strategy, reason) = match call::structured::<Choice>(run, choose_request).await? {
        Reply::Done(choice) => (Strategy::from(choice.strategy), choice.reason),
        Reply::Failed(error) => {
            run.warn(format!("no strategy could be chosen, so it is {}: {error}", Strategy::Deep.name()));
            (Strategy::Deep, String::new())
        }
        Reply::Stop(reason) => {
            cut = Some(reason);
            (Strategy::Naive, String::new())
        }
    };
    run.emit(&Event::Chosen { strategy, reason: reason.clone() });
    run.history.chosen = reason;
    Ok((strategy, cut))
}

fn choose_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let input = ChooseInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        collections: run.overview.cards_within(evidence_tokens),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        collections => prompt_text::collections(&input.collections),
    };
    request(&run.engine.prompts, variables, Input::Choose(input))
}
