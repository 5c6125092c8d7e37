//! Storage of collections, documents, chunks, terms and vectors. A store receives vectors and never computes them.

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

/// Errors of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No collection has this name.
    #[error("there is no collection `{name}`")]
    NoCollection {
        /// The requested name.
        name: String,
        /// Existing names, nearest first.
        nearest: Vec<String>,
    },
    /// A collection of this name already exists.
    #[error("a collection `{name}` exists already")]
    CollectionExists {
        /// The requested name.
        name: String,
    },
    /// The name cannot be used.
    #[error("`{name}` cannot name a collection: {reason}")]
    BadName {
        /// The requested name.
        name: String,
        /// The reason.
        reason: &'static str,
    },
    /// The vectors are of another embedder than the collection's.
    #[error("the collection `{collection}` was embedded with {has}, not with {asked}")]
    OtherEmbedder {
        /// The collection.
        collection: String,
        /// Its embedder.
        has: String,
        /// The requested embedder.
        asked: String,
    },
    /// Another process is writing.
    #[error("another deepsearch is writing to {path} ({holder})")]
    Locked {
        /// The data folder.
        path: PathBuf,
        /// The writer: a process id and a start time.
        holder: String,
    },
    /// The data was written by a newer version of this program.
    #[error("{path} has format {found}, and this version reads formats up to {known}")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this program reads.
        known: u32,
    },
    /// A file of the store does not hold what it should.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do about it.
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
        /// The system's error.
        source: std::io::Error,
    },
    /// Any other failure of the file system.
    #[error("{action} {path}: {source}")]
    Io {
        /// The attempted action, as in "cannot open".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The server does not answer, or the connection to it was lost.
    #[error("the server {url} does not answer while {action}: {reason}")]
    Unreachable {
        /// The server's address.
        url: String,
        /// The attempted action.
        action: &'static str,
        /// The error of the connection.
        reason: String,
    },
    /// The server does not accept the key, or the key lacks the permission.
    #[error("the server {url} refuses the key while {action}: {reason}")]
    Refused {
        /// The server's address.
        url: String,
        /// The attempted action.
        action: &'static str,
        /// The server's message.
        reason: String,
    },
    /// The encrypted connection could not be established.
    #[error("no encrypted connection to {url}: {reason}")]
    Tls {
        /// The server's address.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The server's version lacks features that are needed.
    #[error("the server {url} is version {found}, and {needed} or newer is needed")]
    ServerVersion {
        /// The server's address.
        url: String,
        /// The server's version.
        found: String,
        /// The oldest version that is supported.
        needed: &'static str,
    },
    /// The server has no memory or disk left.
    #[error("the server {url} has no space left: {reason}")]
    ServerFull {
        /// The server's address.
        url: String,
        /// The server's message.
        reason: String,
    },
    /// The server limits the number of calls.
    #[error("the server {url} limits its calls and refused one while {action}: {reason}")]
    RateLimited {
        /// The server's address.
        url: String,
        /// The attempted action.
        action: &'static str,
        /// The server's message.
        reason: String,
        /// How long to wait before repeating the call; `None` if the server will never accept it.
        after: Option<Duration>,
    },
    /// The server answers but failed: too few of its nodes or copies are available.
    #[error("the server {url} failed while {action}: {reason}")]
    Failing {
        /// The server's address.
        url: String,
        /// The attempted action.
        action: &'static str,
        /// The server's message.
        reason: String,
    },
    /// The address cannot be that of a server of this kind.
    #[error("`{url}` is not the address of a Qdrant server's gRPC port: {reason}")]
    BadAddress {
        /// The configured address.
        url: String,
        /// What is wrong, and what to write instead.
        reason: String,
    },
    /// The data was written by an earlier version of this program in a format that is no longer read.
    #[error("{place} has format {found}, which this version does not read: {reason}")]
    OlderFormat {
        /// The store.
        place: PathBuf,
        /// The version of its format.
        found: u32,
        /// The reason, and what to do.
        reason: &'static str,
    },
    /// An engine failed, such as that of the catalog or the index.
    #[error("{engine} failed while {action}: {reason}")]
    Engine {
        /// The engine's name.
        engine: &'static str,
        /// The attempted action.
        action: &'static str,
        /// The engine's message.
        reason: String,
    },
}

/// A document with the vectors of its chunks, in their order. A vector is `None` if the collection has no embedder or
/// the embedder does not know the chunk's language.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The parsed and chunked document.
    pub document: Document,
    /// As many entries as the document has chunks, or none at all for a collection without an embedder.
    pub vectors: Vec<Option<ChunkVectors>>,
}

/// The title and language of a chunk, which a search needs for each of its candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkName {
    /// The title of the chunk's document.
    pub title: Arc<str>,
    /// The chunk's own language.
    pub language: Language,
}

/// A stored document's new vectors, one entry for each of its chunks.
pub type DocumentVectors = (DocumentId, Vec<Option<ChunkVectors>>);

/// The new place of an unchanged document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamedDocument {
    /// The stored version, which stays.
    pub id: DocumentId,
    /// The new path; the current one if only the time and date are new.
    pub path: String,
    /// The file's modification time, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The document's date; a new one if it is known only from the file's time.
    pub date: Option<DocumentDate>,
}

/// How terms resemble a given term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermRelation {
    /// They are longer and begin with it.
    Longer,
    /// They are longer and begin or end with it; those that end with it come first.
    Part,
    /// They may be forms of the same word.
    Form,
}

/// A query for the keyword half.
#[derive(Clone, Debug)]
pub struct KeywordQuery {
    /// Names of collections; empty means all.
    pub collections: Vec<String>,
    /// The user's or the model's words, which the store analyses as it does documents. There is no operator syntax.
    pub text: String,
    /// The presumed language of the words, which determines the stop words; unknown if nothing indicates it. The words
    /// are also analysed in every language that the collections hold.
    pub language: Language,
    /// The number of chunks to return.
    pub k: usize,
    /// Which documents may be found; the best `k` of their chunks are returned.
    pub filter: DocumentFilter,
}

/// A query for the semantic half.
#[derive(Clone, Debug)]
pub struct VectorQuery {
    /// Names of collections; empty means all whose vectors have this dimension.
    pub collections: Vec<String>,
    /// The query vector, of length 1.
    pub vector: Vec<f32>,
    /// The number of chunks to return.
    pub k: usize,
    /// Whether every vector is compared in full. Otherwise a store may first exclude vectors that a coarser comparison
    /// finds far away, and miss a few in a hundred of the best.
    pub exact: bool,
    /// Which documents may be found; the best `k` of their chunks are returned.
    pub filter: DocumentFilter,
}

/// A chunk and its score; lists of them are sorted by descending score, then by ascending id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The chunk.
    pub id: ChunkId,
    /// The BM25 score or the cosine.
    pub score: f32,
}

/// A store of collections. Implementations: [`embedded`] on one machine, [`qdrant`] on a server or cluster.
///
/// Durability: a change for which [`Store::put`] or [`Store::remove`] returned `Ok` survives a kill of the process and
/// a loss of power; a document is stored completely, in its old or its new version, or not at all. Searches see a
/// document at the latest after the next [`Store::flush`]. Reads never wait for a writer. Concurrent reads are allowed
/// and are faster; writes are serialized internally.
#[async_trait]
pub trait Store: Send + Sync {
    /// Returns all collections, by name.
    async fn collections(&self) -> Result<Vec<Collection>, StoreError>;

    /// Returns one collection, or [`StoreError::NoCollection`] with the nearest names if there is none.
    async fn collection(&self, name: &str) -> Result<Collection, StoreError>;

    /// Creates an empty collection.
    async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError>;

    /// Sets a description. With `by_user`, later loads keep it.
    async fn describe(&self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError>;

    /// Renames a collection.
    async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError>;

    /// Removes a collection and all that is in it.
    async fn drop_collection(&self, name: &str) -> Result<(), StoreError>;

    /// Returns the documents of a collection, by path.
    async fn documents(&self, collection: &str) -> Result<Vec<DocumentRecord>, StoreError>;

    /// Returns the documents of any collection whose path is `path` or ends with it at a path separator.
    async fn find_documents(&self, path: &str) -> Result<Vec<DocumentRecord>, StoreError>;

    /// Returns how many documents of the collections (if none are named: of all) the filter admits.
    async fn count_documents(&self, collections: &[String], filter: &DocumentFilter) -> Result<u64, StoreError>;

    /// Adds documents, each replacing the one at the same path in the collection. All or nothing.
    async fn put(&self, collection: &str, documents: Vec<NewDocument>) -> Result<(), StoreError>;

    /// Records a new modification time for unchanged documents, so that the next load need not hash them.
    async fn touch(&self, collection: &str, times: Vec<(DocumentId, i64)>) -> Result<(), StoreError>;

    /// Gives unchanged documents another path, time and date, in this order, all or nothing. They keep their ids and
    /// everything derived from their text. A document that was at a new path is replaced, as by [`Self::put`]. A
    /// document that no longer exists is skipped.
    async fn rename_documents(&self, collection: &str, documents: Vec<RenamedDocument>) -> Result<(), StoreError>;

    /// Removes documents by path; returns how many there were.
    async fn remove(&self, collection: &str, paths: Vec<String>) -> Result<u64, StoreError>;

    /// Begins to give a collection the vectors of another embedder, or of none, and returns the documents that still
    /// lack theirs. An unfinished re-embedding for the same embedder is continued; one for another embedder is
    /// abandoned, as is any if the collection already has this embedder. Until [`Self::finish_reembedding`], searches
    /// and loads use the old vectors.
    async fn start_reembedding(
        &self,
        collection: &str,
        embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError>;

    /// Stores new vectors of some documents durably; they are not searched yet. A document that no longer exists is
    /// skipped.
    async fn put_vectors(&self, collection: &str, documents: Vec<DocumentVectors>) -> Result<(), StoreError>;

    /// Replaces the old vectors by the new ones, all at once, and makes them searchable. Returns `false`, and changes
    /// nothing, if documents lack theirs or no re-embedding was begun.
    async fn finish_reembedding(&self, collection: &str) -> Result<bool, StoreError>;

    /// Makes everything written so far searchable.
    async fn flush(&self) -> Result<(), StoreError>;

    /// Reads all files of the store and returns which differ from what was written. Damaged documents are marked, so
    /// that the next load stores them again; nothing else is changed. A server must check its own data.
    async fn verify(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Returns chunks by id, in the order requested; ids that no longer exist are left out.
    async fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError>;

    /// Returns the names of chunks, in the order requested; `None` for chunks that no longer exist. This reads much
    /// less than the chunks themselves.
    async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError>;

    /// Returns bytes of a document's extracted text. The range is cut to the text and widened to character borders.
    async fn text(&self, document: DocumentId, range: Range<usize>) -> Result<String, StoreError>;

    /// Returns everything stored of documents, as it was put, in the order of `records`.
    async fn whole(&self, records: &[DocumentRecord]) -> Result<Vec<NewDocument>, StoreError> {
        let mut documents = Vec::with_capacity(records.len());
        for record in records {
            documents.push(whole::read(self, record).await?);
        }
        Ok(documents)
    }

    /// Returns the best chunks by BM25.
    async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError>;

    /// Returns the best chunks by cosine.
    async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError>;

    /// Runs both halves of one search and returns the keyword half first; a half that is not requested is empty.
    /// `semantic` may take a while to resolve, and the keyword half does not wait for it unless one call to a server
    /// answers both.
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
        // The semantic half is started first, because it takes longer.
        let (semantic, keyword) = futures::try_join!(semantic, keyword)?;
        Ok((keyword, semantic))
    }

    /// Returns a view of this store for the reads of one search, which looks up the state once and caches what it has
    /// read. `None` if reading again costs nothing.
    fn view(&self) -> Option<Arc<dyn Store>> {
        None
    }

    /// Returns the compressed token states of chunks, in the order requested; empty for chunks without any.
    async fn states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Returns the bytes that the compressed token states of a collection take.
    async fn state_bytes(&self, collection: &str) -> Result<u64, StoreError> {
        let mut bytes = 0;
        for document in self.documents(collection).await? {
            let ids: Vec<ChunkId> =
                (0..document.chunks).map(|ordinal| ChunkId { document: document.id, ordinal }).collect();
            bytes += self.states(&ids).await?.iter().map(|states| states.len() as u64).sum::<u64>();
        }
        Ok(bytes)
    }

    /// Returns the embeddings of a document's chunks with the chunks' ordinals, ascending; empty if the document no
    /// longer exists.
    async fn document_embeddings(&self, document: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError>;

    /// Returns the embeddings of chunks, in the order requested; `None` if there is none available.
    async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError>;

    /// Returns how many chunks of the collections hold each term, from which inverse document frequencies are computed,
    /// in the order of `terms`. These are terms as [`crate::base::text::analysis`] produces them. The second value is
    /// the number of chunks.
    async fn document_frequencies(
        &self,
        collections: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError>;

    /// Returns at most `limit` terms that are like a term, from the passages of all collections, those that most
    /// passages hold first. Empty if the store keeps no list of terms.
    async fn like_terms(&self, _term: &str, _like: TermRelation, _limit: usize) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    /// Returns the most characteristic terms of a collection, as words that occur in it, best first: descriptions and
    /// plans are made from them.
    async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, StoreError>;
}
