use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournaledModel, RunSettings};
use super::{AgeOptions, Sources, Steering, StrategyLimits};
use crate::base::Clock;
use crate::domain::{Outline, Price, SearchMode, Strategy, SubQuery};
use crate::llm::purpose::EarlierQuestion;
use crate::llm::{ChatModel, Purpose};
use crate::memory::Memory;
use crate::prompt::Prompts;

/// What a run needs. Cheap to clone; runs may share one.
#[derive(Clone)]
pub struct Engine {
    /// The sources that are searched.
    pub corpus: Sources,
    /// The model that plans, reflects and writes.
    pub model: Arc<dyn ChatModel>,
    /// The prompts of the model.
    pub prompts: Arc<Prompts>,
    /// The clock for today's date and the duration of a run.
    pub clock: Clock,
    /// What earlier runs learnt; if `None`, the run neither recalls nor remembers anything.
    pub memory: Option<Memory>,
    /// The limits at which a run must stop.
    pub limits: StrategyLimits,
    /// How a run proceeds.
    pub options: AgentOptions,
    /// Decides between the rounds; `None` if nobody does.
    pub steering: Option<Steering>,
}

impl Engine {
    /// An engine that has only the answers in a journal, and the prompts by which they are found.
    pub fn recorded(journal: &Journal, prompts: Arc<Prompts>, settings: &RunSettings) -> Engine {
        Engine {
            corpus: Sources::recorded(journal.clone()),
            model: Arc::new(JournaledModel::new(journal.clone(), None)),
            prompts,
            clock: Clock::Fixed(journal.started()),
            memory: None,
            limits: settings.limits,
            options: settings.options.clone(),
            steering: None,
        }
    }

    /// The same engine, with everything that it asks outside going through a journal. Today is the day on which the run
    /// began.
    pub(super) fn through(&self, journal: &Journal) -> Engine {
        let model = JournaledModel::new(journal.clone(), Some(Arc::clone(&self.model)));
        Engine {
            corpus: self.corpus.through(journal.clone()),
            model: Arc::new(model),
            clock: Clock::Fixed(journal.started()),
            ..self.clone()
        }
    }
}

/// How a run goes about its work. Journals contain these options; those that an older journal lacks have their
/// defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentOptions {
    /// The strategy, which decides which step comes next.
    pub strategy: Strategy,
    /// The maximum number of sub-queries in a round.
    pub max_sub_queries: usize,
    /// The number of passages that each sub-query asks for.
    pub hits_per_query: usize,
    /// Whether searches go by keywords, by meaning, or by both.
    pub mode: SearchMode,
    /// The evidence in a prompt, in tokens; halved if the model reports that the prompt is too long.
    pub evidence_tokens: u64,
    /// The known prices of the model for each purpose, which a limit on money relies on.
    pub prices: HashMap<Purpose, Price>,
    /// Whether findings of earlier runs are recalled, and those of this run are remembered.
    pub remembers: bool,
    /// How the age of evidence counts.
    pub age: AgeOptions,
    /// Whether searches may go to the web.
    pub web: bool,
    /// The approximate length of the report in words; if `None`, as many as the evidence deserves.
    pub length: Option<usize>,
    /// The headings of the report, if they are given.
    pub outline: Outline,
    /// The report that the question follows; `None` for a question that stands alone.
    pub follow_up: Option<FollowUp>,
    /// The first searches, if a person has decided them; if empty, the model plans.
    pub plan: Vec<SubQuery>,
    /// Whether the run's account covers what became of every document. Runs of older journals did not list the
    /// documents.
    pub covers: bool,
    /// Paths below this folder are shown relative to it.
    pub working_dir: Option<PathBuf>,
    /// Files that could not be read before the run, each with its reason; listed in the report.
    pub unread: Vec<String>,
    /// What the asker settled before the run; stated in the report.
    pub settled: Vec<String>,
    /// Other problems before the run: reported first, and in the report.
    pub warnings: Vec<String>,
}

/// What a follow-up question carries over from the earlier report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FollowUp {
    /// The question as asked.
    pub asked: String,
    /// The text that is searched for: the question, with the earlier question if it depends on that.
    pub query: String,
    /// The earlier question and answer that it depends on.
    pub earlier: EarlierQuestion,
    /// The questions before it and the beginning of the last answer, as a language model is shown them.
    #[serde(alias = "report")]
    pub conversation: String,
    /// The packed ids of the passages that the earlier run found.
    pub found: Vec<u64>,
}

impl Default for AgentOptions {
    fn default() -> Self {
        AgentOptions {
            strategy: Strategy::Deep,
            max_sub_queries: 6,
            hits_per_query: 10,
            mode: SearchMode::Hybrid,
            evidence_tokens: 12_000,
            prices: HashMap::new(),
            remembers: false,
            age: AgeOptions::default(),
            web: false,
            length: None,
            outline: Outline::default(),
            follow_up: None,
            plan: Vec::new(),
            covers: false,
            working_dir: None,
            unread: Vec::new(),
            settled: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
