//! The job of research, as the commands ask for it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel};
use crate::domain::{EventSink, Report};

/// A question, and where to look.
#[derive(Clone, Debug, Default)]
pub struct ResearchRequest {
    /// As asked.
    pub question: String,
    /// Names of collections; empty means all, chosen by the planner.
    pub collections: Vec<String>,
    /// What a load before it could not read, for the report's account.
    pub unreadable: Vec<String>,
}

impl App {
    /// Answers a question with a report. A cancelled `interrupt` ends the search; the report is then written from what
    /// was found.
    pub async fn research(
        &self,
        request: &ResearchRequest,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let corpus = self.corpus(&request.collections).await?;
        let agent = &self.config().agent;
        let limits = (super::parts::limit(agent.max_tokens), super::parts::limit(agent.max_time_s));
        let _ = (chosen, sink, interrupt, corpus, limits);
        Err(AppError::NotWired { what: "the agent" })
    }
}
