//! From text to chunks that end at sentence and heading borders.

use super::parse::Parsed;
use crate::domain::Chunk;

/// How chunks are cut. Lengths are in bytes of UTF-8 for scripts with spaces; a chunk of a script without spaces is
/// a third as many characters, which is about as much meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkOptions {
    /// A chunk grows by whole sentences while it stays within this.
    pub target_bytes: usize,
    /// Whole sentences from the end of the previous chunk, up to this, are repeated at the start of the next.
    pub overlap_bytes: usize,
}

impl Default for ChunkOptions {
    fn default() -> Self {
        ChunkOptions { target_bytes: 1200, overlap_bytes: 200 }
    }
}

/// Cuts a parsed document into chunks.
pub fn chunk(parsed: &Parsed, options: &ChunkOptions) -> Vec<Chunk> {
    let _ = (parsed, options);
    Vec::new()
}
