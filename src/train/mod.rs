//! Trains the answer model: the matrix that finds answers, from questions whose answers are known.
//!
//! A batch holds questions, the first token of an answer to each, and tokens that are not answers. The matrix maps all
//! of them, and its loss (InfoNCE) is small if a question is nearer to its answer than to the chosen negatives. After
//! each step every question keeps the hardest tokens that it met, so the negatives grow harder from epoch to epoch. A
//! matrix is always measured on questions about documents that it has not seen.

mod adam;
mod alone;
mod checkpoint;
mod examples;
mod fit;
mod folds;
mod loss;
mod matrix;
mod negatives;
mod progress;
mod tune;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use examples::{Answer, Example, Ranked, TrainingSet};
pub use fit::{Epoch, FitOptions, Fitted, fit};
pub use folds::{Fold, Hooks, Ranks, Trained, cross_validate};
pub use loss::info_nce;
pub use negatives::NegativeRule;
pub use progress::Progress;
pub use tune::{Quality, Tuning};

/// Why training failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is nothing to learn from.
    #[error("none of the {questions} questions can be learned from: {reason}")]
    NoTriplet {
        /// The number of questions.
        questions: usize,
        /// What the questions lack.
        reason: &'static str,
    },
    /// The encoder has no token states.
    #[error(
        "the embedder {embedder} gives no token states, which answers are found by; the bundled `minilm` does, and so does `causal:FOLDER`"
    )]
    NoStates {
        /// The encoder's name.
        embedder: String,
    },
    /// The caller stopped the training.
    #[error("the training was stopped")]
    Stopped,
}

#[cfg(test)]
mod tests;
