//! The parts of each engine's reply that are used. Missing fields are errors: a reply of another shape must not pass
//! for a search without results.

use serde::Deserialize;

use super::WebResult;
use crate::base::is_url;

/// The reply of SearXNG, <https://docs.searxng.org/dev/search_api.html>, and of Tavily,
/// <https://docs.tavily.com/documentation/api-reference/endpoint/search>.
#[derive(Debug, Deserialize)]
pub(super) struct Results {
    results: Vec<Page>,
}

/// <https://api-dashboard.search.brave.com/app/documentation/web-search/responses>
#[derive(Debug, Deserialize)]
pub(super) struct Brave {
    /// `search`, even if nothing was found on the web and `web` is absent.
    #[serde(rename = "type")]
    kind: String,
    web: Option<BraveWeb>,
}

#[derive(Debug, Deserialize)]
struct BraveWeb {
    results: Vec<Page>,
}

/// <https://serper.dev/playground>
#[derive(Debug, Deserialize)]
pub(super) struct Serper {
    organic: Vec<Link>,
}

#[derive(Debug, Deserialize)]
struct Link {
    link: String,
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Page {
    url: String,
    #[serde(default)]
    title: Option<String>,
}

/// A reply that lists pages.
pub(super) trait Named {
    /// Returns the address and title of each page, best first; an error if it is not a reply to a search.
    fn pages(self) -> Result<Vec<(String, Option<String>)>, String>;
}

fn named(pages: Vec<Page>) -> Vec<(String, Option<String>)> {
    pages.into_iter().map(|page| (page.url, page.title)).collect()
}

impl Named for Results {
    fn pages(self) -> Result<Vec<(String, Option<String>)>, String> {
        Ok(named(self.results))
    }
}

impl Named for Brave {
    fn pages(self) -> Result<Vec<(String, Option<String>)>, String> {
        match (self.kind.as_str(), self.web) {
            ("search", web) => Ok(web.map(|web| named(web.results)).unwrap_or_default()),
            (other, _) => Err(format!("it is of the type `{other}`, not `search`")),
        }
    }
}

impl Named for Serper {
    fn pages(self) -> Result<Vec<(String, Option<String>)>, String> {
        Ok(self.organic.into_iter().map(|page| (page.link, page.title)).collect())
    }
}

/// The pages that can be fetched, deduplicated, at most `most`.
pub(super) fn taken(pages: Vec<(String, Option<String>)>, most: usize) -> Vec<WebResult> {
    let mut taken: Vec<WebResult> = Vec::new();
    for (url, title) in pages {
        let url = url.trim();
        let url = &url[..url.find('#').unwrap_or(url.len())];
        if is_url(url) && !taken.iter().any(|known| known.url == url) && taken.len() < most {
            taken.push(WebResult { url: url.to_owned(), title: title.unwrap_or_default() });
        }
    }
    taken
}
