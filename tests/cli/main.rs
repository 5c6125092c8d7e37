//! The command line through its real binary: one file for each theme, one harness.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod bad_input;
mod collections;
mod config;
#[cfg(target_os = "linux")]
mod disk;
mod endpoint;
mod eval_agent;
mod eval_retrieval;
mod examples;
mod filters;
mod floors;
mod formats;
mod harness;
mod help;
#[cfg(unix)]
mod interrupt;
mod limits;
mod load;
mod lookup;
mod memory;
mod query;
mod readme;
mod recovery;
mod runs;
mod smoke;
mod strategies;
mod train;
mod usage;
