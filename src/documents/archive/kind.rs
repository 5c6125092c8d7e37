//! What an archive is, by its name for the walk and by its first bytes when it is read.

use std::path::Path;

use crate::documents::magic::{GZIP, ZSTD, is_zip};

/// Endings of archives. The walk goes by them; the reader looks at the bytes.
const ENDINGS: &[&str] = &[".gz", ".mbox", ".tar", ".tgz", ".tzst", ".zip", ".zst"];

/// Whether the name says that there are documents inside.
pub fn is_archive(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    let name = name.to_lowercase();
    ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// How bytes are packed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Zip,
    Gzip,
    Zstd,
    Mailbox,
    Plain,
}

/// The packing of what begins with `head`.
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

/// How much of the beginning [`packing`] looks at.
pub(super) const HEAD: usize = 5;

/// How much of the beginning [`is_tar`] looks at.
pub(super) const TAR_HEAD: usize = 512;

/// Whether a tar archive begins with `head`; the oldest have no mark, and their name has to do.
pub(super) fn is_tar(head: &[u8], name: &str) -> bool {
    let marked = head.get(257..262).is_some_and(|mark| mark == b"ustar");
    let name = name.to_lowercase();
    let named = [".tar", ".tgz", ".tzst", ".tar.gz", ".tar.zst"].iter().any(|ending| name.ends_with(ending));
    // An archive that holds nothing is nothing but zeros.
    marked || (named && head.len() == TAR_HEAD)
}

/// What a file that is packed alone is called inside.
pub(super) fn inner_name(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let stem = [".gz", ".zst"].iter().find(|ending| lower.ends_with(*ending)).map(|ending| name.len() - ending.len());
    match stem.and_then(|end| name.get(..end)) {
        Some(stem) if !stem.is_empty() => stem,
        _ => "content",
    }
}
