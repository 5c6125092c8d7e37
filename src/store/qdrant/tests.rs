//! The store against a stand-in for the server; see there for what that does not prove.

use std::time::Duration;

use super::*;
use crate::store::conformance::{
    a_large_document, block_on, every_operation, filters, like_a_map, reembedding, steps,
};
use proptest::prelude::*;

#[path = "../../../tests/qdrant/mod.rs"]
mod stand_in;

use stand_in::StandIn;

fn options(server: &StandIn) -> QdrantOptions {
    QdrantOptions {
        url: server.url(),
        timeout: Duration::from_secs(20),
        retries: 0,
        retry_pause: Duration::ZERO,
        patience: Duration::ZERO,
        ..QdrantOptions::default()
    }
}

fn open(server: &StandIn) -> QdrantStore {
    QdrantStore::open(options(server)).unwrap()
}

#[test]
fn it_does_every_operation() {
    let server = StandIn::start(None);
    block_on(async { every_operation(&open(&server)).await });
}

#[test]
fn it_holds_a_large_document() {
    let server = StandIn::start(None);
    block_on(async { a_large_document(&open(&server)).await });
}

#[test]
fn it_finds_what_a_filter_admits() {
    let server = StandIn::start(None);
    block_on(async { filters(&open(&server)).await });
}

#[test]
fn it_takes_the_vectors_of_another_embedder() {
    let server = StandIn::start(None);
    block_on(reembedding(open(&server), |store| {
        drop(store);
        open(&server)
    }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_like_a_map(steps in steps()) {
        let server = StandIn::start(None);
        block_on(like_a_map(steps, || open(&server)));
    }
}
