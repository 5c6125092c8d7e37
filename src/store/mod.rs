//! Where collections, documents, chunks, terms and vectors live. A store takes vectors and never makes them.

mod beside;
mod checks;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod conformance_languages;
#[cfg(test)]
mod conformance_writers;
pub mod embedded;
mod names;
pub mod qdrant;
mod scoring;
mod small_words;
mod vocabulary;
mod whole;
mod window;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;

use crate::domain::{
    ChunkId, ChunkVectors, Collection, CollectionSpec, Document, DocumentDate, DocumentFilter, DocumentId,
    DocumentRecord, EmbedderIdentity, Language, StoredChunk,
};

pub use self::beside::with_neighbours;
pub use self::names::check_name;
pub use self::small_words::SmallWords;

/// What goes wrong in a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No collection has this name.
    #[error("there is no collection `{name}`")]
    NoCollection {
        /// As asked.
        name: String,
        /// Existing names, nearest first.
        nearest: Vec<String>,
    },
    /// A collection of this name is there already.
    #[error("a collection `{name}` exists already")]
    CollectionExists {
        /// As asked.
        name: String,
    },
    /// The name cannot be used.
    #[error("`{name}` cannot name a collection: {reason}")]
    BadName {
        /// As asked.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Vectors of another embedder than the collection's.
    #[error("the collection `{collection}` was embedded with {has}, not with {asked}")]
    OtherEmbedder {
        /// The collection.
        collection: String,
        /// Its embedder.
        has: String,
        /// The one in use.
        asked: String,
    },
    /// Another process is writing.
    #[error("another deepsearch is writing to {path} ({holder})")]
    Locked {
        /// The data folder.
        path: PathBuf,
        /// Who: a process id and a start time.
        holder: String,
    },
    /// The data was written by a newer version of this program.
    #[error("{path} has format {found}, and this version reads formats up to {known}")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that this program reads.
        known: u32,
    },
    /// A file of the store does not hold what it should.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The disk is full.
    #[error("no space left while writing to {path}")]
    NoSpace {
        /// The data folder.
        path: PathBuf,
    },
    /// The data folder cannot be written.
    #[error("cannot write to {path}: {source}")]
    NotWritable {
        /// The data folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Any other failure of the file system.
    #[error("{action} {path}: {source}")]
    Io {
        /// What was tried, as in "cannot open".
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The server does not answer, or the connection to it broke.
    #[error("the server {url} does not answer while {action}: {reason}")]
    Unreachable {
        /// Its address.
        url: String,
        /// What was tried.
        action: &'static str,
        /// What the connection said.
        reason: String,
    },
    /// The server does not accept the key, or the key may not do this.
    #[error("the server {url} refuses the key while {action}: {reason}")]
    Refused {
        /// Its address.
        url: String,
        /// What was tried.
        action: &'static str,
        /// What the server said.
        reason: String,
    },
    /// The encrypted connection could not be made.
    #[error("no encrypted connection to {url}: {reason}")]
    Tls {
        /// The server's address.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The server is of a version that lacks what is needed.
    #[error("the server {url} is version {found}, and {needed} or newer is needed")]
    ServerVersion {
        /// Its address.
        url: String,
        /// Its version.
        found: String,
        /// The oldest that will do.
        needed: &'static str,
    },
    /// The server has no memory or disk left.
    #[error("the server {url} has no space left: {reason}")]
    ServerFull {
        /// Its address.
        url: String,
        /// What it said.
        reason: String,
    },
    /// The server limits how many calls it takes.
    #[error("the server {url} limits its calls and refused one while {action}: {reason}")]
    RateLimited {
        /// Its address.
        url: String,
        /// What was tried.
        action: &'static str,
        /// What it said.
        reason: String,
        /// When it will take the call again; `None` where it never will.
        after: Option<Duration>,
    },
    /// The server answers, and failed: of several nodes or copies, too few are there.
    #[error("the server {url} failed while {action}: {reason}")]
    Failing {
        /// Its address.
        url: String,
        /// What was tried.
        action: &'static str,
        /// What it said.
        reason: String,
    },
    /// No server of this kind can be reached by the address.
    #[error("`{url}` is not the address of a Qdrant server's gRPC port: {reason}")]
    BadAddress {
        /// As configured.
        url: String,
        /// What is wrong, and what to write.
        reason: String,
    },
    /// The data was written by an earlier version of this program in a form that is no longer read.
    #[error("{place} has format {found}, which this version does not read: {reason}")]
    OlderFormat {
        /// The store.
        place: PathBuf,
        /// Its version.
        found: u32,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The catalog's or the index's engine failed.
    #[error("{engine} failed while {action}: {reason}")]
    Engine {
        /// Which engine.
        engine: &'static str,
        /// What was tried.
        action: &'static str,
        /// What it said.
        reason: String,
    },
}

/// A document with the vectors of its chunks, in their order; `None` where the collection has no embedder or the
/// embedder does not know the chunk's language.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The parsed and chunked document.
    pub document: Document,
    /// As many entries as the document has chunks, or none at all for a collection without an embedder.
    pub vectors: Vec<Option<ChunkVectors>>,
}

/// What a search asks of each of its candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkName {
    /// The title of its document.
    pub title: Arc<str>,
    /// Its own language.
    pub language: Language,
}

/// A stored document's new vectors, one entry for each of its chunks.
pub type DocumentVectors = (DocumentId, Vec<Option<ChunkVectors>>);

/// Where an unchanged document is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamedDocument {
    /// The stored version, which stays.
    pub id: DocumentId,
    /// Its path from now on; the one that it has, where only time and date are new.
    pub path: String,
    /// Nanoseconds since 1970, of the file.
    pub modified_ns: i64,
    /// The day it speaks from; a new one where the file's time is all that tells it.
    pub date: Option<DocumentDate>,
}

/// In which way terms are like a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// They are longer and begin with it.
    Longer,
    /// They are longer and begin or end with it; the latter stand first.
    Part,
    /// They may be forms of the same word.
    Form,
}

/// A query for the keyword half.
#[derive(Clone, Debug)]
pub struct KeywordQuery {
    /// Names of collections; empty means all.
    pub collections: Vec<String>,
    /// The user's or the model's words; analysed by the store as documents are. No operator syntax.
    pub text: String,
    /// What the words seem to be in, which tells the words that say nothing; unknown where nothing tells. Beside it the
    /// words are read in every language that the collections hold.
    pub language: Language,
    /// How many.
    pub k: usize,
    /// Which documents may be found; the best `k` of their chunks are.
    pub filter: DocumentFilter,
}

/// A query for the semantic half.
#[derive(Clone, Debug)]
pub struct VectorQuery {
    /// Names of collections; empty means all that have this dimension.
    pub collections: Vec<String>,
    /// Of length 1.
    pub vector: Vec<f32>,
    /// How many.
    pub k: usize,
    /// Whether every vector is compared in full. Otherwise a store may first leave out what a coarser comparison puts
    /// far away, and miss a few of the best in a hundred.
    pub exact: bool,
    /// Which documents may be found; the best `k` of their chunks are.
    pub filter: DocumentFilter,
}

/// A chunk and its score; lists of them are sorted by falling score, then by rising id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// Which chunk.
    pub id: ChunkId,
    /// BM25 or cosine.
    pub score: f32,
}

/// A place for collections. Implementations: [`embedded`] on one machine, [`qdrant`] on a server or cluster.
///
/// Durability: what [`Store::put`] or [`Store::remove`] returned `Ok` for survives a kill of the process and a loss of
/// power; a document is there whole, in its old or its new version, or not at all. Searches see a document at the
/// latest after the next [`Store::flush`]. Reads never wait for a writer. Reads may run concurrently and gain by it;
/// writes are serialized inside.
#[async_trait]
pub trait Store: Send + Sync {
    /// All collections, by name.
    async fn collections(&self) -> Result<Vec<Collection>, StoreError>;

    /// One collection; [`StoreError::NoCollection`] with the nearest names where there is none.
    async fn collection(&self, name: &str) -> Result<Collection, StoreError>;

    /// Makes an empty collection.
    async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError>;

    /// Sets a description. `by_user`: later loads keep it.
    async fn describe(&self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError>;

    /// Renames a collection.
    async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError>;

    /// Removes a collection and all that is in it.
    async fn drop_collection(&self, name: &str) -> Result<(), StoreError>;

    /// The documents of a collection, by path.
    async fn documents(&self, collection: &str) -> Result<Vec<DocumentRecord>, StoreError>;

    /// Documents of any collection whose path is `path`, or ends with it at a path separator.
    async fn find_documents(&self, path: &str) -> Result<Vec<DocumentRecord>, StoreError>;

    /// How many documents of the collections (none: of all) the filter admits.
    async fn count_documents(&self, collections: &[String], filter: &DocumentFilter) -> Result<u64, StoreError>;

    /// Adds documents, each replacing the one of the same path in the collection. All or nothing.
    async fn put(&self, collection: &str, documents: Vec<NewDocument>) -> Result<(), StoreError>;

    /// Notes that unchanged documents have a new modification time, so that the next load need not hash them.
    async fn touch(&self, collection: &str, times: Vec<(DocumentId, i64)>) -> Result<(), StoreError>;

    /// Gives unchanged documents another path, time and date, in this order, all or nothing. They keep their ids and all
    /// that was made from their text; what stood at a new path is replaced, as by [`Self::put`]. A document that has
    /// gone is passed over.
    async fn rename_documents(&self, collection: &str, documents: Vec<RenamedDocument>) -> Result<(), StoreError>;

    /// Removes documents by path; returns how many were there.
    async fn remove(&self, collection: &str, paths: Vec<String>) -> Result<u64, StoreError>;

    /// Begins to give a collection the vectors of another embedder, or of none, and says which documents have not got
    /// theirs yet. What was begun for the same embedder and not finished goes on; what was begun for another is
    /// forgotten, as is everything begun where the collection has this embedder already. Until
    /// [`Self::finish_reembedding`], searches and loads use the old vectors.
    async fn start_reembedding(
        &self,
        collection: &str,
        embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError>;

    /// Keeps new vectors of some documents; durable, but not searched yet. A document that has gone is passed over.
    async fn put_vectors(&self, collection: &str, documents: Vec<DocumentVectors>) -> Result<(), StoreError>;

    /// Puts the new vectors in place of the old ones, all at once, and makes them searchable. `false`, and nothing
    /// changes, where documents lack theirs or nothing was begun.
    async fn finish_reembedding(&self, collection: &str) -> Result<bool, StoreError>;

    /// Makes everything written so far searchable.
    async fn flush(&self) -> Result<(), StoreError>;

    /// Reads all files of the store and says which are not what was written. Documents that are damaged are noted,
    /// so that the next load stores them anew; nothing else is changed. What a server keeps is the server's to check.
    async fn verify(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Chunks by id, in the order asked for; ids that are no longer there are left out.
    async fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError>;

    /// The names of chunks, in the order asked for; `None` for those that are no longer there. Much less is read than for
    /// the chunks themselves.
    async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError>;

    /// Bytes of a document's extracted text, the range cut to the text and widened to character borders.
    async fn text(&self, document: DocumentId, range: Range<usize>) -> Result<String, StoreError>;

    /// All that is kept of documents, as it was put, in the order of their records.
    async fn whole(&self, records: &[DocumentRecord]) -> Result<Vec<NewDocument>, StoreError> {
        let mut documents = Vec::with_capacity(records.len());
        for record in records {
            documents.push(whole::read(self, record).await?);
        }
        Ok(documents)
    }

    /// The best chunks by BM25.
    async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError>;

    /// The best chunks by cosine.
    async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError>;

    /// Both halves of one search, the keyword half first; empty for a half that is not asked. `semantic` may take a while
    /// to be known, and the keyword half does not wait for it unless one call to a server answers both.
    async fn halves(
        &self,
        keyword: Option<&KeywordQuery>,
        semantic: BoxFuture<'_, Option<VectorQuery>>,
    ) -> Result<(Vec<Scored>, Vec<Scored>), StoreError> {
        let semantic = async {
            match semantic.await {
                Some(query) => self.semantic(&query).await,
                None => Ok(Vec::new()),
            }
        };
        let keyword = async {
            match keyword {
                Some(query) => self.keyword(query).await,
                None => Ok(Vec::new()),
            }
        };
        // The semantic half is begun first, since it takes longer.
        let (semantic, keyword) = futures::try_join!(semantic, keyword)?;
        Ok((keyword, semantic))
    }

    /// For what one search reads: the same store, which looks once how things stand and keeps what it has read. `None`
    /// where reading again costs nothing.
    fn view(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// The compressed token states of chunks, in the order asked for; empty where there are none.
    async fn states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Bytes that the compressed token states of a collection take.
    async fn state_bytes(&self, collection: &str) -> Result<u64, StoreError> {
        let mut bytes = 0;
        for document in self.documents(collection).await? {
            let ids: Vec<ChunkId> =
                (0..document.chunks).map(|ordinal| ChunkId { document: document.id, ordinal }).collect();
            bytes += self.states(&ids).await?.iter().map(|states| states.len() as u64).sum::<u64>();
        }
        Ok(bytes)
    }

    /// The embeddings of a document's chunks, with the chunks' ordinals, which rise; none of a document that has gone.
    async fn document_embeddings(&self, document: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError>;

    /// The embeddings of chunks, in the order asked for; `None` where there is none at hand.
    async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError>;

    /// How many chunks of the collections hold each term: what inverse document frequencies are made of. In the order
    /// of `terms`, which are words as [`crate::base::text::analysis`] gives them; the second value is the number of chunks.
    async fn document_frequencies(
        &self,
        collections: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError>;

    /// At most `limit` terms that are like a term: of the passages of all collections, those that most passages hold first.
    /// None where the store keeps no list of terms.
    async fn like_terms(&self, _term: &str, _like: Like, _limit: usize) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// The most telling terms of a collection as words that occur in it, best first: what a description and a plan
    /// are made from.
    async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, StoreError>;
}
