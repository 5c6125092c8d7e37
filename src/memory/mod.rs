//! What was learnt before, and when: a timeline of events, some of which come to mind again, depending on relevance,
//! age and use.
//!
//! [`recall`] is the formula, [`Timeline`] keeps the events, [`Calibration`] makes the relevances of different
//! embedders comparable, and [`Memory`] combines them for commands and research. A finding is used again only after
//! [`verify`] has found the bytes that it rests on unchanged in their place.

mod calibrate;
pub mod draw;
mod error;
mod event;
mod handle;
pub mod recall;
mod sample;
mod timeline;
mod transfer;
mod verify;
mod words;

pub use calibrate::Calibration;
pub use error::MemoryError;
pub use event::{Basis, EventKind, MemoryEvent, NewEvent, Recall};
pub use handle::{ComparedBy, Memory, MemoryOptions, ScoredEvent};
pub use timeline::{Asked, EventCandidate, EventFilter, FILE, MovedDocument, Remembered, Similarity, Timeline, Vector};
pub use transfer::{export, import};
pub use verify::{FindingState, verify};
