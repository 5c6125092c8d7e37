//! Records the parts of a document that could not be read, where its other parts are worth having.

use super::ParseError;

/// How many losses are listed one by one: a book has thousands of chapters.
const MOST_TOLD: usize = 5;

/// The missing parts, and the reasons.
#[derive(Default)]
pub(super) struct LostParts {
    told: Vec<String>,
    first: Option<ParseError>,
    more: usize,
}

impl LostParts {
    /// Returns the part that was read; if it is damaged, records the loss and returns the default.
    pub(super) fn or_default<T: Default>(&mut self, read: Result<T, ParseError>, what: &str) -> T {
        read.unwrap_or_else(|error| {
            if self.told.len() < MOST_TOLD {
                self.told.push(format!("{what} ({error})"));
            } else {
                self.more += 1;
            }
            self.first.get_or_insert(error);
            T::default()
        })
    }

    /// All losses, as in [`Parsed::lost`](super::Parsed::lost).
    pub(super) fn told(self) -> Option<String> {
        let more = if self.more > 0 { format!("; and {} more", self.more) } else { String::new() };
        (!self.told.is_empty()).then(|| format!("{}{more}", self.told.join("; ")))
    }

    /// The reason for having no text: the first loss, else that the document is empty, with `hint`.
    pub(super) fn into_error(self, hint: &'static str) -> ParseError {
        self.first.unwrap_or(ParseError::Empty { hint: hint.into() })
    }
}
