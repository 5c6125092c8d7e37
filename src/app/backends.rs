//! Opens the concrete stores and embedders that the settings name.

use std::path::Path;
use std::sync::Arc;

use super::AppError;
use super::options::{http_options, qdrant_options, retry};
use crate::config::{Config, StoreConfig, Surroundings};
use crate::embed::openai::OpenAiEmbedOptions;
use crate::embed::{EmbedOptions, Embedder};
use crate::net::LimitOptions;
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::qdrant::{QdrantOptions, QdrantStore};
use crate::store::{Store, StoreError};

/// The variable that usually holds OpenAI's key.
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// Opens the store in `folder`, and creates it if it is missing.
pub(super) fn open_embedded(folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(EmbeddedStore::open(folder, &EmbeddedOptions::default())?))
}

/// Opens the store on the server that the settings name; the server is not asked anything yet.
pub(super) fn open_qdrant(config: &StoreConfig, around: &Surroundings) -> Result<QdrantStore, AppError> {
    let key = super::model::key(&config.api_key_env, &config.api_key_file, None, around)?;
    if key.is_none()
        && let Some(variable) = Config::set_text(&config.api_key_env)
    {
        return Err(AppError::NoStoreKey { looked_at: variable.to_owned() });
    }
    Ok(QdrantStore::open(QdrantOptions { key: key.map(|(key, _source)| key), ..qdrant_options(config) })?)
}

/// Whether the embedder with this name answers at an endpoint.
pub(super) fn is_remote(name: &str) -> bool {
    name.starts_with(crate::embed::openai::PREFIX)
}

/// Opens an embedder by name; `None` for `none`. Downloaded models are kept beside the collections. `dimension` is the
/// length of its vectors, if a collection records it.
pub(super) async fn open_embedder(
    name: &str,
    data_dir: &Path,
    config: &Config,
    around: &Surroundings,
    dimension: Option<usize>,
) -> Result<Option<Arc<dyn Embedder>>, AppError> {
    if config.net.offline && is_remote(name) {
        return Err(AppError::Offline { what: format!("the embedder {name}") });
    }
    let endpoint = match is_remote(name) {
        true => OpenAiEmbedOptions { dimension, ..embed_endpoint(config, around)? },
        false => OpenAiEmbedOptions::default(),
    };
    Ok(crate::embed::open(
        name,
        &EmbedOptions { models_dir: data_dir.join("models"), endpoint, offline: config.net.offline },
    )
    .await?)
}

/// The options from `[embed]`, with the timeouts and retries of `[llm]`. OpenAI's usual key is sent to OpenAI alone:
/// another address gets only a key that was named for it.
fn embed_endpoint(config: &Config, around: &Surroundings) -> Result<OpenAiEmbedOptions, AppError> {
    let (embed, defaults) = (&config.embed, OpenAiEmbedOptions::default());
    let base_url = Config::set_text(&embed.base_url);
    let own = super::model::is_own_address(base_url, Some(&defaults.base_url), &[]);
    let usual = own.then_some(OPENAI_KEY);
    let key = super::model::key(&embed.api_key_env, &embed.api_key_file, usual, around)?;
    if key.is_none() && (usual.is_some() || Config::set_text(&embed.api_key_env).is_some()) {
        let looked_at = Config::set_text(&embed.api_key_env).unwrap_or(OPENAI_KEY).to_owned();
        return Err(AppError::NoEmbedKey { looked_at });
    }
    Ok(OpenAiEmbedOptions {
        base_url: base_url.map_or(defaults.base_url, str::to_owned),
        key: key.map(|(key, _source)| key),
        http: http_options(config),
        retry: retry(&config.llm),
        limits: LimitOptions { concurrency: Some(config.llm.concurrency), per_minute: None },
        dimension: None,
    })
}
