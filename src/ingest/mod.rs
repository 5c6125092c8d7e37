//! From files to stored chunks: find, parse, chunk, embed, commit.
//!
//! [`load`] is the entry point. It asks [`crate::sources`] for the files, compares them with what the store knows (one
//! `documents()` call per collection and one stat per file), and sends new or changed ones through three concurrent
//! stages: reading (several files at once, results in order), embedding, committing. Between them are channels with
//! small bounds, and every document holds its share of a byte budget from before it is read until it is committed, so
//! memory does not grow with the folder.
//! it is committed, so memory does not grow with the folder.

mod archives;
mod budget;
mod collection_name;
mod describe;
mod error;
mod fingerprint;
mod libraries;
mod load;
mod manifest;
mod moved;
mod ocr;
mod passage;
mod pipeline;
mod prepare;
mod reembed;
pub mod register;
mod request;
mod summary;
mod target;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod title;
pub mod watch;

pub use collection_name::collection_name;
pub use describe::derive_description;
pub use error::{LoadCause, LoadError};
pub use load::{WebRequest, collection_of_page, load, load_announced, load_web};
pub use ocr::OcrOptions;
pub use passage::with_vectors;
pub use reembed::{ReembedError, ReembedEvent, ReembedSummary, reembed};
pub use request::{ArchiveRecord, LoadOptions, LoadRequest, PartialRecord, STDIN};
pub use summary::{ChangeKind, DocumentChange, FileOutcome, LoadEvent, LoadSummary, LoadedPlace};
