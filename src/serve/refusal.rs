use crate::app::AppError;

/// Why a request is not answered, in the terms of every interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The request makes no sense.
    Bad,
    /// What it names is not there, or not for its sender.
    NotFound,
    /// Its sender may not do this.
    Forbidden,
    /// Not now.
    Busy,
    /// Its sender has used up what it may have for now.
    Spent,
    /// It was tried, and failed.
    Failed,
}

/// What a client is told in place of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Whose fault it is.
    pub kind: RefusalKind,
    /// What is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// How failures of the program are told; the command line has the table.
pub type Explain = fn(&AppError) -> Refusal;

impl Refusal {
    /// With its kind and message.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Refusal { kind, message: message.into(), hint: None }
    }

    /// A request that makes no sense.
    pub fn bad(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Bad, message)
    }

    /// A name that nothing has.
    pub fn not_found(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::NotFound, message)
    }

    /// A failure.
    pub fn failed(message: impl Into<String>) -> Self {
        Refusal::new(RefusalKind::Failed, message)
    }

    /// With what to do about it.
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
