//! The main job's speed: `cargo bench`, or one group of it with `cargo bench -- load`. What was measured last is in
//! `benches/README.md`.

mod load;
mod prose;
mod search;
mod text;

use criterion::{criterion_group, criterion_main};

criterion_group! {
    name = benches;
    config = criterion::Criterion::default().sample_size(10);
    targets = text::chunking, text::terms, load::folder, search::embedding, search::stores,
        search::fusion, search::late, search::answer
}
criterion_main!(benches);
