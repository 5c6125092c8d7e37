//! Brings a report up to date: with the model if there is one, and by quoting the sources again.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::{App, AppError, ChosenModel, ResearchRequest, VerifyRequest};
use crate::agent::{AgentError, revise};
use crate::base::day_of;
use crate::base::text::one_line;
use crate::domain::{DocumentFilter, EventSink, PathPattern, StopReason, Usage};
use crate::ingest::register::HistoryEvent;
use crate::llm::purpose::{ChangedSentence, ChangedSource, ReviseInput};
use crate::report::{Record, Words, amended, words};
use crate::verify::{Outdated, ReadReport, Update, Verification, outdated, read, update};

/// Sentences that one call rewrites.
const AT_ONCE: usize = 10;
/// The most documents that can be named in a search.
const MOST_NEW: usize = 2_000;

/// An updated report, and how it was updated.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The report, and what was changed in it.
    pub update: Update,
    /// The check of the report as it was.
    pub verification: Verification,
    /// What the model cost.
    pub usage: Usage,
    /// Why sentences quote their sources even though there is a model.
    pub warnings: Vec<String>,
}

/// What has been loaded since a report was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Addendum {
    /// Nothing was loaded.
    NothingNew,
    /// What was loaded says nothing on the question.
    NothingFound {
        /// The number of documents.
        documents: usize,
    },
    /// The report with a section on what was loaded.
    Found {
        /// The whole report.
        markdown: String,
        /// The number of documents that were searched.
        documents: usize,
        /// The usage of the run.
        usage: Usage,
    },
    /// The user stopped it.
    Interrupted,
}

impl App {
    /// Brings a report up to date, and returns it with the check of the old one. Writes no file. A model is shown only
    /// the sentences whose sources have changed; its sentences are checked, and one that fails quotes its source
    /// instead.
    pub async fn update(&self, request: &VerifyRequest, chosen: &ChosenModel) -> Result<Updated, AppError> {
        let report = read(&request.report)?;
        let verification = self.check_report(report.clone(), request).await?;
        if verification.is_elsewhere && !(request.files.is_empty() && self.has_seen_go(&report).await?) {
            return Err(AppError::NoneCitedHere);
        }
        let day = day_of(self.clock()?.now());
        let (mut anew, mut usage, mut warnings) = (BTreeMap::new(), Usage::default(), Vec::new());
        if chosen.model.reasons() {
            let sentences = outdated(&verification);
            for part in sentences.chunks(AT_ONCE) {
                let input = input(&report, part, day);
                match revise(chosen.model.as_ref(), &self.prompts()?, input).await {
                    Ok((revised, spent)) => {
                        usage += spent;
                        let placed =
                            revised.into_iter().filter_map(|(number, words)| Some((part.get(number - 1)?.at, words)));
                        anew.extend(placed);
                    }
                    Err(error @ AgentError::Prompt(_)) => return Err(error.into()),
                    Err(error) => {
                        if let AgentError::Llm(error) = &error {
                            usage += error.usage();
                        }
                        let count = part.len();
                        warnings.push(format!("{error}; {count} of the sentences quote their sources instead"));
                    }
                }
            }
        }
        let mut done = update(&report, &verification, &anew, day);
        if anew.is_empty() {
            return Ok(Updated { update: done, verification, usage, warnings });
        }
        let unsound = self.unsound(&done, request).await?;
        let before = anew.len();
        anew.retain(|_, words| words.is_empty() || !unsound.iter().any(|text| says(words, text)));
        if anew.len() < before {
            let count = before - anew.len();
            warnings.push(format!(
                "{count} of the model's sentences are not what their sources say, and quote them instead"
            ));
            done = update(&report, &verification, &anew, day);
        }
        Ok(Updated { update: done, verification, usage, warnings })
    }

    /// Whether a load has noticed, since the report was written, that a document that it cites is gone. If so, the
    /// document is not merely unknown here.
    async fn has_seen_go(&self, report: &ReadReport) -> Result<bool, AppError> {
        for citation in &report.citations {
            let events = self.history(&citation.path).await?;
            let mut own = events.iter().rev().filter(|event| event.collection == citation.collection);
            let last = own.next().filter(|event| event.what == HistoryEvent::Gone);
            if last.is_some_and(|event| report.written.is_none_or(|written| event.at > written)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The sentences of an updated report that fail the check.
    async fn unsound(&self, done: &Update, request: &VerifyRequest) -> Result<Vec<String>, AppError> {
        if done.changes.is_empty() {
            return Ok(Vec::new());
        }
        let checked = self.check_report(read(&done.markdown)?, request).await?;
        Ok(checked.sentences.into_iter().filter(|one| !one.is_sound()).map(|one| one.text).collect())
    }

    /// Searches what has been loaded since a report was written for an answer to its question, and adds the answer as a
    /// section of its own. Writes no file.
    pub async fn addendum(
        &self,
        markdown: &str,
        collections: &[String],
        chosen: &ChosenModel,
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Addendum, AppError> {
        let report = read(markdown)?;
        let written = report.written.filter(|_| !report.question.is_empty()).ok_or(AppError::NotDated)?;
        let since = self.loaded_since(written, collections).await?;
        let documents = since.len();
        if since.is_empty() {
            return Ok(Addendum::NothingNew);
        }
        let newest = since.get(documents.saturating_sub(MOST_NEW)..).unwrap_or_default();
        let path = PathPattern::of_paths(newest).map_err(AppError::ManyNew)?;
        let asked = ResearchRequest {
            question: report.question.clone(),
            collections: collections.to_vec(),
            filter: DocumentFilter { path: Some(path), ..DocumentFilter::default() },
            ..ResearchRequest::default()
        };
        let answer = match self.research(&asked, chosen, sink, interrupt).await {
            Ok(answer) => answer,
            Err(AppError::Agent(AgentError::Interrupted)) => return Ok(Addendum::Interrupted),
            Err(error) => return Err(error),
        };
        if answer.stopped == StopReason::Interrupted {
            return Ok(Addendum::Interrupted);
        }
        if answer.citations.is_empty() {
            return Ok(Addendum::NothingFound { documents });
        }
        let day = day_of(written);
        let heading = format!("{}{day}", Words::spaced(words(report.language).loaded_since));
        let whole = amended(markdown, &heading, &answer.markdown).ok_or(AppError::NoSourceList)?;
        let markdown = with_record_time(&whole, self.clock()?.now());
        Ok(Addendum::Found { markdown, documents, usage: answer.usage })
    }

    pub(super) async fn loaded_since(
        &self,
        written: Timestamp,
        collections: &[String],
    ) -> Result<Vec<String>, AppError> {
        let collections = collections.to_vec();
        self.read_register(move |register| register.loaded_since(written, &collections)).await
    }
}

/// Sets the time in the report's record to `now`, so that the next addendum begins there.
fn with_record_time(markdown: &str, now: Timestamp) -> String {
    match Record::split(markdown) {
        (visible, Some(Ok(record))) => {
            let record = Record { written: Some(now), ..record };
            format!("{visible}{}", record.comment().trim_start())
        }
        _ => markdown.to_owned(),
    }
}

/// The input for a model on some sentences, numbered from 1.
fn input(report: &ReadReport, part: &[Outdated<'_>], day: jiff::civil::Date) -> ReviseInput {
    let sentence = |(outdated, number): (&Outdated<'_>, usize)| ChangedSentence {
        number,
        text: outdated.sentence.text.clone(),
        sources: outdated
            .citations
            .iter()
            .map(|one| ChangedSource {
                name: if one.note.is_empty() { one.path.clone() } else { format!("{} ({})", one.path, one.note) },
                was: one.quote.clone(),
                now: one.words_now().unwrap_or_default().to_owned(),
            })
            .collect(),
    };
    ReviseInput {
        question: report.question.clone(),
        language: report.language.english_name().to_owned(),
        sentences: part.iter().zip(1..).map(sentence).collect(),
        today: day.to_string(),
    }
}

/// Whether `text` is the rewritten sentence `words`, or a part of it.
fn says(words: &str, text: &str) -> bool {
    let plain = |text: &str| one_line(&text.replace(['*', '\\'], ""));
    plain(words).contains(plain(text).trim_end_matches(['.', '。', '!', '?', '！', '？', ' ']))
}
