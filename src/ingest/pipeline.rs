//! The three stages between a list of files and the store: read, embed, commit.
//!
//! All three run in one task and hand their work to other threads: parsing to blocking threads, embedding and
//! committing to whatever the embedder and the store use. While batch n is embedded, the files of batch n + 1 are
//! parsed and batch n − 1 is committed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use super::budget::{ByteBudget, Share};
use super::error::LoadCause;
use super::libraries::Libraries;
use super::manifest::StoredFile;
use super::moved::MissingFiles;
use super::passage::{Vectors, embed};
use super::prepare::{Job, PrepareError, Prepared, prepare};
use super::request::{LoadOptions, PartialRecord};
use super::summary::{ChangeKind, DocumentChange, FileOutcome, LoadEvent};
use super::target::Target;
use crate::base::ContentHash;
use crate::base::text::short_line;
use crate::documents::parse::ParseError;
use crate::domain::{Document, DocumentDate, DocumentId, DocumentRecord, EmbedderIdentity};
use crate::embed::{EmbedError, Embedder};
use crate::sources::FailedFile;
use crate::store::{NewDocument, RenamedDocument, Store, StoreError};

/// The most characters of a reason why a file was not loaded.
const LONGEST_REASON: usize = 500;

/// The receiver of progress events.
pub(super) type Progress<'p> = &'p (dyn Fn(LoadEvent) + Send + Sync);

/// One file on its way to a target.
pub(super) struct Task<'t> {
    pub(super) target: &'t Target,
    pub(super) job: Job,
}

/// The results of the stages, even if they ended early.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) read: ReadTally,
    pub(super) committed: CommitTally,
    pub(super) failure: Option<LoadCause>,
}

/// What became of files that gave no new document, or only part of one.
#[derive(Default)]
pub(super) struct ReadTally {
    pub(super) unchanged: u64,
    pub(super) failed: Vec<FailedFile>,
    /// Documents that were read only in part; they are also among the failed.
    pub(super) partial: Vec<PartialRecord>,
    /// Paths of files that are empty.
    pub(super) empty: Vec<String>,
    /// Paths of stored documents, by collection, whose files were read and no longer contain a document.
    pub(super) lost: BTreeMap<String, Vec<String>>,
    /// Unchanged documents, by collection, that have a date of their own and whose files have a new time.
    pub(super) touched: BTreeMap<String, Vec<(DocumentId, i64)>>,
    /// Unchanged documents, by collection, whose only date is their file's time, which is new.
    pub(super) redated: BTreeMap<String, Vec<RenamedDocument>>,
}

/// What was committed to the store.
#[derive(Default)]
pub(super) struct CommitTally {
    /// What became of each document, in the order of the load.
    pub(super) changes: Vec<DocumentChange>,
    pub(super) chunks: u64,
    pub(super) bytes: u64,
    /// Collections that documents were put into.
    pub(super) written: BTreeSet<String>,
}

/// A file that is being read, without its content.
struct FileHead<'t> {
    target: &'t Target,
    path: String,
    bytes: u64,
    modified_ns: i64,
    /// The content hash of the stored version that it replaces.
    replaces: Option<ContentHash>,
    share: Share,
}

/// The result of parsing; the outer error is a parser's panic.
type ParseResult = Result<Result<Prepared, PrepareError>, JoinError>;

/// A file being parsed.
struct InFlight<'t> {
    head: FileHead<'t>,
    parsing: JoinHandle<Result<Prepared, PrepareError>>,
}

/// Documents of one target that are committed together.
#[derive(Default)]
struct Batch<'t> {
    /// `None` if the batch is empty.
    target: Option<&'t Target>,
    documents: Vec<Document>,
    vectors: Vectors,
    /// Stored documents that have moved.
    moved: Vec<RenamedDocument>,
    changes: Vec<(ChangeKind, String, Option<String>)>,
    text_bytes: u64,
    chunks: usize,
    shares: Vec<Share>,
}

/// Carries out tasks as they come, until their sender is dropped. `gone` holds stored documents that a new file may
/// turn out to be.
pub(super) async fn run(
    store: &dyn Store,
    tasks: Receiver<Task<'_>>,
    gone: MissingFiles,
    options: &LoadOptions,
    libraries: &Arc<Libraries>,
    progress: Progress<'_>,
    interrupt: &CancellationToken,
) -> Outcome {
    let budget = ByteBudget::new(options.in_flight_bytes);
    let (parsed_out, parsed_in) = channel(options.parallel_files.saturating_sub(1).max(1));
    let (batch_out, batch_in) = channel(1);
    let ((), (read, embedding), (committed, committing)) = tokio::join!(
        read_files(tasks, &budget, options, libraries, parsed_out, interrupt),
        BatchStage { gone, options, out: batch_out, progress, interrupt }.run(parsed_in),
        commit(store, batch_in, options, progress),
    );
    // A failed commit also ends the embedding, so it is the cause if both failed.
    let failure = committing.err().map(LoadCause::Store).or(embedding.err().map(LoadCause::Embed));
    Outcome { read, committed, failure }
}

/// Starts parsing files in order, as the budget and the channel's bound allow.
async fn read_files<'t>(
    mut tasks: Receiver<Task<'t>>,
    budget: &ByteBudget,
    options: &LoadOptions,
    libraries: &Arc<Libraries>,
    out: Sender<InFlight<'t>>,
    interrupt: &CancellationToken,
) {
    let shared = Arc::new(options.clone());
    loop {
        let next = tokio::select! {
            biased;
            () = interrupt.cancelled() => return,
            next = tasks.recv() => next,
        };
        let Some(Task { target, job }) = next else { return };
        // A file refused for its size is never read and needs no room.
        let room = if job.size > options.max_file_bytes { 0 } else { job.size };
        let share = tokio::select! {
            biased;
            () = interrupt.cancelled() => return,
            share = budget.take(room) => share,
        };
        let head = FileHead {
            target,
            path: job.path.clone(),
            bytes: job.size,
            modified_ns: job.modified_ns,
            replaces: job.known.map(|known| known.hash),
            share,
        };
        let (options, libraries) = (Arc::clone(&shared), Arc::clone(libraries));
        let parsing = tokio::task::spawn_blocking(move || prepare(job, &options, &libraries));
        if out.send(InFlight { head, parsing }).await.is_err() {
            // The next stage has ended and reports why.
            return;
        }
    }
}

/// The middle stage: takes parsed files in order, gathers batches, embeds them and passes them on.
struct BatchStage<'g, 't> {
    gone: MissingFiles,
    options: &'g LoadOptions,
    out: Sender<Batch<'t>>,
    progress: Progress<'g>,
    interrupt: &'g CancellationToken,
}

/// Why the middle stage ends before its input does.
enum Stop {
    /// Interrupted, or the committing stage has ended and reports why.
    Quietly,
    Failed(EmbedError),
}

/// The next input of the middle stage.
enum Next<'t> {
    Parsed(FileHead<'t>, ParseResult),
    /// Nothing more for a while: the gathered documents should be passed on, since the reader may be waiting for their
    /// room.
    Pause,
    End,
}

impl<'t> BatchStage<'_, 't> {
    async fn run(mut self, mut parsed: Receiver<InFlight<'t>>) -> (ReadTally, Result<(), EmbedError>) {
        let mut tally = ReadTally::default();
        match self.gather(&mut parsed, &mut tally).await {
            Ok(()) | Err(Stop::Quietly) => (tally, Ok(())),
            Err(Stop::Failed(error)) => (tally, Err(error)),
        }
    }

    /// Documents that are gathered but not yet embedded at an interrupt are left for the next load.
    async fn gather(&mut self, parsed: &mut Receiver<InFlight<'t>>, tally: &mut ReadTally) -> Result<(), Stop> {
        let mut batch = Batch::default();
        loop {
            let next = tokio::select! {
                biased;
                () = self.interrupt.cancelled() => return Err(Stop::Quietly),
                next = next_file(parsed, !batch.is_empty(), self.options) => next,
            };
            match next {
                Next::Parsed(head, result) => {
                    let Some((head, document)) = absorb(head, result, tally, self.progress) else {
                        continue;
                    };
                    if batch.target.is_some_and(|target| target.name != head.target.name) {
                        self.pass_on(std::mem::take(&mut batch)).await?;
                    }
                    match self.gone.take(&head.target.name, &document) {
                        Some(record) => batch.add_moved(head, record, &document),
                        None => batch.add(head, document),
                    }
                    if batch.is_full(self.options) {
                        self.pass_on(std::mem::take(&mut batch)).await?;
                    }
                }
                Next::Pause => self.pass_on(std::mem::take(&mut batch)).await?,
                Next::End => return self.pass_on(batch).await,
            }
        }
    }

    /// Embeds a batch and hands it to the committing stage.
    async fn pass_on(&self, mut batch: Batch<'t>) -> Result<(), Stop> {
        if batch.is_empty() {
            return Ok(());
        }
        if let Some(embedder) = batch.target.and_then(|target| target.embedder.as_deref()) {
            self.embed(embedder, &mut batch).await?;
        }
        self.out.send(batch).await.map_err(|_closed| Stop::Quietly)
    }

    /// Fills in the vectors. Stops at an interrupt if further calls are left, as happens in a document larger than a
    /// batch.
    async fn embed(&self, embedder: &dyn Embedder, batch: &mut Batch<'_>) -> Result<(), Stop> {
        let go_on = |passages: usize, _more| {
            (self.progress)(LoadEvent::Embedded { passages: passages as u64 });
            !self.interrupt.is_cancelled()
        };
        let vectors = embed(embedder, &batch.documents, self.options.batch_passages, go_on).await;
        batch.vectors = vectors.map_err(Stop::Failed)?.ok_or(Stop::Quietly)?;
        Ok(())
    }
}

async fn next_file<'t>(parsed: &mut Receiver<InFlight<'t>>, gathered: bool, options: &LoadOptions) -> Next<'t> {
    let received = if gathered {
        match tokio::time::timeout(options.batch_wait, parsed.recv()).await {
            Ok(received) => received,
            Err(_elapsed) => return Next::Pause,
        }
    } else {
        parsed.recv().await
    };
    match received {
        Some(InFlight { head, parsing }) => Next::Parsed(head, parsing.await),
        None => Next::End,
    }
}

/// A reason on one line, shortened. Some parsers quote the line that they fail on, which may be the whole document.
fn bounded(reason: &str) -> String {
    short_line(reason, LONGEST_REASON)
}

/// Counts a file that gave no whole document, reports its outcome, and returns its document, if any.
fn absorb<'t>(
    file: FileHead<'t>,
    result: ParseResult,
    tally: &mut ReadTally,
    progress: Progress<'_>,
) -> Option<(FileHead<'t>, Document)> {
    let told = |outcome| progress(LoadEvent::File { path: file.path.clone(), outcome, bytes: file.bytes });
    let reason = match result {
        Ok(Ok(Prepared::Ready(document, lost))) => {
            told(FileOutcome::Parsed);
            if let Some(reason) = lost.as_deref().map(bounded) {
                let (path, hash) = (file.path.clone(), document.hash);
                tally.failed.push(FailedFile { path: path.clone(), reason: reason.clone() });
                tally.partial.push(PartialRecord { path, hash, reason });
            }
            return Some((file, *document));
        }
        Ok(Ok(Prepared::Same(known))) => {
            told(FileOutcome::Unchanged);
            tally.unchanged += 1;
            if known.modified_ns != file.modified_ns {
                tally.note_time(&file, known);
            }
            return None;
        }
        Ok(Err(error)) => {
            if file.replaces.is_some() && matches!(error, PrepareError::Parse(_)) {
                tally.lost.entry(file.target.name.clone()).or_default().push(file.path.clone());
            }
            if matches!(error, PrepareError::Parse(ParseError::Blank)) {
                told(FileOutcome::Empty);
                tally.empty.push(file.path);
                return None;
            }
            bounded(&error.to_string())
        }
        Err(_panicked) => "the reader of its format failed on it: it may be damaged".to_owned(),
    };
    told(FileOutcome::Failed);
    tally.failed.push(FailedFile { path: file.path, reason });
    None
}

impl ReadTally {
    fn note_time(&mut self, file: &FileHead<'_>, known: StoredFile) {
        let (collection, modified_ns) = (file.target.name.clone(), file.modified_ns);
        if !known.dated_by_file {
            self.touched.entry(collection).or_default().push((known.id, modified_ns));
            return;
        }
        let (path, date) = (file.path.clone(), DocumentDate::of_file_time(modified_ns));
        let redated = RenamedDocument { id: known.id, path, modified_ns, date };
        self.redated.entry(collection).or_default().push(redated);
    }
}

impl<'t> Batch<'t> {
    fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds a stored document that has moved: there is nothing to embed.
    fn add_moved(&mut self, file: FileHead<'t>, record: DocumentRecord, document: &Document) {
        self.target = Some(file.target);
        let (path, modified_ns, date) = (file.path.clone(), file.modified_ns, document.date);
        self.moved.push(RenamedDocument { id: record.id, path, modified_ns, date });
        self.changes.push((ChangeKind::Moved, file.path, Some(record.path)));
        self.shares.push(file.share);
    }

    fn add(&mut self, file: FileHead<'t>, document: Document) {
        self.target = Some(file.target);
        let change = match file.replaces {
            None => ChangeKind::New,
            Some(before) if before == document.hash => ChangeKind::Reloaded,
            Some(_) => ChangeKind::Changed,
        };
        self.changes.push((change, file.path, None));
        self.text_bytes += document.text.len() as u64;
        self.chunks += document.chunks.len();
        self.documents.push(document);
        self.shares.push(file.share);
    }

    fn is_full(&self, options: &LoadOptions) -> bool {
        let embeds = self.target.is_some_and(|target| target.embedder.is_some());
        !self.is_empty()
            && (self.text_bytes >= options.batch_text_bytes
                || self.changes.len() >= options.batch_documents
                || (embeds && self.chunks >= options.batch_passages))
    }
}

/// Puts batches into the store, creating each collection with its first document.
async fn commit(
    store: &dyn Store,
    mut batches: Receiver<Batch<'_>>,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> (CommitTally, Result<(), StoreError>) {
    let mut tally = CommitTally::default();
    let mut unflushed = 0;
    while let Some(batch) = batches.recv().await {
        let text_bytes = batch.text_bytes;
        if let Err(error) = commit_batch(store, batch, &mut tally, progress).await {
            return (tally, Err(error));
        }
        unflushed += text_bytes;
        if unflushed >= options.flush_text_bytes {
            unflushed = 0;
            if let Err(error) = store.flush().await {
                return (tally, Err(error));
            }
        }
    }
    (tally, Ok(()))
}

async fn commit_batch(
    store: &dyn Store,
    batch: Batch<'_>,
    tally: &mut CommitTally,
    progress: Progress<'_>,
) -> Result<(), StoreError> {
    let Some(target) = batch.target else {
        return Ok(());
    };
    if let Some(spec) = &target.create
        && !tally.written.contains(&target.name)
    {
        match store.create(spec.clone()).await {
            // Another load, which also found it missing, created it first. Vectors of another embedder do not go in.
            Err(StoreError::CollectionExists { .. }) => {
                let there = store.collection(&target.name).await?;
                if there.embedder != spec.embedder {
                    let named =
                        |one: &Option<EmbedderIdentity>| one.as_ref().map_or("none", |one| &one.name).to_owned();
                    let (has, asked) = (named(&there.embedder), named(&spec.embedder));
                    return Err(StoreError::OtherEmbedder { collection: target.name.clone(), has, asked });
                }
            }
            made => drop(made?),
        }
    }
    let (count, chunks) = (batch.documents.len() as u64, batch.chunks as u64);
    let source_bytes: u64 = batch.documents.iter().map(|document| document.bytes).sum();
    let mut vectors = batch.vectors.into_iter();
    let documents = batch
        .documents
        .into_iter()
        .map(|document| NewDocument { document, vectors: vectors.next().unwrap_or_default() })
        .collect();
    // Noted before the attempt: the collection may have been created even if its documents cannot be stored.
    tally.written.insert(target.name.clone());
    if count > 0 {
        store.put(&target.name, documents).await?;
    }
    if !batch.moved.is_empty() {
        store.rename_documents(&target.name, batch.moved).await?;
    }
    let told = |(change, path, from)| DocumentChange { change, collection: target.name.clone(), path, from };
    tally.changes.extend(batch.changes.into_iter().map(told));
    tally.chunks += chunks;
    tally.bytes += source_bytes;
    progress(LoadEvent::Committed { collection: target.name.clone(), documents: count, chunks });
    drop(batch.shares);
    Ok(())
}
