//! What a crawl gives to be stored, and what it tells of the rest.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use url::Url;

use super::CrawlError;
use super::state::CrawlState;
use crate::base::ContentHash;
use crate::documents::parse::Parsed;
use crate::domain::Format;
use crate::sources::FailedFile;

/// What a crawl gives to be stored.
#[derive(Debug)]
pub enum Crawled {
    /// A page that came.
    Page(Box<CrawledPage>),
    /// A stored document whose page is as it was.
    Unchanged {
        /// The document's path.
        path: String,
        /// When that was asked.
        at: Timestamp,
    },
}

/// A page on its way to the store.
#[derive(Debug)]
pub struct CrawledPage {
    /// Its document's path: the address that it calls its own, else the one where it was found.
    pub path: String,
    /// Where it was found.
    pub url: Url,
    /// What it was parsed as.
    pub format: Format,
    /// Its words.
    pub parsed: Parsed,
    /// A file's name for it.
    pub name: String,
    /// Of the bytes as they came.
    pub hash: ContentHash,
    /// How many those are.
    pub bytes: u64,
    /// When it came.
    pub at: Timestamp,
}

/// Why a page that a crawl met is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// Its words are another page's, or it leads to another page.
    Duplicate,
    /// The host's robots.txt forbids it.
    Robots,
    /// It asks not to be kept.
    NoIndex,
    /// There is no such page, whether the server says so or shows a page that does.
    NotFound,
    /// There is no text in it.
    NoText,
    /// It looks like one of endlessly many.
    Trap,
    /// It leads to where the crawl was not to go.
    OutOfScope,
    /// Its host is left alone.
    Closed,
    /// The crawl had its pages.
    Limit,
}

/// What a crawl did.
#[derive(Debug, Default)]
pub struct CrawlReport {
    /// Documents of the crawl before whose pages are no more.
    pub removed: Vec<String>,
    /// Pages that are not stored, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Pages that could not be fetched or read.
    pub failed: Vec<FailedFile>,
    /// Where its time was over before its end: pages that it knew of and had not looked at.
    pub cut_off: Option<u64>,
    /// Whether the crawl came to its end. One that did not goes on when it is asked for again.
    pub is_whole: bool,
    /// All documents with the URLs that they came from; filled where the crawl is whole.
    pub(super) documents: Vec<(Url, String)>,
    pub(super) state: Option<CrawlState>,
}

impl CrawlReport {
    pub(super) fn left_out(&mut self, why: LeftOut, count: u64) {
        *self.left_out.entry(why).or_default() += count;
    }

    /// To be called once the pages are in the store: the crawl is over, and the next one is a new one. Does nothing for
    /// a crawl that is not whole.
    pub async fn finish(&mut self) -> Result<(), CrawlError> {
        match self.state.take().filter(|_| self.is_whole) {
            Some(state) => state.finish(std::mem::take(&mut self.documents)).await,
            None => Ok(()),
        }
    }
}
