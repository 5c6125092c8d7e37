//! Moves collections between stores, and checks what a store holds.

use std::collections::HashMap;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::application::named;
use super::{App, AppError};
use crate::config::StoreBackend;
use crate::domain::{ChunkId, Collection, CollectionSpec, DocumentId, DocumentRecord, StoredChunk};
use crate::store::{NewDocument, Store, StoreError};

/// The most that is read before it is written: documents, and bytes of their text.
const DOCUMENTS_AT_ONCE: usize = 64;
const BYTES_AT_ONCE: u64 = 8 << 20;

/// The findings that are listed; more are only counted.
const MAX_LISTED_FINDINGS: usize = 20;

/// The result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CopySummary {
    /// Collections that were processed.
    pub collections: u64,
    /// Documents copied and compared.
    pub copied: u64,
    /// Documents that were there already, with the same hash and size.
    pub unchanged: u64,
    /// Chunks copied.
    pub chunks: u64,
    /// Whether it was interrupted; the next call continues.
    pub interrupted: bool,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoreCheck {
    /// Documents looked at.
    pub documents: u64,
    /// Chunks looked at.
    pub chunks: u64,
    /// The number of faults.
    pub wrong: u64,
    /// The first of the faults.
    pub findings: Vec<String>,
}

impl StoreCheck {
    fn find(&mut self, finding: String) {
        self.wrong += 1;
        if self.findings.len() < MAX_LISTED_FINDINGS {
            self.findings.push(finding);
        }
    }
}

impl App {
    /// Copies collections (none named: all) from one store to another, with their vectors, and compares what arrived.
    /// Documents that are there already, by hash and size, are left alone, so that a copy that ended early can
    /// continue.
    pub async fn copy_collections(
        &self,
        from: StoreBackend,
        to: StoreBackend,
        names: &[String],
        progress: &(dyn Fn(&str, u64) + Send + Sync),
        interrupt: &CancellationToken,
    ) -> Result<CopySummary, AppError> {
        let (from, to) = (self.open_store(from)?, self.open_store(to)?);
        let mut summary = CopySummary::default();
        for collection in named(&from, names).await? {
            summary.collections += 1;
            copy_one(from.as_ref(), to.as_ref(), &collection, &mut summary, progress, interrupt).await?;
            if summary.interrupted {
                break;
            }
        }
        to.flush().await?;
        Ok(summary)
    }

    /// Reads everything in the collections (none named: all), and checks that it agrees.
    pub async fn check_store(
        &self,
        names: &[String],
        progress: &(dyn Fn(&str, u64) + Send + Sync),
    ) -> Result<StoreCheck, AppError> {
        let Some(store) = self.existing_store().await? else { return Ok(StoreCheck::default()) };
        let mut check = StoreCheck::default();
        // This comes first, because derived files are rebuilt once they are found to be damaged.
        for wrong in store.verify().await? {
            check.find(wrong);
        }
        for collection in named(&store, names).await? {
            check_one(store.as_ref(), &collection, &mut check, progress).await?;
        }
        Ok(check)
    }
}

async fn copy_one(
    from: &dyn Store,
    to: &dyn Store,
    collection: &Collection,
    summary: &mut CopySummary,
    progress: &(dyn Fn(&str, u64) + Send + Sync),
    interrupt: &CancellationToken,
) -> Result<(), AppError> {
    let name = collection.name.as_str();
    match to.collection(name).await {
        Ok(there) if there.embedder == collection.embedder => {}
        Ok(there) => {
            let named = |of: &Collection| of.embedder.as_ref().map_or("no embedder".to_owned(), |one| one.name.clone());
            let (has, asked) = (named(&there), named(collection));
            return Err(StoreError::OtherEmbedder { collection: name.to_owned(), has, asked }.into());
        }
        Err(StoreError::NoCollection { .. }) => {
            let spec = CollectionSpec {
                name: name.to_owned(),
                description: collection.description.clone(),
                embedder: collection.embedder.clone(),
            };
            to.create(spec).await?;
            if collection.described_by_user {
                to.describe(name, &collection.description, true).await?;
            }
        }
        Err(error) => return Err(error.into()),
    }
    let there: HashMap<String, DocumentRecord> =
        to.documents(name).await?.into_iter().map(|record| (record.path.clone(), record)).collect();
    let mut waiting = Vec::new();
    let mut bytes = 0;
    let mut done = 0;
    let records = from.documents(name).await?;
    let last = records.len();
    for (record, nth) in records.into_iter().zip(1..) {
        if there.get(&record.path).is_some_and(|other| is_copy(&record, other)) {
            summary.unchanged += 1;
            done += 1;
        } else {
            bytes += record.text_bytes;
            waiting.push(record);
        }
        if waiting.len() >= DOCUMENTS_AT_ONCE || bytes >= BYTES_AT_ONCE || nth == last {
            if interrupt.is_cancelled() {
                summary.interrupted = true;
                return Ok(());
            }
            done += waiting.len() as u64;
            copy_some(from, to, collection, std::mem::take(&mut waiting), summary).await?;
            bytes = 0;
            progress(name, done);
        }
    }
    Ok(())
}

/// Whether two records are of the same version of the same document.
fn is_copy(one: &DocumentRecord, other: &DocumentRecord) -> bool {
    (one.hash, one.chunks, one.text_bytes, &one.title, one.date, one.modified_ns)
        == (other.hash, other.chunks, other.text_bytes, &other.title, other.date, other.modified_ns)
}

/// Copies documents, and compares what arrived with what was sent.
async fn copy_some(
    from: &dyn Store,
    to: &dyn Store,
    collection: &Collection,
    records: Vec<DocumentRecord>,
    summary: &mut CopySummary,
) -> Result<(), AppError> {
    if records.is_empty() {
        return Ok(());
    }
    let name = collection.name.as_str();
    let documents = from.whole(&records).await?;
    to.put(name, documents.clone()).await?;
    to.flush().await?;
    let mut there: HashMap<String, DocumentRecord> =
        to.documents(name).await?.into_iter().map(|record| (record.path.clone(), record)).collect();
    let differs = |record: &DocumentRecord, reason| {
        let path = record.path.clone();
        AppError::NotCopied { collection: name.to_owned(), path, reason }
    };
    let mut arrived = Vec::with_capacity(records.len());
    for record in &records {
        let copy = there.remove(&record.path).ok_or_else(|| differs(record, "it is not there"))?;
        if !is_copy(record, &copy) {
            return Err(differs(record, "its record has another hash or size"));
        }
        arrived.push(copy);
    }
    let read = to.whole(&arrived).await?;
    for ((record, sent), read) in records.iter().zip(documents).zip(read) {
        if read.document.text != sent.document.text || read.document.chunks != sent.document.chunks {
            return Err(differs(record, "its text or its chunks are others"));
        }
        let states = |new: &NewDocument| -> Vec<Option<Vec<u8>>> {
            new.vectors.iter().map(|one| one.as_ref().map(|vectors| vectors.states.clone())).collect()
        };
        if states(&read) != states(&sent) {
            return Err(differs(record, "its vectors or token states are others"));
        }
        summary.copied += 1;
        summary.chunks += u64::from(record.chunks);
    }
    Ok(())
}

async fn check_one(
    store: &dyn Store,
    collection: &Collection,
    check: &mut StoreCheck,
    progress: &(dyn Fn(&str, u64) + Send + Sync),
) -> Result<(), AppError> {
    let name = collection.name.as_str();
    let records = store.documents(name).await?;
    let sums = records.iter().fold((0, 0, 0), |sums: (u64, u64, u64), record| {
        (sums.0 + 1, sums.1 + u64::from(record.chunks), sums.2 + record.text_bytes)
    });
    if sums != (collection.documents, collection.chunks, collection.text_bytes) {
        let has = format!("{} documents, {} chunks and {} bytes", sums.0, sums.1, sums.2);
        let says = format!("{}, {} and {}", collection.documents, collection.chunks, collection.text_bytes);
        check.find(format!("`{name}` has {has}, and counts {says}"));
    }
    let mut waiting: Vec<&DocumentRecord> = Vec::new();
    let mut bytes = 0;
    for (record, nth) in records.iter().zip(1..) {
        bytes += record.text_bytes;
        waiting.push(record);
        if waiting.len() >= DOCUMENTS_AT_ONCE || bytes >= BYTES_AT_ONCE || nth == records.len() {
            match check_some(store, name, &waiting, check).await {
                // The store's own check has reported it already.
                Err(AppError::Store(error @ StoreError::Damaged { .. })) if check.wrong == 0 => {
                    check.find(error.to_string());
                }
                Err(AppError::Store(StoreError::Damaged { .. })) => {}
                other => other?,
            }
            waiting.clear();
            bytes = 0;
            progress(name, nth as u64);
        }
    }
    Ok(())
}

/// Reads documents whole, and compares their chunks with their texts.
async fn check_some(
    store: &dyn Store,
    name: &str,
    records: &[&DocumentRecord],
    check: &mut StoreCheck,
) -> Result<(), AppError> {
    let records: Vec<DocumentRecord> = records.iter().map(|&record| record.clone()).collect();
    let ids_of = |record: &DocumentRecord| {
        let document = record.id;
        (0..record.chunks).map(move |ordinal| ChunkId { document, ordinal })
    };
    let ids: Vec<ChunkId> = records.iter().flat_map(ids_of).collect();
    let mut chunks: HashMap<DocumentId, Vec<StoredChunk>> = HashMap::new();
    for chunk in store.chunks(&ids).await? {
        chunks.entry(chunk.id.document).or_default().push(chunk);
    }
    for (record, whole) in records.iter().zip(store.whole(&records).await?) {
        let (path, text) = (&record.path, &whole.document.text);
        if text.len() as u64 != record.text_bytes {
            let (has, says) = (text.len(), record.text_bytes);
            check.find(format!("{path} in `{name}` has {has} bytes of text, and counts {says}"));
        }
        let chunks = chunks.remove(&record.id).unwrap_or_default();
        if chunks.len() != record.chunks as usize {
            check.find(format!("{path} in `{name}` has {} of {} chunks", chunks.len(), record.chunks));
        }
        let strayed = |chunk: &&StoredChunk| text.get(chunk.range.clone()) != Some(chunk.text.as_str());
        if let Some(chunk) = chunks.iter().find(strayed) {
            check.find(format!("chunk {} of {path} in `{name}` is not what stands in the text", chunk.id.ordinal));
        }
        check.documents += 1;
        check.chunks += u64::from(record.chunks);
    }
    Ok(())
}
