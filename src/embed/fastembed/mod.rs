//! Models of `fastembed`'s catalogue, fetched once from their hub, and models in a local folder; ONNX Runtime runs
//! both.
//!
//! Behind the cargo feature `fastembed`: ONNX Runtime has to be installed beside the program, so few can use such a
//! build as it is.

#[cfg(feature = "fastembed")]
mod catalogue;
#[cfg(feature = "fastembed")]
mod folder;
#[cfg(feature = "fastembed")]
mod model;
#[cfg(feature = "fastembed")]
mod runtime;

use std::sync::Arc;

use super::{EmbedError, EmbedOptions, Embedder};

/// The prefix of a model in the config.
pub const PREFIX: &str = "fastembed:";

/// Opens a model by its name or folder.
#[cfg(feature = "fastembed")]
pub(super) fn open(model: &str, options: &EmbedOptions) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(Arc::new(model::FastEmbed::open(model, options)?))
}

/// Reports that this program was built without the feature.
#[cfg(not(feature = "fastembed"))]
pub(super) fn open(model: &str, _options: &EmbedOptions) -> Result<Arc<dyn Embedder>, EmbedError> {
    Err(super::left_out(PREFIX, model, "fastembed"))
}
