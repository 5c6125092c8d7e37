use crate::app::AppError;

/// Why a request is refused, in terms common to all interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request is invalid.
    Bad,
    /// The requested item does not exist, or its sender may not see it.
    NotFound,
    /// The sender may not do this.
    Forbidden,
    /// It is not possible now.
    Busy,
    /// The sender's budget is used up for now.
    Spent,
    /// The attempt failed.
    Failed,
}

/// The reply to a client instead of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of refusal.
    pub kind: RefusalKind,
    /// What is wrong, and where.
    pub message: String,
    /// What the client can do about it.
    pub hint: Option<String>,
}

/// Converts errors of the program to refusals; the table is in the command line code.
pub type Explain = fn(&AppError) -> Refusal;

impl Refusal {
    /// A refusal of this kind with this message.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Refusal { kind, message: message.into(), hint: None }
    }

    /// A refusal of an invalid request.
    pub fn bad(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Bad, message)
    }

    /// A refusal because a name does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::NotFound, message)
    }

    /// A refusal because of a failure.
    pub fn failed(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Failed, message)
    }

    /// Adds a hint.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Refusal { hint: Some(hint.into()), ..self }
    }

    /// Message and hint as one text.
    pub fn text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}\nhint: {hint}", self.message),
            None => self.message.clone(),
        }
    }
}
