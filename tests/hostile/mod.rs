//! Sixty files that are made to fill the memory, to take for ever or to break a parser; each is small, and made here.

mod markup;
mod packed;
pub mod pdf;

/// Name and bytes of each.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    [pdf::files(), packed::files(), markup::files()].into_iter().flatten().collect()
}
