//! The arguments of `eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::search::ModeArg;
use super::values::{flag, number};
use crate::config::Flag;

#[derive(Debug, Args)]
pub struct EvalArgs {
    #[command(subcommand)]
    pub command: EvalCommand,
}

#[derive(Debug, Subcommand)]
pub enum EvalCommand {
    /// Measure how well searches find the passages that a set judges relevant
    #[command(after_help = "\
A set is a BEIR folder (corpus.jsonl, queries.jsonl, qrels/test.tsv) or a file in SQuAD's format. It is loaded into a \
throw-away store with the settings in force, or into one that is kept. Each measure comes with its 95 % bootstrap interval over the queries.

Examples:
  deepsearch eval retrieval --data ./sets/scifact
  deepsearch eval retrieval --data ./sets/scifact --keep ./scifact.store --json > late.json
  deepsearch eval retrieval --data ./sets/scifact --keep ./scifact.store --rerank none --json > plain.json
  deepsearch eval retrieval --compare plain.json late.json")]
    Retrieval(EvalRetrievalArgs),
    /// Measure how many of a set's gold passages whole runs find, and what the runs cost
    #[command(after_help = "\
Every question of a BEIR folder goes through the whole loop, as `query` would run it, over the set's passages. The gold \
planner asks the follow-up questions that the set itself gives in metadata.decomposition, with the set's answers filled \
in: it measures the search apart from the model.

Examples:
  deepsearch eval agent --data ./sets/musique --model extractive
  deepsearch eval agent --data ./sets/musique --model gold --set agent.hits_per_query=5 --json
  deepsearch eval agent --data ./sets/musique --collection musique --per-query runs.jsonl --resume")]
    Agent(EvalAgentArgs),
}

#[derive(Debug, Args)]
pub struct EvalRetrievalArgs {
    /// The set: a folder or a file
    #[arg(long, value_name = "DIR", required_unless_present = "compare", conflicts_with = "compare")]
    pub data: Option<PathBuf>,
    /// Use this loaded collection, whose paths are the ids of the set
    #[arg(short, long, value_name = "NAME", conflicts_with = "compare")]
    pub collection: Option<String>,
    /// Search by keywords, by meaning, or by both
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub mode: ModeArg,
    /// The re-ranker: none, late, answer or late+answer [default: search.rerank]
    #[arg(long, value_name = "NAME")]
    pub rerank: Option<String>,
    /// The embedder [default: embed.embedder]
    #[arg(long, value_name = "NAME")]
    pub embedder: Option<String>,
    /// Keep the loaded set in this folder: the next run with the same set and embedder need not load it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["collection", "compare"])]
    pub keep: Option<PathBuf>,
    /// Run only this many queries, from the first
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub queries: Option<usize>,
    /// Write the ranks of every query's relevant passages to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub per_query: Option<PathBuf>,
    /// Compare two results written with --json: the second minus the first
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"])]
    pub compare: Option<Vec<PathBuf>>,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct EvalAgentArgs {
    /// The set: a folder
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Keep the set's passages in this collection: loaded where there is none of this name, else used as it is
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
    /// The model that plans and writes
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub model: EvalModelArg,
    /// The strategy: deep, react, chain, naive or auto [default: agent.strategy]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// Run only this many questions, from the first
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub queries: Option<usize>,
    /// How many questions to run at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number::<usize>)]
    pub jobs: usize,
    /// Count only this many of the writer's passages as evidence, from the first
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = number::<usize>)]
    pub passages: usize,
    /// Write the outcome of every question to this file as soon as it is finished, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub per_query: Option<PathBuf>,
    /// Continue from that file: its questions are not run again
    #[arg(long, requires = "per_query")]
    pub resume: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What plans and writes in an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EvalModelArg {
    /// The model that the settings name
    #[default]
    Configured,
    /// The offline backend
    Extractive,
    /// The set's own follow-up questions and answers
    Gold,
    /// The same; with tools it reads every passage that a search shows
    GoldWhole,
}

impl EvalAgentArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let provider = (self.model == EvalModelArg::Extractive).then(|| flag("--model", "llm.provider", "extractive"));
        let strategy = self.strategy.iter().map(|name| flag("--strategy", "agent.strategy", name));
        provider.into_iter().chain(strategy).collect()
    }
}

impl EvalRetrievalArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let named = [("--rerank", "search.rerank", &self.rerank), ("--embedder", "embed.embedder", &self.embedder)];
        named.into_iter().filter_map(|(name, key, value)| Some(flag(name, key, value.as_ref()?))).collect()
    }
}
