use crate::agent::plan::plan;
use crate::agent::queries::Next;
use crate::agent::reflect::reflect;
use crate::agent::run::Run;
use crate::agent::search::search;
use crate::agent::steer::steer;
use crate::agent::{AgentError, probe};
use crate::domain::StopReason;
use crate::llm::purpose::PlannedQuery;

/// The question itself is searched first in every collection, without a call, so that the planner sees what can be
/// found. Then one call plans (unless the question follows an earlier one), all its searches run at once, and one call
/// reflects on the evidence, and so on while the model asks for more.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    probe::probe(run).await?;
    probe::admit(run);
    let mut next = match run.engine.options.follow_up.as_ref().filter(|_| run.engine.model.reasons()) {
        // The query already contains what the question refers to; the reflection plans what else is missing.
        Some(follow_up) => Next::Search(vec![PlannedQuery { query: follow_up.query.clone(), collections: Vec::new() }]),
        None => plan(run).await?,
    };
    loop {
        let steered = match next {
            Next::Search(queries) => steer(run, queries).await?,
            // A person may want more searches than the model.
            Next::Stop(StopReason::Enough) if run.allows_round() => steer(run, Vec::new()).await?,
            stop @ Next::Stop(_) => stop,
        };
        let queries = match steered {
            Next::Search(queries) if queries.is_empty() => return Ok(StopReason::Enough),
            Next::Search(queries) => queries,
            Next::Stop(reason) => return Ok(reason),
        };
        let found = match search(run, queries).await {
            Ok(found) => found,
            Err(reason) => return Ok(reason),
        };
        // The first round may find only what the question itself found, and still lead further.
        if run.evidence.ledger.is_empty() || (found.new == 0 && run.history.rounds.len() > 1) {
            return Ok(StopReason::NoNewEvidence);
        }
        next = reflect(run).await?;
    }
}
