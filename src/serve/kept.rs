//! What a server keeps of a run besides its journal: who asked, what clients were told, how it ended. One file for each
//! run, with one JSON line for each item, locked by the process that has the run.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::{create_private_folder, if_there, private_file};
use crate::domain::Strategy;

const ENDING: &str = "jsonl";

/// The file locked by whoever counts a token's runs.
const COUNTING: &str = "counting.lock";
/// The line of an end is shorter than this.
const LAST_LINE_BYTES: u64 = 16 * 1024;

/// The first line: the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Ticket {
    /// The version of the file format.
    pub deepsearch_served: u32,
    /// The run's id, also that of its journal.
    pub id: String,
    /// When it was requested.
    pub created: Timestamp,
    /// The asker's own words; the run's question may also mention earlier ones.
    pub asked: String,
    pub collections: Vec<String>,
    pub strategy: Strategy,
    /// The owner; `None` for an owner who may see everything.
    pub owner: Option<String>,
    /// Whether the run ends with the connection that requested it.
    pub attached: bool,
    /// The part of the request that the interface needs later.
    pub request: Value,
}

/// Any later line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    Told(ClientEvent),
    /// The report as written by `query --json`; the end follows.
    Report(Value),
    End(End),
}

/// An event as told to clients. Events are numbered from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientEvent {
    /// The event in words, if people want to know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    pub event: Value,
}

impl ClientEvent {
    /// The piece of the report in the event.
    pub fn text(&self) -> Option<&str> {
        (self.event["event"] == "text").then(|| self.event["markdown"].as_str()).flatten()
    }

    /// Whether the report told so far is void.
    pub fn is_rewrite(&self) -> bool {
        self.event["event"] == "rewritten"
    }

    /// Stands for an event whose line was damaged, so that later events keep their numbers.
    fn unreadable() -> Self {
        ClientEvent { line: None, event: json!({"event": "unreadable"}) }
    }
}

/// How a run ended.
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

    /// The status in one word, as told to clients.
    pub fn name(self) -> &'static str {
        match self {
            EndStatus::Completed => "completed",
            EndStatus::Failed => "failed",
            EndStatus::Cancelled => "cancelled",
        }
    }
}

/// A file as read.
#[derive(Clone, Debug)]
pub(super) struct KeptRun {
    pub ticket: Ticket,
    pub told: Vec<ClientEvent>,
    pub end: Option<End>,
    /// The number of bytes up to the end of the last readable line.
    length: u64,
}

/// The file of a run of this process. It always ends with a whole line, even after a failed write.
#[derive(Debug)]
pub(super) struct KeptFile {
    file: File,
    /// The number of bytes of whole lines.
    length: u64,
    /// Whether a partial line may follow them.
    torn: bool,
}

impl KeptFile {
    /// A file that accepts no line.
    #[cfg(test)]
    pub fn full(path: &Path) -> Self {
        KeptFile { file: File::open(path).unwrap(), length: 0, torn: false }
    }

    /// Adds a line. A killed process leaves the line whole or torn at the end; a full disk leaves the file as it was,
    /// and the next line may succeed.
    pub fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let text = format!("{}\n", serde_json::to_string(line).map_err(io::Error::other)?);
        if self.torn {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
        }
        self.torn = true;
        self.file.write_all(text.as_bytes())?;
        self.torn = false;
        self.length += text.len() as u64;
        Ok(())
    }
}

/// The files of a data folder.
#[derive(Clone, Debug)]
pub(super) struct RunFiles {
    folder: PathBuf,
}

/// Who has an unfinished run.
pub(super) enum Holder {
    /// This process, from now on, with the run as it was left; the file takes further lines.
    Us(Box<KeptRun>, KeptFile),
    /// Another process, or nobody: the run has ended, or the file has no usable content.
    Other,
}

impl RunFiles {
    pub fn of(data_dir: &Path) -> Self {
        RunFiles { folder: data_dir.join("served") }
    }

    /// Creates the file of a run and claims it for this process.
    pub fn begin(&self, ticket: &Ticket) -> io::Result<KeptFile> {
        create_private_folder(&self.folder)?;
        let path = self.path(&ticket.id).ok_or_else(|| io::Error::other("no id"))?;
        // Not opened for appending: Windows would not let such a file be truncated.
        let file = private_file().create_new(true).read(true).write(true).open(path)?;
        file.try_lock().map_err(io::Error::other)?;
        let mut kept = KeptFile { file, length: 0, torn: false };
        kept.write(ticket)?;
        // From here on, the run is promised.
        kept.file.sync_data()?;
        Ok(kept)
    }

    /// Claims an unfinished run for this process, if no other has it.
    pub fn take(&self, id: &str) -> io::Result<Holder> {
        let path = self.path(id).ok_or_else(|| io::Error::other("no id"))?;
        // Not opened for appending: Windows would not let such a file be truncated.
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Holder::Other),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // Until now, another process may have written to it. On Windows, a locked file can be read only by the handle
        // that holds it.
        match read(&file)? {
            Some(run) if run.end.is_none() => {
                // A partial line would spoil the next one.
                let kept = KeptFile { file, length: run.length, torn: true };
                Ok(Holder::Us(Box::new(run), kept))
            }
            Some(_) | None => Ok(Holder::Other),
        }
    }

    /// Waits until nobody else who keeps runs in this folder, in any process, is counting what a token has begun. The
    /// lock is held from the count until the next run is included, and released when the file is dropped.
    pub fn lock_for_counting(&self) -> io::Result<File> {
        create_private_folder(&self.folder)?;
        let path = self.folder.join(COUNTING);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// The ids of all runs, oldest first.
    pub fn ids(&self) -> io::Result<Vec<String>> {
        let Some(entries) = if_there(fs::read_dir(&self.folder))? else { return Ok(Vec::new()) };
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

    /// What is kept of a run; `None` if there is nothing, or nothing usable.
    pub fn read(&self, id: &str) -> io::Result<Option<KeptRun>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        let Some(file) = if_there(File::open(path))? else { return Ok(None) };
        read(&file)
    }

    /// The request and the end, without the lines in between.
    pub fn glance(&self, id: &str) -> io::Result<Option<(Ticket, Option<End>)>> {
        let Some(path) = self.path(id) else { return Ok(None) };
        let mut reader = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        let Some(ticket) = next::<Ticket>(&mut reader, &mut line)?.and_then(Result::ok) else { return Ok(None) };
        let mut file = reader.into_inner();
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LAST_LINE_BYTES)))?;
        let mut tail = Vec::new();
        file.take(LAST_LINE_BYTES).read_to_end(&mut tail)?;
        let last = tail.strip_suffix(b"\n").map(|tail| tail.rsplit(|byte| *byte == b'\n').next().unwrap_or(tail));
        // Any other last line means that the run has not ended.
        let end = match last.map(serde_json::from_slice::<Line>) {
            Some(Ok(Line::End(end))) => Some(end),
            Some(Ok(_) | Err(_)) | None => None,
        };
        Ok(Some((ticket, end)))
    }

    /// The path of a run's file. Ids contain no characters that are special in paths.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let plain =
            !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        plain.then(|| self.folder.join(format!("{id}.{ENDING}")))
    }
}

/// Deletes what a server kept of a run; does nothing if none did.
pub fn forget(data_dir: &Path, id: &str) -> io::Result<()> {
    let Some(path) = RunFiles::of(data_dir).path(id) else { return Ok(()) };
    if_there(fs::remove_file(path)).map(drop)
}

impl Ticket {
    /// The newest version of the files that this program reads, and the one that it writes.
    pub const VERSION: u32 = 1;
}

fn read(file: &File) -> io::Result<Option<KeptRun>> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let Some(ticket) = next::<Ticket>(&mut reader, &mut line)?.and_then(Result::ok) else { return Ok(None) };
    if ticket.deepsearch_served > Ticket::VERSION {
        return Ok(None);
    }
    let mut run = KeptRun { ticket, told: Vec::new(), end: None, length: line.len() as u64 };
    let mut report = None;
    // Unreadable lines and their bytes. At the end of the file, nobody has seen them; a loss of power leaves such
    // lines. Before other lines, each keeps its number, so that the numbers of later events do not change.
    let (mut damaged, mut bytes) = (0, 0);
    while let Some(next) = next::<Line>(&mut reader, &mut line)? {
        bytes += line.len() as u64;
        let next = match next {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!("a line of the served run {} cannot be read: {error}", run.ticket.id);
                damaged += 1;
                continue;
            }
        };
        run.told.extend(std::iter::repeat_n(ClientEvent::unreadable(), std::mem::take(&mut damaged)));
        run.length += std::mem::take(&mut bytes);
        match next {
            Line::Told(told) => run.told.push(told),
            Line::Report(value) => report = Some(value),
            Line::End(end) => run.end = Some(End { report: report.take(), ..end }),
        }
    }
    Ok(Some(run))
}

/// The next whole line, or why it is not of the expected kind. A torn line ends the file.
fn next<T: for<'de> Deserialize<'de>>(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
) -> io::Result<Option<serde_json::Result<T>>> {
    line.clear();
    reader.read_until(b'\n', line)?;
    Ok((line.last() == Some(&b'\n')).then(|| serde_json::from_slice(line)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::serve) fn ticket() -> Ticket {
        Ticket {
            deepsearch_served: Ticket::VERSION,
            id: "a-1".to_owned(),
            created: Timestamp::UNIX_EPOCH,
            asked: "Why?".to_owned(),
            collections: Vec::new(),
            strategy: Strategy::Deep,
            owner: None,
            attached: false,
            request: Value::Null,
        }
    }

    fn told(markdown: &str) -> ClientEvent {
        ClientEvent { line: None, event: json!({"event": "text", "markdown": markdown}) }
    }

    #[test]
    fn a_damaged_line_keeps_its_number_and_those_at_the_end_are_written_over() {
        let check = |lines: &[&str], expected: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let kept = RunFiles::of(folder.path());
            let mut file = kept.begin(&ticket()).unwrap();
            for line in lines {
                match line.strip_prefix("damaged") {
                    Some(_) => file.file.write_all(b"\0\0\0{\n").unwrap(),
                    None => file.write(&Line::Told(told(line))).unwrap(),
                }
            }
            drop(file);
            let Holder::Us(_, mut file) = kept.take("a-1").unwrap() else { panic!("nobody holds it") };
            file.write(&Line::Told(told("new"))).unwrap();
            let read = kept.read("a-1").unwrap().unwrap();
            assert_eq!(read.told.iter().map(|told| told.text().unwrap_or("?")).collect::<Vec<_>>(), expected);
        };
        check(&["One.", "Two."], &["One.", "Two.", "new"]);
        check(&["One.", "damaged", "Three."], &["One.", "?", "Three.", "new"]);
        check(&["damaged", "damaged", "Three.", "damaged", "damaged"], &["?", "?", "Three.", "new"]);
        check(&["damaged"], &["new"]);
    }

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let kept = RunFiles::of(folder.path());
        let mut file = kept.begin(&ticket()).unwrap();
        let events: Vec<ClientEvent> = (1..2000)
            .map(|n| ClientEvent { line: None, event: json!({"usd": 0.123_456_7 * f64::from(n) / 1e6}) })
            .collect();
        events.iter().for_each(|told| file.write(&Line::Told(told.clone())).unwrap());
        let read = kept.read("a-1").unwrap().unwrap().told;
        let others: Vec<_> = events.iter().zip(&read).filter(|(told, read)| told != read).collect();
        assert!(read.len() == events.len() && others.is_empty(), "{} differ, as {:?}", others.len(), others.first());
    }

    #[test]
    fn a_torn_line_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let kept = RunFiles::of(folder.path());
        let ticket = ticket();
        let mut file = kept.begin(&ticket).unwrap();
        file.write(&Line::Told(told("One."))).unwrap();
        file.file.write_all(b"{\"told\":{\"event\":{\"event\":\"te").unwrap();
        assert!(matches!(kept.take("a-1").unwrap(), Holder::Other), "whoever began it holds it");
        drop(file);
        let Holder::Us(read, mut file) = kept.take("a-1").unwrap() else { panic!("nobody holds it") };
        assert_eq!((&read.ticket, read.told.as_slice()), (&ticket, [told("One.")].as_slice()));
        file.write(&Line::Told(told("Two."))).unwrap();
        assert_eq!(kept.glance("a-1").unwrap(), Some((ticket.clone(), None)));
        let report = serde_json::json!({"markdown": "x".repeat(100_000)});
        file.write(&Line::Report(report.clone())).unwrap();
        let end =
            End { status: EndStatus::Completed, at: Timestamp::UNIX_EPOCH, error: None, hint: None, report: None };
        file.write(&Line::End(end.clone())).unwrap();
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
        let turn = RunFiles::of(folder.path()).lock_for_counting().unwrap();
        let other = File::open(folder.path().join("served").join(COUNTING)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(turn);
        other.try_lock().unwrap();
        assert!(RunFiles::of(folder.path()).ids().unwrap().is_empty(), "it is no run");
    }
}
