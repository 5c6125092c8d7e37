use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::adam::Adam;
use super::examples::TrainingSet;
use super::loss::{forward, info_nce};
use super::matrix::{Side, multiply};
use super::negatives::{NegativeRule, Place, choose, hardest};
use super::tune::{Quality, Tuning};
use crate::base::Rng;
use crate::embed::Embedder;
use crate::retrieval::answer::Weights;

/// What the products of unit vectors are multiplied by in the loss. It stands for the length of the states: with vectors
/// of length √(20 · outputs), dividing by the number of outputs leaves this.
const SCALE: f32 = 20.0;

/// By which epochs are compared before the weights are tuned.
const PROVISIONAL: Weights = Weights { alone: 20.0, with_late: 20.0, learned: 0.1, locating: 0.25 };

/// How a matrix is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Rows of the matrix.
    pub outputs: usize,
    /// At most.
    pub epochs: usize,
    /// Ends after so many epochs without a better one.
    pub patience: usize,
    /// Questions of a step.
    pub batch: usize,
    /// Negatives that each question keeps.
    pub negatives: usize,
    /// Which negatives of the batch count.
    pub rule: NegativeRule,
    /// Whether each question's negatives become the hardest that it met.
    pub adaptive: bool,
    /// Share of each vector's values that are left out before the matrix.
    pub dropout: f32,
    /// Adam's.
    pub rate: f32,
    /// Size of the identity that the matrix begins as. At 1 it begins as likeness itself; near 0 it is free to learn
    /// what likeness is not.
    pub start: f32,
    /// Of everything that is drawn.
    pub seed: u64,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions {
            outputs: 512,
            epochs: 120,
            patience: 5,
            batch: 32,
            negatives: 5,
            rule: NegativeRule::SemiHard,
            adaptive: true,
            dropout: 0.5,
            rate: 1e-4,
            start: 0.1,
            seed: 1,
        }
    }
}

/// How an epoch went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// From 1; 0 is before training.
    pub number: usize,
    /// Mean loss of a question.
    pub loss: f64,
    /// Measured on the questions for tuning.
    pub quality: Quality,
}

/// A trained matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Row by row.
    pub matrix: Vec<f32>,
    /// Tuned on the questions for tuning.
    pub weights: Weights,
    /// The epoch that it is of.
    pub epoch: usize,
    /// Epochs that were run.
    pub epochs: usize,
}

/// Trains on some questions and keeps the epoch that is best on others. `on_epoch` answers whether to go on.
pub fn fit(
    set: &TrainingSet,
    embedder: &dyn Embedder,
    training: &[usize],
    tuning: &[usize],
    options: &FitOptions,
    on_epoch: &mut dyn FnMut(&Epoch) -> bool,
) -> Result<Fitted, TrainError> {
    let mut state = State::begin(set, embedder, training, options)?;
    let tuning = Tuning::new(set, embedder, tuning);
    let worth = |quality: &Quality| quality.map + quality.located;
    let quality = tuning.quality(&state.matrix, PROVISIONAL);
    let mut best = (worth(&quality), 0, state.matrix.clone());
    if !on_epoch(&Epoch { number: 0, loss: 0.0, quality }) {
        return Err(TrainError::Stopped);
    }
    let mut epochs = 0;
    for number in 1..=options.epochs {
        let loss = state.epoch();
        epochs = number;
        let quality = tuning.quality(&state.matrix, PROVISIONAL);
        if !on_epoch(&Epoch { number, loss, quality }) {
            return Err(TrainError::Stopped);
        }
        if worth(&quality) > best.0 {
            best = (worth(&quality), number, state.matrix.clone());
        } else if number - best.1 >= options.patience {
            break;
        }
    }
    let (_, epoch, matrix) = best;
    let weights = tuning.weights(&matrix);
    Ok(Fitted { matrix, weights, epoch, epochs })
}

/// A training under way.
struct State<'a> {
    set: &'a TrainingSet,
    embedder: &'a dyn Embedder,
    options: &'a FitOptions,
    /// Bytes of a state.
    width: usize,
    /// Length of a state.
    inputs: usize,
    matrix: Vec<f32>,
    adam: Adam,
    rng: Rng,
    /// The questions, and the negatives that each keeps.
    questions: Vec<(usize, Vec<Place>)>,
}

impl<'a> State<'a> {
    fn begin(
        set: &'a TrainingSet,
        embedder: &'a dyn Embedder,
        training: &[usize],
        options: &'a FitOptions,
    ) -> Result<Self, TrainError> {
        let (width, inputs) = (set.width(embedder), set.encoder.dimension);
        if width == 0 {
            return Err(TrainError::NoStates { embedder: set.encoder.name.clone() });
        }
        let mut rng = Rng::new(options.seed);
        let mut matrix = vec![0f32; options.outputs * inputs];
        for (at, value) in matrix.iter_mut().enumerate() {
            // A little noise, so that no two rows learn the same.
            *value = options.start * 0.02 * (uniform(&mut rng) - 0.5);
            if at / inputs == at % inputs {
                *value += options.start;
            }
        }
        let mut questions = Vec::with_capacity(training.len());
        for &at in training {
            let kept = first_negatives(set, width, at, options.negatives, &mut rng);
            if !kept.is_empty() {
                questions.push((at, kept));
            }
        }
        if questions.is_empty() {
            let reason = "an answer that stands in its passage, and a token that is no answer, are needed";
            return Err(TrainError::NoTriplet { questions: training.len(), reason });
        }
        let adam = Adam::new(matrix.len(), options.rate);
        Ok(State { set, embedder, options, width, inputs, matrix, adam, rng, questions })
    }

    /// `MᵀM q` of each question, see [`crate::retrieval::answer::direction`].
    fn directions(&self, vectors: Vec<f32>) -> Vec<f32> {
        let rows = vectors.len() / self.inputs;
        let outputs = self.options.outputs;
        let (plain, matrix) = (Side::plain(&vectors, self.inputs), Side::transposed(&self.matrix, self.inputs));
        let mapped = multiply([rows, self.inputs, outputs], 1.0, plain, matrix);
        let (mapped, matrix) = (Side::plain(&mapped, outputs), Side::plain(&self.matrix, self.inputs));
        multiply([rows, outputs, self.inputs], 1.0, mapped, matrix)
    }

    /// All questions once, in a new order. The mean loss of a question.
    fn epoch(&mut self) -> f64 {
        for at in (1..self.questions.len()).rev() {
            let other = self.rng.below(at + 1);
            self.questions.swap(at, other);
        }
        let mut loss = 0.0;
        let mut start = 0;
        while start < self.questions.len() {
            let end = (start + self.options.batch.max(1)).min(self.questions.len());
            loss += self.step(start, end);
            start = end;
        }
        loss / self.questions.len() as f64
    }

    /// One batch. The sum of its losses.
    fn step(&mut self, start: usize, end: usize) -> f64 {
        let rows = end - start;
        let mut vectors = Vec::with_capacity(rows * self.inputs);
        let mut places: Vec<Place> = Vec::with_capacity(rows * (1 + self.options.negatives));
        for (at, _) in &self.questions[start..end] {
            let example = &self.set.examples[*at];
            vectors.extend(&example.question.vector);
            let answer = &example.answers[self.rng.below(example.answers.len())];
            places.push((answer.passage, answer.tokens.start));
        }
        places.extend(self.questions[start..end].iter().flat_map(|(_, kept)| kept.iter().copied()));
        let states: Vec<Vec<f32>> =
            places.par_iter().map(|&place| self.set.state(self.embedder, self.width, place)).collect();
        let mut tokens = states.concat();
        self.drop_out(&mut vectors);
        self.drop_out(&mut tokens);
        // The tokens of a question's own passages are many, so they are not mapped: a direction is compared with them.
        let mut mask = vec![1f32; self.inputs];
        self.drop_out(&mut mask);
        let mut directions = self.directions(vectors.clone());
        directions.iter_mut().enumerate().for_each(|(at, value)| *value *= mask[at % self.inputs]);
        let mapped = forward(&self.matrix, self.inputs, SCALE, vectors.clone(), tokens);
        let columns = places.len();
        let mut derivative = vec![0f32; rows * columns];
        let mut sums = vec![0f32; rows * self.inputs];
        let mut loss = 0.0;
        let mut kept = Vec::with_capacity(rows);
        for row in 0..rows {
            let (at, _) = self.questions[start + row];
            let example = &self.set.examples[at];
            let own = self.own_tokens(at, &directions[row * self.inputs..(row + 1) * self.inputs]);
            let met: Vec<Place> = places.iter().copied().chain(own.iter().map(|(_, place)| *place)).collect();
            let batch = &mapped.products[row * columns..(row + 1) * columns];
            let products: Vec<f32> = batch.iter().copied().chain(own.iter().map(|(product, _)| *product)).collect();
            let eligible: Vec<usize> = (rows..met.len()).filter(|&c| !example.answers_with(met[c])).collect();
            if self.options.adaptive {
                let met = eligible.iter().map(|&c| (products[c], met[c])).collect();
                kept.push(hardest(met, self.options.negatives));
            }
            let chosen = choose(self.options.rule, &products, products[row], eligible);
            let mut by_product = vec![0f32; products.len()];
            loss += info_nce(&products, row, &chosen, 1.0 / rows as f32, &mut by_product);
            derivative[row * columns..(row + 1) * columns].copy_from_slice(&by_product[..columns]);
            self.add_own(&mut sums[row * self.inputs..(row + 1) * self.inputs], &own, &by_product[columns..], &mask);
        }
        let mut gradient = mapped.gradient(&derivative);
        // Products are linear in the token, so all own tokens of a question weigh as one, their weighted sum.
        let own = forward(&self.matrix, self.inputs, SCALE, vectors, sums);
        let diagonal: Vec<f32> = (0..rows * rows).map(|at| f32::from(u8::from(at / rows == at % rows))).collect();
        gradient.iter_mut().zip(own.gradient(&diagonal)).for_each(|(sum, value)| *sum += value);
        self.adam.step(&mut self.matrix, &gradient);
        for (slot, kept) in self.questions[start..end].iter_mut().zip(kept) {
            slot.1 = kept;
        }
        loss
    }

    /// The tokens of the passages that answer a question which are no answer themselves: every question meets them.
    fn own_tokens(&self, at: usize, direction: &[f32]) -> Vec<(f32, Place)> {
        let example = &self.set.examples[at];
        let mut passages: Vec<usize> = example.answers.iter().map(|answer| answer.passage).collect();
        passages.sort_unstable();
        passages.dedup();
        let mut met = Vec::new();
        for passage in passages {
            let products = self.embedder.inner_products(&[direction], &self.set.passages[passage]);
            let tokens = products.into_iter().enumerate().map(|(token, product)| (SCALE * product, (passage, token)));
            met.extend(tokens.filter(|(_, place)| !example.answers_with(*place)));
        }
        met
    }

    /// Adds up the states of own tokens, each times its derivative.
    fn add_own(&self, sum: &mut [f32], own: &[(f32, Place)], derivative: &[f32], mask: &[f32]) {
        for ((_, place), weight) in own.iter().zip(derivative) {
            if *weight != 0.0 {
                let state = self.set.state(self.embedder, self.width, *place);
                let parts = sum.iter_mut().zip(&state).zip(mask);
                parts.for_each(|((sum, value), mask)| *sum += weight * value * mask);
            }
        }
    }

    fn drop_out(&mut self, values: &mut [f32]) {
        let dropout = self.options.dropout;
        if dropout <= 0.0 {
            return;
        }
        let kept = 1.0 / (1.0 - dropout);
        for value in values {
            *value *= if uniform(&mut self.rng) < dropout { 0.0 } else { kept };
        }
    }
}

/// Tokens to begin with: by turns of a passage that answers the question and of one that a search finds beside it.
fn first_negatives(set: &TrainingSet, width: usize, at: usize, count: usize, rng: &mut Rng) -> Vec<Place> {
    let example = &set.examples[at];
    let own: Vec<usize> = example.answers.iter().map(|answer| answer.passage).collect();
    if example.answers.iter().any(|answer| answer.tokens.end > set.tokens(answer.passage, width)) {
        return Vec::new();
    }
    let others: Vec<usize> =
        example.ranking.iter().filter(|ranked| !ranked.relevant).map(|ranked| ranked.passage).collect();
    if own.is_empty() {
        return Vec::new();
    }
    let mut kept = Vec::with_capacity(count);
    // A passage may be all answer, so there is an end to trying.
    for attempt in 0..count * 20 {
        if kept.len() == count {
            break;
        }
        let passages = if attempt % 2 == 0 || others.is_empty() { &own } else { &others };
        let passage = passages[rng.below(passages.len())];
        let place = (passage, rng.below(set.tokens(passage, width)));
        if set.tokens(passage, width) > 0 && !example.answers_with(place) {
            kept.push(place);
        }
    }
    kept
}

/// From 0 up to 1.
fn uniform(rng: &mut Rng) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32
}
