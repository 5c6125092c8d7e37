//! The pages that a crawl hands over to be stored, and its report on the rest.

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

/// An item that a crawl hands over to be stored.
#[derive(Debug)]
pub enum Crawled {
    /// A fetched page.
    Page(Box<CrawledPage>),
    /// A stored document whose page has not changed.
    Unchanged {
        /// The document's path.
        path: String,
        /// When this was checked.
        at: Timestamp,
    },
}

/// A page on its way to the store.
#[derive(Debug)]
pub struct CrawledPage {
    /// The path of its document: the address that it gives as its own, else the one where it was found.
    pub path: String,
    /// The address where it was found.
    pub url: Url,
    /// The format as which it was parsed.
    pub format: Format,
    /// The parsed text.
    pub parsed: Parsed,
    /// A file name for it.
    pub name: String,
    /// The hash of the bytes as received.
    pub hash: ContentHash,
    /// The number of bytes.
    pub bytes: u64,
    /// When it was received.
    pub at: Timestamp,
}

/// Why a page that a crawl met is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// Its text is that of another page, or it leads to another page.
    Duplicate,
    /// The host's robots.txt forbids it.
    Robots,
    /// It asks not to be stored.
    NoIndex,
    /// The page does not exist, whether the server reports this or shows a page that says so.
    NotFound,
    /// It contains no text.
    NoText,
    /// It looks like one of endlessly many.
    Trap,
    /// It leads outside the scope of the crawl.
    OutOfScope,
    /// Its host is left alone.
    Closed,
    /// The limit of the crawl was reached.
    Limit,
}

/// The result of a crawl.
#[derive(Debug, Default)]
pub struct CrawlReport {
    /// Documents of the previous crawl whose pages no longer exist.
    pub removed: Vec<String>,
    /// The number of pages not stored, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Pages that could not be fetched or read.
    pub failed: Vec<FailedFile>,
    /// The number of known but unprocessed pages, if the time was over before the end.
    pub cut_off: Option<u64>,
    /// Whether the crawl came to its end. If not, it continues on the next request.
    pub is_whole: bool,
    /// All documents with the URLs that they came from; filled only if the crawl is whole.
    pub(super) documents: Vec<(Url, String)>,
    pub(super) state: Option<CrawlState>,
}

impl CrawlReport {
    pub(super) fn left_out(&mut self, why: LeftOut, count: u64) {
        *self.left_out.entry(why).or_default() += count;
    }

    /// Ends the crawl once its pages are stored, so that the next one is a new one. Does nothing if it is not whole.
    pub async fn finish(&mut self) -> Result<(), CrawlError> {
        match self.state.take().filter(|_| self.is_whole) {
            Some(state) => state.finish(std::mem::take(&mut self.documents)).await,
            None => Ok(()),
        }
    }
}
