//! A load of web pages, from the named addresses to the stored documents.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::super::collection_name::collection_name;
use super::super::error::{LoadCause, LoadError, ended};
use super::super::libraries::Libraries;
use super::super::moved::MissingFiles;
use super::super::pipeline::{self, Progress, Task};
use super::super::prepare::{Content, Job};
use super::super::request::{LoadOptions, LoadRequest};
use super::super::summary::{LoadEvent, LoadSummary};
use super::super::target::{Files, Target};
use super::{Load, PendingWork};
use crate::base::{Clock, nanoseconds_of};
use crate::embed::Embedder;
use crate::net::web::WebClient;
use crate::sources::web::{Crawl, CrawlError, CrawlOptions, Crawled, CrawledPage, crawl};
use crate::store::Store;

/// Which pages to load, and where to.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// Where to begin: pages, sitemaps, feeds.
    pub urls: Vec<String>,
    /// One collection for everything; otherwise each requested page goes, with everything that it leads to, into one
    /// named after its host.
    pub collection: Option<String>,
    /// The user's description of the collection; later loads keep it.
    pub description: Option<String>,
    /// The options of processing and storing.
    pub options: LoadOptions,
    /// How far to crawl.
    pub crawl: CrawlOptions,
    /// The time limit for everything; `None` for no limit.
    pub max_time: Option<Duration>,
    /// The client that requests pages.
    pub client: WebClient,
    /// The clock of the crawl.
    pub clock: Clock,
    /// The file that keeps the servers' answers.
    pub state: PathBuf,
}

/// Loads web pages into collections, as [`super::load`] does files. A document's path is its page's address, and its
/// modification time is when the page was fetched or found unchanged. Documents whose pages are gone are removed.
///
/// An interrupt ends the load, as does its time limit; the next load of the same pages continues without requesting any
/// page twice. As in the other load, `begun` gets the collections before anything is requested from a site.
///
/// # Errors
/// Bad addresses and patterns, and the errors of the other load.
pub async fn load_web<F: Future<Output = ()>>(
    store: Arc<dyn Store>,
    embedder: Option<Arc<dyn Embedder>>,
    request: &WebRequest,
    progress: &(dyn Fn(LoadEvent) + Send + Sync),
    interrupt: CancellationToken,
    begun: impl FnOnce(Vec<String>) -> F,
) -> Result<LoadSummary, LoadError> {
    let start = Instant::now();
    let mut summary = LoadSummary::default();
    let common = LoadRequest {
        collection: request.collection.clone(),
        description: request.description.clone(),
        options: request.options.clone(),
        ..LoadRequest::default()
    };
    let load = Load { store: store.as_ref(), request: &common, progress, interrupt: &interrupt };
    let result = load.run_web(embedder, request, begun, &mut summary).await;
    summary.seconds = start.elapsed().as_secs_f64();
    ended(result, summary)
}

impl Load<'_> {
    async fn run_web<F: Future<Output = ()>>(
        &self,
        embedder: Option<Arc<dyn Embedder>>,
        request: &WebRequest,
        begun: impl FnOnce(Vec<String>) -> F,
        summary: &mut LoadSummary,
    ) -> Result<(), LoadError> {
        let starts = by_collection(request).map_err(LoadCause::Crawl)?;
        let wanted = starts.keys().map(|name| (name.clone(), Files::new())).collect();
        let existing = self.existing().await?;
        let targets = self.targets(wanted, &existing, embedder, &Libraries::default()).await?;
        begun(starts.keys().cloned().collect()).await;
        let deadline = request.max_time.map(|most| tokio::time::Instant::now() + most);
        let mut changed = BTreeSet::new();
        for target in &targets {
            if self.interrupt.is_cancelled() {
                break;
            }
            let Some(urls) = starts.get(&target.name) else { continue };
            if self.crawl_into(target, urls, request, deadline, summary).await? {
                changed.insert(target.name.clone());
            }
        }
        summary.interrupted = self.interrupt.is_cancelled();
        summary.collections =
            starts.into_keys().filter(|name| existing.contains_key(name) || changed.contains(name)).collect();
        if !changed.is_empty() {
            self.store.flush().await?;
        }
        self.describe(&summary.collections, &changed, &existing).await?;
        Ok(())
    }

    /// Crawls into one collection; returns whether it changed.
    async fn crawl_into(
        &self,
        target: &Target,
        urls: &[String],
        request: &WebRequest,
        deadline: Option<tokio::time::Instant>,
        summary: &mut LoadSummary,
    ) -> Result<bool, LoadError> {
        let (name, manifest) = (&target.name, &target.manifest);
        let time_up = CancellationToken::new();
        // A page that would be stored differently now is sent again, as if it were not stored.
        let stored = |path: &str| manifest.known(path).filter(|known| !known.is_outdated).map(|known| known.hash);
        // Each channel holds one item, so the pipeline sets the pace of the crawl.
        let (page_out, page_in) = channel(1);
        let (task_out, task_in) = channel(1);
        let parts = Crawl {
            client: request.client.clone(),
            clock: request.clock,
            state: request.state.clone(),
            out: page_out,
            stored: &stored,
            interrupt: self.interrupt.clone(),
            time_up: time_up.clone(),
        };
        // All that is said of a page is in the page, so there are no libraries.
        let (options, libraries) = (&self.request.options, Arc::new(Libraries::default()));
        let work = async {
            tokio::join!(
                crawl(parts, urls, name, &request.crawl),
                pass_on(page_in, task_out, target, self.progress),
                pipeline::run(
                    self.store,
                    task_in,
                    MissingFiles::default(),
                    options,
                    &libraries,
                    self.progress,
                    self.interrupt
                ),
            )
        };
        let (crawled, (), outcome) = tokio::select! {
            done = work => done,
            never = cancel_at(deadline, &time_up) => match never {},
        };
        let before = summary.looked_at();
        let PendingWork { changed, is_redated, failure, .. } = self.settle(outcome, summary).await;
        let pages = summary.looked_at() - before;
        summary.files += pages;
        summary.pages += pages;
        if let Some(cause) = failure {
            return Err(cause.into());
        }
        let mut has_changed = is_redated || !changed.is_empty();
        let mut report = crawled.map_err(LoadCause::Crawl)?;
        if let (Some(waiting), Some(most)) = (report.cut_off, request.max_time) {
            summary.out_of_time = true;
            (self.progress)(LoadEvent::Warning { message: cut_off(urls, most, waiting) });
        }
        summary.failed.append(&mut report.failed);
        summary.leave_out(std::mem::take(&mut report.left_out));
        if report.is_whole && !self.interrupt.is_cancelled() {
            let removed: Vec<String> =
                std::mem::take(&mut report.removed).into_iter().filter(|path| manifest.known(path).is_some()).collect();
            if !removed.is_empty() {
                self.remove(name, removed, summary).await?;
                has_changed = true;
            }
            report.finish().await.map_err(LoadCause::Crawl)?;
        }
        Ok(has_changed)
    }
}

/// Cancels `token` at the deadline; never returns.
async fn cancel_at(deadline: Option<tokio::time::Instant>, token: &CancellationToken) -> Infallible {
    if let Some(deadline) = deadline {
        tokio::time::sleep_until(deadline).await;
        token.cancel();
    }
    std::future::pending().await
}

/// The message about a crawl that ran out of time.
fn cut_off(urls: &[String], most: Duration, waiting: u64) -> String {
    let minutes = most.as_secs() / 60;
    let of = urls.join(" ");
    format!(
        "the crawl of {of} had its {minutes} minutes (crawl.max_minutes); pages that it knows of and has not read: \
         {waiting}; what it has is kept, and the same load goes on"
    )
}

/// Turns what a crawl finds into tasks.
async fn pass_on<'t>(mut pages: Receiver<Crawled>, out: Sender<Task<'t>>, target: &'t Target, progress: Progress<'_>) {
    while let Some(found) = pages.recv().await {
        let job = match found {
            Crawled::Page(page) => {
                let CrawledPage { path, format, parsed, name, hash, bytes, at, .. } = *page;
                let content = Content::Parsed { format, parsed: Box::new(parsed), hash, name };
                let known = target.manifest.known(&path);
                Job { path, content, size: bytes, modified_ns: nanoseconds_of(at), known }
            }
            Crawled::Unchanged { path, at } => {
                let known = target.manifest.known(&path);
                Job { path, content: Content::Unchanged, size: 0, modified_ns: nanoseconds_of(at), known }
            }
        };
        progress(LoadEvent::MoreFound { files: 1 });
        if out.send(Task { target, job }).await.is_err() {
            // The pipeline has ended and reports why; the crawl sees that the receiver is gone.
            return;
        }
    }
}

/// The collection named after a page's host.
pub fn collection_of_page(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(collection_name)
}

/// The requested pages, by the collection that they go into.
fn by_collection(request: &WebRequest) -> Result<BTreeMap<String, Vec<String>>, CrawlError> {
    let mut starts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for url in &request.urls {
        let bad = |reason: String| CrawlError::BadUrl { url: url.clone(), reason };
        Url::parse(url).map_err(|error| bad(error.to_string()))?;
        let own = collection_of_page(url).ok_or_else(|| bad("it names no host".to_owned()))?;
        let name = request.collection.clone().unwrap_or(own);
        starts.entry(name).or_default().push(url.clone());
    }
    Ok(starts)
}
