//! The concrete parts, each from its settings. Everything that names a backend is in this file and in `model`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::AppError;
use crate::agent::{AgentOptions, Limits, StrategyLimits};
use crate::config::{
    AgentConfig, ChunkConfig, Config, CrawlConfig, LimitsConfig, LlmConfig, MemoryConfig, MemoryUnit, RerankConfig,
    SearchConfig, StoreConfig, Surroundings,
};
use crate::documents::archive::ArchiveLimits;
use crate::documents::chunk::ChunkOptions;
use crate::embed::openai::OpenAiEmbedOptions;
use crate::embed::{EmbedOptions, Embedder};
use crate::ingest::{LoadOptions, OcrOptions};
use crate::memory::MemoryOptions;
use crate::memory::recall::TimeUnit;
use crate::net::web::{AllowedAddresses, WebOptions};
use crate::net::{HttpOptions, LimitOptions, Retry};
use crate::retrieval::{Rerank, SearchOptions};
use crate::sources::WebSearchOptions;
use crate::sources::web::CrawlOptions;
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::qdrant::{QdrantOptions, QdrantStore};
use crate::store::{Store, StoreError};

/// The variable that usually holds OpenAI's key.
const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// Opens the store in `data_dir`, making the folder.
pub(super) fn open_embedded(data_dir: &Path) -> Result<Arc<dyn Store>, AppError> {
    Ok(Arc::new(EmbeddedStore::open(data_dir, &EmbeddedOptions::default())?))
}

/// Opens a store in `folder` that lives no longer than what asks for it.
pub(super) fn open_index(folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(EmbeddedStore::open(folder, &EmbeddedOptions::default())?))
}

/// Opens the store on the server that the settings name; nothing is asked of it yet.
pub(super) fn open_qdrant(config: &StoreConfig, around: &Surroundings) -> Result<QdrantStore, AppError> {
    let key = super::model::key(&config.api_key_env, &config.api_key_file, None, around)?;
    if key.is_none()
        && let Some(variable) = Config::set_text(&config.api_key_env)
    {
        return Err(AppError::NoStoreKey { looked_at: variable.to_owned() });
    }
    Ok(QdrantStore::open(QdrantOptions { key: key.map(|(key, _source)| key), ..qdrant_options(config) })?)
}

/// `[store]` as a server's store takes it, without the key.
fn qdrant_options(config: &StoreConfig) -> QdrantOptions {
    QdrantOptions {
        url: config.url.clone(),
        prefix: config.prefix.clone(),
        shards: config.shards,
        replication_factor: config.replication_factor,
        write_consistency: config.write_consistency,
        timeout: Duration::from_secs(config.timeout_s),
        connect_timeout: Duration::from_secs(config.connect_timeout_s),
        retries: config.retries,
        patience: Duration::from_secs(config.takeover_s),
        ..QdrantOptions::default()
    }
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

/// `[embed]`, and of `[llm]` how long to wait and how often to try. OpenAI's usual key is sent to OpenAI alone: another
/// address gets only a key that was named for it.
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

/// `[llm]`: how long to wait for an endpoint; and whether any may be asked.
pub(super) fn http_options(config: &Config) -> HttpOptions {
    let llm = &config.llm;
    HttpOptions {
        connect_timeout: Duration::from_secs(llm.connect_timeout_s),
        first_byte_timeout: Duration::from_secs(llm.first_byte_timeout_s),
        idle_timeout: Duration::from_secs(llm.idle_timeout_s),
        offline: config.net.offline,
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
        neighbour_weight: config.neighbour_weight,
        coverage_weight: config.coverage_weight,
        link_weight: config.link_weight,
    }
}

/// `[chunk]` as the pipeline takes it.
pub(super) fn chunk_options(config: &ChunkConfig) -> ChunkOptions {
    ChunkOptions { target_bytes: config.target_bytes, overlap_bytes: config.overlap_bytes }
}

/// `[crawl]` as a crawl takes it.
pub(super) fn crawl_options(config: &CrawlConfig) -> CrawlOptions {
    CrawlOptions {
        depth: config.depth,
        max_pages: config.max_pages,
        max_alike: config.max_alike,
        delay: Duration::from_millis(config.delay_ms),
        per_host: config.per_host,
        ..CrawlOptions::default()
    }
}

/// How long a crawl may take.
pub(super) fn crawl_time(config: &CrawlConfig) -> Option<Duration> {
    (config.max_minutes > 0).then(|| Duration::from_secs(config.max_minutes.saturating_mul(60)))
}

/// `[chunk]` and `[load]` as the pipeline takes them.
pub(super) fn load_options(settings: &Config) -> LoadOptions {
    let config = &settings.load;
    LoadOptions {
        chunk: chunk_options(&settings.chunk),
        max_file_bytes: config.max_file_mb << 20,
        archives: ArchiveLimits {
            members: config.archive_members,
            bytes: config.archive_mb << 20,
            ratio: config.archive_ratio,
            depth: config.archive_depth,
            file_bytes: config.max_file_mb << 20,
        },
        in_flight_bytes: config.in_flight_mb << 20,
        ocr: ocr_options(settings).map(Arc::new),
        ..LoadOptions::default()
    }
}

/// `[crawl]` as the client for pages takes it, with what `[load]` and `[net]` add.
pub(super) fn web_options(settings: &Config) -> Result<WebOptions, AppError> {
    let config = &settings.crawl;
    let defaults = WebOptions::default();
    let allowed =
        AllowedAddresses::parse(&config.allow_addresses).map_err(|source| AppError::AllowedAddresses { source })?;
    Ok(WebOptions {
        user_agent: Config::set_text(&config.user_agent).map_or(defaults.user_agent, str::to_owned),
        allowed,
        max_body_bytes: usize::try_from(config.max_page_mb << 20).unwrap_or(usize::MAX),
        idle_timeout: Duration::from_secs(config.idle_timeout_s),
        total_timeout: Duration::from_secs(config.timeout_s),
        retry: Retry { attempts: config.retries + 1, ..Retry::default() },
        offline: settings.net.offline,
        render: settings.load.render.clone(),
        render_timeout: Duration::from_secs(settings.load.render_timeout_s),
        secret_variables: settings.key_variables(),
        ..defaults
    })
}

/// `[sources.web]`: how much of the web a run reads.
pub(super) fn web_search_options(config: &Config) -> WebSearchOptions {
    let web = &config.sources.web;
    WebSearchOptions {
        results: web.results,
        max_pages: web.max_pages,
        max_bytes: web.max_mb << 20,
        timeout: Duration::from_secs(web.timeout_s),
        usd_per_search: limit(web.usd_per_search),
        chunk: chunk_options(&config.chunk),
        ..WebSearchOptions::default()
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

/// `[load]`: what reads pages that are pictures, where there is such a program.
fn ocr_options(settings: &Config) -> Option<OcrOptions> {
    let config = &settings.load;
    let options = OcrOptions {
        command: config.ocr.clone(),
        timeout: Duration::from_secs(config.ocr_timeout_s),
        // No program reads more from a file than a file may hold.
        max_output_bytes: usize::try_from(config.max_file_mb << 20).unwrap_or(usize::MAX),
        secret_variables: settings.key_variables(),
    };
    (!options.command.is_empty()).then_some(options)
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
        assert_eq!(load_options(&defaults()), LoadOptions::default());
        assert_eq!(crawl_options(&defaults().crawl), CrawlOptions::default());
        assert_eq!(chunk_options(&defaults().chunk), ChunkOptions::default());
        assert_eq!(web_options(&defaults()).expect("good addresses"), WebOptions::default());
        assert_eq!(web_search_options(&defaults()), WebSearchOptions::default());
        assert_eq!(limits(&defaults().agent), StrategyLimits::default());
        assert_eq!(agent_options(&defaults().agent), AgentOptions::default());
        assert_eq!(memory_options(&defaults().memory), MemoryOptions::default());
        // A key has no equality.
        let (set, default) = (qdrant_options(&defaults().store), QdrantOptions::default());
        assert_eq!(format!("{set:?}"), format!("{default:?}"));
    }

    #[test]
    fn zero_switches_a_limit_off() {
        assert_eq!((limit(0u64), limit(3u64), limit(0.0), limit(0.5)), (None, Some(3), None, Some(0.5)));
    }
}
