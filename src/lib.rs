//! Research over one's own documents: load files into collections, then plan, search, reflect and write a report
//! whose every citation leads to the bytes it came from.
//!
//! The crate is one library in eight floors; a floor imports only lower floors (`ARCHITECTURE.md` has the map, and a
//! test enforces it). The binary in `main.rs` only calls [`cli`].

pub mod base;
pub mod domain;

#[cfg(feature = "program")]
mod bundled;
#[cfg(feature = "program")]
pub mod config;
pub mod documents;
#[cfg(feature = "program")]
pub mod net;
#[cfg(feature = "program")]
pub mod prompt;
#[cfg(feature = "program")]
pub mod report;

#[cfg(feature = "program")]
pub mod embed;
#[cfg(feature = "program")]
pub mod llm;
#[cfg(feature = "program")]
pub mod read;
#[cfg(feature = "program")]
pub mod sources;
#[cfg(feature = "program")]
pub mod store;
#[cfg(feature = "program")]
pub mod verify;

#[cfg(feature = "program")]
pub mod form;
#[cfg(feature = "program")]
pub mod ingest;
#[cfg(feature = "program")]
pub mod memory;
#[cfg(feature = "program")]
pub mod offline;
#[cfg(feature = "program")]
pub mod retrieval;

#[cfg(feature = "program")]
pub mod agent;
#[cfg(feature = "program")]
pub mod train;

#[cfg(feature = "program")]
pub mod app;

#[cfg(feature = "program")]
pub mod eval;

#[cfg(feature = "program")]
pub mod serve;

#[cfg(feature = "program")]
pub mod cli;
