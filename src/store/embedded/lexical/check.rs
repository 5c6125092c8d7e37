//! Checks whether the files of the index hold what was written. Each ends with a checksum of its content, which tantivy
//! writes but does not verify when it reads: damage would silently change the results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::footer::Footer;
use tantivy::error::DataCorruption;
use tantivy::index::SegmentComponent;
use tantivy::{Directory, Index, Searcher, TantivyError, Version};

use super::Fields;
use super::directory::IndexDirectory;
use crate::base::quiet;
use crate::store::embedded::checked::Checks;

/// The bytes of files that are compared with their checksums before the first use, which takes some hundredths of a
/// second. The rest is compared in the background.
pub(super) const CHECKED_AT_ONCE: u64 = 128 << 20;

/// The files that every segment has.
const PARTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Store,
];

/// Compares the files of an index until `at_once` bytes were read; the remaining files are compared in the background.
pub(super) fn check(checks: &Arc<Checks>, index: &Index, folder: &Path, at_once: u64) -> Result<(), TantivyError> {
    let mut left = Vec::new();
    let mut bytes = 0;
    for file in files(index, folder)?.into_iter().filter(|file| !checks.is_sound(file)) {
        bytes += folder.join(&file).metadata()?.len();
        if bytes > at_once {
            left.push(file);
        } else {
            checks.check(&file, || compare(index, folder, &file))?;
        }
    }
    if !left.is_empty() {
        let (checks, index, folder) = (Arc::clone(checks), index.clone(), folder.to_owned());
        std::thread::spawn(move || {
            for file in left {
                if let Err(error) = checks.check(&file, || compare(&index, &folder, &file)) {
                    tracing::warn!(%error, "the index is damaged and is made anew with the next search");
                }
            }
        });
    }
    Ok(())
}

/// Returns all faults in the files of an index, however long the check takes.
pub(super) fn find_faults(index: &Index, folder: &Path) -> Result<Vec<String>, TantivyError> {
    let files = files(index, folder)?;
    Ok(files.iter().filter_map(|file| compare(index, folder, file).err()).map(|error| error.to_string()).collect())
}

/// Returns the files that make up an index, or an error if one is missing.
fn files(index: &Index, folder: &Path) -> Result<Vec<PathBuf>, TantivyError> {
    let mut files = Vec::new();
    for segment in index.searchable_segment_metas()? {
        files.extend(PARTS.map(|part| segment.relative_path(part)));
        if segment.has_deletes() {
            files.push(segment.relative_path(SegmentComponent::Delete));
        }
    }
    match files.iter().find(|file| !folder.join(file).is_file()) {
        None => Ok(files),
        Some(missing) => Err(corrupt(missing, "it is missing")),
    }
}

/// Checks that a newly opened index lists its files as its own. This list is itself a file, and files missing from it
/// would never be removed.
pub(super) fn own(index: &Index, folder: &Path) -> Result<(), TantivyError> {
    let managed = index.directory().list_managed_files();
    match files(index, folder)?.iter().find(|file| !managed.contains(*file)) {
        None => Ok(()),
        Some(unknown) => Err(corrupt(unknown, "the index does not know it as its own")),
    }
}

fn compare(index: &Index, folder: &Path, file: &Path) -> Result<(), TantivyError> {
    match quiet::catch(|| index.directory().validate_checksum(file)) {
        Ok(Ok(true)) => check_footer_version(folder, file),
        Ok(Ok(false)) => Err(corrupt(file, "its content is not what was written")),
        Ok(Err(error)) => Err(corrupt(file, &error.to_string())),
        Err(panic) => Err(corrupt(file, &panic)),
    }
}

/// Checks the version in the footer of a file, which no checksum covers: it is the same for all parts of a segment.
/// Only the file of deleted rows may have been written by a later version.
fn check_footer_version(folder: &Path, file: &Path) -> Result<(), TantivyError> {
    let directory = IndexDirectory::open(folder)?;
    let version = |file: &Path| -> Result<Version, TantivyError> {
        Ok(Footer::extract_footer(directory.open_read(file)?)?.0.version)
    };
    let segment = file.to_string_lossy().split('.').next().unwrap_or_default().to_owned();
    let (own, first) = (version(file)?, version(Path::new(&format!("{segment}.idx")))?);
    let other = version(Path::new(&format!("{segment}.term")))?;
    let is_later = file.extension().is_some_and(|ending| ending == "del") && own == *tantivy::version();
    if (own == first && own == other) || is_later { Ok(()) } else { Err(corrupt(file, "it is of another version")) }
}

/// Checks that the list of segments, which no checksum covers, agrees with the segments' files.
pub(super) fn agree(searcher: &Searcher, fields: Fields) -> Result<(), TantivyError> {
    for segment in searcher.segment_readers() {
        let rows = segment.fast_fields().u64(searcher.schema().get_field_name(fields.chunk))?.num_docs();
        let deleted = segment.alive_bitset().map_or(0, |alive| segment.max_doc() - alive.num_alive_docs() as u32);
        if rows != segment.max_doc() || deleted != segment.num_deleted_docs() {
            return Err(corrupt(Path::new("meta.json"), "it does not say of a segment what its files say"));
        }
    }
    Ok(())
}

pub(super) fn corrupt(file: &Path, what: &str) -> TantivyError {
    TantivyError::DataCorruption(DataCorruption::new(file.to_owned(), what.to_owned()))
}
