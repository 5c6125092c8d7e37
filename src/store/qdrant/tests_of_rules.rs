//! Tests that the stand-in refuses what a server refuses, with requests of a client that knows nothing of the store.

use std::collections::HashMap;
use std::future::Future;

use qdrant_client::qdrant::{
    Condition, CountPoints, CreateCollection, CreateFieldIndexCollection, DenseVector, Distance, FieldCondition,
    FieldType, GetPoints, Modifier, NamedVectors, PointId, PointStruct, PointsIdsList, PointsSelector,
    QuantizationConfig, QuantizationSearchParams, Query, QueryBatchPoints, QueryPoints, ScalarQuantization,
    ScrollPoints, SearchParams, SetPayloadPoints, SparseVector, SparseVectorConfig, SparseVectorParams, UpsertPoints,
    Value, Vector, VectorInput, VectorParams, VectorParamsMap, Vectors, VectorsConfig, points_selector,
    quantization_config, query, value, vector, vector_input, vectors, vectors_config,
};
use qdrant_client::{Qdrant, QdrantError};
use tonic::Code;

use super::super::client::vectors_of;
use super::block_on;
use super::stand_in::StandIn;

const NAME: &str = "points";

fn code<T>(answer: Result<T, QdrantError>) -> Option<Code> {
    match answer {
        Ok(_) => None,
        Err(QdrantError::ResponseError { status } | QdrantError::ResourceExhaustedError { status, .. }) => {
            Some(status.code())
        }
        Err(other) => panic!("{other}"),
    }
}

fn client(server: &StandIn) -> Qdrant {
    Qdrant::from_url(&server.url()).skip_compatibility_check().build().unwrap()
}

fn creation(name: &str) -> CreateCollection {
    let scalar = ScalarQuantization { r#type: 1, quantile: Some(0.99), ..ScalarQuantization::default() };
    let quantization = Some(quantization_config::Quantization::Scalar(scalar));
    let dense = VectorParams {
        size: 2,
        distance: Distance::Cosine.into(),
        quantization_config: Some(QuantizationConfig { quantization }),
        ..VectorParams::default()
    };
    let idf = SparseVectorParams { modifier: Some(Modifier::Idf.into()), ..SparseVectorParams::default() };
    CreateCollection {
        collection_name: name.to_owned(),
        vectors_config: Some(VectorsConfig {
            config: Some(vectors_config::Config::ParamsMap(VectorParamsMap {
                map: [("dense".to_owned(), dense)].into(),
            })),
        }),
        sparse_vectors_config: Some(SparseVectorConfig { map: [("sparse".to_owned(), idf)].into() }),
        ..CreateCollection::default()
    }
}

fn sparse(indices: &[u32]) -> SparseVector {
    SparseVector { indices: indices.to_vec(), values: vec![1.0; indices.len()] }
}

fn point(id: u64, vectors: Vec<(&str, vector::Vector)>) -> PointStruct {
    let named = vectors
        .into_iter()
        .map(|(name, vector)| (name.to_owned(), Vector { vector: Some(vector), ..Vector::default() }));
    let named = NamedVectors { vectors: named.collect() };
    let vectors = Vectors { vectors_options: Some(vectors::VectorsOptions::Vectors(named)) };
    let payload = HashMap::from([("kind".to_owned(), Value::from("a")), ("other".to_owned(), Value::from("b"))]);
    PointStruct { id: Some(PointId::from(id)), payload, vectors: Some(vectors) }
}

fn dense(data: &[f32]) -> vector::Vector {
    vector::Vector::Dense(DenseVector { data: data.to_vec() })
}

fn words(indices: &[u32]) -> vector::Vector {
    vector::Vector::Sparse(sparse(indices))
}

fn upsert(points: Vec<PointStruct>) -> UpsertPoints {
    UpsertPoints { collection_name: NAME.to_owned(), points, ..UpsertPoints::default() }
}

fn asking(variant: vector_input::Variant, using: &str) -> QueryPoints {
    let nearest = query::Variant::Nearest(VectorInput { variant: Some(variant) });
    QueryPoints {
        collection_name: NAME.to_owned(),
        query: Some(Query { variant: Some(nearest) }),
        using: Some(using.to_owned()),
        limit: Some(3),
        ..QueryPoints::default()
    }
}

fn by_dense(data: &[f32]) -> QueryPoints {
    asking(vector_input::Variant::Dense(DenseVector { data: data.to_vec() }), "dense")
}

fn by_words(indices: &[u32]) -> QueryPoints {
    asking(vector_input::Variant::Sparse(sparse(indices)), "sparse")
}

fn batch(query_points: Vec<QueryPoints>) -> QueryBatchPoints {
    QueryBatchPoints { collection_name: NAME.to_owned(), query_points, ..QueryBatchPoints::default() }
}

/// Runs `work` on a server with one point of each kind of vector.
fn filled(work: impl AsyncFnOnce(&StandIn, &Qdrant)) {
    let server = StandIn::start(None);
    block_on(async {
        let qdrant = client(&server);
        qdrant.create_collection(creation(NAME)).await.unwrap();
        let points = vec![point(1, vec![("dense", dense(&[1.0, 0.0]))]), point(2, vec![("sparse", words(&[7]))])];
        qdrant.upsert_points(upsert(points)).await.unwrap();
        work(&server, &qdrant).await;
    });
}

async fn check<T>(what: &str, answer: impl Future<Output = Result<T, QdrantError>>, expected: Option<Code>) {
    assert_eq!(code(answer.await), expected, "{what}");
}

const BAD: Option<Code> = Some(Code::InvalidArgument);

#[test]
fn collections_are_made_by_the_rules() {
    filled(async |_, qdrant| {
        let with = |change: &dyn Fn(&mut CreateCollection)| {
            let mut creation = creation("another");
            change(&mut creation);
            creation
        };
        check("taken", qdrant.create_collection(creation(NAME)), Some(Code::AlreadyExists)).await;
        check("no name", qdrant.create_collection(creation("")), BAD).await;
        check("a long name", qdrant.create_collection(creation(&"n".repeat(256))), BAD).await;
        check("a name with a slash", qdrant.create_collection(creation("a/b")), BAD).await;
        check("no shards", qdrant.create_collection(with(&|one| one.shard_number = Some(0))), BAD).await;
        check("no copies", qdrant.create_collection(with(&|one| one.replication_factor = Some(0))), BAD).await;
        check("no consistency", qdrant.create_collection(with(&|one| one.write_consistency_factor = Some(0))), BAD)
            .await;
        let params = |change: &dyn Fn(&mut VectorParams)| {
            with(&|one| {
                let config = one.vectors_config.as_mut().and_then(|config| config.config.as_mut());
                let Some(vectors_config::Config::ParamsMap(map)) = config else { panic!("another config") };
                map.map.values_mut().for_each(change);
            })
        };
        check("no dimensions", qdrant.create_collection(params(&|one| one.size = 0)), BAD).await;
        check("too many dimensions", qdrant.create_collection(params(&|one| one.size = 65_537)), BAD).await;
        check("no distance", qdrant.create_collection(params(&|one| one.distance = 0)), BAD).await;
        let quantile = params(&|one| {
            let scalar = ScalarQuantization { r#type: 1, quantile: Some(0.2), ..ScalarQuantization::default() };
            let quantization = Some(quantization_config::Quantization::Scalar(scalar));
            one.quantization_config = Some(QuantizationConfig { quantization });
        });
        check("a small quantile", qdrant.create_collection(quantile), BAD).await;
        check("all good", qdrant.create_collection(with(&|_| {})), None).await;
        let index = |name: &str, kind: Option<FieldType>| CreateFieldIndexCollection {
            collection_name: NAME.to_owned(),
            field_name: name.to_owned(),
            field_type: kind.map(Into::into),
            ..CreateFieldIndexCollection::default()
        };
        check("a field without a name", qdrant.create_field_index(index("", Some(FieldType::Keyword))), BAD).await;
        check("a field without a type", qdrant.create_field_index(index("kind", None)), BAD).await;
        check("an index", qdrant.create_field_index(index("kind", Some(FieldType::Keyword))), None).await;
    });
}

#[test]
fn points_are_written_by_the_rules() {
    filled(async |_, qdrant| {
        check("twice in a vector", qdrant.upsert_points(upsert(vec![point(3, vec![("sparse", words(&[7, 7]))])])), BAD)
            .await;
        let uneven = vector::Vector::Sparse(SparseVector { indices: vec![1, 2], values: vec![1.0] });
        check("uneven", qdrant.upsert_points(upsert(vec![point(3, vec![("sparse", uneven)])])), BAD).await;
        check("no such vector", qdrant.upsert_points(upsert(vec![point(3, vec![("other", words(&[7]))])])), BAD).await;
        check("another dimension", qdrant.upsert_points(upsert(vec![point(3, vec![("dense", dense(&[1.0]))])])), BAD)
            .await;
        check("no id", qdrant.upsert_points(upsert(vec![PointStruct { id: None, ..point(3, vec![]) }])), BAD).await;
        check("no vectors", qdrant.upsert_points(upsert(vec![point(3, vec![])])), None).await;
        let set = |id: u64| SetPayloadPoints {
            collection_name: NAME.to_owned(),
            payload: [("kind".to_owned(), Value { kind: Some(value::Kind::NullValue(0)) })].into(),
            points_selector: Some(PointsSelector {
                points_selector_one_of: Some(points_selector::PointsSelectorOneOf::Points(PointsIdsList {
                    ids: vec![PointId::from(id)],
                })),
            }),
            ..SetPayloadPoints::default()
        };
        check("of no point", qdrant.set_payload(set(99)), Some(Code::NotFound)).await;
        check("of a point", qdrant.set_payload(set(1)), None).await;
        let get = |vectors: &[&str]| GetPoints {
            collection_name: NAME.to_owned(),
            ids: vec![PointId::from(1)],
            with_vectors: vectors_of(vectors),
            ..GetPoints::default()
        };
        let found = qdrant.get_points(get(&["dense"])).await.unwrap().result;
        let fields: Vec<&String> = found[0].payload.keys().collect();
        assert_eq!(fields, ["other"], "a field that is set to null goes, and unsaid the payload comes");
        check("a vector that is not there", qdrant.get_points(get(&["other"])), BAD).await;
    });
}

#[test]
fn searches_are_made_by_the_rules() {
    filled(async |server, qdrant| {
        let unnamed = || QueryPoints { collection_name: String::new(), ..by_words(&[7]) };
        check("unnamed in a batch", qdrant.query_batch(batch(vec![by_words(&[7]), unnamed()])), BAD).await;
        assert!(qdrant.query_batch(batch((0..2_000).map(|_| unnamed()).collect())).await.is_err(), "many of them");
        check("none at all", qdrant.query_batch(batch(vec![QueryPoints { limit: Some(0), ..by_words(&[7]) }])), BAD)
            .await;
        let params = |oversampling| {
            let quantization = QuantizationSearchParams { oversampling, ..QuantizationSearchParams::default() };
            Some(SearchParams { quantization: Some(quantization), ..SearchParams::default() })
        };
        let sampled = |oversampling| QueryPoints { params: params(oversampling), ..by_dense(&[1.0, 0.0]) };
        check("fewer than asked", qdrant.query_batch(batch(vec![sampled(Some(0.5))])), BAD).await;
        check("more than asked", qdrant.query_batch(batch(vec![sampled(Some(2.0))])), None).await;
        check("twice in a query", qdrant.query_batch(batch(vec![by_words(&[7, 7])])), BAD).await;
        check("another dimension", qdrant.query_batch(batch(vec![by_dense(&[1.0])])), BAD).await;
        let other = QueryPoints { using: Some("other".to_owned()), ..by_words(&[7]) };
        check("no such vector", qdrant.query_batch(batch(vec![other])), BAD).await;
        let sent = QueryPoints { with_vectors: vectors_of(&["other"]), ..by_words(&[7]) };
        check("sent with no such vector", qdrant.query_batch(batch(vec![sent])), BAD).await;
        let nothing = Condition {
            condition_one_of: Some(qdrant_client::qdrant::condition::ConditionOneOf::Field(FieldCondition {
                key: "kind".to_owned(),
                ..FieldCondition::default()
            })),
        };
        let filter = Some(qdrant_client::qdrant::Filter::must([nothing]));
        let count = CountPoints { collection_name: NAME.to_owned(), filter, ..CountPoints::default() };
        check("a condition that says nothing", qdrant.count(count), BAD).await;
        let scroll =
            |name: &str, limit| ScrollPoints { collection_name: name.to_owned(), limit, ..ScrollPoints::default() };
        check("a page of none", qdrant.scroll(scroll(NAME, Some(0))), BAD).await;
        check("of no collection", qdrant.scroll(scroll("other", None)), Some(Code::NotFound)).await;
        // One of two points has words: newer servers count only that one, older ones both.
        let rarity = async |version: &str| {
            server.set_version(version);
            qdrant.query_batch(batch(vec![by_words(&[7])])).await.unwrap().result[0].result[0].score
        };
        let (newer, older) = (rarity("1.15.0").await, rarity("1.14.0").await);
        assert!(older > newer, "{older} {newer}");
    });
}
