//! The arguments of `ask`.

use std::path::PathBuf;

use clap::Args;

use crate::form::Style;

#[derive(Debug, Args)]
#[command(
    allow_missing_positional = true,
    after_help = "\
The question is understood in the light of the earlier one: \"it\", \"they\" and \"and in 2019?\" are. The answer is a \
run of its own, in the same collections and documents, which can be resumed, replayed and asked on.

Examples:
  deepsearch ask \"and in 2019?\"
  deepsearch ask 20260131-120000-3f2a \"Why did they leave?\"
  deepsearch ask \"And what did it cost?\" --amend report.md"
)]
pub struct AskArgs {
    /// The run to follow up: its id, the beginning of its id, or `last` [default: the run that wrote the report of --amend, else `last`]
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
    /// The follow-up question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Insert the answer into this report as a section before its sources; the rest stays as it is
    #[arg(long, value_name = "REPORT")]
    pub amend: Option<PathBuf>,
    /// Write the answer to this file, as Markdown, a page (.html), a document (.docx), JSON (.json) or PDF (.pdf, if built in)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Render it with this template, to the file or to standard output; see docs/reports.md
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub template: Option<PathBuf>,
    /// Also list the cited documents in this style: apa, chicago, harvard, ieee, mla or vancouver
    #[arg(long, value_name = "STYLE", conflicts_with = "json")]
    pub style: Option<Style>,
    /// Also write the cited documents to this file, as BibTeX (.bib), CSL (.json) or RIS (.ris)
    #[arg(long, value_name = "FILE")]
    pub bibliography: Option<PathBuf>,
    /// Write answer, citations, rounds and usage as JSON
    #[arg(long)]
    pub json: bool,
}
