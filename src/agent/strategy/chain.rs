use crate::agent::follow::{Link, follow};
use crate::agent::run::Run;
use crate::agent::search::search;
use crate::agent::{AgentError, probe, prompt_text, web_round};
use crate::domain::StopReason;
use crate::llm::purpose::ChainStep;

/// One question at a time, the whole one first. One call answers the last question from the results of its search and
/// asks the next one, until the whole question can be answered.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    probe::probe(run).await?;
    probe::admit(run);
    if web_round::is_web_searched_first(run)
        && let Some(reason) = web_round::ask(run).await
    {
        return Ok(reason);
    }
    let mut steps: Vec<ChainStep> = Vec::new();
    let mut asked = 0;
    loop {
        let next = match follow(run, &steps, asked).await? {
            Link::Stop(reason) => return Ok(reason),
            Link::Answered { step, next } => {
                steps.push(step);
                run.history.notes = Some(prompt_text::chain(&steps));
                next
            }
        };
        let Some(next) = next else { return Ok(StopReason::Enough) };
        if !run.allows_round() {
            return Ok(StopReason::RoundLimit);
        }
        asked = match search(run, vec![next]).await {
            Ok(found) => found.queries.first().copied().unwrap_or(0),
            Err(reason) => return Ok(reason),
        };
    }
}
