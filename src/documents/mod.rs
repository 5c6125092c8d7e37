//! From bytes to documents: what a file of any format says, with byte offsets into its text, and how that text is cut.
//!
//! [`parse`] turns the bytes of one document into text with its structure, [`archive`] yields the members of an
//! archive, and [`chunk`] cuts a text into passages. Nothing here opens a path, fetches an address or knows a store.

pub mod archive;
pub mod chunk;
mod magic;
mod media;
pub mod parse;
mod whole_zip;

pub use media::{is_library, is_lock, is_media};
