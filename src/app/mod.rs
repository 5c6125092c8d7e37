//! The program without its terminal: builds the concrete parts that the settings name, each when it is first needed,
//! and runs the two jobs, loading and research, on them. Only this layer names a concrete backend.

mod answers;
mod application;
mod ask;
mod backends;
mod collections;
mod error;
mod export;
mod load;
mod memory;
mod model;
mod news;
mod options;
mod private;
mod quiz;
mod reembed;
mod research;
mod runs;
mod sources;
mod transfer;
mod update;
mod verify;
mod web;
mod web_search;

pub use crate::ingest::register::{DocumentEvent, KnownSource};
pub use crate::ingest::{
    ChangeKind, DocumentChange, FileOutcome, LoadEvent, LoadSummary, ReembedEvent, ReembedSummary,
};
pub use crate::sources::FailedFile;
pub use crate::sources::web::{Breadth, LeftOut, Links};
pub use answers::{AnswerStoreError, StoredAnswer};
pub use application::{App, Scratch};
pub use ask::follow_up_in_conversation;
pub use collections::Dropped;
pub use error::AppError;
pub use load::LoadRequest;
pub use model::ChosenModel;
pub use news::{AnswerChanges, ChangedDocuments, EarlierAnswer, UnsupportedSentence, WatchDecision, with_changes};
pub use options::limit;
pub use private::{TOKEN_FILES, keep_private};
pub use quiz::{CollectionQuestion, CollectionQuiz};
pub use research::ResearchRequest;
pub use runs::ForkRequest;
pub use sources::Forgotten;
pub use transfer::{CopySummary, StoreCheck};
pub use update::{Addendum, Updated};
pub use verify::VerifyRequest;

#[cfg(test)]
mod tests;
