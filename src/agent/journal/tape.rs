//! A journal as read from disk: its steps, where the run stopped, and what a resumed run drops. The form of a line is
//! in `format.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::JournalError;
use super::convert::usage_of;
use super::format::{Answer, Halt, Header, Line, Passage, Resumed, RunEnd, Sent, Step, StoredError, VERSION};
use crate::domain::{StopReason, Usage};
use crate::llm::{Finish, Purpose};

/// A journal as read, reduced to what is still of use.
#[derive(Clone, Debug)]
pub(super) struct Tape {
    pub header: Header,
    /// In the order recorded; people count them from 1.
    pub steps: Vec<Step>,
    /// By the number of the point where the run stopped.
    pub halts: BTreeMap<u64, Halt>,
    pub passages: BTreeMap<u64, Passage>,
    pub end: Option<RunEnd>,
    /// The latest time in the journal.
    pub recorded: Duration,
    /// What was paid for calls that are no longer in `steps`.
    pub earlier: Usage,
    /// The number of bytes up to the end of the last whole line.
    pub length: u64,
    /// Whether the last line was torn, by a kill or a full disk.
    pub torn: bool,
    /// Keys of calls that were sent and whose outcome is unknown.
    unanswered: Vec<String>,
    /// The number of steps when the user first interrupted.
    interrupted_after: Option<usize>,
}

impl Tape {
    /// Reads a journal's text; `path` is for messages.
    pub fn read(text: &[u8], path: &Path) -> Result<Self, JournalError> {
        let damaged = |line: usize, reason: String| JournalError::Damaged { path: path.into(), line, reason };
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].split_inclusive(|&byte| byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let mut tape = Tape {
            header: header(first, path)?,
            steps: Vec::new(),
            halts: BTreeMap::new(),
            passages: BTreeMap::new(),
            end: None,
            recorded: Duration::ZERO,
            earlier: Usage::default(),
            length: first.len() as u64,
            torn: whole < text.len(),
            unanswered: Vec::new(),
            interrupted_after: None,
        };
        let lines: Vec<&[u8]> = lines.collect();
        for (index, line) in lines.iter().enumerate() {
            match serde_json::from_slice(line.trim_ascii_end()) {
                Ok(read) => tape.take(read).map_err(|reason| damaged(index + 2, reason))?,
                // A loss of power may leave a last line with its newline but not whole.
                Err(_) if index + 1 == lines.len() => {
                    tape.torn = true;
                    break;
                }
                Err(error) => return Err(damaged(index + 2, error.to_string())),
            }
            tape.length += line.len() as u64;
        }
        Ok(tape)
    }

    fn take(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line::Step(mut step) => {
                self.at(step.at_us);
                for passage in std::mem::take(&mut step.passages) {
                    self.passages.insert(passage.id, passage);
                }
                if let Some(missing) = named(&step.answer).into_iter().find(|id| !self.passages.contains_key(id)) {
                    return Err(format!("it names a passage ({missing}) that is in no line before it"));
                }
                if let Some(at) = self.unanswered.iter().position(|key| *key == step.key) {
                    self.unanswered.swap_remove(at);
                }
                self.steps.push(step);
            }
            Line::Sent(Sent { key }) => self.unanswered.push(key),
            Line::Halt(halt) => {
                self.at(halt.at_us);
                // The halt holds the cost of the dropped call.
                self.unanswered.clear();
                if halt.reason == StopReason::Interrupted {
                    self.interrupted_after.get_or_insert(self.steps.len());
                }
                self.halts.insert(halt.gate, halt);
            }
            Line::Resumed(Resumed { .. }) => self.prepare_for_resuming(),
            Line::End(end) => {
                let (RunEnd::Report { at_us, .. } | RunEnd::Failed { at_us, .. }) = end;
                self.at(at_us);
                self.unanswered.clear();
                self.end = Some(end);
            }
        }
        Ok(())
    }

    fn at(&mut self, at_us: u64) {
        self.recorded = self.recorded.max(Duration::from_micros(at_us));
    }

    /// Whether the run has a report that resuming would not change.
    pub fn is_finished(&self) -> bool {
        let mut other = self.clone();
        other.prepare_for_resuming();
        matches!(self.end, Some(RunEnd::Report { .. }))
            && (other.halts.len(), other.steps.len()) == (self.halts.len(), self.steps.len())
    }

    /// Prepares a run for resuming: drops interruptions, the report that was written because of one, and the last calls
    /// if they failed or broke off in passing, as without a network, so that they are tried again. The cost of dropped calls is
    /// kept.
    pub fn prepare_for_resuming(&mut self) {
        self.end = None;
        let mut earlier = self.earlier;
        earlier.unanswered += self.unanswered.drain(..).len() as u32;
        self.halts.retain(|_, halt| {
            let interrupted = halt.reason == StopReason::Interrupted;
            if interrupted {
                earlier += Usage::from(&halt.usage);
            }
            !interrupted
        });
        let kept = self.interrupted_after.take().unwrap_or(self.steps.len());
        let mut index = 0;
        self.steps.retain(|step| {
            index += 1;
            let written =
                index > kept && matches!(&step.answer, Answer::Call(call) if call.purpose == Purpose::Write.name());
            if written {
                earlier += usage(step);
            }
            !written
        });
        while let Some(last) = self.steps.iter().rposition(|step| matches!(step.answer, Answer::Call(_)))
            && is_transient_failure(&self.steps[last])
        {
            earlier += usage(&self.steps.remove(last));
        }
        self.earlier = earlier;
    }

    /// Drops all but the first `steps` steps, and the points where the run was told to stop.
    pub fn keep(&mut self, steps: usize) {
        self.steps.truncate(steps);
        self.steps.retain(|step| !matches!(step.answer, Answer::Limit { .. }));
        self.halts.clear();
        self.end = None;
        self.interrupted_after = None;
        self.unanswered.clear();
        self.earlier = Usage::default();
        self.recorded = Duration::from_micros(self.steps.iter().map(|step| step.at_us).max().unwrap_or(0));
        let used: BTreeSet<u64> = self.steps.iter().flat_map(|step| named(&step.answer)).collect();
        self.passages.retain(|id, _| used.contains(id));
    }

    /// The steps as lines of another journal, each with all its passages.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.steps.iter().map(|step| {
            let passages = named(&step.answer).iter().filter_map(|id| self.passages.get(id).cloned()).collect();
            Line::Step(Step { passages, ..step.clone() })
        })
    }

    /// The cost of the calls of all steps and of the calls dropped before.
    pub fn spent(&self) -> Usage {
        let mut spent = self.earlier;
        spent.unanswered += self.unanswered.len() as u32;
        self.steps.iter().for_each(|step| spent += usage(step));
        self.halts.values().for_each(|halt| spent += Usage::from(&halt.usage));
        spent
    }
}

/// The cost of a step.
pub(super) fn usage(step: &Step) -> Usage {
    match &step.answer {
        Answer::Call(call) => match &call.outcome {
            Ok(reply) => Usage::from(&reply.usage),
            Err(refusal) => usage_of(&refusal.error),
        },
        Answer::Collections { .. }
        | Answer::Vocabulary { .. }
        | Answer::Search { .. }
        | Answer::Read(_)
        | Answer::Length(_)
        | Answer::Closest { .. }
        | Answer::Recalled(_)
        | Answer::Remembered(_)
        | Answer::Web(_)
        | Answer::Accessed(_)
        | Answer::Documents(_)
        | Answer::Steered(_)
        | Answer::Replanned(_)
        | Answer::Limit { .. } => Usage::default(),
    }
}

fn is_transient_failure(step: &Step) -> bool {
    let Answer::Call(call) = &step.answer else { return false };
    match &call.outcome {
        Ok(reply) => reply.finish == Finish::Interrupted,
        Err(refusal) => matches!(refusal.error, StoredError::Unavailable { .. } | StoredError::Unreachable { .. }),
    }
}

/// The passages that an answer refers to.
fn named(answer: &Answer) -> Vec<u64> {
    match answer {
        Answer::Search { found, .. } => found.iter().flatten().flatten().map(|hit| hit.chunk).collect(),
        Answer::Read(Ok(ids)) => ids.clone(),
        Answer::Recalled(Ok(known)) => known.passages(),
        Answer::Read(Err(_))
        | Answer::Collections { .. }
        | Answer::Vocabulary { .. }
        | Answer::Length(_)
        | Answer::Closest { .. }
        | Answer::Recalled(Err(_))
        | Answer::Remembered(_)
        | Answer::Web(_)
        | Answer::Accessed(_)
        | Answer::Documents(_)
        | Answer::Steered(_)
        | Answer::Replanned(_)
        | Answer::Limit { .. }
        | Answer::Call(_) => Vec::new(),
    }
}

pub(super) fn header(line: &[u8], path: &Path) -> Result<Header, JournalError> {
    let damaged = |reason: String| JournalError::Damaged { path: path.into(), line: 1, reason };
    if line.is_empty() {
        return Err(damaged("the run ended before it was written".to_owned()));
    }
    // The version is checked first, since a newer header may have other fields.
    let value: Value = serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
    match value["deepsearch_journal"].as_u64().and_then(|version| u32::try_from(version).ok()) {
        Some(found) if found > VERSION => Err(JournalError::Newer { path: path.into(), found, known: VERSION }),
        Some(_) => serde_json::from_value(value).map_err(|error| damaged(error.to_string())),
        None => Err(damaged("it is no journal's first line".to_owned())),
    }
}
