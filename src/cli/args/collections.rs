//! The arguments of `collections`.

use clap::{Args, Subcommand};

use super::values::flag;
use crate::config::Flag;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CollectionsArgs {
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Option<CollectionsCommand>,
}

#[derive(Debug, Subcommand)]
pub enum CollectionsCommand {
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
    /// Describe what a collection holds; the planner chooses collections by their descriptions
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
    /// Rename a collection
    Rename {
        /// Its name
        from: String,
        /// Its new name
        to: String,
    },
    /// Compute a collection's vectors again with another embedder, from the stored text
    #[command(after_help = "\
Searches use the old vectors until all new ones are there. Stopped at any moment, the same command goes on where it was.")]
    Reembed {
        /// Its name
        name: String,
        /// The embedder: minilm, none, fastembed:MODEL, openai:MODEL or causal:FOLDER [default: embed.embedder]
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
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
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
