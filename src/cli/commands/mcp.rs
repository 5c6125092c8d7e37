use std::io::IsTerminal;
use std::sync::Arc;

use crate::cli::args::McpArgs;
use crate::cli::context::Context;
use crate::cli::error::refusal;
use crate::cli::{CliError, ExitStatus};
use crate::serve::{Desk, DeskOptions, Library, McpServer, over_stdio};

/// Answers a client of the Model Context Protocol until it closes standard input.
pub(super) fn run(args: &McpArgs, context: &Context) -> Result<ExitStatus, CliError> {
    if let Some(folder) = args.allow_load.as_deref().filter(|folder| !folder.is_dir()) {
        return Err(CliError::usage(format!("--allow-load needs a folder, and {} is none", folder.display())));
    }
    let app = Arc::new(context.app(Vec::new())?);
    let library = Library::new(Arc::clone(&app), refusal);
    let desk = Desk::open(app, refusal, DeskOptions { at_once: usize::from(args.runs) })?;
    if std::io::stdin().is_terminal() {
        context.terminal.note(
            "waiting for a client of the Model Context Protocol on standard input; Ctrl-C ends. See docs/serve.md for \
             how clients start this command.",
        );
    }
    let server = McpServer::new(library, desk, args.allow_load.clone());
    context.block_on(async {
        over_stdio(server).await.map_err(|error| CliError::new(ExitStatus::Failed, format!("the client: {error}")))
    })?;
    Ok(ExitStatus::Done)
}
