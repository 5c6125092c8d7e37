//! What is known of the places that were loaded, beside the documents themselves: the sources, so that they can be
//! loaded again without being named; the archives, so that those that are as they were need not be opened; what became
//! of each document; what could not be read, or in part. One SQLite file in the data folder, whatever store holds the
//! documents; a change of it is one transaction.

mod archives;
mod error;
mod history;
mod open;
mod sources;
#[cfg(test)]
mod tests;
mod unread;

pub use error::RegisterError;
pub use history::{DocumentEvent, Happening};
pub use open::{FILE, Register};
pub use sources::{KnownSource, Source, SourceHolds};
