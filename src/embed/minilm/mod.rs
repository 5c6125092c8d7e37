//! The bundled model: all-MiniLM-L6-v2, quantized to 8 bits, inside the binary, with rows for words of Japanese. English and
//! Japanese; no file, no network, no library beyond the binary.

mod model;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use self::model::Encoder;
use super::{EmbedError, Embedder, QueryVectors, TokenState, states};
use crate::bundled::{DIMENSION, ModelError, is_glossed};
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};

/// Its name in the config.
pub const NAME: &str = "minilm";

/// The encoder, read at its first use and kept for the life of the process; the reason where it cannot be read.
static ENCODER: OnceLock<Result<Encoder, String>> = OnceLock::new();

fn encoder() -> Result<&'static Encoder, EmbedError> {
    let loaded = ENCODER.get_or_init(|| Encoder::load().map_err(|error| error.to_string()));
    loaded.as_ref().map_err(|reason| EmbedError::Load { model: NAME.to_owned(), reason: reason.clone() })
}

/// The form of the states of this edition.
const STATES: &str = "sign-v1 with Japanese, second table";

/// Those of the editions before it: the first knew English alone, the second had another table of Japanese words.
const EARLIER: [&str; 2] = [states::FORMAT, "sign-v1 with Japanese"];

/// The bundled model as an [`Embedder`]. A text's vectors do not depend on the texts it is embedded with, so a load that
/// was interrupted and completed gives the same vectors as one that was not.
#[derive(Debug)]
pub struct MiniLm {
    identity: Arc<EmbedderIdentity>,
    /// Beside English, which every edition knows and gives the same vectors.
    japanese: bool,
}

impl Default for MiniLm {
    fn default() -> Self {
        Self::new()
    }
}

impl MiniLm {
    /// Loads nothing yet: the model is read when the first text comes.
    pub fn new() -> Self {
        MiniLm { identity: Arc::new(Self::with_states(STATES)), japanese: true }
    }

    /// An earlier edition, for collections that it embedded: they go on in English, of which every edition makes the same.
    fn edition(states: &str) -> Self {
        MiniLm { identity: Arc::new(Self::with_states(states)), japanese: false }
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

/// Whether the model inside the binary knows a language: English and Japanese. An unknown language is mostly a text too short
/// to tell, and then English is likelier than not.
pub fn knows(language: Language) -> bool {
    [Language::ENGLISH, Language::UNKNOWN, Language::from_code("jpn")].contains(&language)
}

/// Whether [`likeness_blocking`] makes something of a language: of one that the model [knows](knows), and of one by the English
/// glosses of its words.
pub fn compares(language: Language) -> bool {
    knows(language) || is_glossed(language)
}

/// How alike each of `questions` and each of `texts` are in meaning, all in one language: for every question the cosines of its
/// vector and the texts', on the calling thread and others beside it.
pub fn likeness_blocking(
    questions: &[&str],
    texts: &[String],
    language: Language,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let failed = |error: ModelError| EmbedError::Run { model: NAME.to_owned(), reason: error.to_string() };
    let all: Vec<String> = questions.iter().map(|&question| question.to_owned()).chain(texts.iter().cloned()).collect();
    let vectors = encoder()?.encode_all(&all, language, |encoded| encoded.embedding()).map_err(failed)?;
    let (asked, of_texts) = vectors.split_at(questions.len());
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    Ok(asked.iter().map(|asked| of_texts.iter().map(|vector| cosine(asked, vector)).collect()).collect())
}

#[async_trait]
impl Embedder for MiniLm {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, language: Language) -> bool {
        knows(language) && (self.japanese || language != Language::from_code("jpn"))
    }

    fn earlier(&self, has: &EmbedderIdentity) -> Option<Arc<dyn Embedder>> {
        let known = EARLIER.iter().find(|states| self.japanese && *has == Self::with_states(states));
        known.map(|states| Arc::new(MiniLm::edition(states)) as Arc<dyn Embedder>)
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<ChunkVectors>, EmbedError> {
        Self::run(move |encoder| {
            encoder.encode_all(&texts, Language::UNKNOWN, |encoded| {
                let mut compressed = Vec::new();
                for (_, state) in encoded.content_states(encoder.tokenizer) {
                    states::push(&state, &mut compressed);
                }
                ChunkVectors { embedding: encoded.embedding(), states: compressed }
            })
        })
        .await
    }

    async fn queries(&self, texts: Vec<String>) -> Result<Vec<QueryVectors>, EmbedError> {
        Self::run(move |encoder| {
            encoder.encode_all(&texts, Language::UNKNOWN, |encoded| {
                let states = encoded
                    .content_states(encoder.tokenizer)
                    .map(|(id, state)| TokenState { token: encoder.tokenizer.piece(id).to_owned(), state })
                    .collect();
                QueryVectors { embedding: encoded.embedding(), states, question: None }
            })
        })
        .await
    }

    /// Empty where the model or the text cannot be read, which [`Embedder::passages`] has reported by then.
    fn state_ranges(&self, text: &str) -> Vec<Range<usize>> {
        let Ok(encoder) = encoder() else { return Vec::new() };
        let Ok(tokens) = encoder.tokenizer.encode_with_ranges(text, Language::UNKNOWN) else { return Vec::new() };
        tokens.into_iter().filter(|(id, _)| encoder.tokenizer.is_content(*id)).map(|(_, range)| range).collect()
    }
}

#[cfg(test)]
mod tests;
