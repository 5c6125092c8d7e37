//! The events on disk: one SQLite file that several processes may write to at the same time.
//!
//! Every change is one short transaction that takes the write lock before it reads what it changes. So two runs wait
//! milliseconds for each other, and neither works on data that the other has changed; a process killed at any moment
//! leaves the whole change or none of it. Opening the file reads nothing but its version.
//!
//! Vectors are kept twice: with 8 bits a dimension, one row each, and as signs alone, in blocks of many events. A
//! search reads all blocks (6 MB for 100,000 events of 384 dimensions), and the rows of only those events with the
//! nearest signs. Words are kept as an index from a term's hash to the events that contain it.

mod follow;
mod open;
mod read;
mod search;
mod signs;
mod space;
mod write;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use follow::MovedDocument;
pub use read::EventFilter;
pub use search::{Asked, EventCandidate, Similarity};
pub use write::{Remembered, Vector};

use super::MemoryError;
use super::error::sqlite_error;
use crate::base::{in_exclusive_transaction, locked};

/// The name of the memory's file in the data folder.
pub const FILE: &str = "memory.sqlite";

/// The events with the indexes that find them. All functions block.
#[derive(Debug)]
pub struct Timeline {
    path: PathBuf,
    /// Held for one statement or one transaction, never while waiting for anything else.
    connection: Mutex<Connection>,
}

impl Timeline {
    /// Opens the memory in the file `path`, which is created if it is missing.
    pub fn open(path: &Path) -> Result<Self, MemoryError> {
        Ok(Timeline { path: path.to_owned(), connection: Mutex::new(open::open(path)?) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic between two statements leaves nothing half done, since the transaction is rolled back.
        locked(&self.connection)
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(rusqlite::Error) -> MemoryError {
        move |error| sqlite_error(&self.path, action, error)
    }

    /// Runs `work` on one consistent state of the memory.
    fn read<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, MemoryError> {
        let mut connection = self.connection();
        let run = || {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(self.failed(action))
    }

    /// Runs `work` as the only writer; the change is durable when this returns.
    fn write<T>(
        &self,
        action: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, MemoryError> {
        in_exclusive_transaction(&mut self.connection(), work).map_err(self.failed(action))
    }
}
