//! The journal of a run: everything that it learned from outside, in a file of its own.
//!
//! A run is a function of its question, its settings and the answers that it gets from outside: the model's replies,
//! the results of searches, the end of its time, an interruption by the user. All of them go through [`Journal`], which
//! records each under a hash of the request. A resumed run starts again from the beginning, answered by the journal as
//! far as that reaches and by the world from there; a replay is answered by the journal alone; a fork takes over some
//! steps of another run's journal. So no state has to be saved, and a journal that ends anywhere is of use.
//!
//! To journal another kind of answer, add it to `format::Answer` and `stored`, and ask for it through [`Journal::ask`],
//! as `agent/sources.rs` does.

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

pub use earlier::SeenDocuments;
pub use error::JournalError;
pub use handle::Journal;
pub(super) use handle::{Dropped, key_of};
pub(super) use model::{JournaledModel, refused};
pub use runs::{OpenedRun, RunSettings, Runs};
pub(super) use stopwatch::Stopwatch;
pub use summary::{RunDetails, RunState, RunSummary, StepKind, StepSummary};

#[cfg(test)]
mod tests;
