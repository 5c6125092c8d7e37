//! Answer retrieval: which token of a passage begins the answer, and how well the passage answers by that token.
//!
//! A question and its answer need not be similar. A matrix learned from questions with known answers maps both into a
//! space where the inner product is large for a question and the first token of its answer. This decides *what* the
//! answer is. *Where* to look is decided by local late interaction: how well the words of the question are matched
//! within a few tokens. `docs/answer-retrieval.md` has the equations and the effect of each part.

mod file;
mod model;
pub(super) mod rank;

pub use file::{AnswerFileError, FORMAT_VERSION, read, write};
pub use model::{AnswerModel, Figures, Question, Weights, direction, evidence, places};
pub use rank::AnswerModels;
