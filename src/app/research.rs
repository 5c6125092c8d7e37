//! The job of research, as the commands ask for it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel};
use crate::agent::{AgentOptions, Engine, research};
use crate::config::Config;
use crate::domain::{EventSink, Report};
use crate::prompt::Prompts;

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
        let config = self.config();
        let prompts = match Config::set_path(&config.prompts.folder) {
            Some(folder) => Prompts::with_folder(folder)?,
            None => Prompts::builtin()?,
        };
        let mut warnings = Vec::new();
        let corpus = match self.corpus(&request.collections).await {
            Err(error @ (AppError::Embed(_) | AppError::Key(_) | AppError::NoEmbedKey { .. })) => {
                warnings.push(format!("{error}; searching by keywords alone"));
                self.keyword_corpus(&request.collections).await?
            }
            opened => opened?,
        };
        let engine = Engine {
            corpus,
            model: Arc::clone(&chosen.model),
            prompts: Arc::new(prompts),
            clock: self.clock()?,
            limits: super::parts::limits(&config.agent),
            options: AgentOptions {
                working_dir: Some(self.cwd().to_owned()),
                unread: request.unreadable.clone(),
                warnings,
                ..super::parts::agent_options(&config.agent)
            },
        };
        Ok(research(&engine, &request.question, &request.collections, sink, interrupt).await?)
    }
}
