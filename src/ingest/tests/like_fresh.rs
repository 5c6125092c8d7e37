//! Whatever loads of a folder came before, in the end the store holds what a fresh load of it gives.

use std::io::{Cursor, Write};

use async_trait::async_trait;
use proptest::prelude::*;

use super::*;
use crate::base::ContentHash;
use crate::base::text::Language;
use crate::domain::{ChunkId, ChunkVectors, DocumentFilter, EmbedderIdentity};
use crate::embed::{EmbedError, QueryVectors, Text};
use crate::store::embedded::{EmbeddedOptions, EmbeddedStore};
use crate::store::{Store, VectorQuery};

/// Makes vectors and states that depend on every byte of their passage.
struct HashEmbedder(EmbedderIdentity);

fn vector(text: &str) -> Vec<f32> {
    let hash = ContentHash::of(text.as_bytes());
    let raw: Vec<f32> = hash.as_bytes()[..8].iter().map(|byte| f32::from(*byte) - 127.5).collect();
    let length = raw.iter().map(|value| value * value).sum::<f32>().sqrt();
    raw.into_iter().map(|value| value / length).collect()
}

#[async_trait]
impl Embedder for HashEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.0
    }

    fn knows(&self, _language: Language) -> bool {
        true
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        let one = |Text { text, .. }: &Text| ChunkVectors { embedding: vector(text), states: text.as_bytes().to_vec() };
        Ok(texts.iter().map(one).collect())
    }

    async fn queries(&self, _texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        Ok(Vec::new())
    }
}

/// A step in the history of a folder.
#[derive(Clone, Debug)]
enum Step {
    Write {
        path: usize,
        content: usize,
    },
    Rename {
        from: usize,
        to: usize,
    },
    Delete {
        path: usize,
    },
    Touch {
        path: usize,
    },
    /// An archive with these members and contents.
    Pack {
        archive: usize,
        members: Vec<(usize, usize)>,
    },
    /// A load with smaller passages, or with the usual ones.
    Load {
        prune: bool,
        small: bool,
    },
}

const PATHS: [&str; 7] = ["a.md", "b.md", "in/c.md", "in/d.txt", "e.csv", "f.py", "in/g.json"];
const ARCHIVES: [&str; 2] = ["one.zip", "in/two.zip"];
const CONTENTS: [&str; 7] = [
    "# A heading\n\nSome words of the first.\n\n## Below\n\nAnd more of them.\n",
    "Words without a heading, which are a title of their own.\n",
    "name,age\nada,36\ngrace,85\n",
    "def hidden():\n    return 1\n",
    "{\"name\": \"ada\", \"age\": 36}\n",
    "---\ndate: 2001-02-03\n---\n# Dated\n\nIts own day.\n",
    " \n",
];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (path, content) = (0..PATHS.len(), 0..CONTENTS.len());
    let members = prop::collection::vec((path.clone(), content.clone()), 0..4);
    let step = prop_oneof![
        4 => (path.clone(), content).prop_map(|(path, content)| Step::Write { path, content }),
        4 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename { from, to }),
        2 => path.clone().prop_map(|path| Step::Delete { path }),
        1 => path.prop_map(|path| Step::Touch { path }),
        2 => (0..ARCHIVES.len(), members).prop_map(|(archive, members)| Step::Pack { archive, members }),
        3 => any::<(bool, bool)>().prop_map(|(prune, small)| Step::Load { prune, small }),
    ];
    prop::collection::vec(step, 1..20)
}

/// Everything that a store holds, and what a vector search makes of it, without ids.
async fn rows(store: &dyn Store) -> Vec<String> {
    let mut rows = Vec::new();
    for collection in store.collections().await.expect("listed") {
        rows.push(format!("{collection:?}"));
        for record in store.documents(&collection.name).await.expect("listed") {
            let ids: Vec<ChunkId> =
                (0..record.chunks).map(|ordinal| ChunkId { document: record.id, ordinal }).collect();
            let states = store.states(&ids).await.expect("read");
            for (chunk, state) in store.chunks(&ids).await.expect("read").iter().zip(states) {
                let (path, text, headings) = (&chunk.path, &chunk.text, &chunk.headings);
                rows.push(format!("{path} {text:?} {headings:?} {:?} {state:?}", chunk.language));
            }
            rows.push(store.text(record.id, 0..usize::MAX).await.expect("read"));
            rows.push(format!("{:?}", crate::domain::DocumentRecord { id: crate::domain::DocumentId(0), ..record }));
        }
        let (collections, filter) = (vec![collection.name], DocumentFilter::default());
        let query = VectorQuery { collections, vector: vector("query"), k: 1_000, exact: true, filter };
        let found = store.semantic(&query).await.expect("searched");
        let mut scores = Vec::new();
        for scored in found {
            let chunk = store.chunks(&[scored.id]).await.expect("read").pop().expect("there");
            scores.push(format!("{:.5} {} {}", scored.score, chunk.path, scored.id.ordinal));
        }
        scores.sort();
        rows.extend(scores);
    }
    rows
}

/// The folder of one history, and the time of its last change; every change has its own time.
struct History {
    bench: Bench,
    seconds: u64,
}

impl History {
    fn change(&mut self, step: &Step) {
        self.seconds += 100_000;
        let place = |path: usize| format!("x/{}", PATHS[path]);
        match step {
            Step::Write { path, content } => {
                self.bench.write(&place(*path), CONTENTS[*content].as_bytes());
                self.bench.date(&place(*path), self.seconds);
            }
            Step::Rename { from, to } => {
                let (from, to) = (self.bench.path(&place(*from)), self.bench.path(&place(*to)));
                if from.exists() {
                    fs::rename(from, to).expect("renamed");
                }
            }
            Step::Delete { path } => {
                let path = self.bench.path(&place(*path));
                if path.exists() {
                    fs::remove_file(path).expect("removed");
                }
            }
            Step::Touch { path } => {
                if self.bench.path(&place(*path)).exists() {
                    self.bench.date(&place(*path), self.seconds);
                }
            }
            Step::Pack { archive, members } => {
                let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
                for &(path, content) in members {
                    // The writer refuses a name that the archive already has.
                    if writer.start_file(PATHS[path], zip::write::SimpleFileOptions::default()).is_ok() {
                        writer.write_all(CONTENTS[content].as_bytes()).expect("written");
                    }
                }
                let path = format!("x/{}", ARCHIVES[*archive]);
                self.bench.write(&path, &writer.finish().expect("finished").into_inner());
                self.bench.date(&path, self.seconds);
            }
            Step::Load { .. } => {}
        }
    }
}

fn check(steps: &[Step]) {
    let bench = Bench::new(&[("x/kept.md", "# Kept\n\nalways\n"), ("x/in/kept.md", "# Kept too\n\nalways\n")]);
    let mut history = History { bench, seconds: 0 };
    let identity = EmbedderIdentity {
        name: "hash".to_owned(),
        dimension: 8,
        passage_prefix: String::new(),
        states: "text".to_owned(),
    };
    let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder(identity));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let options = EmbeddedOptions { index_threads: 1, index_memory: 15_000_000, ..EmbeddedOptions::default() };
    let store = |folder: &Path| Arc::new(EmbeddedStore::open(folder, &options).expect("opened"));
    runtime.block_on(async {
        let (folder, fresh) = (tempfile::tempdir().expect("made"), tempfile::tempdir().expect("made"));
        let (kept, fresh) = (store(folder.path()), store(fresh.path()));
        let mut archives: Vec<ArchiveRecord> = Vec::new();
        for step in steps.iter().chain([&Step::Load { prune: true, small: false }]) {
            history.change(step);
            if let Step::Load { prune, small } = *step {
                let mut request = LoadRequest { prune, archives: archives.clone(), ..history.bench.request(&["x"]) };
                if small {
                    request.options.chunk = ChunkOptions { target_bytes: 24, overlap_bytes: 8 };
                }
                let interrupt = CancellationToken::new();
                let loaded = load(kept.clone(), Some(embedder.clone()), &request, &|_| {}, interrupt).await;
                archives.extend(loaded.expect("loads").archives);
            }
        }
        let request = history.bench.request(&["x"]);
        load(fresh.clone(), Some(embedder), &request, &|_| {}, CancellationToken::new()).await.expect("loads");
        assert_eq!(rows(kept.as_ref()).await, rows(fresh.as_ref()).await, "{steps:?}");
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rows_are_those_of_a_fresh_load(steps in steps()) {
        check(&steps);
    }
}
