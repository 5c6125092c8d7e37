//! The parsers and what they stand on, compiled for fuzzing from the sources of the crate itself.
#![expect(dead_code, unused_imports, reason = "the parsers use a part of these modules")]

#[path = "../../src/base/mod.rs"]
mod base;
#[path = "../../src/domain/mod.rs"]
mod domain;
mod documents;
#[path = "../../src/documents/parse/sound.rs"]
mod sound;

pub use sound::check;
