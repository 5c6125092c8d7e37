//! All settings with their types. Their defaults are in `defaults.toml`, and what holds beyond a type is in `rules`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::{Price, Strategy};

/// All settings, with their types. `docs/settings.md` says what each means.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The language model.
    pub llm: LlmConfig,
    /// By model name.
    pub prices: BTreeMap<String, Price>,
    /// What turns text into vectors.
    pub embed: EmbedConfig,
    /// How searches are done.
    pub search: SearchConfig,
    /// How documents are cut.
    pub chunk: ChunkConfig,
    /// How files are read.
    pub load: LoadConfig,
    /// How web pages are fetched.
    pub crawl: CrawlConfig,
    /// Sources beside the collections.
    pub sources: SourcesConfig,
    /// What goes for every connection.
    pub net: NetConfig,
    /// The limits of a run.
    pub agent: AgentConfig,
    /// What is kept of a run.
    pub journal: JournalConfig,
    /// What is remembered, and how it comes to mind.
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
    /// Empty: the preset's default.
    pub model: String,
    /// Empty: the preset's own.
    pub base_url: String,
    /// Name of a variable; empty: the preset's usual one.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// From 0 to 2.
    pub temperature: f64,
    /// Of one reply.
    pub max_output_tokens: u64,
    /// Requests under way at once.
    pub concurrency: usize,
    /// 0: no limit.
    pub requests_per_minute: u32,
    /// Requests sent after the first one failed.
    pub retries: u32,
    /// Seconds.
    pub connect_timeout_s: u64,
    /// Seconds.
    pub first_byte_timeout_s: u64,
    /// Seconds.
    pub idle_timeout_s: u64,
    /// Seconds; 0: no limit.
    pub call_timeout_s: u64,
    /// For `azure`.
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
    /// For `mock`.
    pub mock: MockConfig,
}

/// `[llm.plan]` and its siblings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurposeConfig {
    /// Empty: as for all calls.
    pub model: String,
    /// 0: as for all calls.
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
    /// Hits of the `search` command.
    pub k: usize,
    /// Of each half.
    pub candidates: usize,
    /// Against 1 for the keyword half.
    pub semantic_weight: f32,
    /// The re-ranker.
    pub rerank: RerankConfig,
    /// How many candidates it sees.
    pub rerank_top: usize,
    /// Against the fused score.
    pub rerank_weight: f32,
    /// How much of that is the best place of a passage.
    pub rerank_local: f32,
    /// How much of a score comes from the candidates most like a passage.
    pub neighbour_weight: f32,
    /// Of what a passage adds to those above it.
    pub coverage_weight: f32,
    /// How far a passage whose title a good hit names is moved up towards that hit.
    pub link_weight: f32,
    /// Whether `search` reads its first hits.
    pub reader: bool,
}

/// Which re-ranker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankConfig {
    /// As fused.
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
    /// A chunk's length.
    pub target_bytes: usize,
    /// What two neighbours share.
    pub overlap_bytes: usize,
}

/// `[load]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadConfig {
    /// MiB.
    pub max_file_mb: u64,
    /// MiB.
    pub in_flight_mb: u64,
    /// A program and its arguments; empty: none.
    pub ocr: Vec<String>,
    /// Seconds.
    pub ocr_timeout_s: u64,
    /// Of one archive, with all in it.
    pub archive_members: u64,
    /// MiB, unpacked.
    pub archive_mb: u64,
    /// Times its own length.
    pub archive_ratio: u64,
    /// 1: archives within archives are not read.
    pub archive_depth: u32,
    /// Milliseconds.
    pub watch_wait_ms: u64,
    /// A program and its arguments; empty: none.
    pub render: Vec<String>,
    /// Seconds.
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
    /// Whether it is asked at all.
    pub enabled: bool,
    /// The engine.
    pub provider: WebSearchProvider,
    /// Empty: the service's own.
    pub base_url: String,
    /// Name of a variable; empty: the service's usual one.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// Pages of one search.
    pub results: usize,
    /// Pages of one run.
    pub max_pages: usize,
    /// MiB of one page.
    pub max_page_mb: u64,
    /// MiB of one run.
    pub max_mb: u64,
    /// Seconds.
    pub timeout_s: u64,
    /// US dollars; 0: not known.
    pub usd_per_search: f64,
}

/// Which search engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WebSearchProvider {
    /// An instance of one's own.
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
    /// Whether nothing is asked over a network.
    pub offline: bool,
}

/// `[crawl]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrawlConfig {
    /// Steps from the pages that are named.
    pub depth: u32,
    /// How long a crawl may take; 0: as long as it takes.
    pub max_minutes: u64,
    /// Pages of one crawl.
    pub max_pages: u64,
    /// Pages whose URLs differ in their numbers only; 0: no limit.
    pub max_alike: u64,
    /// Between two requests to one host.
    pub delay_ms: u64,
    /// Requests to one host at once.
    pub per_host: usize,
    /// Empty: the program's own name and version.
    pub user_agent: String,
    /// Hosts, addresses and networks that need not be public.
    pub allow_addresses: Vec<String>,
    /// MiB of one page.
    pub max_page_mb: u64,
    /// Seconds for one page.
    pub timeout_s: u64,
    /// Seconds without a byte.
    pub idle_timeout_s: u64,
    /// Requests sent after the first one failed.
    pub retries: u32,
}

/// `[agent]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// What decides which step comes next.
    pub strategy: Strategy,
    /// 0: no limit.
    pub max_rounds: usize,
    /// 0: no limit.
    pub max_calls: u64,
    /// 0: no limit.
    pub max_tokens: u64,
    /// Seconds; 0: no limit.
    pub max_time_s: u64,
    /// US dollars; 0: no limit.
    pub max_usd: f64,
    /// Of one round.
    pub max_sub_queries: usize,
    /// Of one search.
    pub hits_per_query: usize,
    /// In one prompt.
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
    /// Of the strategy's own kind.
    pub max_rounds: usize,
    /// Model calls.
    pub max_calls: u64,
    /// In and out.
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
    /// Whether runs are kept at all.
    pub enabled: bool,
}

/// `[memory]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// Whether loads and questions use it.
    pub enabled: MemorySwitch,
    /// The weight with which an event comes to mind.
    pub k: f64,
    /// The unit of time.
    pub unit: MemoryUnit,
    /// Events for one question.
    pub most: usize,
}

/// Whether the memory is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemorySwitch {
    /// Everywhere but in continuous integration.
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
    /// Empty: the platform's data folder.
    pub data_dir: PathBuf,
    /// What keeps the collections.
    pub backend: StoreBackend,
    /// For `qdrant`: its gRPC port.
    pub url: String,
    /// Name of a variable; empty: none.
    pub api_key_env: String,
    /// A file; empty: none.
    pub api_key_file: PathBuf,
    /// Before the names of collections on the server.
    pub prefix: String,
    /// 0: the server's choice.
    pub shards: u32,
    /// Copies of each shard.
    pub replication_factor: u32,
    /// Copies that must have a write.
    pub write_consistency: u32,
    /// Seconds.
    pub connect_timeout_s: u64,
    /// Seconds.
    pub timeout_s: u64,
    /// Calls made after the first one failed.
    pub retries: u32,
    /// Seconds.
    pub takeover_s: u64,
}

/// What keeps the collections.
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
    /// Empty: the built-in prompts alone.
    pub folder: PathBuf,
}

impl Config {
    /// The variables that hold keys, as far as the settings name them.
    pub fn key_variables(&self) -> Vec<String> {
        let named =
            [&self.llm.api_key_env, &self.embed.api_key_env, &self.sources.web.api_key_env, &self.store.api_key_env];
        named.into_iter().filter(|name| !name.is_empty()).cloned().collect()
    }

    /// A path that may be unset, as an option.
    pub fn set_path(path: &Path) -> Option<&Path> {
        (!path.as_os_str().is_empty()).then_some(path)
    }

    /// A text that may be unset, as an option.
    pub fn set_text(text: &str) -> Option<&str> {
        (!text.is_empty()).then_some(text)
    }
}
