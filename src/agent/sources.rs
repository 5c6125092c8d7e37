use std::future::{Future, pending};

use super::journal::{Journal, key_of, stored};
use crate::base::Clock;
use crate::domain::{ChunkId, Collection, Hit, StoredChunk};
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};

/// What a run searches and reads: a corpus, seen through the run's journal. Cheap to clone.
#[derive(Clone)]
pub struct Sources {
    /// `None` in a replay, which needs none.
    corpus: Option<Corpus>,
    journal: Journal,
}

impl From<Corpus> for Sources {
    fn from(corpus: Corpus) -> Self {
        Sources { corpus: Some(corpus), journal: Journal::off(Clock::default()) }
    }
}

impl Sources {
    /// Nothing but what a journal holds.
    pub(super) fn recorded(journal: Journal) -> Self {
        Sources { corpus: None, journal }
    }

    /// The same, through another journal.
    pub(super) fn through(&self, journal: Journal) -> Self {
        Sources { corpus: self.corpus.clone(), journal }
    }

    /// All collections, by name.
    pub async fn collections(&self) -> Result<Vec<Collection>, RetrievalError> {
        let work = self.asked(async |corpus| corpus.collections().await);
        self.journal.ask(&key_of("collections", &()), work, stored::collections, stored::to_collections).await
    }

    /// One collection; the error names what is near. Not journaled: a run whose collections are missing ends there.
    pub async fn collection(&self, name: &str) -> Result<Collection, RetrievalError> {
        self.asked(async |corpus| Ok(corpus.store().collection(name).await?)).await
    }

    /// As [`crate::store::Store::vocabulary`].
    pub async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, RetrievalError> {
        let work = self.asked(async |corpus| Ok(corpus.store().vocabulary(collection, limit).await?));
        let store = |words: &_| stored::vocabulary(collection, words);
        self.journal.ask(&key_of("vocabulary", &(collection, limit)), work, store, stored::to_vocabulary).await
    }

    /// As [`Corpus::search`].
    pub async fn search(&self, requests: &[SearchRequest]) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        let work = self.asked(async |corpus| corpus.search(requests).await);
        let store = |found: &_| stored::search(requests, found);
        self.journal.ask(&key_of("search", &requests), work, store, stored::to_search).await
    }

    /// As [`Corpus::read`].
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let work = self.asked(async |corpus| corpus.read(chunk, neighbours).await);
        self.journal.ask(&key_of("read", &(chunk, neighbours)), work, stored::read, stored::to_read).await
    }

    /// Asks the corpus. Where there is none the answer never comes: the journal had it, or the replay has gone astray.
    async fn asked<'a, T, F: Future<Output = T>>(&'a self, question: impl FnOnce(&'a Corpus) -> F) -> T {
        match &self.corpus {
            Some(corpus) => question(corpus).await,
            None => pending().await,
        }
    }
}
