//! Research over one's own documents: load files into collections, then plan, search, reflect and write a report
//! whose every citation leads to the bytes it came from.
//!
//! The crate is one library in eight floors; a floor imports only lower floors (`ARCHITECTURE.md` has the map, and a
//! test enforces it). The binary in `main.rs` only calls [`cli`].

pub mod base;
pub mod domain;

mod bundled;
pub mod config;
pub mod documents;
pub mod net;
pub mod prompt;
pub mod report;

pub mod embed;
pub mod llm;
pub mod read;
pub mod sources;
pub mod store;

pub mod ingest;
pub mod memory;
pub mod offline;
pub mod retrieval;

pub mod agent;
pub mod train;

pub mod app;

pub mod eval;

pub mod cli;
