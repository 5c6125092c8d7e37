//! Runs and their steps as lists show them, read from their journals without replaying the runs.

use std::fs::{File, TryLockError};

use jiff::Timestamp;
use serde::Serialize;

use super::format::{Answer, Header, RunEnd, Step};
use super::tape::{self, Tape};
use super::{JournalError, Runs};
use crate::domain::{StopReason, Usage};
use crate::llm::ToolCall;

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum RunState {
    /// The run is under way in some process.
    Running,
    /// There is a report.
    Finished {
        /// Why the search ended.
        stopped: StopReason,
    },
    /// The process ended before the run did.
    Broken,
    /// The run ended without a report.
    Failed {
        /// The error that ended it.
        error: String,
    },
    /// Its journal cannot be read.
    Unreadable {
        /// The reason.
        error: String,
    },
}

/// A run as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// Its id.
    pub id: String,
    /// The run's state.
    #[serde(flatten)]
    pub state: RunState,
    /// When the run began; `None` if its journal cannot be read.
    pub started: Option<Timestamp>,
    /// The question as asked.
    pub question: String,
    /// The cost so far.
    pub usage: Usage,
    /// The time taken so far, in seconds.
    pub seconds: f64,
    /// The size of the journal in bytes.
    pub bytes: u64,
    /// The run that it was forked from, and how many steps it took over.
    pub forked_from: Option<(String, usize)>,
}

/// A run with its steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunDetails {
    /// The run.
    #[serde(flatten)]
    pub run: RunSummary,
    /// Collections that the user named; empty means all.
    pub collections: Vec<String>,
    /// The requests to the outside, in order; people count from 1.
    pub steps: Vec<StepSummary>,
    /// Whether the last line was torn when the process ended.
    pub torn: bool,
}

/// A request to the outside.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepSummary {
    /// Counted from 1.
    pub number: usize,
    /// The run's time when the answer arrived, in seconds.
    pub at_seconds: f64,
    /// What was asked.
    #[serde(flatten)]
    pub kind: StepKind,
}

/// The kind of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "step")]
pub enum StepKind {
    /// Which collections there are.
    Collections {
        /// Their names.
        names: Vec<String>,
    },
    /// The words of a collection.
    Vocabulary {
        /// The collection's name.
        collection: String,
    },
    /// Searches made at the same time.
    Search {
        /// The queries.
        queries: Vec<String>,
        /// The number of passages found by each.
        hits: Vec<usize>,
    },
    /// Passages read in full.
    Read {
        /// The number of passages.
        passages: usize,
    },
    /// How long a document is.
    Length {
        /// The number of its passages.
        chunks: u32,
    },
    /// Pages fetched from the web.
    Web {
        /// The queries.
        queries: Vec<String>,
        /// The number of pages read.
        pages: usize,
    },
    /// When a page among the documents was fetched.
    Accessed,
    /// Which documents could be found.
    Documents {
        /// The number of documents.
        count: u64,
    },
    /// Searches that a person wanted next.
    Steered {
        /// The queries.
        queries: Vec<String>,
    },
    /// A person's words on the plan.
    Replanned {
        /// The words.
        words: String,
    },
    /// What earlier runs learnt.
    Recall {
        /// The number of events recalled.
        events: usize,
    },
    /// The findings that the run left in the memory.
    Remember {
        /// Whether the memory stored them.
        taken: bool,
    },
    /// The sentences of hits that are closest in meaning to a query.
    Closest {
        /// The query.
        query: String,
    },
    /// A call that a limit did not allow.
    Limit {
        /// The purpose of the call.
        purpose: String,
        /// The limit.
        limit: String,
    },
    /// A model call.
    Call {
        /// The purpose of the call.
        purpose: String,
        /// The model's name.
        model: String,
        /// The cost of the call.
        usage: Usage,
        /// Hash of the prompt.
        prompt: String,
        /// The text of the reply, or else the tools that it calls; if the call failed, the text streamed before that.
        reply: String,
        /// Whether the call failed.
        failed: bool,
    },
}

impl Runs {
    /// All runs, newest first, including those whose journals cannot be read.
    pub fn list(&self) -> Result<Vec<RunSummary>, JournalError> {
        let mut runs = Vec::new();
        for id in self.ids()? {
            runs.push(match self.read(&id) {
                Ok(tape) => self.summary(&id, &tape),
                Err(error) => self.unreadable(&id, &error),
            });
        }
        runs.sort_by(|a, b| (b.started, &b.id).cmp(&(a.started, &a.id)));
        Ok(runs)
    }

    /// A run with its steps.
    pub fn details(&self, id: &str) -> Result<RunDetails, JournalError> {
        let tape = self.read(id)?;
        let steps = tape.steps.iter().zip(1..).map(|(step, number)| StepSummary {
            number,
            at_seconds: seconds(step.at_us),
            kind: kind(step),
        });
        Ok(RunDetails {
            run: self.summary(id, &tape),
            collections: tape.header.collections.clone(),
            steps: steps.collect(),
            torn: tape.torn,
        })
    }

    fn summary(&self, id: &str, tape: &Tape) -> RunSummary {
        let state = match &tape.end {
            Some(RunEnd::Report { stopped, .. }) => RunState::Finished { stopped: *stopped },
            Some(RunEnd::Failed { error, .. }) => RunState::Failed { error: error.clone() },
            None if self.is_running(id) => RunState::Running,
            None => RunState::Broken,
        };
        let Header { started, question, forked, .. } = &tape.header;
        RunSummary {
            id: id.to_owned(),
            state,
            started: Some(*started),
            question: question.clone(),
            usage: tape.spent(),
            seconds: tape.recorded.as_secs_f64(),
            bytes: self.bytes(id),
            forked_from: forked.as_ref().map(|forked| (forked.run.clone(), forked.steps)),
        }
    }

    fn unreadable(&self, id: &str, error: &JournalError) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            state: RunState::Unreadable { error: error.to_string() },
            started: None,
            question: String::new(),
            usage: Usage::default(),
            seconds: 0.0,
            bytes: self.bytes(id),
            forked_from: None,
        }
    }

    fn bytes(&self, id: &str) -> u64 {
        // A file that was removed meanwhile counts as empty.
        self.path(id).metadata().map_or(0, |metadata| metadata.len())
    }

    fn is_running(&self, id: &str) -> bool {
        let locked = File::open(self.path(id)).map(|file| file.try_lock_shared());
        matches!(locked, Ok(Err(TryLockError::WouldBlock)))
    }
}

fn kind(step: &Step) -> StepKind {
    match &step.answer {
        Answer::Collections { collections, .. } => {
            StepKind::Collections { names: collections.iter().map(|collection| collection.name.clone()).collect() }
        }
        Answer::Vocabulary { collection, .. } => StepKind::Vocabulary { collection: collection.clone() },
        Answer::Search { queries, found } => StepKind::Search {
            queries: queries.clone(),
            hits: found.iter().map(|hits| hits.as_ref().map_or(0, Vec::len)).collect(),
        },
        Answer::Length(length) => StepKind::Length { chunks: length.as_ref().copied().unwrap_or(0) },
        Answer::Recalled(known) => StepKind::Recall { events: known.as_ref().map_or(0, |known| known.events.len()) },
        Answer::Remembered(taken) => StepKind::Remember { taken: taken.is_ok() },
        Answer::Web(web) => StepKind::Web { queries: web.queries.clone(), pages: web.pages.len() },
        Answer::Accessed(_) => StepKind::Accessed,
        Answer::Documents(listed) => StepKind::Documents { count: listed.as_ref().map_or(0, |listed| listed.count) },
        Answer::Steered(queries) => StepKind::Steered { queries: queries.iter().map(|one| one.text.clone()).collect() },
        Answer::Replanned(words) => StepKind::Replanned { words: words.clone() },
        Answer::Closest { query, .. } => StepKind::Closest { query: query.clone() },
        Answer::Limit { purpose, limit } => StepKind::Limit { purpose: purpose.clone(), limit: limit.clone() },
        Answer::Read(ids) => StepKind::Read { passages: ids.as_ref().map_or(0, Vec::len) },
        Answer::Call(call) => StepKind::Call {
            purpose: call.purpose.clone(),
            model: call.model.clone(),
            usage: tape::usage(step),
            prompt: step.key.clone(),
            reply: match &call.outcome {
                Ok(reply) if reply.text.is_empty() => called(&reply.tool_calls),
                Ok(reply) => reply.text.clone(),
                Err(refusal) => refusal.streamed.clone(),
            },
            failed: call.outcome.is_err(),
        },
    }
}

/// The tools that a reply calls, with their arguments.
fn called(calls: &[ToolCall]) -> String {
    calls.iter().map(|call| format!("{} {}", call.name, call.arguments)).collect::<Vec<_>>().join("; ")
}

fn seconds(micros: u64) -> f64 {
    std::time::Duration::from_micros(micros).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_by_tool_and_arguments() {
        let check = |calls: &[(&str, &str)], expected: &str| {
            let call = |(name, arguments): &(&str, &str)| ToolCall {
                id: "c".to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            };
            assert_eq!(called(&calls.iter().map(call).collect::<Vec<_>>()), expected);
        };
        check(&[], "");
        check(&[("keyword_search", r#"{"k": 3}"#), ("finish", "")], r#"keyword_search {"k": 3}; finish "#);
    }
}
