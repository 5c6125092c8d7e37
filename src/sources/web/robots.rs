//! What a robots.txt, a header or a page says to programs that crawl.

use std::time::Duration;

use texting_robots::Robot;
use url::Url;

/// How much of a robots.txt is read; what search engines read, too.
const MOST_BYTES: usize = 500 * 1024;

/// What a host asks of crawlers.
#[derive(Debug)]
pub(super) struct Robots {
    rules: Option<Robot>,
    /// The time it wants between two requests.
    pub(super) delay: Option<Duration>,
    /// Its sitemaps, by address.
    pub(super) sitemaps: Vec<String>,
}

impl Robots {
    /// A host without wishes: there is no robots.txt.
    pub(super) fn absent() -> Self {
        Robots { rules: None, delay: None, sitemaps: Vec::new() }
    }

    /// Reads a robots.txt, for the crawler of this name. One that is no robots.txt (some servers send a page) has no
    /// rules in it.
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

/// What a page or its head says to crawlers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wishes {
    /// Not to be stored.
    pub(super) no_index: bool,
    /// Its links not to be followed.
    pub(super) no_follow: bool,
}

impl Wishes {
    /// Adds what one `X-Robots-Tag` header or robots `<meta>` says. A header may begin with the crawler it is for.
    pub(super) fn hear(&mut self, name: &str, text: &str) {
        let mut words = text.trim();
        if let Some((before, rest)) = words.split_once(':')
            && !before.contains([',', ' '])
            // A rule with a value, not a crawler.
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
            let mut wishes = Wishes::default();
            wishes.hear("deepsearch", text);
            assert_eq!(wishes, Wishes { no_index, no_follow }, "{text}");
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
