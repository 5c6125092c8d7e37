//! The crawl: one step after the other, several requests under way.
//!
//! Pages are asked for in the frontier's order and looked at in the same order, whatever order they come in. So which
//! pages a crawl stores does not hang on how fast which server is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use jiff::Timestamp;
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::frontier::{Frontier, Step};
use super::hosts::{Hosts, Politeness, Refusal};
use super::listing::Listing;
use super::normalize::normalize;
use super::reader::{Content, Read, Words, names_media, read};
use super::scope::{Links, Scope};
use super::soft::SoftNotFound;
use super::state::{Answer, Before, CrawlState, Reading, blocking};
use super::traps::Traps;
use super::{CrawlError, CrawlReport, Crawled, CrawledPage, LeftOut};
use crate::base::{Clock, ContentHash};
use crate::documents::parse::ParseError;
use crate::net::web::{Fetched, WebClient};
use crate::sources::FailedFile;

/// Requests under way, or answered and waiting for their turn, at once: bounds the memory.
const UNDER_WAY: usize = 8;
/// Most redirects from one page.
const MOST_HOPS: u32 = 5;
/// Requests for each page that may be stored: a site whose pages come to nothing ends too.
const REQUESTS_A_PAGE: u64 = 5;
/// Addresses that are remembered so that what is not asked for is counted once.
const MOST_REMEMBERED: usize = 200_000;
/// And so many more.
const MORE_REQUESTS: u64 = 100;
/// Where one is set and is no help.
const NOTHING_RENDERED: &str = "its words are written by scripts, and the program of load.render wrote none";
/// Where none is set.
const NEEDS_BROWSER: &str = "its words are written by scripts: it needs a browser (load.render)";

/// What to crawl, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlOptions {
    /// Links from the pages asked for.
    pub depth: u32,
    /// Pages that are stored.
    pub max_pages: u64,
    /// Pages whose URLs differ in their numbers only; 0: no limit.
    pub max_alike: u64,
    /// Which links are followed.
    pub links: Links,
    /// Between two requests to one host.
    pub delay: Duration,
    /// Requests to one host at once.
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

/// The parts of a crawl.
pub struct Crawl<'c> {
    /// Asks servers.
    pub client: WebClient,
    /// Tells how old an interrupted crawl is.
    pub clock: Clock,
    /// The file in which answers are kept.
    pub state: PathBuf,
    /// Where pages go; its reader sets the pace.
    pub out: Sender<Crawled>,
    /// Tells the hash of what is stored under a path, to which an unchanged page belongs.
    pub stored: &'c (dyn Fn(&str) -> Option<ContentHash> + Send + Sync),
    /// Ends the crawl; the next one goes on.
    pub interrupt: CancellationToken,
    /// Ends it too: it had its time, and says so.
    pub time_up: CancellationToken,
}

/// What became of one request.
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

/// The crawl's own books.
struct Books<'b> {
    options: &'b CrawlOptions,
    scope: Scope,
    traps: Traps,
    frontier: Frontier,
    /// Documents by their words.
    words: BTreeMap<String, String>,
    /// Documents by path, with the URL that each came from.
    documents: BTreeMap<String, Url>,
    /// Documents of the crawl before, by the URL that each came from.
    before: BTreeMap<Url, String>,
    /// Of those, the ones that their pages are known to be no more.
    dropped: BTreeSet<String>,
    /// Sitemaps that indexes have named, of those that are asked for.
    maps: u64,
    /// Pages that waited when no more could be asked for.
    beyond: u64,
    report: CrawlReport,
}

/// Crawls from `starts`. `name` tells crawls of the same start apart that go to different places.
///
/// # Errors
/// What keeps the crawl from beginning, and a state that cannot be kept. What goes wrong with single pages is reported.
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
    let mut books = Books {
        options,
        scope,
        traps: Traps::new(options.max_alike),
        frontier: Frontier::default(),
        words: BTreeMap::new(),
        documents: BTreeMap::new(),
        before: state.documents().await?.into_iter().collect(),
        dropped: BTreeSet::new(),
        maps: 0,
        beyond: 0,
        report: CrawlReport::default(),
    };
    for url in starts {
        books.frontier.add(Step { is_start: true, is_near: true, ..Step::to(url, 0) });
    }
    Run { crawl: &crawl, hosts: &hosts, state: &state }.run(books).await
}

pub(super) fn start_of(start: &str) -> Result<Url, CrawlError> {
    let bad = |reason: String| CrawlError::BadUrl { url: start.to_owned(), reason };
    let url = Url::parse(start).map_err(|error| bad(error.to_string()))?;
    normalize(&url).ok_or_else(|| bad("only http and https are fetched".to_owned()))
}

/// What makes two crawls the same. How deep and how many pages they go is none of it: a crawl that goes further goes on.
pub(super) fn identity(name: &str, starts: &[Url], links: &Links) -> String {
    let starts: Vec<&str> = starts.iter().map(Url::as_str).collect();
    let Links { breadth, include, exclude, .. } = links;
    serde_json::json!({ "name": name, "starts": starts, "breadth": breadth, "include": include, "exclude": exclude })
        .to_string()
}

struct Run<'r> {
    crawl: &'r Crawl<'r>,
    hosts: &'r Hosts,
    state: &'r CrawlState,
}

impl Run<'_> {
    async fn run(&self, mut books: Books<'_>) -> Result<CrawlReport, CrawlError> {
        if books.options.links.sitemaps {
            self.add_sitemaps(&mut books).await?;
        }
        let mut is_whole = self.follow(&mut books).await?;
        if is_whole {
            // What no page leads to any more may still be there, or be known to be gone.
            let unmet: Vec<Url> = books.before.keys().filter(|url| !books.frontier.has_met(url)).cloned().collect();
            for url in unmet {
                let depth = books.options.depth;
                books.frontier.add(Step::to(url, depth));
            }
            is_whole = self.follow(&mut books).await?;
        }
        let Books { documents, before, dropped, beyond, mut report, .. } = books;
        if beyond > 0 {
            report.left_out(LeftOut::Limit, beyond);
        }
        // Of a page that did not answer this time it is not known whether it is still there.
        let unknown = before.into_iter().filter(|(_, path)| !documents.contains_key(path) && !dropped.contains(path));
        let unknown: Vec<(Url, String)> = unknown.collect();
        report.removed = dropped.into_iter().filter(|path| !documents.contains_key(path)).collect();
        report.is_whole = is_whole;
        if is_whole {
            report.documents = documents.into_iter().map(|(path, url)| (url, path)).chain(unknown).collect();
        }
        report.state = Some(self.state.clone());
        Ok(report)
    }

    /// Follows the frontier to its end. False where something else was the end.
    async fn follow(&self, books: &mut Books<'_>) -> Result<bool, CrawlError> {
        let mut under_way = FuturesOrdered::new();
        loop {
            while under_way.len() < UNDER_WAY
                && books.may_ask(under_way.len())
                && let Some(step) = books.frontier.next()
            {
                books.report.requests += 1;
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
                // The same pages may wait when it is followed again.
                books.beyond = books.frontier.waiting() as u64;
                return Ok(books.report.put_off == 0);
            };
            if !self.look_at(visit, books).await? {
                return Ok(false);
            }
        }
    }

    async fn visit(&self, step: Step) -> Visit {
        let outcome = self.answer(&step.url).await;
        Visit { step, outcome }
    }

    async fn answer(&self, url: &Url) -> Result<Visited, Refusal> {
        // What is no longer stored as it was must be sent again.
        let before = self.state.before(url).await?;
        let before =
            before.filter(|before: &Before| (self.crawl.stored)(&before.reading.document) == Some(before.hash));
        match self.hosts.page(url, before.as_ref()).await? {
            Answer::Redirect(to) => Ok(Visited::Redirect(to)),
            Answer::Refused(status) => Ok(Visited::Refused(status)),
            Answer::Unchanged(reading, at) => Ok(Visited::Unchanged(reading, at)),
            Answer::Page(page) => {
                let at = page.at;
                let read = self.take_apart(page).await?;
                let soft = match &read.content {
                    Content::Document(_) => self.hosts.soft_not_found(url, async |page| self.words(page).await).await?,
                    _ => None,
                };
                Ok(Visited::Read(Box::new(read), soft, at))
            }
        }
    }

    /// Reads a page. One whose words scripts write is rendered first, where a program is set that does it.
    async fn take_apart(&self, page: Fetched) -> Result<Read, CrawlError> {
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
        // What a browser wrote out still has its scripts; they are missed only where it has no words.
        rendered.signs.needs_scripts = !matches!(rendered.content, Content::Document(_));
        rendered.not_rendered = rendered.signs.needs_scripts.then(|| NOTHING_RENDERED.to_owned());
        Ok(rendered)
    }

    async fn words(&self, page: Fetched) -> Result<String, CrawlError> {
        let read = self.take_apart(page).await?;
        Ok(match read.content {
            Content::Document(words) => words.parsed.text,
            _ => String::new(),
        })
    }

    /// Enters a visit in the books. False where nobody takes pages any more.
    async fn look_at(&self, visit: Visit, books: &mut Books<'_>) -> Result<bool, CrawlError> {
        let Visit { step, outcome } = visit;
        books.frontier.done(&step.url);
        match outcome {
            Err(Refusal::Crawl(error)) => return Err(error),
            Err(Refusal::Robots) => books.refused(&step, LeftOut::Robots, "its robots.txt forbids it"),
            Err(Refusal::Closed(reason)) => {
                books.report.put_off += 1;
                let host = step.url[..url::Position::BeforePath].to_owned();
                if !books.report.failed.iter().any(|failed| failed.path == host) {
                    let reason = format!("the host is left alone: {reason}");
                    books.report.failed.push(FailedFile { path: host, reason });
                }
                books.report.left_out(LeftOut::Closed, 1);
            }
            Err(Refusal::Web(error)) => {
                let reason = error.to_string();
                books.report.failed.push(FailedFile { path: step.url.into(), reason });
            }
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
                if books.words.contains_key(&words) || books.documents.contains_key(&document) {
                    books.drop_before(&step.url);
                    books.refused(&step, LeftOut::Duplicate, "");
                } else {
                    books.words.insert(words, document.clone());
                    books.documents.insert(document.clone(), step.url);
                    return Ok(self.crawl.out.send(Crawled::Unchanged { path: document, at }).await.is_ok());
                }
            }
            Ok(Visited::Read(read, soft, at)) => return self.enter(step, *read, soft, at, books).await,
        }
        Ok(true)
    }

    /// Enters a page that came.
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
        let words = match content {
            Content::Listing(listing) => {
                books.follow_listing(&step, listing);
                return Ok(true);
            }
            Content::Media => {
                books.refused(&step, LeftOut::NoText, "it is no text");
                return Ok(true);
            }
            // No browser is named, or it wrote no more than the server.
            _ if signs.needs_scripts => {
                books.follow_links(&step, &links);
                let reason = not_rendered.unwrap_or_else(|| NEEDS_BROWSER.to_owned());
                books.report.failed.push(FailedFile { path: step.url.into(), reason });
                return Ok(true);
            }
            Content::Broken(
                ParseError::Binary | ParseError::Packed(_) | ParseError::Blank | ParseError::Empty { .. },
            ) => {
                books.follow_links(&step, &links);
                books.refused(&step, LeftOut::NoText, "no text in it");
                return Ok(true);
            }
            Content::Broken(error) => {
                let reason = error.to_string();
                books.report.failed.push(FailedFile { path: step.url.into(), reason });
                return Ok(true);
            }
            Content::Document(words) => words,
        };
        if soft.is_some_and(|soft| !step.is_start && soft.is(&step.url, &words.sketch)) {
            books.drop_before(&step.url);
            books.refused(&step, LeftOut::NotFound, "");
            return Ok(true);
        }
        books.follow_links(&step, &links);
        if signs.wishes.no_index {
            books.drop_before(&step.url);
            books.refused(&step, LeftOut::NoIndex, "it asks not to be kept");
            return Ok(true);
        }
        let Words { format, parsed, hash: words, name, .. } = *words;
        let words = words.to_string();
        if books.words.contains_key(&words) {
            books.drop_before(&step.url);
            books.refused(&step, LeftOut::Duplicate, "");
            return Ok(true);
        }
        let original = signs.canonical.filter(|original| *original != step.url && books.scope.has_place(original));
        let path = match original {
            Some(original) if books.frontier.awaits(&original) && !step.is_second_look => {
                books.frontier.look_again(step, &original);
                return Ok(true);
            }
            // Its own words are elsewhere already, or it is the first to speak for the other.
            Some(original) if !books.frontier.has_met(&original) => {
                books.frontier.done(&original);
                original.to_string()
            }
            _ => step.url.to_string(),
        };
        if books.documents.contains_key(&path) {
            books.refused(&step, LeftOut::Duplicate, "");
            return Ok(true);
        }
        if books.before.get(&step.url).is_some_and(|before| *before != path) {
            books.drop_before(&step.url);
        }
        let links = links.into_iter().map(String::from).collect();
        let reading = Reading { document: path.clone(), words: words.clone(), links };
        self.state.keep_reading(&step.url, hash, reading).await?;
        books.words.insert(words, path.clone());
        books.documents.insert(path.clone(), step.url.clone());
        let page = CrawledPage { path, url: step.url, format, parsed, name, hash, bytes, at };
        Ok(self.crawl.out.send(Crawled::Page(Box::new(page))).await.is_ok())
    }

    /// Puts the pages of the hosts' sitemaps behind the pages asked for.
    async fn add_sitemaps(&self, books: &mut Books<'_>) -> Result<(), CrawlError> {
        let starts: Vec<Url> = books.frontier.urls();
        for start in starts {
            let host = match self.hosts.host(&start).await {
                Ok(host) => host,
                Err(Refusal::Crawl(error)) => return Err(error),
                // The start itself will tell.
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

impl Books<'_> {
    /// Whether one more page may be asked for while `under_way` are. Only what is applied counts as stored, so that the
    /// answer does not hang on the order in which pages come.
    fn may_ask(&self, under_way: usize) -> bool {
        let stored = self.documents.len() as u64;
        stored + (under_way as u64) < self.options.max_pages && self.report.requests < self.most_requests()
    }

    fn most_requests(&self) -> u64 {
        self.options.max_pages.saturating_mul(REQUESTS_A_PAGE).saturating_add(MORE_REQUESTS)
    }

    /// Whether so many pages wait that one more would never be asked for: a listing may name more than memory holds.
    fn is_full(&mut self) -> bool {
        let full = self.frontier.waiting() as u64 >= self.most_requests();
        if full {
            self.report.left_out(LeftOut::Limit, 1);
        }
        full
    }

    /// Counts a page that is not stored; tells of it where the user named it.
    fn refused(&mut self, step: &Step, why: LeftOut, reason: &str) {
        if step.is_start && !reason.is_empty() {
            self.report.failed.push(FailedFile { path: step.url.to_string(), reason: reason.to_owned() });
        } else {
            self.report.left_out(why, 1);
        }
    }

    /// What the crawl before stored of this page is no more.
    fn drop_before(&mut self, url: &Url) {
        self.dropped.extend(self.before.get(url).cloned());
    }

    fn redirect(&mut self, step: Step, to: &Url) {
        self.drop_before(&step.url);
        let Some(to) = normalize(to) else {
            return self.refused(&step, LeftOut::OutOfScope, "it redirects to what is no web page");
        };
        if step.hops >= MOST_HOPS {
            let reason = format!("it is redirected more than {MOST_HOPS} times");
            self.report.failed.push(FailedFile { path: step.url.into(), reason });
            return;
        }
        if step.is_start {
            self.scope.admit(&to);
        } else if !self.scope.holds(&to) {
            return self.refused(&step, LeftOut::OutOfScope, "");
        }
        if to == step.url || self.frontier.has_met(&to) {
            return self.refused(&step, LeftOut::Duplicate, "");
        }
        self.frontier.add_next(Step { url: to, hops: step.hops + 1, is_second_look: false, ..step });
    }

    fn follow_links(&mut self, step: &Step, links: &[Url]) {
        if step.depth >= self.options.depth || step.is_second_look {
            return;
        }
        for link in links {
            self.follow_link(link, step.depth + 1);
        }
    }

    fn follow_link(&mut self, link: &Url, depth: u32) {
        if self.frontier.has_met(link) || !self.scope.holds(link) || self.is_full() {
            return;
        }
        let why = if names_media(link) {
            LeftOut::NoText
        } else if self.traps.hold(link) {
            LeftOut::Trap
        } else {
            self.frontier.add(Step::to(link.clone(), depth));
            return;
        };
        // Counted once, however many pages lead there, as long as they are not too many to remember.
        if self.frontier.met() < MOST_REMEMBERED {
            self.frontier.done(link);
        }
        self.report.left_out(why, 1);
    }

    /// The pages of a listing that the user asked for are as near as the listing; of one that a page leads to, one link off.
    fn follow_listing(&mut self, step: &Step, listing: Listing) {
        let resolve = |link: &String| step.url.join(link).ok().as_ref().and_then(normalize);
        match listing {
            Listing::Pages(pages) => {
                let depth = if step.is_near { 0 } else { step.depth.saturating_add(1) };
                for link in pages.iter().filter_map(resolve) {
                    if depth <= self.options.depth {
                        self.follow_link(&link, depth);
                    }
                }
            }
            Listing::Listings(listings) => {
                for url in listings.iter().filter_map(resolve) {
                    // An index lists sitemaps, and no further indexes. More of them than pages that may be stored would
                    // leave no request for these.
                    if self.maps >= self.options.max_pages {
                        self.report.left_out(LeftOut::Limit, 1);
                    } else if step.hops < MOST_HOPS && self.scope.has_place(&url) && !self.is_full() {
                        self.maps += 1;
                        self.frontier.add(Step { url, hops: MOST_HOPS, is_second_look: false, ..step.clone() });
                    }
                }
            }
        }
    }
}
