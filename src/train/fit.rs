//! Trains a matrix, epoch by epoch, and keeps the best. The tokens that it learns from are chosen in `negatives`.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::adam::Adam;
use super::examples::TrainingSet;
use super::loss::{Mapped, info_nce, weighed};
use super::negatives::{NegativeRule, Place, choose, hardest};
use super::progress::{Best, Progress, floats};
use super::tune::{Quality, Tuning};
use crate::base::Rng;
use crate::embed::Embedder;
use crate::retrieval::answer::Weights;

/// The factor for products of unit vectors in the loss. It stands for the length of the states: for vectors of length
/// √(20 · outputs), this factor is left after a division by the number of outputs.
const SCALE: f32 = 20.0;

/// The weights by which epochs are compared before the weights are tuned.
const PROVISIONAL: Weights = Weights { alone: 20.0, with_late: 20.0, learned: 0.1, locating: 0.25 };

/// How a matrix is trained.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Rows of the matrix.
    pub outputs: usize,
    /// The largest number of epochs.
    pub epochs: usize,
    /// Training ends after this many epochs without a better one; 0 runs them all.
    pub patience: usize,
    /// The number of questions per step.
    pub batch: usize,
    /// The number of negatives that each question keeps.
    pub negatives: usize,
    /// The rule for which negatives of the batch count.
    pub rule: NegativeRule,
    /// Whether each question's negatives are replaced by the hardest that it has met.
    pub adaptive: bool,
    /// The share of each vector's values that is dropped before the matrix.
    pub dropout: f32,
    /// Adam's learning rate.
    pub rate: f32,
    /// The factor of the identity matrix that training starts from. At 1 the matrix starts as plain similarity; near 0
    /// it is free to learn relations that similarity does not cover.
    pub start: f32,
    /// The seed of all random draws.
    pub seed: u64,
    /// Whether all passages are also ranked by the matrix alone.
    pub alone: bool,
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
            start: 0.5,
            seed: 1,
            alone: false,
        }
    }
}

/// The result of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Its number, from 1; 0 is the state before training.
    pub number: usize,
    /// The mean loss per question.
    pub loss: f64,
    /// The quality on the questions for tuning.
    pub quality: Quality,
}

/// A trained matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// The values, row by row.
    #[serde(with = "floats")]
    pub matrix: Vec<f32>,
    /// The weights tuned on the questions for tuning.
    pub weights: Weights,
    /// The epoch that the matrix is from.
    pub epoch: usize,
    /// The number of epochs that were run.
    pub epochs: usize,
}

/// Trains on some questions and keeps the epoch that is best on others. `begun` is the progress of an earlier run; it
/// is ignored if it is of another training. `on_epoch` returns whether to go on.
pub fn fit(
    set: &TrainingSet,
    embedder: &dyn Embedder,
    [training, tuning]: [&[usize]; 2],
    options: &FitOptions,
    begun: Option<Progress>,
    on_epoch: &mut dyn FnMut(&Epoch, &Progress) -> bool,
) -> Result<Fitted, TrainError> {
    let mut state = Training::begin(set, embedder, training, options)?;
    let tuning = Tuning::new(set, embedder, tuning);
    let worth = |quality: &Quality| quality.map + quality.located;
    if let Some(begun) = begun.filter(|begun| state.continues(begun)) {
        state.progress = begun;
    } else {
        let matrix = state.progress.matrix.clone();
        let quality = tuning.quality(&matrix, PROVISIONAL);
        state.progress.best = Best { epoch: 0, worth: worth(&quality), matrix };
        if !on_epoch(&Epoch { number: 0, loss: 0.0, quality }, &state.progress) {
            return Err(TrainError::Stopped);
        }
    }
    loop {
        let Progress { epoch, best, .. } = &state.progress;
        let is_out_of_patience = options.patience > 0 && epoch - best.epoch >= options.patience;
        if *epoch >= options.epochs || is_out_of_patience {
            break;
        }
        let loss = state.epoch();
        let progress = &mut state.progress;
        progress.epoch += 1;
        let quality = tuning.quality(&progress.matrix, PROVISIONAL);
        if worth(&quality) > progress.best.worth {
            let matrix = progress.matrix.clone();
            progress.best = Best { epoch: progress.epoch, worth: worth(&quality), matrix };
        }
        if !on_epoch(&Epoch { number: progress.epoch, loss, quality }, progress) {
            return Err(TrainError::Stopped);
        }
    }
    let Progress { epoch: epochs, best: Best { epoch, matrix, .. }, .. } = state.progress;
    let weights = tuning.weights(&matrix);
    Ok(Fitted { matrix, weights, epoch, epochs })
}

/// A training under way.
struct Training<'a> {
    set: &'a TrainingSet,
    embedder: &'a dyn Embedder,
    options: &'a FitOptions,
    /// Bytes per state.
    width: usize,
    /// Values per state.
    inputs: usize,
    progress: Progress,
}

/// The contribution of a question to a step.
struct QuestionGradient {
    loss: f64,
    /// The derivative with respect to its products with the tokens of the batch.
    derivative: Vec<f32>,
    /// The sum of the other tokens of its own passages, each times its derivative.
    own: Vec<f32>,
    /// The hardest tokens of all that it met.
    hardest: Vec<Place>,
}

impl<'a> Training<'a> {
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
        let progress = Progress { epoch: 0, matrix, adam, rng, questions, best: Best::default() };
        Ok(Training { set, embedder, options, width, inputs, progress })
    }

    /// Whether an earlier run's progress is of this training.
    fn continues(&self, begun: &Progress) -> bool {
        let is_place = |&(passage, token): &Place| {
            passage < self.set.passages.len() && token < self.set.tokens(passage, self.width)
        };
        let mut known: Vec<usize> = self.progress.questions.iter().map(|(question, _)| *question).collect();
        let mut found: Vec<usize> = begun.questions.iter().map(|(question, _)| *question).collect();
        known.sort_unstable();
        found.sort_unstable();
        known == found && begun.fits(self.progress.matrix.len(), |kept| kept.iter().all(is_place))
    }

    /// Trains on all questions once, in a new order. Returns the mean loss per question.
    fn epoch(&mut self) -> f64 {
        let Progress { questions, rng, .. } = &mut self.progress;
        for at in (1..questions.len()).rev() {
            questions.swap(at, rng.below(at + 1));
        }
        let count = questions.len();
        let mut loss = 0.0;
        for start in (0..count).step_by(self.options.batch.max(1)) {
            loss += self.step(start, (start + self.options.batch.max(1)).min(count));
        }
        loss / count as f64
    }

    /// Trains on one batch. Returns the sum of its losses.
    fn step(&mut self, start: usize, end: usize) -> f64 {
        let (rows, inputs) = (end - start, self.inputs);
        let mut vectors = Vec::with_capacity(rows * inputs);
        let mut places: Vec<Place> = Vec::with_capacity(rows * (1 + self.options.negatives));
        let Progress { questions, rng, .. } = &mut self.progress;
        for (at, _) in &questions[start..end] {
            let example = &self.set.examples[*at];
            vectors.extend(&example.question.vector);
            let answer = &example.answers[rng.below(example.answers.len())];
            places.push((answer.passage, answer.tokens.start));
        }
        places.extend(questions[start..end].iter().flat_map(|(_, kept)| kept.iter().copied()));
        let mut tokens = Vec::with_capacity(places.len() * inputs);
        for &place in &places {
            tokens.extend(self.set.state(self.embedder, self.width, place));
        }
        drop_out(&mut vectors, self.options.dropout, rng);
        drop_out(&mut tokens, self.options.dropout, rng);
        // One mask for all tokens of the questions' own passages: a value dropped from a question's direction is
        // dropped from all of them.
        let mut mask = vec![1f32; inputs];
        drop_out(&mut mask, self.options.dropout, rng);
        let mapped = Mapped::of(&self.progress.matrix, inputs, &vectors);
        let products = mapped.products(SCALE, &tokens);
        let gradient_of = |row: usize| {
            let direction = &mapped.directions[row * inputs..(row + 1) * inputs];
            let products = &products[row * places.len()..(row + 1) * places.len()];
            self.gradient_of(row, [rows, self.progress.questions[start + row].0], products, &places, direction, &mask)
        };
        let gradients: Vec<QuestionGradient> = (0..rows).into_par_iter().map(gradient_of).collect();
        let derivative: Vec<f32> = gradients.iter().flat_map(|one| one.derivative.iter().copied()).collect();
        let mut sums = weighed(&derivative, &tokens, inputs);
        sums.iter_mut().zip(gradients.iter().flat_map(|one| &one.own)).for_each(|(sum, own)| *sum += own);
        let gradient = mapped.gradient(SCALE, &sums);
        let Progress { questions, adam, matrix, .. } = &mut self.progress;
        adam.step(matrix, &gradient);
        let mut loss = 0.0;
        for ((_, kept), one) in questions[start..end].iter_mut().zip(gradients) {
            loss += one.loss;
            if self.options.adaptive {
                *kept = one.hardest;
            }
        }
        loss
    }

    /// The gradient of one question (`at`, in row `row` of `rows`) from the tokens of the batch, whose `products` are
    /// given, and those of its own passages.
    fn gradient_of(
        &self,
        row: usize,
        [rows, at]: [usize; 2],
        products: &[f32],
        places: &[Place],
        direction: &[f32],
        mask: &[f32],
    ) -> QuestionGradient {
        let example = &self.set.examples[at];
        let direction: Vec<f32> = direction.iter().zip(mask).map(|(value, mask)| value * mask).collect();
        let own = self.own_tokens(at, &direction);
        let tokens: Vec<Place> = places.iter().copied().chain(own.iter().map(|(_, place)| *place)).collect();
        let products: Vec<f32> = products.iter().copied().chain(own.iter().map(|(product, _)| *product)).collect();
        let eligible: Vec<usize> =
            (rows..tokens.len()).filter(|&column| !example.is_answer_token(tokens[column])).collect();
        let count = if self.options.adaptive { self.options.negatives } else { 0 };
        let hardest = hardest(eligible.iter().map(|&column| (products[column], tokens[column])), count);
        let chosen = choose(self.options.rule, &products, products[row], eligible);
        let mut derivative = vec![0f32; products.len()];
        let loss = info_nce(&products, row, &chosen, 1.0 / rows as f32, &mut derivative);
        let of_own = derivative.split_off(places.len());
        let mut sum = vec![0f32; self.inputs];
        for ((_, place), weight) in own.iter().zip(of_own).filter(|(_, weight)| *weight != 0.0) {
            let state = self.set.state(self.embedder, self.width, *place);
            sum.iter_mut().zip(&state).for_each(|(sum, value)| *sum += weight * value);
        }
        sum.iter_mut().zip(mask).for_each(|(sum, mask)| *sum *= mask);
        QuestionGradient { loss, derivative, own: sum, hardest }
    }

    /// The tokens of a question's answering passages that are not part of an answer. Every question meets them.
    fn own_tokens(&self, at: usize, direction: &[f32]) -> Vec<(f32, Place)> {
        let example = &self.set.examples[at];
        let mut passages: Vec<usize> = example.answers.iter().map(|answer| answer.passage).collect();
        passages.sort_unstable();
        passages.dedup();
        let mut met = Vec::new();
        for passage in passages {
            let products = self.embedder.inner_products(&[direction], &self.set.passages[passage]);
            let tokens = products.into_iter().enumerate().map(|(token, product)| (SCALE * product, (passage, token)));
            met.extend(tokens.filter(|(_, place)| !example.is_answer_token(*place)));
        }
        met
    }
}

/// Sets a share of the values to zero and scales the others up to compensate.
fn drop_out(values: &mut [f32], share: f32, rng: &mut Rng) {
    if share <= 0.0 {
        return;
    }
    let kept = 1.0 / (1.0 - share);
    let below = (share * 65536.0) as u64;
    // Each number drawn serves four values, with 16 bits for each.
    for four in values.chunks_mut(4) {
        let drawn = rng.next_u64();
        for (nth, value) in four.iter_mut().enumerate() {
            *value *= if (drawn >> (16 * nth)) & 0xffff < below { 0.0 } else { kept };
        }
    }
}

/// The first negatives: tokens taken in turn from a passage that answers the question and from one that a search found
/// but that does not answer it.
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
    // A passage may consist of answers only, so the attempts are limited.
    for attempt in 0..count * 20 {
        if kept.len() == count {
            break;
        }
        let passages = if attempt % 2 == 0 || others.is_empty() { &own } else { &others };
        let passage = passages[rng.below(passages.len())];
        let place = (passage, rng.below(set.tokens(passage, width)));
        if set.tokens(passage, width) > 0 && !example.is_answer_token(place) {
            kept.push(place);
        }
    }
    kept
}

/// A random number from 0 up to, but excluding, 1.
fn uniform(rng: &mut Rng) -> f32 {
    (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32
}
