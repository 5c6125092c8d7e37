//! The web as a source of a run: fetched pages are kept for that run alone, under the name of a collection.
//!
//! The journal stores the answers of the web, including the texts. A resumed or replayed run therefore has the same
//! pages without fetching them: pages are read from the journal, and the search index is rebuilt only for a search that
//! was not made before.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::Mutex;

use crate::base::text::Spoken;
use crate::domain::{ChunkId, Collection, CollectionSpec, Document, DocumentId, Hit, SearchMode, StoredChunk, WEB};
use crate::embed::{EmbedError, Embedder};
use crate::ingest::with_vectors;
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::sources::{KnownPages, WebRound, WebSearch};
use crate::store::NewDocument;

/// Opens an empty index for the pages of a run, with the embedder of the run's own collections. Blocks.
pub type OpenPageIndex = Arc<dyn Fn(Option<Arc<dyn Embedder>>) -> Result<PageIndex, RetrievalError> + Send + Sync>;

/// An index of a run's pages.
pub struct PageIndex {
    /// The corpus that searches the index.
    pub corpus: Corpus,
    /// Whatever must live as long as the index, such as a temporary folder.
    pub kept: Box<dyn Any + Send + Sync>,
}

/// What a run needs in order to ask the web. Cheap to clone.
#[derive(Clone)]
pub struct WebSource {
    /// Finds and reads pages.
    pub search: WebSearch,
    /// Opens the index that holds the pages.
    pub open: OpenPageIndex,
}

/// The description of the web for a planner. Its last sentence is the rule that [`super::web_round::route`] keeps.
const DESCRIPTION: &str = "The public web, through a search engine: current and general knowledge. Anybody may have \
                           written what is found there. It is slow, and the sub-query leaves this machine; name it for \
                           what the other collections cannot hold. An empty list of collections does not include it.";

/// The web as a collection that can be named.
pub(super) fn collection() -> Collection {
    Collection {
        name: WEB.to_owned(),
        description: DESCRIPTION.to_owned(),
        described_by_user: false,
        embedder: None,
        documents: 0,
        chunks: 0,
        text_bytes: 0,
        languages: Spoken::default(),
    }
}

/// The pages of one run, numbered from 0 in the order of arrival. The number makes the id of the page's document.
#[derive(Default)]
pub(super) struct Pages(Mutex<KeptPages>);

#[derive(Default)]
struct KeptPages {
    pages: Vec<Arc<Document>>,
    places: BTreeMap<String, usize>,
    tried: BTreeSet<String>,
    /// How many of the pages are in the index.
    indexed: usize,
    index: Option<PageIndex>,
}

impl Pages {
    /// The URLs and texts that need not be fetched again, with the number and bytes of the pages.
    pub async fn earlier(&self) -> KnownPages {
        let state = self.0.lock().await;
        KnownPages {
            urls: state.places.keys().chain(&state.tried).cloned().collect(),
            texts: state.pages.iter().map(|page| page.hash).collect(),
            pages: state.pages.len(),
            bytes: state.pages.iter().map(|page| page.bytes).sum(),
        }
    }

    /// Whether there are any pages.
    pub async fn any(&self) -> bool {
        !self.0.lock().await.pages.is_empty()
    }

    /// Adds the pages that a search brought.
    pub async fn take(&self, gathered: &WebRound) {
        let mut state = self.0.lock().await;
        state.tried.extend(gathered.tried.iter().cloned());
        for page in &gathered.pages {
            let place = state.pages.len();
            state.places.insert(page.path.clone(), place);
            state.pages.push(Arc::new(page.clone()));
        }
    }

    /// Searches the pages.
    pub async fn search(
        &self,
        source: Option<&WebSource>,
        embedder: Option<Arc<dyn Embedder>>,
        requests: &[SearchRequest],
    ) -> Vec<Result<Vec<Hit>, RetrievalError>> {
        if requests.is_empty() {
            return Vec::new();
        }
        let mut state = self.0.lock().await;
        if state.pages.is_empty() {
            return requests.iter().map(|_| Ok(Vec::new())).collect();
        }
        let by_meaning = requests.iter().any(|request| request.mode != SearchMode::Keyword);
        if let Err(error) = state.bring_up_to_date(source, embedder.filter(|_| by_meaning)).await {
            return requests.iter().map(|_| Err(copy_error(&error))).collect();
        }
        let Some(index) = &state.index else { return Vec::new() };
        let found = index.corpus.search(requests).await;
        let places = &state.places;
        let own = |mut hit: Hit| {
            let place = places.get(&hit.chunk.path)?;
            hit.chunk.id.document = DocumentId::of_page(*place);
            Some(hit)
        };
        found.into_iter().map(|hits| hits.map(|hits| hits.into_iter().filter_map(own).collect())).collect()
    }

    /// Reads passages as [`Corpus::read`] does.
    pub async fn read(&self, chunk: ChunkId, neighbours: u32) -> Result<Vec<StoredChunk>, RetrievalError> {
        let page = self.page(chunk.document).await.ok_or(RetrievalError::NoChunk { chunk })?;
        let last = chunk.ordinal.saturating_add(neighbours);
        let passages: Vec<StoredChunk> = (chunk.ordinal.saturating_sub(neighbours)..=last)
            .map_while(|ordinal| passage(&page, ChunkId { ordinal, ..chunk }))
            .collect();
        let is_there = passages.iter().any(|passage| passage.id == chunk);
        if is_there { Ok(passages) } else { Err(RetrievalError::NoChunk { chunk }) }
    }

    /// The number of chunks in a page; 0 if there is no such page.
    pub async fn length(&self, document: DocumentId) -> u32 {
        let page = self.page(document).await;
        page.map_or(0, |page| u32::try_from(page.chunks.len()).unwrap_or(u32::MAX))
    }

    /// When a page was fetched, in nanoseconds since 1970.
    pub async fn accessed(&self, document: DocumentId) -> Option<i64> {
        self.page(document).await.map(|page| page.modified_ns)
    }

    async fn page(&self, document: DocumentId) -> Option<Arc<Document>> {
        self.0.lock().await.pages.get(document.page()?).cloned()
    }
}

impl KeptPages {
    /// Adds the pages that are not yet in the index. If the embedder fails, they can still be found by their words.
    async fn bring_up_to_date(
        &mut self,
        source: Option<&WebSource>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<(), RetrievalError> {
        if self.index.is_none() {
            let open = source.map(|source| Arc::clone(&source.open)).ok_or_else(switched_off)?;
            let with = embedder.clone();
            let opened = tokio::task::spawn_blocking(move || open(with)).await.map_err(RetrievalError::Stopped)?;
            let index = opened?;
            let identity = index.corpus.embedder().map(|embedder| embedder.identity().clone());
            let spec = CollectionSpec { name: WEB.to_owned(), description: String::new(), embedder: identity };
            index.corpus.store().create(spec).await?;
            self.index = Some(index);
        }
        let Some(index) = &self.index else { return Ok(()) };
        if self.indexed == self.pages.len() {
            return Ok(());
        }
        let new: Vec<Document> = self.pages[self.indexed..].iter().map(|page| page.as_ref().clone()).collect();
        let has_vectors = index.corpus.embedder().is_some();
        let embedded = match &embedder {
            Some(embedder) if has_vectors => with_vectors(new.clone(), Some(embedder.as_ref())).await,
            _ => Ok(without_vectors(new.clone(), has_vectors)),
        };
        let (documents, failed): (Vec<NewDocument>, Option<EmbedError>) = match embedded {
            Ok(documents) => (documents, None),
            Err(error) => (without_vectors(new, has_vectors), Some(error)),
        };
        index.corpus.store().put(WEB, documents).await?;
        index.corpus.store().flush().await?;
        self.indexed = self.pages.len();
        failed.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Documents without vectors, in the form for a collection that has vectors or for one that has none.
fn without_vectors(documents: Vec<Document>, has_vectors: bool) -> Vec<NewDocument> {
    let none = |document: &Document| if has_vectors { vec![None; document.chunks.len()] } else { Vec::new() };
    documents.into_iter().map(|document| NewDocument { vectors: none(&document), document }).collect()
}

fn switched_off() -> RetrievalError {
    RetrievalError::Recorded { message: "the run has pages of the web, and web search is switched off now".to_owned() }
}

/// The same failure for each of several searches.
fn copy_error(error: &RetrievalError) -> RetrievalError {
    match error {
        RetrievalError::Embed(error) => error.clone().into(),
        other => RetrievalError::Recorded { message: other.to_string() },
    }
}

/// A passage of a page, as a store would return it.
fn passage(page: &Document, id: ChunkId) -> Option<StoredChunk> {
    let chunk = page.chunks.get(usize::try_from(id.ordinal).ok()?)?;
    Some(StoredChunk {
        id,
        collection: WEB.to_owned(),
        path: page.path.clone(),
        title: page.title.clone(),
        date: page.date,
        by: None,
        range: chunk.range.clone(),
        page: chunk.page,
        page_turns: chunk.page_turns.clone(),
        headings: chunk.headings.clone(),
        language: chunk.language,
        text: page.text.get(chunk.range.clone())?.to_owned(),
    })
}
