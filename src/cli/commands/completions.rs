use crate::cli::args::CompletionsArgs;
use crate::cli::terminal::write_result;
use crate::cli::{CliError, ExitStatus, command};

/// Writes a completion script. It is generated in memory first, because the generator panics on a closed pipe.
pub(super) fn run(args: &CompletionsArgs) -> Result<ExitStatus, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "deepsearch", &mut script);
    write_result(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Done)
}
