//! A question that follows an earlier report.

use std::sync::Arc;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::FollowUp;
use crate::base::text::{Spoken, excerpt};
use crate::domain::{Strategy, Unheard};
use crate::offline::resolved;

/// How much of the earlier report a model is shown.
const SHOWN_CHARS: usize = 1_500;

impl App {
    /// What answers a question that follows the report of a finished run, in the documents that the run could find. It is a
    /// run of its own.
    pub async fn following(
        &self,
        run: &str,
        question: &str,
        chosen: &ChosenModel,
    ) -> Result<ResearchRequest, AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let earlier = opened.settings.clone();
        let report = self.go_through(opened, Arc::new(Unheard)).await?;

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
        Ok(ResearchRequest {
            question: text,
            collections: earlier.collections,
            filter: earlier.filter,
            as_of: earlier.options.age.as_of,
            recency: earlier.options.age.recency,
            strategy: Some(Strategy::Deep),
            follow_up: Some(follow_up),
            ..ResearchRequest::default()
        })
    }
}
