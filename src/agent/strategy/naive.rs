use crate::agent::run::Run;
use crate::agent::search::search;
use crate::agent::{AgentError, probe, prompt_text};
use crate::domain::StopReason;
use crate::llm::purpose::PlannedQuery;

/// One search of the question itself, then the report in a single call.
pub(super) async fn run(run: &mut Run<'_>) -> Result<StopReason, AgentError> {
    // No model is asked before the search, so the writer is told what earlier runs learnt.
    run.history.notes = prompt_text::known_notes(&run.evidence.known);
    let itself = PlannedQuery { query: run.question.text.to_owned(), collections: Vec::new() };
    match search(run, vec![itself]).await {
        Ok(_) => Ok(StopReason::OneSearch),
        Err(reason) => {
            // Out of time or interrupted before anything was searched: the report needs something to be written from.
            probe::probe(run).await?;
            probe::admit(run);
            Ok(reason)
        }
    }
}
