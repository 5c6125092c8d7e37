use serde::{Deserialize, Serialize};

use super::{ChunkId, Coverage, DocumentDate, StopReason, Strategy, Usage};

/// A question that the planner asks of some collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubQuery {
    /// What is searched for.
    pub text: String,
    /// Names of the collections to search; empty means all.
    pub collections: Vec<String>,
}

/// One source passage that the report cites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Citation {
    /// The number in the text, from 1.
    pub number: usize,
    /// The document's title.
    pub title: String,
    /// Its path or URL.
    pub path: String,
    /// The collection's name.
    pub collection: String,
    /// Which chunk.
    pub chunk: ChunkId,
    /// 1-based page, where there are pages.
    pub page: Option<u32>,
    /// Headings above, outermost first.
    pub headings: Vec<String>,
    /// Byte range of the quote in the document's extracted text.
    pub bytes: [usize; 2],
    /// The words of that range.
    pub quote: String,
    /// The document's date.
    pub date: Option<DocumentDate>,
    /// Who wrote it and when, as in `Lovelace (1843)`, where a library told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The day on which it was fetched; `None` for what is no page of the web.
    pub accessed: Option<jiff::civil::Date>,
    /// The day on which an earlier run found it; `None` where only this one did.
    pub known_since: Option<jiff::civil::Date>,
    /// The number of the first citation of its origin, where that is another document with its words, as a copy has: the two
    /// count as one source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_origin: Option<usize>,
}

/// A passage that the searches of a run found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPassage {
    /// Its number in the evidence ledger, from 1. Citations have numbers of their own.
    pub number: usize,
    /// Which chunk.
    pub chunk: ChunkId,
    /// Its document's path or URL.
    pub path: String,
    /// The collection's name.
    pub collection: String,
    /// The round that found it first; 0 for the search of the question itself before the plan.
    pub round: usize,
    /// Whether a search of the plan or after it found it too, and not that first one alone.
    pub planned: bool,
    /// About how many tokens it has.
    pub tokens: u64,
}

/// A search of a round, in the tree of the run's questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundSearch {
    /// What was searched.
    #[serde(flatten)]
    pub query: SubQuery,
    /// Its place below the question, from 1: `[2, 1]` is the first search that the second one led to.
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
    /// As asked.
    pub question: String,
    /// The whole report in Markdown, with sources and the account of the research.
    pub markdown: String,
    /// How many bytes of it the model wrote; the sources and the account follow.
    #[serde(skip)]
    pub written: usize,
    /// How the run went about it; never [`Strategy::Auto`].
    pub strategy: Strategy,
    /// Whether it answers: `false` where it says that the documents don't, although it may cite the nearest passage.
    pub answered: bool,
    /// In order of their numbers.
    pub citations: Vec<Citation>,
    /// One entry a round.
    pub rounds: Vec<RoundSummary>,
    /// Why the loop ended.
    pub stopped: StopReason,
    /// What was planned and not searched any more, because a limit or the user ended the search.
    pub skipped: Vec<SubQuery>,
    /// What it cost.
    pub usage: Usage,
    /// Seconds from the question to the last word.
    pub seconds: f64,
    /// Tokens that searching brought: each new passage in full, or all that the model's own tools returned to it.
    pub retrieved_tokens: u64,
    /// Passages in the evidence ledger.
    pub evidence: usize,
    /// Those passages, in the order in which the writer is given them, as far as its prompt has room.
    pub found: Vec<FoundPassage>,
    /// What became of every document of the searched collections; `None` where nobody asked which there are.
    pub coverage: Option<Coverage>,
    /// Citations to numbers that no evidence has, removed from the text.
    pub removed_citations: usize,
    /// Sentences with a number or a name and no citation, marked in the text.
    pub marked_sentences: usize,
    /// Figures, days, names, units and quotations in the text that the passages cited for them do not have; each is in
    /// the warnings too.
    pub unsupported: usize,
    /// Warnings of the run: failed steps, skipped sub-queries, files that could not be read.
    pub warnings: Vec<String>,
}

impl Report {
    /// What its words are known by.
    pub fn hash(&self) -> String {
        crate::base::ContentHash::of(self.markdown.as_bytes()).to_string()
    }
}
