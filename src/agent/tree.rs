//! The tree of a run's questions: where each search stands, and what it brought. Which search led to which is found in
//! `lineage`.

use std::collections::BTreeMap;

use crate::domain::{RoundSearch, SubQuery};

/// Where the searches of a run stand in its tree, by their places in the list of all.
#[derive(Debug, Default)]
pub(super) struct Tree {
    places: BTreeMap<usize, Branch>,
}

#[derive(Debug)]
struct Branch {
    /// As in [`RoundSearch`].
    place: Vec<usize>,
    /// Passages that it brought when it was searched last.
    new: usize,
}

impl Tree {
    /// Notes what a search brought; `from` is the one that led to it, 0 for the question itself.
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

    /// How many passages a search brought when it was searched last; 0 for what the tree does not have.
    pub fn new_of(&self, index: usize) -> usize {
        self.places.get(&index).map_or(0, |branch| branch.new)
    }
}
