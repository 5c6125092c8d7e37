use std::path::PathBuf;

/// Why a folder holds no usable model, or why a text cannot be encoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error("cannot read {path}: {source}; a model's folder holds config.json, tokenizer.json and *.safetensors")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is not what it should be: {source}")]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{path} is of a model that is not known: {what}")]
    Unsupported { path: PathBuf, what: String },
    #[error(
        "{path} holds no *.safetensors; weights in other forms (*.bin, *.gguf) have to be converted or fetched as safetensors"
    )]
    NoWeights { path: PathBuf },
    #[error("{path} names the weights file `{file}`, which is not beside it")]
    BadShard { path: PathBuf, file: String },
    #[error("the weights in {path} do not fit its config.json: {source}")]
    Weights { path: PathBuf, source: candle_core::Error },
    #[error("{path} is no tokenizer: {reason}")]
    Tokenizer { path: PathBuf, reason: String },
    #[error("a text cannot be tokenized: {0}")]
    Tokenize(String),
    #[error(transparent)]
    Run(#[from] candle_core::Error),
}
