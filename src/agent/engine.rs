use std::path::PathBuf;
use std::sync::Arc;

use super::{AgeOptions, Limits};
use crate::base::Clock;
use crate::domain::SearchMode;
use crate::llm::ChatModel;
use crate::memory::Memory;
use crate::prompt::Prompts;
use crate::retrieval::Corpus;

/// What a run needs. Cheap to clone; runs may share one.
#[derive(Clone)]
pub struct Engine {
    /// What is searched.
    pub corpus: Corpus,
    /// What plans, reflects and writes.
    pub model: Arc<dyn ChatModel>,
    /// What it is told.
    pub prompts: Arc<Prompts>,
    /// Today's date, and how long a run takes.
    pub clock: Clock,
    /// What earlier runs learnt; `None`: the run neither knows nor leaves anything.
    pub memory: Option<Memory>,
    /// When it must stop.
    pub limits: Limits,
    /// How it goes about it.
    pub options: AgentOptions,
}

/// How a run goes about its work.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOptions {
    /// Sub-queries a round, at most.
    pub max_sub_queries: usize,
    /// Passages that each sub-query asks for.
    pub hits_per_query: usize,
    /// Which halves of the search answer.
    pub mode: SearchMode,
    /// Evidence in a prompt, in tokens; halved where the model says that it is too much.
    pub evidence_tokens: u64,
    /// How the age of evidence counts.
    pub age: AgeOptions,
    /// Paths below it are shown relative to it.
    pub working_dir: Option<PathBuf>,
    /// Files that could not be read before the run, each with its reason: the report says so.
    pub unread: Vec<String>,
    /// What else went wrong before the run: told first, and in the report.
    pub warnings: Vec<String>,
}

impl Default for AgentOptions {
    fn default() -> Self {
        AgentOptions {
            max_sub_queries: 6,
            hits_per_query: 10,
            mode: SearchMode::Hybrid,
            evidence_tokens: 12_000,
            age: AgeOptions::default(),
            working_dir: None,
            unread: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
