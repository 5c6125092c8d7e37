//! Points in memory, in shards that count and search independently, with copies on nodes that can be lost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::quantization_config::Quantization;
use qdrant_client::qdrant::read_consistency;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{
    Condition, CreateCollection, FieldCondition, Filter, Modifier, PointId, PointStruct, ReadConsistency,
    ReadConsistencyType, SearchParams, Value, Vector, VectorParams, WriteOrdering, WriteOrderingType, vector,
    vectors_config,
};
use tonic::Status;

/// A stored point.
#[derive(Clone, Default)]
pub struct Point {
    pub payload: HashMap<String, Value>,
    pub sparse: BTreeMap<String, Vec<(u32, f32)>>,
    pub dense: BTreeMap<String, Vec<f32>>,
}

/// A copy of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replica {
    pub node: usize,
    /// The cluster's belief: a lost node counts as active until a write to it has failed.
    pub is_active: bool,
}

/// A part of a collection. All of its copies hold the same points, since a write goes to all active ones.
#[derive(Default)]
pub struct Shard {
    pub points: BTreeMap<u64, Point>,
    pub replicas: Vec<Replica>,
    /// The points with each entry of each sparse vector.
    postings: HashMap<(String, u32), BTreeMap<u64, f32>>,
    /// The number of points with a sparse vector.
    with_sparse: usize,
    /// The largest component of a dense vector, which sets the step of quantization.
    largest: f32,
}

/// A collection of points.
pub struct Collection {
    pub shards: Vec<Shard>,
    dense: BTreeMap<String, Dense>,
    /// Sparse vectors by name, and whether the server weights them by rarity.
    sparse: BTreeMap<String, bool>,
    write_consistency: usize,
}

struct Dense {
    size: u64,
    is_quantized: bool,
}

/// All collections, and the nodes that hold them.
pub struct Points {
    pub collections: BTreeMap<String, Collection>,
    pub nodes: usize,
    pub lost: BTreeSet<usize>,
}

pub fn absent(name: &str) -> Status {
    Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"))
}

pub fn number(id: Option<&PointId>) -> Result<u64, Status> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(PointIdOptions::Num(number)) => Ok(*number),
        Some(other) => Err(Status::invalid_argument(format!("the stand-in knows numbers only, not {other:?}"))),
        None => Err(Status::invalid_argument("Empty ID is not allowed")),
    }
}

fn no_vector(name: &str) -> Status {
    Status::invalid_argument(format!("Wrong input: Not existing vector name error: {name}"))
}

fn wrong_dimension(expected: u64, found: usize) -> Status {
    Status::invalid_argument(format!("Wrong input: Vector dimension error: expected dim: {expected}, got {found}"))
}

impl Points {
    pub fn new(nodes: usize) -> Self {
        Points { collections: BTreeMap::new(), nodes, lost: BTreeSet::new() }
    }

    pub fn create(&mut self, asked: CreateCollection) -> Result<(), Status> {
        let name = asked.collection_name.clone();
        if self.collections.contains_key(&name) {
            return Err(Status::already_exists(format!("Wrong input: Collection `{name}` already exists!")));
        }
        let alive: Vec<usize> = (0..self.nodes).filter(|node| !self.lost.contains(node)).collect();
        let copies = (asked.replication_factor.unwrap_or(1) as usize).min(alive.len());
        let shards = asked.shard_number.map_or(self.nodes, |number| number as usize);
        let replicas = |shard: usize| {
            let node = |copy| alive[(shard + copy) % alive.len()];
            (0..copies).map(|copy| Replica { node: node(copy), is_active: true }).collect()
        };
        let shards = (0..shards).map(|shard| Shard { replicas: replicas(shard), ..Shard::default() }).collect();
        self.collections.insert(name, Collection::new(asked, shards));
        Ok(())
    }

    /// The collection for reading, if every shard has enough copies for the requested consistency.
    pub fn read(&mut self, name: &str, consistency: Option<&ReadConsistency>) -> Result<&mut Collection, Status> {
        let collection = self.collections.get_mut(name).ok_or_else(|| absent(name))?;
        for (nth, shard) in collection.shards.iter().enumerate() {
            let all = shard.replicas.len();
            let wanted = match consistency.and_then(|one| one.value.as_ref()) {
                None => 1,
                Some(read_consistency::Value::Factor(factor)) => (*factor as usize).clamp(1, all),
                Some(read_consistency::Value::Type(kind)) => match ReadConsistencyType::try_from(*kind) {
                    Ok(ReadConsistencyType::All) => all,
                    Ok(ReadConsistencyType::Majority | ReadConsistencyType::Quorum) => all / 2 + 1,
                    Err(_) => return Err(Status::invalid_argument("invalid read consistency type value")),
                },
            };
            let answering = shard.replicas.iter().filter(|one| one.is_active && !self.lost.contains(&one.node)).count();
            if answering < wanted {
                return Err(Status::internal(format!(
                    "Service internal error: The replica set for shard {nth} on peer 1 does not have enough active \
                     replicas"
                )));
            }
        }
        Ok(collection)
    }

    /// The collection for writing, if every shard has enough copies. The loss of a node is noticed by the write that
    /// fails.
    pub fn write(&mut self, name: &str, ordering: Option<&WriteOrdering>) -> Result<&mut Collection, Status> {
        let lost = &self.lost;
        let collection = self.collections.get_mut(name).ok_or_else(|| absent(name))?;
        let kind = match ordering.map(|ordering| WriteOrderingType::try_from(ordering.r#type)) {
            None => WriteOrderingType::Weak,
            Some(Ok(kind)) => kind,
            Some(Err(_)) => return Err(Status::invalid_argument("invalid write ordering type value")),
        };
        for shard in &mut collection.shards {
            let active = shard.replicas.iter_mut().filter(|one| one.is_active);
            let leader = match kind {
                WriteOrderingType::Weak => None,
                WriteOrderingType::Medium => active.max_by_key(|one| one.node),
                WriteOrderingType::Strong => shard.replicas.iter_mut().max_by_key(|one| one.node),
            };
            if let Some(leader) = leader
                && lost.contains(&leader.node)
            {
                leader.is_active = false;
                return Err(Status::internal(format!(
                    "Service internal error: Failed to apply update with {kind:?} ordering via leader peer {}: Service \
                     internal error: Tonic error: The service is currently unavailable: tcp connect error",
                    leader.node,
                )));
            }
            for replica in &mut shard.replicas {
                replica.is_active &= !lost.contains(&replica.node);
            }
            let active = shard.replicas.iter().filter(|one| one.is_active).count();
            if active < collection.write_consistency.min(shard.replicas.len()).max(1) {
                return Err(Status::internal(format!(
                    "Service internal error: Failed to apply operation to at least {} `Active` replicas",
                    collection.write_consistency
                )));
            }
        }
        Ok(collection)
    }
}

impl Collection {
    fn new(asked: CreateCollection, shards: Vec<Shard>) -> Self {
        let dense = |params: &VectorParams| {
            let quantization = params.quantization_config.as_ref().and_then(|config| config.quantization.as_ref());
            Dense { size: params.size, is_quantized: matches!(quantization, Some(Quantization::Scalar(_))) }
        };
        let dense = match asked.vectors_config.and_then(|config| config.config) {
            Some(vectors_config::Config::Params(params)) => [(String::new(), dense(&params))].into(),
            Some(vectors_config::Config::ParamsMap(map)) => {
                map.map.iter().map(|(name, params)| (name.clone(), dense(params))).collect()
            }
            None => BTreeMap::new(),
        };
        let sparse = asked.sparse_vectors_config.map(|config| config.map).unwrap_or_default();
        let sparse = sparse.into_iter().map(|(name, params)| (name, params.modifier == Some(Modifier::Idf.into())));
        let write_consistency = asked.write_consistency_factor.unwrap_or(1) as usize;
        Collection { shards, dense, sparse: sparse.collect(), write_consistency }
    }

    fn shard_of(&mut self, id: u64) -> &mut Shard {
        let count = self.shards.len() as u64;
        // The finalizer of splitmix64, so that neighbouring ids fall into different shards.
        let mut mixed = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let at = (mixed ^ (mixed >> 31)) % count;
        &mut self.shards[at as usize]
    }

    pub fn get(&mut self, id: u64) -> Option<&mut Point> {
        self.shard_of(id).points.get_mut(&id)
    }

    pub fn remove(&mut self, id: u64) {
        self.shard_of(id).remove(id);
    }

    pub fn insert(&mut self, new: PointStruct) -> Result<(), Status> {
        let id = number(new.id.as_ref())?;
        let mut point = Point { payload: new.payload, ..Point::default() };
        let named: Vec<(String, Vector)> = match new.vectors.and_then(|vectors| vectors.vectors_options) {
            None => return Err(Status::invalid_argument("Expected some vectors")),
            Some(VectorsOptions::Vector(one)) => vec![(String::new(), one)],
            Some(VectorsOptions::Vectors(named)) => named.vectors.into_iter().collect(),
        };
        for (name, one) in named {
            match (one.vector, self.dense.get(&name), self.sparse.contains_key(&name)) {
                (Some(vector::Vector::Dense(dense)), Some(known), _) => {
                    if dense.data.len() as u64 != known.size {
                        return Err(wrong_dimension(known.size, dense.data.len()));
                    }
                    // Vectors are stored with length 1, as the real server does for cosine.
                    let length = dense.data.iter().map(|value| value * value).sum::<f32>().sqrt();
                    let unit = dense.data.iter().map(|value| value / length.max(f32::MIN_POSITIVE)).collect();
                    point.dense.insert(name, unit);
                }
                (Some(vector::Vector::Sparse(sparse)), _, true) => {
                    let entries = sparse.indices.into_iter().zip(sparse.values).collect();
                    point.sparse.insert(name, entries);
                }
                _ => return Err(no_vector(&name)),
            }
        }
        self.shard_of(id).put(id, point);
        Ok(())
    }

    /// Refuses requests for vectors that the collection does not have.
    pub fn check_vectors(&self, names: &[String]) -> Result<(), Status> {
        match names.iter().find(|name| !self.dense.contains_key(*name) && !self.sparse.contains_key(*name)) {
            Some(name) => Err(no_vector(name)),
            None => Ok(()),
        }
    }

    pub fn all(&self) -> impl Iterator<Item = (u64, &Point)> {
        self.shards.iter().flat_map(|shard| &shard.points).map(|(&id, point)| (id, point))
    }

    /// The points that a filter admits, by id.
    pub fn kept(&self, filter: Option<&Filter>) -> BTreeMap<u64, &Point> {
        self.all().filter(|(id, point)| keeps(filter, *id, point)).collect()
    }

    /// The best points for a sparse query. Each shard answers independently, with its own rarities if the vector is
    /// weighted by them.
    pub fn by_sparse(
        &self,
        name: &str,
        query: &[(u32, f32)],
        filter: Option<&Filter>,
        limit: usize,
        counts_all: bool,
    ) -> Result<Vec<(u64, f32)>, Status> {
        let is_weighed = *self.sparse.get(name).ok_or_else(|| no_vector(name))?;
        let of_shard = |shard: &Shard| shard.by_sparse(name, query, filter, limit, is_weighed.then_some(counts_all));
        Ok(best(self.shards.iter().flat_map(of_shard).collect(), limit))
    }

    /// The nearest points. Quantized vectors are compared in steps, and compared again in full only if the request asks
    /// for it.
    pub fn by_dense(
        &self,
        name: &str,
        query: &[f32],
        filter: Option<&Filter>,
        limit: usize,
        params: Option<&SearchParams>,
    ) -> Result<Vec<(u64, f32)>, Status> {
        let known = self.dense.get(name).ok_or_else(|| no_vector(name))?;
        if query.len() as u64 != known.size {
            return Err(wrong_dimension(known.size, query.len()));
        }
        let is_exact = params.is_some_and(|params| params.exact == Some(true));
        let quantization = params.and_then(|params| params.quantization);
        let is_rough = known.is_quantized && !is_exact && quantization.and_then(|one| one.ignore) != Some(true);
        let is_rescored = quantization.and_then(|one| one.rescore) == Some(true);
        let oversampling = quantization.and_then(|one| one.oversampling).unwrap_or(1.0);
        let length = query.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        let query: Vec<f32> = query.iter().map(|value| value / length).collect();
        let of_shard = |shard: &Shard| {
            if !is_rough {
                return shard.by_dense(name, &query, filter, limit, None);
            }
            let rough =
                shard.by_dense(name, &query, filter, (limit as f64 * oversampling) as usize, Some(shard.largest));
            match is_rescored {
                false => best(rough, limit),
                true => best(rough.into_iter().map(|(id, _)| (id, shard.product(name, id, &query))).collect(), limit),
            }
        };
        Ok(best(self.shards.iter().flat_map(of_shard).collect(), limit))
    }
}

fn best(mut found: Vec<(u64, f32)>, limit: usize) -> Vec<(u64, f32)> {
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(limit);
    found
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Shard {
    fn put(&mut self, id: u64, point: Point) {
        self.remove(id);
        self.with_sparse += usize::from(!point.sparse.is_empty());
        for (name, entries) in &point.sparse {
            for &(entry, value) in entries {
                self.postings.entry((name.clone(), entry)).or_default().insert(id, value);
            }
        }
        let largest = point.dense.values().flatten().map(|value| value.abs()).fold(self.largest, f32::max);
        self.largest = largest;
        self.points.insert(id, point);
    }

    fn remove(&mut self, id: u64) {
        if let Some(point) = self.points.remove(&id) {
            self.with_sparse -= usize::from(!point.sparse.is_empty());
            for (name, entries) in point.sparse {
                for (entry, _) in entries {
                    if let Some(posting) = self.postings.get_mut(&(name.clone(), entry)) {
                        posting.remove(&id);
                    }
                }
            }
        }
    }

    fn by_sparse(
        &self,
        name: &str,
        query: &[(u32, f32)],
        filter: Option<&Filter>,
        limit: usize,
        weighed: Option<bool>,
    ) -> Vec<(u64, f32)> {
        let mut scores: BTreeMap<u64, f32> = BTreeMap::new();
        for (entry, weight) in query {
            let Some(posting) = self.postings.get(&(name.to_owned(), *entry)) else { continue };
            let rarity = match weighed {
                None => 1.0,
                Some(counts_all) => {
                    let all = if counts_all { self.points.len() } else { self.with_sparse } as f32;
                    let holding = posting.len() as f32;
                    (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln()
                }
            };
            for (&id, value) in posting {
                *scores.entry(id).or_default() += weight * rarity * value;
            }
        }
        let kept = |(id, _): &(u64, f32)| self.points.get(id).is_some_and(|point| keeps(filter, *id, point));
        best(scores.into_iter().filter(kept).collect(), limit)
    }

    /// With `largest`, each component is rounded to a multiple of 1/127 of it.
    fn by_dense(
        &self,
        name: &str,
        query: &[f32],
        filter: Option<&Filter>,
        limit: usize,
        largest: Option<f32>,
    ) -> Vec<(u64, f32)> {
        let score = |vector: &Vec<f32>| match largest {
            None => dot(vector, query),
            Some(largest) => {
                let step = (largest / 127.0).max(f32::MIN_POSITIVE);
                vector.iter().zip(query).map(|(a, b)| (a / step).round() * step * b).sum()
            }
        };
        let kept = self.points.iter().filter(|(id, point)| keeps(filter, **id, point));
        best(kept.filter_map(|(&id, point)| Some((id, score(point.dense.get(name)?)))).collect(), limit)
    }

    fn product(&self, name: &str, id: u64, query: &[f32]) -> f32 {
        self.points.get(&id).and_then(|point| point.dense.get(name)).map_or(0.0, |vector| dot(vector, query))
    }
}

pub fn keeps(filter: Option<&Filter>, id: u64, point: &Point) -> bool {
    let Some(filter) = filter else { return true };
    filter.must.iter().all(|one| meets(one, id, point))
        && !filter.must_not.iter().any(|one| meets(one, id, point))
        && (filter.should.is_empty() || filter.should.iter().any(|one| meets(one, id, point)))
}

fn meets(condition: &Condition, id: u64, point: &Point) -> bool {
    match &condition.condition_one_of {
        Some(ConditionOneOf::HasId(ids)) => ids.has_id.iter().any(|one| number(Some(one)).ok() == Some(id)),
        Some(ConditionOneOf::Field(field)) => match point.payload.get(&field.key).and_then(|value| value.kind.as_ref())
        {
            Some(Kind::ListValue(list)) => {
                list.values.iter().filter_map(|one| one.kind.as_ref()).any(|one| has(field, one))
            }
            Some(one) => has(field, one),
            None => false,
        },
        other => panic!("the stand-in does not know {other:?}"),
    }
}

fn has(field: &FieldCondition, value: &Kind) -> bool {
    if let Some(range) = &field.range {
        let Kind::IntegerValue(value) = value else { return false };
        let value = *value as f64;
        return range.lt.is_none_or(|limit| value < limit)
            && range.lte.is_none_or(|limit| value <= limit)
            && range.gt.is_none_or(|limit| value > limit)
            && range.gte.is_none_or(|limit| value >= limit);
    }
    match (field.r#match.as_ref().and_then(|one| one.match_value.as_ref()), value) {
        (Some(MatchValue::Keyword(wanted)), Kind::StringValue(value)) => wanted == value,
        (Some(MatchValue::Keywords(wanted)), Kind::StringValue(value)) => wanted.strings.contains(value),
        (Some(MatchValue::Integer(wanted)), Kind::IntegerValue(value)) => wanted == value,
        (Some(MatchValue::Integers(wanted)), Kind::IntegerValue(value)) => wanted.integers.contains(value),
        (
            Some(MatchValue::Keyword(_) | MatchValue::Keywords(_) | MatchValue::Integer(_) | MatchValue::Integers(_)),
            _,
        ) => false,
        (other, _) => panic!("the stand-in does not know {other:?}"),
    }
}
