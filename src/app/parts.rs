//! The concrete parts, each from its settings. Everything that names a backend is in this file and in `model`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::AppError;
use crate::agent::{AgentOptions, Limits, StrategyLimits};
use crate::config::{
    AgentConfig, ChunkConfig, Config, LimitsConfig, LlmConfig, LoadConfig, MemoryConfig, MemoryUnit, RerankConfig,
    SearchConfig, Surroundings,
};
use crate::embed::openai::OpenAiEmbedOptions;
use crate::embed::{EmbedOptions, Embedder};
use crate::ingest::LoadOptions;
use crate::ingest::chunk::ChunkOptions;
use crate::ingest::source::archive::ArchiveLimits;
use crate::memory::MemoryOptions;
use crate::memory::recall::TimeUnit;
use crate::net::{HttpOptions, LimitOptions, Retry};
use crate::retrieval::{Rerank, SearchOptions};
use crate::store::Store;
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};

/// The variable that usually holds OpenAI's key.
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// Opens the store in `data_dir`, making the folder.
pub(super) fn open_store(data_dir: &Path) -> Result<Arc<dyn Store>, AppError> {
    Ok(Arc::new(EmbeddedStore::open(data_dir, &EmbeddedOptions::default())?))
}

/// Whether the embedder of a name answers at an endpoint.
pub(super) fn is_remote(name: &str) -> bool {
    name.starts_with(crate::embed::openai::PREFIX)
}

/// Opens an embedder by name; `None` for `none`. Fetched models are kept beside the collections. `dimension` is what a
/// collection knows of its vectors.
pub(super) async fn open_embedder(
    name: &str,
    data_dir: &Path,
    config: &Config,
    around: &Surroundings,
    dimension: Option<usize>,
) -> Result<Option<Arc<dyn Embedder>>, AppError> {
    let endpoint = match is_remote(name) {
        true => OpenAiEmbedOptions { dimension, ..embed_endpoint(config, around)? },
        false => OpenAiEmbedOptions::default(),
    };
    Ok(crate::embed::open(name, &EmbedOptions { models_dir: data_dir.join("models"), endpoint }).await?)
}

/// `[embed]`, and of `[llm]` how long to wait and how often to try. OpenAI's usual key is sent to OpenAI alone: another
/// address gets only a key that was named for it.
fn embed_endpoint(config: &Config, around: &Surroundings) -> Result<OpenAiEmbedOptions, AppError> {
    let (embed, defaults) = (&config.embed, OpenAiEmbedOptions::default());
    let base_url = Config::set_text(&embed.base_url);
    let usual = base_url.is_none().then_some(OPENAI_KEY);
    let key = super::model::key(&embed.api_key_env, &embed.api_key_file, usual, around)?;
    if key.is_none() && (usual.is_some() || Config::set_text(&embed.api_key_env).is_some()) {
        let looked_at = Config::set_text(&embed.api_key_env).unwrap_or(OPENAI_KEY).to_owned();
        return Err(AppError::NoEmbedKey { looked_at });
    }
    Ok(OpenAiEmbedOptions {
        base_url: base_url.map_or(defaults.base_url, str::to_owned),
        key: key.map(|(key, _source)| key),
        http: http_options(&config.llm),
        retry: retry(&config.llm),
        limits: LimitOptions { concurrency: Some(config.llm.concurrency), per_minute: None },
        dimension: None,
    })
}

/// `[llm]`: how long to wait for an endpoint.
pub(super) fn http_options(config: &LlmConfig) -> HttpOptions {
    HttpOptions {
        connect_timeout: Duration::from_secs(config.connect_timeout_s),
        first_byte_timeout: Duration::from_secs(config.first_byte_timeout_s),
        idle_timeout: Duration::from_secs(config.idle_timeout_s),
        ..HttpOptions::default()
    }
}

/// `[llm]`: how often a request is sent again.
pub(super) fn retry(config: &LlmConfig) -> Retry {
    Retry { attempts: config.retries + 1, ..Retry::default() }
}

/// `[search]` as the retrieval takes it.
pub(super) fn search_options(config: &SearchConfig) -> SearchOptions {
    SearchOptions {
        candidates: config.candidates,
        semantic_weight: config.semantic_weight,
        rerank: match config.rerank {
            RerankConfig::None => Rerank::None,
            RerankConfig::Late => Rerank::Late,
            RerankConfig::Answer => Rerank::Answer,
            RerankConfig::LateAnswer => Rerank::LateAnswer,
        },
        rerank_top: config.rerank_top,
        rerank_weight: config.rerank_weight,
        rerank_local: config.rerank_local,
        coverage_weight: config.coverage_weight,
        link_weight: config.link_weight,
    }
}

/// `[chunk]` as the pipeline takes it.
pub(super) fn chunk_options(config: &ChunkConfig) -> ChunkOptions {
    ChunkOptions { target_bytes: config.target_bytes, overlap_bytes: config.overlap_bytes }
}

/// `[chunk]` and `[load]` as the pipeline takes them.
pub(super) fn load_options(chunk: &ChunkConfig, config: &LoadConfig) -> LoadOptions {
    LoadOptions {
        chunk: chunk_options(chunk),
        max_file_bytes: config.max_file_mb << 20,
        archives: ArchiveLimits {
            members: config.archive_members,
            bytes: config.archive_mb << 20,
            ratio: config.archive_ratio,
            depth: config.archive_depth,
            file_bytes: config.max_file_mb << 20,
        },
        in_flight_bytes: config.in_flight_mb << 20,
        ..LoadOptions::default()
    }
}

/// `[agent]` and its strategies: when a run must end.
pub(super) fn limits(config: &AgentConfig) -> StrategyLimits {
    let limits = |config: &LimitsConfig| Limits {
        max_rounds: limit(config.max_rounds),
        max_calls: limit(config.max_calls),
        max_tokens: limit(config.max_tokens),
        max_time: limit(config.max_time_s).map(Duration::from_secs),
        max_usd: limit(config.max_usd),
    };
    let common = LimitsConfig {
        max_rounds: config.max_rounds,
        max_calls: config.max_calls,
        max_tokens: config.max_tokens,
        max_time_s: config.max_time_s,
        max_usd: config.max_usd,
    };
    StrategyLimits {
        common: limits(&common),
        deep: limits(&config.deep),
        react: limits(&config.react),
        chain: limits(&config.chain),
        naive: limits(&config.naive),
    }
}

/// `[agent]`: how a run goes about it.
pub(super) fn agent_options(config: &AgentConfig) -> AgentOptions {
    AgentOptions {
        strategy: config.strategy,
        max_sub_queries: config.max_sub_queries,
        hits_per_query: config.hits_per_query,
        evidence_tokens: config.evidence_tokens,
        ..AgentOptions::default()
    }
}

/// `[memory]` as the memory takes it.
pub(super) fn memory_options(config: &MemoryConfig) -> MemoryOptions {
    let unit = match config.unit {
        MemoryUnit::Hours => TimeUnit::Hours,
        MemoryUnit::Days => TimeUnit::Days,
        MemoryUnit::Weeks => TimeUnit::Weeks,
        MemoryUnit::Months => TimeUnit::Months,
        MemoryUnit::Years => TimeUnit::Years,
    };
    MemoryOptions { k: config.k, unit, most: config.most }
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
        assert_eq!(load_options(&defaults().chunk, &defaults().load), LoadOptions::default());
        assert_eq!(chunk_options(&defaults().chunk), ChunkOptions::default());
        assert_eq!(limits(&defaults().agent), StrategyLimits::default());
        assert_eq!(agent_options(&defaults().agent), AgentOptions::default());
        assert_eq!(memory_options(&defaults().memory), MemoryOptions::default());
    }

    #[test]
    fn zero_switches_a_limit_off() {
        assert_eq!((limit(0u64), limit(3u64), limit(0.0), limit(0.5)), (None, Some(3), None, Some(0.5)));
    }
}
