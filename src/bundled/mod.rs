//! What the bundled models share: one tokenizer, one table of word vectors, and running a graph on all cores.

mod gloss;
mod graph;
mod segmentation;
pub(crate) mod tokenizer;
mod words;

use std::sync::{Arc, OnceLock};

pub(crate) use self::gloss::{answer_language, is_glossed, language_of, translations, words_of};
pub(crate) use self::graph::{Graph, on_all_cores};
pub(crate) use self::tokenizer::{TokenizeError, Tokenizer};
pub(crate) use self::words::Words;

/// The length of a word vector, and of a token's state.
pub(crate) const DIMENSION: usize = 384;

pub(crate) const TOKENIZER: &[u8] = include_bytes!("../../models/encoder/tokenizer.json");
pub(crate) const WORDS: &[u8] = include_bytes!("../../models/encoder/words.bin");

/// Why a bundled model cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ModelError {
    #[error(transparent)]
    Tokenize(#[from] Arc<TokenizeError>),
    #[error("its table of words is damaged: {0}")]
    Words(String),
    #[error("its graph is damaged: {0}")]
    Load(String),
    #[error("{0}")]
    Run(String),
    #[error("it gave {found} values for {tokens} tokens")]
    Shape { tokens: usize, found: usize },
    #[error("a worker thread stopped before its texts were done")]
    Worker,
}

impl From<TokenizeError> for ModelError {
    fn from(error: TokenizeError) -> Self {
        ModelError::Tokenize(Arc::new(error))
    }
}

/// The tokenizer and the table whose rows its ids index.
pub(crate) struct Vocabulary {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) words: Words,
}

impl Vocabulary {
    /// The bundled vocabulary, read at its first use and kept for the life of the process.
    pub(crate) fn bundled() -> Result<&'static Vocabulary, ModelError> {
        static VOCABULARY: OnceLock<Result<Vocabulary, ModelError>> = OnceLock::new();
        VOCABULARY.get_or_init(|| Vocabulary::from_bytes(TOKENIZER, WORDS)).as_ref().map_err(Clone::clone)
    }

    fn from_bytes(tokenizer: &[u8], words: &'static [u8]) -> Result<Self, ModelError> {
        let tokenizer = Tokenizer::from_json(tokenizer)?;
        let words = Words::from_bytes(words)?;
        if words.len() == tokenizer.len() {
            Ok(Vocabulary { tokenizer, words })
        } else {
            Err(ModelError::Words(format!("it has {} rows for {} tokens", words.len(), tokenizer.len())))
        }
    }
}

#[cfg(test)]
mod tests;
