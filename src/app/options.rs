//! Turns the settings into the options of each part.

use std::sync::Arc;
use std::time::Duration;

use super::AppError;
use crate::agent::{AgentOptions, Limits, StrategyLimits};
use crate::config::{
    AgentConfig, ChunkConfig, Config, CrawlConfig, LimitsConfig, LlmConfig, MemoryConfig, MemoryUnit, RerankConfig,
    SearchConfig, StoreConfig,
};
use crate::documents::archive::ArchiveLimits;
use crate::documents::chunk::ChunkOptions;
use crate::ingest::{LoadOptions, OcrOptions};
use crate::memory::MemoryOptions;
use crate::memory::recall::TimeUnit;
use crate::net::web::{AllowedAddresses, WebOptions};
use crate::net::{HttpOptions, Retry};
use crate::retrieval::{Rerank, SearchOptions};
use crate::sources::WebSearchOptions;
use crate::sources::web::CrawlOptions;
use crate::store::qdrant::QdrantOptions;

/// `[store]` as a server's store takes it, without the key.
pub(super) fn qdrant_options(config: &StoreConfig) -> QdrantOptions {
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

/// `[llm]`: the timeouts for an endpoint; and from `[net]` whether any may be asked.
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
        reader: config.reader,
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

/// The longest time of a crawl; `None` if there is no limit.
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

/// `[crawl]` as the client for web pages takes it, with what `[load]` and `[net]` add.
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

/// `[agent]` and its strategies: the limits of a run.
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

/// `[agent]`: the strategy and the sizes of a run.
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
pub fn limit<N: PartialEq + Default>(value: N) -> Option<N> {
    (value != N::default()).then_some(value)
}

/// `[load]`: the program that reads pages that are pictures, if one is set.
fn ocr_options(settings: &Config) -> Option<OcrOptions> {
    let config = &settings.load;
    let options = OcrOptions {
        command: config.ocr.clone(),
        timeout: Duration::from_secs(config.ocr_timeout_s),
        // A program's output may be no larger than a file.
        max_output_bytes: usize::try_from(config.max_file_mb << 20).unwrap_or(usize::MAX),
        secret_variables: settings.key_variables(),
    };
    (!options.command.is_empty()).then_some(options)
}

/// Checks that the options structs have the same defaults as the settings.
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
        // A key cannot be compared, so the printed forms are.
        let (set, default) = (qdrant_options(&defaults().store), QdrantOptions::default());
        assert_eq!(format!("{set:?}"), format!("{default:?}"));
    }

    #[test]
    fn zero_switches_a_limit_off() {
        assert_eq!((limit(0u64), limit(3u64), limit(0.0), limit(0.5)), (None, Some(3), None, Some(0.5)));
    }
}
