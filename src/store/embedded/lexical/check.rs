//! Whether the files of the index are what was written. Each ends with a checksum of its content, which tantivy writes
//! and does not look at when it reads: damage would change what is found, in silence.

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

/// Bytes of files that are compared with their checksums before the first use, which takes some hundredths of a second.
/// More are compared in the background meanwhile.
pub(super) const CHECKED_AT_ONCE: u64 = 128 << 20;

/// The parts that every segment has.
const PARTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::Terms,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Store,
];

/// Compares the files of an index until `at_once` bytes were read; what is left is compared in the background.
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

/// All that is wrong with the files of an index, however long it takes.
pub(super) fn all_wrong(index: &Index, folder: &Path) -> Result<Vec<String>, TantivyError> {
    let files = files(index, folder)?;
    Ok(files.iter().filter_map(|file| compare(index, folder, file).err()).map(|error| error.to_string()).collect())
}

/// The files that make up an index, none of which is missing.
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

/// Whether an index that was just opened knows its files as its own: the list of these is a file too, and without it
/// none would ever be removed.
pub(super) fn own(index: &Index, folder: &Path) -> Result<(), TantivyError> {
    let managed = index.directory().list_managed_files();
    match files(index, folder)?.iter().find(|file| !managed.contains(*file)) {
        None => Ok(()),
        Some(unknown) => Err(corrupt(unknown, "the index does not know it as its own")),
    }
}

fn compare(index: &Index, folder: &Path, file: &Path) -> Result<(), TantivyError> {
    match quiet::catch(|| index.directory().validate_checksum(file)) {
        Ok(Ok(true)) => of_its_version(folder, file),
        Ok(Ok(false)) => Err(corrupt(file, "its content is not what was written")),
        Ok(Err(error)) => Err(corrupt(file, &error.to_string())),
        Err(panic) => Err(corrupt(file, &panic)),
    }
}

/// No checksum covers the version that stands beside it: that of all parts of a segment is the same. What says which
/// rows were deleted may have come later.
fn of_its_version(folder: &Path, file: &Path) -> Result<(), TantivyError> {
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

/// Whether the list of segments says of each what its files say, which no checksum covers.
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
