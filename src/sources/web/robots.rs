//! What a robots.txt, a header or a page tells crawlers to do.

use std::time::Duration;

use texting_robots::Robot;
use url::Url;

/// The largest part of a robots.txt that is read, in bytes: as much as search engines read.
const MOST_BYTES: usize = 500 * 1024;

/// What a robots.txt asks of crawlers.
#[derive(Debug)]
pub(super) struct Robots {
    rules: Option<Robot>,
    /// The time that the host wants between two requests.
    pub(super) delay: Option<Duration>,
    /// The URLs of the host's sitemaps.
    pub(super) sitemaps: Vec<String>,
}

impl Robots {
    /// The rules of a host without a robots.txt: everything is allowed.
    pub(super) fn absent() -> Self {
        Robots { rules: None, delay: None, sitemaps: Vec::new() }
    }

    /// Reads a robots.txt for the crawler `name`. A file that cannot be parsed (some servers send a web page instead)
    /// has no rules.
    pub(super) fn read(name: &str, text: &[u8]) -> Self {
        match Robot::new(name, &text[..text.len().min(MOST_BYTES)]) {
            Ok(rules) => {
                let delay = rules.delay.and_then(|seconds| Duration::try_from_secs_f32(seconds).ok());
                let sitemaps = rules.sitemaps.clone();
                Robots { rules: Some(rules), delay, sitemaps }
            }
            Err(error) => {
                tracing::debug!(%error, "a robots.txt that cannot be read");
                Robots::absent()
            }
        }
    }

    pub(super) fn allow(&self, url: &Url) -> bool {
        self.rules.as_ref().is_none_or(|rules| rules.allowed(url.as_str()))
    }
}

/// What a page or its response header tells crawlers to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RobotsDirectives {
    /// Whether the page must not be stored.
    pub(super) no_index: bool,
    /// Whether the page's links must not be followed.
    pub(super) no_follow: bool,
}

impl RobotsDirectives {
    /// Adds the rules of one `X-Robots-Tag` header or robots `<meta>`. A header may begin with the name of the crawler
    /// that it addresses.
    pub(super) fn read_directives(&mut self, name: &str, text: &str) {
        let mut words = text.trim();
        if let Some((before, rest)) = words.split_once(':')
            && !before.contains([',', ' '])
            // A rule with a value, not the name of a crawler.
            && !matches!(before.to_ascii_lowercase().as_str(), "max-snippet" | "max-image-preview" | "max-video-preview" | "unavailable_after")
        {
            if !before.eq_ignore_ascii_case(name) {
                return;
            }
            words = rest;
        }
        for word in words.split(',').map(str::trim) {
            let is = |rule: &str| word.eq_ignore_ascii_case(rule);
            self.no_index |= is("noindex") || is("none");
            self.no_follow |= is("nofollow") || is("none");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_for_this_crawler() {
        let text = "User-agent: *\nDisallow: /private/\nCrawl-delay: 2.5\nAllow: /private/open\n\
                    User-agent: deepsearch\nDisallow: /only-us\nSitemap: https://example.org/map.xml\n";
        let check = |name: &str, path: &str, expected: bool| {
            let url = Url::parse("https://example.org").and_then(|base| base.join(path)).expect("a URL");
            assert_eq!(Robots::read(name, text.as_bytes()).allow(&url), expected, "{name} {path}");
        };
        check("other", "/private/x", false);
        check("other", "/private/open/x", true);
        check("other", "/only-us", true);
        check("deepsearch", "/only-us/x", false);
        check("deepsearch", "/private/x", true);
        let robots = Robots::read("other", text.as_bytes());
        assert_eq!(robots.delay, Some(Duration::from_millis(2500)));
        assert_eq!(robots.sitemaps, ["https://example.org/map.xml"]);
    }

    #[test]
    fn a_page_in_its_place_forbids_nothing() {
        let url = Url::parse("https://example.org/x").expect("a URL");
        for text in [&b"<html><body>Disallow everything</body></html>"[..], b"\xff\xfe\0\0", b"", &[b'a'; 1_000_000]] {
            assert!(Robots::read("deepsearch", text).allow(&url));
        }
        assert!(Robots::absent().allow(&url));
    }

    #[test]
    fn wishes_of_pages() {
        let check = |text: &str, no_index: bool, no_follow: bool| {
            let mut wishes = RobotsDirectives::default();
            wishes.read_directives("deepsearch", text);
            assert_eq!(wishes, RobotsDirectives { no_index, no_follow }, "{text}");
        };
        check("noindex", true, false);
        check("NoIndex, NoFollow", true, true);
        check("none", true, true);
        check("index, follow", false, false);
        check("googlebot: noindex", false, false);
        check("deepsearch: noindex, nofollow", true, true);
        check("max-snippet: 20, noindex", true, false);
        check("unavailable_after: 25 Jun 2030 15:00:00 PST", false, false);
    }
}
