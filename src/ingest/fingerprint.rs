//! A hash of how a document was extracted and cut, and of what a library says of it. It is kept with the document, so
//! that a load sees which documents it would now store differently.

use super::libraries::Libraries;
use super::ocr::OcrOptions;
use super::request::LoadOptions;
use crate::base::ContentHash;
use crate::documents::chunk::ChunkOptions;
use crate::documents::parse::Reference;
use crate::domain::{DocumentRecord, Format};

/// Raised when the parsers or the chunker give different text, chunks, languages or dates for the same bytes:
/// everything is then loaded again.
const VERSION: u32 = 17;

/// The version of everything that was stored before the fingerprint was kept.
const FIRST_VERSION: u32 = 1;

/// The fingerprint of what determines a document's text, chunks and authors, besides its bytes and its name.
pub(super) fn fingerprint(
    chunk: &ChunkOptions,
    ocr: Option<&OcrOptions>,
    format: Format,
    entry: Option<&Reference>,
) -> u32 {
    of_version(VERSION, chunk, ocr, format, entry)
}

fn of_version(
    version: u32,
    chunk: &ChunkOptions,
    ocr: Option<&OcrOptions>,
    format: Format,
    entry: Option<&Reference>,
) -> u32 {
    let ChunkOptions { target_bytes, overlap_bytes } = chunk.effective();
    let ocr = ocr.filter(|_| format == Format::Pdf).map(|ocr| &ocr.command);
    let said = entry.map(|entry| format!(" {:?} {:?}", entry.said, entry.date)).unwrap_or_default();
    let hash = ContentHash::of(format!("{version} {target_bytes} {overlap_bytes} {ocr:?}{said}").as_bytes());
    let bytes = hash.as_bytes();
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// Whether a load with these options and libraries would store a stored document differently. A document stored before
/// the fingerprint was kept is assumed to have been stored with the default settings.
pub(super) fn is_outdated(record: &DocumentRecord, options: &LoadOptions, libraries: &Libraries) -> bool {
    let ocr = options.ocr.as_deref();
    let before = || of_version(FIRST_VERSION, &ChunkOptions::default(), ocr, record.format, None);
    record.cut.unwrap_or_else(before) != fingerprint(&options.chunk, ocr, record.format, libraries.entry_of(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_changes_the_chunks_changes_the_fingerprint() {
        let usual = ChunkOptions::default();
        let print = |target_bytes, overlap_bytes, command: &str, format| {
            let command = vec![command.to_owned()];
            let timeout = Duration::from_secs(1);
            let ocr = OcrOptions { command, timeout, max_output_bytes: 1, secret_variables: Vec::new() };
            let ocr = Some(ocr).filter(|ocr| !ocr.command[0].is_empty());
            fingerprint(&ChunkOptions { target_bytes, overlap_bytes }, ocr.as_ref(), format, None)
        };
        let (target, overlap) = (usual.target_bytes, usual.overlap_bytes);
        let text = fingerprint(&usual, None, Format::Text, None);
        assert_eq!(text, print(target, overlap, "", Format::Markdown));
        assert_eq!(text, print(target, overlap, "ocr", Format::Text), "only a PDF has pictures that are read");
        let pdf = print(target, overlap, "ocr", Format::Pdf);
        let all =
            [text, pdf, print(target, overlap, "other", Format::Pdf), print(target + 1, overlap, "", Format::Text)];
        let distinct: std::collections::BTreeSet<u32> = all.into_iter().collect();
        assert_eq!(distinct.len(), all.len());
        assert_eq!(print(8, 0, "", Format::Text), print(16, 0, "", Format::Text), "the least that can be asked for");
        assert_eq!(print(100, 50, "", Format::Text), print(100, 99, "", Format::Text), "half repeats at most");
    }

    #[test]
    fn what_was_stored_before_counts_as_cut_by_an_earlier_version() {
        let check = |cut, target_bytes: usize, expected: bool| {
            let record = DocumentRecord { cut, ..crate::ingest::testing::record("/a.md", "A") };
            let chunk = ChunkOptions { target_bytes, ..ChunkOptions::default() };
            let options = LoadOptions { chunk, ..LoadOptions::default() };
            assert_eq!(is_outdated(&record, &options, &Libraries::default()), expected, "{cut:?} {target_bytes}");
        };
        let usual = ChunkOptions::default().target_bytes;
        check(None, usual, true);
        check(None, 300, true);
        check(Some(fingerprint(&ChunkOptions::default(), None, Format::Text, None)), usual, false);
        check(Some(0), usual, true);
    }
}
