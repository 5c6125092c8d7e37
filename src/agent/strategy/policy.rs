use super::{chain, deep, naive, react};
use crate::agent::run::Run;
use crate::agent::{AgentError, Limits};
use crate::domain::{StopReason, Strategy};

/// Model turns of `react` where the settings leave the limit on rounds at its default.
const REACT_ROUNDS: usize = 20;
/// Follow-up questions of `chain`, likewise.
const CHAIN_ROUNDS: usize = 8;

/// Searches until it is enough or must end; gives the reason.
pub(in crate::agent) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    let mut cut = None;
    if run.strategy == Strategy::Auto {
        run.probe().await?;
        (run.strategy, cut) = run.choose().await?;
    }
    if run.engine.limits.max_rounds == Limits::default().max_rounds {
        run.budget.limit_rounds(match run.strategy {
            Strategy::React => Some(REACT_ROUNDS),
            Strategy::Chain => Some(CHAIN_ROUNDS),
            Strategy::Deep | Strategy::Naive | Strategy::Auto => run.engine.limits.max_rounds,
        });
    }
    let stopped = match run.strategy {
        // `Auto` never chooses itself.
        Strategy::Deep | Strategy::Auto => deep::run(run).await?,
        Strategy::React => react::run(run).await?,
        Strategy::Chain => chain::run(run).await?,
        Strategy::Naive => naive::run(run).await?,
    };
    Ok(cut.unwrap_or(stopped))
}
