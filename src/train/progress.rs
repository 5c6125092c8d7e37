//! The state of a training between two epochs. It holds everything that the next epoch depends on, so that a training
//! that was killed resumes to the same bits.

use serde::{Deserialize, Serialize};

use super::adam::Adam;
use super::negatives::Place;
use crate::base::Rng;

/// The state of a training after some epochs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of finished epochs.
    pub epoch: usize,
    /// The values, row by row.
    #[serde(with = "floats")]
    pub(super) matrix: Vec<f32>,
    pub(super) adam: Adam,
    pub(super) rng: Rng,
    /// The questions in the order of the last epoch, and the negatives that each keeps.
    pub(super) questions: Vec<(usize, Vec<Place>)>,
    pub(super) best: Best,
}

/// The best epoch so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    pub epoch: usize,
    /// Its quality on the questions for tuning.
    #[serde(with = "bits")]
    pub worth: f64,
    #[serde(with = "floats")]
    pub matrix: Vec<f32>,
}

impl Progress {
    /// Whether it is of a training with this many parameters, whose negatives all satisfy `known`.
    pub(super) fn fits(&self, parameters: usize, known: impl Fn(&[Place]) -> bool) -> bool {
        let lengths = [self.matrix.len(), self.best.matrix.len(), self.adam.parameters()];
        let is_ahead = self.best.epoch > self.epoch;
        !is_ahead && lengths == [parameters; 3] && self.questions.iter().all(|(_, kept)| known(kept))
    }
}

/// Serialises floats as base64 of their little-endian bytes. This takes a tenth of the time and half of the space of
/// decimal numbers, and keeps the bits exactly.
pub(super) mod floats {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
        let bytes = STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }
}

/// Serialises a float by its bits.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}
