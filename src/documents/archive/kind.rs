//! Recognises archives: by name when folders are walked, and by their first bytes when they are read.

use std::path::Path;

use crate::documents::magic::{GZIP, ZSTD, is_zip};

/// File name endings of archives. Walking folders relies on them; reading relies on the content.
const ENDINGS: &[&str] = &[".gz", ".mbox", ".tar", ".tgz", ".tzst", ".zip", ".zst"];

/// Whether a file's name is that of an archive.
pub fn is_archive(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// The format that a file has as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Zip,
    Gzip,
    Zstd,
    Mailbox,
    Plain,
}

/// The packing of a file that begins with `head`.
pub(super) fn packing(head: &[u8]) -> Packing {
    if is_zip(head) {
        Packing::Zip
    } else if head.starts_with(GZIP) {
        Packing::Gzip
    } else if head.starts_with(ZSTD) {
        Packing::Zstd
    } else if head.starts_with(b"From ") {
        Packing::Mailbox
    } else {
        Packing::Plain
    }
}

/// The number of leading bytes that [`packing`] examines.
pub(super) const HEAD: usize = 5;

/// The number of leading bytes that [`is_tar`] examines.
pub(super) const TAR_HEAD: usize = 512;

/// Whether `head` begins a tar archive; the oldest have no mark, so their name decides.
pub(super) fn is_tar(head: &[u8], name: &str) -> bool {
    let marked = head.get(257..262).is_some_and(|mark| mark == b"ustar");
    let name = name.to_lowercase();
    let named = [".tar", ".tgz", ".tzst", ".tar.gz", ".tar.zst"].iter().any(|ending| name.ends_with(ending));
    // An empty archive consists of zeros only, so its name decides too.
    marked || (named && head.len() == TAR_HEAD)
}

/// The name given to the content of a file that is packed alone.
pub(super) fn inner_name(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let stem = [".gz", ".zst"].iter().find(|ending| lower.ends_with(*ending)).map(|ending| name.len() - ending.len());
    match stem.and_then(|end| name.get(..end)) {
        Some(stem) if !stem.is_empty() => stem,
        _ => "content",
    }
}
