//! Turns documents into points and sends these to the server. Some documents are analysed while the points of others
//! are being sent, with enough in progress to keep the server busy and limits that bound the memory.

use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use qdrant_client::qdrant::{
    Filter, NamedVectors, PointStruct, RetrievedPoint, SparseVector, Vectors, vectors::VectorsOptions,
};

use super::Server;
use super::counts::Change;
use super::error::ENGINE;
use super::layout::{
    self, DOCUMENT, Fields, KIND, LANGUAGES, MARK, MEANING, PATH, VERSION, WORDS, is_any_text, is_text,
};
use super::sparse::{self, Counts};
use super::state::CollectionState;
use crate::base::text::Spoken;
use crate::domain::{ChunkId, DocumentId};
use crate::store::scoring::LexicalOptions;
use crate::store::{NewDocument, StoreError};

/// The text bytes and documents that are analysed as one group.
const GROUP_BYTES: usize = 256 << 10;
const GROUP_DOCUMENTS: usize = 64;

/// The most points and bytes sent in one call.
const BATCH_POINTS: usize = 256;
const BATCH_BYTES: usize = 2 << 20;

/// The groups analysed and the calls made at the same time.
const ANALYSED_AT_ONCE: usize = 2;
const SENT_AT_ONCE: usize = 4;

/// The paths queried in one call.
const PATHS_AT_ONCE: usize = 500;

/// Points for one of the two server collections of a collection: that of chunks or that of texts.
pub(super) struct Batch {
    pub(super) of_chunks: bool,
    pub(super) points: Vec<PointStruct>,
    bytes: usize,
}

impl Batch {
    fn new(of_chunks: bool) -> Self {
        Batch { of_chunks, points: Vec::new(), bytes: 0 }
    }
}

/// Fills batches of points, separately for texts and for chunks.
struct Batches {
    done: Vec<Batch>,
    open: [Batch; 2],
}

impl Batches {
    fn new() -> Self {
        Batches { done: Vec::new(), open: [Batch::new(false), Batch::new(true)] }
    }

    fn add(&mut self, of_chunks: bool, point: PointStruct, bytes: usize) {
        let open = &mut self.open[usize::from(of_chunks)];
        open.points.push(point);
        open.bytes += bytes;
        if open.points.len() >= BATCH_POINTS || open.bytes >= BATCH_BYTES {
            self.done.push(std::mem::replace(open, Batch::new(of_chunks)));
        }
    }

    fn finish(mut self) -> Vec<Batch> {
        self.done.extend(self.open.into_iter().filter(|batch| !batch.points.is_empty()));
        self.done
    }
}

/// The sizes that a put adds to its collection or takes from it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes {
    documents: u64,
    chunks: u64,
    text_bytes: u64,
    words: [u64; 3],
    languages: Spoken,
}

impl Sizes {
    fn of(point: &RetrievedPoint) -> Self {
        let number = |name: &str| layout::unsigned(&point.payload, name).unwrap_or(0);
        Sizes {
            documents: 1,
            chunks: number("chunks"),
            text_bytes: number("text_bytes"),
            words: layout::words(point),
            languages: layout::spoken(&point.payload),
        }
    }

    fn add(&mut self, other: Sizes) {
        self.documents += other.documents;
        self.chunks += other.chunks;
        self.text_bytes += other.text_bytes;
        self.words.iter_mut().zip(other.words).for_each(|(sum, more)| *sum += more);
        self.languages = self.languages.with(&other.languages);
    }

    /// Updates the sizes of a collection: adds these and subtracts `gone`.
    fn change(self, state: &mut CollectionState, gone: Sizes) {
        let change = |size: &mut u64, more: u64, less: u64| *size = (*size + more).saturating_sub(less);
        let collection = &mut state.collection;
        change(&mut collection.documents, self.documents, gone.documents);
        change(&mut collection.chunks, self.chunks, gone.chunks);
        change(&mut collection.text_bytes, self.text_bytes, gone.text_bytes);
        collection.languages = collection.languages.with(&self.languages).without(&gone.languages);
        for (nth, size) in state.words.iter_mut().enumerate() {
            change(size, self.words[nth], gone.words[nth]);
        }
    }
}

/// The word counts gathered while documents were written.
#[derive(Default)]
struct IndexedTerms {
    /// The number of terms in the documents' bodies, titles and headings.
    words: [u64; 3],
    /// By how much the number of chunks that hold each term grows.
    counts: Change,
}

impl IndexedTerms {
    fn join(&mut self, more: IndexedTerms) {
        self.words.iter_mut().zip(more.words).for_each(|(sum, more)| *sum += more);
        self.counts.join(more.counts);
    }
}

/// The payload fields of a record that a change needs.
pub(super) const SIZE_FIELDS: &[&str] = &[VERSION, PATH, "chunks", "text_bytes", "words", LANGUAGES];

impl Server {
    pub(super) async fn put(&self, name: &str, documents: Vec<NewDocument>) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let before = self.states().await?.find(name)?;
        for new in &documents {
            crate::store::checks::check_document(&before.collection, ENGINE, layout::CHUNKS, new)?;
        }
        let documents = last_of_each_path(documents);
        if documents.is_empty() {
            return Ok(());
        }
        // One more version, for the table of the changed counts.
        let change = self.begin(name, documents.len() as u64 + 1).await?;
        let table = change.from + documents.len() as u64;
        let paths: Vec<String> = documents.iter().map(|new| new.document.path.clone()).collect();
        let old = self.records_at(&change.state, &paths).await?;
        let mut sizes = Sizes { documents: documents.len() as u64, ..Sizes::default() };
        for new in &documents {
            sizes.chunks += new.document.chunks.len() as u64;
            sizes.text_bytes += new.document.text.len() as u64;
        }
        let chunks = documents.iter().flat_map(|new| &new.document.chunks);
        sizes.languages = Spoken::of(chunks.map(|chunk| (chunk.language, 1)));
        let written = self.write_points(&change.state, change.from, documents).await?;
        sizes.words = written.words;
        let counts = self.subtract_removed(&change.state, &old, written.counts).await?;
        let counts = self.write_counts(&change.state, table, counts).await?;
        let published = self.publish(change, |state| leave_out(state, &old, sizes, counts)).await?;
        self.clean_up(published).await;
        Ok(())
    }

    pub(super) async fn remove(&self, name: &str, paths: &[String]) -> Result<u64, StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let change = self.begin(name, 1).await?;
        let old = self.records_at(&change.state, paths).await?;
        let counts = self.subtract_removed(&change.state, &old, Change::default()).await?;
        let counts = self.write_counts(&change.state, change.from, counts).await?;
        let published = self.publish(change, |state| leave_out(state, &old, Sizes::default(), counts)).await?;
        self.clean_up(published).await;
        Ok(old.len() as u64)
    }

    /// Returns the change `comes` minus the counts of the chunks of removed documents.
    pub(super) async fn subtract_removed(
        &self,
        state: &CollectionState,
        gone: &[RetrievedPoint],
        comes: Change,
    ) -> Result<Change, StoreError> {
        let mut change = comes;
        let of_record = |point: &RetrievedPoint| {
            let number = |name: &str| layout::unsigned(&point.payload, name).unwrap_or(0);
            let (version, chunks) = (number(VERSION), u32::try_from(number("chunks")).unwrap_or(0));
            (0..chunks).map(move |ordinal| layout::chunk_point(version, ordinal))
        };
        let ids: Vec<u64> = gone.iter().flat_map(of_record).collect();
        let chunks = state.chunks(&self.options.prefix, state.slot);
        for point in self.client.get(&chunks, &ids, &[VERSION], &[WORDS]).await? {
            if let Some(words) = point.vectors.as_ref().and_then(sparse::of_point) {
                change.add(&words, -1);
            }
        }
        Ok(change)
    }

    /// Returns the visible records at these paths.
    pub(super) async fn records_at(
        &self,
        state: &CollectionState,
        paths: &[String],
    ) -> Result<Vec<RetrievedPoint>, StoreError> {
        let mut found = Vec::new();
        for paths in paths.chunks(PATHS_AT_ONCE) {
            let filter = state.visible(vec![is_text(KIND, DOCUMENT), is_any_text(PATH, paths)]);
            let points = self.client.scroll(&state.texts(&self.options.prefix), filter, SIZE_FIELDS).await?;
            found.extend(points.unwrap_or_default());
        }
        Ok(found)
    }

    /// Writes documents as the versions from `from` on.
    async fn write_points(
        &self,
        state: &CollectionState,
        from: u64,
        documents: Vec<NewDocument>,
    ) -> Result<IndexedTerms, StoreError> {
        let prefix = &self.options.prefix;
        let (texts, chunks) = (state.texts(prefix), state.chunks(prefix, state.slot));
        let lexical = self.options.lexical;
        let analysed = stream::iter(groups(documents, from)).map(|group| async move {
            let work = move || {
                let mut batches = Batches::new();
                let mut written = IndexedTerms::default();
                for (new, version) in &group {
                    add_document(&mut batches, &mut written, &lexical, *version, new);
                }
                (batches.finish(), written)
            };
            tokio::task::spawn_blocking(work).await.map_err(|error| StoreError::Engine {
                engine: ENGINE,
                action: "analysing documents",
                reason: error.to_string(),
            })
        });
        let mut written = IndexedTerms::default();
        let batches = analysed.buffered(ANALYSED_AT_ONCE).map_ok(|(batches, more)| {
            written.join(more);
            stream::iter(batches.into_iter().map(Ok::<_, StoreError>))
        });
        batches
            .try_flatten()
            .map_ok(|batch| {
                let collection = if batch.of_chunks { &chunks } else { &texts };
                async move { self.client.upsert(collection, batch.points).await }
            })
            .try_buffer_unordered(SENT_AT_ONCE)
            .try_collect::<Vec<()>>()
            .await?;
        Ok(written)
    }

    /// Writes points of chunks into a slot.
    pub(super) async fn write_chunks(&self, collection: &str, points: Vec<PointStruct>) -> Result<(), StoreError> {
        let mut batches = Batches::new();
        for point in points {
            let bytes = prost_size(&point);
            batches.add(true, point, bytes);
        }
        stream::iter(batches.finish().into_iter().map(Ok))
            .map_ok(|batch: Batch| async move { self.client.upsert(collection, batch.points).await })
            .try_buffer_unordered(SENT_AT_ONCE)
            .try_collect::<Vec<()>>()
            .await
            .map(drop)
    }

    /// Records modification times of documents.
    pub(super) async fn touch(&self, name: &str, times: &[(DocumentId, i64)]) -> Result<(), StoreError> {
        use qdrant_client::qdrant::Condition;
        let _one_at_a_time = self.writing.lock().await;
        let state = self.states().await?.find(name)?;
        let texts = state.texts(&self.options.prefix);
        let mut calls = Vec::with_capacity(times.len());
        for &(id, time) in times {
            let (number, version) = layout::parts(id);
            if number == state.number && state.is_visible(version) {
                let payload = qdrant_client::Payload::from(layout::fields([(layout::MODIFIED, time.into())]));
                let filter = Filter::must([Condition::has_id([layout::record_point(version)])]);
                calls.push(self.client.set(&texts, filter, payload));
            }
        }
        stream::iter(calls).buffer_unordered(SENT_AT_ONCE * 4).try_collect::<Vec<()>>().await.map(drop)
    }
}

fn prost_size(point: &PointStruct) -> usize {
    let texts = point.payload.values().map(|value| match &value.kind {
        Some(qdrant_client::qdrant::value::Kind::StringValue(text)) => text.len(),
        _ => 8,
    });
    texts.sum::<usize>() + 4 * 1024
}

/// Updates a state: hides the old versions, adds the sizes of the new ones, and sets the tables that are then current.
pub(super) fn leave_out(
    state: &mut CollectionState,
    old: &[RetrievedPoint],
    added: Sizes,
    (counts, merged): (Vec<(u64, u64)>, Vec<u64>),
) {
    state.counts = counts;
    state.old.extend(merged);
    let mut gone = Sizes::default();
    for point in old {
        gone.add(Sizes::of(point));
        state.old.extend(layout::unsigned(&point.payload, VERSION));
    }
    added.change(state, gone);
}

/// Keeps only the last of several documents with the same path.
fn last_of_each_path(documents: Vec<NewDocument>) -> Vec<NewDocument> {
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<NewDocument> =
        documents.into_iter().rev().filter(|new| seen.insert(new.document.path.clone())).collect();
    kept.reverse();
    kept
}

/// Groups documents, with their versions, into similar amounts of work.
fn groups(documents: Vec<NewDocument>, from: u64) -> Vec<Vec<(NewDocument, u64)>> {
    let mut groups = vec![Vec::new()];
    let mut bytes = 0;
    for (new, version) in documents.into_iter().zip(from..) {
        let full = bytes >= GROUP_BYTES || groups.last().is_some_and(|group: &Vec<_>| group.len() >= GROUP_DOCUMENTS);
        if full {
            groups.push(Vec::new());
            bytes = 0;
        }
        bytes += new.document.text.len();
        if let Some(group) = groups.last_mut() {
            group.push((new, version));
        }
    }
    groups
}

/// Adds the points of a document.
fn add_document(
    batches: &mut Batches,
    written: &mut IndexedTerms,
    lexical: &LexicalOptions,
    version: u64,
    new: &NewDocument,
) {
    let document = &new.document;
    let title = Counts::of(&document.title, document.language);
    let mut words = [0; 3];
    let mut headings: (Arc<[String]>, Counts) = (Arc::from(Vec::new()), Counts::default());
    for (chunk, ordinal) in document.chunks.iter().zip(0..) {
        let text = document.text.get(chunk.range.clone()).unwrap_or_default();
        let body = Counts::of(text, chunk.language);
        // Chunks of one section have the same headings.
        if *headings.0 != chunk.headings.shared {
            headings =
                (chunk.headings.shared.clone().into(), Counts::of(&chunk.headings.shared.join("\n"), chunk.language));
        }
        let counts = [&body, &title, &headings.1];
        words.iter_mut().zip(counts).for_each(|(sum, counts): (&mut u64, _)| *sum += counts.length);
        let sparse = sparse::of_chunk(lexical, counts);
        written.counts.add(sparse.as_ref().unwrap_or(&SparseVector::default()), 1);
        let vectors = new.vectors.get(ordinal as usize).and_then(Option::as_ref);
        let states = vectors.map_or(&[][..], |vectors| &vectors.states);
        let payload = layout::chunk_fields(version, document, chunk, states);
        let embedding = vectors.map(|vectors| vectors.embedding.clone());
        let bytes = text.len()
            + 8 * body.terms.len()
            + states.len() * 4 / 3
            + 512
            + embedding.as_ref().map_or(0, |embedding| embedding.len() * 4);
        batches.add(true, chunk_point(layout::chunk_point(version, ordinal), payload, sparse, embedding), bytes);
    }
    for (nth, start, piece) in layout::pieces(&document.text) {
        let payload = layout::piece_fields(version, start, piece);
        batches.add(false, layout::bare(layout::piece_point(version, nth), payload), piece.len() + 64);
    }
    let record = layout::record_fields(version, document, words);
    batches.add(false, layout::bare(layout::record_point(version), record), 1024);
    written.words.iter_mut().zip(words).for_each(|(sum, more)| *sum += more);
}

/// Returns the point of a chunk with its words and, if it has one, its vector.
pub(super) fn chunk_point(
    id: u64,
    payload: Fields,
    words: Option<SparseVector>,
    embedding: Option<Vec<f32>>,
) -> PointStruct {
    let words = words.map(|words| (WORDS.to_owned(), sparse::words(words)));
    let meaning = embedding.map(|embedding| (MEANING.to_owned(), sparse::dense(embedding)));
    let named = NamedVectors { vectors: words.into_iter().chain(meaning).collect() };
    PointStruct {
        id: Some(id.into()),
        payload,
        vectors: Some(Vectors { vectors_options: Some(VectorsOptions::Vectors(named)) }),
    }
}

/// Returns the mark that a document's vectors were made, even if it has none.
pub(super) fn mark(version: u64) -> PointStruct {
    let payload = layout::fields([(VERSION, layout::integer(version)), (KIND, MARK.into())]);
    layout::bare(layout::record_point(version), payload)
}

/// Returns the point of a chunk in the collection `number`; `None` if the chunk belongs to another collection.
pub(super) fn point_in(number: u64, id: ChunkId) -> Option<u64> {
    let (collection, version) = layout::parts(id.document);
    (collection == number && (id.ordinal as usize) < layout::CHUNKS).then(|| layout::chunk_point(version, id.ordinal))
}
