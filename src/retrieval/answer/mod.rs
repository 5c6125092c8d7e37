//! Answer retrieval: which token of a passage begins the answer, and how well the passage answers by that token.
//!
//! A question and its answer need not be similar. A matrix learned from questions whose answers are known maps both into
//! a space where the inner product is large for a question and the first token of its answer; that is *what* stands
//! there. *Where* to look is told by late interaction kept local: how well the question's words are matched within a few
//! tokens. `docs/answer-retrieval.md` has the equations and what each part brings.

mod file;
mod model;
pub(super) mod rank;

pub use file::{AnswerFileError, FORMAT_VERSION, read, write};
pub use model::{AnswerModel, Figures, Question, Weights, direction, evidence, places};
pub use rank::AnswerModels;
