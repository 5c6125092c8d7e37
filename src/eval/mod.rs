//! Measuring: retrieval on sets with judgements, with intervals.

mod answers;
mod dataset;
mod measure;
mod outcome;
mod retrieval;

pub use answers::{Asked, Gathered, Span, asked_of, gather};
pub use dataset::{DataError, Dataset, Passage, Query};
pub use measure::{Measured, QueryScores, paired_difference};
pub use outcome::{Comparison, Latency, Outcome, Recall, Run};
pub use retrieval::{DEPTH, EvalError, QueryRanks, load_set, measure};
