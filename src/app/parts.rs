//! The concrete parts, each from its settings. Everything that names a backend is in this file and in `model`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::AppError;
use crate::agent::{AgentOptions, Limits};
use crate::config::{AgentConfig, ChunkConfig, RerankConfig, SearchConfig};
use crate::embed::{EmbedOptions, Embedder};
use crate::ingest::chunk::ChunkOptions;
use crate::retrieval::{Rerank, SearchOptions};
use crate::store::Store;
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};

/// Opens the store in `data_dir`, making the folder.
pub(super) fn open_store(data_dir: &Path) -> Result<Arc<dyn Store>, AppError> {
    Ok(Arc::new(EmbeddedStore::open(data_dir, &EmbeddedOptions::default())?))
}

/// Opens an embedder by name; `None` for `none`. Fetched models are kept beside the collections.
pub(super) fn open_embedder(name: &str, data_dir: &Path) -> Result<Option<Arc<dyn Embedder>>, AppError> {
    Ok(crate::embed::open(name, &EmbedOptions { models_dir: data_dir.join("models") })?)
}

/// `[search]` as the retrieval takes it.
pub(super) fn search_options(config: &SearchConfig) -> SearchOptions {
    SearchOptions {
        candidates: config.candidates,
        semantic_weight: config.semantic_weight,
        rerank: match config.rerank {
            RerankConfig::None => Rerank::None,
            RerankConfig::Late => Rerank::Late,
        },
        rerank_top: config.rerank_top,
        rerank_weight: config.rerank_weight,
        coverage_weight: config.coverage_weight,
    }
}

/// `[chunk]` as the pipeline takes it.
pub(super) fn chunk_options(config: &ChunkConfig) -> ChunkOptions {
    ChunkOptions { target_bytes: config.target_bytes, overlap_bytes: config.overlap_bytes }
}

/// `[agent]`: when a run must stop.
pub(super) fn limits(config: &AgentConfig) -> Limits {
    Limits {
        max_rounds: limit(config.max_rounds).unwrap_or(usize::MAX),
        max_calls: limit(config.max_calls),
        max_tokens: limit(config.max_tokens),
        max_time: limit(config.max_time_s).map(Duration::from_secs),
        max_usd: limit(config.max_usd),
    }
}

/// `[agent]`: how a run goes about it.
pub(super) fn agent_options(config: &AgentConfig) -> AgentOptions {
    AgentOptions {
        max_sub_queries: config.max_sub_queries,
        hits_per_query: config.hits_per_query,
        evidence_tokens: config.evidence_tokens,
        ..AgentOptions::default()
    }
}

/// A limit that 0 switches off.
pub(super) fn limit<N: PartialEq + Default>(value: N) -> Option<N> {
    (value != N::default()).then_some(value)
}

/// Holds the defaults of the options structs to the defaults of the settings.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Settings, SettingsRequest};

    fn defaults() -> Config {
        Settings::load(&SettingsRequest::default()).unwrap().config
    }

    #[test]
    fn options_structs_default_to_what_the_settings_say() {
        assert_eq!(search_options(&defaults().search), SearchOptions::default());
        assert_eq!(chunk_options(&defaults().chunk), ChunkOptions::default());
        assert_eq!(limits(&defaults().agent), Limits::default());
        assert_eq!(agent_options(&defaults().agent), AgentOptions::default());
    }

    #[test]
    fn zero_switches_a_limit_off() {
        assert_eq!((limit(0u64), limit(3u64), limit(0.0), limit(0.5)), (None, Some(3), None, Some(0.5)));
    }
}
