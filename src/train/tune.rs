//! Measures the quality of a matrix on questions, and finds the weights that suit it.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::examples::{Example, TrainingSet};
use crate::embed::Embedder;
use crate::retrieval::answer::{Weights, direction, evidence, places};

/// The weights to try. A weight of 0 switches a part off.
const OF_THE_SCORE: [f32; 9] = [0.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0];
const OF_THE_LEARNED: [f32; 5] = [0.0, 0.1, 0.25, 0.5, 1.0];

/// The quality of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Mean reciprocal rank of the first passage that answers. With a single such passage this equals mean average
    /// precision.
    pub map: f64,
    /// Share of questions whose first-ranked passage answers.
    pub first: f64,
    /// Share of the answering passages in which the chosen token is part of the answer.
    pub located: f64,
}

/// A candidate of a question, without the part that depends on the matrix.
struct Candidate {
    document: usize,
    relevant: bool,
    fused: f32,
    late: f32,
    passage: usize,
    near: Vec<f32>,
    own: Vec<f32>,
}

/// The same, with the learned part for each of its tokens.
struct LearnedCandidate<'a> {
    candidate: &'a Candidate,
    learned: Vec<f32>,
}

/// Questions to measure on, with their evidence computed once.
pub struct Tuning<'a> {
    examples: Vec<(&'a Example, Vec<Candidate>)>,
    set: &'a TrainingSet,
    embedder: &'a dyn Embedder,
}

impl<'a> Tuning<'a> {
    /// Computes the evidence of the questions' candidates.
    pub fn new(set: &'a TrainingSet, embedder: &'a dyn Embedder, questions: &[usize]) -> Self {
        let look = |&at: &usize| {
            let example = &set.examples[at];
            let states: Vec<&[f32]> = example.question.states.iter().map(Vec::as_slice).collect();
            let ranking = example.ranking.iter().map(|ranked| {
                let products = embedder.inner_products(&states, &set.passages[ranked.passage]);
                let (near, own) = evidence(&products, states.len());
                let (document, relevant, fused, late) = (ranked.document, ranked.relevant, ranked.fused, ranked.late);
                Candidate { document, relevant, fused, late, passage: ranked.passage, near, own }
            });
            (example, ranking.collect())
        };
        Tuning { examples: questions.par_iter().map(look).collect(), set, embedder }
    }

    fn learn(&self, matrix: &[f32]) -> Vec<(&Example, Vec<LearnedCandidate<'_>>)> {
        let learn = |(example, candidates): &'_ (&'a Example, Vec<Candidate>)| -> Vec<Vec<f32>> {
            let direction = direction(matrix, &example.question.vector);
            let products = |one: &Candidate| {
                self.embedder.inner_products(&[direction.as_slice()], &self.set.passages[one.passage])
            };
            candidates.iter().map(products).collect()
        };
        let all: Vec<Vec<Vec<f32>>> = self.examples.par_iter().map(learn).collect();
        let mut learned: Vec<(&Example, Vec<LearnedCandidate<'_>>)> = Vec::with_capacity(all.len());
        for ((example, candidates), products) in self.examples.iter().zip(all) {
            let one =
                candidates.iter().zip(products).map(|(candidate, learned)| LearnedCandidate { candidate, learned });
            learned.push((*example, one.collect()));
        }
        learned
    }

    /// The quality with the given weights, ranking by late interaction and the answer score.
    pub fn quality(&self, matrix: &[f32], weights: Weights) -> Quality {
        let learned = self.learn(matrix);
        let ranks = self.ranks(&learned, |candidate| candidate.late, weights.with_late, weights.learned);
        Quality { map: mean(&ranks), first: first(&ranks), located: located(&learned, weights.locating) }
    }

    /// The id of each question, with its reciprocal ranks without and with the answer score.
    pub fn compare(&self, matrix: &[f32], weights: Weights) -> Vec<(String, f64, f64)> {
        let learned = self.learn(matrix);
        let without = self.ranks(&learned, |candidate| candidate.late, 0.0, 0.0);
        let with = self.ranks(&learned, |candidate| candidate.late, weights.with_late, weights.learned);
        let ids = self.examples.iter().map(|(example, _)| example.id.clone());
        ids.zip(without.into_iter().zip(with)).map(|(id, (without, with))| (id, without, with)).collect()
    }

    /// The weights that rank and locate best. Ties go to the smallest weights, which change least.
    pub fn weights(&self, matrix: &[f32]) -> Weights {
        let learned = self.learn(matrix);
        let locating = best(&OF_THE_LEARNED, |&weight| located(&learned, weight));
        let grid: Vec<(f32, f32)> =
            OF_THE_SCORE.iter().flat_map(|&score| OF_THE_LEARNED.iter().map(move |&part| (score, part))).collect();
        let late = |&(score, part): &(f32, f32)| mean(&self.ranks(&learned, |candidate| candidate.late, score, part));
        let (with_late, part) = best(&grid, late);
        let fused = |&score: &f32| mean(&self.ranks(&learned, |candidate| candidate.fused, score, part));
        Weights { alone: best(&OF_THE_SCORE, fused), with_late, learned: part, locating }
    }

    fn ranks(
        &self,
        learned: &[(&Example, Vec<LearnedCandidate<'_>>)],
        base: impl Fn(&Candidate) -> f32 + Sync,
        weight: f32,
        part: f32,
    ) -> Vec<f64> {
        learned.par_iter().map(|(_, candidates)| reciprocal_rank(candidates, &base, weight, part)).collect()
    }
}

/// One over the rank of the first document that answers; 0 if none was found.
fn reciprocal_rank(
    candidates: &[LearnedCandidate<'_>],
    base: impl Fn(&Candidate) -> f32,
    weight: f32,
    part: f32,
) -> f64 {
    let score = |candidate: &LearnedCandidate<'_>| {
        let tokens = candidate.candidate.near.iter().zip(&candidate.learned);
        let best = tokens.map(|(near, learned)| near + part * learned).fold(f32::NEG_INFINITY, f32::max);
        base(candidate.candidate) + if weight > 0.0 && best.is_finite() { weight * best } else { 0.0 }
    };
    let mut ranked: Vec<(f32, &Candidate)> = candidates.iter().map(|one| (score(one), one.candidate)).collect();
    // The sort is stable: ties keep the order of the search.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut seen = BTreeSet::new();
    for (_, candidate) in ranked {
        seen.insert(candidate.document);
        if candidate.relevant {
            return 1.0 / seen.len() as f64;
        }
    }
    0.0
}

/// Share of the passages with an answer in which the chosen token is part of it.
fn located(learned: &[(&Example, Vec<LearnedCandidate<'_>>)], weight: f32) -> f64 {
    let (mut right, mut all) = (0usize, 0usize);
    for (example, candidates) in learned {
        for one in candidates {
            let passage = one.candidate.passage;
            if !example.answers.iter().any(|answer| answer.passage == passage) {
                continue;
            }
            let scores = places(&one.candidate.near, &one.candidate.own, &one.learned, weight);
            let chosen = scores.iter().enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
            all += 1;
            right += usize::from(chosen.is_some_and(|(token, _)| example.is_answer_token((passage, token))));
        }
    }
    if all == 0 { 0.0 } else { right as f64 / all as f64 }
}

fn best<T: Copy>(choices: &[T], worth: impl Fn(&T) -> f64) -> T {
    let mut best = (choices[0], worth(&choices[0]));
    for choice in &choices[1..] {
        let worth = worth(choice);
        if worth > best.1 {
            best = (*choice, worth);
        }
    }
    best.0
}

fn mean(ranks: &[f64]) -> f64 {
    ranks.iter().sum::<f64>() / ranks.len().max(1) as f64
}

fn first(ranks: &[f64]) -> f64 {
    ranks.iter().filter(|rank| **rank >= 1.0).count() as f64 / ranks.len().max(1) as f64
}
