use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;

use super::PREFIX;
use super::encoder::{Encoded, Encoder, FORMAT};
use super::error::ModelError;
use super::folder::Folder;
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};
use crate::embed::{EmbedError, Embedder, QueryVectors, Text, TokenState, states};

/// A causal language model in a local folder as an [`Embedder`]. A text's vectors do not depend on the texts embedded
/// with it.
pub struct CausalModel {
    identity: EmbedderIdentity,
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    folder: Folder,
    /// Read at its first use; the reason if it cannot be read.
    encoder: OnceLock<Result<Encoder, String>>,
}

impl Inner {
    fn encoder(&self) -> Result<&Encoder, EmbedError> {
        let load = || Encoder::load(&self.folder).map_err(|error| error.to_string());
        let failed = |reason: &String| EmbedError::Load { model: self.name.clone(), reason: reason.clone() };
        self.encoder.get_or_init(load).as_ref().map_err(failed)
    }
}

impl CausalModel {
    /// Opens the model in a folder. Its description is read now, and its weights with the first text. A collection
    /// remembers the absolute path, so that the model is found from any working folder.
    pub fn open(folder: &str) -> Result<Self, EmbedError> {
        let path = std::path::absolute(folder).unwrap_or_else(|_| Path::new(folder).to_owned());
        let name = format!("{PREFIX}{}", path.display());
        let failed = |error: ModelError| EmbedError::Load { model: name.clone(), reason: error.to_string() };
        let folder = Folder::open(&path).map_err(failed)?;
        let identity = EmbedderIdentity {
            name: name.clone(),
            dimension: folder.config.hidden,
            passage_prefix: String::new(),
            states: format!("{} {FORMAT} {}", states::FORMAT, folder.fingerprint),
        };
        Ok(CausalModel { identity, inner: Arc::new(Inner { name, folder, encoder: OnceLock::new() }) })
    }

    /// Encodes texts on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        texts: Vec<Text>,
        finish: impl Fn(&Encoded) -> T + Send + Sync + 'static,
    ) -> Result<Vec<T>, EmbedError> {
        let inner = Arc::clone(&self.inner);
        let failed = |reason: String| EmbedError::Run { model: self.inner.name.clone(), reason };
        let work = tokio::task::spawn_blocking(move || {
            let failed = |error: ModelError| EmbedError::Run { model: inner.name.clone(), reason: error.to_string() };
            let texts: Vec<String> = texts.into_iter().map(|text| text.text).collect();
            inner.encoder()?.encode_all(&texts, finish).map_err(failed)
        });
        work.await.map_err(|error| failed(error.to_string()))?
    }
}

#[async_trait]
impl Embedder for CausalModel {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    /// A folder does not say what its model was trained on; most models have read text of all larger languages.
    fn knows(&self, _language: Language) -> bool {
        true
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        self.run(texts, |encoded| {
            let mut compressed = Vec::new();
            for token in &encoded.text.content {
                states::push(&encoded.state(token.at), &mut compressed);
            }
            ChunkVectors { embedding: encoded.mean(), states: compressed }
        })
        .await
    }

    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        self.run(texts, |encoded| {
            let content = encoded.text.content.iter();
            let states = content.map(|token| TokenState {
                token: token.piece.clone(),
                word: token.word.clone(),
                state: encoded.state(token.at),
            });
            QueryVectors { embedding: encoded.mean(), states: states.collect(), question: encoded.last() }
        })
        .await
    }

    /// Empty if the model or the text cannot be read, which [`Embedder::passages`] has reported by then.
    fn state_ranges(&self, text: &Text) -> Vec<Range<usize>> {
        let Ok(encoder) = self.inner.encoder() else { return Vec::new() };
        let Ok(tokens) = encoder.tokens.of(&text.text) else { return Vec::new() };
        tokens.content.into_iter().map(|token| token.word).collect()
    }
}
