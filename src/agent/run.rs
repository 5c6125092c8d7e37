//! The state of a run: the question, where it is searched, what was found, what was spent. The steps of a run are
//! functions that take this state, in files of their own.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::Date;
use tokio_util::sync::CancellationToken;

use super::budget::Budget;
use super::journal::Journal;
use super::ledger::Ledger;
use super::overview::Overview;
use super::queries::Asked;
use super::scope::Scope;
use super::tree::Tree;
use super::{AgentError, Engine, checked_question};
use crate::base::day_of;
use crate::base::locked;
use crate::base::text::{Language, estimate_tokens};
use crate::bundled::answer_language;
use crate::domain::{Event, EventSink, Hit, RoundSummary, StoredChunk, Strategy, SubQuery};
use crate::llm::purpose::{EvidenceCard, KnownFinding};
use crate::prompt::fenced;
use crate::retrieval::RetrievalError;

/// The state of a run.
pub(super) struct Run<'a> {
    pub engine: &'a Engine,
    pub question: Question<'a>,
    pub scope: Scope,
    pub overview: Overview,
    pub strategy: Strategy,
    pub history: History,
    pub evidence: Evidence,
    /// What reflection was shown so far.
    pub review: Review,
    pub spending: Spending,
    pub events: Events,
    pub journal: Journal,
    pub interrupt: CancellationToken,
}

/// The question that is asked.
pub(super) struct Question<'a> {
    /// What is searched for.
    pub text: &'a str,
    pub language: Language,
    /// The conversation that the question follows; empty if there is none or the model only quotes.
    conversation: &'a str,
}

impl Question<'_> {
    /// The question as a prompt states it: with the conversation that it follows, from which a language model learns
    /// what "it" and "they" are.
    pub fn for_prompt(&self) -> String {
        if self.conversation.is_empty() {
            return self.text.to_owned();
        }
        let conversation = fenced("the conversation before", self.conversation);
        format!("{}\n\nIt follows this conversation, which is no evidence:\n{conversation}", self.text)
    }
}

/// What reflection was shown so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Review {
    /// The text as it is in the prompt.
    pub text: String,
    /// The passages in that text.
    pub cards: Vec<EvidenceCard>,
    /// The numbers of the passages that were shown in full.
    pub whole: BTreeSet<usize>,
}

/// What was done, and why.
pub(super) struct History {
    /// Why the strategy was chosen; empty if it was given.
    pub chosen: String,
    pub asked: Asked,
    pub rounds: Vec<RoundSummary>,
    pub tree: Tree,
    /// The model's reason for the searches of the next round.
    pub reason: String,
    /// What a person said about the plan.
    pub wishes: Vec<String>,
    /// The number of searches that a person wants next; 0 if nobody said so.
    pub wanted: usize,
    /// Sub-queries that were planned but not searched.
    pub skipped: Vec<SubQuery>,
    /// Notes of the strategy on what the report is to say.
    pub notes: Option<String>,
    /// Whether the model failed to plan or to judge, and the run continued without that.
    pub failed: bool,
    /// The first search that failed, reported if nothing else was found.
    pub failed_search: Option<RetrievalError>,
}

/// What was found, and what was known before.
#[derive(Default)]
pub(super) struct Evidence {
    pub ledger: Ledger,
    /// The numbers of the passages that a model was given in full.
    read: Mutex<BTreeSet<usize>>,
    /// What earlier runs learnt about the question, for the planner.
    pub known: Vec<KnownFinding>,
    /// The number of tokens that the searches returned.
    pub retrieved_tokens: u64,
    /// The number of hits left out because their documents are newer than the question asks for.
    pub too_new: usize,
}

/// What was spent, and what may still be spent.
pub(super) struct Spending {
    pub budget: Budget,
    /// How much evidence a prompt may hold, in tokens; lowered when a model reports that a prompt is too long.
    pub evidence_tokens: u64,
    /// Whether the model failed in a way that any further call would too: it is not asked again.
    pub lost: bool,
    /// The number of calls in a row that failed, each after all its retries.
    pub failures: usize,
    /// The names of the models that answered, in the order of their first call.
    pub models: Vec<String>,
}

/// Who receives the run's events, and the warnings that the report will state.
pub(super) struct Events {
    pub sink: Arc<dyn EventSink>,
    pub warnings: Vec<String>,
}

impl<'a> Run<'a> {
    /// `engine` must go through the same journal.
    pub async fn start(
        engine: &'a Engine,
        journal: &Journal,
        question: &'a str,
        collections: &[String],
        sink: Arc<dyn EventSink>,
        interrupt: CancellationToken,
    ) -> Result<Self, AgentError> {
        let text = checked_question(question)?;
        let scope = Scope::of(engine, collections).await?;
        let language = answer_language(text, &scope.spoken());
        let options = &engine.options;
        let follow_up = options.follow_up.as_ref().filter(|_| engine.model.reasons());
        let conversation = follow_up.map_or("", |follow_up| &follow_up.conversation);
        let mut budget = Budget::start(
            engine.limits.of(options.strategy),
            options.prices.clone(),
            journal.stopwatch().clone(),
            options.evidence_tokens,
        );
        budget.charge(journal.earlier(), Duration::ZERO);
        let mut run = Run {
            engine,
            question: Question { text, language, conversation },
            scope,
            overview: Overview::default(),
            strategy: options.strategy,
            history: History::of(Asked::new(text, language)),
            evidence: Evidence { ledger: Ledger::below(options.working_dir.clone()), ..Evidence::default() },
            review: Review::default(),
            spending: Spending {
                budget,
                evidence_tokens: options.evidence_tokens,
                lost: false,
                failures: 0,
                models: Vec::new(),
            },
            events: Events { sink, warnings: Vec::new() },
            journal: journal.clone(),
            interrupt,
        };
        for warning in &options.warnings {
            run.warn(warning.clone());
        }
        Ok(run)
    }

    pub fn emit(&self, event: &Event) {
        self.events.sink.emit(event);
    }

    /// Reports a problem that does not end the run.
    pub fn warn(&mut self, message: String) {
        self.emit(&Event::Warning { message: message.clone() });
        self.events.warnings.push(message);
    }

    /// The day of the run.
    pub fn today(&self) -> Date {
        day_of(self.engine.clock.now())
    }

    /// Whether the limits allow another round.
    pub fn allows_round(&self) -> bool {
        self.spending.budget.allows_round(self.history.rounds.len())
    }
}

impl History {
    fn of(asked: Asked) -> Self {
        History {
            chosen: String::new(),
            asked,
            rounds: Vec::new(),
            tree: Tree::default(),
            reason: String::new(),
            wishes: Vec::new(),
            wanted: 0,
            skipped: Vec::new(),
            notes: None,
            failed: false,
            failed_search: None,
        }
    }
}

impl Evidence {
    /// Adds the hits of one search to the ledger; returns how many passages are new there.
    pub fn add(&mut self, hits: Vec<Hit>, query: usize) -> usize {
        self.counted(|ledger| ledger.add(hits, query))
    }

    /// Like [`Ledger::add_separately`].
    pub fn add_separately(&mut self, chunks: Vec<StoredChunk>) -> usize {
        self.counted(|ledger| ledger.add_separately(chunks))
    }

    /// Counts the tokens of the passages that `add` adds.
    fn counted(&mut self, add: impl FnOnce(&mut Ledger) -> usize) -> usize {
        let before = self.ledger.len();
        let new = add(&mut self.ledger);
        let texts = self.ledger.texts().skip(before);
        self.retrieved_tokens += texts.map(estimate_tokens).sum::<u64>();
        new
    }

    /// Notes that a model was given these passages in full. No passage has the number 0.
    pub fn mark_read(&self, numbers: impl IntoIterator<Item = usize>) {
        locked(&self.read).extend(numbers);
    }

    /// The numbers of the passages that a model was given in full.
    pub fn read(&self) -> BTreeSet<usize> {
        locked(&self.read).clone()
    }

    /// Notes which passages the model calls helpful, the most helpful first; returns those that exist.
    pub fn mark_helpful(&mut self, mut numbers: Vec<usize>) -> Vec<usize> {
        let missing = self.ledger.mark_helpful(&numbers);
        if !missing.is_empty() {
            tracing::info!(?missing, "the model called passages helpful that do not exist");
        }
        numbers.retain(|number| !missing.contains(number));
        numbers
    }
}
