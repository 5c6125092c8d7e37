use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::collection_name::collection_name;
use super::describe::derive_description;
use super::error::LoadError;
use super::manifest::{Change, Known, Manifest};
use super::pipeline::{self, Failure, Progress, Target, Task};
use super::prepare::{Content, Job};
use super::request::{LoadRequest, STDIN};
use super::source::SourceError;
use super::source::files::{Root, SourceFile, find};
use super::summary::{FailedFile, FileOutcome, LoadEvent, LoadSummary};
use crate::base::ContentHash;
use crate::domain::{Collection, CollectionSpec};
use crate::embed::Embedder;
use crate::store::{Store, StoreError};

/// The collection of what comes on standard input, where none is named.
const STDIN_COLLECTION: &str = "stdin";

/// Loads files into collections: what is new or changed is parsed, chunked, embedded and stored; the rest costs one
/// stat a file. Collections are made when their first document comes.
///
/// An interrupt ends the load after the batch at hand; the summary says so. Files that cannot be read are named in
/// the summary and never stop the rest. Whatever ends a load, the next one completes it.
///
/// # Errors
/// Bad paths and an embedder that does not fit a collection, before anything is stored; a failing store or embedder,
/// with the summary of what was stored until then.
pub async fn load(
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    request: &LoadRequest,
    progress: &(dyn Fn(LoadEvent) + Send + Sync),
    interrupt: CancellationToken,
) -> Result<LoadSummary, LoadError> {
    let start = Instant::now();
    let mut summary = LoadSummary::default();
    let done = Load { store: store.as_ref(), request, progress, interrupt: &interrupt };
    let result = done.run(embedder, &mut summary).await;
    summary.seconds = start.elapsed().as_secs_f64();
    match result {
        Ok(()) => Ok(summary),
        Err(End::Refused(error)) => Err(error),
        Err(End::Store(source)) => Err(LoadError::Store { source, summary: Box::new(summary) }),
        Err(End::Embed(source)) => Err(LoadError::Embed { source, summary: Box::new(summary) }),
        Err(End::Worker { action, source }) => Err(LoadError::Worker { action, source, summary: Box::new(summary) }),
    }
}

/// Why a load ends, before the summary is put to it.
enum End {
    Refused(LoadError),
    Store(StoreError),
    Embed(crate::embed::EmbedError),
    Worker { action: &'static str, source: tokio::task::JoinError },
}

impl From<StoreError> for End {
    fn from(error: StoreError) -> Self {
        End::Store(error)
    }
}

struct Load<'l> {
    store: &'l dyn Store,
    request: &'l LoadRequest,
    progress: Progress<'l>,
    interrupt: &'l CancellationToken,
}

/// The documents that are to be in one collection, by path.
type Files = BTreeMap<String, SourceFile>;

impl Load<'_> {
    async fn run(&self, embedder: Option<Arc<dyn Embedder>>, summary: &mut LoadSummary) -> Result<(), End> {
        let (roots, stdin) = self.find().await?;
        let wanted = self.by_collection(&roots, stdin.as_ref());
        self.check_description(&wanted)?;
        let existing: BTreeMap<String, Collection> =
            self.store.collections().await?.into_iter().map(|found| (found.name.clone(), found)).collect();
        let targets = self.targets(&wanted, &existing, embedder)?;
        self.report_roots(&roots, summary);

        let mut tasks = Vec::new();
        let mut unchanged = Vec::new();
        for (index, (name, files)) in wanted.iter().enumerate() {
            let manifest = match existing.get(name) {
                Some(_) => Manifest::new(self.store.documents(name).await?),
                None => Manifest::default(),
            };
            summary.files += files.len() as u64;
            for file in files.values() {
                match manifest.compare(file) {
                    Change::None => unchanged.push(file),
                    Change::New => tasks.push(Task { target: index, job: self.job(file, None, stdin.as_ref()) }),
                    Change::Perhaps(known) => {
                        tasks.push(Task { target: index, job: self.job(file, Some(known), stdin.as_ref()) });
                    }
                }
            }
        }
        summary.unchanged = unchanged.len() as u64;
        (self.progress)(LoadEvent::Found {
            files: summary.files,
            to_read: tasks.len() as u64,
            bytes: tasks.iter().map(|task| task.job.size).sum(),
        });
        for file in unchanged {
            let (path, bytes) = (file.path.clone(), file.size);
            (self.progress)(LoadEvent::File { path, outcome: FileOutcome::Unchanged, bytes });
        }

        let outcome =
            pipeline::run(self.store, &targets, tasks, &self.request.options, self.progress, self.interrupt).await;
        tracing::debug!(peak_bytes = outcome.peak_bytes, "files read");
        summary.unchanged += outcome.read.unchanged;
        summary.failed.extend(outcome.read.failed);
        summary.new = outcome.committed.new;
        summary.changed = outcome.committed.changed;
        summary.chunks = outcome.committed.chunks;
        summary.bytes = outcome.committed.bytes;
        summary.interrupted = self.interrupt.is_cancelled();
        let mut changed: BTreeSet<String> =
            outcome.committed.written.iter().map(|&index| targets[index].name.clone()).collect();
        summary.collections =
            wanted.keys().filter(|name| existing.contains_key(*name) || changed.contains(*name)).cloned().collect();
        if let Some(Failure::Store(error)) = outcome.failure {
            // Whatever else could be done would meet the same store.
            return Err(End::Store(error));
        }
        for (index, times) in outcome.read.touched {
            self.store.touch(&targets[index].name, times).await?;
        }
        if self.request.prune && outcome.failure.is_none() && !summary.interrupted {
            for name in self.prunable(&roots, &existing) {
                let removed = self.prune(&name, &roots, wanted.get(&name)).await?;
                summary.removed += removed;
                if removed > 0 {
                    changed.insert(name);
                }
            }
        }
        if !changed.is_empty() {
            self.store.flush().await?;
        }
        self.describe(&summary.collections, &changed, &existing).await?;
        match outcome.failure {
            Some(Failure::Embed(error)) => Err(End::Embed(error)),
            Some(Failure::Store(_)) | None => Ok(()),
        }
    }

    /// Looks at the places asked for; the walk blocks, so it has a thread of its own.
    async fn find(&self) -> Result<(Vec<Root>, Option<SourceFile>), End> {
        let (stdin, paths): (Vec<_>, Vec<_>) =
            self.request.paths.iter().cloned().partition(|path| path == Path::new(STDIN));
        let stdin = match (stdin.is_empty(), &self.request.stdin) {
            (true, _) => None,
            (false, Some(bytes)) => {
                let name = self.request.stdin_name.clone().unwrap_or_else(|| ContentHash::of(bytes).to_string());
                Some(SourceFile { path: format!("stdin:{name}"), size: bytes.len() as u64, modified_ns: 0 })
            }
            (false, None) => return Err(End::Refused(SourceError::NoStdin.into())),
        };
        let (cwd, interrupt) = (self.request.cwd.clone(), self.interrupt.clone());
        let roots = tokio::task::spawn_blocking(move || find(&paths, &cwd, &interrupt))
            .await
            .map_err(|source| End::Worker { action: "looking for files", source })?
            .map_err(|error| End::Refused(error.into()))?;
        Ok((roots, stdin))
    }

    /// The collection that a file of a root goes to.
    fn collection_of(&self, root: &Root, path: &Path) -> String {
        if let Some(name) = &self.request.collection {
            return name.clone();
        }
        match root.top_folder(path).filter(|_| self.request.collection_per_dir) {
            Some(folder) => collection_name(&folder.to_string_lossy()),
            None => collection_name(&root.folder_name),
        }
    }

    fn by_collection(&self, roots: &[Root], stdin: Option<&SourceFile>) -> BTreeMap<String, Files> {
        let mut wanted: BTreeMap<String, Files> = BTreeMap::new();
        for root in roots {
            for file in &root.files {
                let name = self.collection_of(root, Path::new(&file.path));
                wanted.entry(name).or_default().insert(file.path.clone(), file.clone());
            }
        }
        if let Some(file) = stdin {
            let name = self.request.collection.clone().unwrap_or_else(|| STDIN_COLLECTION.to_owned());
            wanted.entry(name).or_default().insert(file.path.clone(), file.clone());
        }
        wanted
    }

    fn check_description(&self, wanted: &BTreeMap<String, Files>) -> Result<(), End> {
        if self.request.description.is_some() && wanted.len() > 1 {
            let collections = wanted.keys().cloned().collect();
            return Err(End::Refused(LoadError::ManyDescribed { collections }));
        }
        Ok(())
    }

    /// A collection keeps the embedder that it was made with: one made without stays lexical, and one made with
    /// another refuses the load.
    fn targets(
        &self,
        wanted: &BTreeMap<String, Files>,
        existing: &BTreeMap<String, Collection>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Vec<Target>, End> {
        let asked = embedder.as_ref().map(|embedder| embedder.identity().clone());
        let mut targets = Vec::with_capacity(wanted.len());
        for name in wanted.keys() {
            let (create, embedder) = match existing.get(name) {
                None => {
                    let description = self.request.description.clone().unwrap_or_default();
                    let spec = CollectionSpec { name: name.clone(), description, embedder: asked.clone() };
                    (Some(spec), embedder.clone())
                }
                Some(collection) if collection.embedder == asked => (None, embedder.clone()),
                Some(collection) => match &collection.embedder {
                    None => {
                        let message = format!(
                            "the collection `{name}` has no embedder and stays searchable by words only, until \
                             `deepsearch collections reembed` gives it one"
                        );
                        (self.progress)(LoadEvent::Warning { message });
                        (None, None)
                    }
                    Some(has) => {
                        let asked = asked.as_ref().map_or("none", |asked| &asked.name).to_owned();
                        let (collection, has) = (name.clone(), has.name.clone());
                        return Err(End::Refused(LoadError::OtherEmbedder { collection, has, asked }));
                    }
                },
            };
            targets.push(Target { name: name.clone(), create, embedder });
        }
        Ok(targets)
    }

    fn job(&self, file: &SourceFile, known: Option<Known>, stdin: Option<&SourceFile>) -> Job {
        let content = match &self.request.stdin {
            Some(bytes) if stdin == Some(file) => Content::Memory {
                bytes: bytes.clone(),
                name: self.request.stdin_name.clone().unwrap_or_else(|| "stdin".to_owned()),
            },
            _ => Content::Disk,
        };
        Job { path: file.path.clone(), content, size: file.size, modified_ns: file.modified_ns, known }
    }

    /// What was left out or could not be read while looking.
    fn report_roots(&self, roots: &[Root], summary: &mut LoadSummary) {
        for root in roots {
            summary.skipped += root.skipped;
            summary.failed.extend(root.unreadable.iter().map(|unreadable| FailedFile {
                path: unreadable.path.display().to_string(),
                reason: unreadable.reason.clone(),
            }));
            if root.files.is_empty() && root.unreadable.is_empty() && !self.interrupt.is_cancelled() {
                let message = format!("nothing to load in `{}`", root.asked.display());
                (self.progress)(LoadEvent::Warning { message });
            }
        }
    }

    /// Existing collections in which files of the roots may have been. With a collection for each folder that is any:
    /// the folder may be gone with all its files.
    fn prunable(&self, roots: &[Root], existing: &BTreeMap<String, Collection>) -> Vec<String> {
        let of_roots: BTreeSet<String> = roots.iter().map(|root| self.collection_of(root, Path::new(""))).collect();
        let per_dir = self.request.collection_per_dir && self.request.collection.is_none();
        existing.keys().filter(|name| per_dir || of_roots.contains(*name)).cloned().collect()
    }

    async fn prune(&self, name: &str, roots: &[Root], files: Option<&Files>) -> Result<u64, StoreError> {
        let manifest = Manifest::new(self.store.documents(name).await?);
        let vanished = manifest.vanished(
            roots,
            |path| files.is_some_and(|files| files.contains_key(path)),
            |root, path| self.collection_of(root, path) == name,
        );
        if vanished.is_empty() { Ok(0) } else { self.store.remove(name, vanished).await }
    }

    /// Sets the user's description, or refreshes a derived one where the contents changed.
    async fn describe(
        &self,
        collections: &[String],
        changed: &BTreeSet<String>,
        existing: &BTreeMap<String, Collection>,
    ) -> Result<(), StoreError> {
        if let Some(description) = &self.request.description {
            for name in collections {
                self.store.describe(name, description, true).await?;
            }
            return Ok(());
        }
        let undescribed = |name: &&String| {
            existing.get(*name).is_some_and(|found| found.description.is_empty() && found.documents > 0)
        };
        let due: BTreeSet<&String> = changed.iter().chain(collections.iter().filter(undescribed)).collect();
        for name in due {
            if existing.get(name).is_some_and(|found| found.described_by_user) {
                continue;
            }
            let description = derive_description(self.store, name).await?;
            self.store.describe(name, &description, false).await?;
        }
        Ok(())
    }
}
