//! The whole command line: its commands, and what its help says of all of them.

use clap::{Parser, Subcommand};

use super::ask::AskArgs;
use super::chat::ChatArgs;
use super::collections::CollectionsArgs;
use super::completions::CompletionsArgs;
use super::config::ConfigArgs;
use super::doctor::DoctorArgs;
use super::eval::EvalArgs;
use super::export::ExportArgs;
use super::global::GlobalArgs;
use super::load::LoadArgs;
use super::man::ManArgs;
use super::mcp::McpArgs;
use super::memory::MemoryArgs;
use super::query::QueryArgs;
use super::read::ReadArgs;
use super::runs::RunsArgs;
use super::search::SearchArgs;
use super::serve::ServeArgs;
use super::sources::SourcesArgs;
use super::store::StoreArgs;
use super::train::TrainArgs;
use super::update::UpdateArgs;
use super::verify::VerifyArgs;
use super::watch_question::WatchQuestionArgs;

const EXAMPLES: &str = "\
Works offline without a key; with one (OPENAI_API_KEY, DEEPSEEK_API_KEY, SAMBANOVA_API_KEY, …) a language model plans \
and writes.

Examples:
  deepsearch load ./docs
  deepsearch query \"How has The Simpsons changed over time?\" > report.md
  deepsearch query \"What did we promise ACME?\" --load ./contracts -o report.md

Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 done in part (a limit was reached, the model failed, \
some files could not be read), 4 nothing found, 5 a report does not hold any more, 6 no news, 130 interrupted.";

/// Research over your own documents: plans, searches, looks at what is missing, and writes a report in which every
/// claim cites its source
#[derive(Debug, Parser)]
#[command(
    name = "deepsearch",
    version = version(),
    after_help = EXAMPLES,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// The version; the commit, where `packaging/build.sh` built it; and the features that a default build leaves out.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut more: Vec<&str> = option_env!("DEEPSEARCH_COMMIT").into_iter().collect();
    more.extend(cfg!(feature = "fastembed").then_some("fastembed"));
    more.extend(cfg!(feature = "causal").then_some("causal"));
    more.extend(cfg!(feature = "pdf").then_some("pdf"));
    if more.is_empty() { version.to_owned() } else { format!("{version} ({})", more.join(", ")) }
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Load files into collections, or refresh what was loaded: only what is new or changed
    Load(LoadArgs),
    /// Research a question and write a report with citations
    Query(Box<QueryArgs>),
    /// Ask a follow-up question about a report
    Ask(AskArgs),
    /// Ask questions and follow-up questions in the terminal
    Chat(ChatArgs),
    /// Ask a question again when documents change, and report only a different answer
    WatchQuestion(WatchQuestionArgs),
    /// Check a report against the documents as they are now
    Verify(VerifyArgs),
    /// Bring a report up to date: rewrite only what its documents no longer say
    Update(UpdateArgs),
    /// Write a report as a page that shows its evidence, or in another format
    Export(ExportArgs),
    /// Search the collections and show the best passages
    Search(SearchArgs),
    /// Show a stored document, or one passage of it
    Read(ReadArgs),
    /// List, show, describe, rename, re-embed and drop collections
    Collections(CollectionsArgs),
    /// List and forget what was loaded, and show the history of documents
    Sources(SourcesArgs),
    /// List, show, replay, fork and remove earlier runs
    Runs(RunsArgs),
    /// Show, draw and change what is remembered of earlier questions and loads
    Memory(MemoryArgs),
    /// Serve an HTTP API and a page for the browser
    Serve(ServeArgs),
    /// Serve an editor or agent over MCP
    Mcp(McpArgs),
    /// Copy collections between this machine and a server, and check what is stored
    Store(StoreArgs),
    /// Show, write, find and trust settings
    Config(ConfigArgs),
    /// Check settings, key, model, store and embedding model
    Doctor(DoctorArgs),
    /// Measure searches and whole runs on a set with judgements
    Eval(EvalArgs),
    /// Train re-rankers that find answers
    Train(TrainArgs),
    /// Write a shell's completion script to standard output
    Completions(CompletionsArgs),
    /// Write the manual page to standard output, or all pages to a folder
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::with_settings;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        with_settings(Cli::command()).debug_assert();
    }
}
