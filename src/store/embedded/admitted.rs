//! The set of documents that a search may find: read from the catalog once, then tested for every row of a scan.

use std::sync::{Arc, Mutex};

use crate::base::locked;
use crate::domain::DocumentFilter;

/// How many sets are cached. A run uses the same set again and again.
const KEPT: usize = 8;

/// A set of documents, as a bit set by id.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Admitted {
    bits: Vec<u64>,
    documents: u64,
    chunks: u64,
}

impl Admitted {
    /// Adds a document with its number of chunks. It must not be in the set yet.
    pub(super) fn insert(&mut self, document: u64, chunks: u64) {
        let word = (document / 64) as usize;
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << (document % 64);
        self.documents += 1;
        self.chunks += chunks;
    }

    pub(super) fn contains(&self, document: u64) -> bool {
        let word = usize::try_from(document / 64).ok().and_then(|word| self.bits.get(word));
        word.is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    /// The number of documents in the set.
    pub(super) fn documents(&self) -> u64 {
        self.documents
    }

    /// The number of chunks of these documents.
    pub(super) fn chunks(&self) -> u64 {
        self.chunks
    }
}

/// The request that a set was made for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// The number of the catalog's last change: a later one may change the set.
    pub(super) seq: u64,
    /// Only these collections; `None` for all.
    pub(super) collections: Option<Vec<u64>>,
    pub(super) filter: DocumentFilter,
}

/// The most recently used sets, the latest first.
#[derive(Default)]
pub(super) struct AdmittedCache(Mutex<Vec<(Asked, Arc<Admitted>)>>);

impl AdmittedCache {
    /// Returns the set for `asked`, made by `make` if it is not cached.
    pub(super) fn get<E>(
        &self,
        asked: Asked,
        make: impl FnOnce(&Asked) -> Result<Admitted, E>,
    ) -> Result<Arc<Admitted>, E> {
        // The lock is held while the set is made, so that concurrent searches make it only once.
        let mut kept = locked(&self.0);
        let admitted = match kept.iter().position(|(known, _)| *known == asked) {
            Some(at) => kept.remove(at).1,
            None => Arc::new(make(&asked)?),
        };
        kept.insert(0, (asked, Arc::clone(&admitted)));
        kept.truncate(KEPT);
        Ok(admitted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_put_into_it() {
        let mut set = Admitted::default();
        for document in [1, 63, 64, 1000] {
            set.insert(document, 2);
        }
        let found: Vec<u64> = (0..2000).filter(|&document| set.contains(document)).collect();
        assert_eq!(found, [1, 63, 64, 1000]);
        assert_eq!((set.documents(), set.chunks()), (4, 8));
        assert!(!set.contains(u64::MAX));
    }

    #[test]
    fn a_set_is_made_once_for_each_state_of_the_catalog() {
        let cache = AdmittedCache::default();
        let mut made = Vec::new();
        let mut get = |seq: u64| {
            let asked = Asked { seq, collections: None, filter: DocumentFilter::default() };
            cache
                .get(asked, |asked| {
                    made.push(asked.seq);
                    Ok::<_, ()>(Admitted::default())
                })
                .unwrap();
        };
        [1, 1, 2, 1].into_iter().for_each(&mut get);
        (3..20).for_each(&mut get);
        get(1);
        assert_eq!(made[..3], [1, 2, 3]);
        assert_eq!(made.last(), Some(&1), "what was pushed out is made again");
        assert_eq!(cache.0.lock().unwrap().len(), KEPT);
    }
}
