use super::scope::Scope;
use super::search::{query_text, search_all, search_request};
use super::{AgentError, Engine};
use crate::base::day_of;
use crate::domain::{Hit, Report, StoredChunk};
use crate::retrieval::SearchRequest;

/// Repeats the searches of an earlier run and the search for the question itself, and returns the passages that they
/// find now. A passage that several searches find is returned several times. No model is called.
pub async fn repeat_searches(
    engine: &Engine,
    earlier: &Report,
    collections: &[String],
) -> Result<Vec<StoredChunk>, AgentError> {
    let scope = Scope::of(engine, collections).await?;
    let (names, options) = (scope.local_names(), &engine.options);
    let k = options.hits_per_query;
    let asked = options.age.asked(k);
    let itself = names.iter().map(|name| (earlier.question.as_str(), vec![name.clone()]));
    let planned = earlier.rounds.iter().flat_map(|round| &round.sub_queries).filter_map(|search| {
        let query = &search.query;
        let there: Vec<String> = query.collections.iter().filter(|name| names.contains(name)).cloned().collect();
        // A search whose collections are all gone, or that went to the web alone, is not repeated.
        (query.collections.is_empty() || !there.is_empty()).then_some((query.text.as_str(), there))
    });
    let requests: Vec<SearchRequest> =
        itself.chain(planned).map(|(text, names)| search_request(&scope, query_text(text), names, asked)).collect();
    Ok(answers(engine, &requests, k).await?.into_iter().flatten().collect())
}

/// Returns the best `k` passages that a question itself finds in each collection. No model is called.
pub async fn search_question(
    engine: &Engine,
    question: &str,
    collections: &[String],
    k: usize,
) -> Result<Vec<Vec<StoredChunk>>, AgentError> {
    let scope = Scope::of(engine, collections).await?;
    let asked = engine.options.age.asked(k);
    let request = |name| search_request(&scope, query_text(question), vec![name], asked);
    let requests: Vec<SearchRequest> = scope.local_names().into_iter().map(request).collect();
    answers(engine, &requests, k).await
}

async fn answers(engine: &Engine, requests: &[SearchRequest], k: usize) -> Result<Vec<Vec<StoredChunk>>, AgentError> {
    let today = day_of(engine.clock.now());
    let weighed = |hits: Vec<Hit>| engine.options.age.weighed(hits, k, today).0;
    let found = search_all(engine, requests).await.answers.into_iter();
    found.map(|answer| Ok(weighed(answer?).into_iter().map(|hit| hit.chunk).collect())).collect()
}
