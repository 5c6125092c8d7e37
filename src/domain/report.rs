use serde::{Deserialize, Serialize};

use super::{ChunkId, Coverage, DocumentDate, StopReason, Strategy, Usage};

/// A question that the planner asks of some collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubQuery {
    /// The text that is searched for.
    pub text: String,
    /// Names of the collections to search; empty means all.
    pub collections: Vec<String>,
}

/// One source passage that the report cites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Citation {
    /// Its number in the text, from 1.
    pub number: usize,
    /// The document's title.
    pub title: String,
    /// Its path or URL.
    pub path: String,
    /// The collection's name.
    pub collection: String,
    /// The cited chunk.
    pub chunk: ChunkId,
    /// 1-based page, if the document has pages.
    pub page: Option<u32>,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// Byte range of the quote in the document's extracted text.
    pub bytes: [usize; 2],
    /// The text of that range.
    pub quote: String,
    /// The document's date.
    pub date: Option<DocumentDate>,
    /// Author and year, as in `Lovelace (1843)`, if they come from a library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The day on which it was fetched; `None` if it is not a web page.
    pub accessed: Option<jiff::civil::Date>,
    /// The day on which an earlier run found it; `None` if only this run did.
    pub known_since: Option<jiff::civil::Date>,
    /// The number of the first citation of the same origin, if that is another document with the same words, as a copy
    /// has: the two count as one source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_origin: Option<usize>,
}

/// A passage that the searches of a run found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPassage {
    /// Its number in the evidence ledger, from 1. Citations have numbers of their own.
    pub number: usize,
    /// The chunk found.
    pub chunk: ChunkId,
    /// Its document's path or URL.
    pub path: String,
    /// The collection's name.
    pub collection: String,
    /// The round that found it first; 0 for the search with the question itself before the plan.
    pub round: usize,
    /// Whether a search of the plan or a later one found it, and not only that first search.
    pub planned: bool,
    /// Its approximate number of tokens.
    pub tokens: u64,
}

/// A search of a round, in the tree of the run's questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundSearch {
    /// What was searched.
    #[serde(flatten)]
    pub query: SubQuery,
    /// Its path in the tree, from 1 at each level: `[2, 1]` is the first search that the second one led to.
    pub place: Vec<usize>,
    /// Passages found.
    pub hits: usize,
    /// Of those, passages that no earlier search of the run had found.
    pub new: usize,
}

/// What one round of the loop did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RoundSummary {
    /// What was searched.
    pub sub_queries: Vec<RoundSearch>,
    /// Hits over all sub-queries.
    pub hits: usize,
    /// Of those, passages that no earlier search of the run had found.
    pub new: usize,
    /// Why the model asked for these searches.
    pub reason: String,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The question as asked.
    pub question: String,
    /// The whole report in Markdown, with sources and the account of the research.
    pub markdown: String,
    /// The number of its bytes that the model wrote; the sources and the account follow.
    #[serde(skip)]
    pub written: usize,
    /// The strategy that the run used; never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// Whether it answers: `false` if it says that the documents do not, although it may then cite the nearest passage.
    pub answered: bool,
    /// The citations in order of their numbers.
    pub citations: Vec<Citation>,
    /// One entry per round.
    pub rounds: Vec<RoundSummary>,
    /// Why the loop ended.
    pub stopped: StopReason,
    /// Searches that were planned but not made, because a limit or the user ended the search.
    pub skipped: Vec<SubQuery>,
    /// The cost of the run.
    pub usage: Usage,
    /// Seconds from the question to the last word.
    pub seconds: f64,
    /// Tokens that searching returned: each new passage in full, or everything that the model's own tools returned to
    /// it.
    pub retrieved_tokens: u64,
    /// Passages in the evidence ledger.
    pub evidence: usize,
    /// Those passages, in the order in which the writer is given them, as far as its prompt has room.
    pub found: Vec<FoundPassage>,
    /// What became of every document of the searched collections; `None` if nobody asked which documents there are.
    pub coverage: Option<Coverage>,
    /// The number of citations of evidence that does not exist, removed from the text.
    pub removed_citations: usize,
    /// The number of sentences with a number or a name and no citation, marked in the text.
    pub marked_sentences: usize,
    /// The number of figures, days, names, units and quotations in the text that the passages cited for them do not
    /// contain; each is in the warnings, too.
    pub unsupported: usize,
    /// Warnings of the run: failed steps, skipped sub-queries, files that could not be read.
    pub warnings: Vec<String>,
}

impl Report {
    /// The hash that identifies its text.
    pub fn hash(&self) -> String {
        crate::base::ContentHash::of(self.markdown.as_bytes()).to_string()
    }
}
