//! What a crawl needs from a web page besides its text: its links, its canonical address, and whether it may be stored.

use scraper::node::Element;
use scraper::{ElementRef, Html, Selector};
use url::Url;

use super::normalize::normalize;
use super::robots::RobotsDirectives;

/// The maximum number of links of one page that are followed.
const MOST_LINKS: usize = 5_000;
/// A page with scripts and fewer characters of text than this may have its text written by them.
const FEW_CHARS: usize = 200;

/// The information in a page for a crawler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PageSignals {
    /// The links in normal form, deduplicated, in order.
    pub(super) links: Vec<Url>,
    /// The address that the page gives as its own.
    pub(super) canonical: Option<Url>,
    /// Its directives for crawlers.
    pub(super) wishes: RobotsDirectives,
    /// Whether its text appears only after scripts have run.
    pub(super) needs_scripts: bool,
}

/// Reads the signs of a page found at `url`, whose text has `text_chars` characters. `name` is the crawler's name.
pub(super) fn signs(page: &str, url: &Url, name: &str, text_chars: usize) -> PageSignals {
    let tree = Html::parse_document(&crate::documents::parse::flattened(page));
    let Ok(selector) = Selector::parse(
        "base[href], meta, a[href], area[href], link[href], iframe[src], frame[src], script, noscript, body",
    ) else {
        return PageSignals::default();
    };
    let mut signs = PageSignals::default();
    let mut base = None;
    let mut found: Vec<String> = Vec::new();
    let mut canonical = None;
    let (mut scripts, mut asks_for_scripts, mut shell) = (0_usize, false, false);
    for element in tree.select(&selector) {
        let value = element.value();
        match value.name() {
            "base" => base = base.or_else(|| url.join(value.attr("href")?.trim()).ok()),
            "meta" => meta(value, name, &mut signs.wishes, &mut found),
            "a" | "area" if !has_word(value, "rel", "nofollow") => found.extend(trimmed(value, "href")),
            "link" if has_word(value, "rel", "canonical") => canonical = canonical.or_else(|| trimmed(value, "href")),
            "link" if has_word(value, "rel", "next") => found.extend(trimmed(value, "href")),
            "iframe" | "frame" => found.extend(trimmed(value, "src")),
            "script" => scripts += usize::from(is_program(value)),
            // The content of `noscript` is text for a browser that runs scripts, and elements for one that does not.
            "noscript" => asks_for_scripts |= element.inner_html().to_lowercase().contains("javascript"),
            "body" => shell = is_shell(element),
            _ => {}
        }
    }
    let base = base.unwrap_or_else(|| url.clone());
    let resolved = |link: &String| base.join(link).ok().as_ref().and_then(normalize);
    let mut seen = std::collections::BTreeSet::new();
    signs.links = found.iter().filter_map(resolved).filter(|link| seen.insert(link.clone())).take(MOST_LINKS).collect();
    signs.canonical = canonical.as_ref().and_then(resolved);
    signs.needs_scripts = scripts > 0 && text_chars < FEW_CHARS && (asks_for_scripts || shell || text_chars == 0);
    signs
}

fn meta(element: &Element, name: &str, wishes: &mut RobotsDirectives, found: &mut Vec<String>) {
    let content = element.attr("content").unwrap_or_default();
    if let Some(of) = element.attr("name")
        && (of.eq_ignore_ascii_case("robots") || of.eq_ignore_ascii_case(name))
    {
        wishes.read_directives(name, content);
    }
    if element.attr("http-equiv").is_some_and(|kind| kind.eq_ignore_ascii_case("refresh")) {
        let target = content.split_once(';').map(|(_, target)| target.trim());
        let target = target
            .and_then(|target| target.get(..4).filter(|key| key.eq_ignore_ascii_case("url=")).map(|_| &target[4..]));
        found.extend(target.map(|target| target.trim_matches(['"', '\'', ' ']).to_owned()));
    }
}

fn trimmed(element: &Element, name: &str) -> Option<String> {
    element.attr(name).map(|value| value.trim().to_owned())
}

fn has_word(element: &Element, name: &str, word: &str) -> bool {
    element.attr(name).is_some_and(|value| value.split_whitespace().any(|one| one.eq_ignore_ascii_case(word)))
}

/// Whether a script element contains a program rather than data.
fn is_program(element: &Element) -> bool {
    element.attr("type").is_none_or(|kind| kind.is_empty() || kind == "module" || kind.contains("javascript"))
}

/// Whether the page has an empty root element for a script to fill, as usual frameworks do.
fn is_shell(body: ElementRef<'_>) -> bool {
    body.child_elements().any(|child| {
        let is_root = child.value().attr("id").is_some_and(|id| {
            matches!(id, "root" | "app" | "__next" | "__nuxt" | "___gatsby" | "svelte" | "application" | "main-app")
        }) || child.value().name() == "app-root";
        is_root && child.text().all(|text| text.trim().is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str) -> PageSignals {
        let url = Url::parse("https://a.example/dir/page?x#y").expect("a URL");
        signs(page, &url, "deepsearch", 50)
    }

    #[test]
    fn links_are_resolved_once_each() {
        let check = |page: &str, expected: &[&str]| {
            let links: Vec<String> = of(page).links.iter().map(ToString::to_string).collect();
            assert_eq!(links, expected, "{page}");
        };
        check(
            "<a href=b>x</a><a href='b#c'>y</a><a href='/d?utm_source=1'>",
            &["https://a.example/dir/b", "https://a.example/d"],
        );
        check("<base href=/e/><a href=b>", &["https://a.example/e/b"]);
        check("<a href='mailto:a@b'><a href='javascript:x()'><a href=''>", &["https://a.example/dir/page?x"]);
        check("<a rel='nofollow ugc' href=b><a rel=next href=c>", &["https://a.example/dir/c"]);
        check(
            "<iframe src=f></iframe><area href=g><link rel=next href=h><link rel=stylesheet href=s>",
            &["https://a.example/dir/f", "https://a.example/dir/g", "https://a.example/dir/h"],
        );
        check("<meta http-equiv=Refresh content=\"0; URL='/there'\">", &["https://a.example/there"]);
        check("<a href='//b.example:80/x'>", &["https://b.example:80/x"]);
        check("<a href='http://[bad'>", &[]);
    }

    #[test]
    fn canonical_and_wishes() {
        let page =
            of("<link rel=canonical href='/c#x'><link rel=canonical href=/later><meta name=ROBOTS content='noindex'>\
                       <meta name=deepsearch content=nofollow><meta name=googlebot content=none>");
        assert_eq!(page.canonical.map(|url| url.to_string()).as_deref(), Some("https://a.example/c"));
        assert_eq!(page.wishes, RobotsDirectives { no_index: true, no_follow: true });
        assert_eq!(of("<meta name=googlebot content=none>").wishes, RobotsDirectives::default());
    }

    #[test]
    fn pages_that_scripts_write_are_known() {
        let check = |page: &str, text_chars: usize, expected: bool| {
            let url = Url::parse("https://a.example/").expect("a URL");
            assert_eq!(signs(page, &url, "deepsearch", text_chars).needs_scripts, expected, "{page}");
        };
        check("<div id=root></div><script src=x.js></script>", 0, true);
        check("<body><script src=x.js></script></body>", 0, true);
        check(
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=app> </div><script>1</script>",
            10,
            true,
        );
        check("<p>short but whole</p><script src=x.js></script>", 15, false);
        check("<div id=root><p>rendered by the server</p></div><script src=x.js></script>", 22, false);
        check("<div id=root></div><script type=application/ld+json>{}</script>", 0, false);
        check("<noscript>Enable JavaScript for comments</noscript><script>1</script>", 5000, false);
        check("", 0, false);
    }
}
