//! The arguments of `update`.

use std::path::PathBuf;

use clap::Args;

use super::verify::AgainstArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Only sentences whose evidence was edited, superseded or is gone are written anew or struck; every other byte of the text \
stays. A language model is shown these sentences alone, at most ten in a call; without one they quote their sources. \
Nothing is written before the end. Exit code 5 says that something in the report does not hold all the same.

Examples:
  deepsearch update report.md --dry-run
  deepsearch update report.md --files docs -o newer.md
  deepsearch update report.md --new")]
pub struct UpdateArgs {
    /// A Markdown report that `query` wrote, which may have been edited by hand
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
    #[command(flatten)]
    pub against: AgainstArgs,
    /// Add a section on what was loaded since the report was written
    #[arg(long, conflicts_with = "files")]
    pub new: bool,
    /// Only list what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Write the new report to this file and leave the old one as it is
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Render it with this template, to that file; see docs/reports.md
    #[arg(long, value_name = "FILE", requires = "output")]
    pub template: Option<PathBuf>,
}
