//! The places that were loaded: remembering them, loading them again, following and forgetting them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::web::STATE_FILE;
use super::{App, AppError};
use crate::ingest::register::{DocumentEvent, KnownSource, Register, RegisterError, Source, SourceHolds};
use crate::ingest::watch::Followed;
use crate::ingest::{
    ChangeKind, DocumentChange, LoadRequest, LoadSummary, LoadedPlace, STDIN, collection_of_page, derive_description,
};
use crate::sources::files::absolute;
use crate::sources::web::{CrawlOf, Links, documents_of, forget_crawl};

/// The result of forgetting a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Forgotten {
    /// The sources that are forgotten: one place can be loaded in several ways.
    pub sources: Vec<KnownSource>,
    /// Paths of the documents that were removed, by collection; those that another source also gives stay.
    pub removed: BTreeMap<String, Vec<String>>,
}

/// The start URLs and links of a source's crawl into a collection; `None` for files.
fn pages_in<'k>(known: &'k KnownSource, collection: &str) -> Option<(Vec<String>, &'k Links)> {
    let Source::Web { urls, links, .. } = &known.source else { return None };
    let is_of = |url: &&String| known.collection.is_some() || collection_of_page(url).as_deref() == Some(collection);
    Some((urls.iter().filter(is_of).cloned().collect(), links))
}

impl App {
    /// All sources, in the order in which they were first loaded.
    pub async fn sources(&self) -> Result<Vec<KnownSource>, AppError> {
        self.read_register(Register::sources).await
    }

    /// The history of a document, found by its path or the end of it, in the order of time.
    pub async fn history(&self, path: &str) -> Result<Vec<DocumentEvent>, AppError> {
        let path = path.trim_start_matches("./").to_owned();
        self.read_register(move |register| register.history(&path)).await
    }

    /// The latest events of documents, in the order of time.
    pub async fn last_events(&self, most: usize) -> Result<Vec<DocumentEvent>, AppError> {
        self.read_register(move |register| register.last_events(most)).await
    }

    /// Forgets a source by its path, so that no refresh loads it again, and removes its documents unless they are to be
    /// kept.
    pub async fn forget_source(&self, asked: &str, keep_documents: bool) -> Result<Forgotten, AppError> {
        let (sources, others) = self.partition_sources(asked).await?;
        let mut removed = BTreeMap::new();
        if !keep_documents && let Some(store) = self.existing_store().await? {
            for collection in store.collections().await?.into_iter().map(|found| found.name) {
                let own = self.documents_of(&sources, &collection).await?;
                let of_others = self.documents_of(&others, &collection).await?;
                let records = store.documents(&collection).await?;
                let paths: Vec<String> = records
                    .into_iter()
                    .map(|record| record.path)
                    .filter(|path| own.iter().any(|gave| gave(path)))
                    .filter(|path| !of_others.iter().any(|gave| gave(path)))
                    .collect();
                if !paths.is_empty() {
                    store.remove(&collection, paths.clone()).await?;
                    removed.insert(collection, paths);
                }
            }
            store.flush().await?;
            for left in store.collections().await? {
                // As after a load: the program's own description follows the contents, and a user's description stays.
                if removed.contains_key(&left.name) && !left.described_by_user {
                    let description = derive_description(store.as_ref(), &left.name).await?;
                    store.describe(&left.name, &description, false).await?;
                }
            }
            // When loaded again, they are crawled as if for the first time.
            for known in &sources {
                for collection in &known.collections {
                    if let Some((urls, links)) = pages_in(known, collection) {
                        let crawl = CrawlOf { collection, urls: &urls, links };
                        forget_crawl(&self.crawls()?, &crawl).await.map_err(AppError::Crawls)?;
                    }
                }
            }
        }
        let (gone, now) = (sources.clone(), self.clock()?.now());
        let changes: Vec<DocumentChange> = removed
            .iter()
            .flat_map(|(collection, paths)| paths.iter().map(move |path| (collection.clone(), path.clone())))
            .map(|(collection, path)| DocumentChange { change: ChangeKind::Removed, collection, path, from: None })
            .collect();
        self.register(move |register| {
            register.note_changes(&changes, now)?;
            gone.iter().try_for_each(|known| register.forget_source(known).map(drop))
        })
        .await?;
        Ok(Forgotten { sources, removed })
    }

    /// Checks that there is such a source.
    pub async fn knows_source(&self, asked: &str) -> Result<(), AppError> {
        self.partition_sources(asked).await.map(drop)
    }

    /// The sources that `asked` names, and all others.
    async fn partition_sources(&self, asked: &str) -> Result<(Vec<KnownSource>, Vec<KnownSource>), AppError> {
        let path = absolute(Path::new(asked), self.cwd());
        let meant = |known: &KnownSource| match &known.source {
            Source::Files { path: known } => *known == path,
            Source::Web { urls, .. } => urls.iter().any(|url| url == asked),
        };
        let (sources, others): (Vec<_>, Vec<_>) =
            self.sources().await?.into_iter().partition(|known| known.source.to_string() == asked || meant(known));
        if sources.is_empty() {
            return Err(AppError::NoSource { asked: asked.to_owned() });
        }
        Ok((sources, others))
    }

    /// Functions that tell whether sources gave the document at a path to a collection.
    async fn documents_of<'k>(
        &self,
        sources: &'k [KnownSource],
        collection: &str,
    ) -> Result<Vec<SourceHolds<'k>>, AppError> {
        let mut given = Vec::new();
        for known in sources.iter().filter(|known| known.collections.iter().any(|name| name == collection)) {
            match (&known.source, pages_in(known, collection)) {
                (Source::Files { .. }, _) => given.push(known.source.holds()),
                (Source::Web { links, .. }, Some((urls, _))) => {
                    let crawl = CrawlOf { collection, urls: &urls, links };
                    let documents = documents_of(&self.crawls()?, &crawl).await.map_err(AppError::Crawls)?;
                    given.push(match documents {
                        Some(pages) => Box::new(move |path: &str| pages.contains(path)),
                        // No record of the crawl is kept.
                        None => known.source.holds(),
                    });
                }
                (Source::Web { .. }, None) => {}
            }
        }
        Ok(given)
    }

    /// The file in which crawls are kept.
    fn crawls(&self) -> Result<PathBuf, AppError> {
        Ok(self.data_dir()?.join(STATE_FILE))
    }

    /// Watches the named places for changes, or all sources if none is named.
    pub async fn follow(&self, paths: &[String]) -> Result<Followed, AppError> {
        let places: Vec<PathBuf> = if paths.is_empty() {
            let sources = self.sources().await?;
            if sources.is_empty() {
                return Err(AppError::NoSources);
            }
            sources
                .into_iter()
                .filter_map(|known| match known.source {
                    Source::Files { path } => Some(path),
                    // Sites do not announce changes.
                    Source::Web { .. } => None,
                })
                .collect()
        } else {
            paths.iter().map(|path| absolute(Path::new(path), self.cwd())).collect()
        };
        let data_dir = self.data_dir()?;
        // Listing folders to follow them blocks.
        let followed = tokio::task::spawn_blocking(move || Followed::start(&places, &data_dir)).await;
        Ok(followed.map_err(RegisterError::Stopped)??)
    }

    /// How long there must be no more changes before they are loaded.
    pub fn watch_wait(&self) -> Duration {
        Duration::from_millis(self.config().load.watch_wait_ms)
    }

    /// Follows the renaming of a collection.
    pub(super) async fn rename_in_register(&self, from: &str, to: &str) -> Result<(), AppError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.register(move |register| register.rename_collection(&from, &to)).await
    }

    /// Follows the dropping of a collection with documents at some paths; returns the sources that had no other
    /// collection, which are forgotten.
    pub(super) async fn drop_in_register(&self, name: &str, paths: Vec<String>) -> Result<Vec<KnownSource>, AppError> {
        let (name, now) = (name.to_owned(), self.clock()?.now());
        let gone = |path| DocumentChange { change: ChangeKind::Removed, collection: name.clone(), path, from: None };
        let changes: Vec<DocumentChange> = paths.into_iter().map(gone).collect();
        self.register(move |register| {
            register.note_changes(&changes, now)?;
            register.drop_collection(&name)
        })
        .await
    }

    /// The places of a load of files as sources.
    pub(super) fn places(&self, asked: &LoadRequest, places: &[LoadedPlace]) -> Result<Vec<KnownSource>, AppError> {
        let now = self.clock()?.now();
        let known = |place: &LoadedPlace| KnownSource {
            source: Source::Files { path: absolute(&place.path, &asked.cwd) },
            collection: asked.collection.clone(),
            collection_per_dir: asked.collection_per_dir,
            collections: place.collections.clone(),
            first_loaded: now,
            last_loaded: now,
        };
        let named = places.iter().filter(|place| place.path != Path::new(STDIN));
        Ok(named.map(known).collect())
    }

    /// Records those sources that are not known yet.
    pub(super) async fn record_new_sources(
        &self,
        mut sources: Vec<KnownSource>,
        known: &[KnownSource],
    ) -> Result<(), AppError> {
        sources.retain(|source| !known.iter().any(|known| known.is_same(source)));
        match sources.is_empty() {
            true => Ok(()),
            false => self.register(move |register| register.record_sources(&sources)).await,
        }
    }

    /// Records what a load did, and its sources. Web pages that were loaded before in another way are loaded in this
    /// one from now on. `known` are the sources from before a load that was not stopped: a source that is not among
    /// them and gave nothing to a collection is dropped, since a refresh could only fail on it again.
    pub(super) async fn register_load(
        &self,
        mut sources: Vec<KnownSource>,
        summary: &LoadSummary,
        known: Option<&[KnownSource]>,
    ) -> Result<(), AppError> {
        self.keep_links(&mut sources).await?;
        let gave_something = |source: &KnownSource| {
            !source.collections.is_empty() || known.is_none_or(|known| known.iter().any(|known| known.is_same(source)))
        };
        let (sources, mistaken): (Vec<_>, Vec<_>) = sources.into_iter().partition(gave_something);
        let now = self.clock()?.now();
        let (changes, archives) = (summary.changes.clone(), summary.archives.clone());
        let (failed, partial) = (summary.failed.clone(), summary.partial.clone());
        self.register(move |register| {
            let is_other_way = |one: &KnownSource, other: &KnownSource| match (&one.source, &other.source) {
                (Source::Web { urls, .. }, Source::Web { urls: others, .. }) => {
                    urls == others && one.collection == other.collection && one.source != other.source
                }
                _ => false,
            };
            for known in register.sources()? {
                if sources.iter().any(|source| is_other_way(source, &known)) {
                    register.forget_source(&known)?;
                }
            }
            for source in &mistaken {
                register.forget_source(source)?;
            }
            register.record_sources(&sources)?;
            register.note_archives(&archives)?;
            register.note_unread(&sources, &failed)?;
            register.note_partial(&partial)?;
            register.note_changes(&changes, now)
        })
        .await
    }

    /// Adds to sources the collections that still hold what earlier loads gave them: if a place is missing or empty,
    /// its documents are kept and still belong to it.
    async fn keep_links(&self, sources: &mut [KnownSource]) -> Result<(), AppError> {
        let Some(store) = self.existing_store().await? else { return Ok(()) };
        let stored: BTreeSet<String> = store.collections().await?.into_iter().map(|found| found.name).collect();
        let known = self.sources().await?;
        for source in sources {
            let Some(earlier) = known.iter().find(|known| known.is_same(source)) else { continue };
            let is_left = |name: &&String| !source.collections.contains(*name) && stored.contains(*name);
            let left: Vec<String> = earlier.collections.iter().filter(is_left).cloned().collect();
            for name in left {
                let given = self.documents_of(std::slice::from_ref(earlier), &name).await?;
                let records = store.documents(&name).await?;
                if records.iter().any(|record| given.iter().any(|gave| gave(&record.path))) {
                    source.collections.push(name);
                }
            }
            source.collections.sort();
        }
        Ok(())
    }

    /// The files that the last loads of some collections (none: of all) could not read, each with its reason.
    pub async fn unread(&self, collections: &[String]) -> Result<Vec<String>, AppError> {
        let collections = collections.to_vec();
        let failed = self.read_register(move |register| register.unread(&collections)).await?;
        Ok(failed.into_iter().map(|file| format!("{}: {}", file.path, file.reason)).collect())
    }

    /// Runs `work` on the register of sources; its file is created if it is missing.
    pub(super) async fn register<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Register) -> Result<T, RegisterError> + Send + 'static,
    ) -> Result<T, AppError> {
        let folder = self.data_dir()?;
        let done = tokio::task::spawn_blocking(move || work(&mut Register::open(&folder)?)).await;
        Ok(done.map_err(RegisterError::Stopped)??)
    }

    /// As [`App::register`], but only reads and creates no file: without one, the result is the default.
    pub(super) async fn read_register<T: Default + Send + 'static>(
        &self,
        work: impl FnOnce(&Register) -> Result<T, RegisterError> + Send + 'static,
    ) -> Result<T, AppError> {
        let folder = self.data_dir()?;
        let read = move || match Register::existing(&folder)? {
            Some(register) => work(&register),
            None => Ok(T::default()),
        };
        Ok(tokio::task::spawn_blocking(read).await.map_err(RegisterError::Stopped)??)
    }
}
