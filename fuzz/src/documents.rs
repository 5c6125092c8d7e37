//! What fuzzing needs of the module of this name.

#[path = "../../src/documents/chunk.rs"]
pub mod chunk;
#[path = "../../src/documents/parse/mod.rs"]
pub mod parse;
