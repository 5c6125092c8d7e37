//! The arguments of `search`.

use clap::{Args, ValueEnum};

use super::filter::FilterArgs;
use super::values::{flag, number};
use crate::config::Flag;
use crate::domain::SearchMode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  deepsearch search \"late delivery\" -k 5
  deepsearch search \"late delivery\" --path contracts --since 2023
  deepsearch search \"late delivery\" --mode keyword --json")]
pub struct SearchArgs {
    /// The words to search for
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// Search only this collection (repeatable)
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Search by keywords, by meaning, or by both
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    pub mode: ModeArg,
    /// How many passages to show
    #[arg(short, value_name = "N", value_parser = number::<u64>)]
    pub k: Option<u64>,
    /// Write the hits as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which halves of the search answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
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

impl SearchArgs {
    /// The settings that these flags give.
    pub fn flags(&self) -> Vec<Flag> {
        self.k.iter().map(|k| flag("-k", "search.k", k.to_string())).collect()
    }
}
