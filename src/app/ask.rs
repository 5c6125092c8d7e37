//! A question that follows an earlier report.

use std::sync::Arc;

use super::{App, AppError, ChosenModel, ResearchRequest};
use crate::agent::FollowUp;
use crate::base::text::{Spoken, excerpt, one_line, sentences};
use crate::domain::{NullSink, Outline, Strategy};
use crate::llm::purpose::EarlierQuestion;
use crate::offline::stands_alone;
use crate::report::Record;

/// The most characters of the earlier report that a model is shown.
const SHOWN_CHARS: usize = 1_500;

/// The separator between the questions that another one depends on.
const BETWEEN: &str = " / ";

/// The most characters of such a question; a longer one is cut to its beginning.
const SUBJECT_CHARS: usize = 200;

/// The marks that are removed from the end of a question.
const ENDS: [char; 5] = ['?', '？', '.', '。', ' '];

impl App {
    /// The run that wrote a report, found by the report's record.
    pub fn find_run_of_report(&self, report: &str) -> Result<String, AppError> {
        let Some(Ok(record)) = Record::split(report).1 else { return Err(AppError::RunUnknown) };
        self.runs()?.run_of_report(&record.question, record.written)?.ok_or(AppError::RunUnknown)
    }

    /// The request that answers a question following the report of a finished run, in the documents that the run could
    /// find. It makes a run of its own.
    pub async fn following(
        &self,
        run: &str,
        question: &str,
        chosen: &ChosenModel,
    ) -> Result<ResearchRequest, AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let earlier = opened.settings.clone();
        let report = self.replay_recorded(opened, Arc::new(NullSink)).await?;

        let before = subject(&earlier.question, earlier.options.follow_up.as_ref());
        let language = Spoken::of(std::iter::empty()).answer_language(&format!("{before} {question}"));
        let leans = !stands_alone(question, language);
        let query = if leans { format!("{question} ({before})") } else { question.to_owned() };
        let text = if chosen.model.reasons() {
            let before = earlier.options.follow_up.as_ref().map_or(&earlier.question, |follow_up| &follow_up.query);
            format!("{question}\n(This follows the question: {before})")
        } else {
            query.clone()
        };
        let written = report.markdown.get(..report.written).unwrap_or_default();
        let answer = first_bold(written).to_owned();
        let follow_up = FollowUp {
            asked: question.to_owned(),
            query,
            earlier: if leans { EarlierQuestion { question: before, answer } } else { EarlierQuestion::default() },
            report: excerpt(written, SHOWN_CHARS).into_owned(),
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

/// The question of a run; if it depends on other questions, together with the first of them.
fn subject(question: &str, follow_up: Option<&FollowUp>) -> String {
    let Some(follow_up) = follow_up else { return short(question) };
    // Older journals do not record the question as it was asked.
    let asked = short(if follow_up.asked.is_empty() { &follow_up.query } else { &follow_up.asked });
    match follow_up.earlier.question.rsplit(BETWEEN).next() {
        Some("") | None => asked,
        Some(first) => format!("{asked}{BETWEEN}{first}"),
    }
}

/// A question without the mark at its end; a long one is cut to its beginning.
fn short(question: &str) -> String {
    let line = one_line(question);
    let first = sentences(&line).next().filter(|_| line.chars().count() > SUBJECT_CHARS).unwrap_or(0..line.len());
    excerpt(line[first].trim_end_matches(ENDS), SUBJECT_CHARS).into_owned()
}

/// The first words in bold of a report, which are its answer; empty if there are none.
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

    #[test]
    fn what_leans_keeps_the_last_question_and_the_first() {
        let first = subject("How many people watched The Simpsons in 2005?", None);
        // Of the questions before it, the last and the first are kept.
        let mut follow_up = FollowUp { asked: "and in 2019?".to_owned(), ..FollowUp::default() };
        follow_up.earlier.question = first;
        let two = subject("", Some(&follow_up));
        assert_eq!(two, "and in 2019 / How many people watched The Simpsons in 2005");
        follow_up = FollowUp { asked: "Why?".to_owned(), ..follow_up };
        follow_up.earlier.question = two;
        assert_eq!(subject("", Some(&follow_up)), "Why / How many people watched The Simpsons in 2005");
        // A question that stands alone begins anew.
        follow_up =
            FollowUp { asked: "Who is Apu?".to_owned(), query: "Who is Apu?".to_owned(), ..FollowUp::default() };
        assert_eq!(subject("", Some(&follow_up)), "Who is Apu");
    }

    #[test]
    fn of_a_long_question_its_beginning_counts() {
        let brief = format!("I need a note on the mill. Cover (1) its owners; (2) {}.", "the repairs, ".repeat(20));
        assert_eq!(subject(&brief, None), "I need a note on the mill");
    }
}
