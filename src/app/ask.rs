//! A question that follows an earlier report.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::journal::RunSettings;
use crate::agent::{AgentOptions, Engine, FollowUp, journaled};
use crate::base::text::{Spoken, excerpt};
use crate::domain::{EventSink, Report, Strategy, Unheard};
use crate::offline::resolved;

/// How much of the earlier report a model is shown.
const SHOWN_CHARS: usize = 1_500;

impl App {
    /// Answers a question that follows the report of a finished run, in the documents that the run could find. It is a
    /// run of its own.
    pub async fn ask(
        &self,
        run: &str,
        question: &str,
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Report, AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let earlier = opened.settings.clone();
        let report = self.go_through(opened, Arc::new(Unheard)).await?;

        let request = ResearchRequest {
            question: question.to_owned(),
            collections: earlier.collections.clone(),
            filter: earlier.filter.clone(),
            as_of: earlier.options.age.as_of,
            recency: earlier.options.age.recency,
            ..ResearchRequest::default()
        };
        let engine = self.research_engine(&request, chosen).await?;
        // A question that follows another one keeps what that one was about.
        let before = earlier.options.follow_up.as_ref().map_or(&earlier.question, |follow_up| &follow_up.query);
        let language = Spoken::of(std::iter::empty()).of_question(&format!("{before} {question}"));
        let query = resolved(before, question, language);
        let text = if chosen.model.reasons() {
            format!("{question}\n(This follows the question: {before})")
        } else {
            query.clone()
        };
        let follow_up = FollowUp {
            query,
            report: excerpt(report.markdown.get(..report.written).unwrap_or_default(), SHOWN_CHARS).into_owned(),
            found: report.found.iter().map(|passage| passage.chunk.pack()).collect(),
        };
        let options = AgentOptions { strategy: Strategy::Deep, follow_up: Some(follow_up), ..engine.options.clone() };
        let engine = Engine { options: options.clone(), ..engine };
        let (collections, filter, limits) = (request.collections, request.filter, engine.limits);
        let settings = RunSettings { question: text, collections, filter, limits, options };
        let journal = self.begin_journal(&settings, chosen, &sink)?;
        Ok(journaled(&engine, &journal, &settings.question, &settings.collections, sink, interrupt).await?)
    }
}
