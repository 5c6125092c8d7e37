use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournaledModel, RunSettings};
use super::{AgeOptions, Sources, Steering, StrategyLimits};
use crate::base::Clock;
use crate::domain::{Outline, Price, SearchMode, Strategy, SubQuery};
use crate::llm::purpose::Earlier;
use crate::llm::{ChatModel, Purpose};
use crate::memory::Memory;
use crate::prompt::Prompts;

/// What a run needs. Cheap to clone; runs may share one.
#[derive(Clone)]
pub struct Engine {
    /// What is searched.
    pub corpus: Sources,
    /// What plans, reflects and writes.
    pub model: Arc<dyn ChatModel>,
    /// What it is told.
    pub prompts: Arc<Prompts>,
    /// Today's date, and how long a run takes.
    pub clock: Clock,
    /// What earlier runs learnt; `None`: the run neither knows nor leaves anything.
    pub memory: Option<Memory>,
    /// When it must stop.
    pub limits: StrategyLimits,
    /// How it goes about it.
    pub options: AgentOptions,
    /// Who decides between the rounds; `None` where nobody does.
    pub steering: Option<Steering>,
}

impl Engine {
    /// One that has nothing but what a journal holds, and the prompts to know it by.
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

    /// The same, with all that it asks outside going through a journal. Today is the day on which the run began.
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

/// How a run goes about its work. Journals hold it; what an older one lacks has its default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentOptions {
    /// What decides which step comes next.
    pub strategy: Strategy,
    /// Sub-queries a round, at most.
    pub max_sub_queries: usize,
    /// Passages that each sub-query asks for.
    pub hits_per_query: usize,
    /// Which halves of the search answer.
    pub mode: SearchMode,
    /// Evidence in a prompt, in tokens; halved where the model says that it is too much.
    pub evidence_tokens: u64,
    /// Of the model for each purpose, as far as they are known: a limit on money is held by them.
    pub prices: HashMap<Purpose, Price>,
    /// Whether what earlier runs learnt is recalled, and what this one finds is remembered.
    pub remembers: bool,
    /// How the age of evidence counts.
    pub age: AgeOptions,
    /// Whether searches may go to the web.
    pub web: bool,
    /// About how many words the report is to have; `None`: as many as the evidence deserves.
    pub length: Option<usize>,
    /// The headings that it is to have, where they are given.
    pub outline: Outline,
    /// What the question follows; `None` for one that stands alone.
    pub follow_up: Option<FollowUp>,
    /// What is searched first, where a person has decided it; empty: the model plans.
    pub plan: Vec<SubQuery>,
    /// Whether the account of the run tells what became of every document. Runs of older journals did not ask which
    /// documents there are.
    pub covers: bool,
    /// Paths below it are shown relative to it.
    pub working_dir: Option<PathBuf>,
    /// Files that could not be read before the run, each with its reason: the report says so.
    pub unread: Vec<String>,
    /// What its asker settled before the run: the report says so.
    pub settled: Vec<String>,
    /// What else went wrong before the run: told first, and in the report.
    pub warnings: Vec<String>,
}

/// What a question knows of the report that it follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FollowUp {
    /// The question as asked.
    pub asked: String,
    /// What is searched for: that, with the earlier question where it leans on it.
    pub query: String,
    /// What it leans on.
    pub earlier: Earlier,
    /// How the earlier report begins.
    pub report: String,
    /// The passages that the earlier run found, as their packed ids.
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
