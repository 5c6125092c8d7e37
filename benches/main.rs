//! Benchmarks of the main operations: `cargo bench`, or one group with `cargo bench -- load`. The latest results are in
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
