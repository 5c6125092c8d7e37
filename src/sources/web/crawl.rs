//! The crawl: one step after another, with several requests under way.
//!
//! Pages are requested in the order of the frontier and processed in the same order, in whatever order the responses
//! arrive. The set of stored pages thus does not depend on the speed of servers.

use std::path::PathBuf;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use jiff::Timestamp;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::books::Books;
use super::frontier::Step;
use super::hosts::{Hosts, Politeness, Refusal};
use super::normalize::normalize;
use super::reader::{Content, Read, Words, read};
use super::scope::{Links, Scope};
use super::soft::SoftNotFound;
use super::state::{Answer, Before, CrawlState, Reading, blocking};
use super::{CrawlError, CrawlReport, Crawled, CrawledPage, LeftOut};
use crate::base::{Clock, ContentHash};
use crate::net::web::{Fetched, WebClient};

/// The maximum number of requests under way, or answered and waiting for their turn; limits the memory used.
const UNDER_WAY: usize = 8;
/// The reason given if a renderer is set and the page still has no text.
const NOTHING_RENDERED: &str = "its words are written by scripts, and the program of load.render wrote none";
/// The reason given if no renderer is set.
const NEEDS_BROWSER: &str = "its words are written by scripts: it needs a browser (load.render)";

/// What to crawl, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlOptions {
    /// The maximum number of links between a start page and a page.
    pub depth: u32,
    /// The maximum number of pages stored.
    pub max_pages: u64,
    /// The maximum number of pages whose URLs differ only in their numbers; 0: no limit.
    pub max_alike: u64,
    /// Which links are followed.
    pub links: Links,
    /// The delay between two requests to one host.
    pub delay: Duration,
    /// The maximum number of simultaneous requests to one host.
    pub per_host: usize,
}

impl Default for CrawlOptions {
    fn default() -> Self {
        CrawlOptions {
            depth: 0,
            max_pages: 500,
            max_alike: 200,
            links: Links::default(),
            delay: Duration::from_millis(500),
            per_host: 2,
        }
    }
}

/// The components that a crawl works with.
pub struct Crawl<'c> {
    /// Sends the requests.
    pub client: WebClient,
    /// Tells how old an interrupted crawl is.
    pub clock: Clock,
    /// The file in which responses are kept.
    pub state: PathBuf,
    /// The channel for pages; its reader sets the pace.
    pub out: Sender<Crawled>,
    /// Returns the hash of the document stored under a path, to tell whether an unchanged page still belongs to it.
    pub stored: &'c (dyn Fn(&str) -> Option<ContentHash> + Send + Sync),
    /// Ends the crawl; the next one continues it.
    pub interrupt: CancellationToken,
    /// Also ends it, because its time is over; the report says so.
    pub time_up: CancellationToken,
}

/// The outcome of one request.
struct Visit {
    step: Step,
    outcome: Result<Visited, Refusal>,
}

enum Visited {
    Read(Box<Read>, Option<SoftNotFound>, Timestamp),
    Unchanged(Box<Reading>, Timestamp),
    Redirect(Url),
    Refused(u16),
}

/// Crawls from `starts`. `name` distinguishes crawls with the same starts for different collections.
///
/// # Errors
/// Anything that prevents the crawl from starting, and a state that cannot be written. Failures of single pages are
/// reported.
pub async fn crawl(
    crawl: Crawl<'_>,
    starts: &[String],
    name: &str,
    options: &CrawlOptions,
) -> Result<CrawlReport, CrawlError> {
    let starts: Vec<Url> = starts.iter().map(|start| start_of(start)).collect::<Result<_, _>>()?;
    let mut scope = Scope::new(&options.links)?;
    for start in &starts {
        crawl.client.check(start)?;
        scope.admit(start);
    }
    let identity = identity(name, &starts, &options.links);
    let state = CrawlState::begin(&crawl.state, identity, crawl.clock.now()).await?;
    let politeness = Politeness {
        delay: options.delay,
        per_host: options.per_host,
        probes: options.depth > 0 || options.links.sitemaps,
    };
    let hosts = Hosts::new(crawl.client.clone(), state.clone(), politeness);
    let mut books = Books::new(options, scope, state.documents().await?);
    for url in starts {
        books.frontier.add(Step { is_start: true, is_near: true, ..Step::to(url, 0) });
    }
    Following { crawl: &crawl, hosts: &hosts, state: &state }.run(books).await
}

pub(super) fn start_of(start: &str) -> Result<Url, CrawlError> {
    let bad = |reason: String| CrawlError::BadUrl { url: start.to_owned(), reason };
    let url = Url::parse(start).map_err(|error| bad(error.to_string()))?;
    normalize(&url).ok_or_else(|| bad("only http and https are fetched".to_owned()))
}

/// The identity of a crawl. Depth and number of pages are not part of it: a crawl that goes further continues it.
pub(super) fn identity(name: &str, starts: &[Url], links: &Links) -> String {
    let starts: Vec<&str> = starts.iter().map(Url::as_str).collect();
    let Links { breadth, include, exclude, .. } = links;
    serde_json::json!({ "name": name, "starts": starts, "breadth": breadth, "include": include, "exclude": exclude })
        .to_string()
}

/// A crawl in progress.
struct Following<'f> {
    crawl: &'f Crawl<'f>,
    hosts: &'f Hosts,
    state: &'f CrawlState,
}

impl Following<'_> {
    async fn run(&self, mut books: Books<'_>) -> Result<CrawlReport, CrawlError> {
        if books.options.links.sitemaps {
            self.add_sitemaps(&mut books).await?;
        }
        let mut is_whole = self.follow(&mut books).await?;
        if is_whole {
            // Pages that are no longer linked may still exist, or be known to be gone.
            let unmet: Vec<Url> = books.before.keys().filter(|url| !books.frontier.has_seen(url)).cloned().collect();
            for url in unmet {
                let depth = books.options.depth;
                books.frontier.add(Step::to(url, depth));
            }
            is_whole = self.follow(&mut books).await?;
        }
        let mut report = books.closed(is_whole);
        report.state = Some(self.state.clone());
        Ok(report)
    }

    /// Follows the frontier to its end. Returns false if the crawl was stopped before, or if pages were put off.
    async fn follow(&self, books: &mut Books<'_>) -> Result<bool, CrawlError> {
        let mut under_way = FuturesOrdered::new();
        loop {
            while under_way.len() < UNDER_WAY
                && books.may_ask(under_way.len())
                && let Some(step) = books.frontier.next()
            {
                books.requests += 1;
                under_way.push_back(self.visit(step));
            }
            let visit = tokio::select! {
                biased;
                () = self.crawl.interrupt.cancelled() => return Ok(false),
                () = self.crawl.time_up.cancelled() => {
                    books.report.cut_off = Some((under_way.len() + books.frontier.waiting()) as u64);
                    books.beyond = 0;
                    return Ok(false);
                }
                visit = under_way.next() => visit,
            };
            let Some(visit) = visit else {
                // The same pages may still wait when the frontier is followed again.
                books.beyond = books.frontier.waiting() as u64;
                return Ok(books.put_off == 0);
            };
            if !self.record_visit(visit, books).await? {
                return Ok(false);
            }
        }
    }

    async fn visit(&self, step: Step) -> Visit {
        let outcome = self.answer(&step.url).await;
        Visit { step, outcome }
    }

    async fn answer(&self, url: &Url) -> Result<Visited, Refusal> {
        // A document that is no longer stored as it was must be sent again.
        let before = self.state.before(url).await?;
        let before =
            before.filter(|before: &Before| (self.crawl.stored)(&before.reading.document) == Some(before.hash));
        match self.hosts.page(url, before.as_ref()).await? {
            Answer::Redirect(to) => Ok(Visited::Redirect(to)),
            Answer::Refused(status) => Ok(Visited::Refused(status)),
            Answer::Unchanged(reading, at) => Ok(Visited::Unchanged(reading, at)),
            Answer::Page(page) => {
                let at = page.at;
                let read = self.parse_page(page).await?;
                let soft = match &read.content {
                    Content::Document(_) => self.hosts.soft_not_found(url, async |page| self.words(page).await).await?,
                    _ => None,
                };
                Ok(Visited::Read(Box::new(read), soft, at))
            }
        }
    }

    /// Parses a page. If its text is written by scripts, it is rendered first, provided that a program for this is set.
    async fn parse_page(&self, page: Fetched) -> Result<Read, CrawlError> {
        let name = self.hosts.own_name().to_owned();
        let head = page.clone_head();
        let own = name.clone();
        let shell = blocking("reading a page", move || read(page, &own)).await?;
        if !shell.signs.needs_scripts {
            return Ok(shell);
        }
        let whole = match self.crawl.client.rendered(&head).await {
            Ok(Some(whole)) => whole,
            Ok(None) => return Ok(shell),
            Err(error) => return Ok(Read { not_rendered: Some(error.to_string()), ..shell }),
        };
        let mut rendered = blocking("reading a page", move || read(whole, &name)).await?;
        // A rendered page still contains its scripts; they count as missing only if it has no text.
        rendered.signs.needs_scripts = !matches!(rendered.content, Content::Document(_));
        rendered.not_rendered = rendered.signs.needs_scripts.then(|| NOTHING_RENDERED.to_owned());
        Ok(rendered)
    }

    async fn words(&self, page: Fetched) -> Result<String, CrawlError> {
        let read = self.parse_page(page).await?;
        Ok(match read.content {
            Content::Document(words) => words.parsed.text,
            _ => String::new(),
        })
    }

    /// Records the outcome of a visit. Returns false if nobody takes pages any more.
    async fn record_visit(&self, visit: Visit, books: &mut Books<'_>) -> Result<bool, CrawlError> {
        let Visit { step, outcome } = visit;
        books.frontier.done(&step.url);
        match outcome {
            Err(Refusal::Crawl(error)) => return Err(error),
            Err(Refusal::Robots) => books.refused(&step, LeftOut::Robots, "its robots.txt forbids it"),
            Err(Refusal::Closed(reason)) => books.put_off(&step, &reason),
            Err(Refusal::Web(error)) => books.fail(&step, error.to_string()),
            Ok(Visited::Refused(status)) => {
                let reason = format!("the server answered with status {status}");
                if matches!(status, 404 | 410) {
                    books.drop_before(&step.url);
                }
                books.refused(&step, LeftOut::NotFound, &reason);
            }
            Ok(Visited::Redirect(to)) => books.redirect(step, &to),
            Ok(Visited::Unchanged(reading, at)) => {
                let links: Vec<Url> = reading.links.iter().filter_map(|link| Url::parse(link).ok()).collect();
                books.follow_links(&step, &links);
                let Reading { document, words, .. } = *reading;
                if books.words.contains(&words) || books.documents.contains_key(&document) {
                    books.drop_before(&step.url);
                    books.refused(&step, LeftOut::Duplicate, "");
                } else {
                    books.words.insert(words);
                    books.documents.insert(document.clone(), step.url);
                    return Ok(self.crawl.out.send(Crawled::Unchanged { path: document, at }).await.is_ok());
                }
            }
            Ok(Visited::Read(read, soft, at)) => return self.enter(step, *read, soft, at, books).await,
        }
        Ok(true)
    }

    /// Records a fetched page.
    async fn enter(
        &self,
        step: Step,
        read: Read,
        soft: Option<SoftNotFound>,
        at: Timestamp,
        books: &mut Books<'_>,
    ) -> Result<bool, CrawlError> {
        let Read { signs, content, hash, bytes, not_rendered } = read;
        let links = if signs.wishes.no_follow { Vec::new() } else { signs.links };
        // No browser is set, or it wrote no more than the server did.
        let needs_scripts = signs.needs_scripts.then(|| not_rendered.unwrap_or_else(|| NEEDS_BROWSER.to_owned()));
        let Some(words) = books.words_of(&step, content, needs_scripts, &links) else { return Ok(true) };
        if !books.keeps(&step, &words, soft, signs.wishes.no_index, &links) {
            return Ok(true);
        }
        let Some(path) = books.path_of(&step, signs.canonical) else { return Ok(true) };
        let Words { format, parsed, hash: words, name, .. } = *words;
        let words = words.to_string();
        let links = links.into_iter().map(String::from).collect();
        let reading = Reading { document: path.clone(), words: words.clone(), links };
        self.state.keep_reading(&step.url, hash, reading).await?;
        books.words.insert(words);
        books.documents.insert(path.clone(), step.url.clone());
        let page = CrawledPage { path, url: step.url, format, parsed, name, hash, bytes, at };
        Ok(self.crawl.out.send(Crawled::Page(Box::new(page))).await.is_ok())
    }

    /// Adds the sitemaps of the hosts, after the requested pages.
    async fn add_sitemaps(&self, books: &mut Books<'_>) -> Result<(), CrawlError> {
        let starts: Vec<Url> = books.frontier.urls();
        for start in starts {
            let host = match self.hosts.host(&start).await {
                Ok(host) => host,
                Err(Refusal::Crawl(error)) => return Err(error),
                // The request for the start itself will report the error.
                Err(_) => continue,
            };
            let usual = ["/sitemap.xml".to_owned()];
            let named = host.sitemaps();
            let (maps, is_start) = if named.is_empty() { (&usual[..], false) } else { (named, true) };
            for map in maps {
                if let Some(url) = start.join(map).ok().as_ref().and_then(normalize) {
                    books.frontier.add(Step { is_start, is_near: true, ..Step::to(url, 0) });
                }
            }
        }
        Ok(())
    }
}
