//! Loading a folder of files into a store on disk, without an embedder.

use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput};
use deepsearch::ingest::{LoadRequest, load};
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use tokio_util::sync::CancellationToken;

use crate::prose::Prose;

const FILES: usize = 400;
const FILE_BYTES: usize = 50_000;

/// Loads 400 files of 50 KB, then the same folder again, unchanged.
pub fn folder(criterion: &mut Criterion) {
    let source = tempfile::tempdir().expect("a temporary folder");
    let mut prose = Prose::new(4);
    let mut bytes = 0;
    for number in 0..FILES {
        let text = prose.text(FILE_BYTES);
        bytes += text.len();
        std::fs::write(source.path().join(format!("{number}.txt")), text).expect("a file");
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let once = |store: &Path| runtime.block_on(load_into(store, source.path()));

    let mut group = criterion.benchmark_group("load");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("400 files of 50 KB", |bencher| {
        bencher.iter_batched_ref(
            || tempfile::tempdir().expect("a temporary folder"),
            |store| once(store.path()),
            BatchSize::PerIteration,
        );
    });
    group.throughput(Throughput::Elements(FILES as u64));
    let store = tempfile::tempdir().expect("a temporary folder");
    once(store.path());
    group.bench_function("400 unchanged files", |bencher| bencher.iter(|| once(store.path())));
    group.finish();
}

async fn load_into(store: &Path, source: &Path) {
    let store = EmbeddedStore::open(store, &EmbeddedOptions::default()).expect("a store");
    let request = LoadRequest { paths: vec![source.to_owned()], cwd: source.to_owned(), ..LoadRequest::default() };
    load(Arc::new(store), None, &request, &|_| {}, CancellationToken::new()).await.expect("a load");
}
