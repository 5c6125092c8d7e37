//! Causal language models in a local folder of safetensors: Qwen2, Llama, Mistral and Phi, run by candle on the CPU. A
//! token's state is that of the last layer; a question's is that of its last token, which has read all of it.
//!
//! Behind the cargo feature `causal`, since the library that runs them takes long to compile.

#[cfg(feature = "causal")]
mod config;
#[cfg(feature = "causal")]
mod decoder;
#[cfg(feature = "causal")]
mod embedder;
#[cfg(feature = "causal")]
mod encoder;
#[cfg(feature = "causal")]
mod error;
#[cfg(feature = "causal")]
mod folder;
#[cfg(feature = "causal")]
mod rope;
#[cfg(all(test, feature = "causal"))]
pub(crate) mod testing;
#[cfg(feature = "causal")]
mod tokens;

use std::sync::Arc;

use super::{EmbedError, Embedder};

#[cfg(feature = "causal")]
pub use embedder::CausalModel;

/// The prefix of a folder in the config.
pub const PREFIX: &str = "causal:";

/// Opens the model in `folder`.
#[cfg(feature = "causal")]
pub(super) fn open(folder: &str) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(Arc::new(CausalModel::open(folder)?))
}

/// Reports that this program was built without the feature.
#[cfg(not(feature = "causal"))]
pub(super) fn open(folder: &str) -> Result<Arc<dyn Embedder>, EmbedError> {
    Err(super::left_out(PREFIX, folder, "causal"))
}

#[cfg(all(test, feature = "causal"))]
mod tests;
