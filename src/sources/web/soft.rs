use std::collections::BTreeSet;

use url::Url;

use crate::base::ContentHash;

/// The share of their word pairs that two texts must have in common (Jaccard index) to count as the same page.
const ALIKE: f64 = 0.9;
/// Texts with fewer words are compared by single words, as they have too few pairs of neighbours.
const FEW_WORDS: usize = 12;
/// The last segment of the address is also removed on its own if it has at least this many bytes, as it is then hardly
/// a common word.
const LONG_PART: usize = 8;

/// The fingerprint of a text: hashes of its pairs of neighbouring words. The page's own address is removed first,
/// because "not found" pages often repeat it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sketch(BTreeSet<[u8; 8]>);

impl Sketch {
    pub(super) fn of(text: &str, url: &Url) -> Self {
        let own = &url[url::Position::BeforePath..];
        let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
        let mut text = if own.len() > 1 { text.replace(own, " ") } else { text.to_owned() };
        if last.len() >= LONG_PART {
            text = text.replace(last, " ");
        }
        let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        let size = if words.len() < FEW_WORDS { 1 } else { 2 };
        let short = |run: &[String]| {
            let mut short = [0; 8];
            short.copy_from_slice(&ContentHash::of(run.join(" ").as_bytes()).as_bytes()[..8]);
            short
        };
        Sketch(words.windows(size).map(short).collect())
    }

    /// Whether two texts are the same except for a few words.
    pub(super) fn is_like(&self, other: &Sketch) -> bool {
        let common = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - common;
        all > 0 && common as f64 >= ALIKE * all as f64
    }
}

/// How a host responds to a request for a missing page if it does not answer with an error status.
#[derive(Clone, Debug)]
pub(super) struct SoftNotFound {
    /// The URL at which that request ended.
    pub(super) landed: Url,
    /// The sketch of the page found there.
    pub(super) sketch: Sketch,
}

impl SoftNotFound {
    /// Whether a page is this response. The page at `landed` itself counts as a proper page if it is requested
    /// directly.
    pub(super) fn is(&self, url: &Url, sketch: &Sketch) -> bool {
        *url != self.landed && self.sketch.is_like(sketch)
    }
}

/// Returns a URL of the same host at which no page should exist.
pub(super) fn nowhere(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let mut nowhere = url.join("/").ok()?;
    nowhere.set_path(&format!("/no-such-page-{}", &ContentHash::of(host.as_bytes()).to_string()[..12]));
    Some(nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_say_not_found_are_alike() {
        let sketch = |path: &str, text: &str| {
            Sketch::of(text, &Url::parse("https://a.example").and_then(|base| base.join(path)).expect("a URL"))
        };
        let check = |one: &Sketch, other: &Sketch, expected: bool| assert_eq!(one.is_like(other), expected);
        let words = "We are sorry. The page you are looking for cannot be found; it may have moved. Try the search.";
        let one = sketch("/foo-12", &format!("{words} Address: /foo-12"));
        check(&one, &sketch("/bar", &format!("{words} Address: /bar")), true);
        check(
            &one,
            &sketch("/bar", "Cats and dogs have lived with people for so many thousand years that nobody knows."),
            false,
        );
        let long = format!("{words} {}", "And here is a whole article, with many words of its own.");
        check(&one, &sketch("/bar", &long), false);
        check(&sketch("/a", "Not found"), &sketch("/b", "Not found"), true);
        check(&sketch("/a", "Not found"), &sketch("/b", "Apples"), false);
        check(&sketch("/a", ""), &sketch("/b", ""), false);
    }
}
