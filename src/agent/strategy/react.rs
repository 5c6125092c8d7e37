use crate::agent::act::act;
use crate::agent::call::Reply;
use crate::agent::conversation::Conversation;
use crate::agent::run::Run;
use crate::agent::tool_use::{Continuation, correct, fall_back, take_words, use_tools};
use crate::agent::{AgentError, probe, tools, web_round};
use crate::domain::StopReason;
use crate::llm::actions::{ModelTurn, said};

/// The model has the tools: it searches, reads and decides after each result, until it finishes or answers.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    probe::probe(run).await?;
    let mut talk = Conversation::default();
    let stopped = converse(run, &mut talk).await?;
    fall_back(run, &mut talk);
    let web_is_missing = web_round::is_missing(run) && stopped == StopReason::Enough;
    let cut = if web_is_missing { web_round::ask(run).await } else { None };
    Ok(cut.unwrap_or(stopped))
}

async fn converse(run: &mut Run<'_>, talk: &mut Conversation) -> Result<StopReason, AgentError> {
    let tools = tools::specs(run.scope.has_web);
    while run.allows_round() {
        let reply = match act(run, talk).await? {
            Reply::Done(reply) => reply,
            Reply::Stop(reason) => return Ok(reason),
            Reply::Failed(error) => {
                run.warn(format!("the model failed, so the report uses what was found: {error}"));
                return Ok(StopReason::ModelFailed);
            }
        };
        let after = match said(&reply, &tools) {
            ModelTurn::Calls(calls) => use_tools(run, talk, &reply.text, calls).await,
            ModelTurn::Words(words) => take_words(run, talk, &words),
            ModelTurn::Broken(mistake) => correct(run, talk, &reply.text, &mistake),
        };
        if let Continuation::Stop(reason) = after {
            return Ok(reason);
        }
    }
    Ok(StopReason::RoundLimit)
}
