//! The arguments of `query`.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::Date;

use super::filter::{FilterArgs, last_day};
use super::values::{Length, amount, flag, length, number, seconds, share};
use crate::config::Flag;
use crate::form::Style;

#[derive(Debug, Args)]
#[command(after_help = "\
The report goes to standard output as it is written; the plan, the searches and the bill go to standard error. \
Ctrl-C once ends the search and writes the report from what was found; twice stops at once.

Examples:
  deepsearch query \"How has The Simpsons changed over time?\" > report.md
  deepsearch query \"Which suppliers missed a deadline?\" --load ./mail --max-time 5m -o report.md
  deepsearch query \"What do our contracts say?\" --outline headings.md --length long
  deepsearch query - --collection papers --json < question.txt")]
pub struct QueryArgs {
    /// What you want to know, or `-` to read it from standard input
    #[arg(value_name = "QUESTION", required_unless_present = "resume")]
    pub question: Option<String>,
    /// Resume a run that was killed, interrupted or failed, without paying again: its id or `last`
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = [
            "question", "load", "collection", "FilterArgs", "max_rounds", "max_calls", "max_tokens", "max_usd", "max_time",
            "dry_run", "interactive", "no_journal", "as_of", "recency", "strategy", "length", "outline",
        ]
    )]
    pub resume: Option<String>,
    /// Load this first: a file, folder or glob (repeatable)
    #[arg(long, value_name = "PATH")]
    pub load: Vec<String>,
    /// Search only this collection (repeatable) [default: the planner chooses]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    /// The strategy: deep, react, chain, naive or auto [default: agent.strategy]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// The length of the report: short, normal, long or a number of words
    #[arg(long, value_name = "WORDS", value_parser = length)]
    pub length: Option<Length>,
    /// Use the headings of this Markdown file; the text below a heading is its question
    #[arg(long, value_name = "FILE")]
    pub outline: Option<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Leave out documents dated after this day, as in 2023-10-28, and the memory
    #[arg(long, value_name = "DATE", value_parser = last_day)]
    pub as_of: Option<Date>,
    /// Prefer newer documents: the weight of a document's age, from 0 (none) to 1
    #[arg(long, value_name = "WEIGHT", value_parser = share)]
    pub recency: Option<f64>,
    /// Neither read nor write the memory of earlier runs
    #[arg(long)]
    pub no_memory: bool,
    /// Search in at most this many rounds; 0: as many as the model asks for
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_rounds: Option<u64>,
    /// Make at most this many model calls
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_calls: Option<u64>,
    /// Spend at most this many tokens, input and output together
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    pub max_tokens: Option<u64>,
    /// Spend at most this many US dollars; needs the model's price, see [prices] in the settings
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub max_usd: Option<f64>,
    /// End within this time, as in 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub max_time: Option<u64>,
    /// Show the plan and what the run would cost, and stop; the model is asked for the plan
    #[arg(long)]
    pub dry_run: bool,
    /// Ask about what is unclear, let you change the plan, and pause at Enter
    #[arg(short, long, conflicts_with_all = ["dry_run", "json"])]
    pub interactive: bool,
    /// Do not keep a journal of this run
    #[arg(long)]
    pub no_journal: bool,
    /// Write the report to this file, as Markdown, a page (.html), a document (.docx), JSON (.json) or PDF (.pdf, if built in)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Render it with this template, to the file or to standard output; see docs/reports.md
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "dry_run"])]
    pub template: Option<PathBuf>,
    /// Also list the cited documents in this style: apa, chicago, harvard, ieee, mla or vancouver
    #[arg(long, value_name = "STYLE", conflicts_with_all = ["json", "dry_run"])]
    pub style: Option<Style>,
    /// Also write the cited documents to this file, as BibTeX (.bib), CSL (.json) or RIS (.ris)
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub bibliography: Option<PathBuf>,
    /// Write report, citations, rounds and usage as JSON
    #[arg(long)]
    pub json: bool,
}

impl QueryArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let limits = [
            ("--max-rounds", "max_rounds", number(self.max_rounds)),
            ("--max-calls", "max_calls", number(self.max_calls)),
            ("--max-tokens", "max_tokens", number(self.max_tokens)),
            ("--max-usd", "max_usd", self.max_usd.map(|usd| usd.to_string())),
            ("--max-time", "max_time_s", number(self.max_time)),
        ];
        let mut flags: Vec<Flag> =
            self.strategy.iter().map(|name| flag("--strategy", "agent.strategy", name)).collect();
        // A strategy's own limit goes before the common one, and a flag goes before both.
        let tables = ["agent", "agent.deep", "agent.react", "agent.chain", "agent.naive"];
        for (name, key, value) in limits {
            let Some(value) = value else { continue };
            flags.extend(tables.map(|table| flag(name, &format!("{table}.{key}"), value.as_str())));
        }
        flags.extend(self.no_journal.then(|| flag("--no-journal", "journal.enabled", "false")));
        flags.extend(self.no_memory.then(|| flag("--no-memory", "memory.enabled", "off")));
        flags
    }
}
