//! One file for each command.

mod ask;
mod ask_back;
mod chat;
mod collections;
mod completions;
mod config;
mod doctor;
mod eval;
mod eval_agent;
mod export;
mod load;
mod man;
mod mcp;
mod memory;
mod plan_review;
mod query;
mod read;
mod runs;
mod search;
mod serve;
mod sources;
mod steering;
mod store;
mod train;
mod train_compare;
mod update;
mod verify;
mod watch_question;

use super::args::Command;
use super::context::Context;
use super::{CliError, ExitStatus};

/// Runs a command.
pub(super) fn run(command: Command, context: Context) -> Result<ExitStatus, CliError> {
    match command {
        Command::Load(args) => load::run(&args, &context),
        Command::Query(args) => query::run(&args, &context),
        Command::Ask(args) => ask::run(&args, &context),
        Command::Chat(args) => chat::run(&args, &context),
        Command::WatchQuestion(args) => watch_question::run(&args, &context),
        Command::Export(args) => export::run(&args, &context),
        Command::Search(args) => search::run(&args, &context),
        Command::Read(args) => read::run(&args, &context),
        Command::Collections(args) => collections::run(args, &context),
        Command::Sources(args) => sources::run(args, &context),
        Command::Runs(args) => runs::run(args, &context),
        Command::Memory(args) => memory::run(args, &context),
        Command::Serve(args) => serve::run(&args, &context),
        Command::Mcp(args) => mcp::run(&args, &context),
        Command::Store(args) => store::run(&args.command, &context),
        Command::Config(args) => config::run(&args.command, &context),
        Command::Doctor(args) => doctor::run(&args, &context),
        Command::Eval(args) => eval::run(&args.command, &context),
        Command::Train(args) => train::run(&args.command, &context),
        Command::Update(args) => update::run(&args, &context),
        Command::Verify(args) => verify::run(&args, &context),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, &context),
    }
}
