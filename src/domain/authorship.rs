use serde::{Deserialize, Serialize};

/// Who wrote a document and where it appeared, as far as it, or a library beside it, tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authorship {
    /// As a reference manager has it; documents say theirs elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The year in which it appeared, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<String>,
    /// In its order, as it writes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The journal or the proceedings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Who published it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// As in `10.1000/182`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// As in `2301.01234`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<String>,
}

impl Authorship {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Authorship::default()
    }

    /// Takes from another what this one does not say.
    pub fn or(self, other: Authorship) -> Authorship {
        Authorship {
            title: self.title.or(other.title),
            year: self.year.or(other.year),
            authors: if self.authors.is_empty() { other.authors } else { self.authors },
            journal: self.journal.or(other.journal),
            publisher: self.publisher.or(other.publisher),
            doi: self.doi.or(other.doi),
            arxiv: self.arxiv.or(other.arxiv),
        }
    }
}
