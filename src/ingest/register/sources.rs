//! The places that documents were loaded from, so that they can be loaded again.

use std::path::PathBuf;

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{Register, RegisterError};
use crate::sources::files::Place;
use crate::sources::web::Links;

/// A place that documents are loaded from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// A file, a folder or a pattern.
    Files {
        /// Absolute.
        path: PathBuf,
    },
    /// Web pages and the pages that they link to.
    Web {
        /// The URLs at which the crawl begins.
        urls: Vec<String>,
        /// How many links a page may be away from there.
        depth: u32,
        /// The most pages that are stored.
        max_pages: u64,
        /// Which links are followed.
        links: Links,
    },
}

/// A test for whether the document at a path may come from a source.
pub type SourceHolds<'s> = Box<dyn Fn(&str) -> bool + Send + Sync + 's>;

impl Source {
    /// Returns a test for whether the document at a path may come from this source. Web pages are judged by their host.
    pub fn holds(&self) -> SourceHolds<'_> {
        match self {
            Source::Files { path } => {
                let place = Place::new(path);
                Box::new(move |path| place.holds(path))
            }
            Source::Web { urls, links, .. } => Box::new(links.crawl_path_test(urls)),
        }
    }
}

/// Shown as a person would name it.
impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Files { path } => write!(f, "{}", path.display()),
            Source::Web { urls, .. } => write!(f, "{}", urls.join(" ")),
        }
    }
}

/// A place that was loaded, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownSource {
    /// The place.
    pub source: Source,
    /// The collection that the user named for it; `None` if it is named after the folder.
    pub collection: Option<String>,
    /// Whether each folder directly below it has a collection of its own.
    pub collection_per_dir: bool,
    /// The collections that its documents are in.
    pub collections: Vec<String>,
    /// When it was first loaded.
    pub first_loaded: Timestamp,
    /// When it was last loaded to the end.
    pub last_loaded: Timestamp,
}

impl KnownSource {
    /// Whether both are the same place, loaded in the same way.
    pub fn is_same(&self, other: &KnownSource) -> bool {
        let way = |known: &KnownSource| (known.collection.clone(), known.collection_per_dir);
        self.source == other.source && way(self) == way(other)
    }
}

impl Register {
    /// Returns all sources, in the order in which they were first loaded.
    pub fn sources(&self) -> Result<Vec<KnownSource>, RegisterError> {
        let rows: Vec<(String, String, bool, String, i64, i64)> = self.read("listing the sources", |connection| {
            connection
                .prepare("SELECT source, collection, per_dir, collections, first, last FROM sources ORDER BY id")?
                .query_map([], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
                })?
                .collect()
        })?;
        rows.into_iter()
            .map(|(source, collection, collection_per_dir, collections, first, last)| {
                let unreadable = |error: &dyn std::error::Error| self.damaged(format!("a source: {error}"));
                let time = |micros| Timestamp::from_microsecond(micros).map_err(|error| unreadable(&error));
                Ok(KnownSource {
                    source: serde_json::from_str(&source).map_err(|error| unreadable(&error))?,
                    collection: (!collection.is_empty()).then_some(collection),
                    collection_per_dir,
                    collections: serde_json::from_str(&collections).map_err(|error| unreadable(&error))?,
                    first_loaded: time(first)?,
                    last_loaded: time(last)?,
                })
            })
            .collect()
    }

    /// Records that sources were loaded; a source that is already known keeps the time of its first load.
    pub fn record_sources(&mut self, sources: &[KnownSource]) -> Result<(), RegisterError> {
        let rows = sources.iter().map(|known| self.row(known)).collect::<Result<Vec<_>, _>>()?;
        self.write("noting sources", |transaction| {
            let mut statement = transaction.prepare(
                "INSERT INTO sources(source, collection, per_dir, collections, first, last)
                     VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(source, collection, per_dir)
                     DO UPDATE SET collections = ?4, last = ?6",
            )?;
            for ((source, collections), known) in rows.iter().zip(sources) {
                statement.execute(params![
                    source,
                    known.collection.as_deref().unwrap_or_default(),
                    known.collection_per_dir,
                    collections,
                    known.first_loaded.as_microsecond(),
                    known.last_loaded.as_microsecond(),
                ])?;
            }
            Ok(())
        })
    }

    /// Forgets a source but leaves its documents in the store. Returns whether it was known.
    pub fn forget_source(&mut self, known: &KnownSource) -> Result<bool, RegisterError> {
        let (source, _) = self.row(known)?;
        let collection = known.collection.as_deref().unwrap_or_default();
        self.write("forgetting a source", |transaction| {
            let forgotten = transaction.execute(
                "DELETE FROM sources WHERE source = ?1 AND collection = ?2 AND per_dir = ?3",
                params![source, collection, known.collection_per_dir],
            )?;
            Ok(forgotten > 0)
        })
    }

    /// Follows the renaming of a collection. If the only collection of a source was named after its folder, the new
    /// name is recorded, since the folder's name would lead elsewhere.
    pub fn rename_collection(&mut self, from: &str, to: &str) -> Result<(), RegisterError> {
        let (sources, mut rows) = (self.sources()?, Vec::new());
        for known in sources.iter().filter(|known| known.collections.iter().any(|name| name == from)) {
            let rename = |name: &String| if name == from { to.to_owned() } else { name.clone() };
            let named = known.collection.as_ref().map(rename);
            let alone = !known.collection_per_dir && known.collections.len() == 1;
            let renamed = KnownSource {
                collection: named.or_else(|| alone.then(|| to.to_owned())),
                collections: known.collections.iter().map(rename).collect(),
                ..known.clone()
            };
            rows.push((self.row(known)?.0, known, self.row(&renamed)?.1, renamed.collection.unwrap_or_default()));
        }
        self.write("renaming a collection", |transaction| {
            for (source, known, collections, collection) in &rows {
                transaction.execute(
                    "UPDATE OR REPLACE sources SET collections = ?4, collection = ?5
                         WHERE source = ?1 AND collection = ?2 AND per_dir = ?3",
                    params![
                        source,
                        known.collection.as_deref().unwrap_or_default(),
                        known.collection_per_dir,
                        collections,
                        collection
                    ],
                )?;
            }
            transaction.execute("UPDATE OR REPLACE archives SET collection = ?2 WHERE collection = ?1", [from, to])?;
            transaction.execute("UPDATE history SET collection = ?2 WHERE collection = ?1", [from, to])?;
            Ok(())
        })
    }

    /// Follows the dropping of a collection: sources that have no other are forgotten, since a refresh would create it
    /// again. Returns the forgotten sources.
    pub fn drop_collection(&mut self, name: &str) -> Result<Vec<KnownSource>, RegisterError> {
        let mut forgotten = Vec::new();
        for known in self.sources()? {
            let left: Vec<String> = known.collections.iter().filter(|one| *one != name).cloned().collect();
            if left.len() == known.collections.len() {
                continue;
            }
            if left.is_empty() {
                self.forget_source(&known)?;
                forgotten.push(known);
            } else {
                self.record_sources(&[KnownSource { collections: left, ..known }])?;
            }
        }
        self.write("forgetting a collection's archives", |transaction| {
            transaction.execute("DELETE FROM archives WHERE collection = ?1", [name])
        })?;
        Ok(forgotten)
    }

    /// The source and its collections as stored in the table.
    fn row(&self, known: &KnownSource) -> Result<(String, String), RegisterError> {
        let unwritable = |error: serde_json::Error| self.damaged(format!("a source cannot be written: {error}"));
        let source = serde_json::to_string(&known.source).map_err(unwritable)?;
        let collections = serde_json::to_string(&known.collections).map_err(unwritable)?;
        Ok((source, collections))
    }
}
