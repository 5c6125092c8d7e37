//! The requests of a run to its corpus, the web and the memory, through its journal. When the web is asked is decided
//! in `web_round.rs`.

use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, OnceLock};

use super::journal::stored::Listed;
use super::journal::{Journal, key_of, stored};
use super::recall::Recollection;
use super::web_pages::{self, Pages, WebSource};
use crate::base::{Clock, is_url, locked};
use crate::domain::{ChunkId, Collection, DocumentId, DocumentName, Hit, StoredChunk, WEB};
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::sources::WebRound;
use crate::store::Store;

/// What a run searches and reads: a corpus and the web, seen through the run's journal. Cheap to clone.
#[derive(Clone)]
pub struct Sources {
    /// `None` in a replay, which needs no corpus.
    corpus: Option<Corpus>,
    /// `None` if the web is not asked.
    web: Option<WebSource>,
    /// The pages of the web that the run has read.
    pages: Arc<Pages>,
    journal: Journal,
    /// The present names of collections, by the names that the journal has for them, where these differ.
    renamed: Arc<BTreeMap<String, String>>,
    /// Whether queries can be embedded; known once the collections were asked for.
    by_meaning: Arc<OnceLock<bool>>,
    /// The documents of which a search found a passage.
    matched: Arc<Mutex<BTreeMap<DocumentId, DocumentName>>>,
}

impl From<Corpus> for Sources {
    fn from(corpus: Corpus) -> Self {
        Sources { corpus: Some(corpus), ..Sources::recorded(Journal::off(Clock::default())) }
    }
}

impl Sources {
    /// Sources that have only what a journal holds.
    pub(super) fn recorded(journal: Journal) -> Self {
        let (pages, by_meaning, matched) = (Arc::default(), Arc::default(), Arc::default());
        Sources { corpus: None, web: None, pages, journal, renamed: Arc::default(), by_meaning, matched }
    }

    /// The same sources, with the web beside the collections.
    pub fn with_web(self, web: Option<WebSource>) -> Self {
        Sources { web, ..self }
    }

    /// The same sources, with collections under the names that they had before they were renamed, since an earlier
    /// journal knows them by these. `renamed` has the present names by the former ones.
    pub fn with_former_names(self, renamed: BTreeMap<String, String>) -> Self {
        Sources { renamed: Arc::new(renamed), ..self }
    }

    /// The same sources, through another journal.
    pub(super) fn through(&self, journal: Journal) -> Self {
        let (corpus, web, renamed) = (self.corpus.clone(), self.web.clone(), Arc::clone(&self.renamed));
        Sources { corpus, web, renamed, ..Sources::recorded(journal) }
    }

    /// The name in the store of a collection that the run knows by this name.
    fn present<'n>(&'n self, name: &'n str) -> &'n str {
        self.renamed.get(name).map_or(name, String::as_str)
    }

    /// The name by which the run knows a collection of the store.
    fn former(&self, name: String) -> String {
        self.renamed.iter().find(|(_, present)| **present == name).map_or(name, |(former, _)| former.clone())
    }

    /// All collections, by name; if the web can be asked, it is the last.
    pub async fn collections(&self) -> Result<Vec<Collection>, RetrievalError> {
        let work = self.asked(async |corpus| {
            let mut collections = corpus.collections().await?;
            for collection in &mut collections {
                collection.name = self.former(std::mem::take(&mut collection.name));
            }
            collections.extend(self.web.as_ref().map(|_| web_pages::collection()));
            Ok((collections, corpus.embedder().is_some()))
        });
        let key = key_of("collections", &());
        let answer = self.journal.ask(&key, work, stored::collections, stored::to_collections);
        let (collections, by_meaning) = answer.await?;
        // A run asks this once.
        self.by_meaning.get_or_init(|| by_meaning);
        Ok(collections)
    }

    /// Whether searches by meaning can be made.
    pub fn search_by_meaning(&self) -> bool {
        let embedder = || self.corpus.as_ref().is_some_and(|corpus| corpus.embedder().is_some());
        self.by_meaning.get().copied().unwrap_or_else(embedder)
    }

    /// The number of chunks of a document; 0 if it is gone.
    pub async fn length(&self, document: DocumentId, path: &str) -> Result<u32, RetrievalError> {
        let work = self.asked(async |corpus| {
            if document.page().is_some() {
                return Ok(self.pages.length(document).await);
            }
            let records = corpus.store().find_documents(path).await?;
            Ok(records.iter().find(|record| record.id == document).map_or(0, |record| record.chunks))
        });
        self.journal.ask(&key_of("length", &(document, path)), work, stored::length, stored::to_length).await
    }

    /// The number of web pages that the run has read.
    pub(super) async fn pages_read(&self) -> u64 {
        self.pages.earlier().await.pages as u64
    }

    /// When a page was fetched, in nanoseconds since 1970; `None` if the document is no page or is gone.
    pub(super) async fn accessed(&self, document: DocumentId, path: &str) -> Result<Option<i64>, RetrievalError> {
        if document.page().is_some() {
            return Ok(self.pages.accessed(document).await);
        }
        if !is_url(path) {
            return Ok(None);
        }
        let work = self.asked(async |corpus| {
            let records = corpus.store().find_documents(path).await?;
            let record = records.iter().find(|record| record.id == document);
            Ok(record.map(|record| record.modified_ns).filter(|time| *time != 0))
        });
        self.journal.ask(&key_of("accessed", &(document, path)), work, stored::accessed, stored::to_accessed).await
    }

    /// One collection; the error names similar ones. Not journaled: a run whose collections are missing ends there.
    pub async fn collection(&self, name: &str) -> Result<Collection, RetrievalError> {
        self.asked(async |corpus| Ok(corpus.store().collection(self.present(name)).await?)).await
    }

    /// Like [`crate::store::Store::vocabulary`].
    pub async fn vocabulary(&self, collection: &str, limit: usize) -> Result<Vec<String>, RetrievalError> {
        let work = self.asked(async |corpus| Ok(corpus.store().vocabulary(self.present(collection), limit).await?));
        let store = |words: &_| stored::vocabulary(collection, words);
        self.journal.ask(&key_of("vocabulary", &(collection, limit)), work, store, stored::to_vocabulary).await
    }

    /// Like [`Corpus::search`].
    pub async fn search(&self, requests: &[SearchRequest]) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        let work = self.asked(async |corpus| {
            // If the web is not asked, a collection may have its name.
            let has_web = self.web.is_some() || self.pages.any().await;
            let of_the_web = |request: &&SearchRequest| has_web && request.collections == [WEB];
            let mut local: Vec<SearchRequest> = requests.iter().filter(|one| !of_the_web(one)).cloned().collect();
            for name in local.iter_mut().flat_map(|request| &mut request.collections) {
                *name = self.present(name).to_owned();
            }
            let web: Vec<SearchRequest> = requests.iter().filter(of_the_web).cloned().collect();
            let pages = self.pages.search(self.web.as_ref(), corpus.embedder().cloned(), &web);
            let (local, web) = futures::join!(corpus.search(&local), pages);
            let (mut local, mut web) = (local.into_iter(), web.into_iter());
            let answer = |one| if of_the_web(&one) { web.next() } else { local.next() };
            requests.iter().filter_map(answer).collect()
        });
        let store = |found: &_| stored::search(requests, found);
        let answers = self.journal.ask(&key_of("search", &requests), work, store, stored::to_search).await;
        let mut matched = locked(&self.matched);
        for Hit { chunk, .. } in answers.iter().flatten().flatten() {
            let name = || DocumentName { collection: chunk.collection.clone(), path: chunk.path.clone() };
            matched.entry(chunk.id.document).or_insert_with(name);
        }
        answers
    }

    /// The documents of which a search of the run found a passage.
    pub(super) fn matched(&self) -> BTreeMap<DocumentId, DocumentName> {
        locked(&self.matched).clone()
    }

    /// The number of documents of these collections that could be found, and which; `None` if more than `most`.
    pub(super) async fn documents(&self, collections: &[String], most: u64) -> Listed {
        let work = self.asked(async |corpus| {
            let (store, filter) = (corpus.store(), corpus.filter());
            if collections.is_empty() {
                return Ok((0, Some(Vec::new())));
            }
            let collections: Vec<String> = collections.iter().map(|name| self.present(name).to_owned()).collect();
            let count = store.count_documents(&collections, filter).await?;
            if count > most {
                return Ok((count, None));
            }
            let mut named = Vec::new();
            for collection in &collections {
                for record in store.documents(collection).await? {
                    if filter.admits(&record.path, record.language, record.date.map(|date| date.date)) {
                        let name = DocumentName { collection: record.collection, path: record.path };
                        named.push((record.id, name));
                    }
                }
            }
            Ok((count, Some(named)))
        });
        let key = key_of("documents", &(collections, most));
        self.journal.ask(&key, work, stored::documents, stored::to_documents).await
    }

    /// Searches the web and takes the pages that are new to the run; [`Self::search`] finds them from then on.
    pub(super) async fn gather(&self, queries: &[String]) -> WebRound {
        let work = self.asked(async |_| match &self.web {
            Some(web) => web.search.gather(queries, &self.pages.earlier().await).await,
            None => WebRound {
                failed: queries.to_vec(),
                warnings: vec!["the web was not searched: web search is switched off now".to_owned()],
                ..WebRound::default()
            },
        });
        let store = |gathered: &_| stored::web(queries, gathered);
        let gathered = self.journal.ask(&key_of("web", &queries), work, store, stored::to_web).await;
        self.pages.take(&gathered).await;
        gathered
    }

    /// Like [`Corpus::mark_closest`].
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

    /// Like [`Corpus::read`].
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let work = self.asked(async |corpus| match chunk.document.page() {
            Some(_) => self.pages.read(chunk, neighbours).await,
            None => corpus.read(chunk, neighbours).await,
        });
        self.journal.ask(&key_of("read", &(chunk, neighbours)), work, stored::read, stored::to_read).await
    }

    /// Recalls what earlier runs learnt on a question; `work` asks the memory, and looks up its sources in the store.
    pub(super) async fn recall<F: Future<Output = Recollection>>(
        &self,
        question: &str,
        work: impl FnOnce(Arc<dyn Store>) -> F,
    ) -> Recollection {
        let work = self.asked(|corpus| work(Arc::clone(corpus.store())));
        self.journal.ask(&key_of("recall", &question), work, stored::recalled, stored::to_recalled).await
    }

    /// Stores something in the memory, once per run.
    pub(super) async fn remember(
        &self,
        question: &str,
        work: impl Future<Output = Result<(), String>>,
    ) -> Result<(), String> {
        self.journal.ask(&key_of("remember", &question), work, stored::remembered, stored::to_remembered).await
    }

    /// Asks the corpus. Without one the answer never comes: the journal had it, or the replay has gone astray.
    async fn asked<'a, T, F: Future<Output = T>>(&'a self, question: impl FnOnce(&'a Corpus) -> F) -> T {
        match &self.corpus {
            Some(corpus) => question(corpus).await,
            None => pending().await,
        }
    }
}
