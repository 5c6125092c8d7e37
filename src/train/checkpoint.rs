//! The state of a training after its last epoch, kept on disk so that an interrupted training can be resumed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folds::Fold;
use super::progress::Progress;
use crate::base::{ContentHash, if_there, write_atomically};

const VERSION: u32 = 2;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{action} {path}: {source}; `--restart` begins anew")]
pub struct CheckpointError {
    action: &'static str,
    path: PathBuf,
    source: std::io::Error,
}

/// The finished part of a training.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    content: Content,
}

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: u32,
    /// Hash of the data and the options: the folds of another training are useless.
    key: String,
    folds: Vec<Fold>,
    /// The progress of the fold after the finished ones.
    under_way: Option<Progress>,
}

/// The fields that every version begins with.
#[derive(Deserialize)]
struct Header {
    version: u32,
    key: String,
}

impl Checkpoint {
    /// Reads the checkpoint at `path` of the training that `key` describes; empty if the file is missing or of another
    /// training.
    pub fn open(path: &Path, key: &str) -> Result<Self, CheckpointError> {
        let key = ContentHash::of(key.as_bytes()).to_string();
        let fresh = |key| Content { version: VERSION, key, folds: Vec::new(), under_way: None };
        let failed = |source| CheckpointError { action: "cannot read", path: path.to_owned(), source };
        let content = match if_there(std::fs::read(path)).map_err(failed)? {
            Some(bytes) => {
                let header: Header = serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?;
                if header.version == VERSION && header.key == key {
                    serde_json::from_slice(&bytes).map_err(|error| failed(error.into()))?
                } else {
                    fresh(key)
                }
            }
            None => fresh(key),
        };
        Ok(Checkpoint { path: path.to_owned(), content })
    }

    /// A finished fold.
    pub fn fold(&self, fold: usize) -> Option<Fold> {
        self.content.folds.get(fold).cloned()
    }

    /// The progress of an unfinished fold.
    pub fn progress(&self, fold: usize) -> Option<Progress> {
        self.content.under_way.clone().filter(|_| fold == self.content.folds.len())
    }

    /// Stores the progress of the fold after the finished ones.
    pub fn keep_epoch(&mut self, progress: &Progress) -> Result<(), CheckpointError> {
        self.content.under_way = Some(progress.clone());
        self.write()
    }

    /// Stores a finished fold. Only the first one's matrix is needed later.
    pub fn keep(&mut self, fold: &Fold) -> Result<(), CheckpointError> {
        let mut fold = fold.clone();
        if !self.content.folds.is_empty() {
            fold.fitted.matrix.clear();
        }
        self.content.folds.push(fold);
        self.content.under_way = None;
        self.write()
    }

    fn write(&self) -> Result<(), CheckpointError> {
        let failed = |source| CheckpointError { action: "cannot write", path: self.path.clone(), source };
        let bytes = serde_json::to_vec(&self.content).map_err(|error| failed(error.into()))?;
        write_atomically(&self.path, &bytes).map_err(failed)
    }

    /// Removes the file once the training is finished.
    pub fn finish(self) -> Result<(), CheckpointError> {
        let removed = if_there(std::fs::remove_file(&self.path));
        removed.map(drop).map_err(|source| CheckpointError { action: "cannot remove", path: self.path, source })
    }
}
