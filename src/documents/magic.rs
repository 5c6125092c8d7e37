//! The bytes with which packed files begin.

/// The start of a zip archive that is not empty.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";

pub(super) const GZIP: &[u8] = b"\x1f\x8b";

pub(super) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Whether `head` begins a zip archive, which may be empty or one of several parts.
pub(super) fn is_zip(head: &[u8]) -> bool {
    [ZIP, b"PK\x05\x06", b"PK\x07\x08"].iter().any(|start| head.starts_with(start))
}
