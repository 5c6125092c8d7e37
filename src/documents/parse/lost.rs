//! What could not be read of a document whose other parts are worth having.

use super::ParseError;

/// So many losses are told one by one: a book has thousands of chapters.
const MOST_TOLD: usize = 5;

/// What is missing, and why.
#[derive(Default)]
pub(super) struct Lost {
    told: Vec<String>,
    first: Option<ParseError>,
    more: usize,
}

impl Lost {
    /// What was read of the document; nothing where that is damaged, and then it is told.
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

    /// Why there is no text: the first loss, else what `hint` says of an empty document.
    pub(super) fn or_empty(self, hint: &'static str) -> ParseError {
        self.first.unwrap_or(ParseError::Empty { hint: hint.into() })
    }
}
