//! The format of a journal's file: JSON, one line for each event. These types serve the file alone; changing one
//! changes the format, and raises [`VERSION`].

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::{AgentOptions, StrategyLimits};
use crate::agent::recall::RecalledEvents;
use crate::base::text::Spoken;
use crate::domain::{Collection, DocumentFilter, Headings, StopReason, SubQuery};
use crate::llm::{Finish, ToolCall};

/// The version that this program writes, and the newest that it reads.
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
    /// The day that prompts name; a fork keeps that of the run it comes from.
    pub today: Timestamp,
    /// Whether the clock is fixed, so that the run takes no time.
    pub fixed_clock: bool,
    pub question: String,
    /// The collections that the user named; empty means all.
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
    /// Names by purpose.
    pub names: BTreeMap<String, String>,
}

/// Where a forked run comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::agent) struct Forked {
    pub run: String,
    /// How many steps of that run were taken over.
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

/// Something was asked outside and answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Step {
    /// Hash of the request.
    pub key: String,
    /// The run's time when the answer arrived, in microseconds.
    pub at_us: u64,
    pub answer: Answer,
    /// Passages that the answer refers to and no earlier line holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
}

/// A call was sent. Its answer is the step with the same key, unless the process was killed first. Since version 4.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Sent {
    pub key: String,
}

/// The run was told to stop, at one of the points where it asks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Halt {
    /// The number of the point, counted from 0.
    pub gate: u64,
    pub at_us: u64,
    pub reason: StopReason,
    /// What was spent on the call under way.
    #[serde(default, skip_serializing_if = "StoredUsage::is_nothing")]
    pub usage: StoredUsage,
    /// The text of the report that was streamed so far.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub streamed: String,
}

/// The run was resumed after it had ended early.
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

/// An answer, by the kind of request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::agent) enum Answer {
    /// `by_meaning`: whether queries can be embedded.
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
    /// The packed ids of the passages that were read.
    Read(Result<Vec<u64>, StoredFailure>),
    /// The number of chunks of a document; 0 if it is gone.
    Length(Result<u32, StoredFailure>),
    /// The sentences of each hit that are closest in meaning to the query.
    Closest {
        query: String,
        highlights: Result<Vec<Vec<[usize; 2]>>, StoredFailure>,
    },
    /// What earlier runs learnt, or why nothing was recalled.
    Recalled(Result<RecalledEvents, String>),
    /// Whether the memory stored what the run leaves.
    Remembered(Result<(), String>),
    /// Web pages that are new to the run. Since version 2.
    Web(StoredWeb),
    /// When a page among the documents was fetched, in nanoseconds since 1970; `None` if it is gone. Since version 2.
    Accessed(Result<Option<i64>, StoredFailure>),
    /// The documents that could be found. Since version 3.
    Documents(Result<StoredDocuments, StoredFailure>),
    /// The searches that a person wants next. Since version 4.
    Steered(Vec<SubQuery>),
    /// A person's words on a plan, which is then made again. Since version 5.
    Replanned(String),
    /// A limit did not allow a call.
    Limit {
        purpose: String,
        limit: String,
    },
    Call(StoredCall),
}

/// The result of a web search.
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
    /// As text, since JSON numbers do not keep their last bit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<String>,
}

/// A page with its text, so that it need not be fetched again.
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
    /// When the page was fetched, in nanoseconds since 1970.
    pub accessed_ns: i64,
    pub text: String,
    pub chunks: Vec<StoredCut>,
}

/// The number of documents and their names; no names if there are too many.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct StoredDocuments {
    pub count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<Vec<StoredDocument>>,
}

/// A document: its packed id, collection and path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::agent) struct StoredDocument(pub u64, pub String, pub String);

/// A chunk of a page, without its text.
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

/// A model call. Its prompt is stored only as the hash that is the step's key.
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
    /// The model that answered, as the endpoint names it.
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
    /// As text, since JSON numbers do not keep their last bit.
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
    /// The byte range of the passage where the answer begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub highlights: Vec<[usize; 2]>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct Passage {
    /// The packed id.
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

/// The facts about a collection that a run needs.
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
