//! The files of a model, laid out as on model hubs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use candle_nn::VarBuilder;
use serde::Deserialize;

use super::config::ModelConfig;
use super::decoder::Decoder;
use super::error::ModelError;
use super::tokens::Tokens;
use crate::base::ContentHash;

const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const INDEX: &str = "model.safetensors.index.json";
const SINGLE: &str = "model.safetensors";

/// The number of places, of `LOOK` bytes each, by which a weights file is identified: reading gigabytes to find out
/// whether a model is the same would take longer than a question.
const LOOKED_AT: u64 = 16;
const LOOK: usize = 64 * 1024;

/// A model's folder whose description has been read.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
    pub(super) config: ModelConfig,
    weights: Vec<PathBuf>,
    /// Changes with the config, the tokenizer and the weights.
    pub(super) fingerprint: String,
}

#[derive(Deserialize)]
struct Index {
    /// Tensor → file.
    weight_map: BTreeMap<String, String>,
}

impl Folder {
    /// Reads the small files, and samples the large ones.
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let json = read(&path.join(CONFIG))?;
        let config = ModelConfig::read(&json, &path.join(CONFIG))?;
        let weights = weights(path)?;
        let mut known = ContentHash::of(&json).as_bytes().to_vec();
        known.extend(ContentHash::of(&read(&path.join(TOKENIZER))?).as_bytes());
        for file in &weights {
            look(file, &mut known).map_err(|source| ModelError::Read { path: file.clone(), source })?;
        }
        let fingerprint = ContentHash::of(&known).to_string();
        Ok(Folder { path: path.to_owned(), config, weights, fingerprint })
    }

    /// Reads the tokenizer.
    pub(super) fn tokens(&self) -> Result<Tokens, ModelError> {
        Tokens::read(&self.path.join(TOKENIZER), self.config.most_tokens)
    }

    /// Reads the weights.
    pub(super) fn decoder(&self) -> Result<Decoder, ModelError> {
        let failed = |source| ModelError::Weights { path: self.path.clone(), source };
        // SAFETY: the mapping is only read, while the weights are copied out of it. A file that is truncated meanwhile
        // ends the program, as with any mapped file; a model's files are replaced, not written to.
        let weights = unsafe { VarBuilder::from_mmaped_safetensors(&self.weights, DType::F32, &Device::Cpu) };
        Decoder::load(self.config.clone(), weights.map_err(failed)?).map_err(failed)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|source| ModelError::Read { path: path.to_owned(), source })
}

/// The files that the index names; without an index the single file, or else all that there are.
fn weights(folder: &Path) -> Result<Vec<PathBuf>, ModelError> {
    let index = folder.join(INDEX);
    if index.exists() {
        let parsed: Index = serde_json::from_slice(&read(&index)?)
            .map_err(|source| ModelError::Parse { path: index.clone(), source })?;
        let mut files: Vec<String> = parsed.weight_map.into_values().collect();
        files.sort();
        files.dedup();
        let beside = |file: String| {
            let path = folder.join(&file);
            let plain = !file.contains(['/', '\\']) && path.is_file();
            if plain { Ok(path) } else { Err(ModelError::BadShard { path: index.clone(), file }) }
        };
        return match files.is_empty() {
            true => Err(ModelError::NoWeights { path: folder.to_owned() }),
            false => files.into_iter().map(beside).collect(),
        };
    }
    let single = folder.join(SINGLE);
    if single.exists() {
        return Ok(vec![single]);
    }
    let unlisted = |source| ModelError::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unlisted)? {
        let path = entry.map_err(unlisted)?.path();
        if path.extension().is_some_and(|ending| ending == "safetensors") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() { Err(ModelError::NoWeights { path: folder.to_owned() }) } else { Ok(files) }
}

/// Appends a hash of a file's length and of some places spread over the file.
fn look(path: &Path, known: &mut Vec<u8>) -> std::io::Result<()> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut seen = length.to_le_bytes().to_vec();
    for place in 0..LOOKED_AT {
        let last = length.saturating_sub(LOOK as u64);
        file.seek(SeekFrom::Start(last / (LOOKED_AT - 1) * place))?;
        file.by_ref().take(LOOK as u64).read_to_end(&mut seen)?;
    }
    known.extend(ContentHash::of(&seen).as_bytes());
    Ok(())
}
