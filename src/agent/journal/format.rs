//! What a journal's file holds: JSON, one line for each thing that happened. These types are the file's alone; changing
//! one changes the format, and raises [`VERSION`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::{AgentOptions, StrategyLimits};
use crate::agent::recall::Known;
use crate::base::text::Spoken;
use crate::domain::{Collection, DocumentFilter, Headings, StopReason, SubQuery};
use crate::llm::{Finish, ToolCall};

/// The newest version that this program reads, and the one it writes.
pub(super) const VERSION: u32 = 5;

/// The first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::agent) struct Header {
    /// The format's version.
    pub deepsearch_journal: u32,
    /// The program's version.
    pub program: String,
    pub run: String,
    pub started: Timestamp,
    /// The day that prompts speak of; a fork keeps the one of the run that it comes from.
    pub today: Timestamp,
    /// Whether time stood still, so that a run takes none.
    pub fixed_clock: bool,
    pub question: String,
    /// As named by the user; empty: all.
    pub collections: Vec<String>,
    #[serde(default)]
    pub filter: DocumentFilter,
    pub limits: StrategyLimits,
    pub options: AgentOptions,
    pub model: StoredModel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
}

/// The model of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::agent) struct StoredModel {
    pub reasons: bool,
    /// By purpose.
    pub names: BTreeMap<String, String>,
}

/// Where a run that goes another way came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::agent) struct Forked {
    pub run: String,
    /// How many of its steps were taken over.
    pub steps: usize,
}

/// Every further line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum Line {
    Step(Step),
    Sent(Sent),
    Halt(Halt),
    Resumed(Resumed),
    End(RunEnd),
}

/// Something was asked outside, and answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Step {
    /// Hash of the request.
    pub key: String,
    /// Time of the run at which the answer was there.
    pub at_us: u64,
    pub answer: Answer,
    /// Passages that the answer names and no earlier line holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
}

/// A call is sent. Its answer is the step of the same key, unless the process is killed before. Since version 4.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Sent {
    pub key: String,
}

/// The run was told to stop, at one of the places where it asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Halt {
    /// Which place, counted from 0.
    pub gate: u64,
    pub at_us: u64,
    pub reason: StopReason,
    /// What was spent on the call under way.
    #[serde(default, skip_serializing_if = "StoredUsage::is_nothing")]
    pub usage: StoredUsage,
    /// What had been streamed of the report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub streamed: String,
}

/// The run goes on after it had ended before its time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Resumed {
    pub on: Timestamp,
}

/// The run is over.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum RunEnd {
    /// With a report whose Markdown has this hash.
    Report { hash: String, stopped: StopReason, usage: StoredUsage, at_us: u64 },
    /// Without one.
    Failed { error: String, at_us: u64 },
}

/// An answer, by what was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum Answer {
    /// `by_meaning`: whether something makes vectors of queries.
    Collections {
        collections: Vec<StoredCollection>,
        by_meaning: bool,
    },
    Vocabulary {
        collection: String,
        words: Result<Vec<String>, String>,
    },
    /// One answer for each query.
    Search {
        queries: Vec<String>,
        found: Vec<Result<Vec<StoredHit>, StoredFailure>>,
    },
    /// Passages by packed id.
    Read(Result<Vec<u64>, StoredFailure>),
    /// How many chunks a document has; 0 where it is gone.
    Length(Result<u32, StoredFailure>),
    /// The sentences of each hit that are closest in meaning to the query.
    Closest {
        query: String,
        highlights: Result<Vec<Vec<[usize; 2]>>, StoredFailure>,
    },
    /// What earlier runs knew, or why nothing came to mind.
    Recalled(Result<Known, String>),
    /// Whether the memory took what the run leaves.
    Remembered(Result<(), String>),
    /// Pages of the web, new to the run. Since version 2.
    Web(StoredWeb),
    /// When a page among the documents was fetched, in nanoseconds since 1970; `None` where it is gone. Since version 2.
    Accessed(Result<Option<i64>, StoredFailure>),
    /// The documents that could be found. Since version 3.
    Documents(Result<StoredDocuments, StoredFailure>),
    /// What a person wants to be searched next. Since version 4.
    Steered(Vec<SubQuery>),
    /// What a person says about a plan, so that it is made again. Since version 5.
    Replanned(String),
    /// A limit did not allow a call.
    Limit {
        purpose: String,
        limit: String,
    },
    Call(StoredCall),
}

/// What a search of the web brought.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredWeb {
    pub queries: Vec<String>,
    pub pages: Vec<StoredPage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// As text, since numbers in JSON do not keep their last bit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<String>,
}

/// A page with its text, so that nobody need fetch it again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredPage {
    pub url: String,
    pub title: String,
    pub format: crate::domain::Format,
    pub language: crate::domain::Language,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<crate::domain::DocumentDate>,
    pub bytes: u64,
    /// When it came, in nanoseconds since 1970.
    pub accessed_ns: i64,
    pub text: String,
    pub chunks: Vec<StoredCut>,
}

/// How many documents there are, and which; none are named where they are too many.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredDocuments {
    pub count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Vec<StoredDocument>>,
}

/// A document by its place: packed id, collection and path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::agent) struct StoredDocument(pub u64, pub String, pub String);

/// Where a page was cut.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredCut {
    pub range: [usize; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_turns: Vec<usize>,
    #[serde(default, skip_serializing_if = "Headings::is_empty")]
    pub headings: Headings,
    pub language: crate::domain::Language,
}

/// A call of the model. Its prompt is here as the step's key alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredCall {
    pub purpose: String,
    pub model: String,
    pub outcome: Result<StoredReply, StoredRefusal>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredReply {
    pub text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    pub finish: Finish,
    pub usage: StoredUsage,
    /// The model that answered, as the endpoint calls it.
    pub model: String,
    pub elapsed_us: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredUsage {
    pub calls: u64,
    pub prompt_tokens: u64,
    #[serde(default)]
    pub cached_tokens: u64,
    pub completion_tokens: u64,
    /// As text, since numbers in JSON do not keep their last bit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<String>,
    #[serde(default)]
    pub estimated: bool,
    #[serde(default, skip_serializing_if = "StoredUsage::is_zero")]
    pub unanswered: u32,
}

impl StoredUsage {
    pub fn is_nothing(&self) -> bool {
        *self == StoredUsage::default()
    }

    fn is_zero(count: &u32) -> bool {
        *count == 0
    }
}

/// How a call failed, with what was streamed before it did.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredRefusal {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub streamed: String,
    pub error: StoredError,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum StoredError {
    Unavailable {
        url: String,
        model: String,
        attempts: u32,
        reason: String,
        usage: StoredUsage,
    },
    /// Since version 3.
    Unreachable {
        url: String,
        model: String,
        attempts: u32,
        reason: String,
        usage: StoredUsage,
    },
    Refused {
        url: String,
        model: String,
        status: u16,
        reason: String,
    },
    ContextOverflow {
        model: String,
        reason: String,
    },
    Unusable {
        model: String,
        reason: String,
        usage: StoredUsage,
    },
}

/// Why a search or a read failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum StoredFailure {
    UnknownEmbedder { name: String },
    EmbedderNotLoaded { model: String, reason: String },
    EmbedderFailed { model: String, reason: String },
    OtherDimension { model: String, expected: usize, found: usize },
    NoEmbedder,
    NoChunk { chunk: u64 },
    Other { message: String },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredHit {
    /// The passage's packed id.
    pub chunk: u64,
    pub score: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lexical: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_score: Option<f32>,
    /// Bytes of the passage where the answer begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub highlights: Vec<[usize; 2]>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Passage {
    /// Packed.
    pub id: u64,
    pub collection: String,
    pub path: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<crate::domain::DocumentDate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    pub range: [usize; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_turns: Vec<usize>,
    #[serde(default, skip_serializing_if = "Headings::is_empty")]
    pub headings: Headings,
    pub language: crate::domain::Language,
    pub text: String,
}

/// What a run needs to know of a collection.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredCollection {
    pub name: String,
    pub description: String,
    pub described_by_user: bool,
    pub embedder: Option<crate::domain::EmbedderIdentity>,
    pub documents: u64,
    pub chunks: u64,
    pub text_bytes: u64,
    #[serde(default, skip_serializing_if = "Spoken::is_empty")]
    pub languages: Spoken,
}

impl From<&Collection> for StoredCollection {
    fn from(collection: &Collection) -> Self {
        let Collection { name, description, described_by_user, embedder, documents, chunks, text_bytes, languages } =
            collection.clone();
        StoredCollection { name, description, described_by_user, embedder, documents, chunks, text_bytes, languages }
    }
}

impl From<StoredCollection> for Collection {
    fn from(stored: StoredCollection) -> Self {
        let StoredCollection {
            name,
            description,
            described_by_user,
            embedder,
            documents,
            chunks,
            text_bytes,
            languages,
        } = stored;
        Collection { name, description, described_by_user, embedder, documents, chunks, text_bytes, languages }
    }
}
