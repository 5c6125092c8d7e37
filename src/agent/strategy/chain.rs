use crate::agent::AgentError;
use crate::agent::follow::Link;
use crate::agent::run::Run;
use crate::domain::StopReason;
use crate::llm::purpose::ChainStep;

/// One question at a time, the whole one first: what was searched last is answered from what that search found, and the
/// same call asks the next question, until the whole one can be answered.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    run.probe().await?;
    run.admit_probe();
    if run.begins_with_the_web()
        && let Some(reason) = run.ask_the_web().await
    {
        return Ok(reason);
    }
    let mut steps: Vec<ChainStep> = Vec::new();
    let mut asked = 0;
    loop {
        let next = match run.follow(&steps, asked).await? {
            Link::Stop(reason) => return Ok(reason),
            Link::Answered { step, next } => {
                steps.push(step);
                run.note_steps(&steps);
                next
            }
        };
        let Some(next) = next else { return Ok(StopReason::Enough) };
        if !run.budget.allows_round(run.rounds.len()) {
            return Ok(StopReason::RoundLimit);
        }
        asked = match run.search(vec![next]).await {
            Ok(found) => found.queries.first().copied().unwrap_or(0),
            Err(reason) => return Ok(reason),
        };
    }
}
