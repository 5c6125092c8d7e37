//! The client for pages against a scripted server: refused addresses, limits, and waiting.

use std::io::Write;

use super::*;
use crate::net::testing::{Reply, Server};

fn options() -> WebOptions {
    WebOptions {
        allowed: AllowedAddresses::parse(&["127.0.0.1"]).expect("an address"),
        max_body_bytes: 1000,
        max_redirects: 3,
        retry: Retry { attempts: 3, base: Duration::from_millis(1), ..Retry::default() },
        ..WebOptions::default()
    }
}

fn client(options: WebOptions) -> WebClient {
    let at = "2026-03-04T05:06:07Z".parse().expect("a time");
    WebClient::new(options, Clock::Fixed(at)).expect("a client")
}

async fn get(options: WebOptions, url: &str) -> Result<Fetched, WebError> {
    client(options).get(url, &Conditions::default()).await
}

fn page(status: u16, headers: Vec<(&'static str, String)>, body: &str) -> Reply {
    Reply::Whole { status, headers, body: body.to_owned() }
}

fn redirect(to: &str) -> Reply {
    page(302, vec![("location", to.to_owned())], "")
}

#[tokio::test]
async fn a_page_comes_with_what_is_needed_to_ask_again() {
    let headers = vec![
        ("content-type", "Text/HTML; charset=UTF-8".to_owned()),
        ("etag", "\"v1\"".to_owned()),
        ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
        ("x-robots-tag", "noindex".to_owned()),
    ];
    let server = Server::start(vec![page(200, headers, "words"), page(304, vec![], "")]);
    let client = client(options());
    let first = client.get(&server.url(), &Conditions::default()).await.expect("a page");
    assert_eq!((first.body.as_slice(), first.content_type.as_str()), (&b"words"[..], "text/html; charset=utf-8"));
    assert_eq!(
        (first.robots.as_slice(), first.at.to_string()),
        (&["noindex".to_owned()][..], "2026-03-04T05:06:07Z".into())
    );
    let second = client.get(&server.url(), &first.validators).await.expect("an answer");
    assert!(second.is_unchanged() && second.body.is_empty());
    let seen = server.seen();
    assert_eq!(seen[0].header("if-none-match"), None);
    assert_eq!(seen[1].header("if-none-match"), Some("\"v1\""));
    assert_eq!(seen[1].header("if-modified-since"), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    assert!(seen[0].header("user-agent").expect("a name").starts_with("deepsearch/"));
}

#[tokio::test]
async fn every_redirect_is_checked_before_it_is_asked() {
    let server = Server::start(vec![redirect("/v2"), page(200, vec![], "there")]);
    let found = get(options(), &server.url()).await.expect("a page");
    assert!(found.url.as_str().ends_with("/v2"), "{}", found.url);
    for (to, expected) in [
        ("http://169.254.169.254/latest/meta-data", "metadata"),
        ("http://10.0.0.1/", "private"),
        ("http://2130706434/", "loopback"),
        ("http://0x7f.2/", "loopback"),
        ("http://[::1]/", "loopback"),
        ("http://[::ffff:10.0.0.1]/", "private"),
        ("//192.168.0.1/", "private"),
        ("file:///etc/passwd", "only http and https"),
        ("gopher://example.org/", "only http and https"),
    ] {
        let server = Server::start(vec![redirect(to)]);
        let error = get(options(), &server.url()).await.expect_err(to);
        assert!(error.to_string().contains(expected), "{to}: {error}");
        assert_eq!(server.seen().len(), 1, "{to}");
    }
}

#[tokio::test]
async fn a_name_is_judged_by_the_addresses_that_it_resolves_to() {
    let server = Server::start(vec![page(200, vec![], "words"), page(200, vec![], "words")]);
    let url = server.url().replace("127.0.0.1", "localhost");
    let public_only = WebOptions { allowed: AllowedAddresses::default(), ..options() };
    let error = get(public_only.clone(), &url).await.expect_err("loopback");
    assert!(matches!(error, WebError::Refused { kind: "loopback", .. }), "{error}");
    assert_eq!(server.seen().len(), 0);
    for allowed in ["127.0.0.1", "localhost"] {
        let allowed = AllowedAddresses::parse(&[allowed]).expect("a host");
        get(WebOptions { allowed, ..public_only.clone() }, &url).await.expect("a page");
    }
}

#[tokio::test]
async fn redirects_end() {
    let server = Server::start(vec![redirect("/a"), redirect("/b"), redirect("/a"), redirect("/b"), redirect("/a")]);
    let error = get(options(), &server.url()).await.expect_err("a circle");
    assert!(matches!(error, WebError::TooManyRedirects { limit: 3, .. }), "{error}");
    assert_eq!(server.seen().len(), 4);
}

#[tokio::test]
async fn a_page_has_a_largest_size_however_it_is_packed() {
    let packed = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&[b' '; 100_000]).expect("memory");
        packer.finish().expect("memory")
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
    assert!(packed.len() < 1000);
    let announced = b"HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\nwords".to_vec();
    for reply in [
        Reply::Raw([head.into_bytes(), packed].concat()),
        Reply::Raw(announced),
        Reply::Stream { pieces: vec![vec![b'x'; 600]; 3], cut: false },
    ] {
        let server = Server::start(vec![reply]);
        let error = get(options(), &server.url()).await.expect_err("too large");
        assert!(matches!(error, WebError::Net(NetError::TooLarge { limit: 1000, .. })), "{error}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_slow_drip_ends() {
    let short = Duration::from_millis(40);
    let server = Server::start(vec![Reply::Drip(b"words".to_vec()), Reply::Drip(b"words".to_vec())]);
    let dripping = WebOptions { total_timeout: short, ..options() };
    let error = get(dripping, &server.url()).await.expect_err("slow");
    assert!(matches!(error, WebError::TooSlow { .. }), "{error}");
    let once = Retry { attempts: 1, ..Retry::default() };
    let silent = WebOptions { idle_timeout: short, retry: once, ..options() };
    let error = get(silent, &server.url()).await.expect_err("silent");
    assert!(matches!(error, WebError::Net(NetError::Timeout { awaited: Awaited::FurtherByte, .. })), "{error}");
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_wants() {
    let wait = |seconds: &str| page(429, vec![("retry-after", seconds.to_owned())], "");
    let server = Server::start(vec![wait("0"), page(503, vec![], ""), page(200, vec![], "words")]);
    get(options(), &server.url()).await.expect("the third time");
    assert_eq!(server.seen().len(), 3);
    // If the wait asked for is too long, the client does not retry earlier.
    let server = Server::start(vec![wait("7200")]);
    let error = get(options(), &server.url()).await.expect_err("not now");
    assert_eq!((error.status(), error.retry_after()), (Some(429), Some(Duration::from_secs(7200))));
    let server = Server::start(vec![page(404, vec![], "")]);
    assert_eq!(get(options(), &server.url()).await.expect_err("none").status(), Some(404));
}

#[tokio::test]
async fn offline_opens_no_connection() {
    let server = Server::start(vec![page(200, vec![], "words")]);
    let error = get(WebOptions { offline: true, ..options() }, &server.url()).await.expect_err("offline");
    assert!(matches!(error, WebError::Offline { .. }), "{error}");
    assert_eq!(server.seen().len(), 0);
}

#[tokio::test]
async fn a_user_in_the_url_is_not_sent() {
    let server = Server::start(vec![page(200, vec![], "words")]);
    let url = server.url().replace("http://", "http://user:secret@");
    let found = get(options(), &url).await.expect("a page");
    assert!(!found.url.as_str().contains("secret"), "{}", found.url);
    assert_eq!(server.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn bad_urls_are_named() {
    for (url, expected) in [
        ("no url", "relative URL"),
        ("http://", "empty host"),
        ("ftp://example.org/x", "only http"),
        (&format!("http://example.org/{}", "x".repeat(5000)), "longer than servers take"),
    ] {
        let error = get(options(), url).await.expect_err(url).to_string();
        assert!(error.contains(expected), "{url}: {error}");
    }
}
