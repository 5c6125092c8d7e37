//! Models behind an endpoint that offers OpenAI's `/embeddings`.
//!
//! A collection must know the length of its vectors from the start, but only the model determines it. If no collection
//! has it yet, one request with a short text finds it out; every later vector must have that length.

mod wire;

use std::ops::Range;

use async_trait::async_trait;
use futures::future::try_join_all;

use self::wire::{Body, Vectors};
use super::family::Family;
use super::{EmbedError, Embedder, QueryVectors, Text};
use crate::base::text::estimate_tokens;
use crate::domain::{ChunkVectors, EmbedderIdentity, Language};
use crate::net::{
    Auth, HttpClient, HttpOptions, JsonPost, LimitOptions, Limiter, NetError, Retry, Secret, shown_url, with_retry,
};

/// The prefix of these models' names in the config.
pub const PREFIX: &str = "openai:";

/// The base URL of these models, unless the options give another.
pub const BASE_URL: &str = "https://api.openai.com/v1";

/// The most texts in one request; endpoints that limit their number accept at least as many.
const MOST_TEXTS: usize = 96;
/// The most tokens in one request, by estimate; OpenAI accepts 300,000.
const MOST_TOKENS: u64 = 200_000;
/// The most bytes of one text. Far beyond any chunk of the usual size, and within the 8,191 tokens that OpenAI's models
/// read.
const MOST_BYTES: usize = 24 * 1024;

/// How to reach an endpoint.
#[derive(Clone, Debug)]
pub struct OpenAiEmbedOptions {
    /// The URL up to `/embeddings`, without it.
    pub base_url: String,
    /// The key; `None` if none is needed.
    pub key: Option<Secret>,
    /// The length of a vector, if a collection has it; `None` asks the endpoint.
    pub dimension: Option<usize>,
    /// Timeouts and sizes.
    pub http: HttpOptions,
    /// When to retry.
    pub retry: Retry,
    /// Limits on concurrent requests and on requests per minute.
    pub limits: LimitOptions,
}

impl Default for OpenAiEmbedOptions {
    fn default() -> Self {
        OpenAiEmbedOptions {
            base_url: BASE_URL.to_owned(),
            key: None,
            dimension: None,
            http: HttpOptions::default(),
            retry: Retry::default(),
            limits: LimitOptions { concurrency: Some(4), per_minute: None },
        }
    }
}

/// A model behind an endpoint, as an [`Embedder`]. It gives no token states.
pub struct OpenAiEmbedder {
    identity: EmbedderIdentity,
    family: Family,
    client: Client,
}

/// Everything that a request needs.
struct Client {
    /// The name in the config, for errors.
    name: String,
    model: String,
    url: String,
    auth: Auth,
    http: HttpClient,
    retry: Retry,
    limiter: Limiter,
}

impl OpenAiEmbedder {
    /// Opens a model by the endpoint's name for it. Makes one request with a short text if the options do not give the
    /// length of its vectors.
    pub async fn open(model: &str, options: &OpenAiEmbedOptions) -> Result<Self, EmbedError> {
        let name = format!("{PREFIX}{model}");
        let http = HttpClient::new(options.http.clone())
            .map_err(|error| EmbedError::Load { model: name.clone(), reason: error.to_string() })?;
        let client = Client {
            name: name.clone(),
            model: model.to_owned(),
            url: format!("{}/embeddings", options.base_url.trim_end_matches('/')),
            auth: options.key.clone().map_or(Auth::None, Auth::Bearer),
            http,
            retry: options.retry,
            limiter: Limiter::new(options.limits),
        };
        let dimension = match options.dimension {
            Some(dimension) => dimension,
            None => client.request(&["dimension".to_owned()], None, 0).await?.iter().map(Vec::len).sum(),
        };
        let family = Family::of(model);
        let passage_prefix = family.passage_prefix.to_owned();
        let identity = EmbedderIdentity { name, dimension, passage_prefix, states: String::new() };
        Ok(OpenAiEmbedder { identity, family, client })
    }

    async fn embed(&self, prefix: &str, texts: Vec<Text>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = texts.into_iter().map(|text| fit(prefix, &text.text)).collect();
        let requests = batches(&texts)
            .into_iter()
            .enumerate()
            .map(|(nth, range)| self.client.request(&texts[range], Some(self.identity.dimension), nth as u64));
        Ok(try_join_all(requests).await?.concat())
    }
}

impl Client {
    /// The vectors of the texts, each of length 1, in the order of the texts. Each must have `dimension` values, if
    /// given.
    async fn request(
        &self,
        texts: &[String],
        dimension: Option<usize>,
        salt: u64,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let _permit = self.limiter.acquire().await;
        let body = Body { model: &self.model, input: texts };
        let sent = with_retry(self.retry.backoff(salt), || async {
            let post = JsonPost { url: &self.url, auth: &self.auth, accept: "application/json", body: &body };
            self.http.post_json(post).await?.json::<Vectors>().await
        });
        let vectors = sent.await.map_err(|(error, attempts)| self.failed(&error, attempts))?;
        let mut vectors = vectors
            .in_order(texts.len())
            .map_err(|reason| self.run(format!("cannot use the reply of {}: {reason}", shown_url(&self.url))))?;
        let expected = dimension.or_else(|| vectors.first().map(Vec::len)).unwrap_or_default();
        for vector in &mut vectors {
            if vector.len() != expected {
                let (model, found) = (self.name.clone(), vector.len());
                return Err(EmbedError::Dimension { model, expected, found });
            }
            super::l2_normalize(vector);
        }
        Ok(vectors)
    }

    fn run(&self, reason: String) -> EmbedError {
        EmbedError::Run { model: self.name.clone(), reason }
    }

    fn failed(&self, error: &NetError, attempts: u32) -> EmbedError {
        let key = match (error, &self.auth) {
            (NetError::Status { status: 401 | 403, .. }, Auth::None) => {
                " (no key was sent: see embed.api_key_env and embed.api_key_file)"
            }
            _ => "",
        };
        match attempts {
            1 => self.run(format!("{error}{key}")),
            _ => self.run(format!("{error} ({attempts} attempts){key}")),
        }
    }
}

/// A text as sent: with its prefix, cut to what endpoints read, and never empty, since endpoints refuse empty texts.
fn fit(prefix: &str, text: &str) -> String {
    let text = if text.trim().is_empty() { "-" } else { text };
    let cut = &text[..text.floor_char_boundary(MOST_BYTES)];
    format!("{prefix}{cut}")
}

/// The ranges of texts for each request: as few requests as the limits allow, of about the same number of texts.
fn batches(texts: &[String]) -> Vec<Range<usize>> {
    let requests = texts.len().div_ceil(MOST_TEXTS).max(1);
    let most = texts.len().div_ceil(requests);
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(requests);
    let mut tokens = 0;
    for (index, text) in texts.iter().enumerate() {
        let own = estimate_tokens(text);
        match ranges.last_mut() {
            Some(range) if range.len() < most && tokens + own <= MOST_TOKENS => {
                range.end = index + 1;
                tokens += own;
            }
            _ => {
                ranges.push(index..index + 1);
                tokens = own;
            }
        }
    }
    ranges
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, language: Language) -> bool {
        self.family.languages.contain(language)
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        let vectors = self.embed(self.family.passage_prefix, texts).await?;
        Ok(vectors.into_iter().map(ChunkVectors::without_states).collect())
    }

    async fn queries(&self, texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        let vectors = self.embed(self.family.query_prefix, texts).await?;
        Ok(vectors.into_iter().map(QueryVectors::without_states).collect())
    }
}

#[cfg(test)]
mod tests;
