//! Turns texts into states in one space: a model read into memory, with the mean and the spread of its states.

use rayon::prelude::*;

use super::decoder::Decoder;
use super::error::ModelError;
use super::folder::Folder;
use super::tokens::{Tokenized, Tokens};
use crate::embed::l2_normalize;

/// Names the processing of a state before its signs are taken; another sample or another arithmetic needs a new name.
pub(super) const FORMAT: &str = "standard-v1";

/// A sample of the kinds of text in documents, for the mean and the spread of states. It must never change.
const SAMPLE: &str = include_str!("sample.txt");

/// A model, its tokenizer, and the mean and the spread of each dimension of its states.
///
/// A causal model's states lie around a point far from zero, and a few dimensions are many times larger than all
/// others: any two states are similar, and their signs say little. Each dimension is therefore expressed as its
/// distance from its mean over a sample, in units of its spread.
pub(super) struct Encoder {
    pub(super) tokens: Tokens,
    decoder: Decoder,
    mean: Vec<f32>,
    spread: Vec<f32>,
}

/// A text after it has gone through the model.
pub(super) struct Encoded {
    pub(super) text: Tokenized,
    /// The standardized state of each token, one after another.
    states: Vec<f32>,
    dimension: usize,
}

impl Encoder {
    pub(super) fn load(folder: &Folder) -> Result<Self, ModelError> {
        let (tokens, decoder) = (folder.tokens()?, folder.decoder()?);
        let dimension = decoder.config().hidden;
        let states_of = |line: &str| -> Result<Vec<f32>, ModelError> {
            // The first token sees no other, and its state is unlike all others, so it is left out of the statistics.
            Ok(decoder.states(&tokens.of(line)?.ids)?.into_iter().skip(dimension).collect())
        };
        let lines: Vec<Vec<f32>> = SAMPLE.par_lines().map(states_of).collect::<Result<_, _>>()?;
        let states = lines.concat();
        let (mean, spread) = mean_and_spread(&states, dimension);
        Ok(Encoder { tokens, decoder, mean, spread })
    }

    /// Encodes texts on all cores and passes each result to `finish`; the results keep the order of the texts.
    pub(super) fn encode_all<T: Send>(
        &self,
        texts: &[String],
        finish: impl Fn(&Encoded) -> T + Sync,
    ) -> Result<Vec<T>, ModelError> {
        texts.par_iter().map(|text| self.encode(text).map(|encoded| finish(&encoded))).collect()
    }

    fn encode(&self, text: &str) -> Result<Encoded, ModelError> {
        let text = self.tokens.of(text)?;
        let mut states = self.decoder.states(&text.ids)?;
        let dimension = self.mean.len();
        for state in states.chunks_exact_mut(dimension) {
            for (value, (mean, spread)) in state.iter_mut().zip(self.mean.iter().zip(&self.spread)) {
                *value = (*value - mean) / spread;
            }
        }
        Ok(Encoded { text, states, dimension })
    }
}

impl Encoded {
    /// The state of one token, scaled to length 1.
    pub(super) fn state(&self, at: usize) -> Vec<f32> {
        let mut state = self.states[at * self.dimension..][..self.dimension].to_vec();
        l2_normalize(&mut state);
        state
    }

    /// The mean of the states of the tokens that are part of a word, or of all tokens if none is, scaled to length 1.
    pub(super) fn mean(&self) -> Vec<f32> {
        let mut mean = vec![0.0; self.dimension];
        let content = self.text.content.iter().map(|token| token.at);
        let chosen: Vec<usize> =
            if self.text.content.is_empty() { (0..self.text.ids.len()).collect() } else { content.collect() };
        for at in chosen {
            mean.iter_mut().zip(self.state(at)).for_each(|(sum, value)| *sum += value);
        }
        l2_normalize(&mut mean);
        mean
    }

    /// The state of the last token, which has read the whole text; `None` for a text without tokens.
    pub(super) fn last(&self) -> Option<Vec<f32>> {
        self.text.last.map(|at| self.state(at))
    }
}

/// The mean and the spread of each dimension; one that never changes has a spread of 1.
fn mean_and_spread(states: &[f32], dimension: usize) -> (Vec<f32>, Vec<f32>) {
    let count = (states.len() / dimension).max(1) as f64;
    let (mut sums, mut squares) = (vec![0f64; dimension], vec![0f64; dimension]);
    for state in states.chunks_exact(dimension) {
        for ((sum, square), &value) in sums.iter_mut().zip(&mut squares).zip(state) {
            *sum += f64::from(value);
            *square += f64::from(value) * f64::from(value);
        }
    }
    let spread = |(sum, square): (&f64, &f64)| {
        let variance = square / count - (sum / count).powi(2);
        if variance > 1e-12 { variance.sqrt() as f32 } else { 1.0 }
    };
    (sums.iter().map(|sum| (sum / count) as f32).collect(), sums.iter().zip(&squares).map(spread).collect())
}
