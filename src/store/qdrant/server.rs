//! The server as this store uses it: making and dropping collections of points, and what it says of itself.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    CollectionExistsRequest, Condition, CreateCollection, CreateFieldIndexCollection, Distance, FieldType, Filter,
    HnswConfigDiff, Modifier, QuantizationConfig, QuantizationType, ReplicaState, ScalarQuantization,
    SparseVectorConfig, SparseVectorParams, VectorParams, VectorParamsMap, VectorsConfig, quantization_config,
    vectors_config,
};

use super::QdrantOptions;
use super::client::Client;
use super::layout::{DAY, KIND, LANGUAGE, PATH, TAILS, VERSION, WORDS};
use super::search::Asked;
use super::state::{Phase, State};
use crate::domain::{Collection, CollectionSpec};
use crate::store::StoreError;
use crate::store::names::{check_name, no_collection};

/// Tells the stores of one process apart.
static STORES: AtomicU64 = AtomicU64::new(0);

/// See the [module](super). Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct QdrantStore {
    pub(super) server: Arc<Server>,
}

/// What the clones share.
pub(super) struct Server {
    pub(super) client: Client,
    pub(super) options: Arc<QdrantOptions>,
    /// How this store calls itself in states.
    pub(super) writer: String,
    /// Held by whoever writes.
    pub(super) writing: tokio::sync::Mutex<()>,
    /// Sets of documents by what was asked.
    pub(super) admitted: Mutex<Vec<(Asked, Vec<u64>)>>,
}

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerReport {
    /// Its version.
    pub version: String,
    /// How many collections of points there are under the prefix.
    pub collections: usize,
    /// Names of those of which a shard is not active.
    pub ailing: Vec<String>,
}

impl Server {
    pub(super) fn new(options: QdrantOptions) -> Result<Self, StoreError> {
        let options = Arc::new(options);
        let now = options.clock.now().as_nanosecond();
        let writer =
            format!("process {} at {now}, store {}", std::process::id(), STORES.fetch_add(1, Ordering::Relaxed));
        Ok(Server {
            client: Client::new(Arc::clone(&options))?,
            options,
            writer,
            writing: tokio::sync::Mutex::new(()),
            admitted: Mutex::default(),
        })
    }

    pub(super) fn meta(&self) -> String {
        format!("{}meta", self.options.prefix)
    }

    /// The server as the place of what it holds, for messages.
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

    /// Makes a collection of points, unless it is there already.
    #[expect(deprecated, reason = "only newer servers know what replaces it")]
    pub(super) async fn make_points(
        &self,
        name: &str,
        dimension: Option<usize>,
        words: bool,
        shards: u32,
    ) -> Result<(), StoreError> {
        if self.exists(name).await? {
            return Ok(());
        }
        let config = match dimension {
            Some(dimension) => vectors_config::Config::Params(dense_params(dimension as u64)),
            None => vectors_config::Config::ParamsMap(VectorParamsMap::default()),
        };
        let sparse = SparseVectorParams { modifier: Some(Modifier::Idf.into()), ..SparseVectorParams::default() };
        let sparse = SparseVectorConfig { map: std::collections::HashMap::from([(WORDS.to_owned(), sparse)]) };
        let request = CreateCollection {
            collection_name: name.to_owned(),
            shard_number: (shards > 0).then_some(shards),
            on_disk_payload: Some(true),
            vectors_config: Some(VectorsConfig { config: Some(config) }),
            replication_factor: Some(self.options.replication_factor.max(1)),
            write_consistency_factor: Some(self.options.write_consistency.max(1)),
            sparse_vectors_config: words.then_some(sparse),
            ..CreateCollection::default()
        };
        let ask =
            |qdrant: Arc<Qdrant>, request: CreateCollection| async move { qdrant.create_collection(request).await };
        match self.client.ask("making a collection", request, ask).await {
            Ok(_) => Ok(()),
            // Another machine may have been faster.
            Err(error) => {
                if self.exists(name).await? {
                    Ok(())
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Indexes payload fields: texts (`true`) and numbers.
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

    /// Makes a slot for vectors of an embedder.
    pub(super) async fn make_vectors(&self, state: &State, slot: u64, dimension: usize) -> Result<(), StoreError> {
        let name = state.vectors(&self.options.prefix, slot);
        self.make_points(&name, Some(dimension), false, self.options.shards).await?;
        self.index_fields(&name, &[(VERSION, false), (LANGUAGE, true), (DAY, false), (KIND, true)]).await
    }

    pub(super) async fn drop_points(&self, name: &str) -> Result<(), StoreError> {
        let ask = |qdrant: Arc<Qdrant>, name: String| async move { qdrant.delete_collection(name).await };
        self.client.ask_for("dropping a collection", name.to_owned(), ask).await.map(drop)
    }

    /// What the server says of itself, and whether the key may write.
    pub(super) async fn report(&self) -> Result<ServerReport, StoreError> {
        let version = self.client.known_version().await?.to_owned();
        let ask = |qdrant: Arc<Qdrant>, ()| async move { qdrant.list_collections().await };
        let listed = self.client.ask("listing collections", (), ask).await?;
        let prefix = &self.options.prefix;
        let names = listed.collections.into_iter().map(|one| one.name).filter(|name| name.starts_with(prefix));
        let mut report = ServerReport { version, collections: 0, ailing: Vec::new() };
        for name in names {
            report.collections += 1;
            let ask = |qdrant: Arc<Qdrant>, name: String| async move { qdrant.collection_cluster_info(name).await };
            let found = self.client.ask_for("asking for the state of shards", name.clone(), ask).await?;
            let active = i32::from(ReplicaState::Active);
            let ails = found.is_some_and(|found| {
                found.local_shards.iter().any(|shard| shard.state != active)
                    || found.remote_shards.iter().any(|shard| shard.state != active)
            });
            if ails {
                report.ailing.push(name);
            }
        }
        // A key that may only read is refused here, before a load is.
        let probe = format!("{prefix}probe");
        self.make_points(&probe, None, false, 1).await?;
        self.drop_points(&probe).await?;
        Ok(report)
    }

    pub(super) async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError> {
        let _one_at_a_time = self.writing.lock().await;
        check_name(&spec.name)?;
        let taken = |name: &str| StoreError::CollectionExists { name: name.to_owned() };
        if self.states().await?.all.iter().any(|state| state.collection.name == spec.name) {
            return Err(taken(&spec.name));
        }
        let number = self.next_number().await?;
        let state = State {
            number,
            collection: Collection {
                name: spec.name,
                description: spec.description,
                described_by_user: false,
                embedder: spec.embedder,
                documents: 0,
                chunks: 0,
                text_bytes: 0,
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
            given_up: Vec::new(),
        };
        let texts = state.texts(&self.options.prefix);
        self.make_points(&texts, None, true, self.options.shards).await?;
        let fields = [(VERSION, false), (KIND, true), (PATH, true), (TAILS, true), (LANGUAGE, true), (DAY, false)];
        self.index_fields(&texts, &fields).await?;
        if let Some(embedder) = &state.collection.embedder {
            self.make_vectors(&state, 0, embedder.dimension).await?;
        }
        self.write_first(&state).await?;
        // Of two that were made at once under one name, the first stays.
        let found = self.states().await?.find(&state.collection.name)?;
        if found.number != number {
            self.drop_state(&state).await?;
            return Err(taken(&state.collection.name));
        }
        Ok(found.collection)
    }

    /// Changes what is said of a collection.
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
            if self.exchange(&before, &mut after).await? {
                return Ok(());
            }
        }
    }

    pub(super) async fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let states = self.states().await?;
        if !states.all.iter().any(|state| state.collection.name == from) {
            return Err(no_collection(from, states.all.into_iter().map(|state| state.collection.name)));
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

    /// First what makes it known, so that nobody sees half of it.
    async fn drop_state(&self, state: &State) -> Result<(), StoreError> {
        self.client.delete(&self.meta(), Filter::must([Condition::has_id([state.number])])).await?;
        let prefix = &self.options.prefix;
        self.drop_points(&state.texts(prefix)).await?;
        for slot in [state.slot, state.slot + 1] {
            self.drop_points(&state.vectors(prefix, slot)).await?;
        }
        Ok(())
    }
}

/// Vectors on disk, and quantized to 8 bits in memory; what the quantized ones find is compared again in full.
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
