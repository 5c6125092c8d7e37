use minijinja::context;

use super::call::{self, Reply, request};
use super::conversation::Conversation;
use super::run::Run;
use super::{AgentError, prompt_text, tools};
use crate::llm::purpose::ActInput;
use crate::llm::{ChatReply, ChatRequest, Input};
use crate::prompt::PromptError;

/// Asks the model what to do next with its tools.
pub(super) async fn act(run: &mut Run<'_>, talk: &Conversation) -> Result<Reply<ChatReply>, AgentError> {
    call::free(run, |run, tokens| act_request(run, tokens, talk)).await
}

pub(super) fn act_request(
    run: &Run<'_>,
    evidence_tokens: u64,
    talk: &Conversation,
) -> Result<ChatRequest, PromptError> {
    let input = ActInput {
        question: run.question.for_prompt(),
        language: run.question.language.english_name().to_owned(),
        collections: run.overview.cards_without_samples(evidence_tokens),
        taken: talk.taken.clone(),
        step: talk.next_step() - 1,
        max_steps: run.spending.budget.max_rounds(),
        known: run.evidence.known.clone(),
        today: run.today().to_string(),
    };
    let variables = context! {
        question => input.question.as_str(),
        language => input.language.as_str(),
        today => input.today.as_str(),
        max_steps => input.max_steps.unwrap_or(0),
        collections => prompt_text::collections(&input.collections),
        web => run.scope.has_web,
        known => prompt_text::known(&input.known),
    };
    let mut request = request(&run.engine.prompts, variables, Input::Act(input))?;
    request.messages.extend(talk.messages(evidence_tokens));
    request.tools = tools::specs(run.scope.has_web);
    Ok(request)
}
