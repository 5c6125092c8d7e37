use crate::agent::prompt_text::dated;
use crate::base::text::short_line;
use crate::domain::{ChunkId, DocumentDate};
use crate::prompt::fenced;

/// The most characters of one passage that a search shows.
const MAX_CHARS: usize = 320;

/// One hit as a search shows it.
#[derive(Debug)]
pub(in crate::agent) struct ListedHit<'a> {
    pub chunk: ChunkId,
    pub title: &'a str,
    /// The day of its document.
    pub date: Option<DocumentDate>,
    /// Empty if there is only one collection.
    pub collection: &'a str,
    /// The matching sentences.
    pub words: &'a str,
    /// The step at which the passage was read, if it was; its words are then left out.
    pub read_at: Option<usize>,
}

/// Formats a search's result: one line per passage, fenced because the words come from documents.
pub(in crate::agent) fn snippets(found: &[ListedHit<'_>]) -> String {
    let line = |hit: &ListedHit<'_>| {
        let collection = if hit.collection.is_empty() { String::new() } else { format!(" in {}", hit.collection) };
        let words = match hit.read_at {
            Some(step) => format!("(read at step {step})"),
            None => short_line(hit.words, MAX_CHARS),
        };
        let title = dated(&short_line(hit.title, 80), hit.date);
        format!("{} {}{collection} | {title}: {words}", hit.chunk.document, hit.chunk.ordinal)
    };
    let label = "doc_id chunk_id | title: matching sentences";
    fenced(label, &found.iter().map(line).collect::<Vec<_>>().join("\n"))
}
