//! The calls, as the traits have them.

use std::collections::HashMap;
use std::sync::Arc;

use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
use qdrant_client::qdrant::query::Variant;
use qdrant_client::qdrant::with_payload_selector::SelectorOptions;
use qdrant_client::qdrant::{
    self, PointId, PointsSelector, Value, WithPayloadSelector, collections_server, points_server, qdrant_server,
    vector_input, vector_output, vectors_output,
};
use tonic::{Request, Response, Status};

use super::points::{Collection, Point, absent, number};
use super::{Shared, lock};

type Reply<T> = Result<Response<T>, Status>;

/// The service, for each of its traits.
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
        Some(PointsSelectorOneOf::Filter(filter)) => Ok(collection.kept(Some(&filter)).map(|(id, _)| id).collect()),
        None => Err(Status::invalid_argument("no points are selected")),
    }
}

fn payload(point: &Point, wanted: Option<&WithPayloadSelector>) -> HashMap<String, Value> {
    match wanted.and_then(|wanted| wanted.selector_options.as_ref()) {
        Some(SelectorOptions::Enable(true)) => point.payload.clone(),
        Some(SelectorOptions::Include(names)) => {
            let kept = |name: &String| Some((name.clone(), point.payload.get(name)?.clone()));
            names.fields.iter().filter_map(kept).collect()
        }
        _ => HashMap::new(),
    }
}

fn vectors(point: &Point, wanted: Option<&qdrant::WithVectorsSelector>) -> Option<qdrant::VectorsOutput> {
    let enabled = qdrant::with_vectors_selector::SelectorOptions::Enable(true);
    wanted.filter(|wanted| wanted.selector_options.as_ref() == Some(&enabled))?;
    let output = |vector| qdrant::VectorOutput { vector: Some(vector), ..Default::default() };
    let options = if point.dense.is_empty() {
        let (indices, values) = point.words.iter().copied().unzip();
        let words = output(vector_output::Vector::Sparse(qdrant::SparseVector { indices, values }));
        let vectors = HashMap::from([("words".to_owned(), words)]);
        vectors_output::VectorsOptions::Vectors(qdrant::NamedVectorsOutput { vectors })
    } else {
        let dense = qdrant::DenseVector { data: point.dense.clone() };
        vectors_output::VectorsOptions::Vector(output(vector_output::Vector::Dense(dense)))
    };
    Some(qdrant::VectorsOutput { vectors_options: Some(options) })
}

fn query(collection: &Collection, ask: &qdrant::QueryPoints) -> Result<qdrant::BatchResult, Status> {
    let input = match ask.query.as_ref().and_then(|query| query.variant.as_ref()) {
        Some(Variant::Nearest(input)) => input.variant.as_ref(),
        other => return Err(Status::invalid_argument(format!("the stand-in does not know {other:?}"))),
    };
    let mut found = match input {
        Some(vector_input::Variant::Sparse(words)) if ask.using.as_deref() == Some("words") && collection.has_words => {
            let words: Vec<(u32, f32)> = words.indices.iter().copied().zip(words.values.iter().copied()).collect();
            collection.by_words(&words, ask.filter.as_ref())
        }
        Some(vector_input::Variant::Dense(vector)) if Some(vector.data.len() as u64) == collection.dimension => {
            collection.by_vector(&vector.data, ask.filter.as_ref())
        }
        _ => return Err(Status::invalid_argument("Wrong input: Vector dimension error")),
    };
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(ask.limit.unwrap_or(10) as usize);
    let scored = found.into_iter().filter_map(|(id, score)| {
        let point = collection.points.get(&id)?;
        Some(qdrant::ScoredPoint {
            id: Some(PointId::from(id)),
            payload: payload(point, ask.with_payload.as_ref()),
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
        payload: payload(point, with_payload),
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
            if points.collections.contains_key(&asked.collection_name) {
                let name = asked.collection_name;
                return Err(Status::invalid_argument(format!("Wrong input: Collection `{name}` already exists!")));
            }
            let has_words = asked.sparse_vectors_config.is_some_and(|config| config.map.contains_key("words"));
            let config = asked.vectors_config.and_then(|config| config.config);
            points.collections.insert(asked.collection_name, Collection::new(config, has_words));
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
            let collection = points.get(&asked.collection_name)?;
            let shard = qdrant::LocalShardInfo {
                shard_id: 0,
                points_count: collection.points.len() as u64,
                state: qdrant::ReplicaState::Active.into(),
                shard_key: None,
            };
            Ok(qdrant::CollectionClusterInfoResponse {
                peer_id: 1,
                shard_count: 1,
                local_shards: vec![shard],
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
            let collection = points.get(&asked.collection_name)?;
            asked.points.into_iter().try_for_each(|point| collection.insert(point))?;
            Ok(done())
        });
        call.await
    }

    async fn delete(&self, request: Request<qdrant::DeletePoints>) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("delete", request, |points, asked| {
            let collection = points.get(&asked.collection_name)?;
            for id in selected(collection, asked.points)? {
                collection.remove(id);
            }
            Ok(done())
        });
        call.await
    }

    async fn get(&self, request: Request<qdrant::GetPoints>) -> Reply<qdrant::GetResponse> {
        let call = self.0.call("get", request, |points, asked| {
            let collection = points.collections.get(&asked.collection_name);
            let collection = collection.ok_or_else(|| absent(&asked.collection_name))?;
            let mut result = Vec::new();
            for id in &asked.ids {
                let id = number(Some(id))?;
                if let Some(point) = collection.points.get(&id) {
                    result.push(retrieved(id, point, asked.with_payload.as_ref(), asked.with_vectors.as_ref()));
                }
            }
            Ok(qdrant::GetResponse { result, ..Default::default() })
        });
        call.await
    }

    async fn set_payload(&self, request: Request<qdrant::SetPayloadPoints>) -> Reply<qdrant::PointsOperationResponse> {
        let call = self.0.call("set_payload", request, |points, asked| {
            let collection = points.get(&asked.collection_name)?;
            for id in selected(collection, asked.points_selector)? {
                if let Some(point) = collection.points.get_mut(&id) {
                    point.payload.extend(asked.payload.clone());
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
            points.get(&asked.collection_name)?;
            Ok(done())
        });
        call.await
    }

    async fn scroll(&self, request: Request<qdrant::ScrollPoints>) -> Reply<qdrant::ScrollResponse> {
        let call = self.0.call("scroll", request, |points, asked| {
            let collection = points.get(&asked.collection_name)?;
            let from = asked.offset.as_ref().map(|id| number(Some(id))).transpose()?.unwrap_or(0);
            let limit = asked.limit.unwrap_or(10) as usize;
            let mut kept = collection.kept(asked.filter.as_ref()).filter(|(id, _)| *id >= from);
            let page = kept.by_ref().take(limit);
            let result = page
                .map(|(id, point)| retrieved(id, point, asked.with_payload.as_ref(), asked.with_vectors.as_ref()))
                .collect();
            let next_page_offset = kept.next().map(|(id, _)| PointId::from(id));
            Ok(qdrant::ScrollResponse { next_page_offset, result, ..Default::default() })
        });
        call.await
    }

    async fn count(&self, request: Request<qdrant::CountPoints>) -> Reply<qdrant::CountResponse> {
        let call = self.0.call("count", request, |points, asked| {
            let count = points.get(&asked.collection_name)?.kept(asked.filter.as_ref()).count() as u64;
            Ok(qdrant::CountResponse { result: Some(qdrant::CountResult { count }), ..Default::default() })
        });
        call.await
    }

    async fn query_batch(&self, request: Request<qdrant::QueryBatchPoints>) -> Reply<qdrant::QueryBatchResponse> {
        let call = self.0.call("query_batch", request, |points, asked| {
            let collection = points.get(&asked.collection_name)?;
            let result = asked.query_points.iter().map(|ask| query(collection, ask)).collect::<Result<_, _>>()?;
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
