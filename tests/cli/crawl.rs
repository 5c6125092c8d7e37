//! Tests loading web pages from a site on the loopback address that is full of traps.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::harness::{Run, TestDir};
use crate::site::{Answer, Asked, Body, Site, page};

/// A load without vectors that may reach the test's own site, without delays between requests.
fn load(dir: &TestDir, arguments: &[&str]) -> Run {
    let settings = [
        "crawl.allow_addresses=127.0.0.1",
        "crawl.delay_ms=0",
        "crawl.timeout_s=2",
        "crawl.max_page_mb=1",
        "crawl.retries=1",
    ];
    let set: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    dir.run(&[&["load", "--embedder", "none", "--json"][..], arguments, &set].concat())
}

/// The paths of all documents, without the site's address.
fn documents(dir: &TestDir, site: &Site) -> Vec<String> {
    let name = site.url.trim_start_matches("http://").split(':').next().unwrap();
    let shown = dir.json(&["collections", "show", name]);
    let path = |document: &Value| document["path"].as_str().unwrap().replace(&site.url, "");
    let mut paths: Vec<String> = shown["documents"].as_array().unwrap().iter().map(path).collect();
    paths.sort();
    paths
}

fn failed(summary: &Value, site: &Site) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().replace(&site.url, "");
    let mut failed: Vec<_> =
        summary["failed"].as_array().unwrap().iter().map(|one| (text(&one["path"]), text(&one["reason"]))).collect();
    failed.sort();
    failed
}

fn traps(asked: &Asked) -> Answer {
    let path = asked.path.as_str();
    match path {
        "/robots.txt" => {
            Answer::bytes("text/plain", b"User-agent: *\nDisallow: /private\nUser-agent: nobody\nDisallow: /\n")
        }
        "/" => Answer::page(
            "home",
            &[
                "/a",
                "/b#part",
                "/b?utm_source=x",
                "/private/x",
                "/loop/",
                "/calendar/2026/1",
                "/redirect/metadata",
                "/redirect/elsewhere",
                "/redirect/loop",
                "/redirect/a",
                "/huge",
                "/endless",
                "/bomb",
                "/drip",
                "/latin",
                "/busy",
                "/soft",
                "/gone",
                "/noindex",
                "/nofollow",
                "/copy",
                "/print/a",
                "/picture.png",
                "/data.csv",
                "/script",
                "http://other.invalid/",
                "/a;jsessionid=12",
                "mailto:a@b",
                "/binary",
            ],
        ),
        "/a" => Answer::page("apples", &["/", "/a", "/b", "/deep"]),
        "/b" => Answer::page("bananas", &[]),
        "/deep" => Answer::page("depths", &["/deeper"]),
        "/deeper" => Answer::page("too deep", &[]),
        "/redirect/metadata" => Answer::redirect("http://169.254.169.254/latest/"),
        "/redirect/elsewhere" => Answer::redirect("http://localhost:1/"),
        "/redirect/loop" => Answer::redirect("/redirect/loop2"),
        "/redirect/loop2" => Answer::redirect("/redirect/loop"),
        "/redirect/a" => Answer::redirect("/moved"),
        "/moved" => Answer::page("moved here", &[]),
        "/huge" => endless(true),
        "/endless" => endless(false),
        "/bomb" => Answer::bytes("text/html", &bomb()).with("content-encoding", "gzip"),
        "/drip" => Answer { status: 200, headers: vec![], body: Body::Drip(b"<html>slowly".to_vec()) },
        "/latin" => Answer::bytes(
            "text/html; charset=utf-8",
            b"<html><title>caf\xe9</title><p>Un \xe9l\xe8ve tr\xe8s \xe2g\xe9.</p></html>",
        ),
        "/gone" => Answer::status(410),
        "/noindex" => Answer::page("hidden", &["/from-noindex"]).with("x-robots-tag", "noindex"),
        "/from-noindex" => Answer::page("found behind a hidden page", &[]),
        "/nofollow" => {
            Answer::html(&page("dead end", &["/never"]).replace("<head>", "<head><meta name=robots content=nofollow>"))
        }
        "/copy" => Answer::page("apples", &["/"]),
        "/print/a" => {
            Answer::html(&page("apples, printed", &[]).replace("<head>", "<head><link rel=canonical href=/printed>"))
        }
        "/data.csv" => Answer::bytes("text/csv", b"fruit,price\nquince,3\n"),
        "/script" => {
            Answer::html("<html><title>app</title><body><div id=root></div><script src=x.js></script></body></html>")
        }
        "/binary" => Answer::bytes("application/octet-stream", &[0, 1, 2, 3, 0, 255, 254, 0]),
        _ if path.starts_with("/calendar/") => {
            let (year, month) = path["/calendar/".len()..].split_once('/').unwrap();
            let (year, month): (u32, u32) = (year.parse().unwrap(), month.parse().unwrap());
            let next = if month < 12 {
                format!("/calendar/{year}/{}", month + 1)
            } else {
                format!("/calendar/{}/1", year + 1)
            };
            Answer::page(&format!("month {month} of {year}"), &[&next])
        }
        _ if path.starts_with("/loop/") => Answer::page(&format!("loop of {} steps", path.len()), &["x/", "?page=2"]),
        // A missing page says so in words, but with a status of success.
        _ => Answer::html(
            &page("Sorry", &["/"]).replace("This page", &format!("The page {path} cannot be found. This page")),
        ),
    }
}

fn endless(announced: bool) -> Answer {
    Answer { status: 200, headers: vec![], body: Body::Endless { piece: vec![b'x'; 1 << 16], announced } }
}

/// Twenty million spaces.
fn bomb() -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..20 {
        packer.write_all(&[b' '; 1 << 20]).unwrap();
    }
    packer.finish().unwrap()
}

#[test]
fn a_crawl_ends_and_gets_what_it_should() {
    let busy = AtomicUsize::new(0);
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/busy" if busy.fetch_add(1, Ordering::SeqCst) == 0 => Answer::status(429).with("retry-after", "0"),
        "/busy" => Answer::page("busy once", &[]),
        _ => traps(asked),
    });
    let dir = TestDir::new();
    let summary = load(&dir, &[&site.url, "--depth", "2"]).ends_with(3).json();
    assert_eq!(
        documents(&dir, &site),
        [
            "/",
            "/a",
            "/b",
            "/busy",
            "/calendar/2026/1",
            "/calendar/2026/2",
            "/data.csv",
            "/deep",
            "/from-noindex",
            "/latin",
            "/loop/",
            "/loop/?page=2",
            "/loop/x/",
            "/moved",
            "/nofollow",
            "/printed",
        ]
    );
    let failed = failed(&summary, &site);
    let reason = |path: &str| {
        let found = failed.iter().find(|(failed, _)| failed == path);
        found.map(|(_, reason)| reason.as_str()).unwrap_or_else(|| panic!("{path} is not in {failed:?}"))
    };
    for (path, expected) in [
        ("/huge", "longer than the limit"),
        ("/endless", "longer than the limit"),
        ("/bomb", "longer than the limit"),
        ("/drip", "not there whole within 2 s"),
        ("/script", "written by scripts"),
    ] {
        assert!(reason(path).contains(expected), "{path}: {}", reason(path));
    }
    assert_eq!(failed.len(), 5, "{failed:?}");
    let requests = site.requests();
    let asked = |path: &str| requests.iter().filter(|asked| asked.path == path).count();
    // Forbidden paths, pictures and links that a page asks not to follow are not requested, and nothing is requested
    // twice.
    for path in ["/private/x", "/picture.png", "/never", "/deeper", "/b?utm_source=x"] {
        assert_eq!(asked(path), 0, "{path}");
    }
    let twice: Vec<&str> =
        requests.iter().map(|asked| asked.path.as_str()).filter(|&path| path != "/busy" && asked(path) > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert!(requests.iter().all(|asked| asked.header("user-agent").unwrap().starts_with("deepsearch/")));
    let latin = dir.json(&["search", "élève", "--mode", "keyword"]);
    assert_eq!(latin[0]["title"], "café");
}

#[test]
fn a_site_without_end_ends() {
    let site = Site::start(traps);
    let check = |start: &str, arguments: &[&str], expected: &[&str]| {
        let dir = TestDir::new();
        let start = format!("{}{start}", site.url);
        load(&dir, &[&[start.as_str(), "--depth", "1000"], arguments].concat()).ends_with(0);
        assert_eq!(documents(&dir, &site), expected, "{start} {arguments:?}");
    };
    let months = ["/calendar/2026/1", "/calendar/2026/2", "/calendar/2026/3", "/calendar/2026/4"];
    check("/calendar/2026/1", &["--set", "crawl.max_alike=3"], &months);
    check("/calendar/2026/1", &["--max-pages", "2"], &months[..2]);
    let loops = ["/loop/", "/loop/?page=2", "/loop/x/", "/loop/x/?page=2", "/loop/x/x/", "/loop/x/x/?page=2"];
    check("/loop/", &[], &loops);
}

#[test]
fn the_start_is_judged_like_any_other_page() {
    let dir = TestDir::new();
    let site = Site::start(|asked| match asked.path.as_str() {
        "/metadata" => Answer::redirect("http://169.254.169.254/latest/"),
        "/alias" => Answer::redirect("http://localhost.invalid/"),
        _ => traps(asked),
    });
    let url = |path: &str| format!("{}{path}", site.url);
    // Without permission, the test's own address is as private as any.
    let refused = dir.run(&["load", &url("/"), "--embedder", "none"]).ends_with(1);
    refused.stdout_is("").stderr_has("is a loopback address").stderr_has("crawl.allow_addresses");
    assert_eq!(site.asked(), Vec::<String>::new());
    let summary = load(&dir, &[&url("/metadata"), &url("/gone"), &url("/private/x"), &url("/a")]).ends_with(3).json();
    let failed = failed(&summary, &site);
    let reasons: Vec<&str> = failed.iter().map(|(_, reason)| reason.as_str()).collect();
    assert_eq!(failed.len(), 3, "{failed:?}");
    for expected in ["link-local or metadata address", "status 410", "robots.txt forbids it"] {
        assert!(reasons.iter().any(|reason| reason.contains(expected)), "{expected}: {reasons:?}");
    }
    assert_eq!(documents(&dir, &site), ["/a"]);
    load(&dir, &["ftp://example.org/"]).ends_with(1).stderr_has("no file or folder");
    load(&dir, &["http://"]).ends_with(2).stderr_has("empty host");
    load(&dir, &[&url("/"), "--include", "["]).ends_with(2).stderr_has("bad pattern");
    load(&dir, &["docs", "--depth", "2"]).ends_with(2).stderr_has("no URL is named");
}

#[test]
fn a_host_that_is_in_trouble_is_left_alone() {
    let dir = TestDir::new();
    let forbidding = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::status(500),
        _ => Answer::page("apples", &[]),
    });
    load(&dir, &[&forbidding.url]).ends_with(3).stdout_has("whether it may be crawled is not known");
    assert!(forbidding.asked().iter().all(|path| path == "/robots.txt"));
    let slow = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Answer::bytes("text/plain", b"User-agent: *\nCrawl-delay: 3600\n"),
        _ => Answer::page("apples", &[]),
    });
    load(&dir, &[&slow.url]).ends_with(3).stdout_has("it wants 3600 s between two requests");
    assert_eq!(slow.asked(), ["/robots.txt"]);
}

#[test]
fn an_interrupted_crawl_goes_on_and_asks_for_nothing_twice() {
    // After some pages the site asks to come back later; the next load does.
    let answered = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answered);
    let site = Site::start(move |asked| {
        let path = asked.path.as_str();
        let number: Option<usize> = path.strip_prefix("/page").and_then(|number| number.parse().ok());
        match number {
            _ if path == "/robots.txt" => Answer::status(404),
            _ if path.starts_with("/no-such-page") => Answer::status(404),
            _ if count.fetch_add(1, Ordering::SeqCst) == 4 => Answer::status(503).with("retry-after", "3600"),
            Some(number) if number < 9 => Answer::page(&format!("number {number}"), &[&format!("/page{}", number + 1)]),
            Some(number) => Answer::page(&format!("number {number}"), &[]),
            None => Answer::page("start", &["/page0"]),
        }
    });
    let dir = TestDir::new();
    let arguments = [site.url.as_str(), "--depth", "20"];
    load(&dir, &arguments).ends_with(3).stdout_has("asks to come back later");
    let first = site.asked();
    assert_eq!(documents(&dir, &site), ["/", "/page0", "/page1", "/page2"]);
    load(&dir, &arguments).ends_with(0);
    let second = site.asked();
    assert_eq!(documents(&dir, &site).len(), 11);
    let again: Vec<&String> = second.iter().filter(|path| first.contains(path)).collect();
    assert_eq!(again, ["/page3"], "the page that was refused is the only one that is asked for again");
}

#[test]
fn a_later_load_asks_for_changes_only() {
    let round = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&round);
    let site = Site::start(move |asked| {
        let round = now.load(Ordering::SeqCst);
        let stable = |title: &str, links: &[&str]| match asked.header("if-none-match") {
            Some("\"v1\"") => Answer { status: 304, headers: vec![], body: Body::Whole(vec![]) },
            _ => Answer::page(title, links).with("etag", "\"v1\""),
        };
        match asked.path.as_str() {
            "/" if round < 2 => stable("home", &["/same", "/changing", "/vanishing", "/unlinked"]),
            "/" => Answer::page("home", &["/same", "/changing", "/vanishing"]),
            "/same" => stable("the same", &["/behind"]),
            "/behind" => stable("behind the same", &[]),
            "/changing" => Answer::page(&format!("version {round}"), &[]),
            "/vanishing" if round == 0 => stable("vanishing", &[]),
            "/unlinked" => stable("unlinked", &[]),
            _ => Answer::status(404),
        }
    });
    let dir = TestDir::new();
    let check = |expected: [u64; 4]| {
        let summary = load(&dir, &[&site.url, "--depth", "3"]).ends_with(0).json();
        let count = |key: &str| summary[key].as_u64().unwrap();
        assert_eq!([count("new"), count("changed"), count("unchanged"), count("removed")], expected, "{summary}");
        summary
    };
    check([6, 0, 0, 0]);
    site.requests();
    round.store(1, Ordering::SeqCst);
    check([0, 1, 4, 1]);
    let requests = site.requests();
    let conditional = |path: &str| {
        let found = requests.iter().find(|asked| asked.path == path).unwrap();
        found.header("if-none-match") == Some("\"v1\"")
    };
    assert!(conditional("/") && conditional("/behind") && !conditional("/changing"));
    assert_eq!(documents(&dir, &site), ["/", "/behind", "/changing", "/same", "/unlinked"]);
    // A page that no link leads to any more is kept while it exists.
    round.store(2, Ordering::SeqCst);
    check([0, 2, 3, 0]);
    assert_eq!(documents(&dir, &site), ["/", "/behind", "/changing", "/same", "/unlinked"]);
}

#[test]
fn pages_are_sources_too() {
    let now = Arc::new(AtomicUsize::new(0));
    let round = Arc::clone(&now);
    let site = Site::start(move |asked| match (asked.path.as_str(), round.load(Ordering::SeqCst)) {
        ("/", _) => Answer::page("home", &["/a", "/b"]),
        ("/a", 0) => Answer::page("apples", &[]),
        ("/b", round) => Answer::page(&format!("bananas {round}"), &[]),
        _ => Answer::status(404),
    });
    let dir = TestDir::new();
    load(&dir, &[&site.url]).ends_with(0);
    load(&dir, &[&site.url, "--depth", "1"]).ends_with(0);
    let sources = dir.json(&["sources", "list"]);
    let listed = sources.as_array().unwrap();
    assert_eq!((listed.len(), &listed[0]["source"]["depth"]), (1, &1.into()), "the later way is the one: {sources}");
    now.store(1, Ordering::SeqCst);
    let settings = ["--set", "crawl.allow_addresses=127.0.0.1", "--set", "crawl.delay_ms=0"];
    let summary = dir.run(&[&["load", "--json"][..], &settings].concat()).ends_with(0).json();
    let counts = ["new", "changed", "unchanged", "removed"].map(|key| summary[key].as_u64().unwrap());
    assert_eq!(counts, [0, 1, 1, 1], "{summary}");
    assert_eq!(documents(&dir, &site), ["/", "/b"]);
    dir.run(&["sources", "rm", &site.url, "--yes"]).ends_with(0).stderr_has("removed 2 documents");
    assert_eq!(dir.json(&["sources", "list"]), serde_json::json!([]));
}

#[test]
fn a_source_that_is_forgotten_takes_its_own_pages_along_and_no_others() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/guide" => Answer::page("the guide", &["/guide/one", "/shared"]),
        "/guide/one" => Answer::page("one", &[]),
        "/news" => Answer::page("the news", &["/news/today", "/shared"]),
        "/news/today" => Answer::page("today", &[]),
        "/shared" => Answer::page("what both lead to", &[]),
        _ => Answer::status(404),
    });
    let (guide, news) = (format!("{}/guide", site.url), format!("{}/news", site.url));
    let dir = TestDir::new();
    load(&dir, &[&guide, "--depth", "1"]).ends_with(0);
    load(&dir, &[&news, "--depth", "1"]).ends_with(0);
    assert_eq!(documents(&dir, &site), ["/guide", "/guide/one", "/news", "/news/today", "/shared"]);
    dir.run(&["sources", "rm", "http://127.0.0.1:9/", "--yes"]).ends_with(4);
    dir.run(&["sources", "rm", &news, "--yes"]).ends_with(0).stderr_has("removed 2 documents");
    assert_eq!(documents(&dir, &site), ["/guide", "/guide/one", "/shared"]);
    // The next load counts as the first again. Then its collection is renamed.
    assert_eq!(load(&dir, &[&news, "--depth", "1"]).ends_with(0).json()["new"], 2);
    dir.run(&["collections", "rename", "127.0.0.1", "pages"]).ends_with(0);
    dir.run(&["sources", "rm", &guide, "--yes"]).ends_with(0).stderr_has("removed 2 documents from pages");
    let left = dir.json(&["collections", "show", "pages"])["documents"].as_array().unwrap().len();
    assert_eq!(left, 3, "the news, today, and what both lead to");
}

#[cfg(unix)]
#[test]
fn a_page_that_scripts_write_is_rendered() {
    let site = Site::start(traps);
    let dir = TestDir::new();
    let start = format!("{}/script", site.url);
    let render = "load.render=['sh', '-c', 'printf \"<html><title>app</title><p>Rendered: $1</p>\"', 'sh', '{url}']";
    let arguments = [start.as_str(), "--set", render];
    let check = |expected: &str| {
        let summary = load(&dir, &arguments).ends_with(0).json();
        assert_eq!(summary[expected], 1, "{summary}");
    };
    check("new");
    check("unchanged");
    let hits = dir.json(&["search", "rendered", "--mode", "keyword"]);
    assert_eq!(hits[0]["path"], start);
    // A browser that returns nothing is reported like a missing one.
    let nothing = "load.render=['true', '{url}']";
    load(&TestDir::new(), &[&start, "--set", nothing]).ends_with(3).stdout_has("written by scripts");
}

#[test]
fn sitemaps_feeds_and_patterns() {
    let site = Site::start(|asked| {
        let origin = format!("http://{}", asked.header("host").unwrap());
        match asked.path.as_str() {
            "/robots.txt" => Answer::bytes("text/plain", format!("Sitemap: {origin}/maps.xml\n").as_bytes()),
            "/maps.xml" => Answer::bytes(
                "application/xml",
                format!("<sitemapindex><sitemap><loc>{origin}/map1.xml</loc></sitemap></sitemapindex>").as_bytes(),
            ),
            "/map1.xml" => Answer::bytes(
                "text/xml",
                format!("<urlset><url><loc>{origin}/a</loc></url><url><loc>{origin}/b.html</loc></url></urlset>")
                    .as_bytes(),
            ),
            "/feed" => Answer::bytes(
                "application/rss+xml",
                b"<rss><channel><item><link>/f1</link></item><item><link>/f2</link></item></channel></rss>",
            ),
            "/big.xml" => {
                let pages: String = (0..3_000).map(|page| format!("<url><loc>/{page}x</loc></url>")).collect();
                Answer::bytes("text/xml", format!("<urlset>{pages}</urlset>").as_bytes())
            }
            "/many.xml" => {
                let map = |number| format!("<sitemap><loc>/map1.xml?{number}</loc></sitemap>");
                let maps: String = (0..500).map(map).collect();
                Answer::bytes("text/xml", format!("<sitemapindex>{maps}</sitemapindex>").as_bytes())
            }
            map if map.starts_with("/map1.xml?") => {
                Answer::bytes("text/xml", format!("<urlset><url><loc>{origin}/a</loc></url></urlset>").as_bytes())
            }
            "/" | "/a" | "/b.html" | "/f1" | "/f2" | "/0x" | "/1x" => {
                Answer::page(&format!("the page {}", asked.path), &["/linked"])
            }
            _ => Answer::status(404),
        }
    });
    let check = |arguments: &[&str], expected: &[&str]| {
        let dir = TestDir::new();
        let summary = load(&dir, arguments).ends_with(0).json();
        assert_eq!(documents(&dir, &site), expected, "{arguments:?} {summary}");
    };
    check(&[&site.url], &["/"]);
    check(&[&site.url, "--sitemap"], &["/", "/a", "/b.html"]);
    check(&[&site.url, "--sitemap", "--exclude", "*.html"], &["/", "/a"]);
    check(&[&site.url, "--sitemap", "--include", "/b*"], &["/", "/b.html"]);
    check(&[&site.url, "--sitemap", "--max-pages", "2"], &["/", "/a"]);
    check(&[&format!("{}/feed", site.url)], &["/f1", "/f2"]);
    // If robots.txt names no sitemap, the usual place is tried.
    let usual = Site::start(|asked| match asked.path.as_str() {
        "/sitemap.xml" => Answer::bytes("text/xml", b"<urlset><url><loc>/a</loc></url></urlset>"),
        "/" | "/a" => Answer::page(&format!("the page {}", asked.path), &["/linked"]),
        _ => Answer::status(404),
    });
    let dir = TestDir::new();
    load(&dir, &[&usual.url, "--sitemap"]).ends_with(0);
    assert_eq!(documents(&dir, &usual), ["/", "/a"]);
    // An index of more sitemaps than may be requested leaves requests for their pages.
    check(&[&format!("{}/many.xml", site.url), "--max-pages", "3"], &["/a"]);
    // If a listing names far more pages than may be requested, only some are kept in memory, but all are counted.
    let big = format!("{}/big.xml", site.url);
    let summary = load(&TestDir::new(), &[&big, "--max-pages", "2"]).ends_with(0).json();
    let left: u64 = summary["left_out"].as_object().unwrap().values().filter_map(serde_json::Value::as_u64).sum();
    assert!(summary["new"] == 2 && left >= 2_998, "{summary}");
}
