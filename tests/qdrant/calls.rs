//! The calls of the server, by the generated service traits.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::query::Variant;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;
use qdrant_client::qdrant::{
    self, PointId, PointsSelector, Value, WithPayloadSelector, WithVectorsSelector, collections_server, points_server,
    qdrant_server, vector_input, vector_output, vectors_output, with_vectors_selector,
};
use tonic::{Request, Response, Status};

use super::points::{Collection, Point, number};
use super::{Shared, lock};

type Reply<T> = Result<Response<T>, Status>;

/// The server's state, for which each service trait is implemented.
#[derive(Clone)]
pub struct Calls(pub Arc<Shared>);

fn unused<T>() -> Reply<T> {
    Err(Status::unimplemented("the store does not make this call"))
}

fn done() -> qdrant::PointsOperationResponse {
    let result = qdrant::UpdateResult { operation_id: Some(1), status: qdrant::UpdateStatus::Completed.into() };
    qdrant::PointsOperationResponse { result: Some(result), ..Default::default() }
}

fn selected(collection: &Collection, selector: Option<PointsSelector>) -> Result<Vec<u64>, Status> {
    match selector.and_then(|selector| selector.points_selector_one_of) {
        Some(PointsSelectorOneOf::Points(ids)) => ids.ids.iter().map(|id| number(Some(id))).collect(),
        Some(PointsSelectorOneOf::Filter(filter)) => Ok(collection.kept(Some(&filter)).into_keys().collect()),
        None => Err(Status::invalid_argument("PointSelector is missing")),
    }
}

fn is_by_id(selector: Option<&PointsSelector>) -> bool {
    let one = selector.and_then(|selector| selector.points_selector_one_of.as_ref());
    matches!(one, Some(PointsSelectorOneOf::Points(_)))
}

/// The requested fields; `unsaid` says whether the call returns all of them if the request does not say.
fn payload(point: &Point, wanted: Option<&WithPayloadSelector>, unsaid: bool) -> HashMap<String, Value> {
    match wanted.and_then(|wanted| wanted.selector_options.as_ref()) {
        Some(SelectorOptions::Enable(false)) => HashMap::new(),
        Some(SelectorOptions::Enable(true)) => point.payload.clone(),
        Some(SelectorOptions::Include(names)) => {
            let kept = |name: &String| Some((name.clone(), point.payload.get(name)?.clone()));
            names.fields.iter().filter_map(kept).collect()
        }
        Some(SelectorOptions::Exclude(names)) => {
            let kept = |(name, _): &(&String, &Value)| !names.fields.contains(name);
            point.payload.iter().filter(kept).map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        None if unsaid => point.payload.clone(),
        None => HashMap::new(),
    }
}

/// The names of the requested vectors; `None` for all of them.
fn wanted_vectors(wanted: Option<&WithVectorsSelector>) -> Option<&[String]> {
    match wanted.and_then(|wanted| wanted.selector_options.as_ref()) {
        Some(with_vectors_selector::SelectorOptions::Enable(true)) => None,
        Some(with_vectors_selector::SelectorOptions::Include(names)) => Some(&names.names),
        _ => Some(&[]),
    }
}

fn vectors(point: &Point, wanted: Option<&WithVectorsSelector>) -> Option<qdrant::VectorsOutput> {
    let names = wanted_vectors(wanted);
    if names.is_some_and(<[String]>::is_empty) {
        return None;
    }
    let output = |vector| qdrant::VectorOutput { vector: Some(vector), ..Default::default() };
    let is_wanted = |name: &String| names.is_none_or(|names| names.contains(name));
    let mut found = HashMap::new();
    for (name, entries) in point.sparse.iter().filter(|(name, _)| is_wanted(name)) {
        let (indices, values) = entries.iter().copied().unzip();
        let sparse = qdrant::SparseVector { indices, values };
        found.insert(name.clone(), output(vector_output::Vector::Sparse(sparse)));
    }
    for (name, data) in point.dense.iter().filter(|(name, _)| is_wanted(name)) {
        let dense = qdrant::DenseVector { data: data.clone() };
        found.insert(name.clone(), output(vector_output::Vector::Dense(dense)));
    }
    // A vector without a name is returned alone.
    let options = match found.remove("") {
        Some(only) if found.is_empty() => vectors_output::VectorsOptions::Vector(only),
        _ => vectors_output::VectorsOptions::Vectors(qdrant::NamedVectorsOutput { vectors: found }),
    };
    Some(qdrant::VectorsOutput { vectors_options: Some(options) })
}

fn query(collection: &Collection, ask: &qdrant::QueryPoints, counts_all: bool) -> Result<qdrant::BatchResult, Status> {
    let input = match ask.query.as_ref().and_then(|query| query.variant.as_ref()) {
        Some(Variant::Nearest(input)) => input.variant.as_ref(),
        other => return Err(Status::invalid_argument(format!("the stand-in does not know {other:?}"))),
    };
    collection.check_vectors(wanted_vectors(ask.with_vectors.as_ref()).unwrap_or_default())?;
    let using = ask.using.as_deref().unwrap_or_default();
    let offset = ask.offset.unwrap_or(0) as usize;
    let limit = ask.limit.unwrap_or(10) as usize + offset;
    let filter = ask.filter.as_ref();
    let found = match input {
        Some(vector_input::Variant::Sparse(words)) => {
            let words: Vec<(u32, f32)> = words.indices.iter().copied().zip(words.values.iter().copied()).collect();
            collection.by_sparse(using, &words, filter, limit, counts_all)?
        }
        Some(vector_input::Variant::Dense(vector)) => {
            collection.by_dense(using, &vector.data, filter, limit, ask.params.as_ref())?
        }
        other => return Err(Status::invalid_argument(format!("the stand-in does not know {other:?}"))),
    };
    let ids: BTreeSet<u64> = found.iter().map(|(id, _)| *id).collect();
    let points: HashMap<u64, &Point> = collection.all().filter(|(id, _)| ids.contains(id)).collect();
    let scored = found.into_iter().skip(offset).filter_map(|(id, score)| {
        let point = points.get(&id)?;
        Some(qdrant::ScoredPoint {
            id: Some(PointId::from(id)),
            payload: payload(point, ask.with_payload.as_ref(), false),
            score,
            vectors: vectors(point, ask.with_vectors.as_ref()),
            ..Default::default()
        })
    });
    Ok(qdrant::BatchResult { result: scored.collect() })
}

fn retrieved(
    id: u64,
    point: &Point,
    with_payload: Option<&WithPayloadSelector>,
    with_vectors: Option<&qdrant::WithVectorsSelector>,
) -> qdrant::RetrievedPoint {
    qdrant::RetrievedPoint {
        id: Some(PointId::from(id)),
        payload: payload(point, with_payload, true),
        vectors: vectors(point, with_vectors),
        ..Default::default()
    }
}

#[tonic::async_trait]
impl qdrant_server::Qdrant for Calls {
    async fn health_check(&self, request: Request<qdrant::HealthCheckRequest>) -> Reply<qdrant::HealthCheckReply> {
        let version = lock(&self.0.version).clone();
        let answer = |_: &mut _, _| {
            Ok(qdrant::HealthCheckReply { title: "qdrant - vector search engine".to_owned(), version, commit: None })
        };
        self.0.call("health_check", request, answer).await
    }
}

#[tonic::async_trait]
impl collections_server::Collections for Calls {
    async fn list(&self, request: Request<qdrant::ListCollectionsRequest>) -> Reply<qdrant::ListCollectionsResponse> {
        let call = self.0.call("list", request, |points, _| {
            let named = |name: &String| qdrant::CollectionDescription { name: name.clone() };
            let collections = points.collections.keys().map(named).collect();
            Ok(qdrant::ListCollectionsResponse { collections, ..Default::default() })
        });
        call.await
    }

    async fn create(&self, request: Request<qdrant::CreateCollection>) -> Reply<qdrant::CollectionOperationResponse> {
        let call = self.0.call("create", request, |points, asked| {
            points.create(asked)?;
            Ok(qdrant::CollectionOperationResponse { result: true, ..Default::default() })
        });
        call.await
    }

    async fn delete(&self, request: Request<qdrant::DeleteCollection>) -> Reply<qdrant::CollectionOperationResponse> {
        let call = self.0.call("delete_collection", request, |points, asked| {
            let result = points.collections.remove(&asked.collection_name).is_some();
            Ok(qdrant::CollectionOperationResponse { result, ..Default::default() })
        });
        call.await
    }

    async fn collection_exists(
        &self,
        request: Request<qdrant::CollectionExistsRequest>,
    ) -> Reply<qdrant::CollectionExistsResponse> {
        let call = self.0.call("collection_exists", request, |points, asked| {
            let exists = points.collections.contains_key(&asked.collection_name);
            let result = Some(qdrant::CollectionExists { exists });
            Ok(qdrant::CollectionExistsResponse { result, ..Default::default() })
        });
        call.await
    }

    async fn collection_cluster_info(
        &self,
        request: Request<qdrant::CollectionClusterInfoRequest>,
    ) -> Reply<qdrant::CollectionClusterInfoResponse> {
        let call = self.0.call("collection_cluster_info", request, |points, asked| {
            let name = &asked.collection_name;
            let collection = points.collections.get(name).ok_or_else(|| super::points::absent(name))?;
            let mut local_shards = Vec::new();
            let mut remote_shards = Vec::new();
            for (shard, shard_id) in collection.shards.iter().zip(0..) {
                for replica in &shard.replicas {
                    let state =
                        if replica.is_active { qdrant::ReplicaState::Active } else { qdrant::ReplicaState::Dead };
                    let (state, points_count) = (state.into(), shard.points.len() as u64);
                    match replica.node {
                        0 => {
                            local_shards.push(qdrant::LocalShardInfo { shard_id, points_count, state, shard_key: None })
                        }
                        node => {
                            let peer_id = node as u64 + 1;
                            remote_shards.push(qdrant::RemoteShardInfo { shard_id, peer_id, state, shard_key: None });
                        }
                    }
                }
            }
            Ok(qdrant::CollectionClusterInfoResponse {
                peer_id: 1,
                shard_count: collection.shards.len() as u64,
                local_shards,
                remote_shards,
                ..Default::default()
            })
        });
        call.await
    }

    async fn get(&self, _: Request<qdrant::GetCollectionInfoRequest>) -> Reply<qdrant::GetCollectionInfoResponse> {
        unused()
    }
    async fn update(&self, _: Request<qdrant::UpdateCollection>) -> Reply<qdrant::CollectionOperationResponse> {
        unused()
    }
    async fn update_aliases(&self, _: Request<qdrant::ChangeAliases>) -> Reply<qdrant::CollectionOperationResponse> {
        unused()
    }
    async fn list_collection_aliases(
        &self,
        _: Request<qdrant::ListCollectionAliasesRequest>,
    ) -> Reply<qdrant::ListAliasesResponse> {
        unused()
    }
    async fn list_aliases(&self, _: Request<qdrant::ListAliasesRequest>) -> Reply<qdrant::ListAliasesResponse> {
        unused()
    }
    async fn update_collection_cluster_setup(
        &self,
        _: Request<qdrant::UpdateCollectionClusterSetupRequest>,
    ) -> Reply<qdrant::UpdateCollectionClusterSetupResponse> {
        unused()
    }
    async fn create_shard_key(
        &self,
        _: Request<qdrant::CreateShardKeyRequest>,
    ) -> Reply<qdrant::CreateShardKeyResponse> {
        unused()
    }
    async fn delete_shard_key(
        &self,
        _: Request<qdrant::DeleteShardKeyRequest>,
    ) -> Reply<qdrant::DeleteShardKeyResponse> {
        unused()
    }
    async fn list_shard_keys(&self, _: Request<qdrant::ListShardKeysRequest>) -> Reply<qdrant::ListShardKeysResponse> {
        unused()
    }
}

#[tonic::async_trait]
impl points_server::Points for Calls {
    async fn upsert(&self, request: Request<qdrant::UpsertPoints>) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("upsert", request, |points, asked| {
            let collection = points.write(&asked.collection_name, asked.ordering.as_ref())?;
            asked.points.into_iter().try_for_each(|point| collection.insert(point))?;
            Ok(done())
        });
        call.await
    }

    async fn delete(&self, request: Request<qdrant::DeletePoints>) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("delete", request, |points, asked| {
            let collection = points.write(&asked.collection_name, asked.ordering.as_ref())?;
            for id in selected(collection, asked.points)? {
                collection.remove(id);
            }
            Ok(done())
        });
        call.await
    }

    async fn get(&self, request: Request<qdrant::GetPoints>) -> Reply<qdrant::GetResponse> {
        let call = self.0.call("get", request, |points, asked| {
            let collection = points.read(&asked.collection_name, asked.read_consistency.as_ref())?;
            collection.check_vectors(wanted_vectors(asked.with_vectors.as_ref()).unwrap_or_default())?;
            let mut result = Vec::new();
            for id in &asked.ids {
                let id = number(Some(id))?;
                if let Some(point) = collection.get(id) {
                    result.push(retrieved(id, point, asked.with_payload.as_ref(), asked.with_vectors.as_ref()));
                }
            }
            Ok(qdrant::GetResponse { result, ..Default::default() })
        });
        call.await
    }

    async fn set_payload(&self, request: Request<qdrant::SetPayloadPoints>) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("set_payload", request, |points, asked| {
            let collection = points.write(&asked.collection_name, asked.ordering.as_ref())?;
            let is_by_id = is_by_id(asked.points_selector.as_ref());
            for id in selected(collection, asked.points_selector)? {
                match collection.get(id) {
                    Some(point) => {
                        for (name, value) in &asked.payload {
                            // A field that is set to null is removed.
                            match value.kind {
                                None | Some(Kind::NullValue(_)) => drop(point.payload.remove(name)),
                                _ => drop(point.payload.insert(name.clone(), value.clone())),
                            }
                        }
                    }
                    None if is_by_id => {
                        return Err(Status::not_found(format!("Not found: No point with id {id} found")));
                    }
                    None => {}
                }
            }
            Ok(done())
        });
        call.await
    }

    async fn create_field_index(
        &self,
        request: Request<qdrant::CreateFieldIndexCollection>,
    ) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("create_field_index", request, |points, asked| {
            points.write(&asked.collection_name, asked.ordering.as_ref())?;
            Ok(done())
        });
        call.await
    }

    async fn scroll(&self, request: Request<qdrant::ScrollPoints>) -> Reply<qdrant::ScrollResponse> {
        let call = self.0.call("scroll", request, |points, asked| {
            let collection = points.read(&asked.collection_name, asked.read_consistency.as_ref())?;
            collection.check_vectors(wanted_vectors(asked.with_vectors.as_ref()).unwrap_or_default())?;
            let from = match asked.offset.as_ref().and_then(|id| id.point_id_options.as_ref()) {
                Some(PointIdOptions::Num(from)) => *from,
                _ => 0,
            };
            let limit = asked.limit.unwrap_or(10) as usize;
            let kept = collection.kept(asked.filter.as_ref());
            let mut kept = kept.range(from..);
            let page = kept.by_ref().take(limit);
            let result = page
                .map(|(&id, point)| retrieved(id, point, asked.with_payload.as_ref(), asked.with_vectors.as_ref()))
                .collect();
            let next_page_offset = kept.next().map(|(&id, _)| PointId::from(id));
            Ok(qdrant::ScrollResponse { next_page_offset, result, ..Default::default() })
        });
        call.await
    }

    async fn count(&self, request: Request<qdrant::CountPoints>) -> Reply<qdrant::CountResponse> {
        let call = self.0.call("count", request, |points, asked| {
            let collection = points.read(&asked.collection_name, asked.read_consistency.as_ref())?;
            let count = collection.kept(asked.filter.as_ref()).len() as u64;
            Ok(qdrant::CountResponse { result: Some(qdrant::CountResult { count }), ..Default::default() })
        });
        call.await
    }

    async fn query_batch(&self, request: Request<qdrant::QueryBatchPoints>) -> Reply<qdrant::QueryBatchResponse> {
        let counts_all = self.0.counts_all();
        let call = self.0.call("query_batch", request, |points, asked| {
            // The name within each query is checked, but not used.
            let collection = points.read(&asked.collection_name, asked.read_consistency.as_ref())?;
            let answer = |ask| query(collection, ask, counts_all);
            let result = asked.query_points.iter().map(answer).collect::<Result<_, _>>()?;
            Ok(qdrant::QueryBatchResponse { result, ..Default::default() })
        });
        call.await
    }

    async fn update_vectors(&self, _: Request<qdrant::UpdatePointVectors>) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn delete_vectors(&self, _: Request<qdrant::DeletePointVectors>) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn overwrite_payload(&self, _: Request<qdrant::SetPayloadPoints>) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn delete_payload(&self, _: Request<qdrant::DeletePayloadPoints>) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn clear_payload(&self, _: Request<qdrant::ClearPayloadPoints>) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn delete_field_index(
        &self,
        _: Request<qdrant::DeleteFieldIndexCollection>,
    ) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn create_vector_name(
        &self,
        _: Request<qdrant::CreateVectorNameRequest>,
    ) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn delete_vector_name(
        &self,
        _: Request<qdrant::DeleteVectorNameRequest>,
    ) -> Reply<qdrant::PointsOperationResponse> {
        unused()
    }
    async fn search(&self, _: Request<qdrant::SearchPoints>) -> Reply<qdrant::SearchResponse> {
        unused()
    }
    async fn search_batch(&self, _: Request<qdrant::SearchBatchPoints>) -> Reply<qdrant::SearchBatchResponse> {
        unused()
    }
    async fn search_groups(&self, _: Request<qdrant::SearchPointGroups>) -> Reply<qdrant::SearchGroupsResponse> {
        unused()
    }
    async fn recommend(&self, _: Request<qdrant::RecommendPoints>) -> Reply<qdrant::RecommendResponse> {
        unused()
    }
    async fn recommend_batch(&self, _: Request<qdrant::RecommendBatchPoints>) -> Reply<qdrant::RecommendBatchResponse> {
        unused()
    }
    async fn recommend_groups(
        &self,
        _: Request<qdrant::RecommendPointGroups>,
    ) -> Reply<qdrant::RecommendGroupsResponse> {
        unused()
    }
    async fn discover(&self, _: Request<qdrant::DiscoverPoints>) -> Reply<qdrant::DiscoverResponse> {
        unused()
    }
    async fn discover_batch(&self, _: Request<qdrant::DiscoverBatchPoints>) -> Reply<qdrant::DiscoverBatchResponse> {
        unused()
    }
    async fn update_batch(&self, _: Request<qdrant::UpdateBatchPoints>) -> Reply<qdrant::UpdateBatchResponse> {
        unused()
    }
    async fn query(&self, _: Request<qdrant::QueryPoints>) -> Reply<qdrant::QueryResponse> {
        unused()
    }
    async fn query_groups(&self, _: Request<qdrant::QueryPointGroups>) -> Reply<qdrant::QueryGroupsResponse> {
        unused()
    }
    async fn facet(&self, _: Request<qdrant::FacetCounts>) -> Reply<qdrant::FacetResponse> {
        unused()
    }
    async fn search_matrix_pairs(
        &self,
        _: Request<qdrant::SearchMatrixPoints>,
    ) -> Reply<qdrant::SearchMatrixPairsResponse> {
        unused()
    }
    async fn search_matrix_offsets(
        &self,
        _: Request<qdrant::SearchMatrixPoints>,
    ) -> Reply<qdrant::SearchMatrixOffsetsResponse> {
        unused()
    }
}
