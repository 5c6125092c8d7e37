//! The job of loading, as the commands ask for it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::web::Pages;
use super::{App, AppError, options};
use crate::base::is_url;
use crate::embed::Embedder;
use crate::ingest::register::{KnownSource, Source};
use crate::ingest::{self, LoadCause, LoadError, LoadEvent, LoadSummary, LoadedPlace};
use crate::sources::FailedFile;
use crate::sources::web::Links;

/// What to load, and where to.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, globs, URLs, or `-`; if empty, every known source.
    pub paths: Vec<String>,
    /// Which links on the pages at those URLs are followed.
    pub web: Links,
    /// The input that `-` stands for.
    pub stdin: Option<Vec<u8>>,
    /// The collection's name; the folder's name if absent.
    pub collection: Option<String>,
    /// One collection for each folder directly below each path.
    pub collection_per_dir: bool,
    /// What the collection holds; derived from the contents if absent.
    pub description: Option<String>,
    /// Whether documents whose files vanished are removed; a refresh always removes them.
    pub prune: bool,
}

/// The receiver of progress.
pub(super) type Progress<'p> = &'p (dyn Fn(LoadEvent) + Send + Sync);

impl App {
    /// Loads files and web pages into collections. Cancelling `interrupt` ends the load after the batch under way; what
    /// was stored stays stored. The loaded places are remembered as sources; without paths, all known sources are
    /// loaded again.
    pub async fn load(
        &self,
        request: &LoadRequest,
        progress: Progress<'_>,
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        if request.paths.is_empty() {
            return self.refresh(progress, interrupt).await;
        }
        let (urls, paths): (Vec<String>, Vec<String>) = request.paths.iter().cloned().partition(|path| is_url(path));
        let embedder = self.configured_embedder().await?;
        let mut all = LoadSummary::default();
        let asked = ingest::LoadRequest {
            paths: paths.iter().map(PathBuf::from).collect(),
            stdin: request.stdin.clone(),
            collection: request.collection.clone(),
            collection_per_dir: request.collection_per_dir,
            description: request.description.clone(),
            prune: request.prune,
            ..self.ingest_request()
        };
        if !paths.is_empty() {
            all = self.load_once(asked, embedder.clone(), progress, interrupt.clone()).await?;
        }
        if !urls.is_empty() {
            let pages = Pages {
                urls,
                depth: self.config().crawl.depth,
                max_pages: self.config().crawl.max_pages,
                links: request.web.clone(),
                collection: request.collection.clone(),
                description: request.description.clone(),
            };
            all.add(self.load_pages(pages, embedder, progress, interrupt).await?);
        }
        Ok(all)
    }

    /// Loads every known source again. Documents whose files are gone are removed, except where the place itself is
    /// gone or empty. A source that cannot be loaded is named and does not stop the others.
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
                Err(AppError::Load(
                    error @ (LoadError::Source(_) | LoadError::BadName(_) | LoadError::OtherEmbedder { .. }),
                )) => {
                    let failed =
                        |path: &PathBuf| FailedFile { path: path.display().to_string(), reason: error.to_string() };
                    all.failed.extend(paths.iter().map(failed));
                }
                Err(error) => return Err(error),
            }
        }
        for (pages, embedder) in self.known_pages(&sources).await? {
            if interrupt.is_cancelled() {
                all.interrupted = true;
                break;
            }
            let (embedder, path) = (self.named_embedder(&embedder).await?, pages.urls.join(" "));
            match self.load_pages(pages, embedder, progress, interrupt.clone()).await {
                Ok(summary) => all.add(summary),
                Err(error @ AppError::Offline { .. }) => {
                    all.failed.push(FailedFile { path, reason: error.to_string() });
                }
                Err(AppError::Load(
                    error @ (LoadError::Failed { source: LoadCause::Crawl(_), .. }
                    | LoadError::BadName(_)
                    | LoadError::OtherEmbedder { .. }),
                )) => {
                    all.failed.push(FailedFile { path, reason: error.to_string() });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }

    /// The web pages among the sources, each with the name of its embedder.
    async fn known_pages(&self, sources: &[KnownSource]) -> Result<Vec<(Pages, String)>, AppError> {
        let made_by = self.made_by().await?;
        let pages = |known: &KnownSource| match &known.source {
            Source::Files { .. } => None,
            Source::Web { urls, depth, max_pages, links } => {
                let (urls, depth, max_pages, links) = (urls.clone(), *depth, *max_pages, links.clone());
                let collection = known.collection.clone();
                let pages = Pages { urls, depth, max_pages, links, collection, description: None };
                Some((pages, self.embedder_of(known, &made_by)))
            }
        };
        Ok(sources.iter().filter_map(pages).collect())
    }

    /// The names of the embedders of all collections, by collection.
    async fn made_by(&self) -> Result<BTreeMap<String, String>, AppError> {
        let collections = self.collections().await?.into_iter().map(|collection| {
            let name = collection.embedder.map_or_else(|| "none".to_owned(), |identity| identity.name);
            (collection.name, name)
        });
        Ok(collections.collect())
    }

    /// The name of the embedder of a source's collections, or else of the one for new collections.
    fn embedder_of(&self, known: &KnownSource, made_by: &BTreeMap<String, String>) -> String {
        let embedder = known.collections.iter().find_map(|name| made_by.get(name));
        embedder.unwrap_or(&self.config().embed.embedder).clone()
    }

    /// The sources, grouped by how they are loaded, so that documents moved from one source to another are recognised.
    async fn groups(&self, sources: &[KnownSource]) -> Result<BTreeMap<LoadSettings, Vec<PathBuf>>, AppError> {
        let made_by = self.made_by().await?;
        let mut groups: BTreeMap<LoadSettings, Vec<PathBuf>> = BTreeMap::new();
        for known in sources {
            let settings = LoadSettings {
                collection: known.collection.clone(),
                collection_per_dir: known.collection_per_dir,
                embedder: self.embedder_of(known, &made_by),
            };
            match &known.source {
                Source::Files { path } => groups.entry(settings).or_default().push(path.clone()),
                Source::Web { .. } => {}
            }
        }
        Ok(groups)
    }

    pub(super) fn ingest_request(&self) -> ingest::LoadRequest {
        let config = self.config();
        ingest::LoadRequest {
            cwd: self.cwd().to_owned(),
            options: options::load_options(config),
            ..ingest::LoadRequest::default()
        }
    }

    /// Makes one load and remembers it, including what was stored before a failure.
    async fn load_once(
        &self,
        mut asked: ingest::LoadRequest,
        embedder: Option<Arc<dyn Embedder>>,
        progress: Progress<'_>,
        interrupt: CancellationToken,
    ) -> Result<LoadSummary, AppError> {
        let store = self.store().await?;
        let mut known = Vec::new();
        match self.register(|register| Ok((register.archives()?, register.partial()?, register.sources()?))).await {
            Ok((archives, partial, sources)) => (asked.archives, asked.partial, known) = (archives, partial, sources),
            Err(error) => warn(progress, &error),
        }
        let begun =
            |places: Vec<LoadedPlace>| self.record_pending_sources(self.places(&asked, &places), &known, progress);
        let loaded = ingest::load_announced(store, embedder, &asked, progress, interrupt, begun).await;
        self.remember(loaded, &known, |summary| self.places(&asked, &summary.places), progress).await
    }

    /// Records the sources that are not known yet before anything of them is stored, so that the next load completes a
    /// killed one.
    pub(super) async fn record_pending_sources(
        &self,
        sources: Result<Vec<KnownSource>, AppError>,
        known: &[KnownSource],
        progress: Progress<'_>,
    ) {
        let noted = match sources {
            Ok(sources) => self.record_new_sources(sources, known).await,
            Err(error) => Err(error),
        };
        if let Err(error) = noted {
            warn(progress, &error);
        }
    }

    /// Remembers a load, including what was stored before a failure. `known` are the sources from before it.
    pub(super) async fn remember(
        &self,
        loaded: Result<LoadSummary, LoadError>,
        known: &[KnownSource],
        sources: impl FnOnce(&LoadSummary) -> Result<Vec<KnownSource>, AppError>,
        progress: Progress<'_>,
    ) -> Result<LoadSummary, AppError> {
        let summary = match &loaded {
            Ok(summary) => Some(summary),
            Err(error) => error.summary(),
        };
        if let Some(summary) = summary {
            // A load that was stopped may not have reached these documents yet.
            let is_over = loaded.is_err() || !(summary.interrupted || summary.out_of_time);
            let registered = match sources(summary) {
                Ok(sources) => self.register_load(sources, summary, is_over.then_some(known)).await,
                Err(error) => Err(error),
            };
            if let Err(error) = registered {
                warn(progress, &error);
            }
            if let Err(error) = self.follow_in_memory(&summary.changes).await {
                warn(progress, &error);
            }
        }
        let summary = loaded?;
        if self.remembers()
            && let Err(error) = self.remember_load(&summary).await
        {
            warn(progress, &error);
        }
        Ok(summary)
    }
}

/// The settings with which some sources are loaded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct LoadSettings {
    collection: Option<String>,
    collection_per_dir: bool,
    embedder: String,
}

/// Warns that a load is not remembered; the load itself does not fail for it.
pub(super) fn warn(progress: Progress<'_>, error: &AppError) {
    progress(LoadEvent::Warning { message: format!("the load is not remembered: {error}") });
}
