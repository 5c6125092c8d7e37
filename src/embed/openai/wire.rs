//! The requests to the endpoint and its replies.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A request.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    pub(super) model: &'a str,
    pub(super) input: &'a [String],
}

/// A reply.
#[derive(Debug, Deserialize)]
pub(super) struct Vectors {
    data: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    /// The index of the text; endpoints that omit it keep the order.
    index: Option<usize>,
    #[serde(deserialize_with = "vector")]
    embedding: Vec<f32>,
}

impl Vectors {
    /// The vectors of `count` texts in the order of the texts, or what is wrong with them.
    pub(super) fn in_order(self, count: usize) -> Result<Vec<Vec<f32>>, String> {
        if self.data.len() != count {
            return Err(format!("{} vectors for {count} texts", self.data.len()));
        }
        let mut ordered: Vec<Option<Vec<f32>>> = vec![None; count];
        for (nth, entry) in self.data.into_iter().enumerate() {
            let index = entry.index.unwrap_or(nth);
            match ordered.get_mut(index) {
                Some(place @ None) => *place = Some(entry.embedding),
                Some(Some(_)) => return Err(format!("two vectors for text {index}")),
                None => return Err(format!("a vector for text {index} of {count}")),
            }
        }
        let vectors: Vec<Vec<f32>> = ordered.into_iter().flatten().collect();
        match vectors.iter().position(|vector| vector.is_empty() || vector.iter().any(|value| !value.is_finite())) {
            Some(bad) if vectors[bad].is_empty() => Err(format!("the vector of text {bad} is empty")),
            Some(bad) => Err(format!("the vector of text {bad} holds values that are no numbers")),
            None => Ok(vectors),
        }
    }
}

/// A vector as a list of numbers, or as the base64 of its 32-bit little-endian bytes.
fn vector<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => {
            let bytes = STANDARD.decode(&text).map_err(D::Error::custom)?;
            let (values, rest) = bytes.as_chunks::<4>();
            match rest {
                [] => Ok(values.iter().map(|value| f32::from_le_bytes(*value)).collect()),
                _ => {
                    Err(D::Error::custom(format!("an embedding of {} bytes is no whole number of values", bytes.len())))
                }
            }
        }
        list => Vec::<f32>::deserialize(list).map_err(D::Error::custom),
    }
}
