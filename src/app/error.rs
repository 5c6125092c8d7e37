//! The errors of a job, by the part that failed; `cli` turns them into words, hints and exit codes.

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

/// An error in a job, or while its parts are built.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The settings cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The load failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The re-embedding failed; what was already embedded is kept.
    #[error(transparent)]
    Reembed(#[from] ReembedError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The register of sources cannot be read or written.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The records of crawls cannot be read or written.
    #[error(transparent)]
    Crawls(CrawlError),
    /// The folders cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// There is nothing to refresh.
    #[error("nothing was loaded yet, so there is nothing to refresh")]
    NoSources,
    /// No source has this name.
    #[error("`{asked}` is no source")]
    NoSource {
        /// The name as asked.
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
    /// A key is named, and nothing says which service it belongs to.
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
    /// A variable is named for the server's key, but holds none.
    #[error("the store's server needs a key, and {looked_at} holds none")]
    NoStoreKey {
        /// The variable.
        looked_at: String,
    },
    /// A copied document differs from its original.
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
    /// A limit on money is set, but the price of the model is not known.
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
        /// The work of the thread.
        what: &'static str,
        /// The reason.
        source: tokio::task::JoinError,
    },
    /// Neither a setting nor the platform names a data folder.
    #[error("there is no home folder to keep collections in")]
    NoDataFolder,
    /// The path of the data folder is a file.
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
    /// A search was restricted to documents of which there are none.
    #[error("the filter ({filter}) excludes all of the {documents} documents")]
    FilterExcludesAll {
        /// The filter as asked.
        filter: DocumentFilter,
        /// The number of documents in the collections.
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
        /// What was asked for.
        what: String,
    },
    /// Web search is asked for, but switched off.
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
    /// A list of addresses has an invalid entry.
    #[error("crawl.allow_addresses cannot be used: {source}")]
    AllowedAddresses {
        /// The invalid entry.
        source: BadAddress,
    },
    /// Earlier answers are to be compared, but none is kept.
    #[error("a question is watched by its earlier run, and the settings keep none")]
    NoJournal,
    /// A report of an earlier version, or one without its record.
    #[error("the report does not say when it was written and what it answers, so what is new since cannot be told")]
    NotDated,
    /// A report without its list of sources.
    #[error("the report has no list of sources, so nothing can be added to it")]
    NoSourceList,
    /// A question is to follow a report whose run is not kept, or that has no record.
    #[error("the run that wrote the report is not known here, so nobody knows what the question follows")]
    RunUnknown,
    /// None of the documents that the report cites is here.
    #[error("none of the documents that the report cites is here, so nobody knows what they say now")]
    NoneCitedHere,
    /// The documents that were loaded since cannot be written as a search filter.
    #[error("the documents that were loaded since cannot be searched alone: {0}")]
    ManyNew(BadPattern),
    /// `DEEPSEARCH_NOW` does not hold a time.
    #[error("DEEPSEARCH_NOW is `{value}`, which is no time: {source}")]
    BadTime {
        /// The value as set.
        value: String,
        /// What is wrong with it.
        source: jiff::Error,
    },
}
