//! The keyword half of the store: a tantivy index of chunks, derived from the catalog. Each commit carries the number
//! of the last change that it contains, which shows how far the index lags behind.
//!
//! A search has two steps: tantivy's BM25 quickly finds candidates, and [`rescore`] computes their scores, with this
//! program's own constants and bonuses for words that stand together.

mod check;
mod directory;
mod rescore;
mod search;
mod tokenizer;
mod top;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::{Index, IndexBuilder, IndexSettings, TantivyError};

use check::CHECKED_AT_ONCE;
use directory::IndexDirectory;
use tokenizer::{ChunkTokenizer, TOKENIZER};
use writer::is_damage;

use super::checked::Checks;
use super::error::{io_error, tantivy_error};
use crate::base::text::Language;
use crate::base::{if_there, quiet};
use crate::store::StoreError;

pub use crate::store::scoring::LexicalOptions;

pub(super) use search::{Filter, LexicalSearcher};
pub(super) use writer::{ChunkText, LexicalWriter};

/// The index's folder in the data folder.
pub(super) const FOLDER: &str = "lexical";

/// Raised when the fields or the analysis change; an index of another version is rebuilt.
const VERSION: u32 = 6;

/// The most findings that are reported.
const MOST_WRONG: usize = 100;

/// The fields of the schema.
#[derive(Clone, Copy)]
struct Fields {
    chunk: Field,
    collection: Field,
    document: Field,
    /// The chunk's collection and language, as combined by [`spoken`].
    spoken: Field,
    body: Field,
    title: Field,
    headings: Field,
}

impl Fields {
    /// The fields that hold words: the body, the title and the headings.
    fn text_fields(self) -> [Field; 3] {
        [self.body, self.title, self.headings]
    }
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let text = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(record);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        chunk: builder.add_u64_field("chunk", NumericOptions::from(FAST)),
        collection: builder.add_u64_field("collection", INDEXED),
        document: builder.add_u64_field("document", INDEXED),
        spoken: builder.add_text_field("spoken", single_term_options()),
        // With positions, because words that are neighbours in both the query and the passage count.
        body: builder.add_text_field("body", text(IndexRecordOption::WithFreqsAndPositions)),
        title: builder.add_text_field("title", text(IndexRecordOption::WithFreqs)),
        headings: builder.add_text_field("headings", text(IndexRecordOption::WithFreqs)),
    };
    (builder.build(), fields)
}

/// Returns the options of a field that is a single term.
fn single_term_options() -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing.set_index_option(IndexRecordOption::Basic))
}

/// Returns the term for a chunk's collection and language, so that the dictionary counts the chunks of each language.
fn spoken(collection: u64, language: Language) -> String {
    format!("{collection} {}", language.code())
}

/// Parses a term of [`spoken`].
fn parse_spoken(term: &[u8]) -> Option<(u64, Language)> {
    let (collection, code) = std::str::from_utf8(term).ok()?.split_once(' ')?;
    Some((collection.parse().ok()?, Language::from_code(code)))
}

fn folder_in(data: &Path) -> PathBuf {
    data.join(FOLDER)
}

/// Opens an existing index; `None` if there is none.
fn open(folder: &Path) -> Result<Option<(Index, Fields)>, TantivyError> {
    if !folder.join("meta.json").is_file() {
        return Ok(None);
    }
    let index = Index::open(IndexDirectory::open(folder)?)?;
    let (schema, fields) = schema();
    if index.schema() != schema {
        return Err(TantivyError::SchemaError("the index has other fields than this version's".into()));
    }
    index.tokenizers().register(TOKENIZER, ChunkTokenizer::default());
    Ok(Some((index, fields)))
}

/// Opens an existing index and checks its files, as far as that is quick.
fn open_checked(folder: &Path, checks: &Arc<Checks>) -> Result<Option<(Index, Fields)>, TantivyError> {
    // Damage that no check detects may still make tantivy panic.
    let opened = quiet::catch(|| {
        let Some((index, fields)) = open(folder)? else { return Ok(None) };
        check::own(&index, folder)?;
        check::check(checks, &index, folder, CHECKED_AT_ONCE)?;
        // A truncated segment file is detected by opening it.
        check::agree(&index.reader()?.searcher(), fields)?;
        Ok(Some((index, fields)))
    });
    opened.unwrap_or_else(|panic| Err(check::corrupt(folder, &panic)))
}

/// Makes the next writer rebuild the index. Only the holder of the writer lock may call it.
pub(super) fn forget(data: &Path) -> Result<(), StoreError> {
    let path = folder_in(data).join("meta.json");
    if_there(std::fs::remove_file(&path)).map(drop).map_err(|error| io_error(data, "cannot remove", &path, error))
}

/// Reads all files of the index in full and returns their faults; `None` if there is no index.
pub(super) fn verify(data: &Path) -> Result<Option<Vec<String>>, StoreError> {
    let folder = folder_in(data);
    let looked = quiet::catch(|| {
        let Some((index, fields)) = open(&folder)? else { return Ok(None) };
        check::own(&index, &folder)?;
        let mut wrong = check::find_faults(&index, &folder)?;
        if wrong.is_empty() {
            check::agree(&index.reader()?.searcher(), fields)?;
        }
        wrong.truncate(MOST_WRONG);
        Ok(Some(wrong))
    });
    match looked.unwrap_or_else(|panic| Err(check::corrupt(&folder, &panic))) {
        Ok(wrong) => Ok(wrong),
        Err(error) if is_damage(&error) => Ok(Some(vec![error.to_string()])),
        Err(error) => Err(tantivy_error(&folder, "checking it", error)),
    }
}

fn create(folder: &Path) -> Result<(Index, Fields), TantivyError> {
    let (schema, fields) = schema();
    // No field is stored, so there is nothing to compress.
    let settings = IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let index = IndexBuilder::new().schema(schema).settings(settings).open_or_create(IndexDirectory::open(folder)?)?;
    index.tokenizers().register(TOKENIZER, ChunkTokenizer::default());
    Ok((index, fields))
}

/// Returns the text stored with a commit: the version and the last change that it contains.
fn payload(seq: u64) -> String {
    format!("{VERSION} {seq}")
}

/// Parses a text of [`payload`]; `None` if it is of another version.
fn parse_payload(payload: Option<&str>) -> Option<u64> {
    let (version, seq) = payload?.split_once(' ')?;
    (version.parse() == Ok(VERSION)).then(|| seq.parse().ok()).flatten()
}
