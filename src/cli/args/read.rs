//! The arguments of `read`.

use clap::Args;

use super::values::number;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  deepsearch read notes/2019.md
  deepsearch read d12#3 --neighbours 1")]
pub struct ReadArgs {
    /// A path or its end, or an id as `search` shows it; `#3` at the end for one passage
    #[arg(value_name = "DOC[#CHUNK]")]
    pub document: String,
    /// Also show this many passages before and after it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number::<u32>)]
    pub neighbours: u32,
    /// Write document and text as JSON
    #[arg(long)]
    pub json: bool,
}
