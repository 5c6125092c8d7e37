//! What is told together with a candidate: the items of its list that answer as well.

use std::collections::BTreeSet;

use super::{Candidate, Field};
use crate::offline::statements::{Form, Statement};
use crate::offline::tables::Place;

/// Items of one list that answer this nearly as well as the best of them, in units of the reader's score, answer together
/// where they are at least so many.
const AS_GOOD: f32 = 4.0;
const SEVERAL: usize = 3;

impl Field<'_> {
    /// The items of a candidate's list that answer about as well, itself among them; none where they are few. `items` are the items of lists that answer, with how sure each is.
    pub(super) fn together(
        &self,
        rank: usize,
        candidate: &Candidate,
        items: &[(Place, f32)],
    ) -> Vec<(usize, Statement)> {
        let own = &candidate.statement;
        let as_good = |((of, index), sure): &(Place, f32)| {
            let item = &self.stated[*of][*index];
            let is_listed = *of == rank && item.heading == own.heading && item.lead == own.lead;
            (is_listed && candidate.sure - sure <= AS_GOOD).then_some(*index)
        };
        let places: BTreeSet<usize> = items.iter().filter_map(as_good).collect();
        let is_several = own.form == Form::Item && places.len() >= SEVERAL && !self.wants.figure;
        places
            .into_iter()
            .filter(|_| is_several)
            .map(|index| (candidate.card, self.stated[rank][index].clone()))
            .collect()
    }
}
