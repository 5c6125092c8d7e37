//! lab: dumps what a search sees. args: SET_FOLDER KEPT OUT
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use deepsearch::base::text::analysis::terms;
use deepsearch::base::text::{Language, detect_language};
use deepsearch::domain::{ChunkId, DocumentFilter, DocumentId};
use deepsearch::embed::Embedder;
use deepsearch::embed::minilm::MiniLm;
use deepsearch::eval::Dataset;
use deepsearch::retrieval::{fuse, inverse_document_frequency, query_words, token_weights};
use deepsearch::store::embedded::{EmbeddedOptions, EmbeddedStore};
use deepsearch::store::{KeywordQuery, Store, VectorQuery};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run(&args))
}

async fn run(args: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let set = Dataset::read(Path::new(&args[0]))?;
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(Path::new(&args[1]), &EmbeddedOptions::default())?);
    let out = Path::new(&args[2]);
    std::fs::create_dir_all(out)?;
    let most: usize = args.get(3).map_or(usize::MAX, |n| n.parse().unwrap_or(usize::MAX));
    let embedder = MiniLm::new();
    let mut lines = std::io::BufWriter::new(std::fs::File::create(out.join("queries.jsonl"))?);
    let mut floats = std::io::BufWriter::new(std::fs::File::create(out.join("queries.f32"))?);
    let step = set.queries.len().div_ceil(most).max(1);
    for query in set.queries.iter().step_by(step) {
        let language = detect_language(&query.text);
        let filter = DocumentFilter::default();
        let lexical = store
            .keyword(&KeywordQuery {
                collections: vec![],
                text: query.text.clone(),
                language,
                k: 200,
                filter: filter.clone(),
            })
            .await?;
        let known = deepsearch::embed::knows(&embedder, &query.text, language);
        let vectors = embedder.queries(vec![query.text.clone()]).await?.remove(0);
        let semantic = if known {
            store
                .semantic(&VectorQuery {
                    collections: vec![],
                    vector: vectors.embedding.clone(),
                    k: 200,
                    exact: false,
                    filter,
                })
                .await?
        } else {
            vec![]
        };
        let fused = fuse(&lexical, &semantic, 200, 1.0);
        let ids: Vec<ChunkId> = fused.iter().take(200).map(|c| c.id).collect();
        let languages = store.languages(&ids).await?;
        let mut all: Vec<Language> = languages.into_iter().flatten().chain([language]).collect();
        all.sort_by_key(|l| l.code());
        all.dedup();
        let words: BTreeSet<String> = all.into_iter().flat_map(|l| terms(&query.text, l)).map(|t| t.text).collect();
        let words: Vec<String> = words.into_iter().collect();
        let (freq, total) = store.document_frequencies(&[], &words).await?;
        let weights: BTreeMap<String, f32> =
            words.into_iter().zip(freq.into_iter().map(|f| inverse_document_frequency(f, total))).collect();
        let read_as = if language == Language::UNKNOWN { Language::ENGLISH } else { language };
        let tw = token_weights(&query_words(&vectors.states), vectors.states.len(), read_as, &weights);
        for state in &vectors.states {
            for v in &state.state {
                floats.write_all(&v.to_le_bytes())?;
            }
        }
        for v in &vectors.embedding {
            floats.write_all(&v.to_le_bytes())?;
        }
        let candidates: Vec<serde_json::Value> = fused
            .iter()
            .map(|c| serde_json::json!([c.id.document.0, c.id.ordinal, c.score, c.parts.lexical, c.parts.semantic]))
            .collect();
        let judged: BTreeMap<_, _> = query.judgements.iter().collect();
        writeln!(
            lines,
            "{}",
            serde_json::json!({"id": query.id, "text": query.text, "known": known, "lang": language.code(), "tokens": vectors.states.iter().map(|s| s.token.clone()).collect::<Vec<_>>(),
            "weights": tw, "idf": weights, "rel": judged, "cands": candidates})
        )?;
    }
    // which documents each chunk names
    let docs = store.documents("set").await?;
    let titled: Vec<(DocumentId, String)> = docs.iter().map(|d| (d.id, d.title.clone())).collect();
    let mut names: BTreeMap<String, Vec<(DocumentId, String, Vec<String>)>> = BTreeMap::new();
    let name_in = |title: &str| -> String {
        match title.trim_end().strip_suffix([')', '）']).and_then(|inner| inner.rfind(['(', '（'])) {
            Some(opening) if opening > 0 => title[..opening].trim_end().to_owned(),
            _ => title.to_owned(),
        }
    };
    let w = |text: &str, l: Language| -> Vec<String> { terms(text, l).into_iter().map(|t| t.text).collect() };
    for (id, title) in &titled {
        let wanted = w(&name_in(title), Language::ENGLISH);
        if wanted.is_empty() {
            continue;
        }
        let (freq, total) = store.document_frequencies(&[], &wanted).await?;
        if !freq.iter().any(|&f| inverse_document_frequency(f, total) >= 3.0) {
            continue;
        }
        names.entry(wanted[0].clone()).or_default().push((*id, title.clone(), wanted));
    }
    let mut links = std::io::BufWriter::new(std::fs::File::create(out.join("links.jsonl"))?);
    for d in &docs {
        let ids: Vec<ChunkId> = (0..d.chunks as u32).map(|ordinal| ChunkId { document: d.id, ordinal }).collect();
        for c in store.chunks(&ids).await? {
            let t = w(&c.text, c.language);
            let mut found = BTreeSet::new();
            for at in 0..t.len() {
                for (id, title, wanted) in names.get(&t[at]).into_iter().flatten() {
                    if *id != d.id && *title != c.title && t[at..].starts_with(wanted) {
                        found.insert(id.0);
                    }
                }
            }
            if !found.is_empty() {
                writeln!(links, "{}", serde_json::json!([c.id.document.0, c.id.ordinal, found]))?;
            }
        }
    }
    Ok(())
}
