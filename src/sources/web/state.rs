//! Servers' answers, kept with the pages until a crawl has finished and, without them, for the next crawl.
//!
//! A crawl is a function of its start, its settings and the answers to its requests, so nothing else is kept. An
//! interrupted crawl begins again, takes the answers that it already had from here, and sends no request twice. The
//! next crawl with the same start asks servers whether its pages have changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use serde::{Deserialize, Serialize};
use url::Url;

use super::CrawlError;
use crate::base::{ContentHash, in_exclusive_transaction, instant_of, locked, nanoseconds_of, with_tables};
use crate::net::web::{Conditions, Fetched};

/// The version of the schema, stored in `user_version`.
const FORMAT: u32 = 1;
/// How long a write waits for another process's write.
const PATIENCE: Duration = Duration::from_secs(20);
/// An interrupted crawl that began longer ago than this starts anew, as its answers may no longer hold.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3600);

/// Times are in nanoseconds since 1970. An answer's body is deleted when its crawl has finished.
const SCHEMA: &str = "
    CREATE TABLE crawls(
        id INTEGER PRIMARY KEY, start TEXT NOT NULL UNIQUE, run INTEGER NOT NULL, begun INTEGER NOT NULL,
        finished INTEGER NOT NULL);
    CREATE TABLE answers(
        crawl INTEGER NOT NULL, url TEXT NOT NULL, run INTEGER NOT NULL, status INTEGER NOT NULL, target TEXT,
        content_type TEXT NOT NULL DEFAULT '', etag TEXT, last_modified TEXT, robots TEXT NOT NULL DEFAULT '',
        at INTEGER NOT NULL DEFAULT 0, body BLOB, hash BLOB, reading TEXT, UNIQUE(crawl, url));
    CREATE TABLE documents(
        crawl INTEGER NOT NULL, url TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY(crawl, url)) WITHOUT ROWID;
";

/// An answer that would be the same if the request were repeated soon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The page.
    Page(Fetched),
    /// The page has not changed since the previous crawl.
    Unchanged(Box<Reading>, Timestamp),
    /// The page is at this URL.
    Redirect(Url),
    /// An HTTP status that is neither a success nor a temporary failure.
    Refused(u16),
}

/// What a crawl made of a page, kept so that an unchanged page need not be sent again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reading {
    /// The path of the document made from the page.
    pub(super) document: String,
    /// The hash of that document's words.
    pub(super) words: String,
    /// The page's links; empty if they must not be followed.
    pub(super) links: Vec<String>,
}

/// What the previous crawl recorded about a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Before {
    pub(super) conditions: Conditions,
    pub(super) hash: ContentHash,
    pub(super) reading: Reading,
}

/// The part of the state file that belongs to one crawl. Cheap to clone; clones share the connection.
#[derive(Clone, Debug)]
pub(super) struct CrawlState {
    connection: Arc<Mutex<Connection>>,
    path: PathBuf,
    crawl: i64,
    run: i64,
}

impl CrawlState {
    /// Opens the file, creating it if it is missing, and begins a crawl or resumes an interrupted one. Crawls with
    /// equal `start` are the same crawl.
    pub(super) async fn begin(path: &Path, start: String, now: Timestamp) -> Result<Self, CrawlError> {
        let path = path.to_owned();
        let work = move || {
            let mut connection = open(&path)?;
            let begun = in_exclusive_transaction(&mut connection, |change| begin(change, &start, now));
            let (crawl, run) = begun.map_err(|source| CrawlError::State { path: path.clone(), source })?;
            Ok(CrawlState { connection: Arc::new(Mutex::new(connection)), path, crawl, run })
        };
        blocking("opening its state", work).await?
    }

    /// Returns the answer for `url` already received in this run of the crawl.
    pub(super) async fn answer(&self, url: &Url) -> Result<Option<Answer>, CrawlError> {
        let (url, run) = (url.clone(), self.run);
        self.with(move |connection, crawl| {
            let mut ask = connection.prepare_cached(
                "SELECT status, target, content_type, etag, last_modified, robots, at, body, reading FROM answers
                 WHERE crawl = ?1 AND url = ?2 AND run = ?3",
            )?;
            ask.query_row(params![crawl, url.as_str(), run], |row| answer_of(row, &url)).optional().map(Option::flatten)
        })
        .await
    }

    /// Returns what the previous crawl recorded about a page.
    pub(super) async fn before(&self, url: &Url) -> Result<Option<Before>, CrawlError> {
        let (url, run) = (url.clone(), self.run);
        self.with(move |connection, crawl| {
            let mut ask = connection.prepare_cached(
                "SELECT etag, last_modified, hash, reading FROM answers
                 WHERE crawl = ?1 AND url = ?2 AND run < ?3 AND reading IS NOT NULL",
            )?;
            let found = ask.query_row(params![crawl, url.as_str(), run], |row| {
                let conditions = Conditions { etag: row.get(0)?, last_modified: row.get(1)? };
                Ok((conditions, row.get::<_, Vec<u8>>(2)?, row.get::<_, String>(3)?))
            });
            Ok(found.optional()?.and_then(|(conditions, hash, reading)| {
                let (hash, reading) = (ContentHash::from_bytes(&hash)?, serde_json::from_str(&reading).ok()?);
                (conditions != Conditions::default()).then_some(Before { conditions, hash, reading })
            }))
        })
        .await
    }

    /// Stores an answer.
    pub(super) async fn keep(&self, url: &Url, answer: &Answer) -> Result<(), CrawlError> {
        let (url, run, answer) = (url.clone(), self.run, answer.clone());
        self.with(move |connection, crawl| {
            match &answer {
                Answer::Unchanged(_, at) => connection.execute(
                    "UPDATE answers SET run = ?3, status = 304, at = ?4 WHERE crawl = ?1 AND url = ?2",
                    params![crawl, url.as_str(), run, nanoseconds_of(*at)],
                )?,
                Answer::Page(page) => connection.execute(
                    "INSERT OR REPLACE INTO answers
                     (crawl, url, run, status, content_type, etag, last_modified, robots, at, body)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![
                        crawl,
                        url.as_str(),
                        run,
                        page.status,
                        page.content_type,
                        page.validators.etag,
                        page.validators.last_modified,
                        page.robots.join("\n"),
                        nanoseconds_of(page.at),
                        lz4_flex::compress_prepend_size(&page.body),
                    ],
                )?,
                Answer::Redirect(target) => connection.execute(
                    "INSERT OR REPLACE INTO answers (crawl, url, run, status, target) VALUES (?1, ?2, ?3, 302, ?4)",
                    params![crawl, url.as_str(), run, target.as_str()],
                )?,
                Answer::Refused(status) => connection.execute(
                    "INSERT OR REPLACE INTO answers (crawl, url, run, status) VALUES (?1, ?2, ?3, ?4)",
                    params![crawl, url.as_str(), run, status],
                )?,
            };
            Ok(())
        })
        .await
    }

    /// Stores what was made of a page whose bytes have this hash.
    pub(super) async fn keep_reading(&self, url: &Url, hash: ContentHash, reading: Reading) -> Result<(), CrawlError> {
        let (url, text) = (url.clone(), serde_json::to_string(&reading).unwrap_or_default());
        self.with(move |connection, crawl| {
            connection.execute(
                "UPDATE answers SET hash = ?3, reading = ?4 WHERE crawl = ?1 AND url = ?2",
                params![crawl, url.as_str(), hash.as_bytes().as_slice(), text],
            )?;
            Ok(())
        })
        .await
    }

    /// Returns the documents of the last finished crawl, with the URLs that they came from.
    pub(super) async fn documents(&self) -> Result<Vec<(Url, String)>, CrawlError> {
        self.with(|connection, crawl| {
            let mut ask = connection.prepare("SELECT url, document FROM documents WHERE crawl = ?1 ORDER BY url")?;
            let rows = ask.query_map([crawl], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
            let rows: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
            Ok(rows.into_iter().filter_map(|(url, document)| Some((Url::parse(&url).ok()?, document))).collect())
        })
        .await
    }

    /// Marks the crawl as finished: stores the list of its documents and deletes the bodies of its pages.
    pub(super) async fn finish(&self, documents: Vec<(Url, String)>) -> Result<(), CrawlError> {
        let run = self.run;
        self.with(move |connection, crawl| {
            in_exclusive_transaction(connection, |change| {
                change.execute("DELETE FROM documents WHERE crawl = ?1", [crawl])?;
                for (url, document) in documents {
                    change.execute(
                        "INSERT OR REPLACE INTO documents VALUES (?1, ?2, ?3)",
                        params![crawl, url.as_str(), document],
                    )?;
                }
                change
                    .execute("DELETE FROM answers WHERE crawl = ?1 AND (run < ?2 OR reading IS NULL)", [crawl, run])?;
                change.execute("UPDATE answers SET body = NULL WHERE crawl = ?1", [crawl])?;
                change.execute("UPDATE crawls SET finished = 1 WHERE id = ?1", [crawl]).map(drop)
            })
        })
        .await
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, i64) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, CrawlError> {
        let (connection, crawl) = (Arc::clone(&self.connection), self.crawl);
        let run = move || work(&mut locked(&connection), crawl);
        let done = blocking("keeping its state", run).await?;
        done.map_err(|source| CrawlError::State { path: self.path.clone(), source })
    }
}

/// Runs blocking work on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    action: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CrawlError> {
    tokio::task::spawn_blocking(work).await.map_err(|source| CrawlError::Worker { action, source })
}

/// Opens the file, creating it if it is missing.
pub(super) fn open(path: &Path) -> Result<Connection, CrawlError> {
    let open = || {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let found = with_tables(&mut connection, SCHEMA, FORMAT)?;
        Ok((connection, found))
    };
    match open() {
        Ok((connection, found)) if found <= FORMAT => Ok(connection),
        Ok((_, found)) => Err(CrawlError::Newer { path: path.to_owned(), found, known: FORMAT }),
        Err(source) => Err(CrawlError::State { path: path.to_owned(), source }),
    }
}

/// Returns the number of the crawl and the number of this run of it.
fn begin(change: &Transaction<'_>, start: &str, now: Timestamp) -> rusqlite::Result<(i64, i64)> {
    let now = nanoseconds_of(now);
    let longest_pause = i64::try_from(LONGEST_PAUSE.as_nanos()).unwrap_or(i64::MAX);
    let known = change
        .query_row("SELECT id, run, begun, finished FROM crawls WHERE start = ?1", [start], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?, row.get::<_, bool>(3)?))
        })
        .optional()?;
    Ok(match known {
        Some((crawl, run, begun, false)) if now.saturating_sub(begun) <= longest_pause => (crawl, run),
        Some((crawl, run, ..)) => {
            let sets = "UPDATE crawls SET run = ?2, begun = ?3, finished = 0 WHERE id = ?1";
            change.execute(sets, [crawl, run + 1, now])?;
            (crawl, run + 1)
        }
        None => {
            change.execute(
                "INSERT INTO crawls(start, run, begun, finished) VALUES (?1, 1, ?2, 0)",
                params![start, now],
            )?;
            (change.last_insert_rowid(), 1)
        }
    })
}

/// Returns `None` for an answer that this program cannot read back; it is requested again.
fn answer_of(row: &rusqlite::Row<'_>, url: &Url) -> rusqlite::Result<Option<Answer>> {
    let status: u16 = row.get(0)?;
    let at = instant_of(row.get(6)?).unwrap_or_default();
    if let Some(target) = row.get::<_, Option<String>>(1)? {
        return Ok(Url::parse(&target).ok().map(Answer::Redirect));
    }
    if status == 304 {
        let reading: Option<String> = row.get(8)?;
        let reading = reading.and_then(|reading| serde_json::from_str(&reading).ok());
        return Ok(reading.map(|reading| Answer::Unchanged(Box::new(reading), at)));
    }
    if !(200..300).contains(&status) {
        return Ok(Some(Answer::Refused(status)));
    }
    let body: Option<Vec<u8>> = row.get(7)?;
    let body = body.and_then(|body| lz4_flex::decompress_size_prepended(&body).ok());
    let (content_type, robots): (String, String) = (row.get(2)?, row.get(5)?);
    let validators = Conditions { etag: row.get(3)?, last_modified: row.get(4)? };
    Ok(body.map(|body| {
        let robots = robots.lines().map(str::to_owned).collect();
        Answer::Page(Fetched { url: url.clone(), status, content_type, validators, robots, body, at })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://a.example").and_then(|base| base.join(path)).expect("a URL")
    }

    fn page(path: &str, body: &str) -> Fetched {
        let validators = Conditions { etag: Some("\"1\"".to_owned()), last_modified: None };
        let at = "2026-01-02T03:04:05.6Z".parse().expect("a time");
        let (content_type, robots) = ("text/html".to_owned(), vec!["noarchive".to_owned()]);
        Fetched { url: url(path), status: 200, content_type, validators, robots, body: body.as_bytes().to_vec(), at }
    }

    #[tokio::test]
    async fn an_interrupted_crawl_knows_its_answers_and_a_finished_one_what_they_became() -> Result<(), CrawlError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("crawls.db");
        let begin = |day: &str| {
            let now = format!("2026-01-{day}T00:00:00Z").parse().expect("a time");
            CrawlState::begin(&path, "start".to_owned(), now)
        };
        let answers = [
            ("/a", Answer::Page(page("/a", "words"))),
            ("/b", Answer::Redirect(url("/a"))),
            ("/c", Answer::Refused(404)),
        ];
        let first = begin("02").await?;
        for (path, answer) in &answers {
            assert_eq!(first.answer(&url(path)).await?, None);
            first.keep(&url(path), answer).await?;
        }
        let reading = Reading { document: "doc".to_owned(), words: "hash".to_owned(), links: vec![url("/b").into()] };
        first.keep_reading(&url("/a"), ContentHash::of(b"words"), reading.clone()).await?;
        drop(first);

        let again = begin("03").await?;
        for (path, answer) in &answers {
            assert_eq!(again.answer(&url(path)).await?.as_ref(), Some(answer), "{path}");
        }
        assert_eq!(again.before(&url("/a")).await?, None, "this crawl is not the one before");
        again.finish(vec![(url("/a"), "doc".to_owned())]).await?;

        let second = begin("03").await?;
        assert_eq!(second.documents().await?, [(url("/a"), "doc".to_owned())]);
        assert_eq!(second.answer(&url("/a")).await?, None);
        let before = second.before(&url("/a")).await?.expect("it was stored");
        assert_eq!((before.conditions.etag.as_deref(), &before.reading), (Some("\"1\""), &reading));
        assert_eq!(second.before(&url("/c")).await?, None);
        let unchanged = Answer::Unchanged(Box::new(reading), page("", "").at);
        second.keep(&url("/a"), &unchanged).await?;
        assert_eq!(second.answer(&url("/a")).await?, Some(unchanged));
        drop(second);

        let stale = begin("09").await?;
        assert_eq!(stale.answer(&url("/a")).await?, None, "too long ago to go on with");
        Ok(())
    }
}
