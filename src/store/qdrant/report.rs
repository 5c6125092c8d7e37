//! The facts that `doctor` gathers about a server: its version, which copies of which shards are available, whether
//! searches are answered, and whether the key may write.

use std::collections::BTreeMap;
use std::sync::Arc;

use qdrant_client::Qdrant;
use qdrant_client::qdrant::{Condition, Filter, QueryPoints, ReplicaState, SparseVector};

use super::Server;
use super::layout::{self, KIND, is_text};
use super::search::{dense_query, sparse_query};
use super::server::{ServerReport, Vectors};
use super::sparse;
use crate::store::StoreError;

/// No point has this id, and none is of this kind.
const MISSING_POINT_ID: u64 = u64::MAX;
const PROBE: &str = "probe";

/// The dimension of the vectors of a collection created only for a test.
const TRIED: usize = 4;

impl Server {
    pub(super) async fn report(&self) -> Result<ServerReport, StoreError> {
        let version = self.client.known_version().await?.to_owned();
        let ask = |qdrant: Arc<Qdrant>, ()| async move { qdrant.list_collections().await };
        let listed = self.client.ask("listing collections", (), ask).await?;
        let prefix = &self.options.prefix;
        let mut names: Vec<String> =
            listed.collections.into_iter().map(|one| one.name).filter(|name| name.starts_with(prefix)).collect();
        names.sort_unstable();
        let (ailing, lost) = (Vec::new(), Vec::new());
        let mut report = ServerReport { version, collections: names.len(), searched: 0, copies: 0, ailing, lost };
        let mut fewest = None;
        for name in names {
            let shards = self.shards(&name).await?;
            if shards.iter().any(|shard| shard.active == 0) {
                report.lost.push(name);
            } else if shards.iter().any(|shard| shard.active < shard.copies) {
                report.ailing.push(name);
            }
            let copies = shards.iter().map(|shard| shard.copies).min();
            fewest = fewest.into_iter().chain(copies).min();
        }
        report.copies = fewest.unwrap_or(0);
        report.searched = self.try_searches().await?;
        Ok(report)
    }

    /// Returns the shards of a server collection.
    async fn shards(&self, name: &str) -> Result<Vec<Shard>, StoreError> {
        let ask = |qdrant: Arc<Qdrant>, name: String| async move { qdrant.collection_cluster_info(name).await };
        let found = self.client.call_if_exists("asking for the state of shards", name.to_owned(), ask).await?;
        let Some(found) = found else { return Ok(Vec::new()) };
        let here = found.local_shards.iter().map(|shard| (shard.shard_id, shard.state));
        let there = found.remote_shards.iter().map(|shard| (shard.shard_id, shard.state));
        let mut shards: BTreeMap<u32, Shard> = BTreeMap::new();
        for (id, state) in here.chain(there) {
            let shard = shards.entry(id).or_default();
            shard.copies += 1;
            shard.active += usize::from(state == i32::from(ReplicaState::Active));
        }
        Ok(shards.into_values().collect())
    }

    /// Searches each collection as a question does, and tests whether the key may write: without changing anything if
    /// the store exists. If there are no collections, the test uses one that is created for it and dropped.
    async fn try_searches(&self) -> Result<usize, StoreError> {
        let states = self.states().await?;
        if states.root.is_some() {
            let nothing = Filter::must([Condition::has_id([MISSING_POINT_ID]), is_text(KIND, PROBE)]);
            self.client.set(&self.meta(), nothing, layout::fields([(KIND, PROBE.into())]).into()).await?;
        }
        for state in &states.all {
            let dimension = state.collection.embedder.as_ref().map(|embedder| embedder.dimension);
            self.try_search(&state.chunks(&self.options.prefix, state.slot), state.visible(Vec::new()), dimension)
                .await?;
        }
        if states.all.is_empty() {
            let probe = format!("{}{PROBE}", self.options.prefix);
            self.make_points(&probe, Vectors::OfChunks(Some(TRIED)), 1).await?;
            let tried = self.try_search(&probe, Filter::default(), Some(TRIED)).await;
            self.drop_points(&probe).await?;
            tried?;
        }
        Ok(states.all.len())
    }

    async fn try_search(&self, name: &str, filter: Filter, dimension: Option<usize>) -> Result<(), StoreError> {
        let words = SparseVector { indices: vec![sparse::entry(0, "search")], values: vec![1.0] };
        let limit = Some(1);
        let mut queries = vec![QueryPoints { limit, ..sparse_query(words, filter.clone()) }];
        queries.extend(dimension.map(|dimension| {
            let vector = vec![1.0 / (dimension as f32).sqrt(); dimension];
            QueryPoints { limit, ..dense_query(vector, false, filter) }
        }));
        self.client.query(name, queries).await.map(drop)
    }
}

/// A shard and its copies.
#[derive(Clone, Copy, Debug, Default)]
struct Shard {
    copies: usize,
    active: usize,
}
