use super::{chain, deep, naive, react};
use crate::agent::choose::choose;
use crate::agent::run::Run;
use crate::agent::{AgentError, probe, recall};
use crate::domain::{StopReason, Strategy};

/// Searches until the evidence is enough or the run must end; returns the reason.
pub(in crate::agent) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    let cut = settle(run).await?;
    // The first search shows whether the embedder answers: the memory does not ask one that is down again.
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

/// Chooses the strategy if the settings leave it open, and applies its limits. Returns the reason why the run must end,
/// if there was no room even to choose.
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
