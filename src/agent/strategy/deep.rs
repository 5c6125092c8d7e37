use crate::agent::plan::plan;
use crate::agent::queries::Next;
use crate::agent::reflect::reflect;
use crate::agent::run::Run;
use crate::agent::search::search;
use crate::agent::{AgentError, probe};
use crate::domain::StopReason;

/// The question itself is searched first, in every collection, without a call: the planner sees what can be found. Then
/// one call plans, all its searches run at once, one call reflects on the evidence, and so on while the model asks for
/// more.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    probe::probe(run).await?;
    probe::admit(run);
    let mut next = plan(run).await?;
    loop {
        let queries = match next {
            Next::Stop(reason) => return Ok(reason),
            Next::Search(queries) => queries,
        };
        let found = match search(run, queries).await {
            Ok(found) => found,
            Err(reason) => return Ok(reason),
        };
        // The first round may find only what the question itself had found, and still lead further.
        if run.evidence.ledger.is_empty() || (found.new == 0 && run.history.rounds.len() > 1) {
            return Ok(StopReason::NoNewEvidence);
        }
        next = reflect(run).await?;
    }
}
