//! Sixty small files, generated here, that try to fill the memory, take for ever or break a parser.

mod markup;
mod packed;
pub mod pdf;

/// The name and the bytes of each file.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    [pdf::files(), packed::files(), markup::files()].into_iter().flatten().collect()
}
