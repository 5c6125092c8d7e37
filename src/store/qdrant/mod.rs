//! A store on a Qdrant server or cluster: every machine that has its address lists, searches and reads the same data.
//!
//! - `{prefix}meta` has one point per collection: its name and description, its embedder, its sizes, and which versions
//!   of documents are visible ([`state`]). Another point counts the collections and records the format. Beside them are
//!   the tables of how many chunks hold each word ([`counts`]).
//! - `{prefix}{number}` has the documents of a collection: one point per piece of a text, and one per record.
//! - `{prefix}{number}-{slot}` has its chunks, with everything that is searched and shown of them: BM25 as a sparse
//!   vector, the embedder's vector, and in the payload the text, its origin, and the token states as base64. Vectors of
//!   another embedder are written with the chunks into the next slot, which the state alone activates ([`reembed`]).
//!
//! A document's id is the collection's number and a version that increases with every document put there; a point's id
//! is the version and the chunk's ordinal. So ids are never reused, any machine knows from an id where to look, and a
//! repeated call writes the same points. Whoever puts documents takes the next versions by changing the state, which
//! only one of several machines can do at a time ([`change`]).
//!
//! A version is visible when the state says so: every search and every read first requests the state and leaves out
//! versions that it does not show. The state is one point, so a put becomes visible as a whole or not at all, and
//! nobody sees an old version beside its new one. A search that began before a replacement and ends after it may find
//! neither.
//!
//! Searches: the server finds candidates by its sparse vectors, with rarities that are exact over all shards because
//! they come from the tables. The candidates are scored here from their texts, as the embedded store scores them. The
//! semantic half is left to the server: its neighbour graph, over vectors quantized to 8 bits and compared again in
//! full. A search requests both halves in one call, which also returns the data that it needs of their best results
//! ([`view`]).

mod address;
mod change;
mod client;
mod counts;
mod error;
mod layout;
mod put;
mod read;
mod reembed;
mod rename;
mod report;
mod root;
mod search;
mod server;
mod sparse;
mod state;
#[cfg(test)]
mod tests;
mod view;
mod whole;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;

pub use server::{QdrantStore, ServerReport};

use super::scoring::LexicalOptions;
use super::vocabulary::{Candidates, SAMPLE, sample};
use super::{
    ChunkName, DocumentVectors, KeywordQuery, NewDocument, RenamedDocument, Scored, Store, StoreError, VectorQuery,
};
use crate::base::Clock;
use crate::domain::{
    ChunkId, Collection, CollectionSpec, DocumentFilter, DocumentId, DocumentRecord, EmbedderIdentity, StoredChunk,
};
use crate::net::Secret;
use server::Server;

/// How a [`QdrantStore`] reaches its server and lays out its data there.
#[derive(Clone, Debug)]
pub struct QdrantOptions {
    /// The address of the server's gRPC port.
    pub url: String,
    /// The key or token, if the server requires one.
    pub key: Option<Secret>,
    /// The prefix of the names of all its collections, so that several stores can share a server.
    pub prefix: String,
    /// The number of shards of each collection; 0 leaves it to the server.
    pub shards: u32,
    /// The number of copies of each shard.
    pub replication_factor: u32,
    /// The number of copies that must have a write before it counts as done.
    pub write_consistency: u32,
    /// How long a call may take.
    pub timeout: Duration,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How many times a call is repeated after a temporary failure, such as a broken connection.
    pub retries: u32,
    /// The pause before the first repetition; it doubles before each further one.
    pub retry_pause: Duration,
    /// How long another writer may make no progress before its unfinished change is undone.
    pub patience: Duration,
    /// How keyword scores are computed. Part of the result is stored in the points.
    pub lexical: LexicalOptions,
    /// A clock whose time distinguishes writers on the same machine.
    pub clock: Clock,
}

impl Default for QdrantOptions {
    fn default() -> Self {
        QdrantOptions {
            url: "http://localhost:6334".to_owned(),
            key: None,
            prefix: "deepsearch-".to_owned(),
            shards: 0,
            replication_factor: 1,
            write_consistency: 1,
            timeout: Duration::from_secs(60),
            connect_timeout: Duration::from_secs(10),
            retries: 3,
            retry_pause: Duration::from_millis(500),
            patience: Duration::from_secs(30),
            lexical: LexicalOptions::default(),
            clock: Clock::System,
        }
    }
}

#[async_trait]
impl Store for QdrantStore {
    async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        Ok(self.server.states().await?.all.into_iter().map(|state| state.collection).collect())
    }

    async fn collection(&self, name: &str) -> Result<Collection, StoreError> {
        Ok(self.server.states().await?.find(name)?.collection)
    }

    async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError> {
        self.server.create(spec).await
    }

    async fn describe(&self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError> {
        let change = |collection: &mut Collection| {
            description.clone_into(&mut collection.description);
            collection.described_by_user = by_user;
        };
        self.server.change_collection(name, change).await
    }

    async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.server.rename(from, to).await
    }

    async fn drop_collection(&self, name: &str) -> Result<(), StoreError> {
        self.server.drop_collection(name).await
    }

    async fn documents(&self, collection: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        self.server.documents(collection).await
    }

    async fn find_documents(&self, path: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        self.server.find_documents(path).await
    }

    async fn count_documents(&self, collections: &[String], filter: &DocumentFilter) -> Result<u64, StoreError> {
        self.server.count_documents(collections, filter).await
    }

    async fn put(&self, collection: &str, documents: Vec<NewDocument>) -> Result<(), StoreError> {
        self.server.put(collection, documents).await
    }

    async fn touch(&self, collection: &str, times: Vec<(DocumentId, i64)>) -> Result<(), StoreError> {
        self.server.touch(collection, &times).await
    }

    /// Renames one document after the other; documents at the new paths are removed first. A load that ends in between
    /// leaves some at their old paths, and the next load moves them.
    async fn rename_documents(&self, collection: &str, documents: Vec<RenamedDocument>) -> Result<(), StoreError> {
        self.server.rename_documents(collection, &documents).await
    }

    async fn remove(&self, collection: &str, paths: Vec<String>) -> Result<u64, StoreError> {
        self.server.remove(collection, &paths).await
    }

    async fn start_reembedding(
        &self,
        collection: &str,
        embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        self.server.start_reembedding(collection, embedder).await
    }

    async fn put_vectors(&self, collection: &str, documents: Vec<DocumentVectors>) -> Result<(), StoreError> {
        self.server.put_vectors(collection, documents).await
    }

    async fn finish_reembedding(&self, collection: &str) -> Result<bool, StoreError> {
        self.server.finish_reembedding(collection).await
    }

    /// Does nothing: documents are searchable when a put returns.
    async fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        self.server.chunks(ids).await
    }

    async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError> {
        self.server.names(ids).await
    }

    async fn text(&self, document: DocumentId, range: Range<usize>) -> Result<String, StoreError> {
        self.server.text(document, range).await
    }

    async fn whole(&self, records: &[DocumentRecord]) -> Result<Vec<NewDocument>, StoreError> {
        self.server.whole(records).await
    }

    async fn keyword(&self, query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        self.server.keyword(query).await
    }

    async fn semantic(&self, query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        self.server.semantic(query).await
    }

    async fn states(&self, ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError> {
        self.server.token_states(ids).await
    }

    async fn document_embeddings(&self, document: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError> {
        self.server.document_embeddings(document).await
    }

    async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        self.server.embeddings(ids).await
    }

    async fn halves(
        &self,
        keyword: Option<&KeywordQuery>,
        semantic: BoxFuture<'_, Option<VectorQuery>>,
    ) -> Result<(Vec<Scored>, Vec<Scored>), StoreError> {
        self.server.halves(keyword, semantic).await
    }

    /// Returns a view that requests the state of the collections once and keeps what its searches find.
    fn view(&self) -> Option<Arc<dyn Store>> {
        Some(Arc::new(QdrantStore { server: Arc::new(self.server.for_one_search()) }))
    }

    async fn document_frequencies(
        &self,
        collections: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        self.server.document_frequencies(collections, terms).await
    }

    async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let state = self.server.states().await?.find(collection)?;
        let ids = sample(&self.server.sizes(&state).await?, SAMPLE);
        if ids.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let candidates = Candidates::of(&self.server.chunks(&ids).await?, limit);
        let (frequencies, all) = self.server.document_frequencies(&[], &candidates.terms()).await?;
        Ok(candidates.words(&frequencies, all, state.collection.chunks, limit))
    }
}

impl QdrantStore {
    /// Requests the server's version and the state of the data, and tests whether the key may write.
    pub async fn report(&self) -> Result<ServerReport, StoreError> {
        self.server.report().await
    }

    /// Whether an address is on this machine.
    pub fn is_on_this_machine(url: &str) -> bool {
        address::is_loopback(url)
    }

    /// Creates the store without connecting: the first call connects.
    pub fn open(options: QdrantOptions) -> Result<Self, StoreError> {
        Ok(QdrantStore { server: Arc::new(Server::new(options)?) })
    }
}
