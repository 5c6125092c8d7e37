//! Which statements of a pool are told within some words: the most relevant first, none that says again what is told. It
//! does not judge relevance.

use super::Account;
use crate::offline::terms::word_count;

/// What it takes from one on a change that its document tells so many already: many things change.
const SPREAD: f32 = 0.15;

/// Statements that share more than this with a chosen one say the same.
const SAME: f32 = 0.72;

/// What is being chosen from a pool of statements within some words.
pub(super) struct Choice {
    pool: Vec<usize>,
    /// How much each of the pool is like what is told, kept up as more is told.
    likeness: Vec<f32>,
    /// Words that it may have, and those that it has.
    words: usize,
    pub used: usize,
    /// Indices of what was chosen, in that order.
    pub chosen: Vec<usize>,
}

impl Account<'_> {
    /// The best of `pool` within `words`, none that says again what is told. A statement that leans on the one before it
    /// brings that one along.
    pub(super) fn choose(&mut self, pool: &[usize], words: usize) -> Choice {
        let mut choice = self.choice(pool.to_vec(), words);
        loop {
            let new = self.next(&mut choice);
            if new.is_empty() {
                return choice;
            }
            self.note(&mut choice, &new);
        }
    }

    pub(super) fn choice(&self, pool: Vec<usize>, words: usize) -> Choice {
        let like_told = |&index: &usize| self.taken.iter().map(|&other| self.alike(index, other)).fold(0.0, f32::max);
        let likeness = pool.iter().map(like_told).collect();
        Choice { pool, likeness, words, used: 0, chosen: Vec::new() }
    }

    /// Chooses the next statement, behind the one that it leans on; empty where none is left or none fits.
    pub(super) fn next(&mut self, choice: &mut Choice) -> Vec<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (&index, &likeness) in choice.pool.iter().zip(&choice.likeness) {
            let one = &self.told[index];
            let new = self.led_up_to(index);
            let cost: usize = new.iter().map(|&index| self.cost(index)).sum();
            if cost > choice.words - choice.used || self.taken.contains(&index) {
                continue;
            }
            // A list that has begun goes on.
            let begun = || choice.chosen.iter().any(|&other| one.is_listed_with(&self.told[other]));
            if likeness > SAME && !begun() {
                continue;
            }
            let of_document = || choice.chosen.iter().filter(|&&other| self.told[other].document == one.document);
            let spread = if self.changing && !begun() { SPREAD * of_document().count() as f32 } else { 0.0 };
            let score = self.relevance[index] - spread;
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, index));
            }
        }
        let Some((_, index)) = best else { return Vec::new() };
        let new = self.led_up_to(index);
        choice.used += new.iter().map(|&index| self.cost(index)).sum::<usize>();
        choice.chosen.extend(&new);
        new
    }

    /// A statement behind those that it leans on and that were not told, in their order.
    fn led_up_to(&self, index: usize) -> Vec<usize> {
        let before = |&index: &usize| self.told[index].after.filter(|before| !self.taken.contains(before));
        let mut needed: Vec<usize> = std::iter::successors(Some(index), before).collect();
        needed.reverse();
        needed
    }

    /// The words that telling a statement takes: what introduces it is told once.
    fn cost(&self, index: usize) -> usize {
        let one = &self.told[index];
        let is_introduced = || self.taken.iter().any(|&other| one.is_introduced_by(&self.told[other]));
        let lead = if one.statement.lead.is_empty() || is_introduced() { 0 } else { word_count(&one.statement.lead) };
        one.words + lead
    }

    /// Notes that statements are told, by whichever choice.
    pub(super) fn note(&mut self, choice: &mut Choice, told: &[usize]) {
        self.taken.extend(told);
        for (&other, likeness) in choice.pool.iter().zip(&mut choice.likeness) {
            *likeness = told.iter().map(|&index| self.alike(other, index)).fold(*likeness, f32::max);
        }
    }

    /// How much of what a statement says another one says.
    fn alike(&self, index: usize, other: usize) -> f32 {
        let (one, other) = (&self.told[index], &self.told[other]);
        let same = other.document == one.document && other.text.contains(&one.text);
        if same { 1.0 } else { self.rarity.overlap(&one.own, &other.own) }
    }
}
