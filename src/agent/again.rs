use jiff::tz::TimeZone;

use super::scope::Scope;
use super::search::{query_text, search_all, search_request};
use super::{AgentError, Engine};
use crate::domain::{Report, StoredChunk};
use crate::retrieval::SearchRequest;

/// Makes the searches of an earlier run again, and that for the question itself; gives the passages that they bring now,
/// those of several searches more than once. No model is asked.
pub async fn found_again(
    engine: &Engine,
    earlier: &Report,
    collections: &[String],
) -> Result<Vec<StoredChunk>, AgentError> {
    let scope = Scope::of(engine, collections).await?;
    let (names, options) = (scope.local_names(), &engine.options);
    let k = options.hits_per_query;
    let asked = options.age.asked(k);
    let itself = names.iter().map(|name| (earlier.question.as_str(), vec![name.clone()]));
    let planned = earlier.rounds.iter().flat_map(|round| &round.sub_queries).filter_map(|query| {
        let there: Vec<String> = query.collections.iter().filter(|name| names.contains(name)).cloned().collect();
        // Where all that it went to is gone, as the web is, there is nothing to search again.
        (query.collections.is_empty() || !there.is_empty()).then_some((query.text.as_str(), there))
    });
    let requests: Vec<SearchRequest> =
        itself.chain(planned).map(|(text, names)| search_request(&scope, query_text(text), names, asked)).collect();
    let today = engine.clock.now().to_zoned(TimeZone::UTC).date();
    let mut found = Vec::new();
    for answer in search_all(engine, &requests).await.answers {
        let (hits, _) = options.age.weighed(answer?, k, today);
        found.extend(hits.into_iter().map(|hit| hit.chunk));
    }
    Ok(found)
}
