//! A question that follows an earlier report.

use std::sync::Arc;

use super::collections::present_names;
use super::{App, AppError, ResearchRequest};
use crate::agent::FollowUp;
use crate::base::text::{Spoken, excerpt, one_line, sentences};
use crate::domain::{NullSink, Outline, Strategy};
use crate::llm::purpose::EarlierQuestion;
use crate::offline::stands_alone;
use crate::report::Record;

/// The most characters of the earlier report that a language model is shown.
const SHOWN_CHARS: usize = 1_500;
/// The number of earlier questions, the newest ones, that it is shown, and the most characters of each.
const SHOWN_QUESTIONS: usize = 4;
const SHOWN_QUESTION_CHARS: usize = 500;

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
    pub async fn following(&self, run: &str, question: &str) -> Result<ResearchRequest, AppError> {
        let runs = self.runs()?;
        let opened = runs.replay(&runs.find(run)?)?;
        let earlier = opened.settings.clone();
        let renamed = self.renamed_since(&earlier.collections, opened.begun).await?;
        let report = self.replay_recorded(opened, Arc::new(NullSink)).await?;

        let before = subject(&earlier.question, earlier.options.follow_up.as_ref());
        let written = report.markdown.get(..report.written).unwrap_or_default();
        let found = report.found.iter().map(|passage| passage.chunk.pack()).collect();
        let conversation = conversation([earlier.question.as_str()], written);
        let follow_up = FollowUp { found, conversation, ..carried_over(question, before, written) };
        Ok(ResearchRequest {
            question: follow_up.query.clone(),
            collections: present_names(&earlier.collections, &renamed),
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

/// What a question carries over from a conversation: the questions before it, oldest first, and the Markdown of the
/// last answer. `None` if nothing was asked before.
pub fn follow_up_in_conversation(question: &str, earlier: &[String], answer: &str) -> Option<FollowUp> {
    let before = earlier.iter().fold(None, |before: Option<FollowUp>, asked| {
        let subject = before.map_or_else(String::new, |before| subject("", Some(&before)));
        Some(carried_over(asked, subject, ""))
    })?;
    let newest = earlier.iter().skip(earlier.len().saturating_sub(SHOWN_QUESTIONS)).map(String::as_str);
    let conversation = conversation(newest, answer);
    Some(FollowUp { conversation, ..carried_over(question, subject("", Some(&before)), answer) })
}

/// Questions and the beginning of the answer to the last of them, as a language model is shown them.
fn conversation<'q>(questions: impl IntoIterator<Item = &'q str>, answer: &str) -> String {
    let questions = questions.into_iter().map(|question| excerpt(question, SHOWN_QUESTION_CHARS));
    let lines = questions.map(|question| format!("Question: {}", one_line(&question)));
    lines.chain([format!("Answer: {}", excerpt(answer.trim(), SHOWN_CHARS))]).collect::<Vec<_>>().join("\n")
}

/// What a question carries over from the report on the question `before`.
fn carried_over(question: &str, before: String, written: &str) -> FollowUp {
    let language = Spoken::of(std::iter::empty()).answer_language(&format!("{before} {question}"));
    let leans = !before.is_empty() && !stands_alone(question, language);
    let query = if leans { format!("{question} ({before})") } else { question.to_owned() };
    let answer = first_bold(written).to_owned();
    FollowUp {
        asked: question.to_owned(),
        query,
        earlier: if leans { EarlierQuestion { question: before, answer } } else { EarlierQuestion::default() },
        ..FollowUp::default()
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
    fn a_question_in_a_conversation_is_searched_with_what_it_leans_on() {
        let check = |earlier: &[&str], question: &str, expected: Option<&str>| {
            let earlier: Vec<String> = earlier.iter().map(|&one| one.to_owned()).collect();
            let found = follow_up_in_conversation(question, &earlier, "The deposit is **£900** [1].");
            assert_eq!(found.map(|found| found.query).as_deref(), expected, "{question}");
        };
        let deposit = "What is the deposit of Unit 7?";
        check(&[], deposit, None);
        check(&[deposit], "and the rent?", Some("and the rent? (What is the deposit of Unit 7)"));
        let both = "and in 2024? (and the rent / What is the deposit of Unit 7)";
        check(&[deposit, "and the rent?"], "and in 2024?", Some(both));
        let alone = "Who is the landlord of Unit 9?";
        check(&[deposit], alone, Some(alone));
    }

    #[test]
    fn of_a_long_question_its_beginning_counts() {
        let brief = format!("I need a note on the mill. Cover (1) its owners; (2) {}.", "the repairs, ".repeat(20));
        assert_eq!(subject(&brief, None), "I need a note on the mill");
    }
}
