//! The arguments of `mcp`.

use std::path::PathBuf;

use clap::Args;

use super::values::between;

#[derive(Debug, Args)]
#[command(after_help = "\
A client such as an editor or a chat program starts this command and speaks with it over standard input and output; \
`docs/serve.md` has the configuration for common ones. Researches go on while nobody asks, and one that was under way \
when the client closed goes on when the client asks for it again.

Example:
  deepsearch mcp --allow-load ~/notes")]
pub struct McpArgs {
    /// Offer a tool that loads files from this folder and from no other
    #[arg(long, value_name = "DIR")]
    pub allow_load: Option<PathBuf>,
    /// How many questions are researched at once; the others wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = |text: &str| between(text, 1_u16, 100))]
    pub runs: u16,
}
