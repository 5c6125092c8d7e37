use futures::future::join_all;

use super::run::Run;
use super::search::{SearchAnswers, query_text, search_all, search_request, settled};
use super::{Engine, gate, web_round};
use crate::domain::{ChunkId, Hit, SearchMode, StopReason, StoredChunk, Usage, WEB};
use crate::retrieval::{RetrievalError, SearchRequest};

/// A search that a tool makes.
#[derive(Clone, Debug)]
pub(super) struct ToolSearch {
    pub mode: SearchMode,
    pub query: String,
    pub k: usize,
    pub web: bool,
}

/// The answers to what tools asked for, in the order asked.
pub(super) struct ToolAnswers {
    pub searches: Vec<Result<Vec<Hit>, RetrievalError>>,
    pub passages: Vec<Result<Passages, RetrievalError>>,
}

/// A chunk with its neighbours as asked for, and the number of chunks in its document.
pub(super) struct Passages {
    pub chunks: Vec<StoredChunk>,
    pub of: u32,
}

/// Makes searches and reads passages for tools, all at once. The error is the reason why this was not done.
pub(super) async fn search_and_read(
    run: &mut Run<'_>,
    searches: &[ToolSearch],
    reads: &[(ChunkId, u32)],
) -> Result<ToolAnswers, StopReason> {
    let searches = gathered(run, searches).await?;
    let requests: Vec<SearchRequest> = searches
        .iter()
        .map(|ToolSearch { mode, query, k, web }| {
            let query = query_text(query);
            let collections = if *web { vec![WEB.to_owned()] } else { Vec::new() };
            SearchRequest { mode: *mode, ..search_request(&run.scope, query, collections, *k) }
        })
        .collect();
    let passages = reads.iter().map(|(chunk, neighbours)| read(run.engine, *chunk, *neighbours));
    let both = async { futures::join!(search_for_tools(run.engine, &requests), join_all(passages)) };
    let both = gate::unless_stopped(run, both, Usage::default).await;
    let (found, passages) = both.map_err(|dropped| dropped.reason)?;
    Ok(ToolAnswers { searches: settled(run, found), passages })
}

/// Whether searches by meaning are possible, as far as is known.
pub(super) fn searches_by_meaning(run: &Run<'_>) -> bool {
    run.scope.mode != SearchMode::Keyword && run.engine.corpus.search_by_meaning()
}

/// Has pages fetched for the searches that go to the web; returns the searches as they are to be made.
async fn gathered(run: &mut Run<'_>, searches: &[ToolSearch]) -> Result<Vec<ToolSearch>, StopReason> {
    let only_web = run.scope.has_web && run.scope.local_names().is_empty();
    let mut searches = searches.to_vec();
    searches.iter_mut().for_each(|search| search.web |= only_web);
    let mut queries: Vec<String> = Vec::new();
    for query in searches.iter().filter(|search| search.web).map(|search| web_round::for_engine(&search.query)) {
        if !queries.contains(&query) {
            queries.push(query);
        }
    }
    // A search on which the engine fails is made in the pages that the run already has, and the run is warned.
    web_round::gather(run, &queries).await?;
    Ok(searches)
}

/// Like [`search_all`], but hits by meaning show the sentences closest in meaning instead of those that share words.
async fn search_for_tools(engine: &Engine, requests: &[SearchRequest]) -> SearchAnswers {
    let mut found = search_all(engine, requests).await;
    for (request, answer) in requests.iter().zip(&mut found.answers) {
        if let (SearchMode::Semantic, Ok(hits), None) = (request.mode, answer, &found.embedder_failed)
            && let Err(error) = engine.corpus.mark_closest(&request.query, hits).await
        {
            // The sentences that share words are shown instead.
            tracing::warn!(%error, "the closest sentences could not be found");
        }
    }
    found
}

/// Reads a chunk and its neighbours.
async fn read(engine: &Engine, chunk: ChunkId, neighbours: u32) -> Result<Passages, RetrievalError> {
    let chunks = engine.corpus.read(chunk, neighbours).await?;
    let path = chunks.first().map(|chunk| chunk.path.clone()).unwrap_or_default();
    let of = engine.corpus.length(chunk.document, &path).await?;
    Ok(Passages { of, chunks })
}
