//! The semantic half of the store: flat files of quantized vectors, derived from the catalog, memory-mapped and scanned
//! from end to end. There is no graph to build, a deleted document is a range to skip, and the result is exact except
//! for the quantization.
//!
//! Each segment holds rows of one collection in ascending order of their chunks. A manifest, always replaced as a
//! whole, names the segments, the removed documents in them, and the last change that they contain.

mod manifest;
mod scan;
mod segment;
mod update;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use manifest::Manifest;
use segment::Segment;

use super::admitted::Admitted;
use super::checked::Checks;
use super::error::{DERIVED, io_error};
use crate::base::locked;
use crate::domain::ChunkId;
use crate::store::{Scored, StoreError};

pub(super) use update::update;

/// The segments' folder in the data folder.
pub(super) const FOLDER: &str = "vectors";

/// The largest magnitude of a quantized value.
const LEVELS: f32 = 127.0;

/// Quantizes a vector to bytes: value `i` is about `scale * values[i]`. A vector that is all zeros or not finite gets
/// the scale 0, which stands for no vector.
pub(super) fn quantize(vector: &[f32]) -> (f32, Vec<i8>) {
    let largest = vector.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !vector.iter().all(|value| value.is_finite()) {
        return (0.0, vec![0; vector.len()]);
    }
    let scale = largest / LEVELS;
    (scale, vector.iter().map(|value| (value / scale).round() as i8).collect())
}

/// The bytes of segments that are compared with their checksums before their first use, which takes some hundredths of
/// a second. The rest is compared in the background.
const CHECKED_AT_ONCE: usize = 32 << 20;

/// The reading side of the vectors. It follows the manifest, whichever process replaces it.
pub(super) struct VectorSearcher {
    data: PathBuf,
    checked_at_once: usize,
    loaded: Mutex<Option<Arc<Loaded>>>,
    checks: Arc<Checks>,
}

/// One state of the vectors.
pub(super) struct Loaded {
    /// The manifest's bytes: other bytes mean another state.
    bytes: Vec<u8>,
    /// The last change that this state contains.
    pub(super) seq: u64,
    collections: HashMap<u64, LoadedCollection>,
}

struct LoadedCollection {
    /// The segments, each with the ranges of its rows that are alive.
    segments: Vec<(Segment, Vec<Range<usize>>)>,
}

/// A search for the nearest vectors.
pub(super) struct Nearest<'q> {
    pub(super) vector: &'q [f32],
    pub(super) k: usize,
    /// Whether all vectors are compared in full.
    pub(super) exact: bool,
    /// The documents whose vectors may be found; `None` for all.
    pub(super) admitted: Option<&'q Admitted>,
}

impl VectorSearcher {
    pub(super) fn new(data: &Path) -> Self {
        VectorSearcher {
            data: data.to_owned(),
            checked_at_once: CHECKED_AT_ONCE,
            loaded: Mutex::new(None),
            checks: Arc::default(),
        }
    }

    /// Returns the current vectors; `None` if there are none or they cannot be used.
    pub(super) fn snapshot(&self) -> Result<Option<Arc<Loaded>>, StoreError> {
        let mut loaded = locked(&self.loaded);
        let mut last = None;
        // A writer may delete a segment after the manifest is read and before the segment's file is opened.
        for _ in 0..4 {
            let Some(bytes) = manifest::read_bytes(&self.data)? else {
                *loaded = None;
                return Ok(None);
            };
            if let Some(known) = loaded.as_ref().filter(|known| known.bytes == bytes)
                && !known.is_damaged(&self.checks)
            {
                return Ok(Some(Arc::clone(known)));
            }
            if last.as_ref().is_some_and(|(tried, _)| *tried == bytes) {
                break;
            }
            match self.load(&bytes) {
                Ok(found) => {
                    let found = Arc::new(found);
                    self.check_in_background(&found);
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

    /// Whether a file that still exists is known to be damaged.
    pub(super) fn found_damage(&self) -> bool {
        self.checks.found_damage(&folder_in(&self.data))
    }

    /// Reads all files in full and returns their faults; `None` if there are no vectors.
    pub(super) fn verify(&self) -> Result<Option<Vec<String>>, StoreError> {
        let Some(bytes) = manifest::read_bytes(&self.data)? else { return Ok(None) };
        let manifest = match Manifest::parse(&self.data, &bytes) {
            Err(error) => return Ok(Some(vec![error.to_string()])),
            Ok(manifest) => manifest,
        };
        let names = manifest.collections.iter().flat_map(|entry| &entry.segments);
        let wrong = |name: &String| Segment::open(&self.data, name).and_then(|segment| segment.verify()).err();
        Ok(Some(names.filter_map(wrong).map(|error| error.to_string()).collect()))
    }

    fn load(&self, bytes: &[u8]) -> Result<Loaded, StoreError> {
        let manifest = Manifest::parse(&self.data, bytes)?;
        let mut collections = HashMap::new();
        let mut checked = 0;
        for entry in &manifest.collections {
            let mut segments = Vec::with_capacity(entry.segments.len());
            for name in &entry.segments {
                let segment = Segment::open(&self.data, name)?;
                if checked + segment.bytes() <= self.checked_at_once {
                    checked += segment.bytes();
                    segment.check(&self.checks)?;
                }
                let alive = segment.rows_without(0..segment.len(), &entry.dead);
                segments.push((segment, alive));
            }
            collections.insert(entry.id, LoadedCollection { segments });
        }
        let loaded = Loaded { bytes: bytes.to_vec(), seq: manifest.seq, collections };
        if loaded.is_damaged(&self.checks) {
            return Err(damaged(&folder_in(&self.data), "the content of a file is not what was written"));
        }
        Ok(loaded)
    }

    /// Compares the segments that [`Self::load`] did not check. A search that runs meanwhile may use damaged rows; the
    /// next one does not.
    fn check_in_background(&self, loaded: &Arc<Loaded>) {
        if loaded.segments().all(|segment| self.checks.is_sound(segment.name().as_ref())) {
            return;
        }
        let (checks, loaded) = (Arc::clone(&self.checks), Arc::clone(loaded));
        std::thread::spawn(move || loaded.check_all(&checks));
    }

    /// Returns a searcher that leaves all checks to the background.
    #[cfg(test)]
    pub(super) fn checking_later(data: &Path) -> Self {
        VectorSearcher { checked_at_once: 0, ..Self::new(data) }
    }

    /// Runs the background check at once.
    #[cfg(test)]
    pub(super) fn check_now(&self) {
        if let Some(loaded) = locked(&self.loaded).clone() {
            loaded.check_all(&self.checks);
        }
    }
}

impl Loaded {
    /// Compares all segments with their checksums, unless that was already done.
    fn check_all(&self, checks: &Checks) {
        for segment in self.segments() {
            if let Err(error) = segment.check(checks) {
                tracing::warn!(%error, "the vectors are damaged and are made anew with the next search");
                return;
            }
        }
    }

    fn is_damaged(&self, checks: &Checks) -> bool {
        self.segments().any(|segment| checks.is_damaged(segment.name().as_ref()))
    }

    fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.collections.values().flat_map(|collection| &collection.segments).map(|(segment, _)| segment)
    }

    /// Returns the vector of a chunk that is alive, as it is after quantization.
    pub(super) fn embedding(&self, chunk: ChunkId) -> Option<Vec<f32>> {
        let collections = self.collections.values();
        collections.flat_map(|collection| &collection.segments).find_map(|(segment, alive)| {
            let row = segment.row_of(chunk)?;
            let scale = segment.scale(row);
            let values = segment.values(row).iter().map(|&value| f32::from(value as i8) * scale);
            alive.iter().any(|rows| rows.contains(&row)).then(|| values.collect())
        })
    }

    /// Returns the `k` rows of the collections with the largest cosine, by descending score, then by ascending id.
    /// Documents in `dead`, which must be ascending, are left out.
    pub(super) fn search(&self, collections: &[u64], nearest: &Nearest<'_>, dead: &[u64]) -> Vec<Scored> {
        let mut parts = Vec::new();
        for collection in collections.iter().filter_map(|id| self.collections.get(id)) {
            for (segment, alive) in &collection.segments {
                if segment.dimension() != nearest.vector.len() {
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
        scan::nearest(&parts, nearest)
    }
}

/// Makes the next [`update`] rebuild all vectors. Only the holder of the writer lock may call it.
pub(super) fn forget(data: &Path) -> Result<(), StoreError> {
    manifest::remove(data)
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
