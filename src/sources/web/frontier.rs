//! The pages that a crawl is still to request, in order.

use std::collections::{BTreeMap, VecDeque};

use url::Url;

/// A page that is to be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) url: Url,
    /// The number of links from the start.
    pub(super) depth: u32,
    /// The number of redirects on the way here.
    pub(super) hops: u32,
    /// Whether it is a start, or a sitemap named by a start's robots.txt or by such a sitemap: its failure is reported.
    pub(super) is_start: bool,
    /// Whether the pages that it lists are as near as it is: it is a start, or the sitemap of one.
    pub(super) is_near: bool,
    /// Whether it was processed before and waits for the page that it names as its original.
    pub(super) is_second_look: bool,
}

impl Step {
    /// A page that a link leads to.
    pub(super) fn to(url: Url, depth: u32) -> Self {
        Step { url, depth, hops: 0, is_start: false, is_near: false, is_second_look: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Waiting,
    Done,
}

/// The pages still to be requested, nearest to the start first, each once.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    queue: VecDeque<Step>,
    met: BTreeMap<Url, Mark>,
}

impl Frontier {
    /// Whether the URL was met before in any way.
    pub(super) fn has_seen(&self, url: &Url) -> bool {
        self.met.contains_key(url)
    }

    /// Whether the URL is still to be requested, or is being requested.
    pub(super) fn awaits(&self, url: &Url) -> bool {
        self.met.get(url) == Some(&Mark::Waiting)
    }

    /// Adds a page at the end; ignores one that was met before.
    pub(super) fn add(&mut self, step: Step) {
        if !self.has_seen(&step.url) {
            self.met.insert(step.url.clone(), Mark::Waiting);
            self.queue.push_back(step);
        }
    }

    /// Adds the target of a redirect as the next page.
    pub(super) fn add_next(&mut self, step: Step) {
        if !self.has_seen(&step.url) {
            self.met.insert(step.url.clone(), Mark::Waiting);
            self.queue.push_front(step);
        }
    }

    /// Schedules a page again, right after the one that it waits for.
    pub(super) fn requeue_after(&mut self, step: Step, awaited: &Url) {
        self.met.insert(step.url.clone(), Mark::Waiting);
        self.queue.push_front(Step { is_second_look: true, ..step });
        if let Some(at) = self.queue.iter().position(|other| other.url == *awaited)
            && let Some(original) = self.queue.remove(at)
        {
            self.queue.push_front(original);
        }
    }

    /// Marks a URL as needing no request any more.
    pub(super) fn done(&mut self, url: &Url) {
        self.met.insert(url.clone(), Mark::Done);
    }

    pub(super) fn next(&mut self) -> Option<Step> {
        loop {
            let step = self.queue.pop_front()?;
            if self.awaits(&step.url) {
                return Some(step);
            }
        }
    }

    /// The waiting pages, in order.
    pub(super) fn urls(&self) -> Vec<Url> {
        self.queue.iter().map(|step| step.url.clone()).collect()
    }

    /// The number of URLs met.
    pub(super) fn met(&self) -> usize {
        self.met.len()
    }

    /// The number of waiting pages.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(path: &str) -> Step {
        let url = Url::parse("https://a.example").and_then(|base| base.join(path)).expect("a URL");
        Step::to(url, 0)
    }

    fn drain(frontier: &mut Frontier) -> Vec<String> {
        std::iter::from_fn(|| frontier.next()).map(|step| step.url.path().to_owned()).collect()
    }

    #[test]
    fn each_page_comes_once_and_in_order() {
        let mut frontier = Frontier::default();
        for path in ["/a", "/b", "/a", "/c"] {
            frontier.add(step(path));
        }
        frontier.add_next(step("/d"));
        frontier.add_next(step("/b"));
        frontier.done(&step("/c").url);
        assert_eq!(drain(&mut frontier), ["/d", "/a", "/b"]);
        frontier.add(step("/a"));
        assert_eq!(frontier.waiting(), 0);
    }

    #[test]
    fn a_page_waits_for_its_original() {
        let mut frontier = Frontier::default();
        for path in ["/copy", "/b", "/original"] {
            frontier.add(step(path));
        }
        let copy = frontier.next().expect("the first");
        frontier.requeue_after(copy, &step("/original").url);
        assert_eq!(drain(&mut frontier), ["/original", "/copy", "/b"]);
    }
}
