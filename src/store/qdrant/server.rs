//! The server as this store uses it: creates and drops collections of points, and changes the records of collections.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    CollectionExistsRequest, Condition, CreateCollection, CreateFieldIndexCollection, Distance, FieldType, Filter,
    HnswConfigDiff, QuantizationConfig, QuantizationType, ScalarQuantization, SparseVectorConfig, SparseVectorParams,
    VectorParams, VectorParamsMap, VectorsConfig, quantization_config, vectors_config,
};

use super::QdrantOptions;
use super::client::Client;
use super::counts::Kept;
use super::layout::{DAY, KIND, LANGUAGE, MEANING, PATH, PATH_SUFFIXES, VERSION, WORDS};
use super::search::Asked;
use super::state::{CollectionState, Phase};
use super::view::View;
use crate::base::text::Spoken;
use crate::domain::{Collection, CollectionSpec};
use crate::store::StoreError;
use crate::store::names::{check_name, unknown_collection};

/// Numbers the stores of one process, to tell them apart.
static STORES: AtomicU64 = AtomicU64::new(0);

/// See the [module](super). Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct QdrantStore {
    pub(super) server: Arc<Server>,
}

/// A request for filtered documents, and the documents that the filter admits.
pub(super) type Admitted = (Asked, Vec<u64>);

/// The state that all clones of a store share.
pub(super) struct Server {
    pub(super) client: Arc<Client>,
    pub(super) options: Arc<QdrantOptions>,
    /// How this store names itself in collection states.
    pub(super) writer: String,
    /// Held while writing.
    pub(super) writing: Arc<tokio::sync::Mutex<()>>,
    /// Filtered sets of documents, by request.
    pub(super) admitted: Arc<Mutex<Vec<Admitted>>>,
    /// Tables of the number of chunks that contain each word.
    pub(super) tables: Arc<Kept>,
    /// What one search has read; `None` unless this serves a single search.
    pub(super) view: Option<View>,
}

/// What a server reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// Its version.
    pub version: String,
    /// The number of collections of points under the prefix.
    pub collections: usize,
    /// The number of those collections that answered a trial search.
    pub searched: usize,
    /// The smallest number of copies of a shard, inactive ones included.
    pub copies: usize,
    /// Names of collections with a shard that has an inactive copy but also an active one.
    pub ailing: Vec<String>,
    /// Names of collections with a shard that has no active copy.
    pub lost: Vec<String>,
}

/// What the points of a collection can be found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    /// Nothing: points are read by id and by payload field.
    None,
    /// Words, and a vector of this dimension if there is an embedder.
    OfChunks(Option<usize>),
}

impl Server {
    pub(super) fn new(options: QdrantOptions) -> Result<Self, StoreError> {
        let options = Arc::new(options);
        let now = options.clock.now().as_nanosecond();
        let writer =
            format!("process {} at {now}, store {}", std::process::id(), STORES.fetch_add(1, Ordering::Relaxed));
        Ok(Server {
            client: Arc::new(Client::new(Arc::clone(&options))?),
            options,
            writer,
            writing: Arc::default(),
            admitted: Arc::default(),
            tables: Arc::default(),
            view: None,
        })
    }

    /// The same server, with a view for one search.
    pub(super) fn for_one_search(&self) -> Self {
        Server {
            client: Arc::clone(&self.client),
            options: Arc::clone(&self.options),
            writer: self.writer.clone(),
            writing: Arc::clone(&self.writing),
            admitted: Arc::clone(&self.admitted),
            tables: Arc::clone(&self.tables),
            view: Some(View::default()),
        }
    }

    pub(super) fn meta(&self) -> String {
        format!("{}meta", self.options.prefix)
    }

    /// The server as a place, for messages.
    pub(super) fn place(&self) -> PathBuf {
        PathBuf::from(format!("{} ({})", self.client.url(), self.meta()))
    }

    async fn exists(&self, name: &str) -> Result<bool, StoreError> {
        let request = CollectionExistsRequest { collection_name: name.to_owned() };
        let ask = |qdrant: Arc<Qdrant>, request: CollectionExistsRequest| async move {
            qdrant.collection_exists(request).await
        };
        self.client.ask("looking for a collection", request, ask).await
    }

    /// Creates a collection of points unless it exists. Returns whether it is new.
    #[expect(deprecated, reason = "only newer servers know what replaces it")]
    pub(super) async fn make_points(&self, name: &str, vectors: Vectors, shards: u32) -> Result<bool, StoreError> {
        if self.exists(name).await? {
            return Ok(false);
        }
        let (dimension, words) = match vectors {
            Vectors::None => (None, None),
            Vectors::OfChunks(dimension) => (dimension, Some((WORDS.to_owned(), SparseVectorParams::default()))),
        };
        let dense = dimension.map(|dimension| (MEANING.to_owned(), dense_params(dimension as u64)));
        let config = vectors_config::Config::ParamsMap(VectorParamsMap { map: dense.into_iter().collect() });
        let request = CreateCollection {
            collection_name: name.to_owned(),
            shard_number: (shards > 0).then_some(shards),
            on_disk_payload: Some(true),
            vectors_config: Some(VectorsConfig { config: Some(config) }),
            replication_factor: Some(self.options.replication_factor.max(1)),
            write_consistency_factor: Some(self.options.write_consistency.max(1)),
            sparse_vectors_config: words.map(|words| SparseVectorConfig { map: [words].into() }),
            ..CreateCollection::default()
        };
        let ask =
            |qdrant: Arc<Qdrant>, request: CreateCollection| async move { qdrant.create_collection(request).await };
        match self.client.ask("making a collection", request, ask).await {
            Ok(_) => Ok(true),
            // Another machine may have created it first.
            Err(error) => {
                if self.exists(name).await? {
                    Ok(false)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Indexes payload fields, as text (`true`) or as numbers.
    pub(super) async fn index_fields(&self, collection: &str, fields: &[(&str, bool)]) -> Result<(), StoreError> {
        for &(name, of_text) in fields {
            let kind = if of_text { FieldType::Keyword } else { FieldType::Integer };
            let request = CreateFieldIndexCollection {
                collection_name: collection.to_owned(),
                wait: Some(true),
                field_name: name.to_owned(),
                field_type: Some(kind.into()),
                ..CreateFieldIndexCollection::default()
            };
            let ask = |qdrant: Arc<Qdrant>, request: CreateFieldIndexCollection| async move {
                qdrant.create_field_index(request).await
            };
            self.client.ask("indexing a field", request, ask).await?;
        }
        Ok(())
    }

    /// Creates a slot for chunks, with vectors of this dimension if there is an embedder.
    pub(super) async fn make_chunks(
        &self,
        state: &CollectionState,
        slot: u64,
        dimension: Option<usize>,
    ) -> Result<(), StoreError> {
        let name = state.chunks(&self.options.prefix, slot);
        self.make_points(&name, Vectors::OfChunks(dimension), self.options.shards).await?;
        self.index_fields(&name, &[(VERSION, false), (LANGUAGE, true), (DAY, false), (KIND, true)]).await
    }

    pub(super) async fn drop_points(&self, name: &str) -> Result<(), StoreError> {
        let ask = |qdrant: Arc<Qdrant>, name: String| async move { qdrant.delete_collection(name).await };
        self.client.call_if_exists("dropping a collection", name.to_owned(), ask).await.map(drop)
    }

    pub(super) async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        check_name(&spec.name)?;
        let number = self.take_number(&spec.name).await?;
        let state = CollectionState {
            number,
            collection: Collection {
                name: spec.name,
                description: spec.description,
                described_by_user: false,
                embedder: spec.embedder,
                documents: 0,
                chunks: 0,
                text_bytes: 0,
                languages: Spoken::default(),
            },
            words: [0; 3],
            slot: 0,
            next: None,
            version: 1,
            turn: 0,
            phase: Phase::Idle,
            writer: self.writer.clone(),
            from: 0,
            old: Vec::new(),
            counts: Vec::new(),
            given_up: Vec::new(),
        };
        let made = self.make_all(&state).await;
        // Noted even after a failure, so that the next writer need not wait.
        let noted = self.note_made(&state.collection.name).await;
        made?;
        noted?;
        Ok(state.collection)
    }

    /// Creates the collections that hold a new collection, and then its state, which makes it known.
    async fn make_all(&self, state: &CollectionState) -> Result<(), StoreError> {
        let texts = state.texts(&self.options.prefix);
        self.make_points(&texts, Vectors::None, self.options.shards).await?;
        let fields =
            [(VERSION, false), (KIND, true), (PATH, true), (PATH_SUFFIXES, true), (LANGUAGE, true), (DAY, false)];
        self.index_fields(&texts, &fields).await?;
        let dimension = state.collection.embedder.as_ref().map(|embedder| embedder.dimension);
        self.make_chunks(state, 0, dimension).await?;
        self.write_first(state).await
    }

    /// Changes the record of a collection.
    pub(super) async fn change_collection(
        &self,
        name: &str,
        change: impl Fn(&mut Collection) + Send,
    ) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        loop {
            let before = self.settled(name).await?;
            let mut after = before.clone();
            change(&mut after.collection);
            if self.compare_and_swap(&before, &mut after).await? {
                return Ok(());
            }
        }
    }

    pub(super) async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let states = self.states().await?;
        if !states.all.iter().any(|state| state.collection.name == from) {
            return Err(unknown_collection(from, states.all.into_iter().map(|state| state.collection.name)));
        }
        if from == to {
            return Ok(());
        }
        check_name(to)?;
        if states.all.iter().any(|state| state.collection.name == to) {
            return Err(StoreError::CollectionExists { name: to.to_owned() });
        }
        self.change_collection(from, |collection| to.clone_into(&mut collection.name)).await
    }

    pub(super) async fn drop_collection(&self, name: &str) -> Result<(), StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        let state = self.settled(name).await?;
        self.drop_state(&state).await
    }

    /// Deletes the state first, so that nobody sees a half-dropped collection.
    async fn drop_state(&self, state: &CollectionState) -> Result<(), StoreError> {
        self.client.delete(&self.meta(), Filter::must([Condition::has_id([state.number])])).await?;
        let prefix = &self.options.prefix;
        self.drop_points(&state.texts(prefix)).await?;
        for slot in [state.slot, state.slot + 1] {
            self.drop_points(&state.chunks(prefix, slot)).await?;
        }
        self.delete_counts(state.number, None).await
    }
}

/// Vectors on disk, and quantized to 8 bits in memory. Hits of the quantized ones are rescored with the full vectors
/// only if a search asks for it.
#[expect(deprecated, reason = "only newer servers know what replaces it")]
fn dense_params(size: u64) -> VectorParams {
    let scalar = ScalarQuantization {
        r#type: QuantizationType::Int8.into(),
        quantile: Some(0.99),
        always_ram: Some(true),
        ..ScalarQuantization::default()
    };
    VectorParams {
        size,
        distance: Distance::Cosine.into(),
        hnsw_config: Some(HnswConfigDiff::default()),
        quantization_config: Some(QuantizationConfig {
            quantization: Some(quantization_config::Quantization::Scalar(scalar)),
        }),
        on_disk: Some(true),
        ..VectorParams::default()
    }
}
