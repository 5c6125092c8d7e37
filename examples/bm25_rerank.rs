//! Measures what the answer score adds to textbook BM25: the ten passages that BM25 finds are sorted by `R + α S`,
//! where `S` is the answer score of a model that was not trained on any of the question's documents.
//!
//! `bm25_rerank DATA` takes a data set whose questions state where their answers are, as `deepsearch train answer
//! --data` does. BM25 has k1 = 1.2, b = 0.75, Lucene's idf, stems and stop words, and uses only the text of the
//! passages: no titles, phrases or proximity, which `deepsearch search --mode keyword` uses.

#![expect(clippy::print_stdout, reason = "an example that prints its measurements")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use deepsearch::base::text::{analysis, detect_language};
use deepsearch::documents::chunk::ChunkOptions;
use deepsearch::domain::{CollectionSpec, StoredChunk};
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::eval::{Asked, Dataset, Measured, gather, load_set, located_questions, paired_difference};
use deepsearch::retrieval::{Corpus, SearchOptions};
use deepsearch::store::Store;
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::train::{FitOptions, Hooks, Ranked, Ranks, cross_validate};

const COLLECTION: &str = "set";
const TOP: usize = 10;
const FOLDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data] = arguments.as_slice() else { return Err("usage: bm25_rerank DATA".into()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(Path::new(data)))
}

async fn measure(data: &Path) -> Result<(), Box<dyn Error>> {
    let set = Dataset::read(data)?;
    let (asked, warnings) = located_questions(&set);
    warnings.iter().for_each(|warning| println!("{warning}"));
    let folder = tempfile::tempdir()?;
    let embedder: Arc<dyn Embedder> = Arc::new(MiniLm::new());
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(folder.path(), &EmbeddedOptions::default())?);
    let spec = CollectionSpec {
        name: COLLECTION.to_owned(),
        embedder: Some(embedder.identity().clone()),
        description: String::new(),
    };
    store.create(spec).await?;
    load_set(&store, Some(&embedder), COLLECTION, &set, &ChunkOptions::default(), &|_| ()).await?;
    let corpus = Corpus::new(Arc::clone(&store), Some(Arc::clone(&embedder)), SearchOptions::default());
    let mut gathered = gather(&corpus, COLLECTION, &asked, &|_| ()).await?;

    let chunks = chunks(store.as_ref()).await?;
    let index = Index::of(&chunks);
    let by_id: BTreeMap<&str, &Asked> = asked.iter().map(|asked| (asked.id.as_str(), asked)).collect();
    let set = &mut gathered.set;
    for example in &mut set.examples {
        if let Some(asked) = by_id.get(example.id.as_str()) {
            example.ranking = index.top(asked, &chunks, &set.documents);
        }
    }
    let hooks = Hooks {
        done: &mut |_| None,
        begun: &mut |_| None,
        on_epoch: &mut |fold, epoch, _| {
            println!("fold {fold} epoch {}: MAP {:.2}", epoch.number, epoch.quality.map * 100.0);
            true
        },
        on_fold: &mut |_, _| true,
    };
    let trained = cross_validate(&gathered.set, embedder.as_ref(), FOLDS, &FitOptions::default(), hooks)?;
    let column = |pick: fn(&Ranks) -> f64| -> BTreeMap<String, f64> {
        trained.ranks.iter().map(|ranks| (ranks.id.clone(), pick(ranks))).collect()
    };
    let (before, after) = (column(|ranks| ranks.without), column(|ranks| ranks.with));
    let shown = |ranks: &BTreeMap<String, f64>| {
        let values: Vec<f64> = ranks.values().copied().collect();
        let first: Vec<f64> = values.iter().map(|rank| f64::from(u8::from(*rank >= 1.0))).collect();
        format!("{} / {}", percent(&Measured::mean(&values)), percent(&Measured::mean(&first)))
    };
    println!("questions {}", before.len());
    println!("BM25's ten, MAP / R@1: {}", shown(&before));
    println!("re-ranked by the answer score: {}", shown(&after));
    println!("difference of MAP: {}", percent(&paired_difference(&before, &after).0));
    Ok(())
}

fn percent(measured: &Measured) -> String {
    format!("{:.2} [{:.2}, {:.2}]", measured.value * 100.0, measured.low * 100.0, measured.high * 100.0)
}

/// All passages, in the order in which examples number them.
async fn chunks(store: &dyn Store) -> Result<Vec<StoredChunk>, Box<dyn Error>> {
    let mut ids = Vec::new();
    for document in store.documents(COLLECTION).await? {
        ids.extend((0..document.chunks).map(|ordinal| deepsearch::domain::ChunkId { document: document.id, ordinal }));
    }
    Ok(store.chunks(&ids).await?)
}

/// How often each term occurs in each passage, and the lengths of the passages.
struct Index {
    postings: HashMap<String, BTreeMap<usize, f32>>,
    lengths: Vec<f32>,
}

impl Index {
    fn of(chunks: &[StoredChunk]) -> Self {
        let mut index = Index { postings: HashMap::new(), lengths: Vec::new() };
        for (at, chunk) in chunks.iter().enumerate() {
            let terms = analysis::terms(&chunk.text, detect_language(&chunk.text));
            index.lengths.push(terms.len() as f32);
            for term in terms {
                *index.postings.entry(term.text).or_default().entry(at).or_default() += 1.0;
            }
        }
        index
    }

    /// The best passages for a question, one per document of `documents`. Scores are in standard deviations, as in the
    /// product's searches.
    fn top(&self, asked: &Asked, chunks: &[StoredChunk], documents: &[usize]) -> Vec<Ranked> {
        let (k1, b) = (1.2, 0.75);
        let count = self.lengths.len() as f32;
        let mean = self.lengths.iter().sum::<f32>() / count.max(1.0);
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for term in analysis::terms(&asked.text, detect_language(&asked.text)) {
            let Some(postings) = self.postings.get(&term.text) else { continue };
            let holding = postings.len() as f32;
            let idf = (1.0 + (count - holding + 0.5) / (holding + 0.5)).ln();
            for (&at, &often) in postings {
                let norm = k1 * (1.0 - b + b * self.lengths[at] / mean);
                *scores.entry(at).or_default() += idf * often * (k1 + 1.0) / (often + norm);
            }
        }
        let values: Vec<f32> = scores.values().copied().collect();
        let mean = values.iter().sum::<f32>() / values.len().max(1) as f32;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / values.len().max(1) as f32;
        let mut ranked: Vec<(usize, f32)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let relevant = asked.relevant.clone().unwrap_or_default();
        let mut seen = BTreeSet::new();
        let one = |(passage, score): (usize, f32)| {
            let document = documents[passage];
            seen.insert(document).then(|| {
                let score = (score - mean) / variance.sqrt().max(f32::MIN_POSITIVE);
                Ranked {
                    passage,
                    document,
                    relevant: relevant.contains(&chunks[passage].path),
                    fused: score,
                    late: score,
                }
            })
        };
        ranked.into_iter().filter_map(one).take(TOP).collect()
    }
}
