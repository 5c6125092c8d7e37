use crate::agent::AgentError;
use crate::agent::conversation::Conversation;
use crate::agent::run::{Reply, Run};
use crate::agent::tool_use::After;
use crate::agent::tools;
use crate::domain::StopReason;
use crate::llm::actions::{Said, said};

/// The model holds the tools: it searches, reads and decides after each result, until it finishes or answers.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    run.probe().await?;
    let mut talk = Conversation::default();
    let stopped = converse(run, &mut talk).await?;
    run.fall_back(&mut talk);
    let lacks_the_web = run.lacks_the_web() && stopped == StopReason::Enough;
    let cut = if lacks_the_web { run.ask_the_web().await } else { None };
    Ok(cut.unwrap_or(stopped))
}

async fn converse(run: &mut Run<'_>, talk: &mut Conversation) -> Result<StopReason, AgentError> {
    let tools = tools::specs(run.has_web());
    while run.budget.allows_round(run.rounds.len()) {
        let reply = match run.act(talk).await? {
            Reply::Done(reply) => reply,
            Reply::Stop(reason) => return Ok(reason),
            Reply::Failed(error) => {
                run.warn(format!("the model failed, so the report uses what was found: {error}"));
                return Ok(StopReason::ModelFailed);
            }
        };
        let after = match said(&reply, &tools) {
            Said::Calls(calls) => run.use_tools(talk, &reply.text, calls).await,
            Said::Words(words) => run.take_words(talk, &words),
            Said::Broken(mistake) => run.correct(talk, &reply.text, &mistake),
        };
        if let After::Stop(reason) = after {
            return Ok(reason);
        }
    }
    Ok(StopReason::RoundLimit)
}
