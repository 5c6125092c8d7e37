use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use super::JournalError;
use super::format::{Header, Line};
use crate::base::locked;

/// Appends to a journal's file, and holds the lock on it.
pub(super) struct Writer {
    path: PathBuf,
    /// Whether lines that were paid for must survive a loss of power.
    durable: bool,
    state: Mutex<Output>,
}

struct Output {
    file: File,
    /// Passages that are already in the file.
    known: BTreeSet<u64>,
    /// Set once a line could not be written: later lines would stand behind half a line.
    broken: bool,
}

impl Writer {
    /// Continues at the end of `file`, which holds the passages `known`.
    pub fn new(file: File, path: PathBuf, known: BTreeSet<u64>, durable: bool) -> Self {
        Writer { path, durable, state: Mutex::new(Output { file, known, broken: false }) }
    }

    /// Writes the first line.
    pub fn begin(&self, header: &Header) -> Result<(), JournalError> {
        self.write(|_| serde_json::to_string(header), true)
    }

    /// Writes one line, and each passage only once. With `sync` the line of a durable journal is on disk when this
    /// returns. After the first failure nothing is written or reported any more.
    pub fn append(&self, mut line: Line, sync: bool) -> Result<(), JournalError> {
        self.write(
            |known| {
                if let Line::Step(step) = &mut line {
                    step.passages.retain(|passage| known.insert(passage.id));
                }
                serde_json::to_string(&line)
            },
            sync,
        )
    }

    fn write(
        &self,
        line: impl FnOnce(&mut BTreeSet<u64>) -> serde_json::Result<String>,
        sync: bool,
    ) -> Result<(), JournalError> {
        let mut state = locked(&self.state);
        if state.broken {
            return Ok(());
        }
        let written = line(&mut state.known).map_err(io::Error::other).and_then(|line| {
            // One write, so that a process that is killed leaves the line whole or not at all.
            state.file.write_all(format!("{line}\n").as_bytes())?;
            if sync && self.durable { state.file.sync_data() } else { Ok(()) }
        });
        written.map_err(|source| {
            state.broken = true;
            JournalError::Io { action: "cannot write", path: self.path.clone(), source }
        })
    }
}
