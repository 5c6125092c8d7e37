//! Which model answers.

use std::sync::Arc;

use super::AppError;
use crate::config::{Config, Surroundings};
use crate::llm::ChatModel;

/// The model that the settings name, and how it was chosen.
#[derive(Clone)]
pub struct ChosenModel {
    /// Ready to be asked.
    pub model: Arc<dyn ChatModel>,
    /// The provider's name, `auto` resolved.
    pub provider: String,
    /// Where it answers; empty for one that needs no network.
    pub endpoint: String,
    /// Where its key came from: a variable's or a file's name, never the key. Empty where it needs none.
    pub key_source: String,
    /// Whether it is the offline backend only because `auto` found no key.
    pub no_key_found: bool,
}

/// Builds the model. No request is made.
pub(super) fn choose(config: &Config, around: &Surroundings) -> Result<ChosenModel, AppError> {
    let _ = (config, around);
    Err(AppError::NotWired { what: "the language model" })
}
