//! Polite requests to servers: according to the robots.txt of each host, and not too often.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use url::Url;

use super::CrawlError;
use super::robots::Robots;
use super::soft::{Sketch, SoftNotFound, nowhere};
use super::state::{Answer, Before, CrawlState};
use crate::base::locked;
use crate::net::web::{Fetched, Hop, WebClient, WebError};

/// The longest delay between two requests that is accepted; a host that wants more is left alone, and reported.
const LONGEST_DELAY: Duration = Duration::from_secs(60);
/// The maximum number of redirects of a robots.txt.
const MOST_HOPS: usize = 5;

/// How politely pages are requested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Politeness {
    /// The delay between two requests to one host, unless the host wants more.
    pub(super) delay: Duration,
    /// The maximum number of simultaneous requests to one host.
    pub(super) per_host: usize,
    /// Whether each host is probed for its response to missing pages.
    pub(super) probes: bool,
}

/// Why a request was not made or not answered.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The request failed, or this program's own guard refused it.
    Web(WebError),
    /// The whole host is left alone.
    Closed(Arc<str>),
    /// The host's robots.txt forbids it.
    Robots,
    /// The crawl cannot continue.
    Crawl(CrawlError),
}

impl From<CrawlError> for Refusal {
    fn from(error: CrawlError) -> Self {
        Refusal::Crawl(error)
    }
}

/// All requests to servers go through here. Those already made in this crawl are answered from its state.
pub(super) struct Hosts {
    client: WebClient,
    state: CrawlState,
    politeness: Politeness,
    known: Mutex<BTreeMap<String, Arc<OnceCell<Arc<Host>>>>>,
}

/// What is known of one host.
pub(super) struct Host {
    robots: Robots,
    slots: Arc<Semaphore>,
    next: Mutex<Instant>,
    delay: Duration,
    closed: Mutex<Option<Arc<str>>>,
    soft: OnceCell<Option<SoftNotFound>>,
}

impl Host {
    fn new(robots: Robots, politeness: Politeness) -> Self {
        let wanted = robots.delay.unwrap_or_default();
        let host = Host {
            robots,
            slots: Arc::new(Semaphore::new(politeness.per_host.clamp(1, Semaphore::MAX_PERMITS))),
            next: Mutex::new(Instant::now()),
            delay: politeness.delay.max(wanted),
            closed: Mutex::default(),
            soft: OnceCell::new(),
        };
        if wanted > LONGEST_DELAY {
            host.close(format!("it wants {} s between two requests", wanted.as_secs()));
        }
        host
    }

    fn close(&self, reason: String) {
        let mut closed = locked(&self.closed);
        closed.get_or_insert_with(|| reason.into());
    }

    fn closed(&self) -> Option<Arc<str>> {
        locked(&self.closed).clone()
    }

    /// The host's sitemaps according to its robots.txt.
    pub(super) fn sitemaps(&self) -> &[String] {
        &self.robots.sitemaps
    }

    /// Waits for this request's turn.
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed; if it were, the delays would still apply.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        let start = {
            let mut next = locked(&self.next);
            let start = (*next).max(Instant::now());
            *next = start + self.delay;
            start
        };
        tokio::time::sleep_until(start).await;
        slot
    }
}

impl Hosts {
    pub(super) fn new(client: WebClient, state: CrawlState, politeness: Politeness) -> Self {
        Hosts { client, state, politeness, known: Mutex::default() }
    }

    /// The name of this program in robots.txt files: the user agent up to its version.
    pub(super) fn own_name(&self) -> &str {
        own_name(&self.client.options().user_agent)
    }

    /// The host of a URL; its robots.txt is read on the first request.
    pub(super) async fn host(&self, url: &Url) -> Result<Arc<Host>, Refusal> {
        let key = url[..url::Position::BeforePath].to_owned();
        let cell = Arc::clone(locked(&self.known).entry(key).or_default());
        cell.get_or_try_init(|| async { self.load_host(url).await.map(Arc::new) }).await.cloned()
    }

    async fn load_host(&self, url: &Url) -> Result<Host, Refusal> {
        let fresh = || Host::new(Robots::absent(), self.politeness);
        let closed = |reason: String| {
            let host = fresh();
            host.close(reason);
            host
        };
        let Ok(mut at) = url.join("/robots.txt") else { return Ok(fresh()) };
        let gate = fresh();
        for _ in 0..MOST_HOPS {
            match self.ask(&at, &gate, None).await {
                Ok(Answer::Page(page)) => {
                    return Ok(Host::new(Robots::read(self.own_name(), &page.body), self.politeness));
                }
                Ok(Answer::Redirect(to)) => at = to,
                // A robots.txt that the server refuses to send forbids nothing, as the standard says.
                Ok(Answer::Refused(_) | Answer::Unchanged(..)) => return Ok(fresh()),
                Err(Refusal::Web(
                    error @ (WebError::Refused { .. } | WebError::Offline { .. } | WebError::BadUrl { .. }),
                )) => {
                    return Ok(closed(error.to_string()));
                }
                Err(Refusal::Web(error)) => {
                    return Ok(closed(format!("whether it may be crawled is not known: {error}")));
                }
                // The reply to the first request holds for all of them.
                Err(Refusal::Closed(reason)) => return Ok(closed(reason.to_string())),
                Err(other) => return Err(other),
            }
        }
        // Endless redirects count as no rules.
        Ok(fresh())
    }

    /// Requests a page, if its host allows this program to. `before` is the result of the previous crawl.
    pub(super) async fn page(&self, url: &Url, before: Option<&Before>) -> Result<Answer, Refusal> {
        let host = self.host(url).await?;
        if let Some(reason) = host.closed() {
            return Err(Refusal::Closed(reason));
        }
        if !host.robots.allow(url) {
            return Err(Refusal::Robots);
        }
        self.ask(url, &host, before).await
    }

    async fn ask(&self, url: &Url, host: &Host, before: Option<&Before>) -> Result<Answer, Refusal> {
        if let Some(answer) = self.state.answer(url).await? {
            return Ok(answer);
        }
        let _turn = host.turn().await;
        if let Some(reason) = host.closed() {
            return Err(Refusal::Closed(reason));
        }
        let conditions = before.map(|before| before.conditions.clone()).unwrap_or_default();
        let answer = match self.client.hop(url, &conditions).await {
            Ok(Hop::Redirect(to)) => Answer::Redirect(to),
            Ok(Hop::Fetched(page)) => match before.filter(|_| page.is_unchanged()) {
                Some(before) => Answer::Unchanged(Box::new(before.reading.clone()), page.at),
                None => Answer::Page(page),
            },
            Err(error) => match error.status() {
                Some(status @ (300..=407 | 410..=428 | 430..=499)) => Answer::Refused(status),
                Some(429 | 503) if error.retry_after().is_some() => {
                    host.close(format!("it is busy and asks to come back later ({error})"));
                    return Err(host.closed().map_or(Refusal::Web(error), Refusal::Closed));
                }
                _ => return Err(Refusal::Web(error)),
            },
        };
        self.state.keep(url, &answer).await?;
        Ok(answer)
    }

    /// The page that the host of `url` sends for missing pages in place of an error. `words` extracts the text of a
    /// page.
    pub(super) async fn soft_not_found(
        &self,
        url: &Url,
        words: impl AsyncFn(Fetched) -> Result<String, CrawlError>,
    ) -> Result<Option<SoftNotFound>, Refusal> {
        if !self.politeness.probes {
            return Ok(None);
        }
        let host = self.host(url).await?;
        let probe = async || {
            let Some(mut at) = nowhere(url) else { return Ok(None) };
            for _ in 0..MOST_HOPS {
                match self.page(&at, None).await {
                    Ok(Answer::Page(page)) => {
                        let sketch = Sketch::of(&words(page).await?, &at);
                        return Ok(Some(SoftNotFound { landed: at, sketch }));
                    }
                    Ok(Answer::Redirect(to)) if to.origin() == url.origin() => at = to,
                    Err(Refusal::Crawl(error)) => return Err(Refusal::Crawl(error)),
                    // The usual response, and those that carry no information.
                    Ok(Answer::Redirect(_) | Answer::Refused(_) | Answer::Unchanged(..)) | Err(_) => return Ok(None),
                }
            }
            Ok(None)
        };
        host.soft.get_or_try_init(probe).await.cloned()
    }
}

fn own_name(user_agent: &str) -> &str {
    let name = user_agent.split(['/', ' ']).next().unwrap_or_default();
    if name.is_empty() { "deepsearch" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_host_that_wants_long_waits_is_left_alone_for_them() {
        let check = |own: u64, robots: &str, expected: Option<&str>| {
            let politeness = Politeness { delay: Duration::from_secs(own), per_host: 1, probes: false };
            let host = Host::new(Robots::read("deepsearch", robots.as_bytes()), politeness);
            assert_eq!(host.closed().as_deref(), expected, "{own} s, {robots}");
        };
        check(600, "", None);
        check(0, "User-agent: *\nCrawl-delay: 60\n", None);
        check(600, "User-agent: *\nCrawl-delay: 90\n", Some("it wants 90 s between two requests"));
    }
}
