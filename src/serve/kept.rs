//! What a server keeps of a run beside its journal: who asked, what clients were told, how it ended. One file for each
//! run, one JSON line for each thing, locked by the process that the run is with.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{create_private_folder, private_file};
use crate::domain::Strategy;

const ENDING: &str = "jsonl";

/// Locked by whoever counts a token's runs.
const COUNTING: &str = "counting.lock";
/// A line that tells of an end is shorter.
const LAST_LINE_BYTES: u64 = 16 * 1024;

/// The first line: what was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ticket {
    /// The file's version.
    pub deepsearch_served: u32,
    /// The run's id, also that of its journal.
    pub id: String,
    /// When it was asked.
    pub created: Timestamp,
    /// The words of whoever asked; the run's question may tell of earlier ones too.
    pub asked: String,
    pub collections: Vec<String>,
    pub strategy: Strategy,
    /// Whose it is; `None` for whoever may see everything.
    pub owner: Option<String>,
    /// Whether it ends with the connection that asked for it.
    pub attached: bool,
    /// What an interface wants to know again of the request.
    pub request: Value,
}

/// A further line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    Told(Told),
    /// The report as `query --json` writes it; the end follows.
    Report(Value),
    End(End),
}

/// An event as clients are told it. They are numbered from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Told {
    /// In words, where people want to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub event: Value,
}

impl Told {
    /// The piece of the report that it brings.
    pub fn text(&self) -> Option<&str> {
        (self.event["event"] == "text").then(|| self.event["markdown"].as_str()).flatten()
    }

    /// Whether the report that was told so far is void.
    pub fn is_rewrite(&self) -> bool {
        self.event["event"] == "rewritten"
    }
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct End {
    pub status: EndStatus,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Has a line of its own, so that the last line is short.
    #[serde(skip)]
    pub report: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum EndStatus {
    /// With a report.
    Completed,
    Failed,
    Cancelled,
}

impl EndStatus {
    pub const ALL: [EndStatus; 3] = [EndStatus::Completed, EndStatus::Failed, EndStatus::Cancelled];

    /// In one word, as clients are told it.
    pub fn name(self) -> &'static str {
        match self {
            EndStatus::Completed => "completed",
            EndStatus::Failed => "failed",
            EndStatus::Cancelled => "cancelled",
        }
    }
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub(super) struct KeptRun {
    pub ticket: Ticket,
    pub told: Vec<Told>,
    pub end: Option<End>,
    /// Bytes up to the end of the last whole line.
    length: u64,
}

/// The files of a data folder.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    folder: PathBuf,
}

/// Whose an unfinished run is.
pub(super) enum Holder {
    /// This process's from now on, as it was left; the file takes further lines.
    Us(Box<KeptRun>, File),
    /// Another process's, or nobody's any more: it has ended, or there is nothing of use.
    Other,
}

impl Kept {
    pub fn of(data_dir: &Path) -> Self {
        Kept { folder: data_dir.join("served") }
    }

    /// Makes the file of a run and takes it for this process.
    pub fn begin(&self, ticket: &Ticket) -> io::Result<File> {
        create_private_folder(&self.folder)?;
        let path = self.path(&ticket.id).ok_or_else(|| io::Error::other("no id"))?;
        // Read as well, since Windows does not lock a file that is open to append alone.
        let mut file = private_file().create_new(true).read(true).append(true).open(path)?;
        file.try_lock().map_err(io::Error::other)?;
        write_line(&mut file, ticket)?;
        // From here on the run is promised.
        file.sync_data()?;
        Ok(file)
    }

    /// Takes an unfinished run for this process, if no other has it.
    pub fn take(&self, id: &str) -> io::Result<Holder> {
        let path = self.path(id).ok_or_else(|| io::Error::other("no id"))?;
        // Not to append: Windows would not let such a file be cut.
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Holder::Other),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Until now another process may have written to it. On Windows what is locked is read by the handle that holds it.
        match read(&file)? {
            Some(run) if run.end.is_none() => {
                // Half a line would spoil the next one.
                file.set_len(run.length)?;
                file.seek(SeekFrom::Start(run.length))?;
                Ok(Holder::Us(Box::new(run), file))
            }
            Some(_) | None => Ok(Holder::Other),
        }
    }

    /// Waits until nobody else who keeps runs in this folder, in whichever process, counts what a token has begun: held from
    /// the count until the next run is among them, and given back when the file is dropped.
    pub fn turn_to_count(&self) -> io::Result<File> {
        create_private_folder(&self.folder)?;
        let path = self.folder.join(COUNTING);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// The ids of all runs, oldest first.
    pub fn ids(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut ids = Vec::new();
        for entry in entries {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == ENDING)
                && let Some(id) = path.file_stem().and_then(|name| name.to_str())
            {
                ids.push(id.to_owned());
            }
        }
        ids.sort();
        Ok(ids)
    }

    /// What is kept of a run; `None` where there is nothing, or nothing of use.
    pub fn read(&self, id: &str) -> io::Result<Option<KeptRun>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        read(&file)
    }

    /// What was asked and how it ended, without what is between.
    pub fn glance(&self, id: &str) -> io::Result<Option<(Ticket, Option<End>)>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        let mut reader = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        let Some(ticket) = next::<Ticket>(&mut reader, &mut line)? else { return Ok(None) };
        let mut file = reader.into_inner();
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LAST_LINE_BYTES)))?;
        let mut tail = Vec::new();
        file.take(LAST_LINE_BYTES).read_to_end(&mut tail)?;
        let last = tail.strip_suffix(b"\n").map(|tail| tail.rsplit(|byte| *byte == b'\n').next().unwrap_or(tail));
        // Any other last line is one of a run that has not ended.
        let end = match last.map(serde_json::from_slice::<Line>) {
            Some(Ok(Line::End(end))) => Some(end),
            Some(Ok(_) | Err(_)) | None => None,
        };
        Ok(Some((ticket, end)))
    }

    /// The path of a run's file. Ids have no signs that mean anything in paths.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let plain =
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain.then(|| self.folder.join(format!("{id}.{ENDING}")))
    }
}

/// Forgets what a server kept of a run; nothing where none did.
pub fn forget(data_dir: &Path, id: &str) -> io::Result<()> {
    match Kept::of(data_dir).path(id).map(fs::remove_file) {
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Some(_) | None => Ok(()),
    }
}

impl Ticket {
    /// The newest version of the files that this program reads, and the one it writes.
    pub const VERSION: u32 = 1;
}

/// Adds a line, so that a process that is killed leaves it whole or torn at the end.
pub(super) fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(line).map_err(io::Error::other)?;
    file.write_all(format!("{text}\n").as_bytes())
}

fn read(file: &File) -> io::Result<Option<KeptRun>> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let Some(ticket) = next::<Ticket>(&mut reader, &mut line)? else { return Ok(None) };
    if ticket.deepsearch_served > Ticket::VERSION {
        return Ok(None);
    }
    let mut run = KeptRun { ticket, told: Vec::new(), end: None, length: line.len() as u64 };
    let mut report = None;
    while let Some(next) = next::<Line>(&mut reader, &mut line)? {
        run.length += line.len() as u64;
        match next {
            Line::Told(told) => run.told.push(told),
            Line::Report(value) => report = Some(value),
            Line::End(end) => run.end = Some(End { report: report.take(), ..end }),
        }
    }
    Ok(Some(run))
}

/// The next whole line; what is torn or is no such line ends the file.
fn next<T: for<'de> Deserialize<'de>>(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<T>> {
    line.clear();
    reader.read_until(b'\n', line)?;
    if line.last() != Some(&b'\n') {
        return Ok(None);
    }
    match serde_json::from_slice(line) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            tracing::warn!("a line of a served run cannot be read: {error}");
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::of(folder.path());
        let ticket = Ticket {
            deepsearch_served: Ticket::VERSION,
            id: "a-1".to_owned(),
            created: Timestamp::UNIX_EPOCH,
            asked: "Why?".to_owned(),
            collections: Vec::new(),
            strategy: Strategy::Deep,
            owner: None,
            attached: false,
            request: Value::Null,
        };
        let told =
            |markdown: &str| Told { line: None, event: serde_json::json!({"event": "text", "markdown": markdown}) };
        let mut file = kept.begin(&ticket).unwrap();
        write_line(&mut file, &Line::Told(told("One."))).unwrap();
        file.write_all(b"{\"told\":{\"event\":{\"event\":\"te").unwrap();
        assert!(matches!(kept.take("a-1").unwrap(), Holder::Other), "whoever began it holds it");
        drop(file);
        let Holder::Us(read, mut file) = kept.take("a-1").unwrap() else { panic!("nobody holds it") };
        assert_eq!((&read.ticket, read.told.as_slice()), (&ticket, [told("One.")].as_slice()));
        write_line(&mut file, &Line::Told(told("Two."))).unwrap();
        assert_eq!(kept.glance("a-1").unwrap(), Some((ticket.clone(), None)));
        let report = serde_json::json!({"markdown": "x".repeat(100_000)});
        write_line(&mut file, &Line::Report(report.clone())).unwrap();
        let end =
            End { status: EndStatus::Completed, at: Timestamp::UNIX_EPOCH, error: None, hint: None, report: None };
        write_line(&mut file, &Line::End(end.clone())).unwrap();
        assert_eq!(kept.glance("a-1").unwrap(), Some((ticket, Some(end.clone()))));
        let read = kept.read("a-1").unwrap().unwrap();
        assert_eq!(read.told, [told("One."), told("Two.")]);
        assert_eq!(read.end, Some(End { report: Some(report), ..end }));
        drop(file);
        assert!(matches!(kept.take("a-1").unwrap(), Holder::Other), "it has ended");
        for id in ["../a-1", "a/1", "", ".", "a-2", "a-1.jsonl"] {
            assert!(kept.read(id).unwrap().is_none(), "{id}");
        }
        forget(folder.path(), "a-1").unwrap();
        forget(folder.path(), "a-1").unwrap();
        assert!(kept.ids().unwrap().is_empty());
    }

    #[test]
    fn one_counts_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let turn = Kept::of(folder.path()).turn_to_count().unwrap();
        let other = File::open(folder.path().join("served").join(COUNTING)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(turn);
        other.try_lock().unwrap();
        assert!(Kept::of(folder.path()).ids().unwrap().is_empty(), "it is no run");
    }
}
