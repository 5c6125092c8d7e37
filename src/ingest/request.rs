//! What a load is asked for, and what it is told of earlier ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::ocr::OcrOptions;
use crate::base::ContentHash;
use crate::documents::archive::ArchiveLimits;
use crate::documents::chunk::ChunkOptions;
use crate::sources::files::SourceFile;

/// The path that stands for standard input.
pub const STDIN: &str = "-";

const MIB: u64 = 1 << 20;

/// What to load, and where to.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, patterns, and [`STDIN`].
    pub paths: Vec<PathBuf>,
    /// Where relative paths start; absolute.
    pub cwd: PathBuf,
    /// The content that [`STDIN`] stands for.
    pub stdin: Option<Vec<u8>>,
    /// What that content is called: its document's path is `stdin:NAME`, and a name with an ending tells its format.
    /// Without one it is called by its hash.
    pub stdin_name: Option<String>,
    /// One collection for everything; otherwise each path's is named after its folder.
    pub collection: Option<String>,
    /// A collection for each folder right below each path; files directly in the path go to one named after it.
    pub collection_per_dir: bool,
    /// The user's words on what the collection holds; later loads keep them.
    pub description: Option<String>,
    /// Whether documents that the paths no longer hold are removed.
    pub prune: bool,
    /// Whether a place that is gone, or has nothing in it, is only warned of, as becomes a load that nobody named it
    /// for.
    pub lenient: bool,
    /// What earlier loads left behind of archives.
    pub archives: Vec<ArchiveRecord>,
    /// What earlier loads could not read of documents that they stored.
    pub partial: Vec<PartialRecord>,
    /// How to go about it.
    pub options: LoadOptions,
}

/// What a load leaves behind of a document that it could read in part: while its file is as it was, every load names
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRecord {
    /// The document's path.
    pub path: String,
    /// Hash of the bytes that were read.
    pub hash: ContentHash,
    /// What is not there, and why.
    pub reason: String,
}

/// What a load leaves behind of an archive all of whose members it has loaded: the next load need not open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveRecord {
    /// The collection of its members.
    pub collection: String,
    /// Its absolute path.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its modification time in nanoseconds since 1970.
    pub modified_ns: i64,
    /// How many documents its members gave.
    pub documents: u64,
}

impl ArchiveRecord {
    /// Whether the file is the one that was read, and its members are still stored.
    pub(super) fn holds(&self, file: &SourceFile, stored: u64) -> bool {
        self.modified_ns != 0 && (self.bytes, self.modified_ns, self.documents) == (file.size, file.modified_ns, stored)
    }
}

/// Limits and batch sizes of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// How chunks are cut. What was cut otherwise is loaded again.
    pub chunk: ChunkOptions,
    /// Larger files are refused by name.
    pub max_file_bytes: u64,
    /// What reads pages that are pictures; without it they are named.
    pub ocr: Option<Arc<OcrOptions>>,
    /// What an archive may come to.
    pub archives: ArchiveLimits,
    /// Bytes of source files that may be between being read and being committed. A larger file is alone.
    pub in_flight_bytes: u64,
    /// About how many files are read and parsed at once.
    pub parallel_files: usize,
    /// Bytes of text with which a batch is committed.
    pub batch_text_bytes: u64,
    /// Documents with which a batch is committed.
    pub batch_documents: usize,
    /// Chunks to embed with which a batch is committed; also the size of one call of the embedder.
    pub batch_passages: usize,
    /// How long nothing more has come when a batch is committed.
    pub batch_wait: Duration,
    /// What is committed is made searchable every so many bytes of text, and at the end.
    pub flush_text_bytes: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions {
            chunk: ChunkOptions::default(),
            max_file_bytes: 256 * MIB,
            ocr: None,
            archives: ArchiveLimits::default(),
            in_flight_bytes: 48 * MIB,
            parallel_files: std::thread::available_parallelism().map_or(2, usize::from).min(8),
            batch_text_bytes: 8 * MIB,
            batch_documents: 512,
            batch_passages: 128,
            batch_wait: Duration::from_millis(200),
            flush_text_bytes: 256 * MIB,
        }
    }
}
