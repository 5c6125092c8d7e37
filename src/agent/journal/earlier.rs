use std::fs::File;
use std::io::{BufRead, BufReader};

use jiff::Timestamp;

use super::format::{Answer, Header, RunEnd};
use super::runs::settings_of;
use super::tape;
use super::{JournalError, RunSettings, Runs};
use crate::domain::{DocumentId, DocumentName, StopReason};

/// A run that gave an answer, and what it knew of its documents.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenDocuments {
    /// The run's id.
    pub run: String,
    /// When the run began.
    pub started: Timestamp,
    /// The documents that the run could find; `None` if they were too many to be named.
    pub documents: Option<Vec<(DocumentId, DocumentName)>>,
    /// The texts of the passages that the run was given.
    pub passages: Vec<String>,
}

impl Runs {
    /// Returns the newest run that gave an answer, of those that `is_asked` accepts. Only the first lines of the others
    /// are read. Journals that cannot be read are skipped, since they are of other runs or of no use.
    pub fn newest_answer(
        &self,
        is_asked: impl Fn(&RunSettings) -> bool,
    ) -> Result<Option<SeenDocuments>, JournalError> {
        let mut asked: Vec<(Timestamp, String)> = Vec::new();
        for id in self.ids()? {
            match self.header(&id) {
                Ok(header) if is_asked(&settings_of(&header)) => asked.push((header.started, id)),
                Ok(_) => {}
                Err(error) => tracing::info!(%error, "a journal is passed over"),
            }
        }
        asked.sort();
        for (started, run) in asked.into_iter().rev() {
            let tape = match self.read(&run) {
                Ok(tape) => tape,
                Err(error) => {
                    tracing::info!(%error, "a journal is passed over");
                    continue;
                }
            };
            let Some(RunEnd::Report { stopped, .. }) = tape.end else { continue };
            if matches!(stopped, StopReason::Interrupted | StopReason::ModelFailed) {
                continue;
            }
            let documents = tape.steps.iter().rev().find_map(|step| match &step.answer {
                Answer::Documents(Ok(listed)) => listed.named.clone(),
                _ => None,
            });
            let documents = documents.map(|all| all.into_iter().map(super::stored::named).collect());
            let passages = tape.passages.into_values().map(|passage| passage.text).collect();
            return Ok(Some(SeenDocuments { run, started, documents, passages }));
        }
        Ok(None)
    }

    /// The run that wrote a report on `question`: the newest finished one with it, preferably one that began at
    /// `written`.
    pub fn run_of_report(&self, question: &str, written: Option<Timestamp>) -> Result<Option<String>, JournalError> {
        let mut asked: Vec<(bool, Timestamp, String)> = Vec::new();
        for id in self.ids()? {
            match self.header(&id) {
                Ok(header) if header.question == question => {
                    asked.push((Some(header.today) == written, header.started, id));
                }
                Ok(_) => {}
                Err(error) => tracing::info!(%error, "a journal is passed over"),
            }
        }
        asked.sort();
        let is_finished =
            |run: &String| self.read(run).is_ok_and(|tape| matches!(tape.end, Some(RunEnd::Report { .. })));
        Ok(asked.into_iter().rev().map(|(_, _, run)| run).find(is_finished))
    }

    fn header(&self, id: &str) -> Result<Header, JournalError> {
        let path = self.path(id);
        let failed = |source| JournalError::Io { action: "cannot read", path: path.clone(), source };
        let mut line = Vec::new();
        let file = File::open(&path).map_err(failed)?;
        BufReader::new(file).read_until(b'\n', &mut line).map_err(failed)?;
        tape::header(&line, &path)
    }
}
