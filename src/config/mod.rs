//! Settings: which exist, where each value comes from, and why a value cannot be used.
//!
//! The default file (`defaults.toml`, compiled in) is the only source of defaults, and it defines which keys exist and
//! the type of each. Layers of a higher rank override it key by key: the user's file, the project's file, environment
//! variables, flags. Every layer is checked against the default file when it is read, so that an error names the file
//! and line, the variable or the flag. `docs/settings.md` explains each setting, and `config.example.toml` is the
//! commented file that a user starts from; tests keep both consistent with the defaults.
//!
//! Anybody may have written the project's file: what it may set without the user's trust is listed in `harmless`.

mod error;
mod harmless;
mod layer;
mod locate;
mod rules;
mod schema;
mod settings;
mod template;
mod trust;

pub use error::ConfigError;
pub use layer::{Flag, Origin};
pub use locate::{PROJECT_FILE, Surroundings, USER_FILE};
pub use rules::PROVIDERS;
pub use schema::{
    AgentConfig, ChunkConfig, Config, CrawlConfig, EmbedConfig, JournalConfig, LimitsConfig, LlmConfig, LoadConfig,
    MemoryConfig, MemorySwitch, MemoryUnit, MockConfig, NetConfig, PromptsConfig, PurposeConfig, RerankConfig,
    SearchConfig, SourcesConfig, StoreBackend, StoreConfig, WebSearchConfig, WebSearchProvider,
};
pub use settings::{FileRole, NAMING, Project, Refused, Setting, Settings, SettingsFile, SettingsRequest};
pub use template::{DEFAULT, EXAMPLE, template, write_template};
pub use trust::{TrustState, TrustedFile, trusted_files, untrust};
