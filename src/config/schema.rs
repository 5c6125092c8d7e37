//! All settings with their types. Their defaults are in `defaults.toml`, and further conditions in `rules`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::{Price, Strategy};

/// All settings, with their types. `docs/settings.md` explains each.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The language model.
    pub llm: LlmConfig,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// The embedder, which turns text into vectors.
    pub embed: EmbedConfig,
    /// How searches are done.
    pub search: SearchConfig,
    /// How documents are cut into chunks.
    pub chunk: ChunkConfig,
    /// How files are read.
    pub load: LoadConfig,
    /// How web pages are fetched.
    pub crawl: CrawlConfig,
    /// Sources other than the collections.
    pub sources: SourcesConfig,
    /// What applies to every connection.
    pub net: NetConfig,
    /// The limits of a run.
    pub agent: AgentConfig,
    /// What is kept of a run.
    pub journal: JournalConfig,
    /// What is remembered, and when it comes to mind.
    pub memory: MemoryConfig,
    /// Where collections are kept.
    pub store: StoreConfig,
    /// Where prompts come from.
    pub prompts: PromptsConfig,
}

/// `[llm]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmConfig {
    /// A preset's name, `custom`, `extractive`, `mock` or `auto`.
    pub provider: String,
    /// The model's name; empty: the preset's default.
    pub model: String,
    /// The base URL; empty: the preset's own.
    pub base_url: String,
    /// The name of a variable; empty: the preset's usual one.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// From 0 to 2.
    pub temperature: f64,
    /// The most tokens of one reply.
    pub max_output_tokens: u64,
    /// The most concurrent requests.
    pub concurrency: usize,
    /// 0: no limit.
    pub requests_per_minute: u32,
    /// The number of retries after a failed request.
    pub retries: u32,
    /// Seconds.
    pub connect_timeout_s: u64,
    /// Seconds.
    pub first_byte_timeout_s: u64,
    /// Seconds.
    pub idle_timeout_s: u64,
    /// Seconds; 0: no limit.
    pub call_timeout_s: u64,
    /// The API version, for `azure`.
    pub azure_api_version: String,
    /// For calls that plan.
    pub plan: PurposeConfig,
    /// For calls that reflect.
    pub reflect: PurposeConfig,
    /// For calls that choose the next tool.
    pub act: PurposeConfig,
    /// For calls that answer one question of a chain.
    pub follow: PurposeConfig,
    /// For calls that choose a strategy.
    pub choose: PurposeConfig,
    /// For calls that write.
    pub write: PurposeConfig,
    /// For calls that describe a collection.
    pub describe: PurposeConfig,
    /// For calls that write questions to train on.
    pub quiz: PurposeConfig,
    /// The settings of `mock`.
    pub mock: MockConfig,
}

/// `[llm.plan]` and its siblings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurposeConfig {
    /// The model's name; empty: as for all calls.
    pub model: String,
    /// The most tokens of one reply; 0: as for all calls.
    pub max_output_tokens: u64,
}

/// `[llm.mock]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MockConfig {
    /// The file of replies.
    pub script: PathBuf,
}

/// `[embed]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedConfig {
    /// `minilm`, `none`, `fastembed:MODEL`, `openai:MODEL` or `causal:FOLDER`.
    pub embedder: String,
    /// For `openai:MODEL`; empty: OpenAI's.
    pub base_url: String,
    /// For `openai:MODEL`; empty: `OPENAI_API_KEY` at OpenAI's address, and none at another.
    pub api_key_env: String,
    /// For `openai:MODEL`; empty: none.
    pub api_key_file: PathBuf,
}

/// `[search]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// The number of hits of the `search` command.
    pub k: usize,
    /// The number of candidates of each half of a search.
    pub candidates: usize,
    /// The weight of the semantic half, against 1 for the keyword half.
    pub semantic_weight: f32,
    /// The re-ranker.
    pub rerank: RerankConfig,
    /// The number of candidates that are re-ranked.
    pub rerank_top: usize,
    /// The weight of the re-ranker against the fused score.
    pub rerank_weight: f32,
    /// The share of the best local match of a passage in the re-ranker's score.
    pub rerank_local: f32,
    /// The share of a score that comes from the candidates most similar to a passage.
    pub neighbour_weight: f32,
    /// The weight of what a passage adds to those ranked above it.
    pub coverage_weight: f32,
    /// How far a passage is moved up towards a good hit that names its title.
    pub link_weight: f32,
    /// Whether `search` uses the reader on its first hits.
    pub reader: bool,
}

/// The re-rankers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankConfig {
    /// None: the fused order is kept.
    None,
    /// Late interaction.
    Late,
    /// The answer score, in collections with an active answer model.
    Answer,
    /// Both.
    #[serde(rename = "late+answer")]
    LateAnswer,
}

/// `[chunk]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkConfig {
    /// The length of a chunk in bytes.
    pub target_bytes: usize,
    /// The overlap of two neighbouring chunks in bytes.
    pub overlap_bytes: usize,
}

/// `[load]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadConfig {
    /// The largest file, in MiB.
    pub max_file_mb: u64,
    /// The most file content processed at once, in MiB.
    pub in_flight_mb: u64,
    /// The OCR program and its arguments; empty: none.
    pub ocr: Vec<String>,
    /// The time limit of OCR in seconds.
    pub ocr_timeout_s: u64,
    /// The most members of one archive, including those of archives in it.
    pub archive_members: u64,
    /// The most that an archive may unpack to, in MiB.
    pub archive_mb: u64,
    /// The most that an archive may unpack to, as a multiple of its length.
    pub archive_ratio: u64,
    /// How deep archives are read; 1: archives within archives are not read.
    pub archive_depth: u32,
    /// Milliseconds.
    pub watch_wait_ms: u64,
    /// The rendering program and its arguments; empty: none.
    pub render: Vec<String>,
    /// The time limit of rendering in seconds.
    pub render_timeout_s: u64,
}

/// `[sources]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourcesConfig {
    /// The web.
    pub web: WebSearchConfig,
}

/// `[sources.web]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebSearchConfig {
    /// Whether the web is searched.
    pub enabled: bool,
    /// The engine.
    pub provider: WebSearchProvider,
    /// The base URL; empty: the service's own.
    pub base_url: String,
    /// The name of a variable; empty: the service's usual one.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// The most pages of one search.
    pub results: usize,
    /// The most pages of one run.
    pub max_pages: usize,
    /// The largest page, in MiB.
    pub max_page_mb: u64,
    /// The most data of one run, in MiB.
    pub max_mb: u64,
    /// Seconds.
    pub timeout_s: u64,
    /// The price in US dollars; 0: nothing, or not known.
    pub usd_per_search: f64,
}

/// The search engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebSearchProvider {
    /// The user's own instance.
    Searxng,
    /// A service.
    Brave,
    /// A service.
    Tavily,
    /// A service.
    Serper,
}

/// `[net]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
    /// Whether all network access is off.
    pub offline: bool,
}

/// `[crawl]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrawlConfig {
    /// The number of links followed from the given pages.
    pub depth: u32,
    /// The longest duration of a crawl in minutes; 0: no limit.
    pub max_minutes: u64,
    /// The most pages of one crawl.
    pub max_pages: u64,
    /// The most pages whose URLs differ only in their numbers; 0: no limit.
    pub max_alike: u64,
    /// The delay between two requests to one host, in milliseconds.
    pub delay_ms: u64,
    /// The most concurrent requests to one host.
    pub per_host: usize,
    /// The user agent; empty: the program's own name and version.
    pub user_agent: String,
    /// Hosts, addresses and networks that need not be public.
    pub allow_addresses: Vec<String>,
    /// The largest page, in MiB.
    pub max_page_mb: u64,
    /// The time limit of one page in seconds.
    pub timeout_s: u64,
    /// The longest time without a byte, in seconds.
    pub idle_timeout_s: u64,
    /// The number of retries after a failed request.
    pub retries: u32,
}

/// `[agent]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The strategy, which decides the next step.
    pub strategy: Strategy,
    /// The most rounds; 0: no limit.
    pub max_rounds: usize,
    /// The most model calls; 0: no limit.
    pub max_calls: u64,
    /// The most tokens; 0: no limit.
    pub max_tokens: u64,
    /// Seconds; 0: no limit.
    pub max_time_s: u64,
    /// US dollars; 0: no limit.
    pub max_usd: f64,
    /// The most searches of one round.
    pub max_sub_queries: usize,
    /// The most hits of one search.
    pub hits_per_query: usize,
    /// The most tokens of evidence in one prompt.
    pub evidence_tokens: u64,
    /// Limits of this strategy.
    pub deep: LimitsConfig,
    /// Limits of this strategy.
    pub react: LimitsConfig,
    /// Limits of this strategy.
    pub chain: LimitsConfig,
    /// Limits of this strategy.
    pub naive: LimitsConfig,
}

/// `[agent.deep]` and its siblings; 0: as under `[agent]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Rounds, as the strategy defines them.
    pub max_rounds: usize,
    /// Model calls.
    pub max_calls: u64,
    /// Tokens in and out.
    pub max_tokens: u64,
    /// Seconds.
    pub max_time_s: u64,
    /// US dollars.
    pub max_usd: f64,
}

/// `[journal]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalConfig {
    /// Whether runs are kept.
    pub enabled: bool,
}

/// `[memory]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether loads and questions use the memory.
    pub enabled: MemorySwitch,
    /// An event comes to mind if its weight is at least this.
    pub k: f64,
    /// The unit of time.
    pub unit: MemoryUnit,
    /// The most events recalled for one question.
    pub most: usize,
}

/// Whether the memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySwitch {
    /// Everywhere except in continuous integration.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// The unit of time in which the memory fades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryUnit {
    /// 3,600 seconds.
    Hours,
    /// 24 hours.
    Days,
    /// Seven days.
    Weeks,
    /// A twelfth of a year.
    Months,
    /// 365.2425 days.
    Years,
}

/// `[store]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreConfig {
    /// The data folder; empty: the platform's.
    pub data_dir: PathBuf,
    /// The backend of the collections.
    pub backend: StoreBackend,
    /// The URL of the server's gRPC port, for `qdrant`.
    pub url: String,
    /// The name of a variable; empty: none.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// The prefix of the names of collections on the server.
    pub prefix: String,
    /// The number of shards; 0: the server's choice.
    pub shards: u32,
    /// The number of copies of each shard.
    pub replication_factor: u32,
    /// The number of copies that must confirm a write.
    pub write_consistency: u32,
    /// Seconds.
    pub connect_timeout_s: u64,
    /// Seconds.
    pub timeout_s: u64,
    /// The number of retries after a failed call.
    pub retries: u32,
    /// The time in seconds for which another machine's unfinished load may stall before it is undone.
    pub takeover_s: u64,
}

/// The backends of the collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreBackend {
    /// Files in the data folder.
    Embedded,
    /// A Qdrant server or cluster.
    Qdrant,
}

/// `[prompts]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptsConfig {
    /// The folder of prompts; empty: only the built-in ones.
    pub folder: PathBuf,
}

impl Config {
    /// The variables that hold keys, if the settings name them.
    pub fn key_variables(&self) -> Vec<String> {
        let named =
            [&self.llm.api_key_env, &self.embed.api_key_env, &self.sources.web.api_key_env, &self.store.api_key_env];
        named.into_iter().filter(|name| !name.is_empty()).cloned().collect()
    }

    /// A path setting as an option; `None` if it is empty.
    pub fn set_path(path: &Path) -> Option<&Path> {
        (!path.as_os_str().is_empty()).then_some(path)
    }

    /// A text setting as an option; `None` if it is empty.
    pub fn set_text(text: &str) -> Option<&str> {
        (!text.is_empty()).then_some(text)
    }
}
