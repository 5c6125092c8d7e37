//! Turns one file from bytes into a chunked document. Runs on a blocking thread.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::archives::MemberContent;

use super::fingerprint::fingerprint;
use super::libraries::Libraries;
use super::manifest::StoredFile;
use super::ocr::{self, OcrError, OcrOptions, Pdf};

use super::request::LoadOptions;
use super::title::{distinctive_title, file_title};
use crate::base::ContentHash;
use crate::documents::chunk::{chunk, main_language};
use crate::documents::parse::{ParseError, Parsed, Reference, is_pdf, parse};
use crate::domain::{DateOrigin, Document, DocumentDate, Format};
use crate::report::lower_capitals;

/// The bytes of text examined to see how the document writes the words of its title.
const CASED_BY: usize = 200_000;

/// Where a document's bytes are.
#[derive(Debug)]
pub(super) enum Content {
    /// In the file at the job's path.
    Disk,
    /// In memory, under a name that tells the format.
    Memory { bytes: Vec<u8>, name: String },
    /// In an archive that is being read; the member's bytes are handed over on request.
    Member(MemberContent),
    /// Nowhere: the document was refused before it was read.
    Refused(String),
    /// Already parsed: a web page, of which more than its text is needed. The hash is that of its bytes.
    Parsed { format: Format, parsed: Box<Parsed>, hash: ContentHash, name: String },
    /// Not fetched: the source says that the document is unchanged.
    Unchanged,
}

/// One document to prepare.
#[derive(Debug)]
pub(super) struct Job {
    /// The identity of the document.
    pub(super) path: String,
    pub(super) content: Content,
    pub(super) size: u64,
    pub(super) modified_ns: i64,
    /// The stored version, if there is one.
    pub(super) known: Option<StoredFile>,
}

/// The result of preparing a document.
#[derive(Debug)]
pub(super) enum Prepared {
    /// The content is the stored one.
    Same(StoredFile),
    /// A document to store, and a description of the parts that could not be read.
    Ready(Box<Document>, Option<String>),
}

/// Why a file cannot be loaded; shown beside its path.
#[derive(Debug, thiserror::Error)]
pub(super) enum PrepareError {
    #[error("it has {size} bytes, and files of more than {limit} are refused: split it, or raise load.max_file_mb")]
    TooLarge { size: u64, limit: u64 },
    #[error("cannot read it: {0}")]
    Read(#[from] std::io::Error),
    #[error(transparent)]
    Parse(#[from] ParseError),
    #[error(transparent)]
    Ocr(#[from] OcrError),
    #[error("{0}")]
    Refused(String),
}

pub(super) fn prepare(job: Job, options: &LoadOptions, libraries: &Libraries) -> Result<Prepared, PrepareError> {
    let (max_file_bytes, ocr) = (options.max_file_bytes, options.ocr.as_deref());
    let path = job.path;
    let about = About { path: path.clone(), modified_ns: job.modified_ns, libraries };
    let is_on_disk = matches!(job.content, Content::Disk);
    let (bytes, name) = match job.content {
        Content::Unchanged => {
            let gone = || PrepareError::Refused("it is no longer stored: load it again".to_owned());
            return job.known.map(Prepared::Same).ok_or_else(gone);
        }
        Content::Parsed { format, parsed, hash, name } => {
            return match job.known.filter(|known| known.is_as_loaded(hash)) {
                Some(known) => Ok(Prepared::Same(known)),
                None => about.document(Path::new(&name), format, *parsed, hash, job.size, options),
            };
        }
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
    if let Some(known) = job.known.filter(|known| known.is_as_loaded(hash)) {
        return Ok(Prepared::Same(known));
    }
    let length = bytes.len() as u64;
    // Content that is in no file is kept for the OCR program, which then gets it as a file.
    let kept = (ocr.is_some() && !is_on_disk && is_pdf(&name, &bytes)).then(|| bytes.clone());
    let pdf = kept.as_deref().map_or(Pdf::File(Path::new(&path)), Pdf::Bytes);
    let (format, parsed) = with_pictures(parse(&name, bytes), ocr, &pdf, &path)?;
    about.document(&name, format, parsed, hash, length, options)
}

/// What is known of a document before it is read.
struct About<'l> {
    path: String,
    modified_ns: i64,
    libraries: &'l Libraries,
}

impl About<'_> {
    fn document(
        self,
        name: &Path,
        format: Format,
        parsed: Parsed,
        hash: ContentHash,
        bytes: u64,
        options: &LoadOptions,
    ) -> Result<Prepared, PrepareError> {
        if parsed.text.trim().is_empty() {
            return Err(ParseError::Empty { hint: "".into() }.into());
        }
        let chunks = chunk(&parsed, &options.chunk);
        let title = parsed.title.unwrap_or_else(|| file_title(name, format));
        let entry = self.libraries.entry(&self.path, parsed.authorship.doi.as_deref(), &title, format);
        let said = entry.map(|entry| entry.said.clone()).unwrap_or_default();
        // The text of the document itself tells how the words of a title in capitals are usually written.
        let opening = &parsed.text[..parsed.text.floor_char_boundary(CASED_BY)];
        let title = distinctive_title(lower_capitals(&title, &[opening]), Path::new(&self.path));
        let lost = parsed.lost;
        let document = Document {
            path: self.path,
            title: said.title.clone().unwrap_or(title),
            format,
            language: main_language(&parsed.text, &chunks),
            date: dated(parsed.date, entry).or_else(|| DocumentDate::of_file_time(self.modified_ns)),
            authorship: said.or(parsed.authorship),
            hash,
            bytes,
            modified_ns: self.modified_ns,
            cut: Some(fingerprint(&options.chunk, options.ocr.as_deref(), format, entry)),
            text: parsed.text,
            chunks,
        };
        Ok(Prepared::Ready(Box::new(document), lost))
    }
}

/// Chooses a document's date. A library's date takes precedence over the document's own, unless the library gives only
/// a year and the document's own date lies in it.
fn dated(own: Option<DocumentDate>, entry: Option<&Reference>) -> Option<DocumentDate> {
    let Some(date) = entry.and_then(|entry| entry.date) else { return own };
    let is_year = date.day_of_year() == 1;
    own.filter(|own| is_year && own.date.year() == date.year())
        .or(Some(DocumentDate { date, origin: DateOrigin::Library }))
}

/// Completes a parsed document with the text that the OCR program reads from pages that are images. Where other pages
/// have text, the document is worth having without them: the unread pages are logged, and a failure of the program does
/// not fail the file.
fn with_pictures(
    parsed: Result<(Format, Parsed), ParseError>,
    ocr: Option<&OcrOptions>,
    pdf: &Pdf<'_>,
    path: &str,
) -> Result<(Format, Parsed), PrepareError> {
    match (parsed, ocr) {
        (Err(ParseError::Scanned(parsed)), Some(ocr)) => {
            let parsed = ocr::read_pages(ocr, pdf, *parsed)?;
            if parsed.text.is_empty() { Err(ocr::nothing_read().into()) } else { Ok((Format::Pdf, parsed)) }
        }
        (Ok((format, parsed)), ocr) if !parsed.pictures.is_empty() => {
            let parsed = match ocr {
                None => parsed,
                Some(ocr) => ocr::read_pages(ocr, pdf, parsed.clone()).unwrap_or_else(|error| {
                    tracing::warn!(path, %error, "pages that are images were not read");
                    parsed
                }),
            };
            if !parsed.pictures.is_empty() {
                let pages = page_numbers(&parsed.pictures);
                tracing::warn!(path, %pages, "pages are images and have no text: they need OCR, see `load.ocr`");
            }
            Ok((format, parsed))
        }
        (parsed, _) => Ok(parsed?),
    }
}

/// The first 20 page numbers of a list, counted from 1.
fn page_numbers(places: &[usize]) -> String {
    const NAMED: usize = 20;
    let numbers: Vec<String> = places.iter().take(NAMED).map(|place| (place + 1).to_string()).collect();
    let more = if places.len() > NAMED { ", \u{2026}" } else { "" };
    format!("{}{more}", numbers.join(", "))
}

/// Reads a whole file. A file that has grown beyond the limit since its size was taken is refused as well.
fn read(path: &Path, size: u64, limit: u64) -> Result<Vec<u8>, PrepareError> {
    if size > limit {
        return Err(PrepareError::TooLarge { size, limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let file = std::fs::File::open(path)?;
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes)? as u64;
    if read > limit { Err(PrepareError::TooLarge { size: read, limit }) } else { Ok(bytes) }
}
