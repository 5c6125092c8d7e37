//! The command line through its real binary: one file for each theme, one harness.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod collections;
mod config;
mod floors;
mod harness;
mod help;
mod usage;
