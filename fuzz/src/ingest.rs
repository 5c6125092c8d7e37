//! What fuzzing needs of the module of this name.

#[path = "../../src/ingest/chunk.rs"]
pub mod chunk;
#[path = "../../src/ingest/parse/mod.rs"]
pub mod parse;
