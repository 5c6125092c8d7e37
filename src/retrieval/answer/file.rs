//! The file of an answer model: a magic word, the format version, the length of a JSON header, the header, the matrix
//! as little-endian floats, and a hash of everything before it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::model::{AnswerModel, Figures, Weights};
use crate::base::{ContentHash, write_atomically};
use crate::domain::EmbedderIdentity;

const MAGIC: &[u8; 8] = b"DSANSWER";

/// The newest format version that this program reads, and the one that it writes.
pub const FORMAT_VERSION: u32 = 1;

/// The number of bytes before the header: magic word, version, and header length.
const PREFIX: usize = 16;

/// The number of bytes of the hash at the end.
const HASH: usize = 16;

/// Why the file of a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AnswerFileError {
    /// The file cannot be read or written.
    #[error("{action} {path}: {source}")]
    Io {
        /// What was attempted, as in "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file was written by a newer version of this program.
    #[error("{path} has format {found}, and this version reads formats up to {FORMAT_VERSION}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: u32,
    },
    /// The file is not an answer model, or is damaged.
    #[error("{path} is no answer model or is damaged ({reason}); train it again with `deepsearch train answer`")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    encoder: EmbedderIdentity,
    outputs: usize,
    weights: Weights,
    figures: Figures,
}

/// Writes a model atomically: a reader finds either the complete old file or the complete new one.
pub fn write(path: &Path, model: &AnswerModel) -> Result<(), AnswerFileError> {
    let io = |source| AnswerFileError::Io { action: "cannot write", path: path.to_owned(), source };
    let header = Header {
        encoder: model.encoder.clone(),
        outputs: model.outputs,
        weights: model.weights,
        figures: model.figures.clone(),
    };
    let header = serde_json::to_vec(&header).map_err(|error| io(error.into()))?;
    let mut bytes = Vec::with_capacity(PREFIX + header.len() + model.matrix.len() * 4 + HASH);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    bytes.extend(model.matrix.iter().flat_map(|value| value.to_le_bytes()));
    let hash = ContentHash::of(&bytes);
    bytes.extend(hash.as_bytes());
    write_atomically(path, &bytes).map_err(io)
}

/// Reads a model.
pub fn read(path: &Path) -> Result<AnswerModel, AnswerFileError> {
    let bytes = std::fs::read(path).map_err(|source| AnswerFileError::Io {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let damaged = |reason: &str| AnswerFileError::Damaged { path: path.to_owned(), reason: reason.to_owned() };
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it begins otherwise"))?;
    let number = |at: usize| -> Option<u32> { Some(u32::from_le_bytes(rest.get(at..at + 4)?.try_into().ok()?)) };
    let version = number(0).ok_or_else(|| damaged("it is cut off"))?;
    if version > FORMAT_VERSION {
        return Err(AnswerFileError::Newer { path: path.to_owned(), found: version });
    }
    let length = number(4).ok_or_else(|| damaged("it is cut off"))? as usize;
    let body = bytes.len().checked_sub(HASH).and_then(|end| bytes.get(..end));
    let body = body.ok_or_else(|| damaged("it is cut off"))?;
    if ContentHash::of(body).as_bytes()[..] != bytes[body.len()..] {
        return Err(damaged("its hash does not match"));
    }
    let header = body.get(PREFIX..PREFIX + length).ok_or_else(|| damaged("its header is cut off"))?;
    let header: Header = serde_json::from_slice(header).map_err(|error| damaged(&error.to_string()))?;
    let values = body[PREFIX + length..].as_chunks::<4>().0;
    let matrix: Vec<f32> = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    if matrix.len() != header.outputs * header.encoder.dimension || !matrix.iter().all(|value| value.is_finite()) {
        return Err(damaged("its matrix has another size, or values that are no numbers"));
    }
    let Header { encoder, outputs, weights, figures } = header;
    Ok(AnswerModel { encoder, outputs, matrix, weights, figures })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> AnswerModel {
        let name = "test".to_owned();
        AnswerModel {
            encoder: EmbedderIdentity { name, dimension: 2, passage_prefix: String::new(), states: "x".to_owned() },
            outputs: 2,
            matrix: vec![1.0, -2.5, 0.0, 1e-9],
            weights: Weights { alone: 20.0, with_late: 15.0, learned: 0.25, locating: 0.5 },
            figures: Figures {
                data: "squad".to_owned(),
                questions: 7,
                map: [0.5, 0.6],
                first: [0.4, 0.5],
                gain: [0.1, 0.05, 0.15],
                located: 0.3,
            },
        }
    }

    #[test]
    fn a_model_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.answer");
        write(&path, &model()).unwrap();
        assert_eq!(read(&path).unwrap(), model());
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.answer");
        write(&path, &model()).unwrap();
        let good = std::fs::read(&path).unwrap();
        let check = |bytes: &[u8], expected: &str| {
            std::fs::write(&path, bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        };
        check(b"", "it begins otherwise");
        check(&good[..10], "it is cut off");
        check(&good[..good.len() - 1], "its hash does not match");
        let mut changed = good.clone();
        changed[40] ^= 1;
        check(&changed, "its hash does not match");
        let mut newer = good.clone();
        newer[8] = 9;
        check(&newer, "has format 9");
    }
}
