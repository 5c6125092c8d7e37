//! Settings: what can be set, where each value comes from, and what is wrong with one that cannot be used.
//!
//! The default file (`defaults.toml`, compiled in) is the only place from which a default is taken, and it defines which
//! keys exist and which type each has. Layers of a higher rank override it key by key: the user's file, the project's
//! file, environment variables, flags. Every layer is checked against the default file as it is read, so an error names
//! the file and line, the variable or the flag. `docs/settings.md` says what each setting means, and
//! `config.example.toml` is the commented file that a user starts from; tests hold both to the defaults.
//!
//! The project's file is anybody's: what it may set without the user's trust is a list in `harmless`.

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
pub use trust::{Standing, TrustedFile, trusted_files, untrust};
