use crate::agent::AgentError;
use crate::agent::run::Run;
use crate::domain::StopReason;
use crate::llm::purpose::PlannedQuery;

/// One search of the question itself, and the report: a single call.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    // Nobody is asked before the search, so the writer is told what earlier runs learnt.
    run.note_known();
    let itself = PlannedQuery { query: run.question.to_owned(), collections: Vec::new() };
    match run.search(vec![itself]).await {
        Ok(_) => Ok(StopReason::OneSearch),
        Err(reason) => {
            // Out of time or interrupted before anything was searched: there must be something to report from.
            run.probe().await?;
            run.admit_probe();
            Ok(reason)
        }
    }
}
