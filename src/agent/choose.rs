use minijinja::context;

use super::run::{Reply, Run, request};
use super::{AgentError, material};
use crate::domain::{Event, StopReason, Strategy};
use crate::llm::purpose::{Choice, ChooseInput};
use crate::llm::{ChatRequest, Input};
use crate::prompt::{PromptError, PromptName};

impl Run<'_> {
    /// Asks the model which strategy suits the question. Where it cannot say, it is `deep`, which suits the most
    /// questions; where the call may not be made, the cheapest, and the reason why it ends with that.
    pub async fn choose(&mut self) -> Result<(Strategy, Option<StopReason>), AgentError> {
        let mut cut = None;
        let (strategy, reason) = match self.call::<Choice>(choose_request).await? {
            Reply::Done(choice) => (Strategy::from(choice.strategy), choice.reason),
            Reply::Failed(error) => {
                self.warn(format!("no strategy could be chosen, so it is {}: {error}", Strategy::Deep.name()));
                (Strategy::Deep, String::new())
            }
            Reply::Stop(reason) => {
                cut = Some(reason);
                (Strategy::Naive, String::new())
            }
        };
        self.emit(&Event::Chosen { strategy, reason: reason.clone() });
        self.chosen = reason;
        Ok((strategy, cut))
    }
}

fn choose_request(run: &Run<'_>, evidence_tokens: u64) -> Result<ChatRequest, PromptError> {
    let input = ChooseInput {
        question: run.question.to_owned(),
        language: run.language.english_name().to_owned(),
        collections: run.cards_within(evidence_tokens),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        collections => material::collections(&input.collections),
    };
    Ok(request(run.engine.prompts.render(PromptName::Choose, variables)?, Input::Choose(input)))
}
