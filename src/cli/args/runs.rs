//! The arguments of `runs`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::{amount, date, flag, number, seconds};
use crate::config::Flag;

#[derive(Debug, Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    pub command: Option<RunsCommand>,
}

#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// List all runs, newest first (the default)
    List {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a run and its steps
    Show {
        /// Its id, the beginning of its id, or `last`
        run: String,
        /// Show its events in words in place of its steps
        #[arg(long)]
        events: bool,
        /// Write it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove runs
    #[command(after_help = "\
Examples:
  deepsearch runs rm 20260131-120000-3f2a
  deepsearch runs rm --before 2026-01-01")]
    Rm {
        /// Ids, beginnings of ids, or `last`
        #[arg(value_name = "RUN", required_unless_present_any = ["before", "all"])]
        runs: Vec<String>,
        /// Remove all runs that began before this day
        #[arg(long, value_name = "DATE", conflicts_with_all = ["runs", "all"], value_parser = date)]
        before: Option<jiff::civil::Date>,
        /// Remove all
        #[arg(long, conflicts_with = "runs")]
        all: bool,
    },
    /// Write a finished run's report again: no model, no search, the same bytes
    Replay(ReplayArgs),
    /// Start a new run that continues an earlier one from one of its steps
    #[command(after_help = "\
The steps up to the one named are kept, with what they cost; `runs show` numbers them. Limits that are not given are \
those of the old run.

Examples:
  deepsearch runs fork last --from 5 --model NAME
  deepsearch runs fork 20260131 --from 8 --max-rounds 6 -o longer.md")]
    Fork(ForkArgs),
}

#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Its id, the beginning of its id, or `last`
    pub run: String,
    /// Write the report to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write report, citations, rounds and usage as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ForkArgs {
    /// Its id, the beginning of its id, or `last`
    pub run: String,
    /// Keep the steps up to this one; 0 keeps none
    #[arg(long, value_name = "STEP", value_parser = number::<usize>)]
    pub from: usize,
    /// Use this model from there on
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Stop searching after this many rounds
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub max_rounds: Option<usize>,
    /// Stop searching before this many calls are made
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_calls: Option<u64>,
    /// Stop searching before this many tokens are spent
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_tokens: Option<u64>,
    /// Stop searching in time to end within this time, as in 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub max_time: Option<u64>,
    /// Stop searching before this many US dollars are spent
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub max_usd: Option<f64>,
    /// Write the report to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write report, citations, rounds and usage as JSON
    #[arg(long)]
    pub json: bool,
}

impl RunsCommand {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        match self {
            RunsCommand::Fork(ForkArgs { model: Some(model), .. }) => {
                vec![flag("--model", "llm.model", model)]
            }
            _ => Vec::new(),
        }
    }
}
