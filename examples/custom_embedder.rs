//! An embedder of your own: anything that turns text into vectors of one length can stand behind the search.
//!
//! This one hashes words into 256 counters, which finds shared words and nothing more; put your model in its place.
//! Run it with `cargo run --example custom_embedder`.

use async_trait::async_trait;
use deepsearch::base::text::{Language, analysis};
use deepsearch::domain::{ChunkVectors, EmbedderIdentity};
use deepsearch::embed::{EmbedError, Embedder, QueryVectors};

struct HashedWords {
    identity: EmbedderIdentity,
}

impl HashedWords {
    fn new() -> Self {
        HashedWords {
            identity: EmbedderIdentity {
                name: "hashed-words".to_owned(),
                dimension: 256,
                passage_prefix: String::new(),
                states: String::new(),
            },
        }
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut counts = vec![0f32; self.identity.dimension];
        for term in analysis::terms(text, Language::ENGLISH) {
            let bucket = term.text.bytes().fold(5381usize, |hash, byte| hash.wrapping_mul(33) ^ usize::from(byte));
            counts[bucket % self.identity.dimension] += 1.0;
        }
        let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        counts.iter().map(|count| count / length).collect()
    }
}

#[async_trait]
impl Embedder for HashedWords {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, _language: Language) -> bool {
        true
    }

    async fn passages(&self, texts: Vec<String>) -> Result<Vec<ChunkVectors>, EmbedError> {
        Ok(texts.iter().map(|text| ChunkVectors { embedding: self.vector(text), states: Vec::new() }).collect())
    }

    async fn queries(&self, texts: Vec<String>) -> Result<Vec<QueryVectors>, EmbedError> {
        Ok(texts.iter().map(|text| QueryVectors { embedding: self.vector(text), states: Vec::new() }).collect())
    }

    fn max_sim(&self, _query: &QueryVectors, _states: &[u8]) -> Vec<f32> {
        Vec::new()
    }
}
