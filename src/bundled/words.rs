use super::{DIMENSION, ModelError};

/// Bytes before the first row: the scale and the zero point, 4 bytes each, the lowest first.
const HEAD: usize = 8;

/// A vector for every token, one byte for each of its values. It is no part of the models' graphs, so that it is in the binary
/// once for all of them.
pub(crate) struct Words {
    scale: f32,
    zero: i32,
    rows: &'static [u8],
}

impl Words {
    pub(super) fn from_bytes(bytes: &'static [u8]) -> Result<Self, ModelError> {
        let damaged = || ModelError::Words(format!("{} bytes are no head and whole rows", bytes.len()));
        let (scale, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (zero, rows) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let words = Words { scale: f32::from_le_bytes(*scale), zero: i32::from_le_bytes(*zero), rows };
        if !bytes.len().saturating_sub(HEAD).is_multiple_of(DIMENSION) || !words.scale.is_normal() {
            return Err(damaged());
        }
        Ok(words)
    }

    /// How many tokens it has vectors for.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / DIMENSION
    }

    /// The vectors of some tokens, one after another; zeros for an id that it lacks.
    pub(crate) fn vectors(&self, ids: &[i32]) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(ids.len() * DIMENSION);
        for &id in ids {
            let row = usize::try_from(id).ok().and_then(|id| self.rows.chunks_exact(DIMENSION).nth(id));
            match row {
                // The same arithmetic as that of a graph's DequantizeLinear, so that the sums are the same to the last bit.
                Some(row) => vectors.extend(row.iter().map(|&byte| (i32::from(byte) - self.zero) as f32 * self.scale)),
                None => vectors.resize(vectors.len() + DIMENSION, 0.0),
            }
        }
        vectors
    }
}
