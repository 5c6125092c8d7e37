//! A model in a local folder, laid out as on model hubs.

use std::path::{Path, PathBuf};

use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use serde::Deserialize;

use super::catalogue::usual_pooling;

/// Why a folder holds no usable model.
#[derive(Debug, thiserror::Error)]
pub(super) enum FolderError {
    #[error("cannot read {path}: {source}; a model's folder holds {needed}", needed = FILES.join(", "))]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path} is not what it should be: {source}")]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{path}: {source}")]
    Load { path: PathBuf, source: fastembed::Error },
}

const FILES: [&str; 5] =
    ["model.onnx", "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"];

/// A model's folder whose description has been read.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
    pooling: Pooling,
    /// Length of a vector.
    pub(super) dimension: usize,
    /// Whether the model's name says that its weights are quantized.
    pub(super) quantized: bool,
}

#[derive(Deserialize)]
struct Config {
    #[serde(alias = "dim", alias = "d_model")]
    hidden_size: usize,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

impl Folder {
    /// Reads the small files and checks that the others are there.
    pub(super) fn open(path: &Path) -> Result<Self, FolderError> {
        let config: Config = parse(&path.join("config.json"))?;
        for file in FILES {
            let file = path.join(file);
            std::fs::metadata(&file).map_err(|source| FolderError::Read { path: file, source })?;
        }
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let pooling_file = path.join("1_Pooling").join("config.json");
        let pooling = if pooling_file.exists() {
            let config: PoolingConfig = parse(&pooling_file)?;
            if config.pooling_mode_cls_token { Pooling::Cls } else { Pooling::Mean }
        } else {
            usual_pooling(&name)
        };
        let quantized = ["int8", "uint8", "quantized", "-q"].iter().any(|mark| name.contains(mark));
        Ok(Folder { path: path.to_owned(), pooling, dimension: config.hidden_size, quantized })
    }

    /// Loads the model; ONNX Runtime must be available.
    pub(super) fn load(&self) -> Result<TextEmbedding, FolderError> {
        let file = |name: &str| read(&self.path.join(name));
        let tokenizer = TokenizerFiles {
            tokenizer_file: file("tokenizer.json")?,
            config_file: file("config.json")?,
            special_tokens_map_file: file("special_tokens_map.json")?,
            tokenizer_config_file: file("tokenizer_config.json")?,
        };
        let model = UserDefinedEmbeddingModel::new(file("model.onnx")?, tokenizer).with_pooling(self.pooling.clone());
        TextEmbedding::try_new_from_user_defined(model, InitOptionsUserDefined::new())
            .map_err(|source| FolderError::Load { path: self.path.clone(), source })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FolderError> {
    std::fs::read(path).map_err(|source| FolderError::Read { path: path.to_owned(), source })
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, FolderError> {
    serde_json::from_slice(&read(path)?).map_err(|source| FolderError::Parse { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: Result<(usize, Pooling, bool), &str>) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("bge-tiny-int8");
        for (name, content) in files {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        match (Folder::open(&folder), expected) {
            (Ok(found), Ok(expected)) => assert_eq!((found.dimension, found.pooling, found.quantized), expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    const WHOLE: [(&str, &str); 5] = [
        ("model.onnx", ""),
        ("config.json", r#"{"hidden_size": 64}"#),
        ("tokenizer.json", "{}"),
        ("tokenizer_config.json", "{}"),
        ("special_tokens_map.json", "{}"),
    ];

    #[test]
    fn a_whole_folder_opens() {
        check(&WHOLE, Ok((64, Pooling::Cls, true)));
        let mean = [&WHOLE[..], &[("1_Pooling/config.json", r#"{"pooling_mode_mean_tokens": true}"#)]].concat();
        check(&mean, Ok((64, Pooling::Mean, true)));
    }

    #[test]
    fn what_is_missing_or_broken_is_named() {
        check(&WHOLE[1..], Err("model.onnx"));
        check(&[], Err("config.json"));
        check(&[("config.json", "{}")], Err("hidden_size"));
    }
}
