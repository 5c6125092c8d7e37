//! The plan of a load of files, from one stat of each, and the tasks that it leads to.

use std::collections::BTreeMap;
use std::path::Path;

use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinError;

use super::super::archives::{ArchiveRead, Member, beginning, read};
use super::super::manifest::{Change, StoredFile};
use super::super::pipeline::{Progress, Task};
use super::super::prepare::{Content, Job};
use super::super::request::{ArchiveRecord, LoadOptions, LoadRequest};
use super::super::summary::{FileOutcome, LoadEvent, LoadSummary};
use super::super::target::Target;
use crate::documents::archive::is_archive;
use crate::sources::files::SourceFile;

/// The plan of a load.
#[derive(Default)]
pub(super) struct Plan<'t> {
    /// The files to read, in the order of collections and paths.
    pub(super) steps: Vec<Step<'t>>,
    /// Unchanged files, each with the number of its documents.
    unchanged: Vec<(&'t SourceFile, u64)>,
}

/// A file to be read.
pub(super) enum Step<'t> {
    File(Task<'t>),
    Archive(Archive<'t>),
}

/// An archive, and the collection that its members go into.
pub(super) struct Archive<'t> {
    target: &'t Target,
    file: &'t SourceFile,
}

impl Step<'_> {
    fn size(&self) -> u64 {
        match self {
            Step::File(task) => task.job.size,
            Step::Archive(archive) => archive.file.size,
        }
    }
}

impl<'t> Plan<'t> {
    /// The plan for some collections. `stdin` is the file that stands for standard input.
    pub(super) fn of(targets: &'t [Target], request: &LoadRequest, stdin: Option<&SourceFile>) -> Self {
        let mut plan = Plan::default();
        let records = request.archives.iter();
        let records: BTreeMap<(&str, &str), &ArchiveRecord> =
            records.map(|one| ((one.collection.as_str(), one.path.as_str()), one)).collect();
        for target in targets {
            for file in target.files.values() {
                if stdin != Some(file) && is_archive(Path::new(&file.path)) {
                    let beginning = beginning(&file.path);
                    let stored = target.manifest.below(&beginning).len() as u64;
                    let record = records.get(&(target.name.as_str(), file.path.as_str()));
                    let is_as_loaded = record.is_some_and(|record| record.holds(file, stored));
                    if is_as_loaded && !target.manifest.is_outdated_below(&beginning) {
                        plan.unchanged.push((file, stored));
                    } else {
                        plan.steps.push(Step::Archive(Archive { target, file }));
                    }
                    continue;
                }
                let known = match target.manifest.compare(file) {
                    Change::None => {
                        plan.unchanged.push((file, 1));
                        continue;
                    }
                    Change::New => None,
                    Change::Perhaps(known) => Some(known),
                };
                plan.steps.push(Step::File(Task { target, job: job(file, known, request, stdin) }));
            }
        }
        plan
    }

    /// Reports how much there is to do.
    pub(super) fn tell(&self, progress: Progress<'_>, summary: &mut LoadSummary) {
        let files = self.steps.iter().filter(|step| matches!(step, Step::File(_))).count() as u64;
        summary.unchanged = self.unchanged.iter().map(|(_, documents)| documents).sum();
        summary.files = files + summary.unchanged;
        progress(LoadEvent::Found {
            files: files + self.unchanged.len() as u64,
            to_read: self.steps.len() as u64,
            bytes: self.steps.iter().map(Step::size).sum(),
        });
        for (file, _) in &self.unchanged {
            let (path, bytes) = (file.path.clone(), file.size);
            progress(LoadEvent::File { path, outcome: FileOutcome::Unchanged, bytes });
        }
    }
}

fn job(file: &SourceFile, known: Option<StoredFile>, request: &LoadRequest, stdin: Option<&SourceFile>) -> Job {
    let content = match &request.stdin {
        Some(bytes) if stdin == Some(file) => Content::Memory {
            bytes: bytes.clone(),
            name: request.stdin_name.clone().unwrap_or_else(|| "stdin".to_owned()),
        },
        _ => Content::Disk,
    };
    Job { path: file.path.clone(), content, size: file.size, modified_ns: file.modified_ns, known }
}

/// Sends the tasks, those of an archive while it is read. Returns the result of reading each archive.
pub(super) async fn feed<'t>(
    steps: Vec<Step<'t>>,
    options: &LoadOptions,
    progress: Progress<'_>,
    out: Sender<Task<'t>>,
) -> Result<Vec<(Archive<'t>, ArchiveRead)>, JoinError> {
    let mut archives = Vec::new();
    for step in steps {
        match step {
            Step::File(task) => {
                if out.send(task).await.is_err() {
                    break;
                }
            }
            Step::Archive(archive) => {
                let Archive { target, file } = archive;
                let (member_out, mut member_in) = channel(1);
                let limits = options.archives;
                let (path, modified_ns) = (file.path.clone(), file.modified_ns);
                let reading = tokio::task::spawn_blocking(move || read(&path, modified_ns, &limits, &member_out));
                while let Some(Member { path, size, modified_ns, content }) = member_in.recv().await {
                    progress(LoadEvent::MoreFound { files: 1 });
                    let known = target.manifest.known(&path);
                    let job = Job { path, content, size, modified_ns, known };
                    if out.send(Task { target, job }).await.is_err() {
                        break;
                    }
                }
                drop(member_in);
                archives.push((archive, reading.await?));
                if out.is_closed() {
                    break;
                }
            }
        }
    }
    Ok(archives)
}

/// The stored members, by collection, that their archives no longer contain. Also records in the summary which archives
/// need not be opened again.
pub(super) fn outdated(
    archives: &[(Archive<'_>, ArchiveRead)],
    summary: &mut LoadSummary,
) -> BTreeMap<String, Vec<String>> {
    let mut outdated: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (Archive { target, file }, read) in archives.iter().filter(|(_, read)| read.complete) {
        let (collection, beginning) = (&target.name, beginning(&file.path));
        let stored = target.manifest.below(&beginning);
        let gone: Vec<String> = stored.into_iter().filter(|path| !read.members.contains(path)).collect();
        if !gone.is_empty() {
            outdated.entry(collection.clone()).or_default().extend(gone);
        }
        let empty = summary.empty.iter().filter(|path| read.members.contains(*path)).count();
        // An archive with members that cannot be loaded is not recorded, so that every load names them, as it does
        // files.
        if !summary.failed.iter().any(|failed| failed.path.starts_with(&beginning)) {
            summary.archives.push(ArchiveRecord {
                collection: collection.clone(),
                path: file.path.clone(),
                bytes: file.size,
                modified_ns: file.modified_ns,
                documents: (read.members.len() - empty) as u64,
            });
        }
    }
    outdated
}
