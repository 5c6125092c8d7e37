//! Detects addresses of which a site generates an endless number.

use std::collections::BTreeMap;

use url::Url;

/// The longest URL that is followed, in bytes.
const LONGEST: usize = 2000;
/// The most segments of a path.
const MOST_PARTS: usize = 24;
/// The most parameters of a query.
const MOST_PARAMETERS: usize = 12;
/// How often a segment, or a run of up to [`LONGEST_RUN`] segments, may occur in a row.
const MOST_REPEATS: usize = 2;
const LONGEST_RUN: usize = 4;

/// Recognises URLs that a site generates without end: paths that repeat their own segments, calendars, and lists sorted
/// and filtered in every way. It counts the URLs that it lets through.
#[derive(Debug)]
pub(super) struct Traps {
    /// The most URLs of one pattern; `None` means no limit.
    most_alike: Option<u64>,
    alike: BTreeMap<String, u64>,
}

impl Traps {
    pub(super) fn new(most_alike: u64) -> Self {
        Traps { most_alike: (most_alike > 0).then_some(most_alike), alike: BTreeMap::new() }
    }

    /// Whether a URL should not be followed; if it may be followed, it is counted.
    pub(super) fn is_trap(&mut self, url: &Url) -> bool {
        is_misshapen(url) || self.is_one_too_many(url)
    }

    fn is_one_too_many(&mut self, url: &Url) -> bool {
        let Some(most) = self.most_alike else { return false };
        let patterns = patterns(url);
        if patterns.iter().any(|pattern| self.alike.get(pattern).is_some_and(|count| *count >= most)) {
            return true;
        }
        for pattern in patterns {
            *self.alike.entry(pattern).or_default() += 1;
        }
        false
    }
}

fn is_misshapen(url: &Url) -> bool {
    let parts: Vec<&str> =
        url.path_segments().map(|parts| parts.filter(|part| !part.is_empty()).collect()).unwrap_or_default();
    let parameters = url.query().map_or(0, |query| query.split('&').count());
    url.as_str().len() > LONGEST || parts.len() > MOST_PARTS || parameters > MOST_PARAMETERS || repeats(&parts)
}

/// Whether a run of segments occurs too often in a row, as in `/a/b/a/b/a/b`.
fn repeats(parts: &[&str]) -> bool {
    (1..=LONGEST_RUN).any(|length| {
        let window = length * (MOST_REPEATS + 1);
        parts.windows(window).any(|run| run.chunks(length).all(|chunk| chunk == &run[..length]))
    })
}

/// Returns the patterns that a URL shares with others of its kind: the URL with every number replaced by `0`, and the
/// URL without the values of its parameters. A URL without numbers and parameters has no pattern.
fn patterns(url: &Url) -> Vec<String> {
    let mut patterns = Vec::new();
    let address = &url[url::Position::BeforeHost..];
    let numberless = without_numbers(address);
    if numberless != address {
        patterns.push(numberless);
    }
    if let Some(query) = url.query() {
        let mut names: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap_or(pair)).collect();
        names.sort_unstable();
        let before = without_numbers(&url[url::Position::BeforeHost..url::Position::AfterPath]);
        patterns.push(format!("{before}?{}", names.join("&")));
    }
    patterns
}

fn without_numbers(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for char in address.chars() {
        match char.is_ascii_digit() {
            true if out.ends_with('0') => {}
            true => out.push('0'),
            false => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://example.org").and_then(|base| base.join(path)).expect("a URL")
    }

    #[test]
    fn endless_paths_are_recognised() {
        let check = |path: &str, expected: bool| assert_eq!(Traps::new(0).is_trap(&url(path)), expected, "{path}");
        check("/a/b/c/d", false);
        check("/en/en/x", false);
        check("/a/a/a", true);
        check("/x/a/b/a/b/a/b/y", true);
        check("/a/b/a/c/a/d", false);
        check("/a/b/c/d/a/b/c/d/a/b/c/d", true);
        check(&"/x/y".repeat(20), true);
        check(&(0..30).map(|part| format!("/p{part}")).collect::<String>(), true);
        check(&format!("/{}", "x".repeat(2100)), true);
        check(&format!("/?{}", (0..20).map(|n| format!("p{n}=1")).collect::<Vec<_>>().join("&")), true);
    }

    #[test]
    fn so_many_of_a_kind_are_followed() {
        let mut traps = Traps::new(2);
        let mut check = |path: &str, expected: bool| assert_eq!(traps.is_trap(&url(path)), expected, "{path}");
        check("/calendar/2026/1", false);
        check("/calendar/2026/2", false);
        check("/calendar/2027/11", true);
        check("/list?sort=a&page=x", false);
        check("/list?page=y&sort=b", false);
        check("/list?page=z&sort=c", true);
        check("/list?tag=z", false);
        check("/plain", false);
        check("/plain", false);
        check("/plain", false);
    }
}
