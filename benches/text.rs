//! Splitting text into chunks, and chunks into terms.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use deepsearch::base::text::{Language, analysis};
use deepsearch::documents::chunk::{ChunkOptions, chunk};
use deepsearch::documents::parse::Parsed;

use crate::prose::Prose;

/// Splits one document of 20 MB into chunks.
pub fn chunking(criterion: &mut Criterion) {
    let document = Parsed { text: Prose::new(2).text(20_000_000), ..Parsed::default() };
    let mut group = criterion.benchmark_group("chunking");
    group.throughput(Throughput::Bytes(document.text.len() as u64));
    group.bench_function("20 MB", |bencher| bencher.iter(|| chunk(black_box(&document), &ChunkOptions::default())));
    group.finish();
}

/// Splits 1 MB of English into terms.
pub fn terms(criterion: &mut Criterion) {
    let text = Prose::new(3).text(1_000_000);
    let mut group = criterion.benchmark_group("terms");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("1 MB", |bencher| {
        bencher.iter(|| {
            let mut bytes = 0;
            analysis::for_each_term(black_box(&text), Language::ENGLISH, |term, _, _| bytes += term.len());
            bytes
        });
    });
    group.finish();
}
