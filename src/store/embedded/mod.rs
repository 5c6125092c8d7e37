//! A store in one folder on one machine, without a server.
//!
//! - `catalog.sqlite` is the source of truth: collections, documents, text, chunks, vectors, token states, and a log of
//!   changes ([`catalog`]).
//! - `lexical/` is a tantivy index and `vectors/` are flat files. Both are derived from the catalog, know the last
//!   change that they contain, and catch up from the log; if they are missing or damaged, they are rebuilt.
//! - `FORMAT` is the version of the whole folder; `writer.lock` is held by the one process that writes.
//!
//! A write is durable when the catalog has committed it. A process killed at any point leaves the derived files behind
//! the catalog at worst; the next writer, or the first search that finds no writer, updates them. In between, searches
//! leave out documents that the catalog no longer has.

mod admitted;
mod catalog;
mod checked;
mod error;
mod lexical;
mod lock;
mod names;
mod search;
mod session;
#[cfg(test)]
mod tests;
mod vectors;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::future::try_join_all;

pub use lexical::LexicalOptions;

use self::admitted::AdmittedCache;
use self::catalog::CatalogReader;
use self::lexical::LexicalSearcher;
use self::names::Names;
use self::session::{Session, find_in};
use self::vectors::VectorSearcher;
use super::names::unknown_collection;
use super::{
    ChunkName, DocumentVectors, KeywordQuery, NewDocument, RenamedDocument, Scored, Store, StoreError, TermRelation,
    VectorQuery,
};
use crate::base::{Clock, create_private_folder, quiet};
use crate::domain::{
    ChunkId, Collection, CollectionSpec, DocumentFilter, DocumentId, DocumentRecord, EmbedderIdentity, StoredChunk,
};

/// The number of threads that read the token states of one search, which are rows from all over the catalog.
const STATE_READERS: usize = 2;

/// Options of an [`EmbeddedStore`].
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedOptions {
    /// How keyword scores are computed.
    pub lexical: LexicalOptions,
    /// The number of threads that analyse and index text during a load.
    pub index_threads: usize,
    /// The bytes of memory that these threads share; at least 15 MB for each.
    pub index_memory: usize,
    /// The clock that gives the time since which this process writes, shown to other processes.
    pub clock: Clock,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions {
            lexical: LexicalOptions::default(),
            index_threads: 2,
            index_memory: 60_000_000,
            clock: Clock::System,
        }
    }
}

/// See the [module](self). Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct EmbeddedStore {
    inner: Arc<Inner>,
}

/// The state that the clones share.
struct Inner {
    folder: PathBuf,
    options: EmbeddedOptions,
    /// Idle connections for reading.
    readers: Mutex<Vec<CatalogReader>>,
    /// The write session, from the first write on.
    session: Mutex<Option<Session>>,
    lexical: LexicalSearcher,
    vectors: VectorSearcher,
    admitted: AdmittedCache,
    names: Names,
    /// Whether the first search has already checked if the derived files lag behind.
    recovered: Mutex<bool>,
}

impl EmbeddedStore {
    /// Opens the store in `folder`, which is created if it is missing; only the version is read. A folder that cannot
    /// be written can still be read.
    pub fn open(folder: &Path, options: &EmbeddedOptions) -> Result<Self, StoreError> {
        create_private_folder(folder).map_err(|error| error::io_error(folder, "cannot make", folder, error))?;
        session::check_format(folder)?;
        Ok(EmbeddedStore {
            inner: Arc::new(Inner {
                folder: folder.to_owned(),
                options: options.clone(),
                readers: Mutex::new(Vec::new()),
                session: Mutex::new(None),
                lexical: LexicalSearcher::new(folder, options.lexical),
                vectors: VectorSearcher::new(folder),
                admitted: AdmittedCache::default(),
                names: Names::default(),
                recovered: Mutex::new(false),
            }),
        })
    }

    /// Runs `work` on a thread where blocking is allowed.
    async fn run<T: Send + 'static>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Inner) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let inner = Arc::clone(&self.inner);
        let failed = |reason| Err(StoreError::Engine { engine: "the store", action, reason });
        // Damage that no check detects may make an engine panic.
        tokio::task::spawn_blocking(move || quiet::catch(|| work(&inner)).unwrap_or_else(failed))
            .await
            .unwrap_or_else(|error| failed(error.to_string()))
    }
}

#[async_trait]
impl Store for EmbeddedStore {
    async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        self.run("listing collections", |inner| {
            Ok(inner.with_languages()?.into_iter().map(|row| row.collection).collect())
        })
        .await
    }

    async fn collection(&self, name: &str) -> Result<Collection, StoreError> {
        let name = name.to_owned();
        self.run("reading a collection", move |inner| Ok(find_in(inner.with_languages()?, &name)?.collection)).await
    }

    async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError> {
        self.run("making a collection", move |inner| {
            inner.write(|session| session.create(&spec))?;
            Ok(inner.find(&spec.name)?.collection)
        })
        .await
    }

    async fn describe(&self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError> {
        let (name, description) = (name.to_owned(), description.to_owned());
        self.run("describing a collection", move |inner| {
            inner.write(|session| session.describe(&name, &description, by_user))
        })
        .await
    }

    async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.run("renaming a collection", move |inner| inner.write(|session| session.rename(&from, &to))).await
    }

    async fn drop_collection(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.run("dropping a collection", move |inner| inner.write(|session| session.drop_collection(&name))).await
    }

    async fn documents(&self, collection: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        let name = collection.to_owned();
        self.run("listing documents", move |inner| {
            let id = inner.find(&name)?.id;
            Ok(inner.read(|catalog| catalog.documents(id))?.unwrap_or_default())
        })
        .await
    }

    async fn find_documents(&self, path: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        let path = path.to_owned();
        self.run("looking for a document", move |inner| {
            Ok(inner.read(|catalog| catalog.find_documents(&path))?.unwrap_or_default())
        })
        .await
    }

    async fn count_documents(&self, collections: &[String], filter: &DocumentFilter) -> Result<u64, StoreError> {
        let (collections, filter) = (collections.to_vec(), filter.clone());
        self.run("counting documents", move |inner| inner.count_documents(&collections, &filter)).await
    }

    async fn put(&self, collection: &str, documents: Vec<NewDocument>) -> Result<(), StoreError> {
        let name = collection.to_owned();
        self.run("putting documents", move |inner| inner.write(|session| session.put(&name, &documents))).await
    }

    async fn touch(&self, collection: &str, times: Vec<(DocumentId, i64)>) -> Result<(), StoreError> {
        let name = collection.to_owned();
        self.run("noting modification times", move |inner| inner.write(|session| session.touch(&name, &times))).await
    }

    async fn rename_documents(&self, collection: &str, documents: Vec<RenamedDocument>) -> Result<(), StoreError> {
        let name = collection.to_owned();
        self.run("renaming documents", move |inner| inner.write(|session| session.rename_documents(&name, &documents)))
            .await
    }

    async fn remove(&self, collection: &str, paths: Vec<String>) -> Result<u64, StoreError> {
        let name = collection.to_owned();
        self.run("removing documents", move |inner| inner.write(|session| session.remove(&name, &paths))).await
    }

    async fn start_reembedding(
        &self,
        collection: &str,
        embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        let name = collection.to_owned();
        self.run("beginning a re-embedding", move |inner| {
            inner.write(|session| session.start_reembedding(&name, embedder.as_ref()))
        })
        .await
    }

    async fn put_vectors(&self, collection: &str, documents: Vec<DocumentVectors>) -> Result<(), StoreError> {
        let name = collection.to_owned();
        self.run("putting new vectors", move |inner| inner.write(|session| session.put_vectors(&name, &documents)))
            .await
    }

    async fn finish_reembedding(&self, collection: &str) -> Result<bool, StoreError> {
        let name = collection.to_owned();
        self.run("finishing a re-embedding", move |inner| inner.write(|session| session.finish_reembedding(&name)))
            .await
    }

    async fn flush(&self) -> Result<(), StoreError> {
        self.run("flushing", Inner::flush).await
    }

    async fn verify(&self) -> Result<Vec<String>, StoreError> {
        self.run("checking its files", Inner::verify).await
    }

    async fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        let ids = ids.to_vec();
        self.run("reading chunks", move |inner| Ok(inner.read(|catalog| catalog.chunks(&ids))?.unwrap_or_default()))
            .await
    }

    async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError> {
        let ids = ids.to_vec();
        self.run("reading titles and languages", move |inner| {
            let names = inner.read(|catalog| catalog.names(&ids, &inner.names))?;
            Ok(names.unwrap_or_else(|| vec![None; ids.len()]))
        })
        .await
    }

    /// Empty for a document that is no longer there.
    async fn text(&self, document: DocumentId, range: Range<usize>) -> Result<String, StoreError> {
        self.run("reading text", move |inner| {
            Ok(inner.read(|catalog| catalog.text(document, range))?.unwrap_or_default())
        })
        .await
    }

    async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        let query = query.clone();
        self.run("searching by keywords", move |inner| inner.keyword(&query)).await
    }

    async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        let query = query.clone();
        self.run("searching by vectors", move |inner| inner.semantic(&query)).await
    }

    /// Reads in parts on several threads, so that rows in memory are fetched in parallel and the disk serves several
    /// reads at once.
    async fn states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError> {
        let parts = ids.chunks(ids.len().div_ceil(STATE_READERS).max(1)).map(|part| {
            let ids = part.to_vec();
            self.run("reading token states", move |inner| {
                Ok(inner.read(|catalog| catalog.states(&ids))?.unwrap_or_else(|| vec![Vec::new(); ids.len()]))
            })
        });
        Ok(try_join_all(parts).await?.into_iter().flatten().collect())
    }

    async fn state_bytes(&self, collection: &str) -> Result<u64, StoreError> {
        let name = collection.to_owned();
        self.run("adding up token states", move |inner| {
            let id = inner.find(&name)?.id;
            Ok(inner.read(|catalog| catalog.state_bytes(id))?.unwrap_or_default())
        })
        .await
    }

    /// The embeddings as they are compared: quantized to 8 bits. Quantizing them again gives the same values.
    async fn document_embeddings(&self, document: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError> {
        self.run("reading vectors", move |inner| {
            let found = inner.read(|catalog| catalog.vectors(document.0))?.flatten();
            let restored = |scale: f32, values: Vec<u8>| {
                values.into_iter().map(|value| f32::from(value.cast_signed()) * scale).collect()
            };
            let vectors = found.map(|(_, vectors)| vectors).unwrap_or_default();
            Ok(vectors.into_iter().map(|(ordinal, scale, values)| (ordinal, restored(scale, values))).collect())
        })
        .await
    }

    /// Read from the derived files, which hold the embeddings of all documents loaded before the last flush.
    async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        let ids = ids.to_vec();
        self.run("reading embeddings", move |inner| {
            let vectors = inner.vectors.snapshot()?;
            Ok(ids.iter().map(|&id| vectors.as_ref()?.embedding(id)).collect())
        })
        .await
    }

    /// For all collections, chunks deleted since the index last merged still count; for some collections, the counts
    /// are exact.
    async fn document_frequencies(
        &self,
        collections: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        let (collections, terms) = (collections.to_vec(), terms.to_vec());
        self.run("counting terms", move |inner| inner.document_frequencies(&collections, &terms)).await
    }

    async fn like_terms(&self, term: &str, like: TermRelation, limit: usize) -> Result<Vec<String>, StoreError> {
        let term = term.to_owned();
        self.run("looking for like words", move |inner| inner.like_terms(&term, like, limit)).await
    }

    async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let name = collection.to_owned();
        self.run("gathering a vocabulary", move |inner| inner.vocabulary(&name, limit)).await
    }
}
