//! What became of every document that a run could have found, derived from the run's requests and their answers and
//! from the citations in its text.

use std::collections::{BTreeMap, BTreeSet};

use super::run::Run;
use crate::domain::{Citation, Coverage, DocumentId, DocumentName, NotFound, StoredChunk, SubQuery};
use crate::llm::Input;

/// If there are more documents, they are counted and not named.
pub(super) const MOST_NAMED: u64 = 5_000;

/// The numbers of the passages that a request shows its model in full.
pub(super) fn shown_whole(input: &Input) -> Vec<usize> {
    match input {
        Input::Reflect(input) => input.evidence.iter().map(|card| card.number).collect(),
        Input::Follow(input) => input.evidence.iter().map(|card| card.number).collect(),
        Input::Write(input) => input.evidence.iter().map(|card| card.number).collect(),
        Input::Act(input) => {
            let passages = input.taken.iter().flat_map(|result| &result.passages);
            passages.filter(|passage| passage.whole).map(|passage| passage.card.number).collect()
        }
        // An outline is made from one line per passage, and a plan from sentences.
        Input::Plan(_) | Input::Choose(_) | Input::Outline(_) => Vec::new(),
        Input::Describe(_) | Input::Quiz(_) | Input::Revise(_) => Vec::new(),
    }
}

/// The coverage of a run; `None` if the run was not to ask which documents there are, or could not.
pub(super) async fn coverage(run: &mut Run<'_>, citations: &[Citation]) -> Option<Coverage> {
    if !run.engine.options.covers {
        return None;
    }
    let listed = match run.engine.corpus.documents(&run.scope.local_names(), MOST_NAMED).await {
        Ok(listed) => listed,
        Err(error) => {
            run.warn(format!("it is not known which documents were not found: {error}"));
            return None;
        }
    };
    let matched = run.engine.corpus.matched();
    let name = |chunk: &StoredChunk| DocumentName { collection: chunk.collection.clone(), path: chunk.path.clone() };
    let entry = |number: usize| Some(&run.evidence.ledger.get(number)?.chunk);
    let read: BTreeMap<DocumentId, DocumentName> =
        run.evidence.read().into_iter().filter_map(entry).map(|chunk| (chunk.id.document, name(chunk))).collect();
    let cited: BTreeMap<DocumentId, DocumentName> = citations
        .iter()
        .map(|citation| {
            let (collection, path) = (citation.collection.clone(), citation.path.clone());
            (citation.chunk.document, DocumentName { collection, path })
        })
        .collect();
    let known: BTreeSet<DocumentId> = cited.keys().chain(read.keys()).chain(matched.keys()).copied().collect();
    let (count, named) = listed;
    let own = known.iter().filter(|id| id.page().is_none()).count() as u64;
    let (unmatched, unlisted) = match named {
        Some(all) => (sorted(all.into_iter().filter(|(id, _)| !known.contains(id)).map(|(_, name)| name)), 0),
        None => (Vec::new(), count.saturating_sub(own)),
    };
    let not_found = not_found(run, citations);
    let beyond = |list: &BTreeMap<DocumentId, DocumentName>, others: &[&BTreeMap<DocumentId, DocumentName>]| {
        let is_new = |id: &DocumentId| others.iter().all(|other| !other.contains_key(id));
        sorted(list.iter().filter(|(id, _)| is_new(id)).map(|(_, name)| name.clone()))
    };
    Some(Coverage {
        cited: beyond(&cited, &[]),
        read: beyond(&read, &[&cited]),
        matched: beyond(&matched, &[&cited, &read]),
        unmatched,
        unlisted,
        unreadable: run.engine.options.unread.clone(),
        not_found,
    })
}

fn sorted(names: impl Iterator<Item = DocumentName>) -> Vec<DocumentName> {
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The sub-queries of the first round and of the report's headings, without the question itself, for which the text
/// cites none of the passages found.
fn not_found(run: &Run<'_>, citations: &[Citation]) -> Vec<NotFound> {
    let ledger = &run.evidence.ledger;
    let asked = run.history.asked.all();
    let planned = run.history.rounds.first().map(|round| round.sub_queries.as_slice()).unwrap_or_default();
    let headings: Vec<&str> = run.engine.options.outline.sections.iter().map(|section| section.query()).collect();
    let answered: BTreeSet<usize> = citations
        .iter()
        .filter_map(|citation| ledger.number_of(citation.chunk))
        .flat_map(|number| ledger.queries_of(number).iter().copied())
        .collect();
    let is_asked = |query: &&SubQuery| {
        planned.iter().any(|search| search.query == **query) || headings.contains(&query.text.as_str())
    };
    // As the account of the rounds says. A strategy with tools adds to the ledger only what it reads.
    let found = |query: &SubQuery| {
        let searches = run.history.rounds.iter().flat_map(|round| &round.sub_queries);
        searches.filter(|search| search.query == *query).map(|search| search.hits).max().unwrap_or(0)
    };
    (0..)
        .zip(asked)
        .skip(1)
        .filter(|(index, query)| !answered.contains(index) && is_asked(query))
        .map(|(_, query)| NotFound { searched: query.clone(), found: found(query) })
        .collect()
}
