use super::{chain, deep, naive, react};
use crate::agent::AgentError;
use crate::agent::run::Run;
use crate::domain::{StopReason, Strategy};

/// Searches until it is enough or must end; gives the reason.
pub(in crate::agent) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    if run.strategy == Strategy::Auto {
        run.probe().await?;
        run.strategy = run.choose().await?;
        run.budget.limit(run.engine.limits.of(run.strategy));
    }
    match run.strategy {
        // `Auto` never chooses itself.
        Strategy::Deep | Strategy::Auto => deep::run(run).await,
        Strategy::React => react::run(run).await,
        Strategy::Chain => chain::run(run).await,
        Strategy::Naive => naive::run(run).await,
    }
}
