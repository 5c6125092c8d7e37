use std::future::{Future, pending};
use std::sync::{Arc, OnceLock};

use super::journal::{Journal, key_of, stored};
use super::recall::Recollection;
use crate::base::Clock;
use crate::domain::{ChunkId, Collection, DocumentId, Hit, StoredChunk};
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::store::Store;

/// What a run searches and reads: a corpus, seen through the run's journal. Cheap to clone.
#[derive(Clone)]
pub struct Sources {
    /// `None` in a replay, which needs none.
    corpus: Option<Corpus>,
    journal: Journal,
    /// Whether something makes vectors of queries; known once the collections were asked for.
    by_meaning: Arc<OnceLock<bool>>,
}

impl From<Corpus> for Sources {
    fn from(corpus: Corpus) -> Self {
        Sources { corpus: Some(corpus), journal: Journal::off(Clock::default()), by_meaning: Arc::default() }
    }
}

impl Sources {
    /// Nothing but what a journal holds.
    pub(super) fn recorded(journal: Journal) -> Self {
        Sources { corpus: None, journal, by_meaning: Arc::default() }
    }

    /// The same, through another journal.
    pub(super) fn through(&self, journal: Journal) -> Self {
        Sources { corpus: self.corpus.clone(), journal, by_meaning: Arc::default() }
    }

    /// All collections, by name.
    pub async fn collections(&self) -> Result<Vec<Collection>, RetrievalError> {
        let work = self.asked(async |corpus| Ok((corpus.collections().await?, corpus.embedder().is_some())));
        let key = key_of("collections", &());
        let answer = self.journal.ask(&key, work, stored::collections, stored::to_collections);
        let (collections, by_meaning) = answer.await?;
        // A run asks once.
        self.by_meaning.get_or_init(|| by_meaning);
        Ok(collections)
    }

    /// Whether searches by meaning can be made.
    pub fn search_by_meaning(&self) -> bool {
        let embedder = || self.corpus.as_ref().is_some_and(|corpus| corpus.embedder().is_some());
        self.by_meaning.get().copied().unwrap_or_else(embedder)
    }

    /// How many chunks a document has; 0 where it is gone.
    pub async fn length(&self, document: DocumentId, path: &str) -> Result<u32, RetrievalError> {
        let work = self.asked(async |corpus| {
            let records = corpus.store().find_documents(path).await?;
            Ok(records.iter().find(|record| record.id == document).map_or(0, |record| record.chunks))
        });
        self.journal.ask(&key_of("length", &(document, path)), work, stored::length, stored::to_length).await
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

    /// As [`Corpus::mark_closest`].
    pub async fn mark_closest(&self, query: &str, hits: &mut [Hit]) -> Result<(), RetrievalError> {
        let ids: Vec<ChunkId> = hits.iter().map(|hit| hit.chunk.id).collect();
        let mut marked = hits.to_vec();
        let work = self.asked(async |corpus| {
            corpus.mark_closest(query, &mut marked).await?;
            Ok(marked.into_iter().map(|hit| hit.highlights).collect())
        });
        let store = |highlights: &_| stored::closest(query, highlights);
        let key = key_of("closest", &(query, ids));
        let highlights: Vec<_> = self.journal.ask(&key, work, store, stored::to_closest).await?;
        for (hit, highlights) in hits.iter_mut().zip(highlights) {
            hit.highlights = highlights;
        }
        Ok(())
    }

    /// As [`Corpus::read`].
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let work = self.asked(async |corpus| corpus.read(chunk, neighbours).await);
        self.journal.ask(&key_of("read", &(chunk, neighbours)), work, stored::read, stored::to_read).await
    }

    /// What comes to mind for a question; `work` asks the memory, and looks up in the store what it says.
    pub(super) async fn recall<F: Future<Output = Recollection>>(
        &self,
        question: &str,
        work: impl FnOnce(Arc<dyn Store>) -> F,
    ) -> Recollection {
        let work = self.asked(|corpus| work(Arc::clone(corpus.store())));
        self.journal.ask(&key_of("recall", &question), work, stored::recalled, stored::to_recalled).await
    }

    /// Leaves something in the memory, once.
    pub(super) async fn remember(
        &self,
        question: &str,
        work: impl Future<Output = Result<(), String>>,
    ) -> Result<(), String> {
        self.journal.ask(&key_of("remember", &question), work, stored::remembered, stored::to_remembered).await
    }

    /// Asks the corpus. Where there is none the answer never comes: the journal had it, or the replay has gone astray.
    async fn asked<'a, T, F: Future<Output = T>>(&'a self, question: impl FnOnce(&'a Corpus) -> F) -> T {
        match &self.corpus {
            Some(corpus) => question(corpus).await,
            None => pending().await,
        }
    }
}
