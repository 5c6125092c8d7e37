use crate::agent::AgentError;
use crate::agent::run::{Next, Run};
use crate::domain::StopReason;

/// The question itself is searched first, in every collection, without a call: the planner sees what can be found. Then
/// one call plans, all its searches run at once, one call reflects on the evidence, and so on while the model asks for
/// more.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    run.probe().await?;
    run.admit_probe();
    let mut next = run.plan().await?;
    loop {
        let queries = match next {
            Next::Stop(reason) => return Ok(reason),
            Next::Search(queries) => queries,
        };
        let found = match run.search(queries).await {
            Ok(found) => found,
            Err(reason) => return Ok(reason),
        };
        // The first round may find only what the question itself had found, and still lead further.
        if run.ledger.is_empty() || (found.new == 0 && run.rounds.len() > 1) {
            return Ok(StopReason::NoNewEvidence);
        }
        next = run.reflect().await?;
    }
}
