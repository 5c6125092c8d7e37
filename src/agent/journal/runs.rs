//! The journals of a data folder: creating, finding, opening, forking and removing them. Their content is read by
//! `tape.rs`.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::BuildHasher;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::format::{Forked, Header, Line, Resumed, RunEnd, StoredModel, VERSION};
use super::model::stored_model;
use super::tape::Tape;
use super::writer::Writer;
use super::{Journal, JournalError};
use crate::agent::{AgentOptions, StrategyLimits};
use crate::base::{Clock, create_private_folder, if_there, private_file};
use crate::domain::DocumentFilter;
use crate::llm::ChatModel;

/// The extension of journal files.
const ENDING: &str = "jsonl";
/// How often another name is tried if one is taken.
const TRIES: u32 = 10_000;

/// The journals of a data folder, one file for each run. The folder is created with the first run.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
}

/// Everything that determines a run except the answers from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSettings {
    /// The question as asked.
    pub question: String,
    /// The collections that the user named; empty means all.
    pub collections: Vec<String>,
    /// Which documents may be found.
    pub filter: DocumentFilter,
    /// The limits at which the run must stop.
    pub limits: StrategyLimits,
    /// How the run goes about its work.
    pub options: AgentOptions,
}

/// A run that can be resumed or replayed.
pub struct OpenedRun {
    /// The run's id.
    pub id: String,
    /// When the run began; for a fork, when the run that it was forked from began.
    pub begun: jiff::Timestamp,
    /// The run's settings.
    pub settings: RunSettings,
    /// The journal with the run's answers.
    pub journal: Journal,
    /// Hash of the report's Markdown, if there is a report.
    pub report_hash: Option<String>,
}

impl Runs {
    /// The journals in a data folder.
    pub fn of(data_dir: &Path) -> Self {
        Runs { folder: data_dir.join("runs") }
    }

    /// The folder of the journals.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The ids of all runs, oldest first; empty if there was none yet.
    pub fn ids(&self) -> Result<Vec<String>, JournalError> {
        let failed = |source| self.failed("cannot list the journals in", source);
        let Some(entries) = if_there(fs::read_dir(&self.folder)).map_err(failed)? else { return Ok(Vec::new()) };
        let mut ids = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|ending| ending == ENDING)
                && let Some(id) = path.file_stem().and_then(|name| name.to_str())
            {
                ids.push(id.to_owned());
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// Finds a run by its id, the beginning of its id, or `last`.
    pub fn find(&self, name: &str) -> Result<String, JournalError> {
        const SHOWN: usize = 5;
        let ids = self.ids()?;
        if ids.is_empty() {
            return Err(JournalError::NoRuns { folder: self.folder.clone() });
        }
        if name == "last" {
            return Ok(self.latest(ids));
        }
        let fitting: Vec<&String> = ids.iter().filter(|id| id.starts_with(name) && !name.is_empty()).collect();
        match fitting.as_slice() {
            [id] => Ok((*id).clone()),
            _ if ids.iter().any(|id| id == name) => Ok(name.to_owned()),
            [] => Err(JournalError::NoRun { name: name.to_owned() }),
            several => Err(JournalError::Ambiguous {
                name: name.to_owned(),
                runs: several.iter().take(SHOWN).map(|id| (*id).clone()).collect(),
            }),
        }
    }

    /// The run that began last. Ids contain the second; runs of one second are told apart by their first lines.
    fn latest(&self, ids: Vec<String>) -> String {
        let second = |id: &String| id.get(..SECOND).map(str::to_owned);
        let last = ids.iter().filter_map(second).max();
        let started = |id: &String| self.read(id).ok().map(|tape| tape.header.started);
        let of_last: Vec<&String> = ids.iter().filter(|id| second(id) == last).collect();
        let chosen = of_last.iter().max_by_key(|id| (started(id), id.as_str()));
        chosen.map(|id| (**id).clone()).or_else(|| ids.last().cloned()).unwrap_or_default()
    }

    /// Begins a journal. Its file is created, and locked as long as the journal lives.
    pub fn begin(
        &self,
        settings: &RunSettings,
        model: &dyn ChatModel,
        clock: Clock,
    ) -> Result<(String, Journal), JournalError> {
        let (id, writer, header) = self.create(settings, model, clock, None)?;
        Ok((id, Journal::begun(writer, header.today, clock)))
    }

    /// Opens a run to resume it. The run must be neither finished nor under way.
    pub fn resume(&self, id: &str, model: &dyn ChatModel, clock: Clock) -> Result<OpenedRun, JournalError> {
        let path = self.path(id);
        // Not opened to append: Windows would not let such a file be truncated.
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|source| JournalError::Io { action: "cannot open", path: path.clone(), source })?;
        lock(&file, id, &path)?;
        let mut tape = Tape::read(&rest(&file, &path)?, &path)?;
        if tape.is_finished() {
            return Err(JournalError::Finished { run: id.to_owned() });
        }
        check_model(id, &tape.header.model, &stored_model(model))?;
        // Whatever stands behind the last whole line would spoil the next one.
        let io = |source| JournalError::Io { action: "cannot write", path: path.clone(), source };
        file.set_len(tape.length).map_err(io)?;
        (&file).seek(SeekFrom::Start(tape.length)).map_err(io)?;
        let known = tape.passages.keys().copied().collect();
        let writer = Writer::new(file, path.clone(), known, tape.header.model.reasons);
        writer.append(Line::Resumed(Resumed { on: clock.now() }), false)?;
        tape.prepare_for_resuming();
        Ok(opened(id.to_owned(), tape, Some(writer)))
    }

    /// Opens a finished run to replay it from its journal alone.
    pub fn replay(&self, id: &str) -> Result<OpenedRun, JournalError> {
        let tape = self.read(id)?;
        match &tape.end {
            Some(RunEnd::Report { .. }) => {}
            Some(RunEnd::Failed { error, .. }) => {
                return Err(JournalError::NoReport { run: id.to_owned(), why: Some(error.clone()) });
            }
            None => return Err(JournalError::NoReport { run: id.to_owned(), why: None }),
        }
        Ok(opened(id.to_owned(), tape, None))
    }

    /// Opens any run to replay it as far as its journal reaches.
    pub fn replay_events(&self, id: &str) -> Result<OpenedRun, JournalError> {
        Ok(opened(id.to_owned(), self.read(id)?, None))
    }

    /// Begins a run that takes over the first `steps` steps of another and goes its own way from there, with `model`
    /// and with settings that `change` may modify.
    pub fn fork(
        &self,
        id: &str,
        steps: usize,
        change: impl FnOnce(&mut RunSettings),
        model: &dyn ChatModel,
        clock: Clock,
    ) -> Result<OpenedRun, JournalError> {
        let mut tape = self.read(id)?;
        if steps > tape.steps.len() {
            return Err(JournalError::NoStep { run: id.to_owned(), steps: tape.steps.len(), asked: steps });
        }
        tape.keep(steps);
        let mut settings = settings_of(&tape.header);
        change(&mut settings);
        let forked = Forked { run: id.to_owned(), steps };
        let (new, writer, header) = self.create(&settings, model, clock, Some((forked, tape.header.today)))?;
        for line in tape.lines() {
            writer.append(line, false)?;
        }
        tape.header = header;
        Ok(opened(new, tape, Some(writer)))
    }

    /// Removes a run that is not under way.
    pub fn remove(&self, id: &str) -> Result<(), JournalError> {
        let path = self.path(id);
        let failed = |action| {
            let path = path.clone();
            move |source| JournalError::Io { action, path, source }
        };
        let file = File::open(&path).map_err(failed("cannot open"))?;
        lock(&file, id, &path)?;
        fs::remove_file(&path).map_err(failed("cannot remove"))
    }

    pub(super) fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }

    pub(super) fn read(&self, id: &str) -> Result<Tape, JournalError> {
        let path = self.path(id);
        Tape::read(&bytes(&path)?, &path)
    }

    fn failed(&self, action: &'static str, source: std::io::Error) -> JournalError {
        JournalError::Io { action, path: self.folder.clone(), source }
    }

    /// Creates and locks a new file, and writes its first line.
    fn create(
        &self,
        settings: &RunSettings,
        model: &dyn ChatModel,
        clock: Clock,
        forked: Option<(Forked, jiff::Timestamp)>,
    ) -> Result<(String, Writer, Header), JournalError> {
        create_private_folder(&self.folder).map_err(|source| self.failed("cannot make the folder of", source))?;
        let now = clock.now();
        let (id, file) = self.new_file(now, matches!(clock, Clock::Fixed(_)))?;
        let path = self.path(&id);
        lock(&file, &id, &path)?;
        let RunSettings { question, collections, filter, limits, options } = settings.clone();
        let header = Header {
            deepsearch_journal: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            run: id.clone(),
            started: now,
            today: forked.as_ref().map_or(now, |(_, today)| *today),
            fixed_clock: matches!(clock, Clock::Fixed(_)),
            question,
            collections,
            filter,
            limits,
            options,
            model: stored_model(model),
            forked: forked.map(|(forked, _)| forked),
        };
        let writer = Writer::new(file, path.clone(), Default::default(), model.reasons());
        if let Err(error) = writer.begin(&header) {
            // Half a line is of no use; if the file cannot be removed either, it is listed as unreadable.
            drop(fs::remove_file(path));
            return Err(error);
        }
        Ok((id, writer, header))
    }

    /// Creates a file under a name that is not taken: the second and a random suffix, or a number under a fixed clock,
    /// so that tests know it.
    fn new_file(&self, now: jiff::Timestamp, fixed: bool) -> Result<(String, File), JournalError> {
        let second = now.strftime("%Y%m%d-%H%M%S").to_string();
        let mut number = 0;
        loop {
            number += 1;
            let suffix = if fixed { number } else { RandomState::new().hash_one(number) as u32 & 0xffff };
            let id = format!("{second}-{suffix:04x}");
            // Opened to read as well, since Windows does not lock a file that is open to append alone.
            match private_file().create_new(true).read(true).append(true).open(self.path(&id)) {
                Ok(file) => return Ok((id, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < TRIES => {}
                Err(source) => {
                    return Err(JournalError::Io { action: "cannot make", path: self.path(&id), source });
                }
            }
        }
    }
}

/// The length of the part of an id that gives the second.
const SECOND: usize = "20260131-120000".len();

fn opened(id: String, tape: Tape, writer: Option<Writer>) -> OpenedRun {
    let settings = settings_of(&tape.header);
    let report_hash = match &tape.end {
        Some(RunEnd::Report { hash, .. }) => Some(hash.clone()),
        Some(RunEnd::Failed { .. }) | None => None,
    };
    OpenedRun { id, begun: tape.header.today, settings, journal: Journal::answering(tape, writer), report_hash }
}

/// Checks that the models are the same. Purposes that only one of the two programs knows are ignored.
fn check_model(id: &str, had: &StoredModel, has: &StoredModel) -> Result<(), JournalError> {
    let other = had.names.iter().any(|(purpose, name)| has.names.get(purpose).is_some_and(|other| other != name));
    if !other && had.reasons == has.reasons {
        return Ok(());
    }
    let names = |model: &StoredModel| {
        let names: BTreeSet<&str> = model.names.values().map(String::as_str).collect();
        names.into_iter().collect::<Vec<_>>().join(", ")
    };
    Err(JournalError::OtherModel { run: id.to_owned(), had: names(had), has: names(has) })
}

pub(super) fn settings_of(header: &Header) -> RunSettings {
    let Header { question, collections, filter, limits, options, .. } = header.clone();
    RunSettings { question, collections, filter, limits, options }
}

fn bytes(path: &Path) -> Result<Vec<u8>, JournalError> {
    let file = File::open(path);
    rest(&file.map_err(|source| JournalError::Io { action: "cannot read", path: path.into(), source })?, path)
}

/// Reads the rest of an open file. On Windows a locked file can be read only through the handle that holds the lock.
fn rest(mut file: &File, path: &Path) -> Result<Vec<u8>, JournalError> {
    let mut bytes = Vec::new();
    let read = file.read_to_end(&mut bytes);
    read.map_err(|source| JournalError::Io { action: "cannot read", path: path.into(), source })?;
    Ok(bytes)
}

/// Locks the file for this process. The system releases the lock when the process ends, however it ends.
fn lock(file: &File, id: &str, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Running { run: id.to_owned() }),
        Err(TryLockError::Error(source)) => Err(JournalError::Io { action: "cannot lock", path: path.into(), source }),
    }
}
