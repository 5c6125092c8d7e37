//! One file, from its bytes to a chunked document. Runs on a blocking thread.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::archives::MemberContent;
use super::chunk::{ChunkOptions, chunk};
use super::manifest::Known;
use super::parse::{ParseError, parse};
use crate::base::ContentHash;
use crate::base::text::{Language, detect_language};
use crate::domain::{Chunk, DateOrigin, Document, DocumentDate};

/// Where a document's bytes are.
#[derive(Debug)]
pub(super) enum Content {
    /// In the file of the job's path.
    Disk,
    /// Here, under a name that tells the format.
    Memory { bytes: Vec<u8>, name: String },
    /// In an archive that is being read; it is handed over when it is asked for.
    Member(MemberContent),
    /// Nowhere: it was refused before it was read.
    Refused(String),
}

/// One document to make.
#[derive(Debug)]
pub(super) struct Job {
    /// The identity of the document.
    pub(super) path: String,
    pub(super) content: Content,
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    /// The stored version, where there is one.
    pub(super) known: Option<Known>,
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Prepared {
    /// The content is the stored one.
    Same(Known),
    /// A document to store.
    Ready(Box<Document>),
}

/// Why a file cannot be loaded; shown beside its path.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrepareError {
    #[error("it has {size} bytes, and files of more than {limit} are refused: split it, or raise the limit")]
    TooLarge { size: u64, limit: u64 },
    #[error("cannot read it: {0}")]
    Read(#[from] std::io::Error),
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error("{0}")]
    Refused(String),
}

pub(super) fn prepare(job: Job, options: &ChunkOptions, max_file_bytes: u64) -> Result<Prepared, PrepareError> {
    let path = job.path;
    let (bytes, name) = match job.content {
        Content::Disk => (read(Path::new(&path), job.size, max_file_bytes)?, PathBuf::from(&path)),
        Content::Memory { bytes, .. } if bytes.len() as u64 > max_file_bytes => {
            return Err(PrepareError::TooLarge { size: bytes.len() as u64, limit: max_file_bytes });
        }
        Content::Memory { bytes, name } => (bytes, PathBuf::from(name)),
        Content::Member(_) if job.size > max_file_bytes => {
            return Err(PrepareError::TooLarge { size: job.size, limit: max_file_bytes });
        }
        Content::Member(member) => (member.take().map_err(PrepareError::Refused)?, PathBuf::from(&path)),
        Content::Refused(reason) => return Err(PrepareError::Refused(reason)),
    };
    let hash = ContentHash::of(&bytes);
    if let Some(known) = job.known.filter(|known| known.hash == hash) {
        return Ok(Prepared::Same(known));
    }
    let length = bytes.len() as u64;
    let (format, parsed) = parse(&name, bytes)?;
    if parsed.text.trim().is_empty() {
        return Err(ParseError::Empty { hint: "" }.into());
    }
    let chunks = chunk(&parsed, options);
    let title = parsed.title.unwrap_or_else(|| file_title(&name));
    Ok(Prepared::Ready(Box::new(Document {
        path,
        title,
        format,
        language: main_language(&parsed.text, &chunks),
        date: parsed.date.or_else(|| file_date(job.modified_ns)),
        hash,
        bytes: length,
        modified_ns: job.modified_ns,
        text: parsed.text,
        chunks,
    })))
}

/// Reads a file whole; one that has grown beyond the limit since it was looked at is refused all the same.
fn read(path: &Path, size: u64, limit: u64) -> Result<Vec<u8>, PrepareError> {
    if size > limit {
        return Err(PrepareError::TooLarge { size, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let file = std::fs::File::open(path)?;
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)? as u64;
    if read > limit { Err(PrepareError::TooLarge { size: read, limit }) } else { Ok(bytes) }
}

/// The file's name without its ending.
fn file_title(name: &Path) -> String {
    name.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The language of most of the text, by bytes of chunks.
fn main_language(text: &str, chunks: &[Chunk]) -> Language {
    let mut bytes: BTreeMap<&str, usize> = BTreeMap::new();
    for chunk in chunks {
        *bytes.entry(chunk.language.code()).or_default() += chunk.range.len();
    }
    match bytes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0))) {
        Some((code, _)) => Language::from_code(code),
        None => detect_language(text),
    }
}

/// The day of a modification time, in UTC.
pub(super) fn file_date(modified_ns: i64) -> Option<DocumentDate> {
    if modified_ns == 0 {
        return None;
    }
    let instant = jiff::Timestamp::from_nanosecond(i128::from(modified_ns)).ok()?;
    let date = instant.to_zoned(jiff::tz::TimeZone::UTC).date();
    Some(DocumentDate { date, origin: DateOrigin::FileTime })
}
