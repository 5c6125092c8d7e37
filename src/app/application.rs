//! The program as one value: its parts, each built when it is first asked for. The other files of this folder hold what
//! is done with them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use tokio::sync::{Mutex, OnceCell};

use super::{AppError, ChosenModel, backends, model, options};
use crate::base::{Clock, if_there};
use crate::config::{Config, StoreBackend, Surroundings};
use crate::domain::{Collection, DocumentFilter, SearchMode};
use crate::embed::Embedder;
use crate::read::GoOn;
use crate::retrieval::{Corpus, RetrievalError, SearchRequest};
use crate::store::qdrant::{QdrantStore, ServerReport};
use crate::store::{Store, StoreError};

/// The program's parts, each built when it is first asked for: a listing opens no model, and a refused setting makes
/// no folder.
pub struct App {
    config: Config,
    around: Surroundings,
    store: OnceCell<Arc<dyn Store>>,
    embedders: Mutex<BTreeMap<String, Option<Arc<dyn Embedder>>>>,
}

impl App {
    /// Keeps the settings, and builds nothing yet.
    pub fn new(config: Config, around: Surroundings) -> Self {
        App { config, around, store: OnceCell::new(), embedders: Mutex::default() }
    }

    /// The settings in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folder where relative paths start.
    pub fn cwd(&self) -> &Path {
        &self.around.cwd
    }

    /// The present time, or the one in `DEEPSEARCH_NOW` if that is set, so that a recorded run can be repeated.
    pub fn clock(&self) -> Result<Clock, AppError> {
        match self.around.variable("DEEPSEARCH_NOW") {
            None | Some("") => Ok(Clock::System),
            Some(value) => {
                let time = value.parse().map_err(|source| AppError::BadTime { value: value.to_owned(), source })?;
                Ok(Clock::Fixed(time))
            }
        }
    }

    /// The surroundings that settings come from.
    pub(super) fn around(&self) -> &Surroundings {
        &self.around
    }

    /// An environment variable.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.around.variable(name)
    }

    /// The options for cutting documents into chunks.
    pub fn chunk_options(&self) -> crate::documents::chunk::ChunkOptions {
        options::chunk_options(&self.config.chunk)
    }

    /// The folder where collections are kept. It need not exist.
    pub fn data_dir(&self) -> Result<PathBuf, AppError> {
        let platform = || self.around.data_dir.as_ref().map(|folder| folder.join("deepsearch"));
        let configured = Config::set_path(&self.config.store.data_dir).map(PathBuf::from);
        let path = configured.or_else(platform).ok_or(AppError::NoDataFolder)?;
        if path.is_file() {
            return Err(AppError::DataFolderIsFile { path });
        }
        Ok(path)
    }

    /// The folder or server where the collections are, for messages.
    pub fn store_place(&self) -> Result<PathBuf, AppError> {
        match self.config.store.backend {
            StoreBackend::Embedded => self.data_dir(),
            StoreBackend::Qdrant => Ok(PathBuf::from(&self.config.store.url)),
        }
    }

    /// The store; its folder is created if it is missing.
    pub async fn store(&self) -> Result<Arc<dyn Store>, AppError> {
        let open = || async { self.open_store(self.config.store.backend) };
        self.store.get_or_try_init(open).await.cloned()
    }

    /// Opens a store of one kind, as the settings have it.
    pub(super) fn open_store(&self, backend: StoreBackend) -> Result<Arc<dyn Store>, AppError> {
        match backend {
            StoreBackend::Embedded => Ok(backends::open_embedded(&self.data_dir()?)?),
            StoreBackend::Qdrant => {
                self.require_server_allowed()?;
                Ok(Arc::new(backends::open_qdrant(&self.config.store, &self.around)?))
            }
        }
    }

    /// Refuses what needs the network if the program is offline.
    pub(super) fn require_online(&self, what: &str) -> Result<(), AppError> {
        match self.config.net.offline {
            true => Err(AppError::Offline { what: what.to_owned() }),
            false => Ok(()),
        }
    }

    /// Refuses to ask a server when offline, unless it is on this machine.
    fn require_server_allowed(&self) -> Result<(), AppError> {
        match QdrantStore::is_on_this_machine(&self.config.store.url) {
            true => Ok(()),
            false => self.require_online("the Qdrant server"),
        }
    }

    /// The server's report on itself; `None` if the collections are kept without a server.
    pub async fn server_report(&self) -> Result<Option<ServerReport>, AppError> {
        match self.config.store.backend {
            StoreBackend::Embedded => Ok(None),
            StoreBackend::Qdrant => {
                self.require_server_allowed()?;
                Ok(Some(backends::open_qdrant(&self.config.store, &self.around)?.report().await?))
            }
        }
    }

    /// The store, or `None` if nothing was ever loaded. Creates no folder, so that a question without any documents
    /// leaves nothing behind.
    pub async fn existing_store(&self) -> Result<Option<Arc<dyn Store>>, AppError> {
        if self.config.store.backend == StoreBackend::Qdrant {
            return self.store().await.map(Some);
        }
        let data_dir = self.data_dir()?;
        let entries = if_there(std::fs::read_dir(&data_dir)).map_err(|source| StoreError::Io {
            action: "cannot read the data folder",
            path: data_dir,
            source,
        })?;
        let holds_something = entries.is_some_and(|mut entries| entries.next().is_some());
        if holds_something { self.store().await.map(Some) } else { Ok(None) }
    }

    /// All collections, by name; none if nothing was ever loaded.
    pub async fn collections(&self) -> Result<Vec<Collection>, AppError> {
        match self.existing_store().await? {
            Some(store) => Ok(store.collections().await?),
            None => Ok(Vec::new()),
        }
    }

    /// The embedder for new collections.
    pub async fn configured_embedder(&self) -> Result<Option<Arc<dyn Embedder>>, AppError> {
        self.named_embedder(&self.config.embed.embedder).await
    }

    /// The embedder with this name; an error if the name means none.
    pub async fn embedder_of_states(&self, name: &str) -> Result<Arc<dyn Embedder>, AppError> {
        let opened = self.named_embedder(name).await?;
        opened.ok_or_else(|| RetrievalError::NoEmbedder.into())
    }

    pub(super) async fn named_embedder(&self, name: &str) -> Result<Option<Arc<dyn Embedder>>, AppError> {
        let data_dir = self.data_dir()?;
        let mut embedders = self.embedders.lock().await;
        if let Some(known) = embedders.get(name) {
            return Ok(known.clone());
        }
        let dimension = if backends::is_remote(name) { self.known_dimension(name).await? } else { None };
        let opened = backends::open_embedder(name, &data_dir, &self.config, &self.around, dimension).await?;
        embedders.insert(name.to_owned(), opened.clone());
        Ok(opened)
    }

    /// The dimension of the vectors that an embedder made before, so that its endpoint need not be asked.
    async fn known_dimension(&self, name: &str) -> Result<Option<usize>, AppError> {
        let made = self.collections().await?.into_iter().filter_map(|collection| collection.embedder);
        Ok(made.filter(|identity| identity.name == name).map(|identity| identity.dimension).next())
    }

    /// Everything that can be searched in `collections` (empty: all). The embedder is the one that made the vectors,
    /// whatever the settings say about new collections; none is opened if there are no vectors.
    pub async fn corpus(&self, collections: &[String]) -> Result<Corpus, AppError> {
        let (store, searched) = self.searched(collections).await?;
        let made_by: BTreeSet<&str> =
            searched.iter().filter_map(|one| one.embedder.as_ref()).map(|identity| identity.name.as_str()).collect();
        let embedder = match made_by.iter().copied().collect::<Vec<_>>().as_slice() {
            [] => None,
            [name] => self.named_embedder(name).await?,
            several => {
                let names = several.iter().map(|name| (*name).to_owned()).collect();
                return Err(AppError::SeveralEmbedders { names });
            }
        };
        let answers = self.answers_of(&searched)?;
        Ok(Corpus::new(store, embedder, options::search_options(&self.config.search)).with_answers(answers))
    }

    /// As [`App::corpus`], searched by keywords alone: no embedder is opened.
    pub async fn keyword_corpus(&self, collections: &[String]) -> Result<Corpus, AppError> {
        let (store, _) = self.searched(collections).await?;
        Ok(Corpus::new(store, None, options::search_options(&self.config.search)))
    }

    /// The store and the collections with these names (empty: all); an error if there is no collection.
    pub(super) async fn searched(&self, collections: &[String]) -> Result<(Arc<dyn Store>, Vec<Collection>), AppError> {
        let Some(store) = self.existing_store().await? else {
            return Err(AppError::NoCollections { place: self.store_place()? });
        };
        let searched = named(&store, collections).await?;
        if searched.is_empty() {
            return Err(AppError::NoCollections { place: self.store_place()? });
        }
        Ok((store, searched))
    }

    /// The store that should hold the collection `name`; an error if nothing was ever loaded.
    pub async fn store_with(&self, name: &str) -> Result<Arc<dyn Store>, AppError> {
        let missing = || StoreError::NoCollection { name: name.to_owned(), nearest: Vec::new() };
        Ok(self.existing_store().await?.ok_or_else(missing)?)
    }

    /// A separate store for measurements, searched with the settings in force. It is in a temporary folder unless
    /// `kept` names one.
    pub async fn scratch(&self, kept: Option<&Path>) -> Result<Scratch, AppError> {
        let (path, folder) = match kept {
            Some(path) => (path.to_owned(), None),
            None => {
                let folder = temporary_folder()?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let store = backends::open_embedded(&path)?;
        let embedder = self.configured_embedder().await?;
        let corpus = Corpus::new(store, embedder, options::search_options(&self.config.search));
        Ok(Scratch { corpus, _folder: folder })
    }

    /// Restricts a corpus to the documents that the filter admits. A filter that excludes all of them is an error,
    /// since otherwise the documents would seem to hold nothing.
    pub(super) async fn restricted(
        &self,
        corpus: Corpus,
        collections: &[String],
        filter: &DocumentFilter,
    ) -> Result<Corpus, AppError> {
        if filter.admits_all() {
            return Ok(corpus);
        }
        let store = corpus.store();
        if store.count_documents(collections, filter).await? == 0 {
            let documents = store.count_documents(collections, &DocumentFilter::default()).await?;
            return Err(AppError::FilterExcludesAll { filter: filter.clone(), documents });
        }
        Ok(corpus.within(filter.clone()))
    }

    /// Makes one search in the documents that the filter admits. Its hits are read as long as `go_on` allows.
    pub async fn search(
        &self,
        request: SearchRequest,
        filter: DocumentFilter,
        go_on: GoOn,
    ) -> Result<Vec<crate::domain::Hit>, AppError> {
        let corpus = match request.mode {
            SearchMode::Keyword => self.keyword_corpus(&request.collections).await?,
            SearchMode::Semantic | SearchMode::Hybrid => self.corpus(&request.collections).await?,
        };
        let corpus = self.restricted(corpus, &request.collections, &filter).await?;
        Ok(corpus.search_and_read(&request, go_on).await?)
    }

    /// The model that the settings name. No request is made.
    pub fn model(&self) -> Result<ChosenModel, AppError> {
        model::choose(&self.config, &self.around)
    }
}

/// A store that is removed when this value is dropped, unless its folder is kept.
pub struct Scratch {
    /// Everything in the store.
    pub corpus: Corpus,
    /// The folder, removed with everything in it when this is dropped; `None` for a store that is kept.
    _folder: Option<TempDir>,
}

/// The collections with these names; all if there are no names.
pub(super) async fn named(store: &Arc<dyn Store>, names: &[String]) -> Result<Vec<Collection>, StoreError> {
    if names.is_empty() {
        return store.collections().await;
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        found.push(store.collection(name).await?);
    }
    Ok(found)
}

/// Creates a folder that is removed when the returned value is dropped.
pub(super) fn temporary_folder() -> Result<TempDir, StoreError> {
    tempfile::tempdir().map_err(|source| StoreError::Io {
        action: "cannot make a temporary folder in",
        path: std::env::temp_dir(),
        source,
    })
}
