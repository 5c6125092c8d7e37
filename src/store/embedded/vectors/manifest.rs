use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{damaged, folder_in, io_error};
use crate::base::{ContentHash, if_there, write_atomically};
use crate::store::StoreError;

/// Raised when the layout of the manifest or the segments changes; files of another format are rebuilt.
const FORMAT: u32 = 1;

const FILE: &str = "manifest.json";

/// The list of segments that make up the vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// The last change that the segments contain.
    pub(super) seq: u64,
    /// Sorted by id.
    pub(super) collections: Vec<CollectionEntry>,
    /// The hash of the manifest without this field; empty if an earlier version wrote it.
    #[serde(default)]
    hash: String,
}

/// The vectors of one collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CollectionEntry {
    pub(super) id: u64,
    /// File names, in ascending order of their rows.
    pub(super) segments: Vec<String>,
    /// Removed documents that still have rows in the segments, ascending.
    pub(super) dead: Vec<u64>,
}

impl Manifest {
    pub(super) fn new(seq: u64, collections: Vec<CollectionEntry>) -> Self {
        Manifest { format: FORMAT, seq, collections, hash: String::new() }
    }

    pub(super) fn parse(data: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let path = folder_in(data).join(FILE);
        let manifest: Manifest =
            serde_json::from_slice(bytes).map_err(|error| damaged(&path, &format!("it cannot be read ({error})")))?;
        if manifest.format != FORMAT {
            return Err(damaged(&path, "it is of another version"));
        }
        if !manifest.hash.is_empty() && manifest.hash != manifest.hashed()?.hash {
            return Err(damaged(&path, "its content is not what was written"));
        }
        Ok(manifest)
    }

    /// Returns the manifest with its hash.
    fn hashed(&self) -> Result<Self, StoreError> {
        let bare = Manifest { hash: String::new(), ..self.clone() };
        let hash = ContentHash::of(&bare.bytes()?).to_string();
        Ok(Manifest { hash, ..bare })
    }

    fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        serde_json::to_vec(self).map_err(|error| StoreError::Engine {
            engine: "JSON",
            action: "writing the list of vector files",
            reason: error.to_string(),
        })
    }

    pub(super) fn write(&self, data: &Path) -> Result<(), StoreError> {
        let path = folder_in(data).join(FILE);
        write_atomically(&path, &self.hashed()?.bytes()?).map_err(|error| io_error(data, "cannot write", &path, error))
    }
}

/// Returns the manifest's bytes; `None` if there is no manifest.
pub(super) fn read_bytes(data: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let path = folder_in(data).join(FILE);
    if_there(std::fs::read(&path)).map_err(|error| io_error(data, "cannot read", &path, error))
}

/// Removes the manifest, so that no segment is used any more.
pub(super) fn remove(data: &Path) -> Result<(), StoreError> {
    let path = folder_in(data).join(FILE);
    if_there(std::fs::remove_file(&path)).map(drop).map_err(|error| io_error(data, "cannot remove", &path, error))
}
