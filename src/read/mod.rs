//! Questions and passages in, readings out: which words of a passage answer a question, and whether it answers at all.
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

/// What goes wrong when passages are read.
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
    /// As it was asked. What is beyond its first 64 tokens is not read.
    pub question: Arc<str>,
    /// Beyond what the model takes at once it is read in windows that overlap; beyond 64 KiB it is not read.
    pub passage: Arc<str>,
    /// The languages of both. Those of which the binary has English glosses are read word for word by these.
    pub question_in: Language,
    /// See [`Self::question_in`].
    pub passage_in: Language,
}

impl Pair {
    /// A pair of texts, each with its language. A passage in no language that anybody can tell is mostly a row of a table and
    /// counts as being in the question's.
    pub fn new(
        (question, question_in): (impl Into<Arc<str>>, Language),
        (passage, passage_in): (impl Into<Arc<str>>, Language),
    ) -> Self {
        let passage_in = if passage_in == Language::UNKNOWN { question_in } else { passage_in };
        Pair { question: question.into(), passage: passage.into(), question_in, passage_in }
    }

    /// Whether its question is another pair's.
    fn asks_as(&self, other: &Pair) -> bool {
        self.question == other.question && self.question_in == other.question_in
    }
}

/// What was read in one passage. All scores are natural logarithms of odds without a bound, mostly between −15 and 15.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The bytes of the passage that answer best, whole words, on character borders. It is there even where the passage
    /// does not answer, so look at [`Self::score`]; `None` only where the passage has no words.
    pub answer: Option<Range<usize>>,
    /// How well the answer's first and last word fit.
    pub span: f32,
    /// The same for "nothing here".
    pub null: f32,
    /// Whether the passage answers the question at all.
    pub answerable: f32,
    /// The tokens of the window that answers best.
    fits: Vec<Fit>,
}

impl Reading {
    /// The words within a part of the passage that answer best, and how much less well they fit than [`Self::answer`], in
    /// units of [`Self::score`]. `None` where no token of the window that answers best lies in that part.
    pub fn within(&self, part: Range<usize>) -> Option<(Range<usize>, f32)> {
        let from = self.fits.partition_point(|fit| fit.bytes.start < part.start);
        let to = self.fits.partition_point(|fit| fit.bytes.end <= part.end);
        let fits = self.fits.get(from..to)?;
        let (first, last, span) = best_span(fits, LONGEST_ANSWER)?;
        Some((fits[first].bytes.start..fits[last].bytes.end, (self.span - span) / 2.0))
    }

    /// One number for how sure the reader is of the answer: the higher the surer, comparable between passages and
    /// questions. Above 0 an answer is likelier than none.
    pub fn score(&self) -> f32 {
        (self.span - self.null) / 2.0 + self.answerable
    }
}

/// Whether the reader tells an answer from none in a language: English and Japanese. An unknown language is mostly a text too
/// short to tell, as a row of a table, and is taken for a known one.
pub fn knows(language: Language) -> bool {
    [Language::ENGLISH, Language::UNKNOWN, Language::from_code("jpn")].contains(&language)
}

/// Whether the reader makes something of a language: of those that it [knows](knows), and of those that it reads by their English
/// glosses. Low scores for all that is nearest then tell that nothing answers.
pub fn makes_out(language: Language) -> bool {
    knows(language) || is_glossed(language)
}

/// Whether to go on reading; asked before each passage, on several threads.
pub type GoOn = Arc<dyn Fn() -> bool + Send + Sync>;

/// Reads all pairs on all cores, off the async threads; the readings keep the order of the pairs. The model is loaded by the
/// first call, which takes some tens of milliseconds. A pair's reading does not depend on the pairs beside it. `None` where
/// `go_on` said no before all were read.
pub async fn read(pairs: Vec<Pair>, go_on: GoOn) -> Result<Option<Vec<Reading>>, ReadError> {
    let failed = |error: tokio::task::JoinError| ReadError::Run { reason: error.to_string() };
    tokio::task::spawn_blocking(move || read_while(&pairs, &*go_on)).await.map_err(failed)?
}

/// Loads the model on another thread where that was not done yet, for whoever will soon have something to read. A failure is
/// told by the reading.
pub fn load_ahead() {
    if READER.get().is_none() {
        tokio::task::spawn_blocking(reader);
    }
}

/// As [`read`], all of them, on the calling thread and others beside it.
pub fn read_blocking(pairs: &[Pair]) -> Result<Vec<Reading>, ReadError> {
    // Nobody says no.
    read_while(pairs, &|| true).map(Option::unwrap_or_default)
}

fn read_while(pairs: &[Pair], go_on: &(dyn Fn() -> bool + Sync)) -> Result<Option<Vec<Reading>>, ReadError> {
    if pairs.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let reader = reader().as_ref().map_err(Clone::clone)?;
    reader.read(pairs, go_on).map_err(|error| ReadError::Run { reason: error.to_string() })
}

/// The bundled one, loaded at its first use and kept for the life of the process.
static READER: OnceLock<Result<Reader, ReadError>> = OnceLock::new();

fn reader() -> &'static Result<Reader, ReadError> {
    READER.get_or_init(|| Reader::load().map_err(|error| ReadError::Load { reason: error.to_string() }))
}

#[cfg(test)]
mod tests;
