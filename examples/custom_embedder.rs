//! An embedder of your own: the search can use anything that turns text into vectors of one length.
//!
//! This one hashes words into 256 counters, which finds shared words and nothing more. Put your model in its place. Run
//! it with `cargo run --example custom_embedder`.

use std::sync::Arc;

use async_trait::async_trait;
use deepsearch::base::text::{Language, analysis};
use deepsearch::domain::{ChunkVectors, EmbedderIdentity, SearchMode};
use deepsearch::embed::{EmbedError, Embedder, QueryVectors, Text};
use deepsearch::ingest::{LoadRequest, load};
use deepsearch::retrieval::{Corpus, SearchOptions, SearchRequest};
use deepsearch::store::Store;
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use tokio_util::sync::CancellationToken;

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

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        Ok(texts.iter().map(|text| ChunkVectors::without_states(self.vector(&text.text))).collect())
    }

    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        Ok(texts.iter().map(|text| QueryVectors::without_states(self.vector(&text.text))).collect())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(folder.path(), &EmbeddedOptions::default())?);
    let embedder: Arc<dyn Embedder> = Arc::new(HashedWords::new());
    let request = LoadRequest {
        paths: vec!["examples/simpsons".into()],
        cwd: std::env::current_dir()?,
        ..LoadRequest::default()
    };
    load(Arc::clone(&store), Some(Arc::clone(&embedder)), &request, &|_| {}, CancellationToken::new()).await?;

    let corpus = Corpus::new(store, Some(embedder), SearchOptions::default());
    let search = SearchRequest {
        query: "Who wrote the music?".to_owned(),
        collections: Vec::new(),
        mode: SearchMode::Hybrid,
        k: 3,
    };
    for hits in corpus.search(&[search]).await {
        for hit in hits? {
            report(&format!("{:.2}  {}  {}\n", hit.score, hit.chunk.title, hit.snippet()))?;
        }
    }
    Ok(())
}

fn report(line: &str) -> std::io::Result<()> {
    std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())
}
