//! Conversions between the types of a run and those of its journal.

use std::collections::BTreeMap;
use std::time::Duration;

use super::format::{
    Passage, StoredCut, StoredError, StoredFailure, StoredHit, StoredPage, StoredRefusal, StoredReply, StoredUsage,
};
use crate::base::ContentHash;
use crate::domain::{Chunk, ChunkId, Document, Hit, ScoreParts, StoredChunk, Usage};
use crate::embed::EmbedError;
use crate::llm::{ChatReply, LlmError, Purpose};
use crate::retrieval::RetrievalError;

/// Microseconds, the unit of time in journals.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl From<&Usage> for StoredUsage {
    fn from(usage: &Usage) -> Self {
        let Usage { calls, prompt_tokens, cached_tokens, completion_tokens, usd, estimated, unanswered } = *usage;
        StoredUsage {
            calls,
            prompt_tokens,
            cached_tokens,
            completion_tokens,
            usd: usd.map(|usd| usd.to_string()),
            estimated,
            unanswered,
        }
    }
}

impl From<&StoredUsage> for Usage {
    fn from(stored: &StoredUsage) -> Self {
        Usage {
            calls: stored.calls,
            prompt_tokens: stored.prompt_tokens,
            cached_tokens: stored.cached_tokens,
            completion_tokens: stored.completion_tokens,
            usd: stored.usd.as_ref().and_then(|usd| usd.parse().ok()),
            estimated: stored.estimated,
            unanswered: stored.unanswered,
        }
    }
}

impl From<&ChatReply> for StoredReply {
    fn from(reply: &ChatReply) -> Self {
        let ChatReply { text, reasoning, tool_calls, finish, usage, model, elapsed } = reply.clone();
        let (usage, elapsed_us) = (StoredUsage::from(&usage), micros(elapsed));
        StoredReply { text, reasoning, tool_calls, finish, usage, model, elapsed_us }
    }
}

impl From<StoredReply> for ChatReply {
    fn from(stored: StoredReply) -> Self {
        ChatReply {
            usage: Usage::from(&stored.usage),
            elapsed: Duration::from_micros(stored.elapsed_us),
            text: stored.text,
            reasoning: stored.reasoning,
            tool_calls: stored.tool_calls,
            finish: stored.finish,
            model: stored.model,
        }
    }
}

/// A failed call as stored in a journal; `None` for a failure that ends the run, whose call is repeated on resuming.
pub(super) fn refusal(error: &LlmError, streamed: String) -> Option<StoredRefusal> {
    let error = match error {
        LlmError::Unavailable { url, model, attempts, reason, usage } => StoredError::Unavailable {
            url: url.clone(),
            model: model.clone(),
            attempts: *attempts,
            reason: reason.clone(),
            usage: StoredUsage::from(usage.as_ref()),
        },
        LlmError::Unreachable { url, model, attempts, reason, usage } => StoredError::Unreachable {
            url: url.clone(),
            model: model.clone(),
            attempts: *attempts,
            reason: reason.clone(),
            usage: StoredUsage::from(usage.as_ref()),
        },
        LlmError::Refused { url, model, status, reason } => {
            StoredError::Refused { url: url.clone(), model: model.clone(), status: *status, reason: reason.clone() }
        }
        LlmError::ContextOverflow { model, reason } => {
            StoredError::ContextOverflow { model: model.clone(), reason: reason.clone() }
        }
        LlmError::Unusable { model, reason, usage, .. } => {
            StoredError::Unusable { model: model.clone(), reason: reason.clone(), usage: StoredUsage::from(usage) }
        }
        LlmError::Key { .. } | LlmError::Limit { .. } | LlmError::Unscripted { .. } => return None,
    };
    Some(StoredRefusal { streamed, error })
}

pub(super) fn llm_error(stored: StoredError, purpose: Purpose) -> LlmError {
    match stored {
        StoredError::Unavailable { url, model, attempts, reason, usage } => {
            LlmError::Unavailable { url, model, attempts, reason, usage: Box::new(Usage::from(&usage)) }
        }
        StoredError::Unreachable { url, model, attempts, reason, usage } => {
            LlmError::Unreachable { url, model, attempts, reason, usage: Box::new(Usage::from(&usage)) }
        }
        StoredError::Refused { url, model, status, reason } => LlmError::Refused { url, model, status, reason },
        StoredError::ContextOverflow { model, reason } => LlmError::ContextOverflow { model, reason },
        StoredError::Unusable { model, reason, usage } => {
            LlmError::Unusable { model, purpose: purpose.name(), reason, usage: Usage::from(&usage) }
        }
    }
}

/// The cost of a failed call.
pub(super) fn usage_of(stored: &StoredError) -> Usage {
    match stored {
        StoredError::Unusable { usage, .. }
        | StoredError::Unavailable { usage, .. }
        | StoredError::Unreachable { usage, .. } => Usage::from(usage),
        StoredError::Refused { .. } | StoredError::ContextOverflow { .. } => Usage::free(1),
    }
}

impl From<&RetrievalError> for StoredFailure {
    fn from(error: &RetrievalError) -> Self {
        match error {
            RetrievalError::Embed(error) => match error.clone() {
                EmbedError::Unknown { name } => StoredFailure::UnknownEmbedder { name },
                EmbedError::Load { model, reason } => StoredFailure::EmbedderNotLoaded { model, reason },
                EmbedError::Run { model, reason } => StoredFailure::EmbedderFailed { model, reason },
                EmbedError::Dimension { model, expected, found } => {
                    StoredFailure::OtherDimension { model, expected, found }
                }
            },
            RetrievalError::NoEmbedder => StoredFailure::NoEmbedder,
            RetrievalError::NoChunk { chunk } => StoredFailure::NoChunk { chunk: chunk.pack() },
            error @ (RetrievalError::Store(_) | RetrievalError::Stopped(_) | RetrievalError::Recorded { .. }) => {
                StoredFailure::Other { message: error.to_string() }
            }
        }
    }
}

impl From<StoredFailure> for RetrievalError {
    fn from(stored: StoredFailure) -> Self {
        match stored {
            StoredFailure::UnknownEmbedder { name } => EmbedError::Unknown { name }.into(),
            StoredFailure::EmbedderNotLoaded { model, reason } => EmbedError::Load { model, reason }.into(),
            StoredFailure::EmbedderFailed { model, reason } => EmbedError::Run { model, reason }.into(),
            StoredFailure::OtherDimension { model, expected, found } => {
                EmbedError::Dimension { model, expected, found }.into()
            }
            StoredFailure::NoEmbedder => RetrievalError::NoEmbedder,
            StoredFailure::NoChunk { chunk } => RetrievalError::NoChunk { chunk: ChunkId::unpack(chunk) },
            StoredFailure::Other { message } => RetrievalError::Recorded { message },
        }
    }
}

impl From<&Hit> for StoredHit {
    fn from(hit: &Hit) -> Self {
        // The reader does not score the searches of a run.
        let ScoreParts { lexical, semantic, rerank, answer: answer_score, reader: _ } = hit.parts;
        let highlights = hit.highlights.iter().map(|range| [range.start, range.end]).collect();
        let (chunk, score) = (hit.chunk.id.pack(), hit.score);
        let answer = hit.answer.as_ref().map(|range| [range.start, range.end]);
        StoredHit { chunk, score, lexical, semantic, rerank, answer_score, answer, highlights }
    }
}

/// Restores a hit from its stored form and its passage.
pub(super) fn hit(stored: &StoredHit, chunk: StoredChunk) -> Hit {
    let StoredHit { score, lexical, semantic, rerank, answer_score, answer, .. } = *stored;
    let highlights = stored.highlights.iter().map(|[start, end]| *start..*end).collect();
    let parts = ScoreParts { lexical, semantic, rerank, answer: answer_score, reader: None };
    Hit { chunk, score, parts, highlights, answer: answer.map(|[start, end]| start..end) }
}

impl From<&StoredChunk> for Passage {
    fn from(chunk: &StoredChunk) -> Self {
        let StoredChunk { id, collection, path, title, date, by, range, page, page_turns, headings, language, text } =
            chunk.clone();
        let (id, range) = (id.pack(), [range.start, range.end]);
        Passage { id, collection, path, title, date, by, range, page, page_turns, headings, language, text }
    }
}

impl From<&Passage> for StoredChunk {
    fn from(passage: &Passage) -> Self {
        let Passage { id, collection, path, title, date, by, range, page, page_turns, headings, language, text } =
            passage.clone();
        let (id, range) = (ChunkId::unpack(id), range[0]..range[1]);
        StoredChunk { id, collection, path, title, date, by, range, page, page_turns, headings, language, text }
    }
}

impl From<&Document> for StoredPage {
    fn from(page: &Document) -> Self {
        let Document {
            path,
            title,
            format,
            language,
            date,
            authorship: _,
            hash: _,
            bytes,
            modified_ns,
            cut: _,
            text,
            chunks,
        } = page.clone();
        let cut = |Chunk { range, page, page_turns, headings, language }| StoredCut {
            range: [range.start, range.end],
            page,
            page_turns,
            headings,
            language,
        };
        let chunks = chunks.into_iter().map(cut).collect();
        StoredPage { url: path, title, format, language, date, bytes, accessed_ns: modified_ns, text, chunks }
    }
}

impl From<StoredPage> for Document {
    fn from(stored: StoredPage) -> Self {
        let StoredPage { url, title, format, language, date, bytes, accessed_ns, text, chunks } = stored;
        let chunk = |StoredCut { range, page, page_turns, headings, language }| Chunk {
            range: range[0]..range[1],
            page,
            page_turns,
            headings,
            language,
        };
        let hash = ContentHash::of(text.as_bytes());
        // A journal that somebody has edited may refer to bytes that do not exist.
        let is_there = |chunk: &Chunk| text.get(chunk.range.clone()).is_some_and(|words| !words.is_empty());
        let chunks = chunks.into_iter().map(chunk).filter(is_there).collect();
        Document {
            path: url,
            title,
            format,
            language,
            date,
            authorship: crate::domain::Authorship::default(),
            hash,
            bytes,
            modified_ns: accessed_ns,
            cut: None,
            text,
            chunks,
        }
    }
}

/// The passages with these packed ids; `None` if one is not in the journal, which the journal's reader has ruled out.
pub(super) fn chunks(ids: &[u64], passages: &BTreeMap<u64, Passage>) -> Option<Vec<StoredChunk>> {
    ids.iter().map(|id| passages.get(id).map(StoredChunk::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_come_back_as_they_were_and_a_bad_key_is_not_kept() {
        let (url, model, reason) = ("u".to_owned(), "m".to_owned(), "no".to_owned());
        let usage = Usage { usd: Some(0.25), ..Usage::free(2) };
        let refusals = [
            LlmError::Refused { url: url.clone(), model: model.clone(), status: 404, reason: reason.clone() },
            LlmError::ContextOverflow { model: model.clone(), reason: reason.clone() },
            LlmError::Unavailable {
                url,
                model: model.clone(),
                attempts: 2,
                reason: reason.clone(),
                usage: Box::new(usage),
            },
            LlmError::Unusable { model, purpose: Purpose::Plan.name(), reason: reason.clone(), usage },
        ];
        for error in refusals {
            let stored = refusal(&error, "begun".to_owned()).unwrap();
            assert_eq!(stored.streamed, "begun");
            let again = llm_error(stored.error, Purpose::Plan);
            assert_eq!((again.to_string(), again.usage()), (error.to_string(), error.usage()));
        }
        let key = LlmError::Key { provider: "p".to_owned(), key_source: "s".to_owned(), reason };
        assert!(refusal(&key, String::new()).is_none());
    }
}
