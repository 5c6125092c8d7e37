//! The journal of a run: everything that it learned from outside, in a file of its own.
//!
//! A run is a function of its question, its settings and the answers it gets from outside: what the model replies, what
//! searches find, when the time is over, when the user interrupts. All of them go through [`Journal`], which writes each
//! down under a hash of what was asked. A run that goes on is the same run from its beginning, answered by the journal as
//! far as that reaches and by the world from there; a replay is answered by the journal alone; a fork takes over some
//! steps of another run's journal. So there is no state to be saved, and a journal that ends anywhere is of use.
//!
//! To journal another kind of thing, add it to `format::Answer` and `stored`, and ask for it through [`Journal::ask`], as
//! `agent/sources.rs` does.

mod convert;
mod earlier;
mod error;
mod format;
mod handle;
mod model;
mod runs;
mod stopwatch;
pub(super) mod stored;
mod summary;
mod tape;
mod writer;

pub use earlier::Seen;
pub use error::JournalError;
pub use handle::Journal;
pub(super) use handle::{Dropped, key_of};
pub(super) use model::{JournaledModel, refused};
pub use runs::{OpenedRun, RunSettings, Runs};
pub(super) use stopwatch::Stopwatch;
pub use summary::{RunDetails, RunState, RunSummary, StepKind, StepSummary};

#[cfg(test)]
mod tests;
