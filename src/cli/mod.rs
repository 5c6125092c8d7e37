//! The command line: arguments, one file per command, the terminal, and the table of exit codes.
//!
//! Standard output carries only the result; progress, warnings and the bill go to standard error. Nothing below this
//! layer writes to either.

mod args;
#[cfg(all(test, feature = "causal"))]
mod causal_tests;
mod commands;
mod context;
mod delivery;
mod error;
mod events;
mod interrupt;
mod preview;
mod progress;
mod terminal;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use args::Cli;
use context::Context;
pub use error::{CliError, ExitStatus};
use terminal::Terminal;

use crate::documents::parse::{ARGUMENT, answer_parent, use_process};

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
    crate::net::look_up_without_plugins();
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ARGUMENT) && arguments.next().is_none() {
        return answer_parent();
    }
    if let Some(program) = own_program() {
        use_process(program);
    }
    match parse() {
        Ok(cli) => {
            let terminal = Terminal::new(&cli.global);
            let status = run(cli, terminal.clone()).unwrap_or_else(|error| terminal.report(&error));
            ExitCode::from(status)
        }
        Err(error) => refuse(&error),
    }
}

/// The path of this program's executable. On Linux it is the name under `/proc`, which stays valid when a newer version
/// replaces the file.
fn own_program() -> Option<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() { Some(running) } else { std::env::current_exe().ok() }
}

/// The whole command line as clap sees it; completions, the manual and the tests also read it.
pub fn command() -> clap::Command {
    args::with_settings(Cli::command())
}

/// Parses the arguments. `--color` also applies to help and usage errors, which are created before the arguments are
/// known.
fn parse() -> Result<Cli, clap::Error> {
    let arguments: Vec<_> = std::env::args_os().collect();
    let color = terminal::color_of_arguments(&arguments);
    let mut command = command().color(color);
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    let set = args::settings(&matches);
    let mut cli = Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    cli.global.set = set;
    Ok(cli)
}

fn run(cli: Cli, terminal: Terminal) -> Result<ExitStatus, CliError> {
    terminal.start_log()?;
    commands::run(cli.command, Context::new(cli.global, terminal))
}

/// Help and version are results and go to standard output; anything else is a usage error.
fn refuse(error: &clap::Error) -> ExitCode {
    let status = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Done };
    match error.print() {
        // Nobody is left to be told about a closed stream.
        Ok(()) | Err(_) => ExitCode::from(status),
    }
}
