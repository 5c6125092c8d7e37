//! Turns text into vectors, by the bundled model, any model of `fastembed`'s catalogue, a causal language model in a
//! folder, or any OpenAI-compatible endpoint.

pub mod causal;
mod family;
pub mod fastembed;
pub mod minilm;
pub mod openai;
mod states;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::{ChunkVectors, EmbedderIdentity, Language, StoredChunk, titled};

/// Why text cannot be turned into vectors.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmbedError {
    /// The name in the config is not a known embedder.
    #[error(
        "unknown embedder `{name}`; known are `minilm`, `none`, `fastembed:MODEL`, `openai:MODEL` and `causal:FOLDER`"
    )]
    Unknown {
        /// The name as configured.
        name: String,
    },
    /// The model could not be loaded.
    #[error("cannot load the embedding model {model}: {reason}")]
    Load {
        /// The model's name.
        model: String,
        /// The library's message, and what to do.
        reason: String,
    },
    /// The model ran and failed.
    #[error("the embedding model {model} failed: {reason}")]
    Run {
        /// The model's name.
        model: String,
        /// The message of the library or the endpoint.
        reason: String,
    },
    /// The model gave vectors of another length than expected.
    #[error("the embedding model {model} gave vectors of {found} dimensions where {expected} were expected")]
    Dimension {
        /// The model's name.
        model: String,
        /// The expected number of dimensions.
        expected: usize,
        /// The number of dimensions found.
        found: usize,
    },
}

/// A text to embed.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text as written.
    pub text: String,
    /// The language to read it in.
    pub language: Language,
}

impl Text {
    /// The text that is embedded for a chunk, see [`titled`].
    pub fn of_chunk(chunk: &StoredChunk) -> Self {
        Text { text: titled(&chunk.title, &chunk.text), language: chunk.language }
    }
}

/// Makes a text in an unknown language.
impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Text { text: text.into(), language: Language::UNKNOWN }
    }
}

/// The encoded form of a query.
#[derive(Clone, Debug)]
pub struct QueryVectors {
    /// The embedding, of length 1.
    pub embedding: Vec<f32>,
    /// One state of length 1, with its token's text, for each token that counts in late interaction; empty if the
    /// encoder gives none.
    pub states: Vec<TokenState>,
    /// The vector, of length 1, by which answers are searched, if the encoder has a separate one.
    pub question: Option<Vec<f32>>,
}

impl QueryVectors {
    /// The vectors of an encoder that gives only an embedding.
    pub fn without_states(embedding: Vec<f32>) -> Self {
        QueryVectors { embedding, states: Vec::new(), question: None }
    }
}

/// The last layer's state of one query token.
#[derive(Clone, Debug)]
pub struct TokenState {
    /// The token's letters; `##` precedes letters that continue a word.
    pub token: String,
    /// The byte range, in the query, of the word that the token is part of.
    pub word: Range<usize>,
    /// The state, of length 1.
    pub state: Vec<f32>,
}

/// Turns passages and queries into vectors. Calls are CPU- or network-bound and long: an implementation does CPU work
/// off the async threads and uses all cores for one batch, so callers gain nothing from concurrent calls.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The identity of this embedder, which collections store.
    fn identity(&self) -> &EmbedderIdentity;

    /// Whether vectors of texts in `language` are meaningful. If not, search is lexical only.
    fn knows(&self, language: Language) -> bool;

    /// The earlier edition of this embedder that has the identity `has`. In the languages that the earlier edition
    /// knows, both give the same vectors. `None` for every other identity.
    fn earlier(&self, _has: &EmbedderIdentity) -> Option<Arc<dyn Embedder>> {
        None
    }

    /// Vectors of passages, in order. The model cuts passages that are longer than it accepts.
    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError>;

    /// Vectors of queries, in order.
    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError>;

    /// For late interaction: for each passage, the inner product of each query state with each of the passage's
    /// compressed states. One row per query state, with the passage's states in order; empty if there are no states.
    fn similarities(&self, query: &QueryVectors, passages: &[Vec<u8>]) -> Vec<Vec<f32>> {
        states::similarities(query.states.iter().map(|state| state.state.as_slice()), passages)
    }

    /// The inner product of each of `vectors` with each of a passage's compressed states, taken as [`Self::unpack`]
    /// gives them. One row per vector; empty if there are no states.
    fn inner_products(&self, vectors: &[&[f32]], states: &[u8]) -> Vec<f32> {
        states::inner_products(vectors, states)
    }

    /// Compressed states as vectors of length 1, one after another, as [`Self::inner_products`] compares with them.
    fn unpack(&self, states: &[u8]) -> Vec<f32> {
        states::unpack(states, self.identity().dimension)
    }

    /// The byte range of the passage that each of its compressed states stands for, in the order of the states.
    fn state_ranges(&self, _text: &Text) -> Vec<Range<usize>> {
        Vec::new()
    }
}

/// The options of embedders, besides their name.
#[derive(Clone, Debug, Default)]
pub struct EmbedOptions {
    /// The folder for fetched models.
    pub models_dir: PathBuf,
    /// How to reach an endpoint's models.
    pub endpoint: openai::OpenAiEmbedOptions,
    /// Whether fetching models is forbidden.
    pub offline: bool,
}

/// Opens an embedder by its name in the config: `minilm`, `fastembed:MODEL`, `fastembed:./FOLDER`, `openai:MODEL`,
/// `causal:FOLDER`; `None` for `none`. Cheap, since models are read with the first text; only an endpoint whose vector
/// length is unknown is asked for it.
pub async fn open(name: &str, options: &EmbedOptions) -> Result<Option<Arc<dyn Embedder>>, EmbedError> {
    let model_of = |prefix| name.strip_prefix(prefix).filter(|model: &&str| !model.is_empty());
    if name == "none" {
        Ok(None)
    } else if name == minilm::NAME {
        Ok(Some(Arc::new(minilm::MiniLm::new())))
    } else if let Some(model) = model_of(fastembed::PREFIX) {
        Ok(Some(fastembed::open(model, options)?))
    } else if let Some(model) = model_of(openai::PREFIX) {
        Ok(Some(Arc::new(openai::OpenAiEmbedder::open(model, &options.endpoint).await?)))
    } else if let Some(folder) = model_of(causal::PREFIX) {
        Ok(Some(causal::open(folder)?))
    } else {
        Err(EmbedError::Unknown { name: name.to_owned() })
    }
}

/// The error for a kind of model that this program was built without.
#[cfg(not(all(feature = "causal", feature = "fastembed")))]
fn left_out(prefix: &str, model: &str, feature: &str) -> EmbedError {
    EmbedError::Load {
        model: format!("{prefix}{model}"),
        reason: format!(
            "this program was built without the feature `{feature}`; `cargo install --path . --features {feature}` \
             installs it with it"
        ),
    }
}

/// Refuses vectors that cannot be compared with others: if there is not one for each of the `asked` texts, if their
/// length is not the embedder's, or if values are not finite.
pub fn check_vectors<'v>(
    embedder: &EmbedderIdentity,
    asked: usize,
    vectors: impl ExactSizeIterator<Item = &'v Vec<f32>>,
) -> Result<(), EmbedError> {
    let failed = |reason: String| Err(EmbedError::Run { model: embedder.name.clone(), reason });
    if vectors.len() != asked {
        return failed(format!("it gave {} vectors for {asked} texts", vectors.len()));
    }
    for vector in vectors {
        let found = vector.len();
        if found != embedder.dimension {
            let model = embedder.name.clone();
            return Err(EmbedError::Dimension { model, expected: embedder.dimension, found });
        }
        if !vector.iter().all(|value| value.is_finite()) {
            return failed("it gave a vector with values that are no numbers".to_owned());
        }
    }
    Ok(())
}

/// Whether `embedder` gives meaningful vectors for `query`. If the language is unknown, since a few words seldom tell
/// it, the embedder must know one of the languages written in the query's script.
pub fn knows(embedder: &dyn Embedder, query: &str, language: Language) -> bool {
    if language != Language::UNKNOWN {
        return embedder.knows(language);
    }
    match whatlang::detect_script(query) {
        Some(script) => script.langs().iter().any(|&lang| embedder.knows(Language(Some(lang)))),
        None => embedder.knows(language),
    }
}

/// Scales to length 1; a vector of zeros is left unchanged.
pub fn l2_normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: Result<Option<&str>, &str>) {
        let endpoint = openai::OpenAiEmbedOptions { dimension: Some(8), ..Default::default() };
        let options = EmbedOptions { models_dir: PathBuf::from("unused"), endpoint, offline: false };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        match (runtime.block_on(open(name, &options)), expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(found.map(|embedder| embedder.identity().name.clone()).as_deref(), expected);
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{name}: {} instead of {expected:?}", found.is_ok()),
        }
    }

    #[test]
    fn a_vector_that_compares_with_nothing_is_refused() {
        fn check(asked: usize, vector: &[f32], refused: Option<&str>) {
            let identity = EmbedderIdentity {
                name: "odd".to_owned(),
                dimension: 2,
                passage_prefix: String::new(),
                states: String::new(),
            };
            let vectors = [vector.to_vec()];
            let error = check_vectors(&identity, asked, vectors.iter()).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), refused, "{vector:?}");
        }
        let no_number = "the embedding model odd failed: it gave a vector with values that are no numbers";
        check(1, &[0.0, 1.0], None);
        check(1, &[f32::NAN, 1.0], Some(no_number));
        check(1, &[0.0, f32::INFINITY], Some(no_number));
        check(1, &[1.0], Some("the embedding model odd gave vectors of 1 dimensions where 2 were expected"));
        check(2, &[0.0, 1.0], Some("the embedding model odd failed: it gave 1 vectors for 2 texts"));
    }

    #[test]
    fn embedders_open_by_name() {
        check("none", Ok(None));
        check("minilm", Ok(Some("minilm")));
        check("MiniLM-2", Err("unknown embedder `MiniLM-2`"));
        check("", Err("unknown embedder"));
        check("fastembed:", Err("unknown embedder"));
        check("openai:", Err("unknown embedder"));
        check("causal:", Err("unknown embedder"));
        check("openai:text-embedding-3-small", Ok(Some("openai:text-embedding-3-small")));
        #[cfg(feature = "fastembed")]
        check("fastembed:no-such-model", Err("near are"));
        #[cfg(not(feature = "fastembed"))]
        check("fastembed:a-model", Err("`cargo install --path . --features fastembed`"));
        #[cfg(not(feature = "causal"))]
        check("causal:/models/qwen", Err("`cargo install --path . --features causal`"));
    }
}
