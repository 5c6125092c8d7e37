//! What goes wrong in a job, by the part that failed; `cli` turns it into words, hints and exit codes.

use std::path::PathBuf;

use crate::agent::{AgentError, JournalError};
use crate::config::ConfigError;
use crate::domain::{BadPattern, DocumentFilter};
use crate::embed::EmbedError;
use crate::form::FormError;
use crate::ingest::register::RegisterError;
use crate::ingest::watch::WatchError;
use crate::ingest::{LoadError, ReembedError};
use crate::llm::LlmError;
use crate::llm::mock::ScriptError;
use crate::llm::openai::OpenAiError;
use crate::memory::MemoryError;
use crate::net::SecretError;
use crate::net::web::{BadAddress, WebError};
use crate::prompt::PromptError;
use crate::retrieval::RetrievalError;
use crate::sources::web::CrawlError;
use crate::store::StoreError;
use crate::verify::VerifyError;

/// What goes wrong in a job, or while its parts are built.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The load failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The re-embedding failed; what was embedded is kept.
    #[error(transparent)]
    Reembed(#[from] ReembedError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is known of the sources cannot be read or written.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// What is kept of crawls cannot be read or written.
    #[error(transparent)]
    Crawls(CrawlError),
    /// The folders cannot be followed.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// There is nothing to refresh.
    #[error("nothing was loaded yet, so there is nothing to refresh")]
    NoSources,
    /// No source has this name.
    #[error("`{asked}` is no source")]
    NoSource {
        /// As asked.
        asked: String,
    },
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The memory failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A search failed.
    #[error(transparent)]
    Retrieval(#[from] RetrievalError),
    /// The model failed.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// A model's client cannot be made.
    #[error(transparent)]
    Client(#[from] OpenAiError),
    /// A key cannot be read.
    #[error(transparent)]
    Key(#[from] SecretError),
    /// A mock script cannot be used.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A key is named, and nothing says which service it opens.
    #[error("llm.api_key_env or llm.api_key_file names a key, and llm.provider does not say whose it is")]
    KeyWithoutProvider,
    /// The chosen service needs a key and none is set.
    #[error("{provider} needs a key, and {looked_at} holds none")]
    NoKey {
        /// The service.
        provider: String,
        /// The variable or the file.
        looked_at: String,
    },
    /// The chosen service's usual key would go to an address that is not the service's.
    #[error("{variable}, the usual key of {provider}, is not sent to {address}, which is not an address of {provider}")]
    KeyElsewhere {
        /// The service.
        provider: String,
        /// The variable of its usual key.
        variable: &'static str,
        /// As configured.
        address: String,
    },
    /// The embedder's endpoint needs a key and none is set.
    #[error("the embedder needs a key, and {looked_at} holds none")]
    NoEmbedKey {
        /// The variable.
        looked_at: String,
    },
    /// A variable is named for the server's key and holds none.
    #[error("the store's server needs a key, and {looked_at} holds none")]
    NoStoreKey {
        /// The variable.
        looked_at: String,
    },
    /// A copy is not what it was copied from.
    #[error("the copy of `{path}` in the collection `{collection}` is not the same: {reason}")]
    NotCopied {
        /// The collection.
        collection: String,
        /// The document.
        path: String,
        /// What differs.
        reason: &'static str,
    },
    /// A setting that the chosen service needs is not set.
    #[error("{provider} needs the setting {key}")]
    MissingSetting {
        /// The service.
        provider: String,
        /// The dotted name.
        key: &'static str,
    },
    /// A limit on money is set, and what the model costs is not known.
    #[error("a limit on money needs the price of the model `{model}`")]
    NoPrice {
        /// The model's name.
        model: String,
    },
    /// A report cannot be checked.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The report cannot be put into another form.
    #[error(transparent)]
    Form(#[from] FormError),
    /// A thread ended before its work was done.
    #[error("{what} was broken off: {source}")]
    Stopped {
        /// Its work.
        what: &'static str,
        /// Why.
        source: tokio::task::JoinError,
    },
    /// Neither a setting nor the platform says where data goes.
    #[error("there is no home folder to keep collections in")]
    NoDataFolder,
    /// The data folder's path is something else.
    #[error("the data folder {path} is a file")]
    DataFolderIsFile {
        /// As configured.
        path: PathBuf,
    },
    /// Nothing was loaded yet.
    #[error("there is no collection in {place} yet")]
    NoCollections {
        /// Where they would be.
        place: PathBuf,
    },
    /// A search was restricted to documents that there are none of.
    #[error("the filter ({filter}) excludes all of the {documents} documents")]
    FilterExcludesAll {
        /// As asked.
        filter: DocumentFilter,
        /// How many documents the collections have.
        documents: u64,
    },
    /// The collections to search were made by different embedders.
    #[error("the collections were embedded with {}: one search cannot use them all", names.join(" and "))]
    SeveralEmbedders {
        /// Their names.
        names: Vec<String>,
    },
    /// An answer model cannot be used.
    #[error(transparent)]
    Answer(#[from] super::AnswerStoreError),
    /// The research failed.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A run's journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The prompts cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// Something that needs the network was asked for by name.
    #[error("{what} cannot be asked: the program is offline (net.offline or --offline)")]
    Offline {
        /// What.
        what: String,
    },
    /// Web search is asked for and switched off.
    #[error("`web` stands for web search, which is switched off, and no collection has that name")]
    WebOff,
    /// A collection has the name of web search.
    #[error("a collection is named `web`, which stands for web search (sources.web.enabled)")]
    WebIsCollection,
    /// The web search engine's key is not set.
    #[error("web search with {provider} needs a key, and {looked_at} holds none")]
    NoWebKey {
        /// The engine.
        provider: &'static str,
        /// The variable.
        looked_at: String,
    },
    /// The client for web pages cannot be made.
    #[error(transparent)]
    Web(#[from] WebError),
    /// A list of addresses that holds something else.
    #[error("crawl.allow_addresses cannot be used: {source}")]
    AllowedAddresses {
        /// The entry.
        source: BadAddress,
    },
    /// Earlier answers are to be compared, and none is kept.
    #[error("a question is watched by its earlier run, and the settings keep none")]
    NoJournal,
    /// A report of an earlier version, or one without its record.
    #[error("the report does not say when it was written and what it answers, so what is new since cannot be told")]
    NotDated,
    /// A report from which the sources were taken.
    #[error("the report has no list of sources, so nothing can be added to it")]
    NoSourceList,
    /// A question is to follow a report whose run is not kept, or that has no record.
    #[error("the run that wrote the report is not known here, so nobody knows what the question follows")]
    RunUnknown,
    /// A report on other documents than those that there are.
    #[error("none of the documents that the report cites is here, so nobody knows what they say now")]
    NoneCitedHere,
    /// The documents that were loaded since cannot be named to a search.
    #[error("the documents that were loaded since cannot be searched alone: {0}")]
    ManyNew(BadPattern),
    /// The time that is to be taken for the present is none.
    #[error("DEEPSEARCH_NOW is `{value}`, which is no time: {source}")]
    BadTime {
        /// As set.
        value: String,
        /// What is wrong with it.
        source: jiff::Error,
    },
}
