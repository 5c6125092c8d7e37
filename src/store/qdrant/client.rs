//! Calls to the server, each with a deadline. They are repeated if the connection or a node failed, or if the server
//! wants fewer calls. Every call can be repeated, because points are named by what they hold, and a change of state
//! names the state that it replaces.
//!
//! Copies: a read takes the answer of any active copy, and writes go in order through the first copy that is alive. So
//! both continue while one copy is left, and a confirmed write is in every active copy.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use qdrant_client::Qdrant;
use qdrant_client::config::QdrantConfig;
use qdrant_client::qdrant::{
    Condition, CountPoints, DeletePoints, Filter, GetPoints, PointId, PointStruct, PointsIdsList, PointsSelector,
    QueryBatchPoints, QueryPoints, RetrievedPoint, ScoredPoint, ScrollPoints, SetPayloadPoints, UpsertPoints, Value,
    VectorsSelector, WithPayloadSelector, WithVectorsSelector, WriteOrdering, WriteOrderingType,
    point_id::PointIdOptions, points_selector::PointsSelectorOneOf, with_vectors_selector,
};
use qdrant_client::{Payload, QdrantError};
use tokio::sync::OnceCell;

use super::QdrantOptions;
use super::address;
use super::error::{ENGINE, is_absent, is_transient, store_error};
use crate::store::StoreError;

/// The oldest server that is supported: older ones answer some of the requests differently.
const OLDEST: (u64, u64) = (1, 15);
const OLDEST_NAME: &str = "1.15";

/// The longest total time that a call waits for a server that limits its calls.
const LONGEST_LIMIT: Duration = Duration::from_secs(600);

/// The shortest of these waits.
const SHORTEST_LIMIT: Duration = Duration::from_millis(50);

/// The points in one page of a listing.
const PAGE: u32 = 1_000;

/// The ids in one request for points.
const IDS_AT_ONCE: usize = 512;

/// Selects these fields of the payload; all if none is named.
pub(super) fn payload_of(fields: &[&str]) -> Option<WithPayloadSelector> {
    Some(if fields.is_empty() { true.into() } else { fields.to_vec().into() })
}

/// Selects these vectors; none if none is named.
pub(super) fn vectors_of(names: &[&str]) -> Option<WithVectorsSelector> {
    use with_vectors_selector::SelectorOptions;
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let options = match names.is_empty() {
        true => SelectorOptions::Enable(false),
        false => SelectorOptions::Include(VectorsSelector { names }),
    };
    Some(WithVectorsSelector { selector_options: Some(options) })
}

/// A connection, opened at its first use.
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
                // The client's error message would contain a key that no header can carry.
                if !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(bad("the key holds what no header can carry".to_owned()));
                }
                Some(key.expose().to_owned())
            }
        };
        address::check(&options.url)?;
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

    /// Makes a call, and repeats it while it fails for a temporary reason; `None` if its object does not exist.
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

    /// Makes a call once.
    async fn call_once<R, F, T>(
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
        match tokio::time::timeout(self.options.timeout, call(Arc::clone(&self.qdrant), request)).await {
            Ok(Ok(value)) => Ok(Some(value)),
            Ok(Err(error)) if is_absent(&error) => Ok(None),
            Ok(Err(error)) => Err(store_error(&self.url, action, error)),
            Err(_) => Err(StoreError::Unreachable {
                url: self.url.clone(),
                action,
                reason: format!("no answer within {} s", self.options.timeout.as_secs_f32()),
            }),
        }
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
        let mut attempts = 0;
        let mut limited = Duration::ZERO;
        loop {
            let error = match self.call_once(action, request.clone(), &call).await {
                Err(error) => error,
                done => return done,
            };
            let wait = match &error {
                StoreError::RateLimited { after: Some(after), .. } if limited + *after <= LONGEST_LIMIT => {
                    let wait = (*after).max(SHORTEST_LIMIT);
                    tracing::info!(%error, seconds = wait.as_secs_f32(), "waiting for the server to take more calls");
                    limited += wait;
                    wait
                }
                error if is_transient(error) && attempts < self.options.retries => {
                    attempts += 1;
                    let wait = pause;
                    pause = pause.saturating_mul(2).min(Duration::from_secs(10));
                    tracing::debug!(%error, attempts, "the call is made again");
                    wait
                }
                _ => return Err(error),
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Returns the server's version, requested once; a version that is too old is an error. If something else answers,
    /// the error names it.
    pub(super) async fn known_version(&self) -> Result<&str, StoreError> {
        let ask = || async {
            const ACTION: &str = "asking for its version";
            let ask = |qdrant: Arc<Qdrant>, ()| async move { qdrant.health_check().await };
            let reply = match self.call_once(ACTION, (), ask).await {
                Err(error) if is_transient(&error) => {
                    if let Some(reason) = address::what_answers(&self.url, self.options.connect_timeout).await {
                        return Err(StoreError::BadAddress { url: self.url.clone(), reason });
                    }
                    if self.options.retries == 0 {
                        return Err(error);
                    }
                    self.try_call(ACTION, (), ask).await?
                }
                Err(StoreError::RateLimited { .. }) => self.try_call(ACTION, (), ask).await?,
                reply => reply?,
            };
            let found = reply.map(|reply| reply.version).unwrap_or_default();
            let mut numbers = found.split(['.', '-']).map(|part| part.parse::<u64>().unwrap_or(0));
            if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < OLDEST {
                return Err(StoreError::ServerVersion { url: self.url.clone(), found, needed: OLDEST_NAME });
            }
            Ok(found)
        };
        self.version.get_or_try_init(ask).await.map(String::as_str)
    }

    /// Makes a call whose object must exist.
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

    /// Makes a call whose object may not exist.
    pub(super) async fn call_if_exists<R, F, T>(
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

    /// One after the other, through the first copy that is alive: if all had to go through the first copy, no write
    /// would be accepted while that copy is lost.
    fn ordering(&self) -> Option<WriteOrdering> {
        (self.options.replication_factor > 1).then_some(WriteOrdering { r#type: WriteOrderingType::Medium.into() })
    }

    /// Returns points by id, in any order; empty if the collection does not exist.
    pub(super) async fn get(
        &self,
        collection: &str,
        ids: &[u64],
        fields: &'static [&'static str],
        vectors: &'static [&'static str],
    ) -> Result<Vec<RetrievedPoint>, StoreError> {
        let parts = ids.chunks(IDS_AT_ONCE).map(|ids| async move {
            let request = GetPoints {
                collection_name: collection.to_owned(),
                ids: ids.iter().copied().map(PointId::from).collect(),
                with_payload: payload_of(fields),
                with_vectors: vectors_of(vectors),
                ..GetPoints::default()
            };
            let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.get_points(request).await };
            Ok::<_, StoreError>(
                self.call_if_exists("reading points", request, ask)
                    .await?
                    .map(|answer| answer.result)
                    .unwrap_or_default(),
            )
        });
        Ok(futures::future::try_join_all(parts).await?.into_iter().flatten().collect())
    }

    /// Returns all points that a filter admits; `None` if the collection does not exist.
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
                with_payload: payload_of(fields),
                with_vectors: vectors_of(&[]),
                ..ScrollPoints::default()
            };
            let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.scroll(request).await };
            let Some(page) = self.call_if_exists("listing points", request, ask).await? else { return Ok(None) };
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
            filter: Some(filter),
            exact: Some(true),
            ..CountPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.count(request).await };
        let answer = self.call_if_exists("counting points", request, ask).await?;
        Ok(answer.and_then(|answer| answer.result).map_or(0, |result| result.count))
    }

    /// Runs several searches of one collection in one call; the results are empty if the collection does not exist.
    pub(super) async fn query(
        &self,
        collection: &str,
        mut queries: Vec<QueryPoints>,
    ) -> Result<Vec<Vec<ScoredPoint>>, StoreError> {
        let asked = queries.len();
        // The server also requires the name in each query.
        queries.iter_mut().for_each(|query| collection.clone_into(&mut query.collection_name));
        let request = QueryBatchPoints {
            collection_name: collection.to_owned(),
            query_points: queries,
            ..QueryBatchPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.query_batch(request).await };
        let answer = self.call_if_exists("searching", request, ask).await?;
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

    /// Sets fields of the points that a filter admits. The collection must exist.
    pub(super) async fn set(&self, collection: &str, filter: Filter, payload: Payload) -> Result<(), StoreError> {
        let payload: std::collections::HashMap<String, Value> = payload.into();
        let request = SetPayloadPoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            payload,
            points_selector: Some(selected(filter)),
            ordering: self.ordering(),
            ..SetPayloadPoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.set_payload(request).await };
        self.call_if_exists("changing fields", request, ask).await.map(drop)
    }

    /// Deletes the points that a filter admits; does nothing if the collection does not exist.
    pub(super) async fn delete(&self, collection: &str, filter: Filter) -> Result<(), StoreError> {
        let request = DeletePoints {
            collection_name: collection.to_owned(),
            wait: Some(true),
            points: Some(selected(filter)),
            ordering: self.ordering(),
            ..DeletePoints::default()
        };
        let ask = |qdrant: Arc<Qdrant>, request| async move { qdrant.delete_points(request).await };
        self.call_if_exists("deleting points", request, ask).await.map(drop)
    }
}

/// Selects by id if the filter consists of ids only, which every server does at once.
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

/// Returns the number that names a point.
pub(super) fn number(id: Option<&PointId>) -> Option<u64> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(PointIdOptions::Num(number)) => Some(*number),
        _ => None,
    }
}
