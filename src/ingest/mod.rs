//! From files to stored chunks: find, parse, chunk, embed, commit.

pub mod chunk;
pub mod parse;
