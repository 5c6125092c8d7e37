//! What is known about loaded places beside the documents themselves: the sources, so that they can be loaded again
//! without being named; the archives, so that unchanged ones need not be opened; the history of each document; the
//! files that could not be read, wholly or in part; the renamings of collections. It is one SQLite file in the data
//! folder, whichever store holds the documents; each change is one transaction.

mod archives;
mod error;
mod history;
mod open;
mod renames;
mod sources;
#[cfg(test)]
mod tests;
mod unread;

pub use error::RegisterError;
pub use history::{DocumentEvent, HistoryEvent};
pub use open::{FILE, Register};
pub use renames::Renaming;
pub use sources::{KnownSource, Source, SourceHolds};
