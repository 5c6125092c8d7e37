//! The semantic half: flat files of quantized vectors, made from the catalog, memory-mapped and scanned from end to
//! end. There is no graph to build, a deleted document is a range to skip, and the result is exact but for the
//! quantization.
//!
//! Each segment holds rows of one collection in rising order of their chunks. A manifest, replaced as a whole, names
//! the segments, the documents in them that are gone, and the last change that all of it contains.

mod manifest;
mod scan;
mod segment;
mod update;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use manifest::Manifest;
use segment::Segment;

use super::error::{DERIVED, io_error};
use crate::store::{Scored, StoreError};

pub(super) use update::update;

/// The segments' folder in the data folder.
pub(super) const FOLDER: &str = "vectors";

/// The largest magnitude of a quantized value.
const LEVELS: f32 = 127.0;

/// A vector as bytes: value `i` is about `scale * values[i]`. A vector of zeros, or one that is not finite, has
/// scale 0, which stands for no vector.
pub(super) fn quantize(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !vector.iter().all(|value| value.is_finite()) {
        return (0.0, vec![0; vector.len()]);
    }
    let scale = largest / LEVELS;
    (scale, vector.iter().map(|value| (value / scale).round() as i8).collect())
}

/// The reading side; follows the manifest, whoever replaces it.
pub(super) struct VectorSearcher {
    data: PathBuf,
    loaded: Mutex<Option<Arc<Loaded>>>,
}

/// One state of the vectors.
pub(super) struct Loaded {
    /// The manifest's bytes: other bytes mean another state.
    bytes: Vec<u8>,
    /// The last change that it contains.
    pub(super) seq: u64,
    collections: HashMap<u64, LoadedCollection>,
}

struct LoadedCollection {
    /// With the rows of each that are alive.
    segments: Vec<(Segment, Vec<Range<usize>>)>,
}

impl VectorSearcher {
    pub(super) fn new(data: &Path) -> Self {
        VectorSearcher { data: data.to_owned(), loaded: Mutex::new(None) }
    }

    /// The vectors as they stand; `None` where there are none or they cannot be used.
    pub(super) fn snapshot(&self) -> Result<Option<Arc<Loaded>>, StoreError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = None;
        // A writer may delete a segment between the reading of the manifest and the opening of its files.
        for _ in 0..4 {
            let Some(bytes) = manifest::read_bytes(&self.data)? else {
                *loaded = None;
                return Ok(None);
            };
            if let Some(known) = loaded.as_ref().filter(|known| known.bytes == bytes) {
                return Ok(Some(Arc::clone(known)));
            }
            if last.as_ref().is_some_and(|(tried, _)| *tried == bytes) {
                break;
            }
            match self.load(&bytes) {
                Ok(found) => {
                    let found = Arc::new(found);
                    *loaded = Some(Arc::clone(&found));
                    return Ok(Some(found));
                }
                Err(error @ (StoreError::Damaged { .. } | StoreError::Io { .. })) => last = Some((bytes, error)),
                Err(error) => return Err(error),
            }
        }
        if let Some((_, error)) = last {
            tracing::warn!(%error, "the vectors are damaged and not used");
        }
        *loaded = None;
        Ok(None)
    }

    fn load(&self, bytes: &[u8]) -> Result<Loaded, StoreError> {
        let manifest = Manifest::parse(&self.data, bytes)?;
        let mut collections = HashMap::new();
        for entry in &manifest.collections {
            let mut segments = Vec::with_capacity(entry.segments.len());
            for name in &entry.segments {
                let segment = Segment::open(&self.data, name)?;
                let alive = segment.rows_without(0..segment.len(), &entry.dead);
                segments.push((segment, alive));
            }
            collections.insert(entry.id, LoadedCollection { segments });
        }
        Ok(Loaded { bytes: bytes.to_vec(), seq: manifest.seq, collections })
    }
}

impl Loaded {
    /// The `k` rows of the collections with the largest cosine, by falling score, then by rising id. `dead` documents,
    /// which rise, are left out.
    pub(super) fn search(&self, collections: &[u64], vector: &[f32], k: usize, dead: &[u64]) -> Vec<Scored> {
        let mut parts = Vec::new();
        for collection in collections.iter().filter_map(|id| self.collections.get(id)) {
            for (segment, alive) in &collection.segments {
                if segment.dimension() != vector.len() {
                    continue;
                }
                match dead {
                    [] => parts.extend(alive.iter().map(|rows| (segment, rows.clone()))),
                    dead => parts.extend(
                        alive
                            .iter()
                            .flat_map(|rows| segment.rows_without(rows.clone(), dead))
                            .map(|rows| (segment, rows)),
                    ),
                }
            }
        }
        scan::nearest(&parts, vector, k)
    }
}

fn damaged(path: &Path, what: &str) -> StoreError {
    StoreError::Damaged { path: path.to_owned(), reason: format!("{what}; {DERIVED}") }
}

fn folder_in(data: &Path) -> PathBuf {
    data.join(FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantizing_keeps_direction() {
        fn check(vector: &[f32]) {
            let (scale, values) = quantize(vector);
            for (value, quantized) in vector.iter().zip(&values) {
                assert!((value - scale * f32::from(*quantized)).abs() <= scale * 0.5 + f32::EPSILON, "{vector:?}");
            }
        }
        check(&[1.0, 0.0, 0.0]);
        check(&[-0.6, 0.8]);
        check(&[1e-20, -3e-21, 5e-21]);
        assert_eq!(quantize(&[0.0, 0.0]).0, 0.0);
        assert_eq!(quantize(&[f32::NAN, 1.0]).0, 0.0);
    }
}
