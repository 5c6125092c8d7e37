use super::JournalError;
use crate::llm::LlmError;
use crate::prompt::PromptError;
use crate::retrieval::RetrievalError;

/// Why a run has no report.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// There is no question.
    #[error("the question is empty")]
    EmptyQuestion,
    /// The question is a document.
    #[error(
        "the question has {bytes} bytes, and at most {limit} can be asked; load long material as a document and ask about it"
    )]
    QuestionTooLong {
        /// Its length.
        bytes: usize,
        /// The most.
        limit: usize,
    },
    /// There is nothing to search.
    #[error("there is no collection to search; load some documents first")]
    NoCollections,
    /// The user stopped the run before anything was found.
    #[error("interrupted before anything was found")]
    Interrupted,
    /// Somebody who was shown the plan did not go on with the run.
    #[error("stopped before anything was searched")]
    Withdrawn,
    /// The searches failed.
    #[error(transparent)]
    Retrieval(#[from] RetrievalError),
    /// The model cannot be used at all.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// The run's journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A prompt cannot be filled in.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}
