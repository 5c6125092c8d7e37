use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::journal::{Journal, JournalError};
use super::run::Run;
use super::{AgentError, Engine, strategy, write};
use crate::domain::{EventSink, Report};

/// Researches a question in the named collections, or in all if none is named, and writes the report.
///
/// The strategy in the options decides what is searched and when the evidence is enough; one call writes the report.
/// `sink` receives every event as it happens, the text of the report included. After `interrupt` the search ends, a
/// call under way is dropped, and the report is written from what was found.
pub async fn research(
    engine: &Engine,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    journaled(engine, &Journal::off(engine.clock), question, collections, sink, interrupt).await
}

/// Like [`research`], with a journal that is written to, or answers, or both.
pub async fn journaled(
    engine: &Engine,
    journal: &Journal,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    journal.listen(Arc::clone(&sink));
    let engine = engine.through(journal);
    let outcome = tokio::select! {
        biased;
        () = journal.astray() => return Err(JournalError::Astray.into()),
        outcome = conduct(&engine, journal, question, collections, sink, interrupt) => outcome,
    };
    journal.end(&outcome).await;
    outcome
}

async fn conduct(
    engine: &Engine,
    journal: &Journal,
    question: &str,
    collections: &[String],
    sink: Arc<dyn EventSink>,
    interrupt: CancellationToken,
) -> Result<Report, AgentError> {
    let mut run = Run::start(engine, journal, question, collections, sink, interrupt).await?;
    let stopped = strategy::run(&mut run).await?;
    write::write(run, stopped).await
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
