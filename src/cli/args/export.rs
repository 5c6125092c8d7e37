//! The arguments of `export`.

use std::path::PathBuf;

use clap::Args;

use crate::form::Style;

#[derive(Debug, Args)]
#[command(after_help = "\
No model is asked. A page (.html) is one file that fetches nothing: each passage stands beside the sentence that cites it, \
and the page tells whether it was altered; `deepsearch verify` checks it too.

Examples:
  deepsearch export report.md -o report.html
  deepsearch export last -o report.html
  deepsearch export report.md -o report.docx
  deepsearch export report.html -o report.md
  deepsearch export report.md --template letter.html -o letter.html
  deepsearch export report.md --style apa -o report.docx
  deepsearch export report.md --bibliography sources.bib")]
pub struct ExportArgs {
    /// A report that `query` or `export` wrote, `-` for standard input, or a run: its id or `last`
    #[arg(value_name = "REPORT|RUN")]
    pub report: PathBuf,
    /// Write to this file; its ending gives the format: .md, .html, .docx or .pdf (if built in)
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["format", "bibliography", "template"])]
    pub output: Option<PathBuf>,
    /// Render it with this template, to the file or to standard output; see docs/reports.md
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub template: Option<PathBuf>,
    /// Also list the cited documents in this style: apa, chicago, harvard, ieee, mla or vancouver
    #[arg(long, value_name = "STYLE")]
    pub style: Option<Style>,
    /// Write the cited documents to this file, as BibTeX (.bib), CSL (.json) or RIS (.ris)
    #[arg(long, value_name = "FILE")]
    pub bibliography: Option<PathBuf>,
    /// Write this format to standard output: md, html, docx or pdf
    #[arg(long, value_name = "FORM", conflicts_with = "output")]
    pub format: Option<String>,
}
