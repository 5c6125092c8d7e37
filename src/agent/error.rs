use super::JournalError;
use crate::llm::LlmError;
use crate::prompt::PromptError;
use crate::retrieval::RetrievalError;

/// The maximum length of a question; a longer text is a document.
pub const MAX_QUESTION_BYTES: usize = 32 * 1024;

/// Returns a question or query without surrounding space; fails if it has no words or is too long.
pub fn checked_question(text: &str) -> Result<&str, AgentError> {
    let text = text.trim();
    if text.len() > MAX_QUESTION_BYTES {
        return Err(AgentError::QuestionTooLong);
    }
    if !text.chars().any(char::is_alphanumeric) {
        return Err(AgentError::EmptyQuestion);
    }
    Ok(text)
}

/// Why a run has no report.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// There is no question.
    #[error("the question is empty")]
    EmptyQuestion,
    /// The question is too long.
    #[error("the question is longer than {} KiB, the most that can be asked", MAX_QUESTION_BYTES / 1024)]
    QuestionTooLong,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_words_and_an_end() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(checked_question(text).ok(), expected, "{:.20}", text);
        };
        check("  What? ", Some("What?"));
        check("何が変わった？", Some("何が変わった？"));
        check("", None);
        check(" \n?! ", None);
        let longest = "x".repeat(MAX_QUESTION_BYTES);
        check(&longest, Some(&longest));
        check(&format!("{longest}x"), None);
    }
}
