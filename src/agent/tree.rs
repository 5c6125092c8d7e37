//! The tree of a run's questions: the place of each search, and how much it found. `lineage` holds which search led to
//! which.

use std::collections::BTreeMap;

use crate::domain::{RoundSearch, SubQuery};

/// The branches of a run's searches, by their places in the list of all searches.
#[derive(Debug, Default)]
pub(super) struct Tree {
    places: BTreeMap<usize, Branch>,
}

#[derive(Debug)]
struct Branch {
    /// The place in the tree, as in [`RoundSearch`].
    place: Vec<usize>,
    /// The number of new passages at the latest search.
    new: usize,
}

impl Tree {
    /// Records the result of a search; `from` is the search that led to it, 0 for the question itself.
    pub fn grow(&mut self, index: usize, from: usize, query: &SubQuery, hits: usize, new: usize) -> RoundSearch {
        let place = match self.places.get(&index) {
            Some(branch) => branch.place.clone(),
            None => {
                let above = self.places.get(&from).filter(|_| from > 0);
                let mut place = above.map_or(Vec::new(), |branch| branch.place.clone());
                let is_sibling = |branch: &&Branch| branch.place.split_last().is_some_and(|(_, above)| above == place);
                let siblings = self.places.values().filter(is_sibling).count();
                place.push(siblings + 1);
                place
            }
        };
        self.places.insert(index, Branch { place: place.clone(), new });
        RoundSearch { query: query.clone(), place, hits, new }
    }

    /// The number of new passages that a search brought when it was last made; 0 if it is not in the tree.
    pub fn new_passage_count(&self, index: usize) -> usize {
        self.places.get(&index).map_or(0, |branch| branch.new)
    }
}
