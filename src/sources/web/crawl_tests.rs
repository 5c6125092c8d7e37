use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use tokio::sync::mpsc::channel;
use tokio_util::sync::CancellationToken;

use super::known::{CrawlOf, documents_of, forget_crawl};
use super::{Crawl, CrawlError, CrawlOptions, CrawlReport, Crawled, LeftOut, Links, crawl};
use crate::base::Clock;
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

/// Crawls, and cancels what `time_up` says as soon as the first page has come. Gives back the pages' paths.
async fn crawled(start: &str, state: &Path, ends_early: bool) -> Result<(CrawlReport, Vec<String>), CrawlError> {
    let options = CrawlOptions { depth: 3, delay: Duration::ZERO, ..CrawlOptions::default() };
    crawled_by(start, state, ends_early, &options).await
}

async fn crawled_by(
    start: &str,
    state: &Path,
    ends_early: bool,
    options: &CrawlOptions,
) -> Result<(CrawlReport, Vec<String>), CrawlError> {
    let (out, mut pages) = channel(1);
    let allowed = AllowedAddresses::parse(&["127.0.0.1"]).expect("an address");
    let time_up = CancellationToken::new();
    let parts = Crawl {
        client: WebClient::new(WebOptions { allowed, ..WebOptions::default() }, Clock::System)?,
        clock: Clock::System,
        state: state.to_owned(),
        out,
        stored: &|_| None,
        interrupt: CancellationToken::new(),
        time_up: time_up.clone(),
    };
    let starts = [start.to_owned()];
    let listen = async {
        let mut paths = Vec::new();
        while let Some(found) = pages.recv().await {
            // The page behind this one is not even on its way.
            if ends_early {
                time_up.cancel();
            }
            if let Crawled::Page(page) = found {
                paths.push(page.url.path().to_owned());
            }
        }
        paths
    };
    let (report, paths) = tokio::join!(crawl(parts, &starts, "pages", options), listen);
    Ok((report?, paths))
}

#[tokio::test]
async fn pages_beyond_the_limit_count_once() -> Result<(), CrawlError> {
    let server = Server::start(vec![nothing(), page("apples", "/second")]);
    let folder = tempfile::tempdir().expect("a folder");
    let options = CrawlOptions { depth: 3, delay: Duration::ZERO, max_pages: 1, ..CrawlOptions::default() };
    let (report, paths) = crawled_by(&server.url(), &folder.path().join("crawls.db"), false, &options).await?;
    assert_eq!(paths, ["/v1"]);
    assert_eq!(report.left_out.into_iter().collect::<Vec<_>>(), [(LeftOut::Limit, 1)]);
    Ok(())
}

#[tokio::test]
async fn a_crawl_whose_time_is_over_goes_on_the_next_time() -> Result<(), CrawlError> {
    // The second page may be asked for when the time is over, or not yet: its answer stands there twice.
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
    // Its collection has another name by now; another start is another crawl.
    assert_eq!(documents_of(&state, &of("renamed")).await?, brought(&["/v1", "/second"]));
    let other = ["http://127.0.0.1:9/".to_owned()];
    assert_eq!(documents_of(&state, &CrawlOf { urls: &other, ..of("pages") }).await?, None);
    forget_crawl(&state, &of("pages")).await?;
    assert_eq!(documents_of(&state, &of("pages")).await?, None);
    Ok(())
}
