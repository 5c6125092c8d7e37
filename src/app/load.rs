//! The job of loading, as the commands ask for it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::memory::Arrivals;
use super::{App, AppError, parts};
use crate::embed::Embedder;
use crate::ingest::register::{KnownSource, Source};
use crate::ingest::{self, FailedFile, LoadError, LoadEvent, LoadSummary};

/// What to load, and where to.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, globs, or `-`; none: every source that is known.
    pub paths: Vec<String>,
    /// What `-` stands for.
    pub stdin: Option<Vec<u8>>,
    /// The collection's name; from the folder's where it is absent.
    pub collection: Option<String>,
    /// One collection for each folder directly below each path.
    pub collection_per_dir: bool,
    /// What the collection holds; derived from the contents where it is absent.
    pub description: Option<String>,
    /// Whether documents whose files vanished are removed; a refresh always removes them.
    pub prune: bool,
}

/// Where progress goes.
type Progress<'p> = &'p (dyn Fn(LoadEvent) + Send + Sync);

impl App {
    /// Loads files into collections. A cancelled `interrupt` ends the load after the batch under way; what was stored
    /// stays stored. What was loaded is remembered as sources, and without paths all of them are loaded again.
    pub async fn load(
        &self,
        request: &LoadRequest,
        progress: Progress<'_>,
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        if request.paths.is_empty() {
            return self.refresh(progress, interrupt).await;
        }
        let asked = ingest::LoadRequest {
            paths: request.paths.iter().map(PathBuf::from).collect(),
            stdin: request.stdin.clone(),
            collection: request.collection.clone(),
            collection_per_dir: request.collection_per_dir,
            description: request.description.clone(),
            prune: request.prune,
            ..self.ingest_request()
        };
        self.load_once(asked, self.configured_embedder().await?, progress, interrupt).await
    }

    /// Loads every known source again. Documents whose files are gone are removed, but none of a place that is gone
    /// itself, or has nothing in it. A source that cannot be loaded is named and does not stop the others.
    async fn refresh(&self, progress: Progress<'_>, interrupt: CancellationToken) -> Result<LoadSummary, AppError> {
        let sources = self.sources().await?;
        if sources.is_empty() {
            return Err(AppError::NoSources);
        }
        let mut all = LoadSummary::default();
        for (way, paths) in self.groups(&sources).await? {
            if interrupt.is_cancelled() {
                all.interrupted = true;
                break;
            }
            let embedder = self.named_embedder(&way.embedder).await?;
            let asked = ingest::LoadRequest {
                paths: paths.clone(),
                collection: way.collection,
                collection_per_dir: way.collection_per_dir,
                prune: true,
                lenient: true,
                ..self.ingest_request()
            };
            match self.load_once(asked, embedder, progress, interrupt.clone()).await {
                Ok(summary) => all.add(summary),
                Err(AppError::Load(error @ (LoadError::Source(_) | LoadError::OtherEmbedder { .. }))) => {
                    let failed =
                        |path: &PathBuf| FailedFile { path: path.display().to_string(), reason: error.to_string() };
                    all.failed.extend(paths.iter().map(failed));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// The sources that are loaded in one way, so that what moves from one to the other is recognised.
    async fn groups(&self, sources: &[KnownSource]) -> Result<BTreeMap<Way, Vec<PathBuf>>, AppError> {
        let mut made_by = BTreeMap::new();
        for collection in self.collections().await? {
            let name = collection.embedder.map_or_else(|| "none".to_owned(), |identity| identity.name);
            made_by.insert(collection.name, name);
        }
        let mut groups: BTreeMap<Way, Vec<PathBuf>> = BTreeMap::new();
        for known in sources {
            let embedder = known.collections.iter().find_map(|name| made_by.get(name));
            let way = Way {
                collection: known.collection.clone(),
                collection_per_dir: known.collection_per_dir,
                embedder: embedder.cloned().unwrap_or_else(|| self.config().embed.embedder.clone()),
            };
            match &known.source {
                Source::Files { path } => groups.entry(way).or_default().push(path.clone()),
            }
        }
        Ok(groups)
    }

    fn ingest_request(&self) -> ingest::LoadRequest {
        let config = self.config();
        ingest::LoadRequest {
            cwd: self.cwd().to_owned(),
            options: parts::load_options(&config.chunk, &config.load),
            ..ingest::LoadRequest::default()
        }
    }

    /// One load, and what is remembered of it: also of one that failed, what was stored before.
    async fn load_once(
        &self,
        mut asked: ingest::LoadRequest,
        embedder: Option<Arc<dyn Embedder>>,
        progress: Progress<'_>,
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let store = self.store().await?;
        match self.register(|register| register.archives()).await {
            Ok(archives) => asked.archives = archives,
            Err(error) => warn(progress, &error),
        }
        let seen = Mutex::new(Arrivals::default());
        let heard = |event: LoadEvent| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).hear(&event);
            progress(event);
        };
        let loaded = ingest::load(store, embedder, &asked, &heard, interrupt).await;
        let summary = match &loaded {
            Ok(summary) => Some(summary),
            Err(error) => error.summary(),
        };
        if let Some(summary) = summary
            && let Err(error) = self.register_load(&asked, summary).await
        {
            warn(progress, &error);
        }
        let summary = loaded?;
        if self.remembers() {
            let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = self.remember_load(&seen, &summary).await {
                warn(progress, &error);
            }
        }
        Ok(summary)
    }
}

/// How some sources are loaded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    collection: Option<String>,
    collection_per_dir: bool,
    embedder: String,
}

/// A load that is not remembered is a load all the same.
fn warn(progress: Progress<'_>, error: &AppError) {
    progress(LoadEvent::Warning { message: format!("the load is not remembered: {error}") });
}
