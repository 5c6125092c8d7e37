//! What clients search, read, verify and load, addressed by ids and limited to what they may see. It is independent of
//! protocols and used by both `http` and `mcp`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::turns::{REST, Turns};
use super::{Access, Explain, Refusal, RefusalKind};
use crate::agent::checked_question;
use crate::app::{App, AppError, LoadRequest, VerifyRequest};
use crate::base::is_url;
use crate::base::text::excerpt;
use crate::domain::{ChunkId, Collection, DocumentFilter, DocumentId, DocumentRecord, Hit, StoredChunk};
use crate::memory::draw::{self, Picture};
use crate::memory::{EventFilter, MemoryEvent};
use crate::report::repeats_title;
use crate::retrieval::SearchRequest;
use crate::store::{Store, with_neighbours};
use crate::verify::shown;

/// The maximum number of passages of one search.
const MAX_HITS: usize = 100;
/// The number of passages on each side that are returned with a fetched passage.
const NEIGHBOURS: u32 = 2;
/// The maximum number of bytes returned of a document that is fetched whole.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// How long a request waits for a load.
const LOAD_WAIT: Duration = Duration::from_secs(8);
/// The maximum number of documents of a collection, or of other entries, in one list.
const MAX_LISTED: usize = 500;

/// The stored documents, as clients search and read them.
#[derive(Clone)]
pub struct Library {
    app: Arc<App>,
    explain: Explain,
    /// One load at a time.
    loading: Arc<Mutex<()>>,
    /// The turns of searches.
    turns: Arc<Turns>,
}

/// A passage that a search found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Found {
    /// The id for [`Library::fetch`].
    pub id: String,
    pub title: String,
    pub url: String,
    pub collection: String,
    pub path: String,
    pub page: Option<u32>,
    pub headings: Vec<String>,
    pub date: Option<jiff::civil::Date>,
    pub score: f32,
    /// The best matching sentences.
    pub snippet: String,
}

/// A document or a part of it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Fetched {
    pub id: String,
    pub title: String,
    pub text: String,
    pub url: String,
    pub metadata: Metadata,
}

/// The metadata of a fetched text.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Metadata {
    /// The id of the whole document.
    pub document: String,
    pub collection: String,
    pub path: String,
    pub format: String,
    pub language: String,
    pub date: Option<jiff::civil::Date>,
    pub page: Option<u32>,
    pub headings: Vec<String>,
    /// The byte range of the text within the document's extracted text.
    pub bytes: [usize; 2],
    /// The number of bytes of the document's extracted text.
    pub text_bytes: u64,
    /// The number of passages of the document: their ids end in #0 to #(passages - 1).
    pub passages: u32,
    /// Whether the text was cut at the limit for one response.
    pub truncated: bool,
}

/// A document or a passage, as named by an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub document: DocumentId,
    pub passage: Option<u32>,
}

impl Place {
    /// Parses `d12` or `d12#3`; rejects everything else, so that no id reaches a path.
    pub fn parse(id: &str) -> Option<Self> {
        let (document, passage) = match id.split_once('#') {
            Some((document, passage)) => (document, Some(number(passage)?.try_into().ok()?)),
            None => (id, None),
        };
        let document = number(document.strip_prefix('d')?)?;
        // Document ids and passage ordinals are packed into one number.
        let fits = document < 1 << (64 - ChunkId::ORDINAL_BITS)
            && passage.is_none_or(|passage: u32| passage < 1 << ChunkId::ORDINAL_BITS);
        fits.then_some(Place { document: DocumentId(document), passage })
    }
}

fn number(digits: &str) -> Option<u64> {
    let plain = !digits.is_empty() && digits.len() < 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Like [`Access::narrowed`], with the existing collections.
pub(super) async fn narrowed(
    app: &App,
    explain: Explain,
    asked: Vec<String>,
    access: &Access,
) -> Result<Vec<String>, Refusal> {
    // For senders who see everything, the search itself reports missing collections.
    if access.can_see_all() {
        return Ok(asked);
    }
    let all = app.collections().await.map_err(|error| explain(&error))?;
    let names: Vec<String> = all.into_iter().map(|collection| collection.name).collect();
    access.narrowed(asked, &names)
}

impl Library {
    /// Serves everything that `app` stores.
    pub fn new(app: Arc<App>, explain: Explain) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Library { app, explain, loading: Arc::default(), turns: Arc::new(Turns::new(processors, REST)) }
    }

    /// Returns the best passages. The reader is used only while no other search waits or has waited recently.
    pub(super) async fn search(
        &self,
        query: &str,
        collections: Vec<String>,
        k: Option<usize>,
        access: &Access,
    ) -> Result<Vec<Found>, Refusal> {
        let query = asked(query, self.explain)?;
        let k = match k {
            Some(k) if !(1..=MAX_HITS).contains(&k) => {
                return Err(Refusal::bad(format!("k is {k}; it goes from 1 to {MAX_HITS}")));
            }
            Some(k) => k,
            None => self.app.config().search.k.clamp(1, MAX_HITS),
        };
        let collections = narrowed(&self.app, self.explain, collections, access).await?;
        let request = SearchRequest { query, collections, mode: Default::default(), k };
        let _turn = self.turns.take().await;
        let hits = self.app.search(request, DocumentFilter::default(), self.turns.calm()).await;
        let hits = hits.map_err(|error| (self.explain)(&error))?;
        Ok(hits.iter().map(found).collect())
    }

    /// Returns a document by its id, or a passage with its neighbours.
    pub(super) async fn fetch(&self, id: &str, access: &Access) -> Result<Fetched, Refusal> {
        let unknown = || {
            Refusal::not_found(format!("there is no document with the id `{}`", excerpt(id, 60)))
                .with_hint("search again: ids come from search, and a document that has changed has a new one")
        };
        let place = Place::parse(id).ok_or_else(unknown)?;
        let store = self.store().await?.ok_or_else(unknown)?;
        let named = ChunkId { document: place.document, ordinal: place.passage.unwrap_or(0) };
        let chunk = self.told(store.chunks(&[named]).await)?.pop().ok_or_else(unknown)?;
        if !access.can_see(&chunk.collection) {
            return Err(unknown());
        }
        let records = self.told(store.find_documents(&chunk.path).await)?;
        let record = records.into_iter().find(|record| record.id == place.document).ok_or_else(unknown)?;
        let range = match place.passage {
            None => 0..MAX_TEXT_BYTES,
            Some(passage) => {
                let around = with_neighbours(store.as_ref(), &record, passage, NEIGHBOURS).await;
                let around = self.told(around)?.ok_or_else(unknown)?;
                around.start..around.end.min(around.start + MAX_TEXT_BYTES)
            }
        };
        let text = self.told(store.text(record.id, range.clone()).await)?;
        Ok(fetched(id, place, &chunk, &record, range, text))
    }

    /// The collections that `access` may see.
    pub(super) async fn collections(&self, access: &Access) -> Result<Vec<Collection>, Refusal> {
        let all = self.app.collections().await.map_err(|error| (self.explain)(&error))?;
        Ok(all.into_iter().filter(|collection| access.can_see(&collection.name)).collect())
    }

    /// A collection with its first documents, and the files that its last loads could not read, each as `path: reason`.
    pub(super) async fn collection(
        &self,
        name: &str,
        access: &Access,
    ) -> Result<(Collection, Vec<DocumentRecord>, Vec<String>), Refusal> {
        let unknown = || Refusal::not_found(format!("there is no collection `{name}`"));
        let store = self.store().await?.ok_or_else(unknown)?;
        // The error message of the store would name other collections with similar names.
        if !access.can_see_all() && !self.collections(access).await?.iter().any(|one| one.name == name) {
            return Err(unknown());
        }
        let collection = self.told(store.collection(name).await)?;
        let mut documents = self.told(store.documents(name).await)?;
        documents.truncate(MAX_LISTED);
        let unreadable = self.app.unread(&[name.to_owned()]).await;
        let mut unreadable = unreadable.map_err(|error| (self.explain)(&error))?;
        unreadable.truncate(MAX_LISTED);
        Ok((collection, documents, unreadable))
    }

    /// Checks whether a report still agrees with the documents. Returns the JSON of `verify --json`, plus words under
    /// `text`.
    pub(super) async fn verify(
        &self,
        report: &str,
        collections: Vec<String>,
        access: &Access,
    ) -> Result<Value, Refusal> {
        let (report, collections) = (report.to_owned(), narrowed(&self.app, self.explain, collections, access).await?);
        let request = VerifyRequest { report, collections, ..VerifyRequest::default() };
        let verification = self.app.verify(&request).await.map_err(|error| (self.explain)(&error))?;
        let mut told = serde_json::to_value(&verification)
            .map_err(|error| Refusal::failed(format!("cannot write the verification: {error}")))?;
        told["text"] = json!(shown(&verification, "report"));
        Ok(told)
    }

    /// The events from earlier runs, newest first, with their timeline as an SVG; only for senders who see everything.
    pub(super) async fn memory(&self, access: &Access) -> Result<(Vec<MemoryEvent>, String), Refusal> {
        if !access.can_see_all() {
            return Err(Refusal::new(RefusalKind::Forbidden, "this token does not see what earlier runs left"));
        }
        let told = |error| (self.explain)(&error);
        let Some(memory) = self.app.existing_memory().await.map_err(told)? else {
            return Ok((Vec::new(), String::new()));
        };
        let events = memory.with(|timeline| timeline.events(&EventFilter::default())).await;
        let mut events = events.map_err(|error| told(error.into()))?;
        let (now, unit) = (self.app.clock().map_err(told)?.now(), self.app.memory_options().unit);
        let picture = draw::svg(&Picture { events: &events, now, unit, from: None, to: None });
        events.sort_by_key(|event| std::cmp::Reverse(event.id));
        events.truncate(MAX_LISTED);
        Ok((events, picture))
    }

    /// Loads a file or folder, and returns the state after some seconds. A load that takes longer continues.
    pub(super) async fn load(&self, path: PathBuf, collection: Option<String>) -> Result<Value, Refusal> {
        let (app, explain, loading) = (Arc::clone(&self.app), self.explain, Arc::clone(&self.loading));
        let runtime = tokio::runtime::Handle::current();
        // On its own thread, since a load blocks while it reads and parses.
        let load = tokio::task::spawn_blocking(move || {
            runtime.block_on(async {
                let _turn = loading.lock().await;
                let paths = vec![path.to_string_lossy().into_owned()];
                let request = LoadRequest { paths, collection, ..LoadRequest::default() };
                app.load(&request, &|_| {}, CancellationToken::new()).await.map_err(|error| explain(&error))
            })
        });
        match tokio::time::timeout(LOAD_WAIT, load).await {
            Err(_) => Ok(json!({
                "status": "loading",
                "next": "call load again with the same arguments to see whether it is done",
            })),
            Ok(Err(error)) => Err(Refusal::failed(format!("the load broke off: {error}"))),
            Ok(Ok(summary)) => {
                let summary = summary?;
                let failed: Vec<Value> =
                    summary.failed.iter().map(|one| json!({"path": one.path, "reason": one.reason})).collect();
                Ok(json!({
                    "status": "done",
                    "collections": summary.collections,
                    "new": summary.new,
                    "changed": summary.changed,
                    "unchanged": summary.unchanged,
                    "failed": failed,
                }))
            }
        }
    }

    async fn store(&self) -> Result<Option<Arc<dyn Store>>, Refusal> {
        self.app.existing_store().await.map_err(|error| (self.explain)(&error))
    }

    fn told<T>(&self, answer: Result<T, crate::store::StoreError>) -> Result<T, Refusal> {
        answer.map_err(|error| (self.explain)(&AppError::Store(error)))
    }
}

/// A question or query without surrounding whitespace.
pub(super) fn asked(text: &str, explain: Explain) -> Result<String, Refusal> {
    Ok(checked_question(text).map_err(|error| explain(&AppError::Agent(error)))?.to_owned())
}

fn found(hit: &Hit) -> Found {
    let chunk = &hit.chunk;
    let (page, headings) = (hit.page(), hit.headings());
    Found {
        id: format!("{}#{}", chunk.id.document, chunk.id.ordinal),
        title: full_title(&chunk.title, page, &headings, &chunk.path),
        url: address(&chunk.path, page, chunk.id.document),
        collection: chunk.collection.clone(),
        path: chunk.path.clone(),
        page,
        headings,
        date: chunk.date.map(|date| date.date),
        score: hit.score,
        snippet: hit.snippet(),
    }
}

fn fetched(
    id: &str,
    place: Place,
    chunk: &StoredChunk,
    record: &DocumentRecord,
    range: Range<usize>,
    text: String,
) -> Fetched {
    let end = range.start + text.len();
    let (page, headings) = match place.passage {
        Some(_) => (chunk.page, chunk.headings.shared.clone()),
        None => (None, Vec::new()),
    };
    Fetched {
        id: id.to_owned(),
        title: full_title(&record.title, page, &headings, &record.path),
        url: address(&record.path, page, record.id),
        metadata: Metadata {
            document: record.id.to_string(),
            collection: record.collection.clone(),
            path: record.path.clone(),
            format: record.format.name().to_owned(),
            language: record.language.code().to_owned(),
            date: record.date.map(|date| date.date),
            page,
            headings,
            bytes: [range.start, end],
            text_bytes: record.text_bytes,
            passages: record.chunks,
            truncated: place.passage.is_none() && (end as u64) < record.text_bytes,
        },
        text,
    }
}

/// A title that distinguishes one passage from the next. Never empty.
fn full_title(title: &str, page: Option<u32>, headings: &[String], path: &str) -> String {
    let name = || path.rsplit('/').next().unwrap_or(path).to_owned();
    let title = if title.trim().is_empty() { name() } else { title.trim().to_owned() };
    let headings = headings.iter().skip_while(|heading| repeats_title(heading, &title)).cloned();
    let parts: Vec<String> = headings.chain(page.map(|page| format!("p. {page}"))).collect();
    if parts.is_empty() { title } else { format!("{title}: {}", parts.join(" › ")) }
}

/// The URL at which a document can be opened. Never empty: without an external URL, it is that of a resource.
pub(super) fn address(path: &str, page: Option<u32>, document: DocumentId) -> String {
    if is_url(path) {
        return path.to_owned();
    }
    match Url::from_file_path(Path::new(path)) {
        Ok(mut url) => {
            // PDF viewers open the page in the fragment.
            if let (Some(page), true) = (page, path.to_lowercase().ends_with(".pdf")) {
                url.set_fragment(Some(&format!("page={page}")));
            }
            url.into()
        }
        Err(()) => format!("deepsearch://document/{document}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_documents_and_passages_and_nothing_else() {
        let check = |id: &str, expected: Option<(u64, Option<u32>)>| {
            let place = Place::parse(id).map(|place| (place.document.0, place.passage));
            assert_eq!(place, expected, "{id}");
        };
        check("d12", Some((12, None)));
        check("d12#3", Some((12, Some(3))));
        for id in ["", "d", "d#1", "12", "d1#", "d-1", "d+1", "d1#-1", "../d1", "d1/../x", "d1#2#3", "d１２", " d1"] {
            check(id, None);
        }
        check("d99999999999999999999", None);
        check("d999999999999999", None);
        check("d1#99999999", None);
    }

    #[test]
    fn addresses_are_never_empty() {
        let check = |path: &str, page, expected: &str| assert_eq!(address(path, page, DocumentId(7)), expected);
        check("https://example.org/a", None, "https://example.org/a");
        check("/docs/a b.md", Some(2), "file:///docs/a%20b.md");
        check("/docs/資料.pdf", Some(2), "file:///docs/%E8%B3%87%E6%96%99.pdf#page=2");
        check("stdin", None, "deepsearch://document/d7");
        check("", None, "deepsearch://document/d7");
    }

    #[test]
    fn titles_tell_passages_apart_and_are_never_empty() {
        let headings = ["Report".to_owned(), "Costs".to_owned()];
        let check = |title: &str, page, headings: &[String], expected: &str| {
            assert_eq!(full_title(title, page, headings, "/a/b.md"), expected);
        };
        check("Report", Some(3), &headings, "Report: Costs › p. 3");
        check("Report", None, &[], "Report");
        check(" ", None, &[], "b.md");
    }
}
