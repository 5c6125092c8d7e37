//! Conversions of each kind of answer to its recorded form and back.

use std::collections::BTreeMap;
use std::ops::Range;

use super::convert::{chunks, hit};
use super::format::{
    Answer, Passage, StoredCollection, StoredDocument, StoredDocuments, StoredFailure, StoredHit, StoredPage, StoredWeb,
};
use super::handle::Recorded;
use crate::agent::SteeringDecision;
use crate::agent::recall::Recollection;
use crate::domain::{Collection, Document, DocumentId, DocumentName, Hit, StoredChunk};
use crate::retrieval::{RetrievalError, SearchRequest};
use crate::sources::WebRound;

type Passages = BTreeMap<u64, Passage>;
/// The collections, and whether they can be searched by meaning.
type Searchable = Result<(Vec<Collection>, bool), RetrievalError>;
/// The highlights of each hit.
type Highlights = Result<Vec<Vec<Range<usize>>>, RetrievalError>;
type ListedHit = Vec<Result<Vec<Hit>, RetrievalError>>;
/// The number of documents, and which they are; `None` if they are too many.
pub(in crate::agent) type Listed = Result<(u64, Option<Vec<(DocumentId, DocumentName)>>), RetrievalError>;

/// A failure is not recorded, since it ends the run.
pub(in crate::agent) fn collections(answer: &Searchable) -> Option<Recorded> {
    let (collections, by_meaning) = answer.as_ref().ok()?;
    let collections = collections.iter().map(StoredCollection::from).collect();
    Some((Answer::Collections { collections, by_meaning: *by_meaning }, Vec::new()))
}

pub(in crate::agent) fn to_collections(answer: Answer, _: &Passages) -> Option<Searchable> {
    match answer {
        Answer::Collections { collections, by_meaning } => {
            Some(Ok((collections.into_iter().map(Collection::from).collect(), by_meaning)))
        }
        _ => None,
    }
}

pub(in crate::agent) fn vocabulary(collection: &str, answer: &Result<Vec<String>, RetrievalError>) -> Option<Recorded> {
    let words = match answer {
        Ok(words) => Ok(words.clone()),
        Err(error) => Err(error.to_string()),
    };
    Some((Answer::Vocabulary { collection: collection.to_owned(), words }, Vec::new()))
}

pub(in crate::agent) fn to_vocabulary(answer: Answer, _: &Passages) -> Option<Result<Vec<String>, RetrievalError>> {
    match answer {
        Answer::Vocabulary { words, .. } => Some(words.map_err(|message| RetrievalError::Recorded { message })),
        _ => None,
    }
}

pub(in crate::agent) fn search(requests: &[SearchRequest], answer: &ListedHit) -> Option<Recorded> {
    let one = |hits: &Result<Vec<Hit>, RetrievalError>| match hits {
        Ok(hits) => Ok(hits.iter().map(StoredHit::from).collect()),
        Err(error) => Err(StoredFailure::from(error)),
    };
    let queries = requests.iter().map(|request| request.query.clone()).collect();
    let passages = answer.iter().flatten().flatten().map(|hit| Passage::from(&hit.chunk)).collect();
    Some((Answer::Search { queries, found: answer.iter().map(one).collect() }, passages))
}

pub(in crate::agent) fn to_search(answer: Answer, passages: &Passages) -> Option<ListedHit> {
    let Answer::Search { found, .. } = answer else { return None };
    let one = |hits: Vec<StoredHit>| -> Option<Vec<Hit>> {
        hits.iter().map(|stored| Some(hit(stored, passages.get(&stored.chunk)?.into()))).collect()
    };
    let answers = found.into_iter().map(|hits| match hits {
        Ok(hits) => one(hits).map(Ok),
        Err(failure) => Some(Err(RetrievalError::from(failure))),
    });
    answers.collect()
}

pub(in crate::agent) fn read(answer: &Result<Vec<StoredChunk>, RetrievalError>) -> Option<Recorded> {
    Some(match answer {
        Ok(chunks) => (
            Answer::Read(Ok(chunks.iter().map(|chunk| chunk.id.pack()).collect())),
            chunks.iter().map(Passage::from).collect(),
        ),
        Err(error) => (Answer::Read(Err(StoredFailure::from(error))), Vec::new()),
    })
}

pub(in crate::agent) fn to_read(
    answer: Answer,
    passages: &Passages,
) -> Option<Result<Vec<StoredChunk>, RetrievalError>> {
    match answer {
        Answer::Read(Ok(ids)) => chunks(&ids, passages).map(Ok),
        Answer::Read(Err(failure)) => Some(Err(failure.into())),
        _ => None,
    }
}

pub(in crate::agent) fn length(answer: &Result<u32, RetrievalError>) -> Option<Recorded> {
    let length = answer.as_ref().map_or_else(|error| Err(StoredFailure::from(error)), |length| Ok(*length));
    Some((Answer::Length(length), Vec::new()))
}

pub(in crate::agent) fn to_length(answer: Answer, _: &Passages) -> Option<Result<u32, RetrievalError>> {
    match answer {
        Answer::Length(length) => Some(length.map_err(RetrievalError::from)),
        _ => None,
    }
}

pub(in crate::agent) fn closest(query: &str, answer: &Highlights) -> Option<Recorded> {
    let ranges = |one: &Vec<Range<usize>>| one.iter().map(|range| [range.start, range.end]).collect();
    let highlights = match answer {
        Ok(hits) => Ok(hits.iter().map(ranges).collect()),
        Err(error) => Err(StoredFailure::from(error)),
    };
    Some((Answer::Closest { query: query.to_owned(), highlights }, Vec::new()))
}

pub(in crate::agent) fn to_closest(answer: Answer, _: &Passages) -> Option<Highlights> {
    let Answer::Closest { highlights, .. } = answer else { return None };
    let ranges = |one: Vec<[usize; 2]>| one.into_iter().map(|[start, end]| start..end).collect();
    Some(match highlights {
        Ok(hits) => Ok(hits.into_iter().map(ranges).collect()),
        Err(failure) => Err(failure.into()),
    })
}

pub(in crate::agent) fn web(queries: &[String], answer: &WebRound) -> Option<Recorded> {
    let WebRound { pages, tried, failed, warnings, usd } = answer;
    let stored = StoredWeb {
        queries: queries.to_vec(),
        pages: pages.iter().map(StoredPage::from).collect(),
        tried: tried.clone(),
        failed: failed.clone(),
        warnings: warnings.clone(),
        usd: usd.map(|usd| usd.to_string()),
    };
    Some((Answer::Web(stored), Vec::new()))
}

pub(in crate::agent) fn to_web(answer: Answer, _: &Passages) -> Option<WebRound> {
    let Answer::Web(StoredWeb { queries: _, pages, tried, failed, warnings, usd }) = answer else { return None };
    let pages = pages.into_iter().map(Document::from).collect();
    Some(WebRound { pages, tried, failed, warnings, usd: usd.and_then(|usd| usd.parse().ok()) })
}

pub(in crate::agent) fn accessed(answer: &Result<Option<i64>, RetrievalError>) -> Option<Recorded> {
    let accessed = answer.as_ref().map_or_else(|error| Err(StoredFailure::from(error)), |accessed| Ok(*accessed));
    Some((Answer::Accessed(accessed), Vec::new()))
}

pub(in crate::agent) fn to_accessed(answer: Answer, _: &Passages) -> Option<Result<Option<i64>, RetrievalError>> {
    match answer {
        Answer::Accessed(accessed) => Some(accessed.map_err(RetrievalError::from)),
        _ => None,
    }
}

pub(in crate::agent) fn documents(answer: &Listed) -> Option<Recorded> {
    let stored =
        |(id, name): &(DocumentId, DocumentName)| StoredDocument(id.0, name.collection.clone(), name.path.clone());
    let listed = match answer {
        Ok((count, named)) => {
            let named = named.as_ref().map(|named| named.iter().map(stored).collect());
            Ok(StoredDocuments { count: *count, named })
        }
        Err(error) => Err(StoredFailure::from(error)),
    };
    Some((Answer::Documents(listed), Vec::new()))
}

/// A document as the run knew it.
pub(super) fn named(StoredDocument(id, collection, path): StoredDocument) -> (DocumentId, DocumentName) {
    (DocumentId(id), DocumentName { collection, path })
}

pub(in crate::agent) fn to_documents(answer: Answer, _: &Passages) -> Option<Listed> {
    match answer {
        Answer::Documents(Ok(listed)) => {
            let all = listed.named.map(|all| all.into_iter().map(named).collect());
            Some(Ok((listed.count, all)))
        }
        Answer::Documents(Err(failure)) => Some(Err(failure.into())),
        _ => None,
    }
}

/// A decision that somebody put off is not recorded.
pub(in crate::agent) fn wanted(wanted: &SteeringDecision) -> Option<Recorded> {
    let answer = match wanted {
        SteeringDecision::Search(next) => Answer::Steered(next.clone()),
        SteeringDecision::Again(words) => Answer::Replanned(words.clone()),
        SteeringDecision::Nothing => return None,
    };
    Some((answer, Vec::new()))
}

pub(in crate::agent) fn to_wanted(answer: Answer, _: &Passages) -> Option<SteeringDecision> {
    match answer {
        Answer::Steered(next) => Some(SteeringDecision::Search(next)),
        Answer::Replanned(words) => Some(SteeringDecision::Again(words)),
        _ => None,
    }
}

pub(in crate::agent) fn recalled(answer: &Recollection) -> Option<Recorded> {
    Some(match answer {
        Ok((known, chunks)) => (Answer::Recalled(Ok(known.clone())), chunks.iter().map(Passage::from).collect()),
        Err(reason) => (Answer::Recalled(Err(reason.clone())), Vec::new()),
    })
}

pub(in crate::agent) fn to_recalled(answer: Answer, passages: &Passages) -> Option<Recollection> {
    match answer {
        Answer::Recalled(Ok(known)) => chunks(&known.passages(), passages).map(|chunks| Ok((known, chunks))),
        Answer::Recalled(Err(reason)) => Some(Err(reason)),
        _ => None,
    }
}

pub(in crate::agent) fn remembered(answer: &Result<(), String>) -> Option<Recorded> {
    Some((Answer::Remembered(answer.clone()), Vec::new()))
}

pub(in crate::agent) fn to_remembered(answer: Answer, _: &Passages) -> Option<Result<(), String>> {
    match answer {
        Answer::Remembered(taken) => Some(taken),
        _ => None,
    }
}
