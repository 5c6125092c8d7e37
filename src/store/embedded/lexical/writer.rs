//! Writes the index, and opens it for writing: an index that is damaged or of another version is emptied, to be filled
//! from the catalog. The session decides which chunks are added.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::indexer::LogMergePolicy;
use tantivy::{Index, IndexWriter, TantivyDocument, TantivyError, Term};

use super::tokenizer::tagged;
use super::{Fields, create, folder_in, open_checked, parse_payload, payload, spoken};
use crate::base::create_private_folder;
use crate::base::text::Language;
use crate::domain::{ChunkId, DocumentId, Headings};
use crate::store::StoreError;
use crate::store::embedded::error::{io_error, tantivy_error};

/// With more segments than this, a flush waits for merges; fewer are merged in the background.
const MANY_SEGMENTS: usize = 24;

/// The data of one chunk that are indexed.
pub(in crate::store::embedded) struct ChunkText<'a> {
    pub(in crate::store::embedded) body: &'a str,
    pub(in crate::store::embedded) headings: &'a Headings,
    pub(in crate::store::embedded) language: Language,
}

/// The only writer of the index. Dropping it waits for merges in progress: a merge that ended later would overwrite a
/// newer list of segments with its older one.
pub(in crate::store::embedded) struct LexicalWriter {
    folder: PathBuf,
    index: Index,
    fields: Fields,
    /// `None` only during `drop`.
    writer: Option<IndexWriter>,
    /// The last change in the last commit; `None` for an index that is empty or of another version and must be filled
    /// again.
    committed: Option<u64>,
}

impl LexicalWriter {
    /// Opens the index or creates an empty one, which also replaces a damaged one.
    pub(in crate::store::embedded) fn open(data: &Path, threads: usize, heap: usize) -> Result<Self, StoreError> {
        let folder = folder_in(data);
        create_private_folder(&folder).map_err(|error| io_error(data, "cannot make", &folder, error))?;
        match Self::open_index(&folder, threads, heap) {
            Ok(writer) => Ok(writer),
            Err(error) if is_damage(&error) => {
                if matches!(error, TantivyError::SchemaError(_)) {
                    tracing::info!(folder = %folder.display(), "the index is of another version and is made anew");
                } else {
                    tracing::warn!(folder = %folder.display(), %error, "the index is damaged and is made anew");
                }
                clear(&folder).map_err(|error| io_error(data, "cannot clear", &folder, error))?;
                Self::open_index(&folder, threads, heap).map_err(|error| tantivy_error(&folder, "opening it", error))
            }
            Err(error) => Err(tantivy_error(&folder, "opening it", error)),
        }
    }

    fn open_index(folder: &Path, threads: usize, heap: usize) -> Result<Self, TantivyError> {
        let (index, fields) = match open_checked(folder, &Arc::default())? {
            Some(found) => found,
            None => {
                // Files without a list of segments are useless, and new files might get the same names.
                clear(folder)?;
                create(folder)?
            }
        };
        let writer = index.writer_with_num_threads(threads, heap)?;
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(0.3);
        writer.set_merge_policy(Box::new(policy));
        // A process that was killed during a commit leaves files that no list of segments names. This writer numbers
        // its operations from the same start, so its own files would get the same names.
        writer.garbage_collect_files().wait()?;
        let committed = parse_payload(index.load_metas()?.payload.as_deref());
        Ok(LexicalWriter { folder: folder.to_owned(), index, fields, writer: Some(writer), committed })
    }

    pub(in crate::store::embedded) fn committed(&self) -> Option<u64> {
        self.committed
    }

    fn fail(&self, error: TantivyError) -> StoreError {
        tantivy_error(&self.folder, "writing", error)
    }

    fn writer(&mut self) -> Result<&mut IndexWriter, StoreError> {
        self.writer.as_mut().ok_or_else(|| StoreError::Engine {
            engine: "the index (tantivy)",
            action: "writing",
            reason: "it is closed".to_owned(),
        })
    }

    /// Empties the index.
    pub(in crate::store::embedded) fn clear(&mut self) -> Result<(), StoreError> {
        let result = self.writer()?.delete_all_documents();
        result.map(drop).map_err(|error| self.fail(error))
    }

    /// Adds the chunks of a document.
    pub(in crate::store::embedded) fn add<'a>(
        &mut self,
        collection: u64,
        document: DocumentId,
        title: (&str, Language),
        chunks: impl Iterator<Item = ChunkText<'a>>,
    ) -> Result<(), StoreError> {
        let title = tagged(title.0, title.1);
        for (chunk, ordinal) in chunks.zip(0..) {
            let mut row = TantivyDocument::default();
            row.add_u64(self.fields.chunk, ChunkId { document, ordinal }.pack());
            row.add_u64(self.fields.collection, collection);
            row.add_u64(self.fields.document, document.0);
            row.add_text(self.fields.spoken, spoken(collection, chunk.language));
            row.add_text(self.fields.body, tagged(chunk.body, chunk.language));
            row.add_text(self.fields.title, &title);
            if !chunk.headings.shared.is_empty() {
                row.add_text(self.fields.headings, tagged(&chunk.headings.shared.join("\n"), chunk.language));
            }
            let result = self.writer()?.add_document(row);
            result.map_err(|error| self.fail(error))?;
        }
        Ok(())
    }

    pub(in crate::store::embedded) fn remove_document(&mut self, document: u64) -> Result<(), StoreError> {
        let term = Term::from_field_u64(self.fields.document, document);
        self.writer()?.delete_term(term);
        Ok(())
    }

    pub(in crate::store::embedded) fn remove_collection(&mut self, collection: u64) -> Result<(), StoreError> {
        let term = Term::from_field_u64(self.fields.collection, collection);
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Makes all additions durable and searchable; they contain all changes up to `seq`.
    pub(in crate::store::embedded) fn commit(&mut self, seq: u64) -> Result<(), StoreError> {
        let run = |writer: &mut IndexWriter| {
            let mut prepared = writer.prepare_commit()?;
            prepared.set_payload(&payload(seq));
            prepared.commit()
        };
        let result = run(self.writer()?);
        result.map_err(|error| self.fail(error))?;
        self.committed = Some(seq);
        Ok(())
    }

    /// Whether merging in the background cannot keep up; the caller then drops this writer, which waits for it.
    pub(in crate::store::embedded) fn has_many_segments(&self) -> Result<bool, StoreError> {
        let segments = self.index.searchable_segment_ids().map_err(|error| self.fail(error))?;
        Ok(segments.len() > MANY_SEGMENTS)
    }
}

impl Drop for LexicalWriter {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.writer.take().map(IndexWriter::wait_merging_threads) {
            tracing::warn!(folder = %self.folder.display(), %error, "merging the index failed; it is tried again later");
        }
    }
}

/// Whether rebuilding the index helps.
pub(super) fn is_damage(error: &TantivyError) -> bool {
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::OpenReadError(_)
        | TantivyError::InvalidArgument(_)
        | TantivyError::InternalError(_) => true,
        TantivyError::IoError(error) => {
            matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound)
        }
        _ => false,
    }
}

/// Deletes the files of the index but keeps the folder.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}
