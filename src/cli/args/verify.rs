//! The arguments of `verify`.

use std::path::PathBuf;

use clap::Args;

use crate::app::VerifyRequest;

#[derive(Debug, Args)]
#[command(after_help = "\
A citation is unchanged, moved (the same words elsewhere), edited, vanished, or superseded by a newer document. Exit code \
5 says that a citation or a sentence does not hold any more.

Examples:
  deepsearch verify report.md
  deepsearch verify report.html --files docs
  deepsearch verify report.md --without press/release.md
  deepsearch verify report.md --json")]
pub struct VerifyArgs {
    /// A report that `query` or `export` wrote: Markdown, JSON, a page or a document, which may have been edited by hand; `-` for standard input
    #[arg(value_name = "REPORT")]
    pub report: PathBuf,
    #[command(flatten)]
    pub against: AgainstArgs,
    /// Show which statements rest on these documents alone: a path or a pattern (repeatable)
    #[arg(long, value_name = "PATH")]
    pub without: Vec<String>,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// What a report is checked against.
#[derive(Debug, Args)]
pub struct AgainstArgs {
    /// Check against these files and folders, with nothing loaded (repeatable)
    #[arg(long, value_name = "PATH", conflicts_with = "collection")]
    pub files: Vec<PathBuf>,
    /// Check against this collection alone (repeatable) [default: all]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
}

impl AgainstArgs {
    /// The check of `report`.
    pub fn request(&self, report: String) -> VerifyRequest {
        let (collections, files) = (self.collection.clone(), self.files.clone());
        VerifyRequest { report, collections, files, without: Vec::new() }
    }
}
