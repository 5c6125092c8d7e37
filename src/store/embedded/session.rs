//! Writes to the store: one session at a time, which holds the lock, the catalog's writing connection and the index's
//! writer.

use std::path::{Path, PathBuf};

use super::catalog::{CatalogReader, CatalogWriter, Change, CollectionRow, path_in};
use super::error::io_error;
use super::lexical::{ChunkText, LexicalWriter};
use super::lock::WriterLock;
use super::{EmbeddedOptions, Inner, lexical, unknown_collection, vectors};
use crate::base::{if_there, locked, write_atomically};
use crate::domain::{ChunkId, CollectionSpec, DocumentId, EmbedderIdentity};
use crate::store::checks::check_document;
use crate::store::names::check_name;
use crate::store::{DocumentVectors, NewDocument, RenamedDocument, StoreError};

/// The version of the folder as a whole.
const FORMAT: u32 = 1;

const FORMAT_FILE: &str = "FORMAT";

/// The number of idle connections that are kept for reading: somewhat more than one search uses at once.
const IDLE_READERS: usize = 6;

/// Refuses a folder of a newer version; a folder without a version is new.
pub(super) fn check_format(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(FORMAT_FILE);
    let content = if_there(std::fs::read_to_string(&path));
    let Some(content) = content.map_err(|error| io_error(folder, "cannot read", &path, error))? else { return Ok(()) };
    match content.trim().parse() {
        Ok(found) if found > FORMAT => Err(StoreError::NewerFormat { path, found, known: FORMAT }),
        Ok(_) => Ok(()),
        Err(_) => Err(StoreError::Damaged {
            path,
            reason: format!("it should hold a version number; write {FORMAT} into it if this folder is deepsearch's"),
        }),
    }
}

/// The session of the process that writes to a folder.
pub(super) struct Session {
    folder: PathBuf,
    options: EmbeddedOptions,
    catalog: CatalogWriter,
    reader: CatalogReader,
    /// Open from the first change of documents on. It has all changes of the catalog, committed or not. After a failure
    /// it is closed, and it catches up when it is opened again.
    lexical: Option<LexicalWriter>,
    /// Dropped last.
    _lock: WriterLock,
}

impl Session {
    fn open(folder: &Path, options: &EmbeddedOptions) -> Result<Self, StoreError> {
        let lock = WriterLock::acquire(folder, options.clock.now())?;
        check_format(folder)?;
        let path = folder.join(FORMAT_FILE);
        if !path.exists() {
            write_atomically(&path, format!("{FORMAT}\n").as_bytes())
                .map_err(|error| io_error(folder, "cannot write", &path, error))?;
        }
        let catalog = CatalogWriter::open(folder)?;
        let reader = CatalogReader::open(folder)?.ok_or_else(|| StoreError::Damaged {
            path: path_in(folder),
            reason: "it vanished while it was opened; try again".to_owned(),
        })?;
        Ok(Session { folder: folder.to_owned(), options: options.clone(), catalog, reader, lexical: None, _lock: lock })
    }

    fn find(&self, name: &str) -> Result<CollectionRow, StoreError> {
        find_in(self.reader.collections()?, name)
    }

    /// Checks that the name is valid and that no collection has it.
    fn check_free(&self, name: &str) -> Result<(), StoreError> {
        check_name(name)?;
        match self.find(name) {
            Ok(_) => Err(StoreError::CollectionExists { name: name.to_owned() }),
            Err(StoreError::NoCollection { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn create(&mut self, spec: &CollectionSpec) -> Result<(), StoreError> {
        self.check_free(&spec.name)?;
        self.catalog.create(spec)
    }

    pub(super) fn describe(&mut self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError> {
        let id = self.find(name)?.id;
        self.catalog.describe(id, description, by_user)
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), StoreError> {
        let id = self.find(from)?.id;
        if from == to {
            return Ok(());
        }
        self.check_free(to)?;
        self.catalog.rename(id, to)
    }

    pub(super) fn drop_collection(&mut self, name: &str) -> Result<(), StoreError> {
        let id = self.find(name)?.id;
        self.index()?;
        self.catalog.drop_collection(id)?;
        self.indexing(|index| index.remove_collection(id))
    }

    pub(super) fn put(&mut self, name: &str, documents: &[NewDocument]) -> Result<(), StoreError> {
        let row = self.find(name)?;
        for new in documents {
            check_document(&row.collection, "the catalog", 1 << ChunkId::ORDINAL_BITS, new)?;
        }
        if documents.is_empty() {
            return Ok(());
        }
        // Opened before the catalog's commit: otherwise catching up would already add the documents that are added
        // below.
        self.index()?;
        let dimension = row.collection.embedder.as_ref().map(|embedder| embedder.dimension);
        let placed = self.catalog.put(row.id, dimension, documents)?;
        self.indexing(|index| {
            for (new, placed) in documents.iter().zip(&placed) {
                if let Some(replaced) = placed.replaced {
                    index.remove_document(replaced.0)?;
                }
                let document = &new.document;
                let chunks = document.chunks.iter().map(|chunk| ChunkText {
                    body: document.text.get(chunk.range.clone()).unwrap_or_default(),
                    headings: &chunk.headings,
                    language: chunk.language,
                });
                index.add(row.id, placed.id, (&document.title, document.language), chunks)?;
            }
            Ok(())
        })
    }

    pub(super) fn touch(&mut self, name: &str, times: &[(DocumentId, i64)]) -> Result<(), StoreError> {
        let id = self.find(name)?.id;
        self.catalog.touch(id, times)
    }

    pub(super) fn rename_documents(&mut self, name: &str, documents: &[RenamedDocument]) -> Result<(), StoreError> {
        let id = self.find(name)?.id;
        self.index()?;
        let replaced = self.catalog.rename_documents(id, documents)?;
        self.indexing(|index| replaced.iter().try_for_each(|document| index.remove_document(document.0)))
    }

    pub(super) fn remove(&mut self, name: &str, paths: &[String]) -> Result<u64, StoreError> {
        let id = self.find(name)?.id;
        self.index()?;
        let removed = self.catalog.remove(id, paths)?;
        self.indexing(|index| removed.iter().try_for_each(|document| index.remove_document(document.0)))?;
        Ok(removed.len() as u64)
    }

    /// Marks documents that the next load must store again.
    pub(super) fn mark_outdated(&mut self, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.catalog.mark_outdated(documents)
    }

    /// Begins or continues a re-embedding; returns the documents that need vectors.
    pub(super) fn start_reembedding(
        &mut self,
        name: &str,
        embedder: Option<&EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        let row = self.find(name)?;
        if row.collection.embedder.as_ref() == embedder {
            self.catalog.end_reembedding(row.id)?;
            self.catalog.delete_unused_vectors(row.id)?;
            return Ok(Vec::new());
        }
        self.catalog.begin_reembedding(row.id, embedder)?;
        if embedder.is_some() { self.catalog.pending(row.id) } else { Ok(Vec::new()) }
    }

    pub(super) fn put_vectors(&mut self, name: &str, documents: &[DocumentVectors]) -> Result<(), StoreError> {
        let id = self.find(name)?.id;
        let refuse =
            |reason: String| Err(StoreError::Engine { engine: "the catalog", action: "putting new vectors", reason });
        let Some(dimension) = self.catalog.next_dimension(id)? else {
            return refuse(format!("no re-embedding of `{name}` is under way"));
        };
        let mut vectors = documents.iter().flat_map(|(_, vectors)| vectors.iter().flatten());
        if let Some(other) = vectors.find(|vector| vector.embedding.len() != dimension) {
            return refuse(format!("{} dimensions in place of {dimension}", other.embedding.len()));
        }
        self.catalog.put_new_vectors(id, dimension, documents)
    }

    pub(super) fn finish_reembedding(&mut self, name: &str) -> Result<bool, StoreError> {
        let id = self.find(name)?.id;
        self.index()?;
        if !self.catalog.switch_vectors(id)? {
            return Ok(false);
        }
        self.flush()?;
        self.catalog.delete_unused_vectors(id)?;
        Ok(true)
    }

    /// Updates the derived files so that they contain all changes.
    fn flush(&mut self) -> Result<(), StoreError> {
        self.index()?;
        let seq = self.reader.sequence()?;
        self.indexing(|index| if index.committed() == Some(seq) { Ok(()) } else { index.commit(seq) })?;
        vectors::update(&self.folder, &self.reader, seq)?;
        self.catalog.forget_changes(seq)?;
        if self.lexical.as_ref().map(LexicalWriter::has_many_segments).transpose()? == Some(true) {
            self.lexical = None;
        }
        Ok(())
    }

    /// Returns the index's writer, with all changes of the catalog so far.
    fn index(&mut self) -> Result<&mut LexicalWriter, StoreError> {
        let open = match self.lexical.take() {
            Some(open) => open,
            None => {
                let mut index =
                    LexicalWriter::open(&self.folder, self.options.index_threads.max(1), self.options.index_memory)?;
                catch_up(&mut index, &self.reader)?;
                index
            }
        };
        Ok(self.lexical.insert(open))
    }

    /// Runs `work` on the open index; a failure closes it.
    fn indexing(&mut self, work: impl FnOnce(&mut LexicalWriter) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let result = self.index().and_then(work);
        if result.is_err() {
            self.lexical = None;
        }
        result
    }
}

/// Applies to the index the changes of the catalog that it lacks.
fn catch_up(index: &mut LexicalWriter, catalog: &CatalogReader) -> Result<(), StoreError> {
    let changes = match index.committed() {
        Some(seq) => catalog.changes_after(seq)?,
        None => None,
    };
    let changes = match changes {
        Some(changes) => changes,
        None => {
            let documents = catalog.document_ids()?;
            if !documents.is_empty() {
                tracing::warn!(documents = documents.len(), "the index is made anew from the catalog");
            }
            index.clear()?;
            documents.into_iter().map(Change::Added).collect()
        }
    };
    for change in changes {
        match change {
            Change::Removed(document) => index.remove_document(document)?,
            Change::Dropped(collection) => index.remove_collection(collection)?,
            Change::Reembedded(_) | Change::Renamed(_) => {}
            // A document that was removed again is not found and is skipped.
            Change::Added(document) => {
                // An index that contains more than it records must not get the document twice.
                index.remove_document(document)?;
                if let Some(full) = sound(catalog.full_document(document))? {
                    let chunks = full.chunks.iter().map(|(range, headings, language)| ChunkText {
                        body: full.text.get(range.clone()).unwrap_or_default(),
                        headings,
                        language: *language,
                    });
                    index.add(full.collection, DocumentId(document), (&full.title, full.language), chunks)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns what was read of a document, or `None` if it is damaged: a damaged document must not keep the others from
/// being found, nor itself from being replaced.
pub(super) fn sound<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(error @ StoreError::Damaged { .. }) => {
            tracing::warn!(%error, "a document is left out");
            Ok(None)
        }
        other => other,
    }
}

pub(super) fn find_in(mut rows: Vec<CollectionRow>, name: &str) -> Result<CollectionRow, StoreError> {
    match rows.iter().position(|row| row.collection.name == name) {
        Some(at) => Ok(rows.swap_remove(at)),
        None => Err(unknown_collection(name, rows.into_iter().map(|row| row.collection.name))),
    }
}

impl Inner {
    /// Runs `work` on a connection for reading; `None` if nothing was ever written.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&CatalogReader) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let idle = locked(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => match CatalogReader::open(&self.folder)? {
                Some(reader) => reader,
                None => return Ok(None),
            },
        };
        let value = work(&reader)?;
        let mut readers = locked(&self.readers);
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        Ok(Some(value))
    }

    pub(super) fn collections(&self) -> Result<Vec<CollectionRow>, StoreError> {
        Ok(self.read(CatalogReader::collections)?.unwrap_or_default())
    }

    pub(super) fn find(&self, name: &str) -> Result<CollectionRow, StoreError> {
        find_in(self.collections()?, name)
    }

    /// Runs `work` as the writer; the process becomes the writer if it is not yet.
    pub(super) fn write<T>(&self, work: impl FnOnce(&mut Session) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut session = locked(&self.session);
        let mut open = match session.take() {
            Some(open) => open,
            None => Session::open(&self.folder, &self.options)?,
        };
        let result = work(&mut open);
        *session = Some(open);
        result
    }

    pub(super) fn flush(&self) -> Result<(), StoreError> {
        let mut session = locked(&self.session);
        if let Some(open) = session.as_mut() {
            return self.flush_and_repair(open);
        }
        if !self.lags_behind()? {
            return Ok(());
        }
        match Session::open(&self.folder, &self.options) {
            // The current writer will flush.
            Err(StoreError::Locked { .. }) => Ok(()),
            other => self.flush_and_repair(&mut other?),
        }
    }

    /// Flushes, and rebuilds files known to be damaged.
    fn flush_and_repair(&self, session: &mut Session) -> Result<(), StoreError> {
        if self.lexical.found_damage() {
            session.lexical = None;
            lexical::forget(&self.folder)?;
        }
        if !self.vectors.found_damage() {
            return session.flush();
        }
        vectors::forget(&self.folder)?;
        session.flush()?;
        tracing::warn!("the vectors were made anew from the catalog");
        Ok(())
    }

    /// Whether a derived file that still exists is known to be damaged.
    pub(super) fn found_damage(&self) -> bool {
        self.vectors.found_damage() || self.lexical.found_damage()
    }

    /// Runs before every search. Before the first one, if a killed process left the derived files behind the catalog
    /// and nobody is writing, they are updated. If that is not possible, they are searched as they are. The same is
    /// done whenever derived files turn out to be damaged, by this process's own session if it has one.
    pub(super) fn recover_once(&self) -> Result<(), StoreError> {
        let mut recovered = locked(&self.recovered);
        if *recovered && !self.found_damage() {
            return Ok(());
        }
        let mut session = locked(&self.session);
        let lags_behind = match session.as_mut() {
            None => self.lags_behind()?,
            Some(_) => {
                (self.vectors.snapshot()?.is_none() || self.lexical.snapshot()?.is_none()) && self.found_damage()
            }
        };
        if lags_behind {
            let result = match session.as_mut() {
                Some(open) => self.flush_and_repair(open),
                None => {
                    Session::open(&self.folder, &self.options).and_then(|mut open| self.flush_and_repair(&mut open))
                }
            };
            match result {
                Ok(()) => tracing::info!("the indexes were brought up to the catalog"),
                // Without any index nothing would be found, which would be a wrong answer.
                Err(error @ (StoreError::NotWritable { .. } | StoreError::NoSpace { .. }))
                    if self.lexical.snapshot()?.is_none() =>
                {
                    return Err(error);
                }
                Err(
                    error @ (StoreError::Locked { .. } | StoreError::NotWritable { .. } | StoreError::NoSpace { .. }),
                ) => {
                    tracing::warn!(%error, "the indexes are behind the catalog and are searched as they are");
                }
                Err(error) => return Err(error),
            }
        }
        *recovered = true;
        Ok(())
    }

    fn lags_behind(&self) -> Result<bool, StoreError> {
        let Some(seq) = self.read(CatalogReader::sequence)? else {
            return Ok(false);
        };
        if seq == 0 {
            return Ok(false);
        }
        let lexical = self.lexical.snapshot()?.and_then(|snapshot| snapshot.seq);
        let vectors = self.vectors.snapshot()?.map(|snapshot| snapshot.seq);
        Ok(lexical != Some(seq) || vectors != Some(seq))
    }
}
