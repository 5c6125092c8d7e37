//! The books of a crawl: the addresses met, those still to be requested, the outcome of each page, and the report.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use super::frontier::{Frontier, Step};
use super::listing::Listing;
use super::normalize::normalize;
use super::reader::{Content, Words, has_media_extension};
use super::scope::Scope;
use super::soft::SoftNotFound;
use super::traps::Traps;
use super::{CrawlOptions, CrawlReport, LeftOut};
use crate::documents::parse::ParseError;
use crate::sources::FailedFile;

/// The maximum number of redirects from one page.
const MOST_HOPS: u32 = 5;
/// The number of requests for each page that may be stored, so that the crawl of a site without usable pages ends too.
const REQUESTS_A_PAGE: u64 = 5;
/// The number of requests in addition to [`REQUESTS_A_PAGE`] for each page, so that a small page limit leaves enough.
const MORE_REQUESTS: u64 = 100;
/// The maximum number of addresses remembered, so that a link that is not followed is counted once.
const MOST_REMEMBERED: usize = 200_000;

/// The state of a crawl.
pub(super) struct Books<'b> {
    pub(super) options: &'b CrawlOptions,
    scope: Scope,
    traps: Traps,
    pub(super) frontier: Frontier,
    /// The hashes of the texts of all documents.
    pub(super) words: BTreeSet<String>,
    /// The documents by path, with the URL that each came from.
    pub(super) documents: BTreeMap<String, Url>,
    /// The documents of the previous crawl, by the URL that each came from.
    pub(super) before: BTreeMap<Url, String>,
    /// The paths of those known to be outdated, because their pages are gone, moved, or stored under another path.
    dropped: BTreeSet<String>,
    /// The number of requests, including those answered from the state.
    pub(super) requests: u64,
    /// The number of pages on hosts that are left alone for now.
    pub(super) put_off: u64,
    /// The number of sitemaps, named in indexes, that were added to the frontier.
    maps: u64,
    /// The number of pages still waiting when no more could be requested.
    pub(super) beyond: u64,
    pub(super) report: CrawlReport,
}

impl<'b> Books<'b> {
    pub(super) fn new(options: &'b CrawlOptions, scope: Scope, before: Vec<(Url, String)>) -> Self {
        Books {
            options,
            scope,
            traps: Traps::new(options.max_alike),
            frontier: Frontier::default(),
            words: BTreeSet::new(),
            documents: BTreeMap::new(),
            before: before.into_iter().collect(),
            dropped: BTreeSet::new(),
            requests: 0,
            put_off: 0,
            maps: 0,
            beyond: 0,
            report: CrawlReport::default(),
        }
    }

    /// The report of a crawl that has ended or is stopped.
    pub(super) fn closed(self, is_whole: bool) -> CrawlReport {
        let Books { documents, before, dropped, beyond, mut report, .. } = self;
        if beyond > 0 {
            report.left_out(LeftOut::Limit, beyond);
        }
        // If a page did not answer this time, it is unknown whether it still exists.
        let unknown = before.into_iter().filter(|(_, path)| !documents.contains_key(path) && !dropped.contains(path));
        let unknown: Vec<(Url, String)> = unknown.collect();
        report.removed = dropped.into_iter().filter(|path| !documents.contains_key(path)).collect();
        report.is_whole = is_whole;
        if is_whole {
            report.documents = documents.into_iter().map(|(path, url)| (url, path)).chain(unknown).collect();
        }
        report
    }

    /// Whether another page may be requested while `under_way` requests are running. Only processed pages count as
    /// stored, so that the answer does not depend on the order in which responses arrive.
    pub(super) fn may_ask(&self, under_way: usize) -> bool {
        let stored = self.documents.len() as u64;
        stored + (under_way as u64) < self.options.max_pages && self.requests < self.most_requests()
    }

    fn most_requests(&self) -> u64 {
        self.options.max_pages.saturating_mul(REQUESTS_A_PAGE).saturating_add(MORE_REQUESTS)
    }

    /// Returns whether so many pages wait that another one would never be requested, and if so counts it as left out: a
    /// listing may name more pages than memory can hold.
    fn turn_away(&mut self) -> bool {
        let full = self.frontier.waiting() as u64 >= self.most_requests();
        if full {
            self.report.left_out(LeftOut::Limit, 1);
        }
        full
    }

    /// Records a page that could not be fetched or read.
    pub(super) fn fail(&mut self, step: &Step, reason: String) {
        self.report.failed.push(FailedFile { path: step.url.to_string(), reason });
    }

    /// Records a page whose host is left alone; the host is reported once.
    pub(super) fn put_off(&mut self, step: &Step, reason: &str) {
        self.put_off += 1;
        let host = step.url[..url::Position::BeforePath].to_owned();
        if !self.report.failed.iter().any(|failed| failed.path == host) {
            let reason = format!("the host is left alone: {reason}");
            self.report.failed.push(FailedFile { path: host, reason });
        }
        self.report.left_out(LeftOut::Closed, 1);
    }

    /// Counts a page that is not stored; reports it if the user named it.
    pub(super) fn refused(&mut self, step: &Step, why: LeftOut, reason: &str) {
        if step.is_start && !reason.is_empty() {
            self.fail(step, reason.to_owned());
        } else {
            self.report.left_out(why, 1);
        }
    }

    /// Marks the document that the previous crawl stored for this page as gone.
    pub(super) fn drop_before(&mut self, url: &Url) {
        self.dropped.extend(self.before.get(url).cloned());
    }

    pub(super) fn redirect(&mut self, step: Step, to: &Url) {
        self.drop_before(&step.url);
        let Some(to) = normalize(to) else {
            return self.refused(&step, LeftOut::OutOfScope, "it redirects to what is no web page");
        };
        if step.hops >= MOST_HOPS {
            return self.fail(&step, format!("it is redirected more than {MOST_HOPS} times"));
        }
        if step.is_start {
            self.scope.admit(&to);
        } else if !self.scope.holds(&to) {
            return self.refused(&step, LeftOut::OutOfScope, "");
        }
        if to == step.url || self.frontier.has_seen(&to) {
            return self.refused(&step, LeftOut::Duplicate, "");
        }
        self.frontier.add_next(Step { url: to, hops: step.hops + 1, is_second_look: false, ..step });
    }

    /// The text of a fetched page, or `None` if there is nothing to store. `needs_scripts` says why text is missing.
    pub(super) fn words_of(
        &mut self,
        step: &Step,
        content: Content,
        needs_scripts: Option<String>,
        links: &[Url],
    ) -> Option<Box<Words>> {
        match (content, needs_scripts) {
            (Content::Listing(listing), _) => self.follow_listing(step, listing),
            (Content::Media, _) => self.refused(step, LeftOut::NoText, "it is no text"),
            (_, Some(reason)) => {
                self.follow_links(step, links);
                self.fail(step, reason);
            }
            (
                Content::Broken(
                    ParseError::Binary | ParseError::Packed(_) | ParseError::Blank | ParseError::Empty { .. },
                ),
                None,
            ) => {
                self.follow_links(step, links);
                self.refused(step, LeftOut::NoText, "no text in it");
            }
            (Content::Broken(error), None) => self.fail(step, error.to_string()),
            (Content::Document(words), None) => return Some(words),
        }
        None
    }

    /// Whether a page with text is to be stored, judged by its text and its directives.
    pub(super) fn keeps(
        &mut self,
        step: &Step,
        words: &Words,
        soft: Option<SoftNotFound>,
        no_index: bool,
        links: &[Url],
    ) -> bool {
        let is_missing = soft.is_some_and(|soft| !step.is_start && soft.is(&step.url, &words.sketch));
        if !is_missing {
            self.follow_links(step, links);
        }
        let (why, reason) = if is_missing {
            (LeftOut::NotFound, "")
        } else if no_index {
            (LeftOut::NoIndex, "it asks not to be kept")
        } else if self.words.contains(&words.hash.to_string()) {
            (LeftOut::Duplicate, "")
        } else {
            return true;
        };
        self.drop_before(&step.url);
        self.refused(step, why, reason);
        false
    }

    /// The path of the document that a page becomes. `None` if it becomes none, or waits for its declared original.
    pub(super) fn path_of(&mut self, step: &Step, canonical: Option<Url>) -> Option<String> {
        let original = canonical.filter(|original| *original != step.url && self.scope.has_place(original));
        let path = match original {
            Some(original) if self.frontier.awaits(&original) && !step.is_second_look => {
                self.frontier.requeue_after(step.clone(), &original);
                return None;
            }
            // The original was never met: this page is the first to stand for it.
            Some(original) if !self.frontier.has_seen(&original) => {
                self.frontier.done(&original);
                original.to_string()
            }
            _ => step.url.to_string(),
        };
        if self.documents.contains_key(&path) {
            self.refused(step, LeftOut::Duplicate, "");
            return None;
        }
        if self.before.get(&step.url).is_some_and(|before| *before != path) {
            self.drop_before(&step.url);
        }
        Some(path)
    }

    pub(super) fn follow_links(&mut self, step: &Step, links: &[Url]) {
        if step.depth >= self.options.depth || step.is_second_look {
            return;
        }
        for link in links {
            self.follow_link(link, step.depth + 1);
        }
    }

    fn follow_link(&mut self, link: &Url, depth: u32) {
        if self.frontier.has_seen(link) || !self.scope.holds(link) || self.turn_away() {
            return;
        }
        let why = if has_media_extension(link) {
            LeftOut::NoText
        } else if self.traps.is_trap(link) {
            LeftOut::Trap
        } else {
            self.frontier.add(Step::to(link.clone(), depth));
            return;
        };
        // Counted once, however many pages link there, as long as there are not too many to remember.
        if self.frontier.met() < MOST_REMEMBERED {
            self.frontier.done(link);
        }
        self.report.left_out(why, 1);
    }

    /// Follows a listing. Its pages are as near as it is if the user asked for it, else one link further.
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
                    // An index may list sitemaps, but no further indexes. More sitemaps than pages that may be stored
                    // would leave no requests for the pages.
                    if self.maps >= self.options.max_pages {
                        self.report.left_out(LeftOut::Limit, 1);
                    } else if step.hops < MOST_HOPS && self.scope.has_place(&url) && !self.turn_away() {
                        self.maps += 1;
                        self.frontier.add(Step { url, hops: MOST_HOPS, is_second_look: false, ..step.clone() });
                    }
                }
            }
        }
    }
}
