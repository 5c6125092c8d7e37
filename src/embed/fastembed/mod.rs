//! Models of `fastembed`'s catalogue, fetched once from their hub, and models in a local folder; both run by ONNX Runtime.
//!
//! Behind the cargo feature `fastembed`: ONNX Runtime has to be installed beside the program, so few can use it as it is built.

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

/// What stands before the model in the config.
pub const PREFIX: &str = "fastembed:";

/// The model of a name or a folder.
#[cfg(feature = "fastembed")]
pub(super) fn open(model: &str, options: &EmbedOptions) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(Arc::new(model::FastEmbed::open(model, options)?))
}

/// Says what this program lacks.
#[cfg(not(feature = "fastembed"))]
pub(super) fn open(model: &str, _options: &EmbedOptions) -> Result<Arc<dyn Embedder>, EmbedError> {
    Err(super::left_out(PREFIX, model, "fastembed"))
}
