//! What is told together with a candidate: the steps of its procedure, or the items of its list that answer as well.

use std::collections::BTreeSet;

use super::{Candidate, Field};
use crate::base::text::is_cjk;
use crate::llm::purpose::EvidenceCard;
use crate::offline::asking::asks_for_way;
use crate::offline::statements::{Form, Statement, is_question};
use crate::offline::steps::procedure;
use crate::offline::tables::Place;

/// Items of one list that answer this nearly as well as the best of them, in units of the reader's score, answer together
/// where they are at least so many.
const AS_GOOD: f32 = 4.0;
const SEVERAL: usize = 3;

impl Field<'_> {
    /// What is told together with a candidate, itself among it, and whether that is all that the question asks for; nothing
    /// where it is told alone. `items` are the items of lists that answer, with how sure each is.
    pub(super) fn together(
        &self,
        rank: usize,
        candidate: &Candidate,
        items: &[(Place, f32)],
    ) -> (Vec<(usize, Statement)>, bool) {
        // Whoever names a procedure and asks nothing may want more than its steps.
        let asks = || is_question(self.asked.question) || !self.asked.question.contains(is_cjk);
        match self.steps_with(rank, candidate) {
            Some(steps) => (steps, asks()),
            None => (self.listed_with(rank, candidate, items), false),
        }
    }

    /// All steps of the procedure that a candidate is of, where it is asked how something is done.
    fn steps_with(&self, rank: usize, candidate: &Candidate) -> Option<Vec<(usize, Statement)>> {
        if !asks_for_way(self.asked.question) {
            return None;
        }
        let place = self.stated[rank].iter().position(|one| one.range == candidate.statement.range)?;
        let cards: Vec<&EvidenceCard> = self.cards.iter().map(|&card| &self.input.evidence[card]).collect();
        let steps = procedure(&cards, &self.stated, (rank, place))?;
        Some(steps.into_iter().map(|(rank, step)| (self.cards[rank], step)).collect())
    }

    /// The items of a candidate's list that answer about as well, itself among them; none where they are few.
    fn listed_with(&self, rank: usize, candidate: &Candidate, items: &[(Place, f32)]) -> Vec<(usize, Statement)> {
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
