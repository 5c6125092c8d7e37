//! The arguments of `train`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::values::{between, number};
use crate::train::NegativeRule;

#[derive(Debug, Args)]
pub struct TrainArgs {
    #[command(subcommand)]
    pub command: TrainCommand,
}

#[derive(Debug, Subcommand)]
pub enum TrainCommand {
    /// Train a re-ranker that finds answers, from questions whose answers are known
    #[command(after_help = "\
With --data, the questions say where their answers stand: a file in SQuAD's format, or a BEIR folder whose queries have \
`answers` in their metadata. With --collection, questions are written by the configured model from its passages (offline, they are made of its headings, definitions, tables \
and sentences), and the model is \
activated for it if searches get better by more than chance.

Examples:
  deepsearch train answer --data squad.json --out squad
  deepsearch train answer --collection notes
  deepsearch train answer --data squad.json --alone --json > adaptive.json
  deepsearch train activate squad --collection notes")]
    Answer(TrainAnswerArgs),
    /// List the answer models
    List {
        /// Write them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the measured gain of a model
    Show {
        /// Its name
        name: String,
        /// Write it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Use a model in a collection's searches
    Activate {
        /// Its name
        #[arg(required_unless_present = "none")]
        name: Option<String>,
        /// The collection
        #[arg(short, long, value_name = "NAME")]
        collection: String,
        /// Use no model
        #[arg(long, conflicts_with = "name")]
        none: bool,
    },
    /// Compare two results of `train answer --json`, question by question: the second minus the first
    Compare {
        /// The first
        #[arg(value_name = "A.json")]
        a: PathBuf,
        /// The second
        #[arg(value_name = "B.json")]
        b: PathBuf,
        /// Write the result as JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a model
    Rm {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct TrainAnswerArgs {
    /// A set with answers: a file in SQuAD's format or a BEIR folder
    #[arg(long, value_name = "PATH", required_unless_present = "collection", conflicts_with = "collection")]
    pub data: Option<PathBuf>,
    /// Train for this collection, on questions about its passages
    #[arg(short, long, value_name = "NAME")]
    pub collection: Option<String>,
    /// Name of the model [default: the set's or the collection's]
    #[arg(long, value_name = "NAME")]
    pub out: Option<String>,
    /// Which tokens of a batch a question learns from
    #[arg(long, value_enum, default_value = "semi-hard", value_name = "RULE")]
    pub negatives: NegativesArg,
    /// Whether each question keeps the hardest tokens that it met
    #[arg(long, value_enum, default_value = "on", value_name = "WHEN")]
    pub adaptive: SwitchArg,
    /// Parts that the questions are split into, each measured by a model that has not seen it
    #[arg(long, default_value_t = 5, value_parser = |text: &str| between(text, 3_usize, 20), value_name = "N")]
    pub folds: usize,
    /// The most epochs of a training
    #[arg(long, default_value_t = 120, value_name = "N", value_parser = number::<usize>)]
    pub epochs: usize,
    /// End a training after this many epochs without improvement; 0 runs all epochs
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = number::<usize>)]
    pub patience: usize,
    /// The seed of all random choices
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = number::<u64>)]
    pub seed: u64,
    /// Use at most this many questions
    #[arg(long, value_name = "N", value_parser = number::<usize>)]
    pub questions: Option<usize>,
    /// Also rank all passages by the matrix alone, with no search before it
    #[arg(long)]
    pub alone: bool,
    /// Do not resume an interrupted training
    #[arg(long)]
    pub restart: bool,
    /// Write the result as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which negatives count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NegativesArg {
    All,
    SemiHard,
    MaxHard,
}

impl From<NegativesArg> for NegativeRule {
    fn from(rule: NegativesArg) -> Self {
        match rule {
            NegativesArg::All => NegativeRule::All,
            NegativesArg::SemiHard => NegativeRule::SemiHard,
            NegativesArg::MaxHard => NegativeRule::MaxHard,
        }
    }
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SwitchArg {
    On,
    Off,
}
