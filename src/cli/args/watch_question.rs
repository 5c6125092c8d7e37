//! The arguments of `watch-question`.

use std::path::PathBuf;

use clap::Args;

use super::filter::FilterArgs;
use super::values::between;

#[derive(Debug, Args)]
#[command(after_help = "\
Looks once, and ends: exit code 0 with news, 6 without. The answer before is that of the last run that asked the same, \
also of `query`. Nothing is asked while what it cites stands and its searches bring nothing new, so a look costs no call.

Examples:
  deepsearch watch-question \"Who may sign contracts?\"
  deepsearch load && deepsearch watch-question \"Who may sign contracts?\" --every 1 -o news.md")]
pub struct WatchQuestionArgs {
    /// What you want to know, or `-` to read it from standard input
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Ask only if the last answer is at least this many days old
    #[arg(long, value_name = "DAYS", value_parser = |text: &str| between(text, 1_u32, 3650))]
    pub every: Option<u32>,
    /// Search only this collection (repeatable) [default: the planner chooses]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Write the report to this file, as Markdown, a page (.html), a document (.docx), JSON (.json) or PDF (.pdf, if built in); without news it stays as it is
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the changes and the report as JSON
    #[arg(long)]
    pub json: bool,
}
