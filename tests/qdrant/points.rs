//! Points in memory, and what finds them.

use std::collections::{BTreeMap, HashMap};

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{Condition, FieldCondition, Filter, PointId, PointStruct, Value, vector, vectors_config};
use tonic::Status;

/// A stored point.
#[derive(Clone, Default)]
pub struct Point {
    pub payload: HashMap<String, Value>,
    pub words: Vec<(u32, f32)>,
    pub dense: Vec<f32>,
}

/// A collection of points.
#[derive(Default)]
pub struct Collection {
    pub points: BTreeMap<u64, Point>,
    pub dimension: Option<u64>,
    pub has_words: bool,
    /// By entry of the sparse vectors, the points that have it.
    postings: HashMap<u32, BTreeMap<u64, f32>>,
    with_words: usize,
}

/// All collections.
#[derive(Default)]
pub struct Points {
    pub collections: BTreeMap<String, Collection>,
}

pub fn absent(name: &str) -> Status {
    Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"))
}

pub fn number(id: Option<&PointId>) -> Result<u64, Status> {
    match id.and_then(|id| id.point_id_options.as_ref()) {
        Some(PointIdOptions::Num(number)) => Ok(*number),
        other => Err(Status::invalid_argument(format!("the stand-in knows numbers only, not {other:?}"))),
    }
}

impl Points {
    pub fn get(&mut self, name: &str) -> Result<&mut Collection, Status> {
        self.collections.get_mut(name).ok_or_else(|| absent(name))
    }
}

impl Collection {
    pub fn new(config: Option<vectors_config::Config>, has_words: bool) -> Self {
        let dimension = match config {
            Some(vectors_config::Config::Params(params)) => Some(params.size),
            _ => None,
        };
        Collection { dimension, has_words, ..Collection::default() }
    }

    pub fn remove(&mut self, id: u64) {
        if let Some(point) = self.points.remove(&id) {
            self.with_words -= usize::from(!point.words.is_empty());
            for (entry, _) in point.words {
                if let Some(posting) = self.postings.get_mut(&entry) {
                    posting.remove(&id);
                }
            }
        }
    }

    pub fn insert(&mut self, new: PointStruct) -> Result<(), Status> {
        let id = number(new.id.as_ref())?;
        let mut point = Point { payload: new.payload, ..Point::default() };
        match new.vectors.and_then(|vectors| vectors.vectors_options) {
            None => {}
            Some(VectorsOptions::Vector(one)) => match one.vector {
                Some(vector::Vector::Dense(dense)) if Some(dense.data.len() as u64) == self.dimension => {
                    // As with the real one's cosine, vectors are kept with length 1.
                    let length =
                        dense.data.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
                    point.dense = dense.data.iter().map(|value| value / length).collect();
                }
                other => {
                    return Err(Status::invalid_argument(format!("Wrong input: Vector dimension error: {other:?}")));
                }
            },
            Some(VectorsOptions::Vectors(named)) => {
                for (name, one) in named.vectors {
                    match one.vector {
                        Some(vector::Vector::Sparse(sparse)) if name == "words" && self.has_words => {
                            point.words = sparse.indices.into_iter().zip(sparse.values).collect();
                        }
                        _ => {
                            return Err(Status::invalid_argument(format!(
                                "Wrong input: Not existing vector name error: {name}"
                            )));
                        }
                    }
                }
            }
        }
        self.remove(id);
        self.with_words += usize::from(!point.words.is_empty());
        for &(entry, value) in &point.words {
            self.postings.entry(entry).or_default().insert(id, value);
        }
        self.points.insert(id, point);
        Ok(())
    }

    /// The points that a filter keeps.
    pub fn kept<'a>(&'a self, filter: Option<&'a Filter>) -> impl Iterator<Item = (u64, &'a Point)> {
        self.points.iter().map(|(&id, point)| (id, point)).filter(move |(id, point)| keeps(filter, *id, point))
    }

    /// The best points for a sparse query, each entry weighted by how rare it is.
    pub fn by_words(&self, query: &[(u32, f32)], filter: Option<&Filter>) -> Vec<(u64, f32)> {
        let mut scores: BTreeMap<u64, f32> = BTreeMap::new();
        for (entry, weight) in query {
            let Some(posting) = self.postings.get(entry) else { continue };
            let (all, holding) = (self.with_words as f32, posting.len() as f32);
            let rarity = (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln();
            for (&id, value) in posting {
                *scores.entry(id).or_default() += weight * rarity * value;
            }
        }
        let kept = |(id, _): &(u64, f32)| self.points.get(id).is_some_and(|point| keeps(filter, *id, point));
        scores.into_iter().filter(kept).collect()
    }

    /// All points with a dense vector, by cosine.
    pub fn by_vector(&self, query: &[f32], filter: Option<&Filter>) -> Vec<(u64, f32)> {
        let product = |point: &Point| point.dense.iter().zip(query).map(|(a, b)| a * b).sum();
        self.kept(filter).filter(|(_, point)| !point.dense.is_empty()).map(|(id, point)| (id, product(point))).collect()
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
