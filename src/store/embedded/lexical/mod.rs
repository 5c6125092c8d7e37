//! The keyword half: a tantivy index of chunks, made from the catalog. Its commits carry the number of the last change
//! that they contain, so it knows how far it lags behind.
//!
//! A search has two steps: tantivy's BM25 finds candidates fast, and [`rescore`] gives them their scores, with
//! constants of our own and bonuses for words that stand together.

mod directory;
mod rescore;
mod search;
mod tokenizer;
mod top;
mod window;
mod writer;

use std::path::{Path, PathBuf};

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::Compressor;
use tantivy::{Index, IndexBuilder, IndexSettings, TantivyError};

use directory::IndexDirectory;
use tokenizer::{ChunkTokenizer, TOKENIZER};

pub(super) use search::{Filter, LexicalSearcher};
pub(super) use writer::{ChunkText, LexicalWriter};

/// The index's folder in the data folder.
pub(super) const FOLDER: &str = "lexical";

/// Raised when the fields or the analysis change; an index of another version is made anew.
const VERSION: u32 = 3;

/// How the keyword half scores: each field's BM25 is multiplied by its weight and added. The body has weight 1.
/// `docs/retrieval.md` has the measurements behind the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalOptions {
    /// How soon further occurrences of a term stop counting.
    pub k1: f32,
    /// How much longer texts are held against them, from 0 to 1.
    pub b: f32,
    /// Weight of the document's title.
    pub title_weight: f32,
    /// How many occurrences in the body one in the title is worth, beside the title's own score.
    pub title_in_body: f32,
    /// Weight of the headings above the chunk.
    pub heading_weight: f32,
    /// Weight of neighbours in the query that are neighbours in the passage.
    pub proximity_weight: f32,
    /// Weight of the most of the query that stands in one place of the passage.
    pub window_weight: f32,
}

impl Default for LexicalOptions {
    fn default() -> Self {
        LexicalOptions {
            k1: 0.5,
            b: 0.75,
            title_weight: 0.7,
            title_in_body: 1.0,
            heading_weight: 0.3,
            proximity_weight: 1.2,
            window_weight: 0.35,
        }
    }
}

/// The fields of the schema.
#[derive(Clone, Copy)]
struct Fields {
    chunk: Field,
    collection: Field,
    document: Field,
    body: Field,
    title: Field,
    headings: Field,
}

impl Fields {
    /// Those that hold words: the body, the title and the headings.
    fn of_text(self) -> [Field; 3] {
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
        // With positions: words that are neighbours in the query and in the passage count.
        body: builder.add_text_field("body", text(IndexRecordOption::WithFreqsAndPositions)),
        title: builder.add_text_field("title", text(IndexRecordOption::WithFreqs)),
        headings: builder.add_text_field("headings", text(IndexRecordOption::WithFreqs)),
    };
    (builder.build(), fields)
}

fn folder_in(data: &Path) -> PathBuf {
    data.join(FOLDER)
}

/// Opens an index that is there; `None` where there is none.
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

fn create(folder: &Path) -> Result<(Index, Fields), TantivyError> {
    let (schema, fields) = schema();
    // No field is stored, so there is nothing to compress, on a thread of its own or otherwise.
    let settings = IndexSettings {
        docstore_compression: Compressor::None,
        docstore_compress_dedicated_thread: false,
        ..IndexSettings::default()
    };
    let index = IndexBuilder::new().schema(schema).settings(settings).open_or_create(IndexDirectory::open(folder)?)?;
    index.tokenizers().register(TOKENIZER, ChunkTokenizer::default());
    Ok((index, fields))
}

/// What a commit says of itself: the version and the last change it contains.
fn payload(seq: u64) -> String {
    format!("{VERSION} {seq}")
}

/// Takes back what [`payload`] gave; `None` for another version's.
fn parse_payload(payload: Option<&str>) -> Option<u64> {
    let (version, seq) = payload?.split_once(' ')?;
    (version.parse() == Ok(VERSION)).then(|| seq.parse().ok()).flatten()
}
