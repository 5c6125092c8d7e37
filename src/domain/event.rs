use serde::{Deserialize, Serialize};

use super::{Strategy, SubQuery, Usage};

/// Why a run stopped searching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The model had enough.
    Enough,
    /// The strategy searches once and asks nobody whether that is enough.
    OneSearch,
    /// A round brought nothing that earlier rounds had not.
    NoNewEvidence,
    /// The limit on rounds.
    RoundLimit,
    /// The limit on tokens, money, calls or time.
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
    /// The run has a journal, under this id. Not told where none is kept.
    Begun {
        /// The id.
        run: String,
    },
    /// The strategy was chosen by the question.
    Chosen {
        /// Which.
        strategy: Strategy,
        /// Why.
        reason: String,
    },
    /// The plan is made.
    Planned {
        /// What will be searched first.
        sub_queries: Vec<SubQuery>,
        /// The model's reason.
        reason: String,
    },
    /// Something came to mind that earlier runs learnt.
    Recalled {
        /// How much.
        events: usize,
        /// Findings that are not used, since their sources do not say so any more.
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
    /// The model looked at the evidence.
    Reflected {
        /// From 1.
        round: usize,
        /// Whether it has enough.
        enough: bool,
        /// Its reason.
        reason: String,
        /// What it asks for next.
        next: Vec<SubQuery>,
    },
    /// The model used one of its tools.
    ToolCalled {
        /// Which of the model's turns, from 1.
        step: usize,
        /// The tool's name, as the model wrote it.
        tool: String,
        /// The arguments, as the model wrote them.
        arguments: String,
        /// Passages that came of it.
        found: usize,
        /// Tokens that the model was given of the documents.
        tokens: u64,
    },
    /// A question of a chain was answered, and the next one asked.
    Followed {
        /// From 1; the first question is the whole one.
        step: usize,
        /// The question that was searched for.
        question: String,
        /// What the evidence says to it.
        answer: String,
        /// What is asked next; `None` where the whole question can be answered.
        next: Option<SubQuery>,
    },
    /// A model call ended.
    Called {
        /// What for.
        purpose: &'static str,
        /// Which model.
        model: String,
        /// What it cost.
        usage: Usage,
        /// How long it took.
        seconds: f64,
    },
    /// The search is over and the report begins.
    Writing {
        /// Why.
        stopped: StopReason,
        /// Passages in the ledger.
        evidence: usize,
    },
    /// A finished piece of the report, citations checked. The pieces joined are the report.
    Text {
        /// Markdown.
        markdown: String,
    },
    /// Something went wrong and the run goes on.
    Warning {
        /// What, on what, and what follows.
        message: String,
    },
}

/// Who listens to a run. Implementations must return at once.
pub trait EventSink: Send + Sync {
    /// Takes one event, in order.
    fn emit(&self, event: &Event);
}

/// Hears nothing, where only what comes out of a run counts.
#[derive(Clone, Copy, Debug)]
pub struct Unheard;

impl EventSink for Unheard {
    fn emit(&self, _: &Event) {}
}
