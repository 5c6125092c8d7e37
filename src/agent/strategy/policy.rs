use super::{chain, deep, naive, react};
use crate::agent::choose::choose;
use crate::agent::run::Run;
use crate::agent::{AgentError, probe, recall};
use crate::domain::{StopReason, Strategy};

/// Searches until it is enough or must end; gives the reason.
pub(in crate::agent) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    let cut = settle(run).await?;
    // The first search tells whether the embedder answers: one that is down is not asked again by the memory.
    if run.strategy != Strategy::Naive {
        probe::probe(run).await?;
    }
    recall::recall(run).await;
    let stopped = match run.strategy {
        // `Auto` never chooses itself.
        Strategy::Deep | Strategy::Auto => deep::run(run).await?,
        Strategy::React => react::run(run).await?,
        Strategy::Chain => chain::run(run).await?,
        Strategy::Naive => naive::run(run).await?,
    };
    Ok(cut.unwrap_or(stopped))
}

/// Chooses the strategy where the settings leave it open, and puts its limits in force. Gives the reason why the run must
/// end, where there was no room even to choose.
pub(in crate::agent) async fn settle(run: &mut Run<'_>) -> Result<Option<StopReason>, AgentError> {
    if run.strategy != Strategy::Auto {
        return Ok(None);
    }
    probe::probe(run).await?;
    let (strategy, cut) = choose(run).await?;
    run.strategy = strategy;
    run.spending.budget.set_limits(run.engine.limits.of(strategy));
    Ok(cut)
}
