//! Gives a collection the vectors of another embedder, made from the stored text alone.

use std::collections::HashMap;
use std::time::Instant;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::passage::embed_texts;
use super::request::LoadOptions;
use crate::domain::{ChunkId, ChunkVectors, DocumentId};
use crate::embed::{EmbedError, Embedder, Text};
use crate::store::{DocumentVectors, Store, StoreError};

/// Why a re-embedding ended early. The vectors made until then are kept, and the next re-embedding continues from them.
#[derive(Debug, thiserror::Error)]
pub enum ReembedError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedding model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// What a re-embedding did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReembedSummary {
    /// The collection.
    pub collection: String,
    /// The name of its embedder before; `None` if it had none.
    pub from: Option<String>,
    /// The name of its embedder after; if the run was stopped early, the one that it will have.
    pub to: Option<String>,
    /// The number of documents that got new vectors.
    pub documents: u64,
    /// The number of documents that already had new vectors, from a run that was stopped.
    pub earlier: u64,
    /// The number of chunks embedded.
    pub chunks: u64,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether it was stopped before the end; searches then continue to use the old vectors.
    pub interrupted: bool,
}

/// What happens during a re-embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReembedEvent {
    /// The amount of work is known.
    Begun {
        /// The number of chunks in the documents that lack new vectors.
        chunks: u64,
    },
    /// The new vectors of some documents are stored.
    Kept {
        /// The number of their chunks.
        chunks: u64,
    },
}

/// Gives a collection the vectors of another embedder, made from the stored text; with `None` it can be searched only
/// by words. Searches use the old vectors until all new ones are there. An interrupt ends the work after the documents
/// in progress; the next call continues from there.
pub async fn reembed(
    store: &dyn Store,
    embedder: Option<&dyn Embedder>,
    collection: &str,
    progress: &(dyn Fn(ReembedEvent) + Send + Sync),
    interrupt: &CancellationToken,
) -> Result<ReembedSummary, ReembedError> {
    let start = Instant::now();
    let before = store.collection(collection).await?;
    let asked = embedder.map(|embedder| embedder.identity().clone());
    let mut summary = ReembedSummary {
        collection: collection.to_owned(),
        from: before.embedder.as_ref().map(|identity| identity.name.clone()),
        to: asked.as_ref().map(|identity| identity.name.clone()),
        ..ReembedSummary::default()
    };
    let LoadOptions { batch_passages, batch_documents, .. } = LoadOptions::default();
    let mut finished = before.embedder == asked;
    let mut pending = store.start_reembedding(collection, asked.clone()).await?;
    if let Some(embedder) = embedder.filter(|_| !finished) {
        let sizes: HashMap<DocumentId, u32> =
            store.documents(collection).await?.into_iter().map(|record| (record.id, record.chunks)).collect();
        summary.earlier = (sizes.len() as u64).saturating_sub(pending.len() as u64);
        let size = |id: &DocumentId| sizes.get(id).copied().unwrap_or(0);
        progress(ReembedEvent::Begun { chunks: pending.iter().map(|id| u64::from(size(id))).sum() });
        let mut todo = pending.drain(..).peekable();
        while todo.peek().is_some() && !interrupt.is_cancelled() {
            let (mut ids, mut documents) = (Vec::new(), Vec::new());
            while ids.len() < batch_passages
                && documents.len() < batch_documents
                && let Some(document) = todo.next()
            {
                ids.extend((0..size(&document)).map(|ordinal| ChunkId { document, ordinal }));
                documents.push(document);
            }
            let Some(vectors) = embed(store, embedder, &ids, &documents, batch_passages, interrupt).await? else {
                break;
            };
            store.put_vectors(collection, vectors).await?;
            summary.documents += documents.len() as u64;
            summary.chunks += ids.len() as u64;
            progress(ReembedEvent::Kept { chunks: ids.len() as u64 });
        }
    }
    summary.interrupted = interrupt.is_cancelled();
    if !finished && !summary.interrupted {
        finished = store.finish_reembedding(collection).await?;
        if !finished {
            // Only another part of this process can have stored documents in the meantime.
            let reason = "documents came while it was under way; run it again".to_owned();
            return Err(StoreError::Engine { engine: "the store", action: "re-embedding", reason }.into());
        }
    }
    summary.seconds = start.elapsed().as_secs_f64();
    Ok(summary)
}

/// Makes new vectors for documents whose chunks are `ids`, with at most `call` passages per call of the embedder.
/// Returns `None` if interrupted first.
async fn embed(
    store: &dyn Store,
    embedder: &dyn Embedder,
    ids: &[ChunkId],
    documents: &[DocumentId],
    call: usize,
    interrupt: &CancellationToken,
) -> Result<Option<Vec<DocumentVectors>>, ReembedError> {
    let mut made: HashMap<ChunkId, ChunkVectors> = HashMap::with_capacity(ids.len());
    for ids in ids.chunks(call) {
        if interrupt.is_cancelled() && !made.is_empty() {
            return Ok(None);
        }
        let mut chunks = store.chunks(ids).await?;
        chunks.retain(|chunk| embedder.knows(chunk.language));
        if chunks.is_empty() {
            continue;
        }
        let texts = chunks.iter().map(Text::of_chunk).collect();
        let embedded = embed_texts(embedder, texts).await?;
        made.extend(chunks.iter().map(|chunk| chunk.id).zip(embedded));
    }
    let mut vectors: Vec<DocumentVectors> = documents.iter().map(|&document| (document, Vec::new())).collect();
    let mut at = 0;
    for id in ids {
        while vectors.get(at).is_some_and(|(document, _)| *document != id.document) {
            at += 1;
        }
        if let Some((_, of_document)) = vectors.get_mut(at) {
            of_document.push(made.remove(id));
        }
    }
    Ok(Some(vectors))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::ingest::testing::LengthEmbedder;
    use crate::ingest::{LoadRequest, load};
    use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    /// A store with three hundred documents of one passage each, made with the embedder `old`.
    async fn loaded(folder: &std::path::Path) -> EmbeddedStore {
        let files = folder.join("files");
        std::fs::create_dir(&files).unwrap();
        for number in 0..300 {
            let text = match number {
                7 => "これは日本語の文書です。牛は春に畑を耕します。".to_owned(),
                _ => format!("Number {number} is written here."),
            };
            std::fs::write(files.join(format!("{number:03}.txt")), text).unwrap();
        }
        let options = EmbeddedOptions { index_threads: 1, index_memory: 15_000_000, ..EmbeddedOptions::default() };
        let store = EmbeddedStore::open(&folder.join("data"), &options).unwrap();
        let request = LoadRequest { paths: vec![files], cwd: folder.to_owned(), ..LoadRequest::default() };
        let embedder: Arc<dyn Embedder> = Arc::new(LengthEmbedder::new("old"));
        let shared = Arc::new(store.clone());
        load(shared, Some(embedder), &request, &|_| {}, CancellationToken::new()).await.unwrap();
        store
    }

    #[test]
    fn what_was_embedded_before_a_failure_or_an_interrupt_is_not_embedded_again() {
        let folder = tempfile::tempdir().unwrap();
        run(async {
            let store = loaded(folder.path()).await;
            let token = CancellationToken::new();
            let name = |store: &EmbeddedStore| {
                let store = store.clone();
                async move { store.collection("files").await.unwrap().embedder.map(|identity| identity.name) }
            };

            let mut failing = LengthEmbedder::new("new");
            failing.fails_at = Some(1);
            let failed = reembed(&store, Some(&failing), "files", &|_| {}, &token).await;
            assert!(matches!(failed, Err(ReembedError::Embed(EmbedError::Run { .. }))), "{failed:?}");
            assert_eq!(name(&store).await.as_deref(), Some("old"));

            let stopped = CancellationToken::new();
            let stopping = |event| {
                if matches!(event, ReembedEvent::Kept { .. }) {
                    stopped.cancel();
                }
            };
            let embedder = LengthEmbedder::new("new");
            let summary = reembed(&store, Some(&embedder), "files", &stopping, &stopped).await.unwrap();
            assert_eq!((summary.earlier, summary.documents, summary.interrupted), (128, 128, true));
            assert_eq!(name(&store).await.as_deref(), Some("old"));

            let events = Mutex::new(Vec::new());
            let noting = |event| events.lock().unwrap().push(event);
            let summary = reembed(&store, Some(&embedder), "files", &noting, &token).await.unwrap();
            assert_eq!((summary.earlier, summary.documents, summary.interrupted), (256, 44, false));
            let expected = [ReembedEvent::Begun { chunks: 44 }, ReembedEvent::Kept { chunks: 44 }];
            assert_eq!(*events.lock().unwrap(), expected);
            assert_eq!(name(&store).await.as_deref(), Some("new"));

            // The passage in a language that the embedder lacks has no vector; every other was embedded once.
            let once = |embedder: &LengthEmbedder| embedder.calls.lock().unwrap().concat();
            let mut texts = [once(&failing), once(&embedder)].concat();
            assert_eq!(texts.len(), 299);
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), 299);
            let filter = crate::domain::DocumentFilter::default();
            let query =
                crate::store::VectorQuery { collections: vec![], vector: vec![1.0], k: 500, exact: true, filter };
            assert_eq!(store.semantic(&query).await.unwrap().len(), 299);

            let summary = reembed(&store, Some(&embedder), "files", &|_| {}, &token).await.unwrap();
            assert_eq!((summary.documents, summary.from), (0, Some("new".to_owned())));
            let summary = reembed(&store, None, "files", &|_| {}, &token).await.unwrap();
            assert_eq!((summary.from.as_deref(), summary.to), (Some("new"), None));
            assert_eq!(name(&store).await, None);
            assert!(store.semantic(&query).await.unwrap().is_empty());
        });
    }
}
