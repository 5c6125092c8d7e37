//! Reads passages for a question: which words of a passage answer it, and whether the passage answers it at all.
//!
//! The reader is a small model inside the binary that sees question and passage together. It knows nothing of collections,
//! rankings or reports; it does not judge whether a passage is true, and does not join what several passages say.

mod model;
mod window;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use self::model::{LONGEST_ANSWER, Reader};
use self::window::{Fit, best_span};
use crate::bundled::is_glossed;
use crate::domain::Language;

/// An error in reading passages.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ReadError {
    /// The model inside the binary could not be read.
    #[error("cannot load the bundled reader: {reason}; the binary is damaged, so install it again")]
    Load {
        /// What is wrong with it.
        reason: String,
    },
    /// The model ran and failed.
    #[error("the bundled reader failed: {reason}")]
    Run {
        /// What the library said.
        reason: String,
    },
}

/// A question and a passage that may answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The question as it was asked. Only its first 64 tokens are read.
    pub question: Arc<str>,
    /// The passage. If it is longer than the model takes at once, it is read in overlapping windows; only 64 KiB are
    /// read.
    pub passage: Arc<str>,
    /// The language of the question. Texts in languages for which the binary has English glosses are read word for word
    /// by them.
    pub question_in: Language,
    /// The language of the passage; see [`Self::question_in`].
    pub passage_in: Language,
}

impl Pair {
    /// A pair of texts, each with its language. A passage whose language cannot be told is mostly a row of a table and
    /// counts as being in the question's.
    pub fn new(
        (question, question_in): (impl Into<Arc<str>>, Language),
        (passage, passage_in): (impl Into<Arc<str>>, Language),
    ) -> Self {
        let passage_in = if passage_in == Language::UNKNOWN { question_in } else { passage_in };
        Pair { question: question.into(), passage: passage.into(), question_in, passage_in }
    }

    /// Whether it asks the same question in the same language as another pair.
    fn has_same_question(&self, other: &Pair) -> bool {
        self.question == other.question && self.question_in == other.question_in
    }
}

/// The result of reading one passage. All scores are natural logarithms of odds, unbounded, mostly between −15 and 15.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The bytes of the passage that answer best: whole words, on character boundaries. It is set even if the passage
    /// does not answer, so look at [`Self::score`]; it is `None` only if the passage has no words.
    pub answer: Option<Range<usize>>,
    /// How well the answer's first and last word fit.
    pub span: f32,
    /// How well "nothing here" fits, on the same scale.
    pub null: f32,
    /// How likely the passage answers the question at all.
    pub answerable: f32,
    /// The fit of each token in the window that answers best.
    fits: Vec<Fit>,
}

impl Reading {
    /// The words within a part of the passage that answer best, and how much worse they fit than [`Self::answer`], in
    /// units of [`Self::score`]. `None` if no token of the window that answers best lies in that part.
    pub fn within(&self, part: Range<usize>) -> Option<(Range<usize>, f32)> {
        let from = self.fits.partition_point(|fit| fit.bytes.start < part.start);
        let to = self.fits.partition_point(|fit| fit.bytes.end <= part.end);
        let fits = self.fits.get(from..to)?;
        let (first, last, span) = best_span(fits, LONGEST_ANSWER)?;
        Some((fits[first].bytes.start..fits[last].bytes.end, (self.span - span) / 2.0))
    }

    /// How sure the reader is of the answer, comparable between passages and questions: the higher the surer. Above 0
    /// an answer is likelier than none.
    pub fn score(&self) -> f32 {
        (self.span - self.null) / 2.0 + self.answerable
    }
}

/// Whether the reader can tell an answer from none in a language: English and Japanese. A text in an unknown language
/// is mostly too short to tell, like a row of a table, and counts as one in a known language.
pub fn knows(language: Language) -> bool {
    [Language::ENGLISH, Language::UNKNOWN, Language::from_code("jpn")].contains(&language)
}

/// Whether the reader can read a language at all: one that it [knows](knows), or one that it reads by its English
/// glosses. Low scores for all of the nearest passages then mean that nothing answers.
pub fn can_read(language: Language) -> bool {
    knows(language) || is_glossed(language)
}

/// Whether to go on reading; called before each window of a passage, on several threads.
pub type GoOn = Arc<dyn Fn() -> bool + Send + Sync>;

/// Reads all pairs on all cores, off the async threads, and returns the readings in the order of the pairs. The first
/// call loads the model, which takes some tens of milliseconds. A pair's reading does not depend on the other pairs.
/// Returns `None` if `go_on` said no before all were read.
pub async fn read(pairs: Vec<Pair>, go_on: GoOn) -> Result<Option<Vec<Reading>>, ReadError> {
    let failed = |error: tokio::task::JoinError| ReadError::Run { reason: error.to_string() };
    tokio::task::spawn_blocking(move || read_while(&pairs, &*go_on)).await.map_err(failed)?
}

/// Loads the model on another thread, if it is not loaded yet, for a caller that will soon read something. The reading
/// reports a failure.
pub fn load_ahead() {
    if READER.get().is_none() {
        tokio::task::spawn_blocking(reader);
    }
}

/// Reads all pairs like [`read`], on the calling thread and others beside it.
pub fn read_blocking(pairs: &[Pair]) -> Result<Vec<Reading>, ReadError> {
    // Nothing stops the reading, so there is always a result.
    read_while(pairs, &|| true).map(Option::unwrap_or_default)
}

fn read_while(pairs: &[Pair], go_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<Vec<Reading>>, ReadError> {
    if pairs.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let reader = reader().as_ref().map_err(Clone::clone)?;
    reader.read(pairs, go_on).map_err(|error| ReadError::Run { reason: error.to_string() })
}

/// The bundled reader, loaded at its first use and kept for the life of the process.
static READER: OnceLock<Result<Reader, ReadError>> = OnceLock::new();

fn reader() -> &'static Result<Reader, ReadError> {
    READER.get_or_init(|| Reader::load().map_err(|error| ReadError::Load { reason: error.to_string() }))
}

#[cfg(test)]
mod tests;
