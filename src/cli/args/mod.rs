//! Arguments as they are written, one file for each command. Parsing has no side effects: nothing is read, made or
//! asked.

mod collections;
mod command;
mod completions;
mod config;
mod doctor;
mod eval;
mod filter;
mod global;
mod load;
mod man;
mod mcp;
mod memory;
mod query;
mod read;
mod runs;
mod search;
mod serve;
mod sources;
mod store;
mod train;
mod update;
mod values;
mod verify;
mod web;

pub use collections::{CollectionsArgs, CollectionsCommand};
pub use command::{Cli, Command};
pub use completions::CompletionsArgs;
pub use config::ConfigCommand;
pub use doctor::DoctorArgs;
pub use eval::{EvalAgentArgs, EvalCommand, EvalModelArg, EvalRetrievalArgs};
pub use global::{ColorWhen, GlobalArgs, settings, with_settings};
pub use load::LoadArgs;
pub use man::ManArgs;
pub use mcp::McpArgs;
pub use memory::{MemoryArgs, MemoryCommand};
pub use query::QueryArgs;
pub use read::ReadArgs;
pub use runs::{ForkArgs, ReplayArgs, RunsArgs, RunsCommand};
pub use search::SearchArgs;
pub use serve::{OnStop, ServeArgs};
pub use sources::{SourcesArgs, SourcesCommand};
pub use store::{Backend, StoreCommand};
pub use train::{SwitchArg, TrainAnswerArgs, TrainCommand};
pub use update::UpdateArgs;
pub use verify::VerifyArgs;
