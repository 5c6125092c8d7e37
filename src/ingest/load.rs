//! A load of files, from the named paths to the stored documents. Its stages are in `pipeline`, and web pages in
//! `load::web`.

mod plan;
mod web;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::channel;
use tokio_util::sync::CancellationToken;

use super::archives::is_member_of_any;
use super::collection_name::collection_name;
use super::describe::derive_description;
use super::error::{LoadCause, LoadError, ended};
use super::libraries::Libraries;
use super::manifest::Manifest;
use super::moved::MissingFiles;
use super::pipeline::{self, Outcome, Progress};
use super::request::{LoadRequest, STDIN};
use super::summary::{ChangeKind, DocumentChange, LoadEvent, LoadSummary, LoadedPlace};
use super::target::{Files, Target};
use crate::base::ContentHash;
use crate::domain::{Collection, CollectionSpec, DocumentId};
use crate::embed::Embedder;
use crate::sources::FailedFile;
use crate::sources::SourceError;
use crate::sources::files::{Root, SourceFile, find};
use crate::store::{RenamedDocument, Store, StoreError, check_name};

use plan::{Plan, feed, outdated};
pub use web::{WebRequest, collection_of_page, load_web};

/// The collection for standard input, if none is named.
const STDIN_COLLECTION: &str = "stdin";

/// Loads files into collections: new and changed files are parsed, chunked, embedded and stored; every other file costs
/// one stat. A collection is created with its first document.
///
/// An interrupt ends the load after the current batch, and the summary says so. Files that cannot be read are named in
/// the summary and never stop the rest. Whatever ends a load, the next one completes it.
///
/// # Errors
/// Bad paths or an embedder that does not fit a collection, before anything is stored; a failing store or embedder,
/// with the summary of what was stored until then.
pub async fn load(
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    request: &LoadRequest,
    progress: &(dyn Fn(LoadEvent) + Send + Sync),
    interrupt: CancellationToken,
) -> Result<LoadSummary, LoadError> {
    load_announced(store, embedder, request, progress, interrupt, |_| async {}).await
}

/// Like [`load`], but calls `begun` with the places and their collections, once the request can no longer be refused
/// and before anything is stored. A caller that records them knows of a load that is killed.
///
/// # Errors
/// As [`load`].
pub async fn load_announced<F: Future<Output = ()>>(
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    request: &LoadRequest,
    progress: &(dyn Fn(LoadEvent) + Send + Sync),
    interrupt: CancellationToken,
    begun: impl FnOnce(Vec<LoadedPlace>) -> F,
) -> Result<LoadSummary, LoadError> {
    let start = Instant::now();
    let mut summary = LoadSummary::default();
    let done = Load { store: store.as_ref(), request, progress, interrupt: &interrupt };
    let result = done.run(embedder, begun, &mut summary).await;
    summary.seconds = start.elapsed().as_secs_f64();
    ended(result, summary)
}

struct Load<'l> {
    store: &'l dyn Store,
    request: &'l LoadRequest,
    progress: Progress<'l>,
    interrupt: &'l CancellationToken,
}

/// What is left to do after the stages have ended.
struct PendingWork {
    /// Collections whose documents have changed.
    changed: BTreeSet<String>,
    /// Whether documents have a new date.
    is_redated: bool,
    /// Stored documents whose files no longer contain any, by collection.
    lost: BTreeMap<String, Vec<String>>,
    failure: Option<LoadCause>,
}

impl Load<'_> {
    async fn run<F: Future<Output = ()>>(
        &self,
        embedder: Option<Arc<dyn Embedder>>,
        begun: impl FnOnce(Vec<LoadedPlace>) -> F,
        summary: &mut LoadSummary,
    ) -> Result<(), LoadError> {
        let (roots, stdin) = self.find().await?;
        let wanted = self.by_collection(&roots, stdin.as_ref());
        let libraries = Arc::new(self.libraries(&wanted).await?);
        let existing = self.existing().await?;
        let targets = self.targets(wanted, &existing, embedder, &libraries).await?;
        let names: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
        begun(self.places(&roots, &names)).await;
        self.report_roots(&roots, summary);

        let mut gone = MissingFiles::default();
        let mut seems_gone = false;
        for target in &targets {
            let vanished = self.vanished(&target.name, &target.manifest, &roots, Some(&target.files));
            seems_gone |= !vanished.is_empty();
            gone.add(&target.name, target.manifest.current(&vanished));
        }
        let plan = Plan::of(&targets, self.request, stdin.as_ref());
        plan.tell(self.progress, summary);

        // Tasks are created while earlier ones run, since the members of an archive are known only when it is read.
        let (task_out, task_in) = channel(1);
        let options = &self.request.options;
        let (archives, outcome) = tokio::join!(
            feed(plan.steps, options, self.progress, task_out),
            pipeline::run(self.store, task_in, gone, options, &libraries, self.progress, self.interrupt),
        );
        summary.interrupted = self.interrupt.is_cancelled();
        let PendingWork { mut changed, is_redated, lost, failure } = self.settle(outcome, summary).await;
        summary.name_again(self.request.partial.iter().filter(|one| targets.iter().any(|target| target.holds(one))));
        summary.collections =
            names.into_iter().filter(|name| existing.contains_key(name) || changed.contains(name)).collect();
        summary.places = self.places(&roots, &summary.collections);
        for (_, read) in archives.iter().flatten() {
            summary.files += read.members.len() as u64;
            summary.skip(read.skipped.clone());
        }
        if let Some(LoadCause::Store(error)) = failure {
            // Everything else that could be done needs the same store.
            return Err(error.into());
        }
        let archives = archives.map_err(|source| LoadCause::Worker { action: "reading an archive", source })?;
        if failure.is_none() && !summary.interrupted {
            self.remove_all(outdated(&archives, summary), &mut changed, summary).await?;
            if self.request.prune {
                self.remove_all(lost, &mut changed, summary).await?;
            }
            // Without `--prune` the documents are only counted, which need not list every collection again.
            if self.request.prune || seems_gone {
                let vanished = self.all_vanished(&roots, &existing, &targets, &libraries).await?;
                match self.request.prune {
                    true => self.remove_all(vanished, &mut changed, summary).await?,
                    false => summary.gone = vanished.values().map(|paths| paths.len() as u64).sum(),
                }
            }
        }
        if is_redated || !changed.is_empty() {
            self.store.flush().await?;
        }
        self.describe(&summary.collections, &changed, &existing).await?;
        failure.map_or(Ok(()), |cause| Err(cause.into()))
    }

    /// Puts the results of the stages into the summary, and the new times of unchanged documents into the store.
    async fn settle(&self, outcome: Outcome, summary: &mut LoadSummary) -> PendingWork {
        let Outcome { read, committed, mut failure } = outcome;
        summary.unchanged += read.unchanged;
        summary.empty.extend(read.empty);
        summary.failed.extend(read.failed);
        summary.partial.extend(read.partial);
        summary.chunks += committed.chunks;
        summary.bytes += committed.bytes;
        summary.note(committed.changes);
        let is_redated = !read.redated.is_empty();
        if !matches!(failure, Some(LoadCause::Store(_)))
            && let Err(error) = self.keep_times(read.touched, read.redated).await
        {
            failure = Some(LoadCause::Store(error));
        }
        PendingWork { changed: committed.written, is_redated, lost: read.lost, failure }
    }

    async fn keep_times(
        &self,
        touched: BTreeMap<String, Vec<(DocumentId, i64)>>,
        redated: BTreeMap<String, Vec<RenamedDocument>>,
    ) -> Result<(), StoreError> {
        for (name, times) in touched {
            self.store.touch(&name, times).await?;
        }
        for (name, documents) in redated {
            self.store.rename_documents(&name, documents).await?;
        }
        Ok(())
    }

    /// Reads the files of reference managers beside the files that are loaded.
    async fn libraries(&self, wanted: &BTreeMap<String, Files>) -> Result<Libraries, LoadError> {
        let files: Vec<String> = wanted.values().flat_map(|files| files.keys().cloned()).collect();
        tokio::task::spawn_blocking(move || Libraries::beside(files.iter().map(String::as_str)))
            .await
            .map_err(|source| LoadCause::Worker { action: "looking for libraries", source }.into())
    }

    /// The existing collections, by name.
    async fn existing(&self) -> Result<BTreeMap<String, Collection>, StoreError> {
        let collections = self.store.collections().await?;
        Ok(collections.into_iter().map(|found| (found.name.clone(), found)).collect())
    }

    /// Looks at the requested places. The walk blocks, so it runs on a thread of its own.
    async fn find(&self) -> Result<(Vec<Root>, Option<SourceFile>), LoadError> {
        let (stdin, paths): (Vec<_>, Vec<_>) =
            self.request.paths.iter().cloned().partition(|path| path == Path::new(STDIN));
        let stdin = match (stdin.is_empty(), &self.request.stdin) {
            (true, _) => None,
            (false, Some(bytes)) => {
                let name = self.request.stdin_name.clone().unwrap_or_else(|| ContentHash::of(bytes).to_string());
                Some(SourceFile { path: format!("stdin:{name}"), size: bytes.len() as u64, modified_ns: 0 })
            }
            (false, None) => return Err(SourceError::NoStdin.into()),
        };
        let (cwd, interrupt, lenient) = (self.request.cwd.clone(), self.interrupt.clone(), self.request.lenient);
        let roots = tokio::task::spawn_blocking(move || find(&paths, &cwd, lenient, &interrupt))
            .await
            .map_err(|source| LoadCause::Worker { action: "looking for files", source })??;
        Ok((roots, stdin))
    }

    /// The collection that a file of a root goes into.
    fn collection_of(&self, root: &Root, path: &Path) -> String {
        if let Some(name) = &self.request.collection {
            return name.clone();
        }
        match root.top_folder(path).filter(|_| self.request.collection_per_dir) {
            Some(folder) => collection_name(&folder.to_string_lossy()),
            None => collection_name(&root.folder_name),
        }
    }

    /// The places that exist, each with those of `collections` that its files go into.
    fn places(&self, roots: &[Root], collections: &[String]) -> Vec<LoadedPlace> {
        let place = |root: &Root| {
            let names: BTreeSet<String> =
                root.files.iter().map(|file| self.collection_of(root, Path::new(&file.path))).collect();
            let collections = names.into_iter().filter(|name| collections.contains(name)).collect();
            LoadedPlace { path: root.asked.clone(), collections }
        };
        roots.iter().filter(|root| root.missing.is_none()).map(place).collect()
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

    /// The collections to load into, by name, each with what it holds.
    async fn targets(
        &self,
        wanted: BTreeMap<String, Files>,
        existing: &BTreeMap<String, Collection>,
        embedder: Option<Arc<dyn Embedder>>,
        libraries: &Libraries,
    ) -> Result<Vec<Target>, LoadError> {
        let named = wanted.keys().try_for_each(|name| check_name(name));
        named.map_err(LoadError::BadName)?;
        if self.request.description.is_some() && wanted.len() > 1 {
            let collections = wanted.into_keys().collect();
            return Err(LoadError::ManyDescribed { collections });
        }
        let new = |name: &str| CollectionSpec {
            name: name.to_owned(),
            description: self.request.description.clone().unwrap_or_default(),
            embedder: embedder.as_ref().map(|embedder| embedder.identity().clone()),
        };
        let mut targets = Vec::with_capacity(wanted.len());
        for (name, files) in wanted {
            let (create, embedder, manifest) = match existing.get(&name) {
                None => (Some(new(&name)), embedder.clone(), Manifest::default()),
                Some(collection) => {
                    let embedder = self.embedder_of(collection, embedder.as_ref())?;
                    let stored = self.store.documents(&name).await?;
                    (None, embedder, Manifest::new(stored, &self.request.options, libraries))
                }
            };
            targets.push(Target { name, files, manifest, create, embedder });
        }
        Ok(targets)
    }

    /// The embedder of an existing collection: the one that it was created with. A collection without one stays
    /// lexical; one with another refuses the load, unless that is an earlier edition of `embedder`.
    fn embedder_of(
        &self,
        collection: &Collection,
        embedder: Option<&Arc<dyn Embedder>>,
    ) -> Result<Option<Arc<dyn Embedder>>, LoadError> {
        let name = &collection.name;
        let asked = embedder.map(|embedder| embedder.identity());
        if collection.embedder.as_ref() == asked {
            return Ok(embedder.cloned());
        }
        let Some(has) = &collection.embedder else {
            let message = format!(
                "the collection `{name}` has no embedder and stays searchable by words only, until `deepsearch \
                 collections reembed` gives it one"
            );
            (self.progress)(LoadEvent::Warning { message });
            return Ok(None);
        };
        let Some(earlier) = embedder.and_then(|embedder| embedder.earlier(has)) else {
            let asked = asked.map_or("none", |asked| &asked.name).to_owned();
            let (collection, has) = (name.clone(), has.name.clone());
            return Err(LoadError::OtherEmbedder { collection, has, asked });
        };
        let message = format!(
            "the collection `{name}` was embedded by an earlier edition of {}, which knew fewer languages, and goes on \
             with it; `deepsearch collections reembed {name}` gives it the present one",
            has.name
        );
        (self.progress)(LoadEvent::Warning { message });
        Ok(Some(earlier))
    }

    /// Reports what was skipped, unreadable or missing while looking for files.
    fn report_roots(&self, roots: &[Root], summary: &mut LoadSummary) {
        for root in roots {
            summary.skip(root.skipped.clone());
            summary.failed.extend(root.unreadable.iter().map(|unreadable| FailedFile {
                path: unreadable.path.display().to_string(),
                reason: unreadable.reason.clone(),
            }));
            let asked = root.asked.display();
            let message = match &root.missing {
                Some(reason) => format!("{reason}; its documents are kept, until `deepsearch sources rm {asked}`"),
                None if root.files.is_empty() && root.unreadable.is_empty() && !self.interrupt.is_cancelled() => {
                    format!("nothing to load in `{asked}`; what was loaded from it before is kept")
                }
                None => continue,
            };
            (self.progress)(LoadEvent::Warning { message });
        }
    }

    /// Existing collections that may have held files of the roots. With `--collection-per-dir` that is every
    /// collection, since a folder may be gone with all its files.
    fn prunable(&self, roots: &[Root], existing: &BTreeMap<String, Collection>) -> Vec<String> {
        let of_roots: BTreeSet<String> = roots.iter().map(|root| self.collection_of(root, Path::new(""))).collect();
        let per_dir = self.request.collection_per_dir && self.request.collection.is_none();
        existing.keys().filter(|name| per_dir || of_roots.contains(*name)).cloned().collect()
    }

    /// The stored paths of a collection that the roots would hold if their files were not gone. Members of an archive
    /// that still exists are not among them.
    fn vanished(&self, name: &str, manifest: &Manifest, roots: &[Root], files: Option<&Files>) -> Vec<String> {
        let is_file = |path: &str| files.is_some_and(|files| files.contains_key(path));
        manifest.vanished(
            roots,
            |path| is_file(path) || is_member_of_any(path, is_file),
            |root, path| self.collection_of(root, path) == name,
        )
    }

    /// The same for all collections, as they are stored now.
    async fn all_vanished(
        &self,
        roots: &[Root],
        existing: &BTreeMap<String, Collection>,
        targets: &[Target],
        libraries: &Libraries,
    ) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
        let mut all = BTreeMap::new();
        for name in self.prunable(roots, existing) {
            let stored = self.store.documents(&name).await?;
            let manifest = Manifest::new(stored, &self.request.options, libraries);
            let files = targets.iter().find(|target| target.name == name).map(|target| &target.files);
            let vanished = self.vanished(&name, &manifest, roots, files);
            if !vanished.is_empty() {
                all.insert(name, vanished);
            }
        }
        Ok(all)
    }

    async fn remove_all(
        &self,
        gone: BTreeMap<String, Vec<String>>,
        changed: &mut BTreeSet<String>,
        summary: &mut LoadSummary,
    ) -> Result<(), StoreError> {
        for (name, paths) in gone {
            self.remove(&name, paths, summary).await?;
            changed.insert(name);
        }
        Ok(())
    }

    async fn remove(&self, name: &str, paths: Vec<String>, summary: &mut LoadSummary) -> Result<(), StoreError> {
        self.store.remove(name, paths.clone()).await?;
        let (change, collection) = (ChangeKind::Removed, name.to_owned());
        let told = |path| DocumentChange { change, collection: collection.clone(), path, from: None };
        summary.note(paths.into_iter().map(told).collect());
        Ok(())
    }

    /// Sets the user's description, or refreshes derived ones that are missing or whose contents changed.
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
