//! A store in memory and an embedder without a model, for tests that need only the load.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;

use async_trait::async_trait;

use crate::base::ContentHash;
use crate::base::text::{Language, Spoken};
use crate::domain::{
    Authorship, ChunkId, ChunkVectors, Collection, CollectionSpec, DocumentFilter, DocumentId, DocumentRecord,
    EmbedderIdentity, Format, StoredChunk,
};
use crate::embed::{EmbedError, Embedder, QueryVectors, Text};
use crate::store::{
    ChunkName, DocumentVectors, KeywordQuery, NewDocument, RenamedDocument, Scored, Store, StoreError, VectorQuery,
};

/// A record of a text file.
pub(super) fn record(path: &str, title: &str) -> DocumentRecord {
    DocumentRecord {
        id: DocumentId(0),
        collection: String::new(),
        path: path.to_owned(),
        title: title.to_owned(),
        format: Format::Text,
        language: Language::UNKNOWN,
        date: None,
        authorship: Authorship::default(),
        hash: ContentHash::of(b""),
        bytes: 0,
        modified_ns: 0,
        cut: None,
        chunks: 0,
        text_bytes: 0,
    }
}

/// The state that tests examine afterwards.
#[derive(Default)]
pub(super) struct StoreState {
    pub(super) collections: BTreeMap<String, Collection>,
    pub(super) documents: BTreeMap<(String, String), (DocumentRecord, NewDocument)>,
    /// Every writing call, in order.
    pub(super) log: Vec<String>,
    next_id: u64,
    puts: usize,
}

/// Keeps documents in a map, and fails when told to.
#[derive(Default)]
pub(super) struct MemoryStore {
    pub(super) state: Mutex<StoreState>,
    /// The put, counted from 0, that fails for lack of space.
    pub(super) full_at: Option<usize>,
}

impl MemoryStore {
    pub(super) fn with<T>(&self, ask: impl FnOnce(&mut StoreState) -> T) -> T {
        ask(&mut self.state.lock().expect("no test panics inside"))
    }
}

fn absent(name: &str) -> StoreError {
    StoreError::NoCollection { name: name.to_owned(), nearest: Vec::new() }
}

#[async_trait]
impl Store for MemoryStore {
    async fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        Ok(self.with(|state| {
            let count = |name: &str| state.documents.keys().filter(|key| key.0 == name).count() as u64;
            let filled = |found: &Collection| Collection { documents: count(&found.name), ..found.clone() };
            state.collections.values().map(filled).collect()
        }))
    }

    async fn collection(&self, name: &str) -> Result<Collection, StoreError> {
        self.with(|state| state.collections.get(name).cloned().ok_or_else(|| absent(name)))
    }

    async fn create(&self, spec: CollectionSpec) -> Result<Collection, StoreError> {
        let made = Collection {
            name: spec.name,
            description: spec.description,
            described_by_user: false,
            embedder: spec.embedder,
            documents: 0,
            chunks: 0,
            text_bytes: 0,
            languages: Spoken::default(),
        };
        self.with(|state| {
            state.log.push(format!("create {}", made.name));
            match state.collections.insert(made.name.clone(), made.clone()) {
                None => Ok(made),
                Some(before) => Err(StoreError::CollectionExists { name: before.name }),
            }
        })
    }

    async fn describe(&self, name: &str, description: &str, by_user: bool) -> Result<(), StoreError> {
        self.with(|state| {
            state.log.push(format!("describe {name}"));
            let found = state.collections.get_mut(name).ok_or_else(|| absent(name))?;
            description.clone_into(&mut found.description);
            found.described_by_user = by_user;
            Ok(())
        })
    }

    async fn rename(&self, from: &str, _to: &str) -> Result<(), StoreError> {
        Err(absent(from))
    }

    async fn drop_collection(&self, name: &str) -> Result<(), StoreError> {
        Err(absent(name))
    }

    async fn documents(&self, collection: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        self.with(|state| {
            let of = |(key, (record, _)): (&(String, String), &(DocumentRecord, NewDocument))| {
                (key.0 == collection).then(|| record.clone())
            };
            Ok(state.documents.iter().filter_map(of).collect())
        })
    }

    async fn find_documents(&self, _path: &str) -> Result<Vec<DocumentRecord>, StoreError> {
        Ok(Vec::new())
    }

    async fn count_documents(&self, _collections: &[String], _filter: &DocumentFilter) -> Result<u64, StoreError> {
        Ok(self.with(|state| state.documents.len() as u64))
    }

    async fn put(&self, collection: &str, documents: Vec<NewDocument>) -> Result<(), StoreError> {
        self.with(|state| {
            let nth = state.puts;
            state.puts += 1;
            if self.full_at == Some(nth) {
                return Err(StoreError::NoSpace { path: PathBuf::from("/data") });
            }
            let found = state.collections.get(collection).ok_or_else(|| absent(collection))?;
            let semantic = found.embedder.is_some();
            state.log.push(format!("put {collection} {}", documents.len()));
            for new in documents {
                let expected = if semantic { new.document.chunks.len() } else { 0 };
                assert_eq!(new.vectors.len(), expected, "{}", new.document.path);
                state.next_id += 1;
                let made = DocumentRecord {
                    id: DocumentId(state.next_id),
                    collection: collection.to_owned(),
                    format: new.document.format,
                    language: new.document.language,
                    chunks: new.document.chunks.len() as u32,
                    text_bytes: new.document.text.len() as u64,
                    date: new.document.date,
                    authorship: new.document.authorship.clone(),
                    hash: new.document.hash,
                    bytes: new.document.bytes,
                    modified_ns: new.document.modified_ns,
                    cut: new.document.cut,
                    ..record(&new.document.path, &new.document.title)
                };
                state.documents.insert((collection.to_owned(), made.path.clone()), (made, new));
            }
            Ok(())
        })
    }

    async fn touch(&self, collection: &str, times: Vec<(DocumentId, i64)>) -> Result<(), StoreError> {
        self.with(|state| {
            state.log.push(format!("touch {collection} {}", times.len()));
            for (record, _) in state.documents.values_mut() {
                if let Some((_, time)) = times.iter().find(|(id, _)| *id == record.id) {
                    record.modified_ns = *time;
                }
            }
            Ok(())
        })
    }

    async fn rename_documents(&self, collection: &str, documents: Vec<RenamedDocument>) -> Result<(), StoreError> {
        self.with(|state| {
            state.log.push(format!("rename {collection} {}", documents.len()));
            for renamed in documents {
                let found = state.documents.iter().find(|(_, (record, _))| record.id == renamed.id);
                let Some(key) = found.map(|(key, _)| key.clone()) else { continue };
                let Some((mut record, mut new)) = state.documents.remove(&key) else { continue };
                record.path.clone_from(&renamed.path);
                record.modified_ns = renamed.modified_ns;
                record.date = renamed.date;
                new.document.path.clone_from(&renamed.path);
                state.documents.insert((collection.to_owned(), renamed.path), (record, new));
            }
            Ok(())
        })
    }

    async fn remove(&self, collection: &str, paths: Vec<String>) -> Result<u64, StoreError> {
        self.with(|state| {
            state.log.push(format!("remove {collection} {}", paths.len()));
            let gone = |path: String| state.documents.remove(&(collection.to_owned(), path)).is_some();
            Ok(paths.into_iter().map(gone).filter(|gone| *gone).count() as u64)
        })
    }

    async fn start_reembedding(
        &self,
        collection: &str,
        _embedder: Option<EmbedderIdentity>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        Err(absent(collection))
    }

    async fn put_vectors(&self, collection: &str, _documents: Vec<DocumentVectors>) -> Result<(), StoreError> {
        Err(absent(collection))
    }

    async fn finish_reembedding(&self, collection: &str) -> Result<bool, StoreError> {
        Err(absent(collection))
    }

    async fn flush(&self) -> Result<(), StoreError> {
        self.with(|state| state.log.push("flush".to_owned()));
        Ok(())
    }

    async fn chunks(&self, _ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        Ok(Vec::new())
    }

    async fn names(&self, ids: &[ChunkId]) -> Result<Vec<Option<ChunkName>>, StoreError> {
        Ok(vec![None; ids.len()])
    }

    async fn text(&self, _document: DocumentId, _range: Range<usize>) -> Result<String, StoreError> {
        Ok(String::new())
    }

    async fn keyword(&self, _query: &KeywordQuery) -> Result<Vec<Scored>, StoreError> {
        Ok(Vec::new())
    }

    async fn semantic(&self, _query: &VectorQuery) -> Result<Vec<Scored>, StoreError> {
        Ok(Vec::new())
    }

    async fn states(&self, _ids: &[ChunkId]) -> Result<Vec<Vec<u8>>, StoreError> {
        Ok(Vec::new())
    }

    async fn embeddings(&self, ids: &[ChunkId]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        Ok(vec![None; ids.len()])
    }

    async fn document_embeddings(&self, _: DocumentId) -> Result<Vec<(u32, Vec<f32>)>, StoreError> {
        Ok(Vec::new())
    }

    async fn document_frequencies(
        &self,
        _collections: &[String],
        terms: &[String],
    ) -> Result<(Vec<u64>, u64), StoreError> {
        Ok((vec![0; terms.len()], 0))
    }

    async fn vocabulary(&self, _collection: &str, _limit: usize) -> Result<Vec<String>, StoreError> {
        Ok(vec!["word".to_owned()])
    }
}

/// Gives each passage its length as its vector, and knows every language except Japanese.
pub(super) struct LengthEmbedder {
    identity: EmbedderIdentity,
    /// The passages of each call.
    pub(super) calls: Mutex<Vec<Vec<String>>>,
    /// The call, counted from 0, that fails.
    pub(super) fails_at: Option<usize>,
}

impl LengthEmbedder {
    pub(super) fn new(name: &str) -> Self {
        let (passage_prefix, states) = (String::new(), String::new());
        let identity = EmbedderIdentity { name: name.to_owned(), dimension: 1, passage_prefix, states };
        LengthEmbedder { identity, calls: Mutex::default(), fails_at: None }
    }
}

#[async_trait]
impl Embedder for LengthEmbedder {
    fn identity(&self) -> &EmbedderIdentity {
        &self.identity
    }

    fn knows(&self, language: Language) -> bool {
        language.code() != "jpn"
    }

    async fn passages(&self, texts: Vec<Text>) -> Result<Vec<ChunkVectors>, EmbedError> {
        let mut calls = self.calls.lock().expect("no test panics inside");
        if self.fails_at == Some(calls.len()) {
            return Err(EmbedError::Run { model: self.identity.name.clone(), reason: "told to".to_owned() });
        }
        let vectors = texts.iter().map(|text| ChunkVectors::without_states(vec![text.text.len() as f32]));
        let vectors = vectors.collect();
        calls.push(texts.into_iter().map(|text| text.text).collect());
        Ok(vectors)
    }

    async fn queries(&self, _texts: Vec<Text>) -> Result<Vec<QueryVectors>, EmbedError> {
        Ok(Vec::new())
    }
}
