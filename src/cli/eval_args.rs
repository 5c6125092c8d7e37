//! The arguments of `eval agent`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::args::flag;
use crate::config::Flag;

#[derive(Debug, Args)]
pub(super) struct EvalAgentArgs {
    /// The set: a folder
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Keep the set's passages in this collection: loaded where there is none of this name, else used as it is
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
    /// What plans and writes
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub model: EvalModelArg,
    /// Only the first so many questions
    #[arg(long, value_name = "N")]
    pub queries: Option<usize>,
    /// Questions that are run at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub jobs: usize,
    /// How many of the passages that the writer is given count as evidence, from the first
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub passages: usize,
    /// Write what became of every question to this file as soon as it is finished, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub per_query: Option<PathBuf>,
    /// Go on from that file: questions that it has are not run again
    #[arg(long, requires = "per_query")]
    pub resume: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What plans and writes in an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EvalModelArg {
    /// The model that the settings name
    #[default]
    Configured,
    /// The offline backend
    Extractive,
    /// The set's own follow-up questions and answers
    Gold,
}

impl EvalAgentArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let provider = (self.model == EvalModelArg::Extractive).then(|| flag("--model", "llm.provider", "extractive"));
        provider.into_iter().collect()
    }
}
