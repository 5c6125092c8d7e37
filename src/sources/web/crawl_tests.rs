//! Whole crawls against a scripted server: limits, continuation after a stop, and knowledge of earlier pages.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc::channel;
use tokio_util::sync::CancellationToken;

use super::known::{CrawlOf, documents_of, forget_crawl};
use super::{Crawl, CrawlError, CrawlOptions, CrawlReport, Crawled, LeftOut, Links, crawl};
use crate::base::{Clock, ContentHash};
use crate::net::testing::{Reply, Server};
use crate::net::web::{AllowedAddresses, WebClient, WebOptions};

fn page(title: &str, link: &str) -> Reply {
    let words = format!("This page is about {title}, and about nothing else but {title}.");
    let link = format!("<a href=\"{link}\">on</a>");
    let body = format!("<title>{title}</title><main><h1>{title}</h1><p>{words}</p></main>{link}");
    Reply::Whole { status: 200, headers: vec![("content-type", "text/html".to_owned())], body }
}

fn nothing() -> Reply {
    Reply::Whole { status: 404, headers: vec![], body: "nothing here".to_owned() }
}

/// Runs a crawl; with `ends_early`, its time is over after the first page. Returns the paths of the pages.
async fn crawled(start: &str, state: &Path, ends_early: bool) -> Result<(CrawlReport, Vec<String>), CrawlError> {
    let options = CrawlOptions { depth: 3, delay: Duration::ZERO, ..CrawlOptions::default() };
    crawled_by(&[start.to_owned()], state, ends_early, &options, &|_| None).await
}

async fn crawled_by(
    starts: &[String],
    state: &Path,
    ends_early: bool,
    options: &CrawlOptions,
    stored: &(dyn Fn(&str) -> Option<ContentHash> + Send + Sync),
) -> Result<(CrawlReport, Vec<String>), CrawlError> {
    let (out, mut pages) = channel(1);
    let allowed = AllowedAddresses::parse(&["127.0.0.1"]).expect("an address");
    let time_up = CancellationToken::new();
    let parts = Crawl {
        client: WebClient::new(WebOptions { allowed, ..WebOptions::default() }, Clock::System)?,
        clock: Clock::System,
        state: state.to_owned(),
        out,
        stored,
        interrupt: CancellationToken::new(),
        time_up: time_up.clone(),
    };
    let listen = async {
        let mut paths = Vec::new();
        while let Some(found) = pages.recv().await {
            // The page after this one is not even requested yet.
            if ends_early {
                time_up.cancel();
            }
            if let Crawled::Page(page) = found {
                paths.push(page.url.path().to_owned());
            }
        }
        paths
    };
    let (report, paths) = tokio::join!(crawl(parts, starts, "pages", options), listen);
    Ok((report?, paths))
}

#[tokio::test]
async fn pages_beyond_the_limit_count_once() -> Result<(), CrawlError> {
    let server = Server::start(vec![nothing(), page("apples", "/second")]);
    let folder = tempfile::tempdir().expect("a folder");
    let options = CrawlOptions { depth: 3, delay: Duration::ZERO, max_pages: 1, ..CrawlOptions::default() };
    let (report, paths) =
        crawled_by(&[server.url()], &folder.path().join("crawls.db"), false, &options, &|_| None).await?;
    assert_eq!(paths, ["/v1"]);
    assert_eq!(report.left_out.into_iter().collect::<Vec<_>>(), [(LeftOut::Limit, 1)]);
    Ok(())
}

#[tokio::test]
async fn a_busy_host_is_asked_for_its_rules_once() -> Result<(), CrawlError> {
    let headers = vec![("retry-after", "3600".to_owned())];
    let busy = Reply::Whole { status: 503, headers, body: "busy".to_owned() };
    let server = Server::start(vec![busy.clone(), busy]);
    let folder = tempfile::tempdir().expect("a folder");
    let starts = [server.url(), format!("{}/other", server.url())];
    let options = CrawlOptions { delay: Duration::ZERO, ..CrawlOptions::default() };
    let (report, paths) = crawled_by(&starts, &folder.path().join("crawls.db"), false, &options, &|_| None).await?;
    assert_eq!(server.seen().len(), 1);
    assert_eq!((report.is_whole, paths.len(), report.failed.len()), (false, 0, 1));
    assert!(report.failed[0].reason.contains("asks to come back later"), "{:?}", report.failed);
    Ok(())
}

#[tokio::test]
async fn an_unchanged_page_that_is_a_copy_now_is_removed() -> Result<(), CrawlError> {
    let known = |reply: Reply| match reply {
        Reply::Whole { status, mut headers, body } => {
            headers.push(("etag", "\"1\"".to_owned()));
            Reply::Whole { status, headers, body }
        }
        other => other,
    };
    let second = known(page("bananas", "/v1"));
    let Reply::Whole { body, .. } = &second else { panic!("{second:?}") };
    let hash = ContentHash::of(body.as_bytes());
    let unchanged = Reply::Whole { status: 304, headers: vec![], body: String::new() };
    let server = Server::start(vec![
        nothing(),
        known(page("apples", "/second")),
        nothing(),
        second,
        nothing(),
        known(page("bananas", "/second")),
        nothing(),
        unchanged,
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("crawls.db");
    let options = CrawlOptions { depth: 3, delay: Duration::ZERO, ..CrawlOptions::default() };
    let stored = |path: &str| path.ends_with("/second").then_some(hash);
    let starts = [server.url()];
    let (mut first, paths) = crawled_by(&starts, &state, false, &options, &stored).await?;
    assert_eq!(paths, ["/v1", "/second"]);
    first.finish().await?;
    let (report, paths) = crawled_by(&starts, &state, false, &options, &stored).await?;
    assert_eq!((report.is_whole, paths), (true, vec!["/v1".to_owned()]));
    assert_eq!(report.removed, [server.url().replace("/v1", "/second")]);
    Ok(())
}

#[tokio::test]
async fn a_crawl_whose_time_is_over_goes_on_the_next_time() -> Result<(), CrawlError> {
    // The second page may or may not have been requested when the time is over, so its answer is in the script twice.
    let server = Server::start(vec![
        nothing(),
        page("apples", "/second"),
        nothing(),
        page("bananas", "/"),
        page("bananas", "/"),
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("crawls.db");
    let start = server.url();
    let links = Links::default();
    let urls = [start.clone()];
    let of = |collection| CrawlOf { collection, urls: &urls, links: &links };
    assert_eq!(documents_of(&state, &of("pages")).await?, None);

    let (report, paths) = crawled(&start, &state, true).await?;
    assert_eq!((report.cut_off, report.is_whole, paths), (Some(1), false, vec!["/v1".to_owned()]));
    let origin = start.trim_end_matches("/v1");
    let brought = |paths: &[&str]| -> Option<BTreeSet<String>> {
        Some(paths.iter().map(|path| format!("{origin}{path}")).collect())
    };
    assert_eq!(documents_of(&state, &of("pages")).await?, brought(&["/v1"]));

    let (mut report, paths) = crawled(&start, &state, false).await?;
    assert_eq!((report.cut_off, report.is_whole), (None, true));
    assert_eq!(paths, ["/v1", "/second"]);
    let asked_first = server.seen().iter().filter(|seen| seen.line.starts_with("GET /v1 ")).count();
    assert_eq!(asked_first, 1, "what was answered is not asked for again");
    report.finish().await?;
    assert_eq!(documents_of(&state, &of("pages")).await?, brought(&["/v1", "/second"]));
    // The collection has been renamed in the meantime; another start is another crawl.
    assert_eq!(documents_of(&state, &of("renamed")).await?, brought(&["/v1", "/second"]));
    let other = ["http://127.0.0.1:9/".to_owned()];
    assert_eq!(documents_of(&state, &CrawlOf { urls: &other, ..of("pages") }).await?, None);
    forget_crawl(&state, &of("pages")).await?;
    assert_eq!(documents_of(&state, &of("pages")).await?, None);
    Ok(())
}
