use serde::{Deserialize, Serialize};

use super::{Strategy, SubQuery, Usage};

/// Why a run stopped searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The model had enough evidence.
    Enough,
    /// The strategy searches once and does not ask whether that is enough.
    OneSearch,
    /// A round found nothing that earlier rounds had not found.
    NoNewEvidence,
    /// The limit on rounds was reached.
    RoundLimit,
    /// The limit on tokens, money, calls or time was reached.
    Budget,
    /// The model could not plan or reflect; the report uses what was found until then.
    ModelFailed,
    /// The user asked to stop.
    Interrupted,
}

/// What happens during a run, as it happens. The terminal, the journal and the evaluation all read this stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The run has a journal, under this id. Not sent if no journal is kept.
    Begun {
        /// The id.
        run: String,
    },
    /// The strategy was chosen to suit the question.
    Chosen {
        /// The strategy.
        strategy: Strategy,
        /// Why.
        reason: String,
    },
    /// The plan is made.
    Planned {
        /// The first searches.
        sub_queries: Vec<SubQuery>,
        /// The model's reason.
        reason: String,
    },
    /// Events learnt from earlier runs were recalled.
    Recalled {
        /// The number of events.
        events: usize,
        /// Findings that are not used, since their sources no longer state them.
        stale: usize,
    },
    /// One sub-query was answered.
    Searched {
        /// From 1.
        round: usize,
        /// What was searched.
        sub_query: SubQuery,
        /// Passages found.
        hits: usize,
        /// Of those, passages that no earlier search of the run had found.
        new: usize,
    },
    /// The model assessed the evidence.
    Reflected {
        /// From 1.
        round: usize,
        /// Whether it has enough.
        enough: bool,
        /// Its reason.
        reason: String,
        /// The searches that it asks for next.
        next: Vec<SubQuery>,
    },
    /// The model used one of its tools.
    ToolCalled {
        /// The number of the model's turn, from 1.
        step: usize,
        /// The tool's name, as the model wrote it.
        tool: String,
        /// The arguments, as the model wrote them.
        arguments: String,
        /// Passages that the call found.
        found: usize,
        /// Tokens of document text that the model was given.
        tokens: u64,
    },
    /// A question of a chain was answered, and the next one asked.
    Followed {
        /// From 1; the first question is the whole one.
        step: usize,
        /// The question that was searched for.
        question: String,
        /// The answer from the evidence.
        answer: String,
        /// The next question; `None` if the whole question can be answered.
        next: Option<SubQuery>,
    },
    /// A model call ended.
    Called {
        /// The purpose of the call.
        purpose: &'static str,
        /// The model's name.
        model: String,
        /// What it cost.
        usage: Usage,
        /// How long it took.
        seconds: f64,
    },
    /// The search is over and the report begins.
    Writing {
        /// Why the search stopped.
        stopped: StopReason,
        /// Passages in the evidence ledger.
        evidence: usize,
    },
    /// A finished piece of the report, with checked citations. The pieces joined are the report.
    Text {
        /// Markdown.
        markdown: String,
    },
    /// Something went wrong and the run goes on.
    Warning {
        /// What went wrong, with what, and the consequence.
        message: String,
    },
}

/// A listener to a run. Implementations must return at once.
pub trait EventSink: Send + Sync {
    /// Takes one event, in order.
    fn emit(&self, event: &Event);
}

/// Ignores all events, for callers that need only the result of a run.
#[derive(Clone, Copy, Debug)]
pub struct NullSink;

impl EventSink for NullSink {
    fn emit(&self, _: &Event) {}
}
