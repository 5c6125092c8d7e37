//! Caches the titles and languages of documents that searches have met: every search needs those of some hundred
//! documents, two rows of the catalog each. A stored version never changes, so an entry becomes invalid only when its
//! version is removed; any change of the catalog empties the cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::base::locked;
use crate::base::text::Language;
use crate::store::ChunkName;

/// The bytes that are kept, enough for some hundred thousand documents.
const KEPT: usize = 16 << 20;

/// The approximate bytes of an entry besides its title and its languages.
const OVERHEAD: usize = 96;

/// The title of a document, and the language of each of its chunks.
#[derive(Debug)]
pub(super) struct DocumentName {
    title: Arc<str>,
    languages: Box<[Language]>,
}

impl DocumentName {
    pub(super) fn new(title: &str, languages: Vec<Language>) -> Self {
        DocumentName { title: title.into(), languages: languages.into() }
    }

    /// Returns the title and language of a chunk; `None` if the document has fewer chunks.
    pub(super) fn of_chunk(&self, ordinal: u32) -> Option<ChunkName> {
        let language = *self.languages.get(ordinal as usize)?;
        Some(ChunkName { title: Arc::clone(&self.title), language })
    }

    fn bytes(&self) -> usize {
        OVERHEAD + self.title.len() + size_of_val(&*self.languages)
    }
}

/// See the [module](self).
#[derive(Default)]
pub(super) struct Names(Mutex<CachedNames>);

#[derive(Default)]
struct CachedNames {
    /// The number of the catalog's last change when the entries were read.
    seq: u64,
    bytes: usize,
    documents: HashMap<u64, Arc<DocumentName>>,
}

impl Names {
    /// Returns the cached names of documents, if the cache was filled after the same change `seq`.
    pub(super) fn at(&self, seq: u64, documents: &[u64]) -> HashMap<u64, Arc<DocumentName>> {
        let known = locked(&self.0);
        if known.seq != seq {
            return HashMap::new();
        }
        documents.iter().filter_map(|id| Some((*id, Arc::clone(known.documents.get(id)?)))).collect()
    }

    /// Caches names that were read after the change `seq`.
    pub(super) fn keep(&self, seq: u64, read: &[(u64, Arc<DocumentName>)]) {
        let mut known = locked(&self.0);
        // Another search has already seen a later change.
        if known.seq > seq {
            return;
        }
        if known.seq < seq || known.bytes > KEPT {
            *known = CachedNames { seq, ..CachedNames::default() };
        }
        for (id, name) in read {
            known.bytes += name.bytes();
            known.documents.insert(*id, Arc::clone(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_holds_until_the_next_change() {
        let names = Names::default();
        let name = Arc::new(DocumentName::new("Notes", vec![Language::ENGLISH, Language::UNKNOWN]));
        let check = |seq, documents: &[u64], expected: &[u64]| {
            let mut found: Vec<u64> = names.at(seq, documents).into_keys().collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{documents:?} after {seq}");
        };
        names.keep(3, &[(1, Arc::clone(&name)), (2, Arc::clone(&name))]);
        check(3, &[2, 1, 7], &[1, 2]);
        check(4, &[1], &[]);
        names.keep(4, &[(2, Arc::clone(&name))]);
        // Read before the change that another search has already seen.
        names.keep(3, &[(1, Arc::clone(&name))]);
        check(3, &[1, 2], &[]);
        check(4, &[1, 2], &[2]);
        let of_chunk = |ordinal| name.of_chunk(ordinal).map(|name| (name.title.to_string(), name.language));
        assert_eq!(of_chunk(0), Some(("Notes".to_owned(), Language::ENGLISH)));
        assert_eq!((of_chunk(1).map(|(_, language)| language), of_chunk(2)), (Some(Language::UNKNOWN), None));
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let names = Names::default();
        let long = Arc::new(DocumentName::new(&"x".repeat(KEPT / 4), Vec::new()));
        (0..20).for_each(|id| names.keep(0, &[(id, Arc::clone(&long))]));
        let kept = names.at(0, &(0..20).collect::<Vec<u64>>()).len();
        assert!((1..=5).contains(&kept), "{kept}");
    }
}
