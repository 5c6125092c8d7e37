//! Calls to the server, each with a deadline, and again where the connection broke: every call can be repeated, since
//! points are named by what they hold and a change of state says what it changes.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use qdrant_client::Qdrant;
use qdrant_client::config::QdrantConfig;
use qdrant_client::qdrant::{
    Condition, CountPoints, DeletePoints, Filter, GetPoints, PointId, PointStruct, PointsIdsList, PointsSelector,
    QueryBatchPoints, QueryPoints, ReadConsistency, ReadConsistencyType, RetrievedPoint, ScoredPoint, ScrollPoints,
    SetPayloadPoints, UpsertPoints, Value, WithPayloadSelector, WithVectorsSelector, WriteOrdering, WriteOrderingType,
    point_id::PointIdOptions, points_selector::PointsSelectorOneOf, read_consistency,
};
use qdrant_client::{Payload, QdrantError};
use tokio::sync::OnceCell;

use super::QdrantOptions;
use super::error::{ENGINE, is_absent, is_passing, store_error};
use crate::store::StoreError;

/// The oldest server that has what is used here: the query interface, and sparse vectors weighted by rarity.
pub(super) const OLDEST: (u64, u64) = (1, 10);
const OLDEST_NAME: &str = "1.10";

/// Points in one answer of a listing.
const PAGE: u32 = 1_000;

/// Ids in one request for points.
const IDS_AT_ONCE: usize = 512;

/// What is sent back of points.
pub(super) enum Fields {
    None,
    All,
    Only(&'static [&'static str]),
}

impl From<Fields> for WithPayloadSelector {
    fn from(fields: Fields) -> Self {
        match fields {
            Fields::None => false.into(),
            Fields::All => true.into(),
            Fields::Only(names) => names.to_vec().into(),
        }
    }
}

/// A connection, made when it is first used.
pub(super) struct Client {
    qdrant: Arc<Qdrant>,
    url: String,
    options: Arc<QdrantOptions>,
    version: OnceCell<String>,
}

impl Client {
    pub(super) fn new(options: Arc<QdrantOptions>) -> Result<Self, StoreError> {
        let bad = |reason: String| StoreError::Engine { engine: ENGINE, action: "opening the connection", reason };
        let key = match &options.key {
            None => None,
            Some(key) => {
                // What no header can carry would come back in the client's message.
                if !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(bad("the key holds what no header can carry".to_owned()));
                }
                Some(key.expose().to_owned())
            }
        };
        let mut config = QdrantConfig::from_url(&options.url).skip_compatibility_check();
        config.api_key = key;
        config.set_timeout(options.timeout);
        config.set_connect_timeout(options.connect_timeout);
        config.set_pool_size(1);
        let qdrant = Qdrant::new(config).map_err(|error| bad(format!("{}: {error}", options.url)))?;
        Ok(Client { qdrant: Arc::new(qdrant), url: options.url.clone(), options, version: OnceCell::new() })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Makes a call, again and again while it fails for a passing reason; `None` where what was asked for is not there.
    async fn call<R, F, T>(
        &self,
        action: &'static str,
        request: R,
        call: impl Fn(Arc<Qdrant>, R) -> F + Send + Sync,
    ) -> Result<Option<T>, StoreError>
    where
        R: Clone + Send + Sync,
        F: Future<Output = Result<T, QdrantError>> + Send,
        T: Send,
    {
        self.known_version().await?;
        self.try_call(action, request, call).await
    }

    async fn try_call<R, F, T>(
        &self,
        action: &'static str,
        request: R,
        call: impl Fn(Arc<Qdrant>, R) -> F + Send + Sync,
    ) -> Result<Option<T>, StoreError>
    where
        R: Clone + Send + Sync,
        F: Future<Output = Result<T, QdrantError>> + Send,
        T: Send,
    {
        let mut pause = self.options.retry_pause;
        for attempt in 0.. {
            let error =
                match tokio::time::timeout(self.options.timeout, call(Arc::clone(&self.qdrant), request.clone())).await
                {
                    Ok(Ok(value)) => return Ok(Some(value)),
                    Ok(Err(error)) if is_absent(&error) => return Ok(None),
                    Ok(Err(error)) => store_error(&self.url, action, error),
                    Err(_) => StoreError::Unreachable {
                        url: self.url.clone(),
                        action,
                        reason: format!("no answer within {} s", self.options.timeout.as_secs_f32()),
                    },
                };
            if attempt >= self.options.retries || !is_passing(&error) {
                return Err(error);
            }
            tracing::debug!(%error, attempt, "the call is made again");
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(Duration::from_secs(10));
        }
        Ok(None)
    }

    /// The server's version, asked once, and refused where it is too old.
    pub(super) async fn known_version(&self) -> Result<&str, StoreError> {
        let ask = || async {
            let ask = |qdrant: Arc<Qdrant>, ()| async move { qdrant.health_check().await };
            let reply = self.try_call("asking for its version", (), ask).await?;
            let found = reply.map(|reply| reply.version).unwrap_or_default();
            let mut numbers = found.split(['.', '-']).map(|part| part.parse::<u64>().unwrap_or(0));
            if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < OLDEST {
                return Err(StoreError::ServerVersion { url: self.url.clone(), found, needed: OLDEST_NAME });
            }
            Ok(found)
        };
        self.version.get_or_try_init(ask).await.map(String::as_str)
    }

    /// A call whose answer is expected.
    pub(super) async fn ask<R, F, T>(
        &self,
        action: &'static str,
        request: R,
        call: impl Fn(Arc<Qdrant>, R) -> F + Send + Sync,
    ) -> Result<T, StoreError>
    where
        R: Clone + Send + Sync,
        F: Future<Output = Result<T, QdrantError>> + Send,
        T: Send,
    {
        let absent = || StoreError::Engine {
            engine: ENGINE,
            action,
            reason: format!("{}: what it was asked about is not there", self.url),
        };
        self.call(action, request, call).await?.ok_or_else(absent)
    }

    /// A call that may be about what is not there.
    pub(super) async fn ask_for<R, F, T>(
        &self,
        action: &'static str,
        request: R,
        call: impl Fn(Arc<Qdrant>, R) -> F + Send + Sync,
    ) -> Result<Option<T>, StoreError>
    where
        R: Clone + Send + Sync,
        F: Future<Output = Result<T, QdrantError>> + Send,
        T: Send,
    {
        self.call(action, request, call).await
    }

    /// With copies of the data on several machines, what most of them say.
    fn consistency(&self) -> Option<ReadConsistency> {
        let majority = read_consistency::Value::Type(ReadConsistencyType::Majority.into());
        (self.options.replication_factor > 1).then_some(ReadConsistency { value: Some(majority) })
    }

    /// The order of changes is the same everywhere.
    fn ordering(&self) -> Option<WriteOrdering> {
        (self.options.replication_factor > 1).then_some(WriteOrdering { r#type: WriteOrderingType::Strong.into() })
    }

    /// Points by id, in any order; none where the collection is not there.
    pub(super) async fn get(
        &self,
        collection: &str,
        ids: &[u64],
        fields: &'static [&'static str],
        vectors: bool,
    ) -> Result<Vec<RetrievedPoint>, StoreError> {
        let parts = ids.chunks(IDS_AT_ONCE).map(|ids| async move {
            let request = GetPoints {
                collection_name: collection.to_owned(),
                ids: ids.iter().copied().map(PointId::from).collect(),
                with_payload: Some(if fields.is_empty() { Fields::All } else { Fields::Only(fields) }.into()),
                with_vectors: Some(WithVectorsSelector::from(vectors)),
                read_consistency: self.consistency(),
                ..GetPoints::default()
            };
            let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.get_points(request).await };
            Ok::<_, StoreError>(
                self.ask_for("reading points", request, ask).await?.map(|answer| answer.result).unwrap_or_default(),
            )
        });
        Ok(futures::future::try_join_all(parts).await?.into_iter().flatten().collect())
    }

    /// All points that a filter keeps; `None` where the collection is not there.
    pub(super) async fn scroll(
        &self,
        collection: &str,
        filter: Filter,
        fields: &'static [&'static str],
    ) -> Result<Option<Vec<RetrievedPoint>>, StoreError> {
        let mut points = Vec::new();
        let mut offset = None;
        loop {
            let request = ScrollPoints {
                collection_name: collection.to_owned(),
                filter: Some(filter.clone()),
                offset: offset.clone(),
                limit: Some(PAGE),
                with_payload: Some(if fields.is_empty() { Fields::All } else { Fields::Only(fields) }.into()),
                with_vectors: Some(WithVectorsSelector::from(false)),
                read_consistency: self.consistency(),
                ..ScrollPoints::default()
            };
            let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.scroll(request).await };
            let Some(page) = self.ask_for("listing points", request, ask).await? else { return Ok(None) };
            points.extend(page.result);
            offset = page.next_page_offset;
            if offset.is_none() {
                return Ok(Some(points));
            }
        }
    }

    pub(super) async fn count(&self, collection: &str, filter: Filter) -> Result<u64, StoreError> {
        let request = CountPoints {
            collection_name: collection.to_owned(),
            filter: Some(filter.clone()),
            exact: Some(true),
            read_consistency: self.consistency(),
            ..CountPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.count(request).await };
        let answer = self.ask_for("counting points", request, ask).await?;
        Ok(answer.and_then(|answer| answer.result).map_or(0, |result| result.count))
    }

    /// Several searches of one collection in one call; none where the collection is not there.
    pub(super) async fn query(
        &self,
        collection: &str,
        queries: Vec<QueryPoints>,
    ) -> Result<Vec<Vec<ScoredPoint>>, StoreError> {
        let asked = queries.len();
        let request = QueryBatchPoints {
            collection_name: collection.to_owned(),
            query_points: queries.clone(),
            read_consistency: self.consistency(),
            ..QueryBatchPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.query_batch(request).await };
        let answer = self.ask_for("searching", request, ask).await?;
        let mut lists: Vec<_> = answer.into_iter().flat_map(|answer| answer.result).map(|list| list.result).collect();
        lists.resize_with(asked, Vec::new);
        Ok(lists)
    }

    /// Writes points, and returns when as many copies as configured have them.
    pub(super) async fn upsert(&self, collection: &str, points: Vec<PointStruct>) -> Result<(), StoreError> {
        let request = UpsertPoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            points,
            ordering: self.ordering(),
            ..UpsertPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.upsert_points(request).await };
        self.ask("writing points", request, ask).await.map(drop)
    }

    /// Sets fields of the points that a filter keeps; nothing where the collection is not there.
    pub(super) async fn set(&self, collection: &str, filter: Filter, payload: Payload) -> Result<(), StoreError> {
        let payload: std::collections::HashMap<String, Value> = payload.into();
        let request = SetPayloadPoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            payload: payload.clone(),
            points_selector: Some(selected(filter.clone())),
            ordering: self.ordering(),
            ..SetPayloadPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.set_payload(request).await };
        self.ask_for("changing fields", request, ask).await.map(drop)
    }

    /// Deletes the points that a filter keeps; nothing where the collection is not there.
    pub(super) async fn delete(&self, collection: &str, filter: Filter) -> Result<(), StoreError> {
        let request = DeletePoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            points: Some(selected(filter.clone())),
            ordering: self.ordering(),
            ..DeletePoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.delete_points(request).await };
        self.ask_for("deleting points", request, ask).await.map(drop)
    }
}

/// By id where the filter is nothing but that, which every server does at once.
fn selected(filter: Filter) -> PointsSelector {
    use qdrant_client::qdrant::condition::ConditionOneOf;
    let one = match filter.must.as_slice() {
        [Condition { condition_one_of: Some(ConditionOneOf::HasId(ids)) }]
            if filter.must_not.is_empty() && filter.should.is_empty() =>
        {
            PointsSelectorOneOf::Points(PointsIdsList { ids: ids.has_id.clone() })
        }
        _ => PointsSelectorOneOf::Filter(filter),
    };
    PointsSelector { points_selector_one_of: Some(one) }
}

/// The number that names a point.
pub(super) fn number(id: Option<&PointId>) -> Option<u64> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(PointIdOptions::Num(number)) => Some(*number),
        _ => None,
    }
}
