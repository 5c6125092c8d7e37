//! A question that follows an earlier report.

use std::sync::Arc;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::FollowUp;
use crate::base::text::{Spoken, excerpt};
use crate::domain::{Strategy, Unheard};
use crate::offline::resolved;
use crate::report::Record;

/// How much of the earlier report a model is shown.
const SHOWN_CHARS: usize = 1_500;

impl App {
    /// The run that wrote a report, by the report's record.
    pub fn run_of(&self, report: &str) -> Result<String, AppError> {
        let Some(Ok(record)) = Record::split(report).1 else { return Err(AppError::RunUnknown) };
        self.runs()?.that_wrote(&record.question, record.written)?.ok_or(AppError::RunUnknown)
    }

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
        let answer = first_bold(report.markdown.get(..report.written).unwrap_or_default()).to_owned();
        let query = {
            let (before, question) = (before.clone(), question.to_owned());
            // It compares meanings, which is computation.
            tokio::task::spawn_blocking(move || resolved(&before, &answer, &question, language)).await
        };
        let query = query.unwrap_or_else(|error| {
            tracing::warn!(%error, "the question is searched as it was asked");
            question.to_owned()
        });
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

/// The first words in bold of a report, which are its answer; empty where there are none.
fn first_bold(markdown: &str) -> &str {
    let marked = |line: &'_ str| !line.starts_with('#') && line.contains("**");
    let line = markdown.lines().find(|line| marked(line)).unwrap_or_default();
    line.split("**").nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_bold_is_the_answer() {
        let check = |markdown: &str, expected: &str| assert_eq!(first_bold(markdown), expected, "{markdown}");
        check("# Who ran **it**?\n\nIt was run by **David Mirkin** [1], not by **Al Jean** [2].", "David Mirkin");
        check("# Who ran it?\n\nNot found in these documents.", "");
    }
}
