//! The documents of an earlier crawl, for those who want to remove them.

use std::collections::BTreeSet;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use super::CrawlError;
use super::crawl::{identity, start_of};
use super::scope::Links;
use super::state::{Reading, blocking, open};
use crate::base::in_exclusive_transaction;

/// Identifies a crawl by its target collection, its starts, and the links that it followed.
#[derive(Clone, Debug)]
pub struct CrawlOf<'c> {
    /// The collection that it filled.
    pub collection: &'c str,
    /// The URLs where it began.
    pub urls: &'c [String],
    /// The links that it followed.
    pub links: &'c Links,
}

/// The paths of the documents that a crawl and its repetitions brought, even if it was interrupted. `None` if there is
/// no such crawl.
pub async fn documents_of(state: &Path, crawl: &CrawlOf<'_>) -> Result<Option<BTreeSet<String>>, CrawlError> {
    with_crawls(state, crawl, |connection, crawls| {
        let mut documents = BTreeSet::new();
        for id in crawls {
            let mut ask = connection.prepare_cached("SELECT document FROM documents WHERE crawl = ?1")?;
            for document in ask.query_map([id], |row| row.get::<_, String>(0))? {
                documents.insert(document?);
            }
            let mut ask = connection
                .prepare_cached("SELECT reading FROM answers WHERE crawl = ?1 AND reading IS NOT NULL ORDER BY url")?;
            for reading in ask.query_map([id], |row| row.get::<_, String>(0))? {
                // An entry that cannot be read back was never stored as a document either.
                documents.extend(serde_json::from_str::<Reading>(&reading?).ok().map(|reading| reading.document));
            }
        }
        Ok((!crawls.is_empty()).then_some(documents))
    })
    .await
    .map(Option::flatten)
}

/// Forgets a crawl, so that the next one of the same pages counts as the first.
pub async fn forget_crawl(state: &Path, crawl: &CrawlOf<'_>) -> Result<(), CrawlError> {
    with_crawls(state, crawl, |connection, crawls| {
        in_exclusive_transaction(connection, |change| {
            for id in crawls {
                for table in ["documents WHERE crawl", "answers WHERE crawl", "crawls WHERE id"] {
                    change.execute(&format!("DELETE FROM {table} = ?1"), [id])?;
                }
            }
            Ok(())
        })
    })
    .await
    .map(drop)
}

/// Runs `work` with the ids of the matching crawls. `None` if there is no state.
async fn with_crawls<T: Send + 'static>(
    state: &Path,
    crawl: &CrawlOf<'_>,
    work: impl FnOnce(&mut Connection, &[i64]) -> rusqlite::Result<T> + Send + 'static,
) -> Result<Option<T>, CrawlError> {
    let starts = crawl.urls.iter().map(|url| start_of(url)).collect::<Result<Vec<_>, _>>()?;
    let wanted = identity(crawl.collection, &starts, crawl.links);
    let state = state.to_owned();
    let run = move || {
        if !state.exists() {
            return Ok(None);
        }
        let mut connection = open(&state)?;
        let done = meant(&connection, &wanted).and_then(|crawls| work(&mut connection, &crawls));
        done.map(Some).map_err(|source| CrawlError::State { path: state, source })
    };
    blocking("looking for what it brought", run).await?
}

/// The crawls of this identity. If none, those with another collection name, since it may have been renamed.
fn meant(connection: &Connection, wanted: &str) -> rusqlite::Result<Vec<i64>> {
    let mut ask = connection.prepare("SELECT id, start FROM crawls ORDER BY id")?;
    let rows = ask.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let all: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let exact: Vec<i64> = all.iter().filter(|(_, start)| start == wanted).map(|&(id, _)| id).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let wanted = without_name(wanted);
    Ok(all.into_iter().filter(|(_, start)| without_name(start) == wanted).map(|(id, _)| id).collect())
}

fn without_name(identity: &str) -> Value {
    let mut identity: Value = serde_json::from_str(identity).unwrap_or_default();
    if let Some(fields) = identity.as_object_mut() {
        fields.remove("name");
    }
    identity
}
