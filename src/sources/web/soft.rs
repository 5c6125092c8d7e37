use std::collections::BTreeSet;

use url::Url;

use crate::base::ContentHash;

/// How much of two texts must be the same for them to be one page.
const ALIKE: f64 = 0.9;
/// Texts of fewer words are compared word by word: two neighbours tell little of so short a text.
const FEW_WORDS: usize = 12;
/// The last part of an address is taken out on its own where it is no common word.
const LONG_PART: usize = 8;

/// What makes a text recognisable: its pairs of neighbouring words, without its own address, which pages that say "not
/// found" like to repeat.
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

    /// Whether two texts are the same but for a few words.
    pub(super) fn is_like(&self, other: &Sketch) -> bool {
        let common = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - common;
        all > 0 && common as f64 >= ALIKE * all as f64
    }
}

/// What a host answers to a request for a page that is not there, when it does not say so.
#[derive(Clone, Debug)]
pub(super) struct SoftNotFound {
    /// Where that request ended.
    pub(super) landed: Url,
    /// What stands there.
    pub(super) sketch: Sketch,
}

impl SoftNotFound {
    /// Whether a page is that answer. The page where such requests end is a page of its own when it is asked for.
    pub(super) fn is(&self, url: &Url, sketch: &Sketch) -> bool {
        *url != self.landed && self.sketch.is_like(sketch)
    }
}

/// The address of a page that no site has.
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
