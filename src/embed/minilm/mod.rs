//! The bundled model: all-MiniLM-L6-v2, quantized to 8 bits, inside the binary, with added rows for Japanese words. It
//! reads English and Japanese, and other languages by English glosses of their words. It needs no file, network or
//! library beyond the binary.

mod model;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use self::model::Encoder;
use super::{EmbedError, Embedder, QueryVectors, Text, TokenState, states};
use crate::bundled::{DIMENSION, ModelError, is_glossed};
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};

/// The model's name in the config.
pub const NAME: &str = "minilm";

/// The encoder, loaded at first use and kept for the life of the process, or the reason why it cannot be loaded.
static ENCODER: OnceLock<Result<Encoder, String>> = OnceLock::new();

fn encoder() -> Result<&'static Encoder, EmbedError> {
    let loaded = ENCODER.get_or_init(|| Encoder::load().map_err(|error| error.to_string()));
    loaded.as_ref().map_err(|reason| EmbedError::Load { model: NAME.to_owned(), reason: reason.clone() })
}

/// Identifies this edition's states. It names the glosses too, since other glosses give other vectors.
const STATES: &str = "sign-v1 with Japanese, second table; second glosses";

/// The state formats of earlier editions, each with the languages besides English in which its vectors equal this
/// edition's. The first knew only English, the second had a different table of Japanese words, the third had no
/// glosses, and the fourth had different ones.
const EARLIER: [(&str, &[&str]); 4] = [
    (states::FORMAT, &[]),
    ("sign-v1 with Japanese", &[]),
    ("sign-v1 with Japanese, second table", &["jpn"]),
    ("sign-v1 with Japanese, second table; first glosses", &["jpn"]),
];

/// The bundled model as an [`Embedder`]. A text's vectors do not depend on the texts it is embedded with, so a load that
/// was interrupted and completed gives the same vectors as one that was not.
#[derive(Debug)]
pub struct MiniLm {
    identity: Arc<EmbedderIdentity>,
    /// For an earlier edition, the languages besides English in which its vectors equal the current one's; else `None`.
    shared: Option<&'static [&'static str]>,
}

impl Default for MiniLm {
    fn default() -> Self {
        Self::new()
    }
}

impl MiniLm {
    /// Loads nothing yet: the model is read when the first text is embedded.
    pub fn new() -> Self {
        MiniLm { identity: Arc::new(Self::with_states(STATES)), shared: None }
    }

    fn with_states(states: &str) -> EmbedderIdentity {
        let (name, passage_prefix) = (NAME.to_owned(), String::new());
        EmbedderIdentity { name, dimension: DIMENSION, passage_prefix, states: states.to_owned() }
    }

    /// Runs `work` on a thread that may block.
    async fn run<T: Send + 'static>(
        work: impl FnOnce(&'static Encoder) -> Result<Vec<T>, ModelError> + Send + 'static,
    ) -> Result<Vec<T>, EmbedError> {
        let failed = |reason: String| EmbedError::Run { model: NAME.to_owned(), reason };
        tokio::task::spawn_blocking(move || work(encoder()?).map_err(|error| failed(error.to_string())))
            .await
            .map_err(|error| failed(error.to_string()))?
    }
}

/// Whether the bundled model gives meaningful vectors for a language: for English, Japanese, and the languages that it
/// reads by English glosses. An unknown language counts too: such a text is mostly too short to tell, and more likely
/// English than not.
pub fn knows(language: Language) -> bool {
    [Language::ENGLISH, Language::UNKNOWN, Language::from_code("jpn")].contains(&language) || is_glossed(language)
}

/// The cosine similarity of each of `questions` to each of `texts`, one row per question. Runs on the calling thread
/// and on others.
pub fn likeness_blocking(questions: Vec<Text>, texts: Vec<Text>) -> Result<Vec<Vec<f32>>, EmbedError> {
    let failed = |error: ModelError| EmbedError::Run { model: NAME.to_owned(), reason: error.to_string() };
    let asked = questions.len();
    let all: Vec<Text> = questions.into_iter().chain(texts).collect();
    let vectors = encoder()?.encode_all(&all, |encoded| encoded.embedding()).map_err(failed)?;
    let (asked, of_texts) = vectors.split_at(asked);
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    Ok(asked.iter().map(|asked| of_texts.iter().map(|vector| cosine(asked, vector)).collect()).collect())
}

#[async_trait]
impl Embedder for MiniLm {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, language: Language) -> bool {
        let is_shared = |shared: &[&str]| {
            [Language::ENGLISH, Language::UNKNOWN].contains(&language) || shared.contains(&language.code())
        };
        self.shared.map_or_else(|| knows(language), is_shared)
    }

    fn earlier(&self, has: &EmbedderIdentity) -> Option<Arc<dyn Embedder>> {
        let mut editions = EARLIER.iter().filter(|_| self.shared.is_none());
        let (states, shared) = editions.find(|(states, _)| *has == Self::with_states(states))?;
        Some(Arc::new(MiniLm { identity: Arc::new(Self::with_states(states)), shared: Some(shared) }))
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        Self::run(move |encoder| {
            encoder.encode_all(&texts, |encoded| {
                let mut compressed = Vec::new();
                for (_, _, state) in encoded.content_states(encoder.tokenizer) {
                    states::push(&state, &mut compressed);
                }
                ChunkVectors { embedding: encoded.embedding(), states: compressed }
            })
        })
        .await
    }

    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        Self::run(move |encoder| {
            encoder.encode_all(&texts, |encoded| {
                let states = encoded
                    .content_states(encoder.tokenizer)
                    .map(|(id, word, state)| TokenState { token: encoder.tokenizer.piece(id).to_owned(), word, state })
                    .collect();
                QueryVectors { embedding: encoded.embedding(), states, question: None }
            })
        })
        .await
    }

    /// Empty if the model or the text cannot be read, which [`Embedder::passages`] has reported by then.
    fn state_ranges(&self, text: &Text) -> Vec<Range<usize>> {
        let Ok(encoder) = encoder() else { return Vec::new() };
        let Ok(tokens) = encoder.tokenizer.encode(&text.text, text.language) else { return Vec::new() };
        tokens.into_iter().filter(|(id, _)| encoder.tokenizer.is_content(*id)).map(|(_, range)| range).collect()
    }
}

#[cfg(test)]
mod tests;
