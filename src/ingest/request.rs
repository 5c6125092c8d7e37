//! What a load is asked to do, and what it is given from earlier loads.

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

/// What to load, and into which collections.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// Files, folders, patterns, and [`STDIN`].
    pub paths: Vec<PathBuf>,
    /// The folder that relative paths start from; absolute.
    pub cwd: PathBuf,
    /// The content that [`STDIN`] stands for.
    pub stdin: Option<Vec<u8>>,
    /// The name of that content: its document's path is `stdin:NAME`, and an ending in the name tells the format.
    /// Without a name it is named after its hash.
    pub stdin_name: Option<String>,
    /// One collection for everything; otherwise the collection of each path is named after its folder.
    pub collection: Option<String>,
    /// Whether each folder directly below a path has its own collection; files directly in the path go to one named
    /// after it.
    pub collection_per_dir: bool,
    /// The user's description of the collection; later loads keep it.
    pub description: Option<String>,
    /// Whether documents that the paths no longer hold are removed.
    pub prune: bool,
    /// Whether a place that is gone or empty only causes a warning, as suits a load for which nobody named the place.
    pub lenient: bool,
    /// The records of archives from earlier loads.
    pub archives: Vec<ArchiveRecord>,
    /// The records of documents that earlier loads stored only in part.
    pub partial: Vec<PartialRecord>,
    /// Limits and batch sizes.
    pub options: LoadOptions,
}

/// The record of a document that could be read only in part: every load reports it while its file is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialRecord {
    /// The document's path.
    pub path: String,
    /// Hash of the bytes that were read.
    pub hash: ContentHash,
    /// What is missing, and why.
    pub reason: String,
}

/// The record of an archive whose members have all been loaded: the next load need not open it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveRecord {
    /// The collection of its members.
    pub collection: String,
    /// Its absolute path.
    pub path: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its modification time in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The number of documents that its members gave.
    pub documents: u64,
}

impl ArchiveRecord {
    /// Whether the file is unchanged and its members are still stored.
    pub(super) fn holds(&self, file: &SourceFile, stored: u64) -> bool {
        self.modified_ns != 0 && (self.bytes, self.modified_ns, self.documents) == (file.size, file.modified_ns, stored)
    }
}

/// Limits and batch sizes of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// How chunks are cut. Documents that were cut differently are loaded again.
    pub chunk: ChunkOptions,
    /// Larger files are refused, and named.
    pub max_file_bytes: u64,
    /// The program that reads pages that are images; without it such pages are only named.
    pub ocr: Option<Arc<OcrOptions>>,
    /// The limits on the content of archives.
    pub archives: ArchiveLimits,
    /// The most bytes of source files between reading and commit. A larger file is read alone.
    pub in_flight_bytes: u64,
    /// About how many files are read and parsed at the same time.
    pub parallel_files: usize,
    /// The bytes of text at which a batch is committed.
    pub batch_text_bytes: u64,
    /// The number of documents at which a batch is committed.
    pub batch_documents: usize,
    /// The number of chunks to embed at which a batch is committed; also the size of one call of the embedder.
    pub batch_passages: usize,
    /// A batch is committed once nothing more has come for this long.
    pub batch_wait: Duration,
    /// Committed documents are made searchable each time this many bytes of text have come, and at the end.
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
