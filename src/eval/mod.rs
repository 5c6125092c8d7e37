//! Evaluates searches and whole questions on judged sets, with confidence intervals.

mod agent;
mod agent_outcome;
mod answers;
mod dataset;
mod gold;
mod gold_tools;
mod measure;
mod outcome;
mod report;
mod retrieval;

pub use agent::{AgentRun, QuestionResult, measure_agent};
pub use agent_outcome::AgentOutcome;
pub use answers::{Asked, GatheredExamples, Span, gather, located_questions};
pub use dataset::{DataError, Dataset, Passage, Query};
pub use gold::{GOLD, GoldError, GoldModel};
pub use measure::{Measured, QueryScores, paired_difference};
pub use outcome::{Comparison, Latency, OfLanguages, Outcome, Recall, Run};
pub use retrieval::{DEPTH, EvalError, QueryRanks, load_set, measure};
