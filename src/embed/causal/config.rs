//! Reads the sizes of a model and the layout of its layers from its `config.json`.

use std::path::Path;

use serde::Deserialize;

use super::error::ModelError;
use super::rope::{Rope, RopeFile};

/// Passages are far shorter, and a state takes in little more after this many tokens.
const MOST_TOKENS: usize = 1024;

/// No size of a model is larger; the product of three such sizes stays far below the largest number.
const LARGEST: usize = 1 << 20;

/// The layouts that are supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Biases on the query, key and value projections.
    Qwen2,
    /// Biases if the config says so.
    Llama,
    /// No biases.
    Mistral,
    /// One matrix for query, key and value, and one for both halves of the gated layer.
    Phi3,
    /// Attention and feed-forward in parallel, with norms that subtract the mean.
    Phi,
}

impl Family {
    const KNOWN: [(&'static str, Family); 5] = [
        ("qwen2", Family::Qwen2),
        ("llama", Family::Llama),
        ("mistral", Family::Mistral),
        ("phi3", Family::Phi3),
        ("phi", Family::Phi),
    ];
}

/// The sizes of a model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModelConfig {
    pub(super) family: Family,
    /// Length of a state.
    pub(super) hidden: usize,
    /// Width of the feed-forward layers.
    pub(super) inner: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    /// Heads of keys and values, each shared by the same number of query heads.
    pub(super) key_heads: usize,
    pub(super) head_size: usize,
    pub(super) vocabulary: usize,
    pub(super) epsilon: f64,
    pub(super) rope: Rope,
    /// Whether the projections of queries, keys and values have biases, and whether the output projection has.
    pub(super) biases: [bool; 2],
    pub(super) feed_forward_bias: bool,
    /// The number of tokens at which texts are cut.
    pub(super) most_tokens: usize,
}

#[derive(Deserialize)]
struct File {
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    vocab_size: usize,
    max_position_embeddings: usize,
    rms_norm_eps: Option<f64>,
    layer_norm_eps: Option<f64>,
    hidden_act: String,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    #[serde(default)]
    qk_layernorm: bool,
    sliding_window: Option<usize>,
    use_sliding_window: Option<bool>,
}

/// Read before the rest, so that an unknown model is refused by its name and not for a size that it names differently.
#[derive(Deserialize)]
struct Kind {
    model_type: String,
}

impl ModelConfig {
    /// Reads the bytes of a `config.json`; `path` is for error messages.
    pub(super) fn read(json: &[u8], path: &Path) -> Result<Self, ModelError> {
        let broken = |source| ModelError::Parse { path: path.to_owned(), source };
        let refused = |what: String| ModelError::Unsupported { path: path.to_owned(), what };
        let Kind { model_type } = serde_json::from_slice(json).map_err(broken)?;
        let Some(&(_, family)) = Family::KNOWN.iter().find(|(name, _)| *name == model_type) else {
            let known = Family::KNOWN.map(|(name, _)| name).join(", ");
            return Err(refused(format!("its model_type is `{model_type}`; known are {known}")));
        };
        let file: File = serde_json::from_slice(json).map_err(broken)?;
        let rope: RopeFile = serde_json::from_slice(json).map_err(broken)?;
        let activation = if family == Family::Phi { "gelu_new" } else { "silu" };
        if file.hidden_act != activation {
            return Err(refused(format!("its hidden_act is `{}`, where {activation} is known", file.hidden_act)));
        }
        if file.qk_layernorm {
            return Err(refused("it normalizes queries and keys (qk_layernorm)".to_owned()));
        }
        let epsilon = if family == Family::Phi { file.layer_norm_eps } else { file.rms_norm_eps };
        let heads = file.num_attention_heads;
        let key_heads = file.num_key_value_heads.unwrap_or(heads);
        let head_size = file.head_dim.unwrap_or(file.hidden_size / heads.max(1));
        let sizes = [
            ("hidden_size", file.hidden_size),
            ("intermediate_size", file.intermediate_size),
            ("num_hidden_layers", file.num_hidden_layers),
            ("num_attention_heads", heads),
            ("num_key_value_heads", key_heads),
            ("head_dim", head_size),
            ("vocab_size", file.vocab_size),
            ("max_position_embeddings", file.max_position_embeddings),
        ];
        if let Some((name, size)) = sizes.iter().find(|(name, size)| {
            // Only positions in use take memory, so their number may be larger.
            *size == 0 || (*size > LARGEST && *name != "max_position_embeddings")
        }) {
            return Err(refused(format!("its {name} of {size} is not one of a model")));
        }
        if !heads.is_multiple_of(key_heads) {
            return Err(refused(format!("its {heads} heads cannot share {key_heads} heads of keys")));
        }
        if !file.hidden_size.is_multiple_of(8) {
            return Err(refused(format!(
                "its hidden_size is {}; token states are kept as one bit a dimension, in whole bytes, so it must be a \
                 multiple of 8",
                file.hidden_size
            )));
        }
        // Texts are cut to the window, within which attention sees everything.
        let window = file.sliding_window.filter(|_| file.use_sliding_window != Some(false)).unwrap_or(MOST_TOKENS);
        let most_tokens = MOST_TOKENS.min(file.max_position_embeddings).min(window.max(1));
        let rope = Rope::new(&rope, head_size, file.max_position_embeddings, most_tokens).map_err(refused)?;
        Ok(ModelConfig {
            family,
            hidden: file.hidden_size,
            inner: file.intermediate_size,
            layers: file.num_hidden_layers,
            heads,
            key_heads,
            head_size,
            vocabulary: file.vocab_size,
            epsilon: epsilon.unwrap_or(1e-6),
            rope,
            biases: match family {
                Family::Qwen2 => [true, false],
                Family::Llama => [file.attention_bias; 2],
                Family::Mistral | Family::Phi3 => [false; 2],
                Family::Phi => [true; 2],
            },
            feed_forward_bias: file.mlp_bias || family == Family::Phi,
            most_tokens,
        })
    }
}
