use super::{DIMENSION, ModelError};

/// The bytes before the first row: the scale and the zero point, 4 bytes each, little-endian.
const HEAD: usize = 8;

/// A vector for every token, one byte per value. It is kept apart from the models' graphs, so that the binary contains
/// it once for all of them.
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

    /// The number of tokens that have a vector.
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / DIMENSION
    }

    /// The vectors of some tokens, one after another; zeros for an id outside the table.
    pub(crate) fn vectors(&self, ids: &[i32]) -> Vec<f32> {
        let mut vectors = Vec::with_capacity(ids.len() * DIMENSION);
        for &id in ids {
            let row = usize::try_from(id).ok().and_then(|id| self.rows.chunks_exact(DIMENSION).nth(id));
            match row {
                // The same arithmetic as a graph's DequantizeLinear, so that the sums are identical to the last bit.
                Some(row) => vectors.extend(row.iter().map(|&byte| (i32::from(byte) - self.zero) as f32 * self.scale)),
                None => vectors.resize(vectors.len() + DIMENSION, 0.0),
            }
        }
        vectors
    }
}
