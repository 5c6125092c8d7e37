//! A question that follows an earlier report.

use std::sync::Arc;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::FollowUp;
use crate::base::text::{excerpt, one_line};
use crate::domain::{Outline, Strategy, Unheard};
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
        let query = with_earlier(question, before);
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
            outline: Outline { title: question.to_owned(), ..Outline::default() },
            follow_up: Some(follow_up),
            ..ResearchRequest::default()
        })
    }
}

/// A question with the one that it follows, so that whatever it leaves unsaid can be found and read: "When did he leave? (Who
/// is the voice of Apu)".
fn with_earlier(question: &str, earlier: &str) -> String {
    // That one may follow another one itself; its question mark would make it a question beside this one.
    let earlier = one_line(earlier).replace(['?', '？', '(', ')'], " ");
    format!("{} ({})", one_line(question.trim()), one_line(earlier.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_takes_those_with_it_that_it_follows() {
        let check =
            |question: &str, earlier: &str, expected: &str| assert_eq!(with_earlier(question, earlier), expected);
        let second = "When did he leave? (Who is the voice of Apu)";
        check("When did he leave?", "Who is the voice of Apu?", second);
        check("Why?", second, "Why? (When did he leave Who is the voice of Apu)");
        check("大阪は？", "東京の家賃はいくらですか？", "大阪は？ (東京の家賃はいくらですか)");
    }
}
