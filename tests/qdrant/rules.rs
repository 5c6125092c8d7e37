//! The checks that the real server makes before it processes a request. `RULES.md` gives the evidence for each rule.

use std::collections::BTreeSet;

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::quantization_config::Quantization;
use qdrant_client::qdrant::vectors::VectorsOptions;
use qdrant_client::qdrant::{
    CountPoints, CreateCollection, CreateFieldIndexCollection, DeletePoints, Distance, FieldType, Filter, GetPoints,
    PointStruct, QueryBatchPoints, QueryPoints, ScrollPoints, SearchParams, SetPayloadPoints, SparseVector,
    UpsertPoints, VectorParams, query, vector, vector_input, vectors_config,
};
use tonic::Status;

/// Characters that the name of a new collection must not contain.
const FORBIDDEN: [char; 11] = ['<', '>', ':', '"', '/', '\\', '|', '?', '*', '\0', '\u{1F}'];

/// A request that can be checked.
pub trait Checked {
    /// Adds the request's faults, by field.
    fn check(&self, wrong: &mut Wrong);
}

/// The faults of a request.
#[derive(Default)]
pub struct Wrong(Vec<String>);

impl Wrong {
    fn add(&mut self, field: &str, what: &str) {
        self.0.push(format!("{field}: {what}"));
    }

    fn name(&mut self, field: &str, name: &str) {
        if name.is_empty() || name.len() > 255 {
            self.add(field, &format!("value \"{name}\" invalid, must be from 1 to 255 characters"));
        }
    }

    fn at_least<T: PartialOrd + std::fmt::Display>(&mut self, field: &str, value: Option<T>, least: T) {
        if let Some(value) = value.filter(|value| *value < least) {
            self.add(field, &format!("value {value} invalid, must be {least} or larger"));
        }
    }

    fn filter(&mut self, field: &str, filter: Option<&Filter>) {
        let Some(filter) = filter else { return };
        for condition in filter.must.iter().chain(&filter.must_not).chain(&filter.should) {
            match &condition.condition_one_of {
                Some(ConditionOneOf::Field(one)) => {
                    let says_nothing = one.r#match.is_none()
                        && one.range.is_none()
                        && one.datetime_range.is_none()
                        && one.geo_bounding_box.is_none()
                        && one.geo_radius.is_none()
                        && one.geo_polygon.is_none()
                        && one.values_count.is_none();
                    if says_nothing {
                        self.add(field, "At least one field condition must be specified");
                    }
                }
                Some(ConditionOneOf::Filter(inner)) => self.filter(field, Some(inner)),
                Some(_) => {}
                None => self.add(field, "Malformed Condition"),
            }
        }
    }

    fn sparse(&mut self, field: &str, vector: &SparseVector) {
        if vector.indices.len() != vector.values.len() {
            self.add(field, "values and indices must be the same length");
        }
        let distinct: BTreeSet<&u32> = vector.indices.iter().collect();
        if distinct.len() != vector.indices.len() {
            self.add(field, "indices must be unique");
        }
    }

    fn params(&mut self, field: &str, params: Option<&SearchParams>) {
        let quantization = params.and_then(|params| params.quantization.as_ref());
        self.at_least(field, quantization.and_then(|one| one.oversampling), 1.0);
    }

    fn dense(&mut self, field: &str, params: &VectorParams) {
        if !(1..=65_536).contains(&params.size) {
            self.add(field, &format!("value {} invalid, must be from 1 to 65536", params.size));
        }
        if matches!(Distance::try_from(params.distance), Err(_) | Ok(Distance::UnknownDistance)) {
            self.add(field, "Unknown distance");
        }
        self.at_least(field, params.hnsw_config.as_ref().and_then(|hnsw| hnsw.ef_construct), 4);
        match params.quantization_config.as_ref().map(|config| &config.quantization) {
            Some(Some(Quantization::Scalar(scalar)))
                if scalar.quantile.is_some_and(|quantile| !(0.5..=1.0).contains(&quantile)) =>
            {
                self.add(field, "quantile must be from 0.5 to 1.0");
            }
            Some(None) => self.add(field, "Unable to convert quantization config"),
            _ => {}
        }
    }

    fn point(&mut self, field: &str, point: &PointStruct) {
        let mut one = |vector: &qdrant_client::qdrant::Vector| match &vector.vector {
            Some(vector::Vector::Sparse(sparse)) => self.sparse(field, sparse),
            Some(_) => {}
            None => self.add(field, "a vector without a kind"),
        };
        match point.vectors.as_ref().and_then(|vectors| vectors.vectors_options.as_ref()) {
            Some(VectorsOptions::Vector(vector)) => one(vector),
            Some(VectorsOptions::Vectors(named)) => named.vectors.values().for_each(one),
            None => {}
        }
    }

    fn query(&mut self, field: &str, ask: &QueryPoints) {
        self.name(&format!("{field}.collection_name"), &ask.collection_name);
        self.at_least(&format!("{field}.limit"), ask.limit, 1);
        self.at_least(&format!("{field}.timeout"), ask.timeout, 1);
        self.filter(&format!("{field}.filter"), ask.filter.as_ref());
        self.params(&format!("{field}.params.quantization.oversampling"), ask.params.as_ref());
        if let Some(query::Variant::Nearest(input)) = ask.query.as_ref().and_then(|query| query.variant.as_ref()) {
            match &input.variant {
                Some(vector_input::Variant::Sparse(sparse)) => self.sparse(&format!("{field}.query"), sparse),
                Some(_) => {}
                None => self.add(&format!("{field}.query"), "Malformed VectorInput"),
            }
        }
    }
}

/// Refuses a request as the real server does, with all faults in one message.
pub fn check(request: &impl Checked) -> Result<(), Status> {
    let mut wrong = Wrong::default();
    request.check(&mut wrong);
    match wrong.0.is_empty() {
        true => Ok(()),
        false => Err(Status::invalid_argument(format!("Validation error in body: [{}]", wrong.0.join(", ")))),
    }
}

macro_rules! unchecked {
    ($($request:ty),*) => { $(impl Checked for $request { fn check(&self, _: &mut Wrong) {} })* };
}

macro_rules! named {
    ($($request:ty),*) => {
        $(impl Checked for $request {
            fn check(&self, wrong: &mut Wrong) {
                wrong.name("collection_name", &self.collection_name);
            }
        })*
    };
}

unchecked!(
    qdrant_client::qdrant::HealthCheckRequest,
    qdrant_client::qdrant::ListCollectionsRequest,
    qdrant_client::qdrant::CollectionClusterInfoRequest
);
named!(qdrant_client::qdrant::CollectionExistsRequest, DeletePoints, GetPoints);

impl Checked for qdrant_client::qdrant::DeleteCollection {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        wrong.at_least("timeout", self.timeout, 1);
    }
}

impl Checked for CreateCollection {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        if let Some(bad) = FORBIDDEN.into_iter().find(|&bad| self.collection_name.contains(bad)) {
            wrong.add("collection_name", &format!("collection name cannot contain \"{bad}\" char"));
        }
        wrong.at_least("shard_number", self.shard_number, 1);
        wrong.at_least("replication_factor", self.replication_factor, 1);
        wrong.at_least("write_consistency_factor", self.write_consistency_factor, 1);
        wrong.at_least("timeout", self.timeout, 1);
        match self.vectors_config.as_ref().map(|config| config.config.as_ref()) {
            Some(Some(vectors_config::Config::Params(params))) => wrong.dense("vectors_config.config", params),
            Some(Some(vectors_config::Config::ParamsMap(map))) => {
                map.map.values().for_each(|params| wrong.dense("vectors_config.config[]", params));
            }
            Some(None) => wrong.add("vectors_config", "config is required"),
            None => {}
        }
    }
}

impl Checked for CreateFieldIndexCollection {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        if self.field_name.is_empty() {
            wrong.add("field_name", "value \"\" invalid, must be 1 character or longer");
        }
        match self.field_type.map(FieldType::try_from) {
            Some(Ok(_)) => {}
            Some(Err(_)) => wrong.add("field_type", "cannot convert field_type"),
            None if self.field_index_params.is_none() => wrong.add("field_type", "cannot convert field_type"),
            None => {}
        }
    }
}

impl Checked for UpsertPoints {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        self.points.iter().zip(0..).for_each(|(point, nth)| wrong.point(&format!("points[{nth}].vectors"), point));
    }
}

impl Checked for SetPayloadPoints {
    fn check(&self, wrong: &mut Wrong) {
        use qdrant_client::qdrant::points_selector::PointsSelectorOneOf;
        wrong.name("collection_name", &self.collection_name);
        let selector = self.points_selector.as_ref().and_then(|one| one.points_selector_one_of.as_ref());
        if let Some(PointsSelectorOneOf::Filter(filter)) = selector {
            wrong.filter("points_selector", Some(filter));
        }
    }
}

impl Checked for ScrollPoints {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        wrong.at_least("limit", self.limit, 1);
        wrong.at_least("timeout", self.timeout, 1);
        wrong.filter("filter", self.filter.as_ref());
    }
}

impl Checked for CountPoints {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        wrong.filter("filter", self.filter.as_ref());
    }
}

impl Checked for QueryBatchPoints {
    fn check(&self, wrong: &mut Wrong) {
        wrong.name("collection_name", &self.collection_name);
        wrong.at_least("timeout", self.timeout, 1);
        self.query_points.iter().zip(0..).for_each(|(ask, nth)| wrong.query(&format!("query_points[{nth}]"), ask));
    }
}
