use std::collections::BTreeSet;

use futures::future::join_all;

use super::AgentError;
use super::overview::VOCABULARY;
use super::run::Run;
use super::search::{by_age, query_text, search_all, search_failed, search_request, settled};
use crate::base::text::Language;
use crate::bundled::language_of;
use crate::domain::{Collection, Hit};
use crate::llm::purpose::{CollectionCard, EvidenceCard};
use crate::retrieval::{RetrievalError, SearchRequest};

/// The number of passages that the question itself asks of each collection, if there are several.
const PROBE_HITS: usize = 5;
/// The passages considered for samples over all collections, so that the samples come from many documents.
const LOOKED_THROUGH: usize = 40;
/// The number of samples that the planner sees over all collections; at least two of each.
const SAMPLES: usize = 16;

/// Searches the question itself in every collection, once per run, and makes the cards by which models choose
/// collections.
pub(super) async fn probe(run: &mut Run<'_>) -> Result<(), AgentError> {
    if !run.overview.cards.is_empty() {
        return Ok(());
    }
    let names = run.scope.local_names();
    let wanted = run.engine.options.hits_per_query;
    let k = if names.len() == 1 { wanted } else { wanted.min(PROBE_HITS) };
    let query = query_text(run.question.text);
    let most = (SAMPLES / names.len().max(1)).max(2);
    let looked = (LOOKED_THROUGH / names.len().max(1)).max(k);
    let age = run.engine.options.age;
    let requests: Vec<SearchRequest> = names
        .iter()
        .map(|name| search_request(&run.scope, query.clone(), vec![name.clone()], age.asked(looked)))
        .collect();
    let corpus = &run.engine.corpus;
    let words = join_all(names.iter().map(|name| corpus.vocabulary(name, VOCABULARY)));
    let (found, words) = futures::join!(search_all(run.engine, &requests), words);
    let found = settled(run, found);
    learn_language(run, &found);

    let local: Vec<Collection> =
        run.scope.collections.iter().filter(|candidate| names.contains(&candidate.name)).cloned().collect();
    for (collection, (hits, words)) in local.into_iter().zip(found.into_iter().zip(words)) {
        let hits = hits.unwrap_or_else(|error| search_failed(run, &query, error));
        let mut hits = by_age(run, hits, looked);
        let samples = one_of_each_document(&hits).into_iter().take(most);
        let sample = |hit: &Hit| run.evidence.ledger.sample(&hit.chunk, &hit.snippet());
        let samples = samples.map(|hit| EvidenceCard { score: hit.score, ..sample(hit) }).collect();
        hits.truncate(k);
        let vocabulary = words.unwrap_or_else(|error| {
            run.warn(format!("the vocabulary of `{}` is not known to the planner: {error}", collection.name));
            Vec::new()
        });
        run.overview.cards.push(CollectionCard {
            name: collection.name,
            description: collection.description,
            documents: collection.documents,
            vocabulary,
            samples,
        });
        run.overview.hits.push(hits);
    }
    // A model that only quotes goes by the contents of collections, and those of the web are unknown.
    if run.scope.has_web && run.engine.model.reasons() {
        run.overview.cards.push(web_card());
    }
    Ok(())
}

/// A question of a few words may be in several of the collections' languages. Then its best hit decides on the
/// language.
fn learn_language(run: &mut Run<'_>, found: &[Result<Vec<Hit>, RetrievalError>]) {
    if language_of(run.question.text, &run.scope.spoken()) != Language::UNKNOWN {
        return;
    }
    let best = found.iter().flatten().filter_map(|hits| hits.first()).max_by(|a, b| a.score.total_cmp(&b.score));
    let language = best.map_or(Language::UNKNOWN, |hit| hit.chunk.language);
    if language != Language::UNKNOWN && language.is_written_as(run.question.text) {
        run.question.language = language;
    }
}

/// Adds the hits of the question itself to the ledger.
pub(super) fn admit(run: &mut Run<'_>) {
    for hits in std::mem::take(&mut run.overview.hits) {
        run.evidence.add(hits, 0);
    }
}

/// The card that tells models about the web.
fn web_card() -> CollectionCard {
    let Collection { name, description, documents, .. } = super::web_pages::collection();
    CollectionCard { name, description, documents, vocabulary: Vec::new(), samples: Vec::new() }
}

/// The hits, the best of every document before the second of any.
fn one_of_each_document(hits: &[Hit]) -> Vec<&Hit> {
    let mut seen = BTreeSet::new();
    let (mut first, more): (Vec<&Hit>, Vec<&Hit>) =
        hits.iter().partition(|hit| seen.insert((hit.chunk.collection.as_str(), hit.chunk.path.as_str())));
    first.extend(more);
    first
}
