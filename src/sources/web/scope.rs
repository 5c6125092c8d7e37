//! Which links a crawl follows.

use std::collections::BTreeSet;

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use url::Url;

use super::CrawlError;

/// How far a crawl may go from the pages that it starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Breadth {
    /// To the same host and port.
    #[default]
    Host,
    /// To all hosts of the same registered domain.
    Domain,
    /// Anywhere.
    Any,
}

/// Which of the links that it finds a crawl follows, as set by the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Links {
    /// Which hosts the links may lead to.
    pub breadth: Breadth,
    /// Patterns, at least one of which a link must match; if empty, every link matches.
    pub include: Vec<String>,
    /// Patterns, none of which a link may match.
    pub exclude: Vec<String>,
    /// Whether the hosts' sitemaps are read.
    pub sitemaps: bool,
}

impl Links {
    /// Returns a test for whether a crawl from `starts` may have stored the document at a path, judged by the host
    /// alone. It serves crawls whose state was not kept.
    pub fn crawl_path_test(&self, starts: &[String]) -> impl Fn(&str) -> bool + use<> {
        let breadth = self.breadth;
        let place_of = |start: &String| Url::parse(start).ok().and_then(|start| place(&start, breadth));
        let places: BTreeSet<String> = starts.iter().filter_map(place_of).collect();
        move |path| {
            let url = Url::parse(path).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            let own = url.and_then(|url| place(&url, breadth));
            own.is_some_and(|own| breadth == Breadth::Any || places.contains(&own))
        }
    }
}

/// Which of the links that it finds a crawl follows, with compiled patterns.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    breadth: Breadth,
    /// The admitted hosts or registered domains, depending on `breadth`.
    places: BTreeSet<String>,
    include: GlobSet,
    exclude: GlobSet,
}

impl Scope {
    /// Returns a scope that admits no place yet. Patterns match the whole URL or the part from the path on; `*` also
    /// matches `/`.
    pub(super) fn new(links: &Links) -> Result<Self, CrawlError> {
        let (include, exclude) = (globs(&links.include)?, globs(&links.exclude)?);
        Ok(Scope { breadth: links.breadth, places: BTreeSet::new(), include, exclude })
    }

    /// Admits the host or domain of `url`.
    pub(super) fn admit(&mut self, url: &Url) {
        self.places.extend(place(url, self.breadth));
    }

    pub(super) fn has_place(&self, url: &Url) -> bool {
        self.breadth == Breadth::Any || place(url, self.breadth).is_some_and(|place| self.places.contains(&place))
    }

    pub(super) fn holds(&self, url: &Url) -> bool {
        let below_host = &url[url::Position::BeforePath..];
        let among = |globs: &GlobSet| globs.is_match(url.as_str()) || globs.is_match(below_host);
        self.has_place(url) && (self.include.is_empty() || among(&self.include)) && !among(&self.exclude)
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet, CrawlError> {
    let bad = |pattern: &str, source| CrawlError::Pattern { pattern: pattern.to_owned(), source };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|source| bad(pattern, source))?);
    }
    set.build().map_err(|source| bad(&patterns.join(" "), source))
}

/// Returns the host with its port or, for `Breadth::Domain`, the registered domain. An IP address always stands for
/// itself.
fn place(url: &Url, breadth: Breadth) -> Option<String> {
    let host = url.host_str()?;
    let domain = match url.domain() {
        Some(name) if breadth == Breadth::Domain => psl::domain_str(name),
        _ => None,
    };
    match (domain, url.port()) {
        (Some(domain), _) => Some(domain.to_owned()),
        (None, Some(port)) => Some(format!("{host}:{port}")),
        (None, None) => Some(host.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_far_as_asked() {
        let check = |start: &str, breadth: Breadth, include: &[&str], exclude: &[&str], url: &str, expected: bool| {
            let owned = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect::<Vec<_>>();
            let links = Links { breadth, include: owned(include), exclude: owned(exclude), sitemaps: false };
            let mut scope = Scope::new(&links).expect("good patterns");
            scope.admit(&Url::parse(start).expect("a URL"));
            let url = Url::parse(url).expect("a URL");
            assert_eq!(scope.holds(&url), expected, "{start} {breadth:?} {include:?} {exclude:?} {url}");
        };
        let start = "https://docs.example.co.uk/a/";
        check(start, Breadth::Host, &[], &[], "http://docs.example.co.uk/b", true);
        check(start, Breadth::Host, &[], &[], "https://docs.example.co.uk:8443/b", false);
        check(start, Breadth::Host, &[], &[], "https://www.example.co.uk/b", false);
        check(start, Breadth::Domain, &[], &[], "https://www.example.co.uk/b", true);
        check(start, Breadth::Domain, &[], &[], "https://other.co.uk/b", false);
        check(start, Breadth::Any, &[], &[], "https://other.org/b", true);
        check(start, Breadth::Host, &["*/a/*"], &[], "https://docs.example.co.uk/a/b/c", true);
        check(start, Breadth::Host, &["/a/*"], &[], "https://docs.example.co.uk/a/b/c", true);
        check(start, Breadth::Host, &["/a/*"], &[], "https://docs.example.co.uk/b/a/c", false);
        check(start, Breadth::Host, &["/a/*"], &["*.pdf"], "https://docs.example.co.uk/a/x.pdf", false);
        check("http://127.0.0.1:80/", Breadth::Domain, &[], &[], "http://127.0.0.1/x", true);
        check("http://127.0.0.1:81/", Breadth::Domain, &[], &[], "http://127.0.0.1:82/", false);
        assert!(Scope::new(&Links { include: vec!["[".to_owned()], ..Links::default() }).is_err());
    }
}
