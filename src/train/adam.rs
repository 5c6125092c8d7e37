//! Adam (Kingma and Ba 2015).

use serde::{Deserialize, Serialize};

use super::progress::floats;

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const TINY: f32 = 1e-8;

/// The running moments of a gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Adam {
    rate: f32,
    steps: i32,
    #[serde(with = "floats")]
    mean: Vec<f32>,
    #[serde(with = "floats")]
    square: Vec<f32>,
}

impl Adam {
    pub fn new(parameters: usize, rate: f32) -> Self {
        Adam { rate, steps: 0, mean: vec![0.0; parameters], square: vec![0.0; parameters] }
    }

    /// The number of parameters; 0 if the two moments differ in length.
    pub fn parameters(&self) -> usize {
        if self.mean.len() == self.square.len() { self.mean.len() } else { 0 }
    }

    /// Moves the parameters against the gradient.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) {
        self.steps = self.steps.saturating_add(1);
        let mean_bias = 1.0 - MEAN_DECAY.powi(self.steps);
        let square_bias = 1.0 - SQUARE_DECAY.powi(self.steps);
        let moments = self.mean.iter_mut().zip(&mut self.square);
        for ((parameter, gradient), (mean, square)) in parameters.iter_mut().zip(gradient).zip(moments) {
            *mean += (1.0 - MEAN_DECAY) * (gradient - *mean);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            *parameter -= self.rate * (*mean / mean_bias) / ((*square / square_bias).sqrt() + TINY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let mut parameters = [3.0f32, -2.0];
        let mut adam = Adam::new(2, 0.1);
        for _ in 0..300 {
            let gradient = [2.0 * (parameters[0] - 1.0), 20.0 * (parameters[1] - 0.5)];
            adam.step(&mut parameters, &gradient);
        }
        assert!((parameters[0] - 1.0).abs() < 0.05 && (parameters[1] - 0.5).abs() < 0.05, "{parameters:?}");
    }

    #[test]
    fn the_first_step_has_the_length_of_the_rate() {
        let mut parameters = [0.0f32; 2];
        Adam::new(2, 0.01).step(&mut parameters, &[1e-3, -50.0]);
        assert!((parameters[0] + 0.01).abs() < 1e-5 && (parameters[1] - 0.01).abs() < 1e-5, "{parameters:?}");
    }
}
