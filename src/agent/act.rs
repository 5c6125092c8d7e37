use minijinja::context;

use super::conversation::Conversation;
use super::run::{Reply, Run, request};
use super::{AgentError, material, tools};
use crate::llm::purpose::ActInput;
use crate::llm::{ChatReply, ChatRequest, Input};
use crate::prompt::{PromptError, PromptName};

impl Run<'_> {
    /// Asks the model what to do next with its tools.
    pub async fn act(&mut self, talk: &Conversation) -> Result<Reply<ChatReply>, AgentError> {
        self.call_freely(|run, tokens| act_request(run, tokens, talk)).await
    }
}

pub(super) fn act_request(
    run: &Run<'_>,
    evidence_tokens: u64,
    talk: &Conversation,
) -> Result<ChatRequest, PromptError> {
    let input = ActInput {
        question: run.question.to_owned(),
        language: run.language.english_name().to_owned(),
        collections: run.cards_without_samples(evidence_tokens),
        taken: talk.taken.clone(),
        step: talk.next_step() - 1,
        max_steps: run.budget.max_rounds(),
        known: run.known.clone(),
        today: run.today(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        max_steps => input.max_steps.unwrap_or(0),
        collections => material::collections(&input.collections),
        web => run.has_web(),
        known => material::known(&input.known),
    };
    let mut request = request(run.engine.prompts.render(PromptName::Act, variables)?, Input::Act(input));
    request.messages.extend(talk.messages(evidence_tokens));
    request.tools = tools::specs(run.has_web());
    Ok(request)
}
