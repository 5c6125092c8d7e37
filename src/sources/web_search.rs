//! Web pages for one run: a search engine names them; they are fetched, parsed and split into chunks like any document.
//! Only the text of the page itself is used; the engine's excerpts are not kept. A failing page or engine causes a
//! warning, and the run continues with what it has. Everything is bounded: the pages and bytes of a run, and the time
//! for the pages of one round of searches.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use futures::stream;
use url::Url;

use super::search_engine::{SearchEngine, SearchEngineError, WebResult};
use crate::base::text::{one_line, short_line};
use crate::base::{ContentHash, nanoseconds_of};
use crate::documents::chunk::{ChunkOptions, chunk, main_language};
use crate::documents::parse::{ParseError, is_media_type, parse_fetched};
use crate::domain::{Document, DocumentDate};
use crate::net::web::{Conditions, Fetched, WebClient};

/// Limits on how much of the web a run reads.
#[derive(Clone, Debug, PartialEq)]
pub struct WebSearchOptions {
    /// The number of results requested per search.
    pub results: usize,
    /// The most pages of one run.
    pub max_pages: usize,
    /// The most bytes of all pages of one run; the page that reaches this limit is the last.
    pub max_bytes: u64,
    /// The longest time for fetching the pages of one round of searches.
    pub timeout: Duration,
    /// The number of pages fetched at once.
    pub parallel: usize,
    /// The cost of one search in US dollars, if known.
    pub usd_per_search: Option<f64>,
    /// How pages are split into chunks.
    pub chunk: ChunkOptions,
}

impl Default for WebSearchOptions {
    fn default() -> Self {
        WebSearchOptions {
            results: 5,
            max_pages: 30,
            max_bytes: 32 << 20,
            timeout: Duration::from_secs(60),
            parallel: 4,
            usd_per_search: None,
            chunk: ChunkOptions::default(),
        }
    }
}

/// What a run has already read, which is neither fetched nor kept again.
#[derive(Clone, Debug, Default)]
pub struct KnownPages {
    /// The URLs of the pages and the URLs that were requested for them.
    pub urls: BTreeSet<String>,
    /// The hashes of their texts.
    pub texts: BTreeSet<ContentHash>,
    /// The number of pages.
    pub pages: usize,
    /// Their total size in bytes, as received.
    pub bytes: u64,
}

/// The outcome of a round of searches.
#[derive(Clone, Debug, Default)]
pub struct WebRound {
    /// The pages, the engine's best first. The hash of each is the hash of its text.
    pub pages: Vec<Document>,
    /// Requested URLs that are not those of `pages`: they redirected, could not be used, or were copies.
    pub tried: Vec<String>,
    /// Queries for which the engine failed.
    pub failed: Vec<String>,
    /// Descriptions of what went wrong.
    pub warnings: Vec<String>,
    /// The cost of the searches in US dollars, if known.
    pub usd: Option<f64>,
}

/// Searches the web and reads what it finds. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WebSearch {
    engine: SearchEngine,
    client: WebClient,
    options: WebSearchOptions,
}

/// Why a page cannot be used.
#[derive(Debug, thiserror::Error)]
enum PageError {
    #[error("it is {0}")]
    Media(String),
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error("the reader of its format failed on it: it may be damaged")]
    Panicked,
}

impl WebSearch {
    /// Creates the search without sending any request.
    pub fn new(engine: SearchEngine, client: WebClient, options: WebSearchOptions) -> Self {
        WebSearch { engine, client, options }
    }

    /// Returns the engine that names the pages.
    pub fn engine(&self) -> &SearchEngine {
        &self.engine
    }

    /// Searches for each of `queries` and reads the pages that are new to the run.
    pub async fn gather(&self, queries: &[String], earlier: &KnownPages) -> WebRound {
        let mut gathered = WebRound::default();
        let found = self.search(queries, &mut gathered).await;
        let mut wanted = interleave(found, &earlier.urls);
        let room = self.options.max_pages.saturating_sub(earlier.pages);
        if wanted.len() > room {
            let left_out = wanted.len() - room;
            let most = self.options.max_pages;
            gathered.warnings.push(format!(
                "{left_out} pages of the web were not fetched: a run reads {most} at most (sources.web.max_pages)"
            ));
            wanted.truncate(room);
        }
        self.fetch(wanted, earlier, &mut gathered).await;
        gathered
    }

    /// Sends the queries one after the other, because engines limit requests per second.
    async fn search(&self, queries: &[String], gathered: &mut WebRound) -> Vec<Vec<WebResult>> {
        let mut found = Vec::new();
        let mut hopeless = false;
        for query in queries {
            if hopeless {
                gathered.failed.push(query.clone());
                continue;
            }
            match self.engine.search(query, self.options.results).await {
                Ok(results) => {
                    if results.is_empty() {
                        let shown = short_line(query, 100);
                        gathered.warnings.push(format!("the web search found no page for `{shown}`"));
                    }
                    gathered.usd = self.options.usd_per_search.map(|usd| usd + gathered.usd.unwrap_or(0.0));
                    found.push(results);
                }
                Err(error) => {
                    // A refused key, an exhausted plan and an engine that is down would fail the next query too.
                    hopeless = !matches!(error, SearchEngineError::Malformed { .. });
                    gathered.failed.push(query.clone());
                    gathered.warnings.push(format!("the web was not searched: {error}"));
                }
            }
        }
        found
    }

    /// Fetches and reads pages, several at once, and keeps them in the order of `wanted`.
    async fn fetch(&self, wanted: Vec<WebResult>, earlier: &KnownPages, gathered: &mut WebRound) {
        let deadline = tokio::time::Instant::now() + self.options.timeout;
        let (mut texts, mut urls) = (earlier.texts.clone(), earlier.urls.clone());
        let mut bytes = earlier.bytes;
        let mut left = wanted.len();
        let fetches = wanted.into_iter().map(|result| async { (self.page(&result).await, result) });
        let mut fetches = stream::iter(fetches).buffered(self.options.parallel.max(1));
        while let Ok(Some((page, result))) = tokio::time::timeout_at(deadline, fetches.next()).await {
            left -= 1;
            let page = match page {
                Ok(page) => page,
                Err(reason) => {
                    gathered.warnings.push(format!("the page {} was not read: {reason}", result.url));
                    gathered.tried.push(result.url);
                    continue;
                }
            };
            if page.path != result.url {
                gathered.tried.push(result.url);
            }
            let is_new = urls.insert(page.path.clone()) && texts.insert(page.hash);
            bytes = bytes.saturating_add(page.bytes);
            if is_new {
                gathered.pages.push(page);
            } else {
                gathered.tried.push(page.path);
            }
            if bytes >= self.options.max_bytes {
                if left > 0 {
                    gathered.warnings.push(format!(
                        "{left} pages of the web were not fetched: those before them have {bytes} bytes \
                         (sources.web.max_mb)"
                    ));
                }
                return;
            }
        }
        if left > 0 {
            let seconds = self.options.timeout.as_secs_f64();
            gathered
                .warnings
                .push(format!("{left} pages of the web were not there within {seconds} s (sources.web.timeout_s)"));
        }
    }

    async fn page(&self, result: &WebResult) -> Result<Document, String> {
        let fetched = self.client.get(&result.url, &Conditions::default()).await;
        let fetched = fetched.map_err(|error| error.to_string())?;
        if is_media_type(&fetched.content_type) {
            return Err(PageError::Media(fetched.content_type).to_string());
        }
        let head = fetched.clone_head();
        let read = self.read(fetched, &result.title).await;
        let is_empty = matches!(read, Err(PageError::Parse(ParseError::Blank | ParseError::Empty { .. })));
        let rendered = match is_empty && head.content_type.contains("html") {
            true => self.client.rendered(&head).await.map_err(|error| error.to_string())?,
            false => None,
        };
        let read = match rendered {
            Some(page) => self.read(page, &result.title).await,
            None => read,
        };
        read.map_err(|error| error.to_string())
    }

    async fn read(&self, fetched: Fetched, title: &str) -> Result<Document, PageError> {
        let (chunking, title) = (self.options.chunk, title.to_owned());
        let read = tokio::task::spawn_blocking(move || document(fetched, title, &chunking)).await;
        read.unwrap_or(Err(PageError::Panicked))
    }
}

/// Merges the results of several queries, without those in `known` and without duplicates: the first result of each
/// query, then the second of each, and so on, so that a limit leaves every query its best results.
fn interleave(found: Vec<Vec<WebResult>>, known: &BTreeSet<String>) -> Vec<WebResult> {
    let most = found.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = known.clone();
    let mut wanted = Vec::new();
    for rank in 0..most {
        let of_rank = found.iter().filter_map(|results| results.get(rank));
        wanted.extend(of_rank.filter(|result| seen.insert(result.url.clone())).cloned());
    }
    wanted
}

/// Makes a document of a page. `title` is the engine's, used if the page has none.
fn document(fetched: Fetched, title: String, chunking: &ChunkOptions) -> Result<Document, PageError> {
    let Fetched { url, content_type, body, at, .. } = fetched;
    let bytes = body.len() as u64;
    let (format, parsed) = parse_fetched(&url, &content_type, body)?;
    if parsed.text.trim().is_empty() {
        return Err(ParseError::Empty { hint: "".into() }.into());
    }
    let chunks = chunk(&parsed, chunking);
    let own = parsed.title.filter(|title| !title.trim().is_empty());
    let given = Some(one_line(&title)).filter(|title| !title.is_empty());
    let modified_ns = nanoseconds_of(at);
    Ok(Document {
        path: without_fragment(url),
        title: own.or(given).unwrap_or_else(|| "Untitled page".to_owned()),
        format,
        language: main_language(&parsed.text, &chunks),
        date: parsed.date.or_else(|| DocumentDate::of_file_time(modified_ns)),
        authorship: crate::domain::Authorship::default(),
        hash: ContentHash::of(parsed.text.as_bytes()),
        bytes,
        modified_ns,
        cut: None,
        text: parsed.text,
        chunks,
    })
}

fn without_fragment(mut url: Url) -> String {
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
