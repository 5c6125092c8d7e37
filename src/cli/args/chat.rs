//! The arguments of `chat`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Each question follows the answer before it, as with `ask`, and is a run of its own. Lines that begin with a slash are \
commands: /help lists them. The Tab key completes them, and names of collections and documents.

Ctrl-C answers from what was found, a second one drops the answer; Ctrl-D ends the conversation. A file or pipe as \
standard input is read line by line; the exit code is then that of the last line.

Examples:
  deepsearch chat
  deepsearch chat 20260131-120000-3f2a
  deepsearch chat last < questions.txt > answers.md")]
pub struct ChatArgs {
    /// The run that the first question follows up: its id, the beginning of its id, or `last` [default: the last one, if any]
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
}
