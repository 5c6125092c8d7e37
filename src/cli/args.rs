//! Arguments as they are written. Parsing has no side effects: nothing is read, made or asked.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use jiff::civil::Date;

use super::eval_args::EvalArgs;
use super::filter_args::FilterArgs;
use super::memory_args::MemoryArgs;
use super::runs_args::RunsArgs;
use super::sources_args::SourcesArgs;
use super::store_args::StoreArgs;
pub(super) use super::train_args::{TrainAnswerArgs, TrainArgs, TrainCommand};
use super::web_args::WebArgs;
use crate::config::Flag;
use crate::domain::SearchMode;

const EXAMPLES: &str = "\
Works offline without a key; with one (OPENAI_API_KEY, DEEPSEEK_API_KEY, SAMBANOVA_API_KEY, …) a language model plans \
and writes.

Examples:
  deepsearch load ./docs
  deepsearch query \"How has The Simpsons changed over time?\" > report.md
  deepsearch query \"What did we promise ACME?\" --load ./contracts -o report.md

Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 done in part (a limit was reached, some files could not be \
read), 4 nothing found, 130 interrupted.";

/// Research over your own documents: plans, searches, looks at what is missing, and writes a report in which every
/// claim cites its source
#[derive(Debug, Parser)]
#[command(name = "deepsearch", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Cli {
    #[command(flatten)]
    pub global: GlobalArgs,
    #[command(subcommand)]
    pub command: Command,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct GlobalArgs {
    /// Folder that holds the collections [default: DEEPSEARCH_DATA_DIR, else the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Global options")]
    pub data_dir: Option<PathBuf>,
    /// Settings file to use in place of ./deepsearch.toml and the user's file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// What `--set` gave, in the order given; see [`with_settings`].
    #[arg(skip)]
    pub set: Vec<(String, String)>,
    /// Ask nothing over a network: no page, web search, endpoint or model (same as --set net.offline=true)
    #[arg(long, global = true, help_heading = "Global options")]
    pub offline: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Global options")]
    pub quiet: bool,
    /// Say more on standard error: every model call, and details of what goes wrong
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub verbose: bool,
    /// When to use colours: auto, always or never
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "WHEN",
        help_heading = "Global options"
    )]
    pub color: ColorWhen,
}

/// When to use colours.
// Its values have no help texts of their own, which would double the length of every command's help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Load files into collections, or refresh what was loaded: only what is new or changed
    Load(LoadArgs),
    /// Research a question and write a report with citations
    Query(QueryArgs),
    /// Search the collections and show the best passages
    Search(SearchArgs),
    /// Show a stored document, or one passage of it
    Read(ReadArgs),
    /// List, show, describe, rename, re-embed and drop collections
    Collections(CollectionsArgs),
    /// List and forget what was loaded, and tell what became of documents
    Sources(SourcesArgs),
    /// List, show, replay, fork and remove earlier runs
    Runs(RunsArgs),
    /// Show, draw and change what is remembered of earlier questions and loads
    Memory(MemoryArgs),
    /// Copy collections between this machine and a server, and check what is stored
    Store(StoreArgs),
    /// Show, write and find settings
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

/// What `load` takes, and `query --load` uses with its defaults.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Folders are read recursively, honouring .gitignore and .deepsearchignore, and archives (zip, tar, gz, zst, mbox) in \
place; web pages as their robots.txt allows. \
Formats: Markdown, text, HTML, PDF, DOCX, ODT, RTF, EPUB, PPTX, ODP, XLSX, ODS, LaTeX, Org, reStructuredText, AsciiDoc, \
JSON, JSONL, CSV, TSV and source code. Without PATH, everything that was ever loaded is loaded again, and documents whose \
files are gone are removed.

Examples:
  deepsearch load ./docs
  deepsearch load
  deepsearch load ./docs --watch
  deepsearch load ./library --collection-per-dir --prune
  deepsearch load 'notes/**/*.md' --collection notes --description \"My notes since 2019\"
  deepsearch load https://docs.example.org/guide/ --depth 3 --include '/guide/*'
  curl -s https://example.org | deepsearch load - --collection pages")]
pub(super) struct LoadArgs {
    /// Files, folders, globs, URLs, or `-` for standard input [default: all that was loaded before]
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
    /// Collection to load into [default: the folder's or the host's name]
    #[arg(short, long, value_name = "NAME", conflicts_with = "collection_per_dir", requires = "paths")]
    pub collection: Option<String>,
    /// Make one collection of each folder directly below PATH
    #[arg(long, requires = "paths")]
    pub collection_per_dir: bool,
    /// What the collection holds, for the planner [default: derived from the contents]
    #[arg(long, value_name = "TEXT", requires = "paths")]
    pub description: Option<String>,
    /// Remove documents whose files are gone
    #[arg(long)]
    pub prune: bool,
    /// What makes the vectors of a new collection: minilm, none, fastembed:MODEL, openai:MODEL, causal:FOLDER
    #[arg(long, value_name = "NAME", requires = "paths")]
    pub embedder: Option<String>,
    /// Go on: load what changes, and remove what is gone, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Write the summary as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub web: WebArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The report goes to standard output as it is written; the plan, the searches and the bill go to standard error. \
Ctrl-C once ends the search and writes the report from what was found; twice stops at once.

Examples:
  deepsearch query \"How has The Simpsons changed over time?\" > report.md
  deepsearch query \"Which suppliers missed a deadline?\" --load ./mail --max-time 5m -o report.md
  deepsearch query - --collection papers --json < question.txt")]
pub(super) struct QueryArgs {
    /// What you want to know, or `-` to read it from standard input
    #[arg(value_name = "QUESTION", required_unless_present = "resume")]
    pub question: Option<String>,
    /// Go on with a run that was killed, interrupted or failed, without paying again: its id or `last`
    #[arg(
        long,
        value_name = "RUN",
        conflicts_with_all = [
            "question", "load", "collection", "FilterArgs", "max_rounds", "max_calls", "max_tokens", "max_usd", "max_time",
            "dry_run", "no_journal", "as_of", "recency", "no_memory", "strategy",
        ]
    )]
    pub resume: Option<String>,
    /// Load this first: a file, folder or glob (repeatable)
    #[arg(long, value_name = "PATH")]
    pub load: Vec<String>,
    /// Search only this collection (repeatable) [default: the planner chooses]
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    /// How to go about it: deep, react, chain, naive or auto [default: agent.strategy]
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Leave out documents of a later day, as in 2023-10-28, and what is remembered
    #[arg(long, value_name = "DATE", value_parser = super::memory_args::date)]
    pub as_of: Option<Date>,
    /// Prefer what is new: what a document's age is worth, from 0 (nothing) to 1
    #[arg(long, value_name = "WEIGHT", value_parser = share)]
    pub recency: Option<f64>,
    /// Neither use nor write what is remembered of earlier runs
    #[arg(long)]
    pub no_memory: bool,
    /// Search at most so many rounds; 0: as many as the model asks for
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<u64>,
    /// Make at most so many model calls
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,
    /// Spend at most so many tokens, in and out
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Spend at most so many US dollars; needs the model's price, see [prices] in the settings
    #[arg(long, value_name = "USD")]
    pub max_usd: Option<f64>,
    /// End within this time, as in 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub max_time: Option<u64>,
    /// Show the plan and what the run would cost, and stop; the model is asked for the plan
    #[arg(long)]
    pub dry_run: bool,
    /// Do not keep this run
    #[arg(long)]
    pub no_journal: bool,
    /// Write the report to this file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write report, citations, rounds and usage as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  deepsearch search \"late delivery\" -k 5
  deepsearch search \"late delivery\" --path contracts --since 2023
  deepsearch search \"late delivery\" --mode keyword --json")]
pub(super) struct SearchArgs {
    /// The words to search for
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// Search only this collection (repeatable)
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Which halves of the search answer
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub mode: ModeArg,
    /// How many passages
    #[arg(short, value_name = "N")]
    pub k: Option<u64>,
    /// Write the hits as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which halves of the search answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ModeArg {
    /// Words
    Keyword,
    /// Meaning
    Semantic,
    /// Both
    #[default]
    Hybrid,
}

impl From<ModeArg> for SearchMode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Keyword => SearchMode::Keyword,
            ModeArg::Semantic => SearchMode::Semantic,
            ModeArg::Hybrid => SearchMode::Hybrid,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  deepsearch read notes/2019.md
  deepsearch read d12#3 --neighbours 1")]
pub(super) struct ReadArgs {
    /// A path or its end, or an id as `search` shows it; `#3` at the end for one passage
    #[arg(value_name = "DOC[#CHUNK]")]
    pub document: String,
    /// Also show so many passages before and after
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub neighbours: u32,
    /// Write document and text as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CollectionsArgs {
    #[command(subcommand)]
    pub command: Option<CollectionsCommand>,
}

#[derive(Debug, Subcommand)]
pub(super) enum CollectionsCommand {
    /// List all collections (the default)
    List {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a collection and its documents
    Show {
        /// Its name
        name: String,
        /// Write it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what a collection holds: the planner chooses collections by it
    Describe {
        /// Its name
        name: String,
        /// What it holds, in a sentence or two
        #[arg(required_unless_present = "auto", conflicts_with = "auto")]
        text: Option<String>,
        /// Let the configured model write it
        #[arg(long)]
        auto: bool,
    },
    /// Give a collection another name
    Rename {
        /// Its name
        from: String,
        /// Its new name
        to: String,
    },
    /// Make a collection's vectors anew with another embedder, from the stored text
    #[command(after_help = "\
Searches use the old vectors until all new ones are there. Stopped at any moment, the same command goes on where it was.")]
    Reembed {
        /// Its name
        name: String,
        /// What makes the vectors: minilm, none, fastembed:MODEL, openai:MODEL, causal:FOLDER [default: embed.embedder]
        #[arg(long, value_name = "NAME")]
        embedder: Option<String>,
        /// Write the summary as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a collection and all that is in it
    Drop {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Write a commented settings file to start from
    Init {
        /// Where to [default: the user's file, see `config path`]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Replace a file that is there
        #[arg(long)]
        force: bool,
    },
    /// Show every setting, its value, and where the value came from
    Show {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
        /// Leave out what has its default
        #[arg(long)]
        changed: bool,
    },
    /// Show which settings files are read
    Path,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Write the checks as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write one page for each command into this folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// The name of the flag that sets any setting.
const SET: &str = "set";

/// Gives a command and all below it the flag `--set`. A global flag of clap's would forget what stands before a
/// subcommand where it stands behind it too.
pub(super) fn with_settings(command: clap::Command) -> clap::Command {
    let set = clap::Arg::new(SET)
        .long(SET)
        .value_name("KEY=VALUE")
        .value_parser(assignment)
        .action(clap::ArgAction::Append)
        .help("Set any setting, as in `--set llm.provider=ollama` (repeatable)")
        .help_heading("Global options")
        .display_order(100);
    command.arg(set).mut_subcommands(with_settings)
}

/// What `--set` gave on every level, outermost first.
pub(super) fn settings(matches: &clap::ArgMatches) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut level = Some(matches);
    while let Some(matches) = level {
        found.extend(matches.get_many(SET).into_iter().flatten().cloned());
        level = matches.subcommand().map(|(_, below)| below);
    }
    found
}

impl GlobalArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let mut flags: Vec<Flag> = self
            .set
            .iter()
            .map(|(key, value)| Flag { flag: format!("--set {key}"), key: key.clone(), value: value.clone() })
            .collect();
        if let Some(folder) = &self.data_dir {
            flags.push(flag("--data-dir", "store.data_dir", folder.to_string_lossy()));
        }
        flags.extend(self.offline.then(|| flag("--offline", "net.offline", "true")));
        flags
    }
}

impl LoadArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        let embedder = self.embedder.iter().map(|name| flag("--embedder", "embed.embedder", name));
        embedder.chain(self.web.flags()).collect()
    }
}

impl CollectionsCommand {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        match self {
            CollectionsCommand::Reembed { embedder: Some(name), .. } => {
                vec![flag("--embedder", "embed.embedder", name)]
            }
            _ => Vec::new(),
        }
    }
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

impl SearchArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        self.k.iter().map(|k| flag("-k", "search.k", k.to_string())).collect()
    }
}

/// A setting given by a flag.
pub(super) fn flag(flag: &str, key: &str, value: impl Into<String>) -> Flag {
    Flag { flag: flag.to_owned(), key: key.to_owned(), value: value.into() }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), value.trim().to_owned())),
        _ => Err("expected KEY=VALUE, as in llm.provider=ollama".to_owned()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    let wrong = || "expected a number from 0 to 1".to_owned();
    text.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(wrong)
}

pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        other => return Err(format!("`{other}` is no unit of time: use s, m or h")),
    };
    let wrong = || "expected a time such as 90s, 5m or 1h".to_owned();
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    count.checked_mul(unit).filter(|&seconds| seconds > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        with_settings(Cli::command()).debug_assert();
    }

    #[test]
    fn times_have_units() {
        let check = |text, expected: Option<u64>| assert_eq!(seconds(text).ok(), expected, "{text}");
        check("90", Some(90));
        check("90s", Some(90));
        check("5m", Some(300));
        check("1h", Some(3600));
        check("0", None);
        check("", None);
        check("m", None);
        check("5 parsecs", None);
        check("-5", None);
        check("99999999999999999h", None);
    }

    #[test]
    fn assignments_have_a_name() {
        assert_eq!(assignment("a.b = c=d"), Ok(("a.b".to_owned(), "c=d".to_owned())));
        assert!(assignment("a.b").is_err() && assignment("=c").is_err());
    }
}
